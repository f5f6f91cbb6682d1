//! Numbers in few bytes.

use super::{SCALES, WHOLE};

/// The largest whole number up to which a float holds each.
const EXACT: i64 = 1 << 53;

/// Small numbers of either sign as small numbers.
pub fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

pub fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Writes a number in seven bits a byte, the lowest first.
pub fn number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Writes `digits` divided by ten to the power `scale`, of which a float holds both.
pub fn decimal(bytes: &mut Vec<u8>, digits: i64, scale: u8) {
    let fits = usize::from(scale) < SCALES.len() && digits.abs() < EXACT;
    if fits {
        number(bytes, zigzag(digits) << 3 | u64::from(scale));
    } else {
        real(bytes, digits as f64 / 10_f64.powi(i32::from(scale)));
    }
}

/// Writes any number, bit by bit.
pub fn real(bytes: &mut Vec<u8>, value: f64) {
    bytes.push(WHOLE as u8);
    bytes.extend_from_slice(&value.to_le_bytes());
}

/// What lies from a place on.
pub struct FieldReader<'a>(pub &'a [u8]);

impl FieldReader<'_> {
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if *byte < 0x80 {
                break;
            }
        }
        Some(number)
    }

    pub fn real(&mut self) -> Option<f64> {
        let number = self.number()?;
        if number & 7 == WHOLE {
            let (bytes, rest) = self.0.split_first_chunk::<8>()?;
            self.0 = rest;
            return Some(f64::from_le_bytes(*bytes));
        }
        let scale = SCALES.get((number & 7) as usize)?;
        Some(unzigzag(number >> 3) as f64 / scale)
    }
}

//! Numbers and texts of a pickle, in each of their spellings.

use super::machine::PickleMachine;
use super::{PickleError, PickleValue};

impl PickleMachine<'_> {
    /// A number in one of its spellings.
    pub(super) fn number(&mut self, code: u8) -> Result<(), PickleError> {
        let value = match code {
            b'K' => i64::from(u8::from_le_bytes(self.take()?)),
            b'M' => i64::from(u16::from_le_bytes(self.take()?)),
            b'J' => i64::from(i32::from_le_bytes(self.take()?)),
            b'G' => {
                let value = f64::from_be_bytes(self.take()?);
                return self.real(value);
            }
            _ => {
                let count = self.count_of(code)?;
                return self.long(count);
            }
        };
        self.push(PickleValue::Integer(value))
    }

    /// A whole number of any length, the lowest byte first.
    fn long(&mut self, count: usize) -> Result<(), PickleError> {
        let bytes = self.bytes(count)?.to_vec();
        let is_negative = bytes.last().is_some_and(|it| it & 0x80 != 0);
        if bytes.len() <= 8 {
            let mut whole = [if is_negative { 0xFF } else { 0 }; 8];
            for (to, from) in whole.iter_mut().zip(&bytes) {
                *to = *from;
            }
            return self.push(PickleValue::Integer(i64::from_le_bytes(whole)));
        }
        let digits = bytes.iter().rev();
        let value = digits.fold(0.0, |sum, byte| sum * 256.0 + f64::from(*byte));
        let below = if is_negative {
            256_f64.powi(i32::try_from(bytes.len()).unwrap_or(i32::MAX))
        } else {
            0.0
        };
        self.real(value - below)
    }

    fn real(&mut self, value: f64) -> Result<(), PickleError> {
        self.push(PickleValue::Number(value))
    }

    /// A text, whose length is written in one of several ways.
    pub(super) fn string(&mut self, code: u8) -> Result<(), PickleError> {
        let count = self.count_of(code)?;
        let text = String::from_utf8_lossy(self.bytes(count)?).into_owned();
        self.push(PickleValue::Text(text.into()))
    }
}

//! Numbers and texts of a pickle, in each of their spellings.

use super::machine::{PickleMachine, damaged};
use super::{PickleError, PickleValue};

impl PickleMachine<'_> {
    /// A number in one of its spellings.
    pub(super) fn number(&mut self, code: u8, at: usize) -> Result<(), PickleError> {
        let value = match code {
            b'K' => i64::from(u8::from_le_bytes(self.take()?)),
            b'M' => i64::from(u16::from_le_bytes(self.take()?)),
            b'J' => i64::from(i32::from_le_bytes(self.take()?)),
            b'G' => {
                let value = f64::from_be_bytes(self.take()?);
                return self.real(value);
            }
            b'F' => {
                let text = self.line()?;
                let value = text.parse().ok();
                let value = value.ok_or_else(|| damaged(at, "no number"))?;
                return self.real(value);
            }
            b'I' | b'L' => {
                let text = self.line()?;
                match text.as_str() {
                    "01" if code == b'I' => return self.push(PickleValue::Bool(true)),
                    "00" if code == b'I' => return self.push(PickleValue::Bool(false)),
                    _ => {}
                }
                let value = text.trim_end_matches('L').parse().ok();
                value.ok_or_else(|| damaged(at, "no whole number"))?
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

    /// A text in one of its spellings.
    pub(super) fn string(&mut self, code: u8, at: usize) -> Result<(), PickleError> {
        let text = match code {
            b'V' => unescaped(&self.line()?),
            b'S' => self.line()?.trim_matches(['\'', '"']).to_owned(),
            _ => {
                let count = self.count_of(code)?;
                String::from_utf8_lossy(self.bytes(count)?).into_owned()
            }
        };
        if text.len() > self.bytes.len() {
            return Err(damaged(at, "a text longer than the file"));
        }
        self.push(PickleValue::Text(text.into()))
    }
}

/// A text in which characters beyond Latin are written as `\uXXXX`.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\u") {
        out.push_str(before);
        let code = after
            .get(..4)
            .and_then(|it| u32::from_str_radix(it, 16).ok());
        if let Some(letter) = code.and_then(char::from_u32) {
            out.push(letter);
            rest = after.get(4..).unwrap_or_default();
        } else {
            out.push_str("\\u");
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

//! The fields of an event: each a name and a number or a text; what is nested stays as the file writes it.

use super::intern::Interner;
use super::number::integer;
use super::text::intern;
use super::words;
use crate::importer::json::cursor::{ByteCursor, SyntaxFault};

/// A field of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChromeArgument {
    /// The number of its name.
    pub key: u32,
    pub payload: ArgumentPayload,
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArgumentPayload {
    Integer(i64),
    /// Digits, and how many of them stand behind the point; a float holds the digits.
    Decimal(i64, u8),
    Number(f64),
    /// The number of a text.
    Text(u32),
}

impl ArgumentPayload {
    /// The number it is.
    pub fn number(self, table: &Interner) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(value as f64),
            Self::Decimal(digits, scale) => Some(digits as f64 / 10_f64.powi(i32::from(scale))),
            Self::Number(value) => Some(value),
            Self::Text(text) => table.text(text).parse().ok(),
        }
    }

    /// The whole number it is, be it written as a number or as a text.
    pub fn integer(self, table: &Interner) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(value),
            Self::Decimal(..) | Self::Number(_) => None,
            Self::Text(text) => integer(table.text(text).as_bytes()),
        }
    }
}

/// A number with a point and so few digits that a float holds them.
fn decimal(bytes: &[u8]) -> Option<ArgumentPayload> {
    let (negative, digits) = match bytes.split_first()? {
        (b'-', digits) => (true, digits),
        _ => (false, bytes),
    };
    let point = digits.iter().position(|&byte| byte == b'.')?;
    let scale = digits.len() - point - 1;
    if point == 0 || !(1..=6).contains(&scale) || digits.len() > 16 {
        return None;
    }
    let mut sum = 0;
    for (at, byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            sum = sum * 10 + i64::from(digit);
        } else if at != point {
            return None;
        }
    }
    // A float knows a negative zero.
    let zero = negative && sum == 0;
    let digits = if negative { -sum } else { sum };
    (!zero).then_some(ArgumentPayload::Decimal(digits, scale as u8))
}

/// So many arguments an event has at most: they are held at once, and no event that means anything has more.
pub const MOST_ARGUMENTS: usize = 1 << 18;

/// Reads the value of `args`; false where there are more than an event may have in all, of which `first` is the first.
pub fn arguments(
    cursor: &mut ByteCursor<'_>,
    table: &mut Interner,
    (out, first): (&mut Vec<ChromeArgument>, usize),
) -> Result<bool, SyntaxFault> {
    let mut is_whole = true;
    cursor.space();
    if cursor.peek() != Some(b'{') {
        let key = words::ARGS;
        let payload = value(cursor, table)?;
        if payload != ArgumentPayload::Text(words::EMPTY) {
            out.push(ChromeArgument { key, payload });
        }
        return Ok(is_whole);
    }
    cursor.step();
    cursor.space();
    if cursor.peek() == Some(b'}') {
        cursor.step();
        return Ok(is_whole);
    }
    loop {
        cursor.space();
        let key = cursor.text()?;
        if out.len() - first < MOST_ARGUMENTS {
            let key = intern(table, key);
            cursor.expect_byte(b':')?;
            let payload = value(cursor, table)?;
            out.push(ChromeArgument { key, payload });
        } else {
            cursor.expect_byte(b':')?;
            cursor.skip()?;
            is_whole = false;
        }
        cursor.space();
        match cursor.peek() {
            Some(b',') => cursor.step(),
            Some(b'}') => {
                cursor.step();
                return Ok(is_whole);
            }
            Some(_) => return Err(SyntaxFault::Bad),
            None => return Err(SyntaxFault::Cut),
        }
    }
}

/// Reads a value.
pub fn value(
    cursor: &mut ByteCursor<'_>,
    table: &mut Interner,
) -> Result<ArgumentPayload, SyntaxFault> {
    if cursor.peek() == Some(b' ') {
        cursor.space();
    }
    match cursor.peek() {
        Some(b'"') => {
            let raw = cursor.text()?;
            Ok(ArgumentPayload::Text(intern(table, raw)))
        }
        Some(b'[' | b'{') => Ok(ArgumentPayload::Text(table.intern(cursor.nested()?))),
        Some(b'\n' | b'\r' | b'\t' | 0) => {
            cursor.space();
            value(cursor, table)
        }
        Some(_) => match cursor.whole() {
            Some(value) => Ok(ArgumentPayload::Integer(value)),
            None => Ok(plain(cursor.plain()?, table)),
        },
        None => Err(SyntaxFault::Cut),
    }
}

/// What stands there without quotes. Whole numbers that 64 bits cannot hold stay texts: every digit counts in an id.
fn plain(bytes: &[u8], table: &mut Interner) -> ArgumentPayload {
    if let Some(value) = integer(bytes) {
        return ArgumentPayload::Integer(value);
    }
    if let Some(value) = decimal(bytes) {
        return value;
    }
    let real = bytes.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    let text = std::str::from_utf8(bytes).ok().filter(|_| real);
    match text.and_then(|text| text.parse::<f64>().ok()) {
        Some(value) if value.is_finite() => ArgumentPayload::Number(value),
        _ => ArgumentPayload::Text(table.intern(bytes)),
    }
}

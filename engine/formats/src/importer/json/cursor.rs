//! A place in some bytes, and what may stand there in JSON.

use memchr::memchr2;

/// The most microseconds whose nanoseconds 64 bits hold, whatever follows the point.
pub const MOST_MICROS: i64 = i64::MAX / 1000 - 1;

/// Why something could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxFault {
    /// The bytes are over: what follows may mend it.
    Cut,
    /// It makes no sense.
    Bad,
}

/// A place in some bytes.
#[derive(Clone, Copy)]
pub struct ByteCursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// How far a value has been passed that goes on behind the bytes at hand.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenValue {
    /// Arrays and objects that are open.
    depth: usize,
    /// Within a text.
    in_text: bool,
    /// Within a number or a word.
    in_plain: bool,
}

/// A text between quotes, as it stands there.
#[derive(Clone, Copy)]
pub struct RawText<'a> {
    pub bytes: &'a [u8],
    /// Whether it holds a backslash.
    pub escaped: bool,
}

impl<'a> ByteCursor<'a> {
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    pub fn go(&mut self, at: usize) {
        self.at = at;
    }

    /// Passes these bytes, if they stand here.
    pub fn skip_literal(&mut self, expected: &[u8]) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let stand = rest.starts_with(expected);
        if stand {
            self.at += expected.len();
        }
        stand
    }

    /// The bytes from here to a later place.
    pub fn until(&self, at: usize) -> &'a [u8] {
        self.bytes.get(self.at..at).unwrap_or_default()
    }

    /// Where these bytes stand next.
    pub fn find(&self, bytes: &[u8]) -> Option<usize> {
        let rest = self.bytes.get(self.at..)?;
        Some(self.at + memchr::memmem::find(rest, bytes)?)
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub fn step(&mut self) {
        self.at += 1;
    }

    /// Passes white space, and the NUL bytes that some writers leave.
    pub fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t' | 0) = self.peek() {
            self.at += 1;
        }
    }

    /// Passes white space and one byte that has to follow.
    pub fn expect_byte(&mut self, byte: u8) -> Result<(), SyntaxFault> {
        if self.peek() != Some(byte) {
            self.space();
        }
        match self.peek() {
            Some(found) if found == byte => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(SyntaxFault::Bad),
            None => Err(SyntaxFault::Cut),
        }
    }

    /// Passes a text between quotes.
    pub fn text(&mut self) -> Result<RawText<'a>, SyntaxFault> {
        self.expect_byte(b'"')?;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = quote(rest).ok_or(SyntaxFault::Cut)?;
        if rest.get(end) == Some(&b'"') {
            self.at += end + 1;
            let bytes = rest.get(..end).unwrap_or_default();
            return Ok(RawText {
                bytes,
                escaped: false,
            });
        }
        let end = end_of_escaped(rest, end).ok_or(SyntaxFault::Cut)?;
        self.at += end + 1;
        let bytes = rest.get(..end).unwrap_or_default();
        Ok(RawText {
            bytes,
            escaped: true,
        })
    }

    /// Passes a whole number of at most 18 digits; stays where it is, and returns nothing, before anything else.
    pub fn whole(&mut self) -> Option<i64> {
        let rest = self.bytes.get(self.at..)?;
        let (negative, digits) = match rest.first()? {
            b'-' => (true, rest.get(1..)?),
            _ => (false, rest),
        };
        let (mut sum, mut count) = (0_i64, 0_usize);
        for byte in digits.iter().take(19) {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            sum = sum.wrapping_mul(10).wrapping_add(i64::from(digit));
            count += 1;
        }
        let ends = matches!(
            digits.get(count)?,
            b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t'
        );
        if count == 0 || count > 18 || !ends {
            return None;
        }
        self.at += count + usize::from(negative);
        Some(if negative { -sum } else { sum })
    }

    /// Passes a number of microseconds with up to three decimals and returns nanoseconds; stays where it is before
    /// anything else.
    pub fn micros(&mut self) -> Option<i64> {
        let rest = self.bytes.get(self.at..)?;
        // Times of today have sixteen digits before the point.
        let (mut sum, mut at) = match rest.first_chunk::<16>().and_then(sixteen) {
            Some(sum) => (sum, 16),
            None => (0_i64, 0_usize),
        };
        for byte in rest.iter().take(17).skip(at) {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            sum = sum * 10 + i64::from(digit);
            at += 1;
        }
        if at == 0 || sum > MOST_MICROS {
            return None;
        }
        if rest.get(at) != Some(&b'.') {
            let ends = matches!(rest.get(at)?, b',' | b'}' | b' ' | b'\n' | b'\r');
            self.at += if ends { at } else { return None };
            return sum.checked_mul(1000);
        }
        let [a, b, c, end] = *rest.get(at + 1..)?.first_chunk::<4>()?;
        let ends = matches!(end, b',' | b'}' | b' ' | b'\n' | b'\r');
        let digit = |byte: u8| byte.wrapping_sub(b'0');
        let (a, b, c) = (digit(a), digit(b), digit(c));
        if !ends || a > 9 || b > 9 || c > 9 {
            return None;
        }
        self.at += at + 4;
        let fraction = i64::from(a) * 100 + i64::from(b) * 10 + i64::from(c);
        Some(sum * 1000 + fraction)
    }

    /// Passes a number, `true`, `false` or `null`: everything up to the next delimiter.
    pub fn plain(&mut self) -> Result<&'a [u8], SyntaxFault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = rest.iter().position(|byte| is_delimiter(*byte));
        match end {
            Some(0) => Err(SyntaxFault::Bad),
            Some(end) => {
                let plain = rest.get(..end).unwrap_or_default();
                // Zeros where a disk lost what was there may hide any number of values.
                if plain.iter().any(u8::is_ascii_control) {
                    return Err(SyntaxFault::Bad);
                }
                self.at += end;
                Ok(plain)
            }
            None => Err(SyntaxFault::Cut),
        }
    }

    /// Passes an array or an object and returns it as it stands there.
    pub fn nested(&mut self) -> Result<&'a [u8], SyntaxFault> {
        let start = self.at;
        self.pass_value(&mut OpenValue::default())?;
        Ok(self.bytes.get(start..self.at).unwrap_or_default())
    }

    /// Passes a value, or what is left of one of which the bytes before were passed. However deep it is, this does not
    /// recurse. Where the bytes end before it, those behind this place are to be followed by what comes next.
    pub fn pass_value(&mut self, open: &mut OpenValue) -> Result<(), SyntaxFault> {
        if open.in_text {
            self.pass_text(open)?;
            if open.depth == 0 {
                return Ok(());
            }
        } else if open.in_plain || open.depth == 0 && !self.opens() {
            return self.pass_plain(open);
        }
        let mut depth = open.depth;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'"' => {
                    open.depth = depth;
                    self.pass_text(open)?;
                }
                b'[' | b'{' => {
                    depth += 1;
                    continue;
                }
                b']' | b'}' => depth -= 1,
                _ => continue,
            }
            if depth == 0 {
                return Ok(());
            }
        }
        open.depth = depth;
        Err(SyntaxFault::Cut)
    }

    /// Whether a text, an array or an object begins here.
    fn opens(&self) -> bool {
        matches!(self.peek(), Some(b'"' | b'[' | b'{'))
    }

    /// Passes what is left of a text. A backslash stays with what it escapes.
    fn pass_text(&mut self, open: &mut OpenValue) -> Result<(), SyntaxFault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = quote(rest).and_then(|at| end_of_escaped(rest, at));
        open.in_text = end.is_none();
        if let Some(end) = end {
            self.at += end + 1;
            return Ok(());
        }
        let slashes = rest.iter().rev().take_while(|byte| **byte == b'\\');
        self.at = self.bytes.len() - slashes.count() % 2;
        Err(SyntaxFault::Cut)
    }

    /// Passes what is left of a number or a word.
    fn pass_plain(&mut self, open: &mut OpenValue) -> Result<(), SyntaxFault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = rest.iter().position(|byte| is_delimiter(*byte));
        self.at += end.unwrap_or(rest.len());
        match end {
            Some(0) if !open.in_plain => Err(SyntaxFault::Bad),
            Some(_) if matches!(self.peek(), Some(b'"' | b'{' | b'[')) => Err(SyntaxFault::Bad),
            Some(_) => Ok(()),
            None => {
                open.in_plain = true;
                Err(SyntaxFault::Cut)
            }
        }
    }

    /// Passes the next member of an object or element of a list, whose bracket was passed: gives its key, which is empty in
    /// a list, and its value, both as they stand there. Nothing at the end, and where it is no JSON.
    pub fn part(&mut self, is_object: bool) -> Option<(&'a [u8], &'a [u8])> {
        self.space();
        if self.skip_literal(b",") {
            self.space();
        }
        let mut key = &[][..];
        if is_object {
            key = self.text().ok()?.bytes;
            self.expect_byte(b':').ok()?;
            self.space();
        }
        let start = self.at;
        self.skip().ok()?;
        Some((key, self.bytes.get(start..self.at)?))
    }

    /// Passes any value.
    pub fn skip(&mut self) -> Result<(), SyntaxFault> {
        self.space();
        match self.peek() {
            Some(b'"') => self.text().map(|_| ()),
            Some(b'[' | b'{') => self.nested().map(|_| ()),
            Some(_) => self.plain().map(|_| ()),
            None => Err(SyntaxFault::Cut),
        }
    }
}

/// Whether a number or a word ends before a byte.
fn is_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' | b'"' | b':' | b'{' | b'['
    )
}

/// What sixteen digits come to, eight at a time; nothing where one is none.
fn sixteen(bytes: &[u8; 16]) -> Option<i64> {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let eight = |word: u64| {
        let low = word.wrapping_sub(EACH * 0x30);
        // No digit borrows, so what is above nine shows when six are added.
        let digits = word & (EACH * 0xF0) == EACH * 0x30 && (low + EACH * 6) & (EACH * 0xF0) == 0;
        let pairs = low.wrapping_mul(10).wrapping_add(low >> 8) & 0x00FF_00FF_00FF_00FF;
        let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_FFFF_0000_FFFF;
        let all = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xFFFF_FFFF;
        digits.then_some(all as i64)
    };
    let (words, _) = bytes.as_chunks::<8>();
    match words {
        [high, low] => {
            let high = eight(u64::from_le_bytes(*high))?;
            Some(high * 100_000_000 + eight(u64::from_le_bytes(*low))?)
        }
        _ => None,
    }
}

/// The place of the first quote or backslash. Eight bytes are looked at together; long texts are left to wider means.
fn quote(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let (words, _) = bytes.as_chunks::<8>();
    for (place, word) in words.iter().enumerate().take(4) {
        let word = u64::from_le_bytes(*word);
        let quotes = zeros(word ^ (ONES * 0x22)) | zeros(word ^ (ONES * 0x5C));
        if quotes != 0 {
            return Some(place * 8 + quotes.trailing_zeros() as usize / 8);
        }
    }
    let far = words.len().min(4) * 8;
    Some(far + memchr2(b'"', b'\\', bytes.get(far..)?)?)
}

/// Where a text ends whose first backslash is at `at`.
fn end_of_escaped(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at),
            _ => at += memchr2(b'"', b'\\', bytes.get(at..)?)?,
        }
    }
}

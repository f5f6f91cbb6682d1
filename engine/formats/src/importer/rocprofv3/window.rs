//! A file of JSON of which only the part that is being read lies in memory.

use std::io::{self, Read};

use memchr::memchr2;

/// How much is read at a time.
const BLOCK: usize = 1 << 18;
/// The longest value that is kept as a whole.
const LONGEST: usize = 64 << 20;

/// Why reading cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The file ends within a value.
    Cut,
    /// What stands there is no JSON, or not what belongs there.
    Bad,
    /// A value is longer than any that is read, and was passed.
    Long,
}

/// The part of a file that is being read.
pub(super) struct Window {
    reader: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    at: usize,
    /// Bytes of the file before those that lie here.
    before: u64,
    over: bool,
    failed: Option<io::Error>,
}

impl Window {
    pub fn new(reader: Box<dyn Read + Send>) -> Self {
        Self {
            reader,
            bytes: Vec::new(),
            at: 0,
            before: 0,
            over: false,
            failed: None,
        }
    }

    /// The byte of the file that comes next.
    pub fn place(&self) -> u64 {
        self.before + self.at as u64
    }

    /// Why the file could not be read to its end, where that was the system's doing.
    pub fn failed(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    /// Forgets what was passed and reads more. Says no at the end of the file.
    fn fill(&mut self) -> bool {
        if self.over {
            return false;
        }
        self.bytes.drain(..self.at);
        self.before += self.at as u64;
        self.at = 0;
        let more = self.reader.by_ref().take(BLOCK as u64);
        match { more }.read_to_end(&mut self.bytes) {
            Ok(0) => self.over = true,
            Ok(_) => {}
            Err(error) => {
                self.over = true;
                self.failed = Some(error);
            }
        }
        !self.over
    }

    /// The next byte that is no space; nothing at the end of the file.
    pub fn peek(&mut self) -> Option<u8> {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let space = rest.iter().position(|byte| !byte.is_ascii_whitespace());
            self.at += space.unwrap_or(rest.len());
            if space.is_some() {
                return self.bytes.get(self.at).copied();
            }
            if !self.fill() {
                return None;
            }
        }
    }

    /// Passes one byte.
    pub fn step(&mut self) {
        self.at = (self.at + 1).min(self.bytes.len());
    }

    /// Passes a byte that has to come next.
    pub fn pass(&mut self, byte: u8) -> Result<(), Fault> {
        match self.peek() {
            Some(found) if found == byte => {
                self.step();
                Ok(())
            }
            Some(_) => Err(Fault::Bad),
            None => Err(Fault::Cut),
        }
    }

    /// Passes a value and returns it as it stands there.
    pub fn value(&mut self) -> Result<&[u8], Fault> {
        self.peek().ok_or(Fault::Cut)?;
        let mut extent = Extent::default();
        let mut seen = 0;
        loop {
            let rest = self.bytes.get(self.at + seen..).unwrap_or_default();
            if let Some(end) = extent.feed(rest)? {
                let start = self.at;
                self.at += seen + end;
                return Ok(self.bytes.get(start..self.at).unwrap_or_default());
            }
            seen += rest.len();
            if seen >= LONGEST {
                self.at += seen;
                self.pass_over(extent)?;
                return Err(Fault::Long);
            }
            if !self.fill() {
                return Err(Fault::Cut);
            }
        }
    }

    /// The last bytes that were passed, as long as nothing else is read.
    pub fn passed(&self, count: u64) -> &[u8] {
        let start = self.at.saturating_sub(count as usize);
        self.bytes.get(start..self.at).unwrap_or_default()
    }

    /// Passes a value, however long it is.
    pub fn skip(&mut self) -> Result<(), Fault> {
        self.peek().ok_or(Fault::Cut)?;
        self.pass_over(Extent::default())
    }

    /// Passes what is left of a value.
    fn pass_over(&mut self, mut extent: Extent) -> Result<(), Fault> {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            if let Some(end) = extent.feed(rest)? {
                self.at += end;
                return Ok(());
            }
            self.at = self.bytes.len();
            if !self.fill() {
                return Err(Fault::Cut);
            }
        }
    }
}

/// How far a value has been seen. However deep it is, nothing recurses.
#[derive(Debug, Default)]
struct Extent {
    depth: usize,
    /// Within a text.
    text: bool,
    /// Behind a backslash.
    escaped: bool,
    /// Within a number or a word.
    plain: bool,
}

impl Extent {
    /// Where in `bytes` the value ends; nothing where it does not end there.
    fn feed(&mut self, bytes: &[u8]) -> Result<Option<usize>, Fault> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if self.escaped {
                self.escaped = false;
            } else if self.text {
                let Some(found) = bytes.get(at..).and_then(|it| memchr2(b'"', b'\\', it)) else {
                    return Ok(None);
                };
                at += found;
                self.escaped = bytes.get(at) == Some(&b'\\');
                self.text = self.escaped;
                if !self.text && self.depth == 0 {
                    return Ok(Some(at + 1));
                }
            } else if let Some(end) = self.bare(byte)? {
                return Ok(Some(at + end));
            }
            at += 1;
        }
        Ok(None)
    }

    /// Takes a byte outside of texts; answers 0 where the value ended before it, 1 where it ends with it.
    fn bare(&mut self, byte: u8) -> Result<Option<usize>, Fault> {
        match byte {
            b'"' | b'{' | b'[' if self.plain => return Err(Fault::Bad),
            b'"' => self.text = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' | b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' if self.depth == 0 => {
                return if self.plain {
                    Ok(Some(0))
                } else {
                    Err(Fault::Bad)
                };
            }
            b'}' | b']' => {
                self.depth -= 1;
                return Ok((self.depth == 0).then_some(1));
            }
            _ => self.plain = self.depth == 0,
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(text: &'static str) -> Window {
        Window::new(Box::new(text.as_bytes()))
    }

    #[test]
    fn values_end_where_they_end() {
        for text in [
            "{\"a\":[1,\"}\\\"]\"]}",
            "[[[]],{}]",
            "\"a\\\\\"",
            "-1.5e3",
            "\"\"",
        ] {
            let whole = format!("  {text} , 7").leak();
            let mut kept = window(whole);
            assert_eq!(kept.value(), Ok(text.as_bytes()));
            let mut skipped = window(whole);
            assert_eq!(skipped.skip(), Ok(()));
            assert_eq!((kept.peek(), skipped.peek()), (Some(b','), Some(b',')));
        }
    }

    #[test]
    fn what_is_no_value_is_said() {
        assert_eq!(window("{\"a\":1").value(), Err(Fault::Cut));
        assert_eq!(window("\"a\\\"").value(), Err(Fault::Cut));
        assert_eq!(window("]").value(), Err(Fault::Bad));
        assert_eq!(window("1\"a\"").value(), Err(Fault::Bad));
        assert_eq!(window("  ").value(), Err(Fault::Cut));
        let deep = "[".repeat(3_000_000).leak();
        assert_eq!(window(deep).skip(), Err(Fault::Cut));
    }
}

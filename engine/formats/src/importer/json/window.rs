//! A file of JSON of which only the part that is being read lies in memory.

use std::io::{self, Read};

use super::cursor::{ByteCursor, OpenValue, SyntaxFault as CursorFault};

/// How much is read at a time.
const BLOCK: usize = 1 << 18;
/// The longest value that is kept as a whole.
const LONGEST: usize = 64 << 20;

/// Why reading cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowFault {
    /// The file ends within a value.
    Cut,
    /// What stands there is no JSON, or not what belongs there.
    Bad,
    /// A value is longer than any that is read, and was passed.
    Long,
}

impl From<CursorFault> for WindowFault {
    fn from(fault: CursorFault) -> Self {
        match fault {
            CursorFault::Cut => Self::Cut,
            CursorFault::Bad => Self::Bad,
        }
    }
}

/// The part of a file that is being read.
pub struct ReadWindow {
    reader: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    at: usize,
    /// Bytes of the file before those that lie here.
    before: u64,
    over: bool,
    failed: Option<io::Error>,
}

impl ReadWindow {
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

    /// Forgets what was passed and reads more: of a long value so much that few such steps reach its end. Says no at the
    /// end of the file.
    fn fill(&mut self) -> bool {
        if self.over {
            return false;
        }
        self.bytes.drain(..self.at);
        self.before += self.at as u64;
        self.at = 0;
        let held = self.bytes.len();
        let more = held.min(LONGEST.saturating_sub(held)).max(BLOCK);
        let more = self.reader.by_ref().take(more as u64);
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

    /// What comes next, as far as it lies in memory; some of it where there is more.
    pub fn ahead(&mut self) -> &[u8] {
        self.peek();
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Passes one byte.
    pub fn step(&mut self) {
        self.at = (self.at + 1).min(self.bytes.len());
    }

    /// Passes a byte that has to come next.
    pub fn expect_byte(&mut self, byte: u8) -> Result<(), WindowFault> {
        match self.peek() {
            Some(found) if found == byte => {
                self.step();
                Ok(())
            }
            Some(_) => Err(WindowFault::Bad),
            None => Err(WindowFault::Cut),
        }
    }

    /// Passes a value and returns it as it stands there.
    pub fn value(&mut self) -> Result<&[u8], WindowFault> {
        self.peek().ok_or(WindowFault::Cut)?;
        loop {
            let mut cursor = ByteCursor::new(&self.bytes, self.at);
            match cursor.pass_value(&mut OpenValue::default()) {
                Err(CursorFault::Cut) => {}
                passed => {
                    passed?;
                    let start = self.at;
                    self.at = cursor.at();
                    return Ok(self.bytes.get(start..self.at).unwrap_or_default());
                }
            }
            if self.bytes.len() - self.at >= LONGEST {
                self.skip()?;
                return Err(WindowFault::Long);
            }
            if !self.fill() {
                return Err(WindowFault::Cut);
            }
        }
    }

    /// Passes what cannot be read up to the next element of a list of objects, or to the list's end; answers whether there
    /// is one, not too far away.
    pub fn resume(&mut self) -> bool {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let mut closes = memchr::memchr_iter(b'}', rest);
            if let Some(next) = closes.find_map(|close| next_element(rest, close + 1)) {
                self.at += next;
                return true;
            }
            if rest.len() >= LONGEST || !self.fill() {
                return false;
            }
        }
    }

    /// Whether what lies in memory ends as a whole file does: with an object, a list and an object.
    pub fn ends_whole(&self) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let last = rest.iter().rev().filter(|it| !it.is_ascii_whitespace());
        last.take(3).eq(b"}]}")
    }

    /// The last bytes that were passed, as long as nothing else is read.
    pub fn passed(&self, count: u64) -> &[u8] {
        let start = self.at.saturating_sub(count as usize);
        self.bytes.get(start..self.at).unwrap_or_default()
    }

    /// Passes a value, however long it is: of a long one no more is kept than is read at a time.
    pub fn skip(&mut self) -> Result<(), WindowFault> {
        self.peek().ok_or(WindowFault::Cut)?;
        let mut open = OpenValue::default();
        loop {
            let mut cursor = ByteCursor::new(&self.bytes, self.at);
            let passed = cursor.pass_value(&mut open);
            self.at = cursor.at();
            match passed {
                Err(CursorFault::Cut) if self.fill() => {}
                passed => return Ok(passed?),
            }
        }
    }
}

/// Where behind an object that ends before `from` the next one begins, or the list ends.
fn next_element(bytes: &[u8], from: usize) -> Option<usize> {
    let mut tokens = bytes.iter().enumerate().skip(from);
    let mut token = || tokens.find(|(_, byte)| !byte.is_ascii_whitespace());
    match token()? {
        (end, b']') => Some(end),
        (_, b',') => token()
            .filter(|(_, byte)| **byte == b'{')
            .map(|(next, _)| next),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(text: &'static str) -> ReadWindow {
        ReadWindow::new(Box::new(text.as_bytes()))
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
    fn values_longer_than_what_is_read_at_a_time_are_passed() {
        let long = "x\\\\\\\"".repeat(BLOCK / 3);
        let numbers = "1".repeat(3 * BLOCK);
        for text in [
            format!("[\"{long}\",[{numbers}]]"),
            format!("\"{long}\""),
            numbers,
        ] {
            for shift in 0..7 {
                let whole = format!("{}{text},7", " ".repeat(shift)).leak();
                let mut kept = window(whole);
                assert_eq!(kept.value().map(<[u8]>::len), Ok(text.len()));
                let mut skipped = window(whole);
                assert_eq!(skipped.skip(), Ok(()));
                assert_eq!((kept.peek(), skipped.peek()), (Some(b','), Some(b',')));
            }
        }
    }

    #[test]
    fn behind_damage_the_next_element_or_the_end_of_the_list_comes_next() {
        let mut window = window("[{\"a:1, \"b\":{}}, {\"c\":2}] , 7");
        window.step();
        assert_eq!(window.value(), Err(WindowFault::Cut));
        assert!(window.resume());
        assert_eq!(window.value(), Ok(&b"{\"c\":2}"[..]));
        for (text, next) in [
            ("{\"a:1} ]", Some(b']')),
            ("{\"a:1} , 7", None),
            ("{", None),
        ] {
            let mut last = self::window(text);
            assert_eq!(last.resume().then(|| last.peek()).flatten(), next, "{text}");
        }
        for (text, is_whole) in [("{\"r\":[{\"a:1} ] } \n", true), ("{\"r\":[{\"a:1}", false)] {
            let mut cut = self::window(text);
            cut.peek();
            assert_eq!(cut.ends_whole(), is_whole, "{text}");
        }
    }

    #[test]
    fn what_is_no_value_is_said() {
        assert_eq!(window("{\"a\":1").value(), Err(WindowFault::Cut));
        assert_eq!(window("\"a\\\"").value(), Err(WindowFault::Cut));
        assert_eq!(window("]").value(), Err(WindowFault::Bad));
        assert_eq!(window("1\"a\"").value(), Err(WindowFault::Bad));
        assert_eq!(window("  ").value(), Err(WindowFault::Cut));
        let deep = "[".repeat(3_000_000).leak();
        assert_eq!(window(deep).skip(), Err(WindowFault::Cut));
    }
}

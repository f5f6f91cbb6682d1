//! What stands around the list of events: when the clock began, which devices there are, which rank it was.

use std::collections::BTreeMap;
use std::io::{self, Read};

use super::file_header::{self, OwnHead};
use crate::importer::behind;
use crate::importer::chrome::scan::{ByteCursor, SyntaxFault, integer};
use crate::perfetto::json::EVENTS;

/// What stands before the list may be so long.
const LONGEST: usize = 64 << 20;
/// So many devices are known by name, and so many keys that were not read are named. Files have up to a hundred.
pub const MOST_TOLD: usize = 1 << 12;
/// The key of the list of events.
const LIST: &[u8] = b"traceEvents";
/// The same as it is written.
pub(super) const LIST_KEY: &[u8] = b"\"traceEvents\"";

/// What a file says besides its events.
#[derive(Debug, Default)]
pub struct FileFacts {
    /// When its clock began, in nanoseconds since 1970.
    pub base: Option<i64>,
    /// The devices: number and name.
    pub devices: BTreeMap<i64, String>,
    /// The rank, and how many there are.
    pub rank: Option<i64>,
    pub world: Option<i64>,
    /// Other keys that hold lists or objects and were not read, and how many bytes they have.
    pub unread: Vec<(String, usize)>,
    /// How many more such keys there are, and devices.
    pub untold: (u64, u64),
    /// What Syncline says of the file, where it wrote it.
    pub own: Option<OwnHead>,
    /// How many events it has, as Syncline says behind them.
    pub events: Option<u64>,
    /// Whether the file is an object rather than a list.
    pub is_object: bool,
    /// Bytes that are no JSON: where in the file the first lie, and how many there are.
    pub broken: Option<(u64, u64)>,
    /// What follows the end of the trace: where, how many bytes, and whether it looks like another one.
    pub behind: Option<(u64, u64, bool)>,
    /// Whether what Syncline says of the file was read from its first event, since it is damaged where it is said first.
    pub is_mended: bool,
}

/// Keys that say how the file was written: nobody misses them on a timeline.
const ABOUT: &[&[u8]] = &[b"metadata", b"viztracer_metadata", b"file_info"];

/// Whether what follows a trace looks like another one: an object or a list with anything in it, or a key.
fn is_another(rest: &[u8]) -> bool {
    let Some((first, inside)) = rest.split_first() else {
        return false;
    };
    let next = inside.iter().find(|it| !it.is_ascii_whitespace());
    match first {
        b'"' => true,
        // More events follow a bracket that ended the list before they did.
        b',' => next.is_some_and(|it| *it == b'{'),
        b'{' | b'[' => !matches!(next, Some(b'}' | b']')),
        _ => false,
    }
}

/// How far the keys go.
enum KeysEnd {
    /// The list of events begins here.
    List(usize),
    /// There is none.
    Over,
}

/// The beginning of a file.
pub struct FileHead {
    pub top: FileFacts,
    /// What was read and not used, from the list's first event on.
    pub ahead: Vec<u8>,
    /// Where in the file that begins.
    pub at: u64,
}

impl FileHead {
    /// Reads up to the first event; nothing where there is no list of events.
    pub fn read(reader: &mut impl Read) -> io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        let mut want = 64 << 10;
        let found = loop {
            let got = reader.by_ref().take(want).read_to_end(&mut bytes)?;
            let mut top = FileFacts::default();
            let over = got == 0 || bytes.len() >= LONGEST;
            match top.begin(&bytes, over) {
                Ok(KeysEnd::List(at)) => break Some((top, at)),
                Err(SyntaxFault::Cut) if !over => want = bytes.len() as u64,
                _ => break None,
            }
        };
        Ok(file_header::mended(&bytes, found).map(|(top, at)| {
            let ahead = bytes.split_off(at);
            let at = at as u64;
            Self { top, ahead, at }
        }))
    }
}

impl FileFacts {
    /// Reads up to the list of events; `over` says that nothing follows these bytes.
    fn begin(&mut self, bytes: &[u8], over: bool) -> Result<KeysEnd, SyntaxFault> {
        let mark = b"\xEF\xBB\xBF";
        let mut cursor = ByteCursor::new(
            bytes,
            if bytes.starts_with(mark) {
                mark.len()
            } else {
                0
            },
        );
        cursor.space();
        let first = cursor.peek().ok_or(SyntaxFault::Cut)?;
        if first == b'[' {
            let list = cursor.at() + 1;
            cursor.step();
            cursor.space();
            // A bracket before a key was another one.
            if cursor.peek() != Some(b'"') {
                return Ok(KeysEnd::List(list));
            }
        } else if first == b'{' {
            cursor.step();
        }
        self.is_object = true;
        self.all_keys(&mut cursor, 0, over)
    }

    /// Reads the keys that follow the list of events, which ends at byte `at` of a file of `length` bytes; what is damaged there is
    /// passed over.
    pub fn finish(&mut self, bytes: &[u8], at: u64, length: u64) {
        let mut cursor = ByteCursor::new(bytes, 0);
        // The list may be followed by nothing, by a comma and more keys, or by the end of the object.
        if !is_another(bytes)
            && cursor.expect_byte(b',').is_ok()
            && self.all_keys(&mut cursor, at, true).is_err()
        {
            return;
        }
        // Marks of the order of bytes and of records stand before a trace, and are none.
        let passed = b"}],\0\x1E\xEF\xBB\xBF";
        let closes = |byte: &u8| byte.is_ascii_whitespace() || passed.contains(byte);
        let rest = bytes.get(cursor.at()..).unwrap_or_default();
        if let Some(first) = rest.iter().position(|it| !closes(it)) {
            let from = at + (cursor.at() + first) as u64;
            let rest = rest.get(first..).unwrap_or_default();
            let is_other = is_another(rest) || behind::is_capture(rest) == Some(true);
            self.behind = Some((from, length.saturating_sub(from), is_other));
        }
    }

    /// Reads keys, and goes on behind those that are no JSON: `PyTorch` writes what it is given without a look at it.
    fn all_keys(
        &mut self,
        cursor: &mut ByteCursor<'_>,
        at: u64,
        over: bool,
    ) -> Result<KeysEnd, SyntaxFault> {
        let mut broken = None;
        loop {
            let fault = match self.keys(cursor) {
                Err(fault) if fault == SyntaxFault::Bad || broken.is_some() && over => fault,
                other => {
                    self.broken = broken.or(self.broken);
                    return other;
                }
            };
            // A text whose last quote is escaped goes on to the quote that the list's name begins with.
            let mut before = *cursor;
            before.go(cursor.at().saturating_sub(1));
            let list = Some(before.at()).filter(|_| before.skip_literal(LIST_KEY));
            let from = list.unwrap_or(cursor.at());
            let comma = || cursor.find(b",").map(|comma| comma + 1);
            let next = list.or_else(comma).or_else(|| cursor.find(LIST_KEY));
            let (first, bytes) = broken.unwrap_or((at + from as u64, 0));
            let left = next.map_or(cursor.left(), |next| next - from);
            broken = Some((first, bytes + left as u64));
            let Some(next) = next else {
                self.broken = broken;
                return Err(fault);
            };
            cursor.go(next);
        }
    }

    fn keys(&mut self, cursor: &mut ByteCursor<'_>) -> Result<KeysEnd, SyntaxFault> {
        loop {
            cursor.space();
            match cursor.peek() {
                Some(b'}') => return Ok(KeysEnd::Over),
                Some(b',') => {
                    cursor.step();
                    continue;
                }
                Some(b'"') => {}
                Some(_) => return Err(SyntaxFault::Bad),
                None => return Err(SyntaxFault::Cut),
            }
            let key = cursor.text()?.bytes;
            cursor.expect_byte(b':')?;
            cursor.space();
            if key == LIST && cursor.peek() == Some(b'[') {
                return Ok(KeysEnd::List(cursor.at() + 1));
            }
            self.key(key, cursor)?;
        }
    }

    fn key(&mut self, key: &[u8], cursor: &mut ByteCursor<'_>) -> Result<(), SyntaxFault> {
        match (key, cursor.peek()) {
            (b"baseTimeNanoseconds", Some(b'"')) => self.base = integer(cursor.text()?.bytes),
            (b"baseTimeNanoseconds", Some(b'-' | b'0'..=b'9')) => {
                self.base = integer(cursor.plain()?);
            }
            (b"deviceProperties", Some(b'[')) => self.list_devices(cursor.nested()?),
            (b"distributedInfo", Some(b'{')) => {
                let mut members = ByteCursor::new(cursor.nested()?, 1);
                while let Some((key, value)) = members.part(true) {
                    match key {
                        b"rank" => self.rank = integer(value),
                        b"world_size" => self.world = integer(value),
                        _ => {}
                    }
                }
            }
            (b"otherData", Some(b'{')) => {
                self.own = OwnHead::of(cursor.nested()?);
            }
            (key, Some(b'[')) if key == EVENTS.as_bytes() => {
                let said = serde_json::from_slice::<[u64; 2]>(cursor.nested()?);
                self.events = said
                    .ok()
                    .filter(|[one, other]| one == other)
                    .map(|[one, _]| one);
            }
            (_, Some(b'[' | b'{')) => {
                let length = cursor.nested()?.len();
                if length > 2 && !ABOUT.contains(&key) {
                    self.pass(key, length);
                }
            }
            (_, Some(b'"')) => cursor.skip()?,
            _ => {
                let before = *cursor;
                if !is_value(cursor.plain()?) {
                    *cursor = before;
                    return Err(SyntaxFault::Bad);
                }
            }
        }
        Ok(())
    }

    /// Notes a key that is not read.
    fn pass(&mut self, key: &[u8], length: usize) {
        if self.unread.len() == MOST_TOLD {
            self.untold.0 += 1;
            return;
        }
        let key = String::from_utf8_lossy(key).into_owned();
        self.unread.push((key, length));
    }

    fn list_devices(&mut self, bytes: &[u8]) {
        let mut devices = ByteCursor::new(bytes, 1);
        while let Some((_, device)) = devices.part(false) {
            let (mut id, mut name) = (None, None);
            let mut members = ByteCursor::new(device, 1);
            while let Some((key, value)) = members.part(true) {
                match key {
                    b"id" => id = integer(value),
                    b"name" => name = serde_json::from_slice(value).ok(),
                    _ => {}
                }
            }
            let (Some(id), Some(name)) = (id, name) else {
                continue;
            };
            if self.devices.len() < MOST_TOLD {
                self.devices.entry(id).or_insert(name);
            } else {
                self.untold.1 += 1;
            }
        }
    }
}

/// Whether a value without quotes is one: a number, or a word of JSON or of those that writers take for numbers.
fn is_value(bytes: &[u8]) -> bool {
    let word = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let is_word = [&b"true"[..], b"false", b"null", b"NaN", b"Infinity"].contains(&word);
    is_word || word.first().is_some_and(u8::is_ascii_digit)
}

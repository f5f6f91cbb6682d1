//! What stands around the list of events: when the clock began, which devices there are, which rank it was.

use std::io::{self, Read};

use serde_json::Value;

use crate::importer::chrome::scan::{Cursor, Fault, integer};

/// What stands before the list may be so long.
const LONGEST: usize = 64 << 20;
/// The key of the list of events.
const LIST: &[u8] = b"traceEvents";

/// What a file says besides its events.
#[derive(Debug, Default)]
pub struct Top {
    /// When its clock began, in nanoseconds since 1970.
    pub base: Option<i64>,
    /// The devices: number and name.
    pub devices: Vec<(i64, String)>,
    /// The rank, and how many there are.
    pub rank: Option<i64>,
    pub world: Option<i64>,
    /// Other keys that hold lists or objects and were not read, and how many bytes they have.
    pub unread: Vec<(String, usize)>,
    /// Whether the file is an object rather than a list.
    pub is_object: bool,
}

/// How far the keys go.
enum Place {
    /// The list of events begins here.
    List(usize),
    /// There is none.
    Over,
}

/// The beginning of a file.
pub struct Head {
    pub top: Top,
    /// What was read and not used, from the list's first event on.
    pub ahead: Vec<u8>,
    /// Where in the file that begins.
    pub at: u64,
}

impl Head {
    /// Reads up to the first event; nothing where there is no list of events.
    pub fn read(reader: &mut impl Read) -> io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        let mut want = 64 << 10;
        loop {
            let got = reader.by_ref().take(want).read_to_end(&mut bytes)?;
            let mut top = Top::default();
            match top.begin(&bytes) {
                Ok(Place::List(at)) => {
                    let ahead = bytes.split_off(at);
                    let at = at as u64;
                    return Ok(Some(Self { top, ahead, at }));
                }
                Err(Fault::Cut) if got > 0 && bytes.len() < LONGEST => want = bytes.len() as u64,
                _ => return Ok(None),
            }
        }
    }
}

impl Top {
    fn begin(&mut self, bytes: &[u8]) -> Result<Place, Fault> {
        let mark = b"\xEF\xBB\xBF";
        let mut cursor = Cursor::new(
            bytes,
            if bytes.starts_with(mark) {
                mark.len()
            } else {
                0
            },
        );
        cursor.space();
        match cursor.peek() {
            Some(b'[') => Ok(Place::List(cursor.at() + 1)),
            Some(b'{') => {
                cursor.step();
                self.is_object = true;
                self.keys(&mut cursor)
            }
            Some(_) => Err(Fault::Bad),
            None => Err(Fault::Cut),
        }
    }

    /// Reads the keys that follow the list of events; what is damaged there is passed over.
    pub fn finish(&mut self, bytes: &[u8]) {
        let mut cursor = Cursor::new(bytes, 0);
        // The list may be followed by nothing, by a comma and more keys, or by the end of the object.
        if cursor.demand(b',').is_ok() {
            let _: Result<Place, Fault> = self.keys(&mut cursor);
        }
    }

    fn keys(&mut self, cursor: &mut Cursor<'_>) -> Result<Place, Fault> {
        loop {
            cursor.space();
            match cursor.peek() {
                Some(b'}') => return Ok(Place::Over),
                Some(b',') => {
                    cursor.step();
                    continue;
                }
                Some(b'"') => {}
                Some(_) => return Err(Fault::Bad),
                None => return Err(Fault::Cut),
            }
            let key = cursor.text()?.bytes;
            cursor.demand(b':')?;
            cursor.space();
            if key == LIST && cursor.peek() == Some(b'[') {
                return Ok(Place::List(cursor.at() + 1));
            }
            self.key(key, cursor)?;
        }
    }

    fn key(&mut self, key: &[u8], cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        match (key, cursor.peek()) {
            (b"baseTimeNanoseconds", Some(b'"')) => self.base = integer(cursor.text()?.bytes),
            (b"baseTimeNanoseconds", Some(b'-' | b'0'..=b'9')) => {
                self.base = integer(cursor.plain()?);
            }
            (b"deviceProperties", Some(b'[')) => self.devices(cursor.nested()?),
            (b"distributedInfo", Some(b'{')) => {
                if let Ok(value) = serde_json::from_slice::<Value>(cursor.nested()?) {
                    let number = |key: &str| value.get(key).and_then(Value::as_i64);
                    (self.rank, self.world) = (number("rank"), number("world_size"));
                }
            }
            (_, Some(b'[' | b'{')) => {
                let length = cursor.nested()?.len();
                if length > 2 {
                    let key = String::from_utf8_lossy(key).into_owned();
                    self.unread.push((key, length));
                }
            }
            _ => cursor.skip()?,
        }
        Ok(())
    }

    fn devices(&mut self, bytes: &[u8]) {
        let Ok(Value::Array(devices)) = serde_json::from_slice(bytes) else {
            return;
        };
        for device in devices {
            let id = device.get("id").and_then(Value::as_i64);
            let name = device.get("name").and_then(Value::as_str);
            if let (Some(id), Some(name)) = (id, name) {
                self.devices.push((id, name.to_owned()));
            }
        }
    }
}

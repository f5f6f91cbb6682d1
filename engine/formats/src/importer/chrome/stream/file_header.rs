//! What Syncline says of a file that it wrote: at its beginning, and once more in the first event, so that damage to one of
//! them costs nothing.

use memchr::memmem;
use serde_json::Value;

use super::top::FileFacts;
use crate::importer::chrome::scan::ByteCursor;
use crate::perfetto::json::{HEADER_START, WRITER, check};

/// What stands before the first event may be so long.
const LONGEST: usize = 1 << 20;
/// Parts of what stands before the first event. Damage to one of them leaves the others.
const SIGNS: [&[u8]; 3] = [
    b"\"displayTimeUnit\":\"ns\"",
    b"\"writer\":\"Syncline\"",
    b"\"traceEvents\":[",
];

/// What every event says.
const EVENT_KEY: &[u8] = b"\"ph\":";

/// What Syncline says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnHead {
    /// The version of what it wrote.
    pub format: u64,
    /// How much later the file's times are than those of the capture, in nanoseconds.
    pub zero: i64,
    /// Whether these numbers agree with their check; files of before had none.
    is_sure: bool,
}

impl OwnHead {
    /// Reads it; nothing where another program wrote the file.
    pub fn of(about: &Value) -> Option<Self> {
        let is_ours = about.get("writer").and_then(Value::as_str) == Some(WRITER);
        let number = |key: &str| about.get(key).and_then(Value::as_u64);
        let zero = about.get("zero_ns").and_then(Value::as_i64).unwrap_or(0);
        let format = number("format").filter(|_| is_ours)?;
        let is_sure = number("check") == Some(u64::from(check(format, zero)));
        Some(Self {
            format,
            zero,
            is_sure,
        })
    }
}

/// Where the event that says it once more begins in a file whose beginning is still known for Syncline's.
fn again(bytes: &[u8]) -> Option<usize> {
    let place = memmem::find(bytes, HEADER_START.as_bytes())?;
    // Where events stand before it, it is that of another file behind them.
    let before = bytes.get(..place)?;
    if memmem::find(before, EVENT_KEY).is_some() {
        return None;
    }
    let signs = SIGNS.iter();
    let count = signs.filter(|sign| memmem::find(before, sign).is_some());
    (count.count() + 1 >= SIGNS.len()).then_some(place)
}

/// Whether a file that begins so is one of Syncline's, whatever happened to its beginning.
pub fn is_ours(head: &[u8]) -> bool {
    again(head).is_some()
}

/// What stands around the events of a file, and where those begin. Where Syncline wrote the file and what it says of it is
/// damaged, that is read from the first event.
pub fn mended(bytes: &[u8], found: Option<(FileFacts, usize)>) -> Option<(FileFacts, usize)> {
    let is_sure = |(top, _): &(FileFacts, usize)| top.own.is_some_and(|own| own.is_sure);
    if found.as_ref().is_some_and(is_sure) {
        return found;
    }
    let bytes = bytes.get(..LONGEST).unwrap_or(bytes);
    let Some((place, own)) = again(bytes).and_then(|place| Some((place, told(bytes, place)?)))
    else {
        return found;
    };
    let mut top = found.map(|(top, _)| top).unwrap_or_default();
    top.own = Some(own);
    top.is_object = true;
    top.is_mended = true;
    Some((top, place))
}

/// What the event at a place says, where it agrees with its check.
fn told(bytes: &[u8], place: usize) -> Option<OwnHead> {
    let event = ByteCursor::new(bytes, place).nested().ok()?;
    let event: Value = serde_json::from_slice(event).ok()?;
    OwnHead::of(event.get("args")?).filter(|own| own.is_sure)
}

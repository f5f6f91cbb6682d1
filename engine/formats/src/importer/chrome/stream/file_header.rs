//! What Syncline says of a file that it wrote: at its beginning, and once more in the first event, so that damage to one of
//! them costs nothing.

use super::top::FileFacts;
use crate::importer::chrome::scan::{ByteCursor, integer};
use crate::perfetto::json::{HEADER_START, WRITER, check};
use memchr::memmem;

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
    /// Reads it from an object; nothing where another program wrote the file.
    pub fn of(about: &[u8]) -> Option<Self> {
        let (mut format, mut zero, mut said, mut is_ours) = (None, 0, None, false);
        let mut cursor = ByteCursor::new(about, 1);
        while let Some((key, value)) = cursor.part(true) {
            match key {
                b"writer" => is_ours = value == [b"\"", WRITER.as_bytes(), b"\""].concat(),
                b"format" => format = integer(value).and_then(|it| u64::try_from(it).ok()),
                b"zero_ns" => zero = integer(value).unwrap_or(0),
                b"check" => said = integer(value),
                _ => {}
            }
        }
        let format = format.filter(|_| is_ours)?;
        let is_sure = said == Some(i64::from(check(format, zero)));
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
    let mut members = ByteCursor::new(event, 1);
    let mut parts = std::iter::from_fn(|| members.part(true));
    let (_, arguments) = parts.find(|(key, _)| *key == b"args")?;
    OwnHead::of(arguments).filter(|own| own.is_sure)
}

//! What Syncline writes into Chrome's trace JSON besides what every viewer reads: enough to give the capture back.
//!
//! `otherData` says who wrote the file and in which version of this, and so does the first event, [`HEADER`]: where one of
//! them is damaged there is the other. What has no place on a timeline is metadata of the name
//! [`RECORD`], with a record as its argument. Spans, flows and samples are the format's own events; what the format has no
//! field for are arguments that begin with [`OWN`].

use std::borrow::Cow;

/// The version of what is written here; a file of a later one is refused.
pub const FORMAT: u64 = 1;
/// What `otherData` says of the writer.
pub const WRITER: &str = "Syncline";
/// The name of metadata that says once more what `otherData` says.
pub const HEADER: &str = "syncline_header";
/// How that event begins.
pub const HEADER_START: &str = "{\"ph\":\"M\",\"name\":\"syncline_header\"";
/// The end of a line and how the next event begins in it.
pub const EVENT_LINE: &[u8] = b"\n{\"ph\":\"";
/// The key behind the list that says, twice, how many events it has.
pub const EVENTS: &str = "syncline_events";
/// The name of metadata that holds a record.
pub const RECORD: &str = "syncline_record";
/// How arguments of our own begin. Viewers show what stands before a point as a group.
pub const OWN: &str = "syncline.";
/// What no other numbers of a header have but these: a damaged one is told by it.
pub fn check(format: u64, zero: i64) -> u32 {
    let bytes = format.to_le_bytes().into_iter().chain(zero.to_le_bytes());
    bytes.fold(0x811C_9DC5, |sum: u32, byte| {
        (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Rows that a lane may be divided into where its spans overlap without nesting: a thread is so many times the lane's number,
/// counted from 1, and its row.
pub const ROWS: i64 = 1000;

/// The arguments of our own.
pub mod key {
    /// A span's id.
    pub const ID: &str = "syncline.id";
    /// The number of a span's name, where another of the same text comes first or none says the text.
    pub const NAME: &str = "syncline.name";
    /// The call that made a span.
    pub const CALL: &str = "syncline.call";
    /// The kind of a span, where its category is a word of other tools.
    pub const KIND: &str = "syncline.kind";
    /// How a span ended, where it is not done.
    pub const STATE: &str = "syncline.state";
    /// How long a span was enqueued before it started, in nanoseconds.
    pub const QUEUED: &str = "syncline.queued_ns";
    /// How long a span is, in nanoseconds, where that is less than nothing.
    pub const LENGTH: &str = "syncline.length_ns";
    /// When a span starts, in nanoseconds, where that is too far from the file's first time to be written.
    pub const START: &str = "syncline.start_ns";
    /// How the capture mended a span: words for people.
    pub const REPAIR: &str = "syncline.repair";
    /// The span that had to end first.
    pub const CAUSE: &str = "syncline.cause";
    /// The span that was held back.
    pub const EFFECT: &str = "syncline.effect";
    /// The id of the event that carried a dependency.
    pub const EVENT: &str = "syncline.event";
    /// The name of that event, for people.
    pub const EVENT_NAME: &str = "syncline.event_name";
    /// The generation of that event.
    pub const GENERATION: &str = "syncline.generation";
    /// How a dependency is known.
    pub const BASIS: &str = "syncline.basis";
    /// A record, as in [`super::RECORD`].
    pub const RECORD: &str = "record";
    /// The real numbers of that record, as a text with a space between two.
    pub const NUMBERS: &str = "numbers";
}

/// The key of an argument. An object has each key once, so that the second argument of a name is `name#2`; a real number that
/// JSON does not know, which is written as a text, is `name#1r`.
pub fn escape(name: &str, nth: usize, is_real: bool) -> Cow<'_, str> {
    let is_plain =
        nth == 1 && !is_real && !name.starts_with(OWN) && unescape(name) == (name, false);
    if is_plain {
        return Cow::Borrowed(name);
    }
    Cow::Owned(format!("{name}#{nth}{}", if is_real { "r" } else { "" }))
}

/// The name of an argument by its key, and whether its value is a real number written as a text.
pub fn unescape(key: &str) -> (&str, bool) {
    let plain = (key, false);
    let Some((name, suffix)) = key.rsplit_once('#') else {
        return plain;
    };
    let digits = suffix.strip_suffix('r');
    let number = digits.unwrap_or(suffix);
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        (name, digits.is_some())
    } else {
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        for name in [
            "n",
            "n#2",
            "n#1r",
            "#",
            "n#",
            "n#x",
            "#7",
            "",
            "syncline.id",
            "n#2#3",
        ] {
            for (nth, is_real) in [(1, false), (2, false), (1, true), (12, true)] {
                let key = escape(name, nth, is_real);
                assert_eq!(unescape(&key), (name, is_real), "{key}");
            }
        }
        assert_eq!(escape("n", 1, false), "n");
    }
}

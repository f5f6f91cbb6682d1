//! What Syncline writes into Perfetto's messages: times, track numbers and the names of its annotations.

use record::time::Nanos;
use record::{CounterId, LaneId, NameId};

/// The version of what is written here; a file of a later one is refused.
pub const FORMAT: u64 = 1;
/// What the first event of a file is called.
pub const TITLE: &str = "Syncline capture";
/// The only sequence that is written.
pub const SEQUENCE: u32 = 0x5359_4E43;
/// The timestamp of capture time zero, in nanoseconds: early enough in 64 bits, and far enough from 0 that
/// instants before the start remain (11.6 days).
pub const EPOCH: i64 = 1_000_000_000_000_000;

/// The timestamp at which Perfetto draws `time`; [`time_of`] gives `time` back where [`is_exact`].
pub fn timestamp_of(time: Nanos) -> u64 {
    time.0.saturating_add(EPOCH).max(0).cast_unsigned()
}

/// The capture time of a timestamp.
pub fn time_of(timestamp: u64) -> Nanos {
    Nanos(i64::try_from(timestamp).unwrap_or(i64::MAX) - EPOCH)
}

/// Whether the timestamp of `time` says all there is; where not, it travels as an annotation besides.
pub fn is_exact(time: Nanos) -> bool {
    time_of(timestamp_of(time)) == time
}

/// Annotations by their interned name.
macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident = $iid:literal $label:literal,)*) => {
        /// The interned names of Syncline's own annotations.
        pub mod key {
            $($(#[$doc])* pub const $name: u64 = $iid;)*
        }
        /// Each interned name of an annotation and its text.
        pub const KEYS: &[(u64, &str)] = &[$(($iid, $label),)*];
    };
}

keys! {
    /// A span's id.
    ID = 1 "syncline_id",
    /// The call that made a span.
    CALL = 2 "syncline_call",
    /// How a span ended, where it is not [`record::State::Done`].
    STATE = 3 "syncline_state",
    /// How long a span was enqueued before it started, in nanoseconds.
    QUEUED = 4 "syncline_queued_ns",
    /// A time that the timestamp cannot say, in nanoseconds of capture time.
    EXACT = 5 "syncline_exact_ns",
    /// The id of a name that was not known yet.
    NAME = 6 "syncline_name_id",
    /// A record in JSON.
    RECORD = 7 "record",
    /// The real numbers of the record in JSON, bit by bit.
    NUMBERS = 8 "numbers",
    /// The span that had to end first.
    CAUSE = 9 "cause",
    /// The span that was held back.
    EFFECT = 10 "effect",
    /// How a dependency is known.
    BASIS = 11 "basis",
    /// The event that carried a dependency.
    EVENT = 12 "event",
    /// The generation of that event.
    GENERATION = 13 "generation",
    /// The span that a late argument belongs to.
    SPAN = 14 "syncline_span",
    /// The version of the format, on the first event of a file.
    FORMAT = 15 "format",
    /// That the file has an end once it is whole, on the first event of a file.
    END = 16 "end",
}

/// The interned names whose text, the same for both, is that of the end of a file.
pub const END_IIDS: [u64; 2] = [17, 18];

/// The text of the end of a file that has so many packets before it.
pub fn end_text(packets: u64) -> String {
    format!("{END_START}{packets}")
}

/// How many packets stand before the end of a file, by its text.
pub fn packets_before_end(text: &str) -> Option<u64> {
    text.strip_prefix(END_START)?.parse().ok()
}

const END_START: &str = "packets before the end of the capture: ";

/// Arguments of spans are annotations whose interned name is this plus the [`NameId`].
pub const ARGUMENTS: u64 = 1 << 10;

/// The labels of dependency kinds are event names whose interned name is this plus the kind's number: beyond
/// those of every [`NameId`].
pub const DEPENDENCY_KINDS: u64 = 1 << 33;

/// The interned name of an event for a [`NameId`]; 0 means none in Perfetto.
pub fn name_iid(name: NameId) -> u64 {
    u64::from(name.0) + 1
}

/// The [`NameId`] of an interned name.
pub fn name_of(iid: u64) -> Option<NameId> {
    iid.checked_sub(1)
        .and_then(|id| u32::try_from(id).ok())
        .map(NameId)
}

/// A track that Syncline writes. Its number says what it is, so that files need no table of tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Track {
    /// The process under which what Perfetto has no place for is listed.
    Syncline,
    /// Records that Perfetto has no place for.
    Records,
    /// Dependencies.
    Dependencies,
    /// Problems and losses.
    Problems,
    /// The process of the lanes of no device.
    Hosts,
    /// The process of a device.
    Device(u32),
    /// A lane, or one of the rows below it for spans that overlap without nesting.
    Lane(LaneId, u16),
    /// A counter.
    Counter(CounterId),
}

impl Track {
    /// Its number in the file.
    pub fn uuid(self) -> u64 {
        match self {
            Self::Syncline => 1 << 56 | 1,
            Self::Records => 1 << 56 | 2,
            Self::Dependencies => 1 << 56 | 3,
            Self::Problems => 1 << 56 | 4,
            Self::Hosts => 2 << 56,
            Self::Device(id) => 3 << 56 | u64::from(id),
            Self::Lane(id, row) => 4 << 56 | u64::from(id.0) << 16 | u64::from(row),
            Self::Counter(id) => 5 << 56 | u64::from(id.0),
        }
    }

    /// The track of a number.
    pub fn from_uuid(uuid: u64) -> Option<Self> {
        let low = uuid & ((1 << 56) - 1);
        let id = u32::try_from(low).ok();
        match (uuid >> 56, low) {
            (1, 1) => Some(Self::Syncline),
            (1, 2) => Some(Self::Records),
            (1, 3) => Some(Self::Dependencies),
            (1, 4) => Some(Self::Problems),
            (2, 0) => Some(Self::Hosts),
            (3, _) => id.map(Self::Device),
            (4, _) => u32::try_from(low >> 16)
                .ok()
                .map(|lane| Self::Lane(LaneId(lane), (low & 0xFFFF) as u16)),
            (5, _) => id.map(|id| Self::Counter(CounterId(id))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_are_their_numbers() {
        for track in [
            Track::Syncline,
            Track::Records,
            Track::Dependencies,
            Track::Problems,
            Track::Hosts,
            Track::Device(u32::MAX),
            Track::Lane(LaneId(u32::MAX), u16::MAX),
            Track::Lane(LaneId(0), 1),
            Track::Counter(CounterId(7)),
        ] {
            assert_eq!(Track::from_uuid(track.uuid()), Some(track));
        }
        assert_eq!(Track::from_uuid(0), None);
    }

    #[test]
    fn only_far_times_need_more_than_a_timestamp() {
        for time in [0, -1, -EPOCH, i64::MAX - EPOCH, 123_456_789] {
            assert!(is_exact(Nanos(time)), "{time}");
            assert_eq!(time_of(timestamp_of(Nanos(time))), Nanos(time));
        }
        for time in [i64::MIN, -EPOCH - 1, i64::MAX, i64::MAX - EPOCH + 1] {
            assert!(!is_exact(Nanos(time)), "{time}");
        }
    }
}

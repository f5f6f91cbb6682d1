//! What a stream or a host thread does of its time, as a list: names, explanations, and which sum of [`IdleTime`] each is.

use super::idle::IdleTime;
use record::time::Nanos;

/// What a stream does of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdleUse {
    /// An operation ran.
    Busy,
    /// It was empty, and the next operation had not been submitted.
    HostLate,
    /// The same, while the thread that submitted it was blocked.
    HostBlocked,
    /// The next operation waited for another stream.
    Dependency,
    /// The next operation was free to start.
    Latency,
    /// The capture does not tell what held the next operation.
    Unknown,
    /// It had nothing more to do.
    After,
    /// Of the busy time: collective operations that waited for other ranks.
    OtherRanks,
}

impl IdleUse {
    /// Every use, in the order of columns.
    pub const ALL: [Self; 8] = [
        Self::Busy,
        Self::HostLate,
        Self::HostBlocked,
        Self::Dependency,
        Self::Latency,
        Self::Unknown,
        Self::After,
        Self::OtherRanks,
    ];

    /// Its name on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::HostLate => "host late",
            Self::HostBlocked => "host blocked",
            Self::Dependency => "dependency",
            Self::Latency => "latency",
            Self::Unknown => "unknown",
            Self::After => "after",
            Self::OtherRanks => "other ranks",
        }
    }

    /// Its name on screen where it is a host thread's, which has no queue; nothing for what threads have none of.
    pub const fn thread_label(self) -> Option<&'static str> {
        match self {
            Self::Busy => Some("in calls"),
            Self::HostLate => Some("in no call"),
            Self::Dependency => Some("blocked"),
            Self::Latency => Some("return"),
            Self::Unknown => Some("unknown"),
            Self::After => Some("after"),
            Self::HostBlocked | Self::OtherRanks => None,
        }
    }

    /// What it means of a host thread, in a sentence.
    pub const fn thread_help(self) -> &'static str {
        match self {
            Self::Busy => "The thread was in a call that did not block it",
            Self::HostLate => "The thread was in no call that the capture shows",
            Self::Dependency => "A blocking call waited for what was not complete yet",
            Self::Latency => "What a blocking call took to return once that was complete",
            Self::Unknown => "The capture does not tell what a blocking call waited for",
            Self::After => "The thread made no more calls",
            Self::HostBlocked | Self::OtherRanks => "",
        }
    }

    /// What it means, in a sentence.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Busy => "An operation ran",
            Self::HostLate => "The stream was empty, and the next operation had not been submitted",
            Self::HostBlocked => {
                "The stream was empty, and the thread that submitted the next operation was in a blocking call"
            }
            Self::Dependency => "The next operation was submitted and waited for another stream",
            Self::Latency => "The next operation was free to start: what a start takes",
            Self::Unknown => "The capture does not tell what held the next operation",
            Self::After => "The stream had nothing more to do",
            Self::OtherRanks => {
                "Of the busy time: collective operations that had begun and waited for ranks that came later"
            }
        }
    }

    /// Whether a stream stood idle meanwhile although it had more to do.
    pub const fn is_idle(self) -> bool {
        !matches!(self, Self::Busy | Self::After | Self::OtherRanks)
    }

    /// Its sum.
    pub const fn of(self, time: &IdleTime) -> Nanos {
        match self {
            Self::Busy => time.busy,
            Self::HostLate => time.host,
            Self::HostBlocked => time.host_sync,
            Self::Dependency => time.dependency,
            Self::Latency => time.latency,
            Self::Unknown => time.unknown,
            Self::After => time.after,
            Self::OtherRanks => time.rank_wait,
        }
    }

    /// Its sum, to add to.
    pub(super) const fn slot(self, time: &mut IdleTime) -> &mut Nanos {
        match self {
            Self::Busy => &mut time.busy,
            Self::HostLate => &mut time.host,
            Self::HostBlocked => &mut time.host_sync,
            Self::Dependency => &mut time.dependency,
            Self::Latency => &mut time.latency,
            Self::Unknown => &mut time.unknown,
            Self::After => &mut time.after,
            Self::OtherRanks => &mut time.rank_wait,
        }
    }
}

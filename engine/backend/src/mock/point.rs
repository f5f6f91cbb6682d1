//! A point of virtual time that streams wait for: a record of an event, the end of a callback's function, or a position
//! of another stream.

use device::RecordProgress;
use record::time::Nanos;

/// How far such a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointState {
    /// It is still to come.
    Pending,
    /// It was reached at this time.
    Reached(Nanos),
    /// It will never be reached, since this time: what waits for it is released then, and not before.
    Failed(Nanos),
}

impl PointState {
    /// When it was decided; none while it is not.
    pub const fn decided_at(self) -> Option<Nanos> {
        match self {
            Self::Pending => None,
            Self::Reached(time) | Self::Failed(time) => Some(time),
        }
    }

    /// Whether it will never be reached.
    pub const fn is_failed(self) -> bool {
        matches!(self, Self::Failed(_))
    }

    /// The same, as a query of an event is answered.
    pub const fn progress(self) -> RecordProgress {
        match self {
            Self::Pending => RecordProgress::Pending,
            Self::Reached(time) => RecordProgress::Reached(time),
            Self::Failed(_) => RecordProgress::Failed,
        }
    }
}

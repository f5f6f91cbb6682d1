//! GPU synchronisation points, and what was done to them.

use serde::{Deserialize, Serialize};

use super::{EventChange, EventId, NameId, SpanId};

/// A GPU synchronisation point, which is recorded on one stream and waited for on others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its place in the table of events.
    pub id: EventId,
    /// Its name, such as `ready[1]`.
    pub name: NameId,
    /// Whether a record of it keeps a time that elapsed time can be taken from.
    pub timing: bool,
    /// What else it was made with, in words such as `waits, slot at each record`; [`NameId::NONE`] where nothing is told.
    #[serde(default)]
    pub options: NameId,
}

/// An event was recorded, reset or destroyed. Whether a record was reached its span tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EventStep {
    /// The event.
    pub event: EventId,
    /// The record that it makes, or that it is the latest at; counted from 1 for each event.
    pub generation: u32,
    /// What was done.
    pub change: EventChange,
    /// The operation that did it, or the call where there is none.
    pub span: SpanId,
}

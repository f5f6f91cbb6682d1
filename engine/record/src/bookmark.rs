//! Places in a capture that somebody marked.

use serde::{Deserialize, Serialize};

use crate::SpanId;
use crate::time::Interval;

/// A place in a capture that somebody marked, and what they noted there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bookmark {
    /// The marked stretch of time, in capture time; both ends are the same for an instant. Of a span it is the span's own
    /// when it was marked.
    pub at: Interval,
    /// The marked span, or [`SpanId::NONE`].
    pub span: SpanId,
    /// What was noted, as it was typed; may be empty.
    pub text: String,
}

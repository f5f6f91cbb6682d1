//! What the driver, and whoever measures it, took for itself.

use record::SpanKind;
use record::time::Interval;

/// Time that the driver, or whoever measures it, took for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overhead {
    /// What it did, in words for the screen.
    pub what: &'static str,
    /// The kind of its span.
    pub kind: SpanKind,
    /// When, in capture time.
    pub ran: Interval,
}

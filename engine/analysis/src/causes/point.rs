//! Points: the start and the end of a span, between which causes lead.

use record::SpanId;

/// The start or the end of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpanPoint(u32);

/// Spans whose number is higher than this have no points; no capture holds so many.
pub(super) const MOST_SPANS: u32 = (1 << 31) - 2;

impl SpanPoint {
    /// Stands for no point.
    pub(super) const NONE: Self = Self(u32::MAX);

    /// The start of a span.
    pub const fn start(span: SpanId) -> Self {
        Self(span.0 << 1)
    }

    /// The end of a span.
    pub const fn end(span: SpanId) -> Self {
        Self((span.0 << 1) | 1)
    }

    /// The point with this number.
    pub(super) const fn from_number(number: u32) -> Self {
        Self(number)
    }

    /// Its number: twice the span's, and one more for an end.
    pub(super) const fn number(self) -> u32 {
        self.0
    }

    /// Its place in a table of points.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// The span.
    pub const fn span(self) -> SpanId {
        SpanId(self.0 >> 1)
    }

    /// Whether it is the end of the span.
    pub const fn is_end(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether it stands for a point.
    pub(super) const fn is_some(self) -> bool {
        self.0 != u32::MAX
    }
}

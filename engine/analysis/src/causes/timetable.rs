//! When each span began and ended and on which lane: asked of the capture, or kept in columns while much is asked.

use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos};
use record::{LaneId, STUB_BEGAN, STUB_ENDED, SpanId, Value};

use super::point::SpanPoint;

/// Knows when spans began and ended, and where they ran.
pub(super) trait SpanTimes {
    /// From when to when a span ran; empty at zero where there is no such span.
    fn interval(&self, span: SpanId) -> Interval;

    /// The lane of a span.
    fn lane_of(&self, span: SpanId) -> LaneId;

    /// When a point is.
    fn time(&self, point: SpanPoint) -> Nanos {
        let interval = self.interval(point.span());
        if point.is_end() {
            interval.end
        } else {
            interval.start
        }
    }
}

impl SpanTimes for Capture {
    fn interval(&self, span: SpanId) -> Interval {
        let placed = self.span(span);
        placed.map(|it| interval_of(self, &it)).unwrap_or_default()
    }

    fn lane_of(&self, span: SpanId) -> LaneId {
        self.span(span).map_or(LaneId::NONE, |it| it.span.lane)
    }
}

/// When a span ran. A stub is an instant, and says when the span ran that it stands for.
pub(super) fn interval_of(capture: &Capture, placed: &PlacedSpan) -> Interval {
    let told = |field: &str| {
        let mut fields = capture.arguments(placed.span.id);
        let value = fields.find(|it| it.0 == field)?.1;
        match value {
            Value::Integer(at) => Some(Nanos(at)),
            _ => None,
        }
    };
    let own = placed.interval();
    if !placed.is_stub() {
        return own;
    }
    match (told(STUB_BEGAN), told(STUB_ENDED)) {
        (Some(start), Some(end)) if start <= end => Interval { start, end },
        _ => own,
    }
}

/// The same in columns, by number.
#[derive(Debug, Default)]
pub(super) struct Timetable {
    starts: Vec<i64>,
    ends: Vec<i64>,
    lanes: Vec<u32>,
}

impl Timetable {
    /// An empty one that takes so many spans without growing.
    pub fn with_room(spans: usize) -> Self {
        Self {
            starts: Vec::with_capacity(spans),
            ends: Vec::with_capacity(spans),
            lanes: Vec::with_capacity(spans),
        }
    }

    /// Adds the next span; nothing where no span has its number.
    pub fn push(&mut self, span: Option<(Interval, LaneId)>) {
        let (interval, lane) = span.unwrap_or((Interval::default(), LaneId::NONE));
        self.starts.push(interval.start.0);
        self.ends.push(interval.end.0);
        self.lanes.push(lane.0);
    }

    /// How many numbers of spans there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        (self.starts.capacity() + self.ends.capacity()) * 8 + self.lanes.capacity() * 4
    }

    /// When a span began.
    pub fn start(&self, span: u32) -> i64 {
        self.starts.get(span as usize).copied().unwrap_or_default()
    }

    /// When a span ended.
    pub fn end(&self, span: u32) -> i64 {
        self.ends.get(span as usize).copied().unwrap_or_default()
    }
}

impl SpanTimes for Timetable {
    fn interval(&self, span: SpanId) -> Interval {
        Interval {
            start: Nanos(self.start(span.0)),
            end: Nanos(self.end(span.0)),
        }
    }

    fn lane_of(&self, span: SpanId) -> LaneId {
        self.lanes
            .get(span.index())
            .map_or(LaneId::NONE, |lane| LaneId(*lane))
    }

    fn time(&self, point: SpanPoint) -> Nanos {
        let column = if point.is_end() {
            &self.ends
        } else {
            &self.starts
        };
        Nanos(
            column
                .get(point.span().index())
                .copied()
                .unwrap_or_default(),
        )
    }
}

//! Who asked for memory: the operator, the range and the function that an allocation was made in.

use capture::{Capture, PlacedSpan};
use record::{Group, MEMORY_OPERATOR, MEMORY_STACK, SpanId, Value};

use super::group::MemoryGrouping;
use crate::{HostLevel, ranges_open_at};

/// What was open on a thread when it asked for memory: the innermost of each sort.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryOrigin {
    /// What the operator is called.
    pub operator: Option<Box<str>>,
    /// The range that the program named.
    pub range: Option<Box<str>>,
    /// The function of a script.
    pub function: Option<Box<str>>,
    /// The calls that led to it, the innermost first, a line each, where the file keeps them.
    pub stack: Option<Box<str>>,
}

impl MemoryOrigin {
    /// What allocations are put together by, of this sort.
    pub fn name(&self, by: MemoryGrouping) -> Option<&str> {
        match by {
            MemoryGrouping::Operator => self.operator.as_deref(),
            MemoryGrouping::Range => self.range.as_deref(),
            MemoryGrouping::Function => self.function.as_deref(),
            MemoryGrouping::Size => None,
        }
    }

    /// What is open on a span's thread when it begins.
    fn around(capture: &Capture, placed: &PlacedSpan) -> Self {
        let mut found = Self::default();
        for (span, level) in ranges_open_at(capture, placed.span.lane, placed.span.start) {
            let name = capture.span(span).map(|it| capture.name(it.span.name));
            let place = match level {
                HostLevel::Operators => &mut found.operator,
                HostLevel::Nvtx => &mut found.range,
                HostLevel::Python => &mut found.function,
            };
            *place = name.map(Into::into);
        }
        found
    }

    /// That of the allocation that a span tells of.
    pub fn of(capture: &Capture, event: SpanId) -> Self {
        let Some(placed) = capture.span(event) else {
            return Self::default();
        };
        let mut found = Self::around(capture, &placed);
        for (field, value) in capture.arguments(event) {
            match (field, value) {
                (MEMORY_OPERATOR, Value::Text(text)) => found.operator = Some(text),
                (MEMORY_STACK, Value::Text(text)) => {
                    found.function = text.lines().next().map(Into::into);
                    found.stack = Some(text);
                }
                _ => {}
            }
        }
        // What a stream allocates itself is asked for by the call that is drawn there.
        let lane = capture.lane(placed.span.lane);
        if found.operator.is_none() && lane.is_some_and(|it| it.group == Group::Streams) {
            found.operator = Some(capture.name(placed.span.name).into());
        }
        found
    }
}

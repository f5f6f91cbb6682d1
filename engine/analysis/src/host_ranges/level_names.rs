//! Which sort of range a span of the host is.

use capture::{Capture, PlacedSpan};
use record::{CATEGORY, Group, Lane, PYTHON_FUNCTION, Role, SpanKind, Value, is_script_function};

use super::HostLevel;

/// The levels of spans that their kinds do not tell, by name: a profiler has functions of a script on the lanes of operators, and
/// says which is which by their categories. What one name is, is looked up once.
pub(super) struct LevelNames<'a> {
    capture: &'a Capture,
    of_names: Vec<Option<HostLevel>>,
}

impl<'a> LevelNames<'a> {
    /// Nothing is known yet.
    pub fn new(capture: &'a Capture) -> Self {
        Self {
            capture,
            of_names: vec![None; capture.name_count()],
        }
    }

    /// The level of a span of a lane; none for calls of APIs, waits, marks without length, and what is not of the host.
    pub fn of(&mut self, lane: &Lane, placed: &PlacedSpan) -> Option<HostLevel> {
        match (lane.group, placed.span.kind) {
            (Group::Host, _) if lane.role == Role::Functions => Some(HostLevel::Python),
            // A mark is an instant, such as each that tells of memory: nothing lies within it.
            (Group::Host, SpanKind::Scope) if placed.span.start < placed.span.end => {
                Some(HostLevel::Nvtx)
            }
            (Group::Host, SpanKind::HostWork) => Some(self.of_work(placed)),
            _ => None,
        }
    }

    /// The level of what a thread does itself.
    fn of_work(&mut self, placed: &PlacedSpan) -> HostLevel {
        let name = placed.span.name.index();
        if let Some(known) = self.of_names.get(name).copied().flatten() {
            return known;
        }
        let level = if is_function(self.capture, placed) {
            HostLevel::Python
        } else {
            HostLevel::Operators
        };
        if let Some(slot) = self.of_names.get_mut(name) {
            *slot = Some(level);
        }
        level
    }
}

/// Whether a span is a function of a script: by its category, or by the file in its name, such as `f (train.py:7)`.
fn is_function(capture: &Capture, placed: &PlacedSpan) -> bool {
    let mut fields = capture.arguments(placed.span.id);
    let is_told = fields.any(|(name, value)| {
        let is_python = matches!(&value, Value::Text(text) if &**text == PYTHON_FUNCTION);
        name == CATEGORY && is_python
    });
    is_told || is_script_function(capture.name(placed.span.name))
}

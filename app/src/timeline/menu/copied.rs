//! What is copied of a span, an arrow or a range: as text for people, or as a row for a table. Times are whole nanoseconds
//! from the capture's start.

use std::fmt::Write as _;

use engine::capture::{Capture, PlacedSpan};
use engine::record::{Dependency, Value};
use engine::time::{Interval, Nanos};

use crate::text;

/// A span as text: its name, where and when it ran, and its fields, a line each.
pub fn span_text(capture: &Capture, placed: &PlacedSpan, queued: Nanos) -> String {
    let span = &placed.span;
    let mut words = format!(
        "{}\n{} on {}\nstart {} ns, end {} ns, duration {} ({} ns)",
        capture.name(span.name),
        span.kind.label(),
        capture.lane_title(span.lane),
        span.start.0,
        span.end.0,
        text::duration(placed.interval().length()).replace(text::THIN, " "),
        placed.interval().length().0,
    );
    if queued.0 > 0 {
        let _ = write!(words, "\nqueued for {} ns", queued.0);
    }
    for (name, value) in capture.arguments(span.id) {
        // Writing to a string cannot fail.
        let _ = match value {
            Value::Integer(value) => write!(words, "\n{name}: {value}"),
            Value::Number(value) => write!(words, "\n{name}: {value}"),
            Value::Text(value) => write!(words, "\n{name}: {value}"),
        };
    }
    words
}

/// A span as a row: name, lane, kind, start, end and duration, parted by tabs.
pub fn span_row(capture: &Capture, placed: &PlacedSpan) -> String {
    let span = &placed.span;
    let plain = |text: &str| text.replace(['\t', '\n'], " ");
    [
        plain(capture.name(span.name)),
        plain(&capture.lane_title(span.lane)),
        span.kind.label().to_owned(),
        span.start.0.to_string(),
        span.end.0.to_string(),
        placed.interval().length().0.to_string(),
    ]
    .join("\t")
}

/// An arrow as text: from what to what, of which kind, and how it is known.
pub fn arrow_text(capture: &Capture, found: &Dependency) -> String {
    let name = |id| {
        let placed = capture.span(id);
        placed.map_or_else(
            || "a span that is not known yet".to_owned(),
            |it| {
                format!(
                    "{} on {}",
                    capture.name(it.span.name),
                    capture.lane_title(it.span.lane)
                )
            },
        )
    };
    format!(
        "{} -> {}: {}, {}",
        name(found.cause),
        name(found.effect),
        found.kind.label(),
        found.basis.label()
    )
}

/// A range as text.
pub fn range_text(range: Interval) -> String {
    format!("{} ns to {} ns", range.start.0, range.end.0)
}

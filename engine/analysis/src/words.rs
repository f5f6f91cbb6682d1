//! Words that findings share: lengths of time, names of spans with their places, plain sentences.

use std::borrow::Cow;

use super::function_name::function_name;
use capture::{Capture, PlacedSpan};
use record::time::Nanos;
use record::{Finding, FindingId, LaneId, NameId, Severity, SpanId, WAITS_UNTOLD};

/// Letters of a name in a sentence, at most: those of kernels may be pages long.
const NAME: usize = 80;

/// A length of time with three digits and the unit that fits.
pub(super) fn length(time: Nanos) -> String {
    time.rounded()
}

/// `text` in at most `chars` characters: what is too long loses its middle to `…`; nothing fits in 0.
pub fn shorten(text: &str, chars: usize) -> String {
    let length = text.chars().count();
    if length <= chars {
        return text.to_owned();
    }
    if chars == 0 {
        return String::new();
    }
    let tail = (chars - 1) / 2;
    let head = chars - 1 - tail;
    let start = text.chars().take(head);
    start
        .chain(['…'])
        .chain(text.chars().skip(length - tail))
        .collect()
}

/// A name as sentences write it: a function by what tells it apart, and whole or without its middle.
pub fn shown(name: &str) -> String {
    shorten(&function_name(name), NAME)
}

/// A name of the capture as sentences write it.
pub(super) fn name(capture: &Capture, id: NameId) -> String {
    shown(capture.name(id))
}

/// The name of a lane, with its device where several have lanes of that name.
pub(super) fn lane(capture: &Capture, id: LaneId) -> Cow<'_, str> {
    capture.lane_title(id)
}

/// The line of the workload that made a span.
pub(super) fn line(capture: &Capture, placed: &PlacedSpan) -> Option<u32> {
    let call = capture.calls().get(placed.span.call.index());
    call.map(|call| call.line).filter(|line| *line > 0)
}

/// `upload x on copy (line 16)`.
pub(super) fn span(capture: &Capture, placed: &PlacedSpan) -> String {
    let name = name(capture, placed.span.name);
    let place = line(capture, placed).map_or_else(String::new, |line| format!(" (line {line})"));
    format!("{name} on {}{place}", lane(capture, placed.span.lane))
}

/// Whether the file of a capture has waits of streams of which it does not say what they are for.
pub(super) fn has_untold_waits(capture: &Capture) -> bool {
    let mut problems = capture.problems().iter();
    problems.any(|it| it.code == WAITS_UNTOLD)
}

/// A finding about these spans, with the lines that made them.
pub(super) fn finding(
    capture: &Capture,
    code: &str,
    severity: Severity,
    text: String,
    spans: &[SpanId],
) -> Finding {
    let placed = spans.iter().filter_map(|id| capture.span(*id));
    let mut lines: Vec<u32> = placed.filter_map(|placed| line(capture, &placed)).collect();
    lines.dedup();
    Finding {
        id: FindingId::NONE,
        code: code.to_owned(),
        severity,
        text,
        spans: spans.to_vec(),
        lines,
        count: 1,
    }
}

/// `1 wait`, `12 waits`.
pub(super) fn counted(count: usize, what: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {what}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shorten("upload x[0]", 11), "upload x[0]");
        assert_eq!(shorten("upload x[0]", 7), "upl…[0]");
        assert_eq!(shorten("äöü", 2), "ä…");
        assert_eq!(shorten("abc", 0), "");
        assert_eq!(shown(&"ä".repeat(NAME)), "ä".repeat(NAME));
        assert_eq!(shown(&"ä".repeat(NAME + 1)).chars().count(), NAME);
    }

    #[test]
    fn lengths_have_three_digits_and_the_unit_that_fits() {
        for (nanos, expected) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_234, "1.23 µs"),
            (9_996_000, "10.0 ms"),
            (45_600_000, "45.6 ms"),
            (999_600_000, "1.00 s"),
            (2_000_000_000, "2.00 s"),
        ] {
            assert_eq!(length(Nanos(nanos)), expected);
        }
    }
}

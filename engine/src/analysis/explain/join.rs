//! Why a stream waited for other streams.

use super::{Sentence, lane};
use crate::capture::{Capture, PlacedSpan};
use crate::record::{DependencyKind, Value};

/// How long a stream stood still for which others, and who asked for it.
pub fn join(capture: &Capture, placed: &PlacedSpan) -> Sentence {
    let ties = capture.causes(placed.span.id);
    let ties = ties.filter_map(|id| capture.dependency(id));
    let ties = ties.filter(|tie| tie.kind != DependencyKind::Submission);
    let mut causes: Vec<(PlacedSpan, DependencyKind)> = ties
        .filter_map(|tie| Some((capture.span(tie.cause)?, tie.kind)))
        .collect();
    causes.sort_by_key(|(cause, _)| std::cmp::Reverse(cause.span.end));
    let mut sentence = Sentence::default().text(lane(capture, placed));
    let Some((cause, kind)) = causes.first() else {
        return sentence.text(" passed at once: nothing had been submitted to the other stream");
    };
    sentence = if cause.span.end <= placed.span.start {
        sentence.text(" passed at once: ")
    } else {
        sentence
            .text(" stood still for ")
            .time(placed.interval().length())
            .text(": it waited for ")
    };
    sentence = sentence
        .span(capture, cause)
        .text(format!(" on {}", lane(capture, cause)));
    if causes.len() > 1 {
        sentence = sentence.text(format!(" and {} more", causes.len() - 1));
    }
    let mut arguments = capture.arguments(placed.span.id);
    let because = arguments.find(|(name, _)| *name == "inserted because");
    match (kind, because) {
        (DependencyKind::Join, _) => {
            sentence.text("; the call asked for all of that stream so far")
        }
        (DependencyKind::Barrier, _) => sentence.text(
            "; a barrier comes after everything submitted before it, and before everything submitted after it",
        ),
        (_, Some((_, Value::Text(because)))) => sentence.text(format!("; {because}")),
        _ => sentence,
    }
}

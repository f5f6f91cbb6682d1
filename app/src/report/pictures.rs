//! The timeline around a finding, as the window draws it.

use std::collections::BTreeSet;

use engine::capture::{Capture, PlacedSpan};
use engine::record::{Finding, LaneId};
use engine::time::{Interval, Nanos};

use super::report_document::ReportBlock;
use crate::text::{self, words};
use crate::timeline::drawing;

/// So many spans of a finding are in its picture: more would be too thin to be told apart.
const SPANS: usize = 4;
/// And so many lanes.
const LANES: usize = 8;

/// The picture of a finding; nothing where it is about no span.
pub(super) fn around(capture: &Capture, finding: &Finding) -> Option<ReportBlock> {
    let spans = finding.spans.iter().take(SPANS);
    let spans: Vec<PlacedSpan> = spans.filter_map(|it| capture.span(*it)).collect();
    let first = spans.first()?;
    let whole = spans
        .iter()
        .map(PlacedSpan::interval)
        .reduce(Interval::union)?;
    let beside = Nanos(whole.length().0 / 4 + 1_000);
    let view = Interval::new(whole.start - beside, whole.end + beside);
    let lanes = lanes(capture, &spans);
    let mut state = drawing::for_print();
    state.view.interval = Some(view);
    let others = capture.lanes().iter().map(|it| it.id);
    state.view.hidden = others.filter(|it| !lanes.contains(it)).collect();
    // Counters are no lanes: they are left out by what the names must match.
    let names = lanes.iter().filter_map(|it| capture.lane(*it));
    let names: BTreeSet<String> = names.map(|it| regex_lite::escape(&it.name)).collect();
    let names: Vec<String> = names.into_iter().collect();
    state.view.filter = format!("^(?:{})$", names.join("|"));
    state.selection.span = Some(first.span.id);
    let shows = format!(
        "the timeline from {} to {} around {}",
        words::length(view.start),
        words::length(view.end),
        text::function_name(capture.name(first.span.name))
    );
    Some(ReportBlock::Picture(drawing::svg(capture, state), shows))
}

/// The lanes of spans, and those of what they depend on and what depends on them.
fn lanes(capture: &Capture, spans: &[PlacedSpan]) -> BTreeSet<LaneId> {
    let mut lanes: BTreeSet<LaneId> = spans.iter().map(|it| it.span.lane).collect();
    for placed in spans {
        let id = placed.span.id;
        let ties = capture.causes(id).chain(capture.effects(id));
        let ties = ties.take(LANES).filter_map(|id| capture.dependency(id));
        for end in ties.flat_map(|it| [it.cause, it.effect]) {
            if let Some(other) = capture.span(end).filter(|_| lanes.len() < LANES) {
                lanes.insert(other.span.lane);
            }
        }
    }
    lanes
}

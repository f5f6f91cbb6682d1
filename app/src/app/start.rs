//! The first moments: which workloads are at hand, and what is shown of a run that has ended.

use engine::analysis::pace;
use engine::capture::{Capture, PlacedSpan};
use engine::record::{DependencyKind, Group, PACE_NOT_KEPT, SpanId, SpanKind};
use engine::workload::bundled;

use super::lessons::raced;
use crate::action::{Action, Command};
use crate::state::{AppState, Documents, Notice, WorkloadText};
use crate::text;

/// The workload that runs at the start.
const FIRST: &str = "double-buffer";
/// Spans that are looked at for the one that tells most.
const MOST: usize = 1_000_000;

/// The bundled workloads, the first one to run chosen.
pub fn documents() -> Documents {
    let texts: Vec<_> = bundled()
        .iter()
        .map(|workload| WorkloadText {
            name: workload.name.to_owned(),
            title: workload.title.to_owned(),
            source: workload.source.to_owned(),
            saved: workload.source.to_owned(),
            ..WorkloadText::default()
        })
        .collect();
    let chosen = texts
        .iter()
        .position(|text| text.name == FIRST)
        .unwrap_or(0);
    Documents {
        bundled: texts.len(),
        texts,
        chosen,
        ..Documents::default()
    }
}

/// Whether a newcomer is told what the next run shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Greeting {
    /// Nobody is, or it was said.
    #[default]
    Over,
    /// The first run of a start is awaited.
    Due,
}

/// What a run that has ended has to show: the span that tells most of it is selected, unless the user selected something
/// meanwhile, and where a greeting is due a line says what is seen.
pub fn after_run(capture: &Capture, state: &AppState, greeting: Greeting) -> Vec<Action> {
    // Which span tells most is what a lesson asks for.
    if state.lesson.is_some() || !state.selection.is_empty() {
        return Vec::new();
    }
    let Some(telling) = telling_span(capture) else {
        return Vec::new();
    };
    let waits = capture
        .span(telling)
        .is_some_and(|placed| placed.span.kind == SpanKind::EventWait);
    let line = (greeting == Greeting::Due && waits && !state.settings.greeted).then(|| {
        Action::Notify(Some(Notice {
            is_error: false,
            text: line(capture, telling),
        }))
    });
    [Action::Select(Some(telling))]
        .into_iter()
        .chain(line)
        .collect()
}

/// Of the first race the operation that nothing makes wait; without races the longest wait for an event, first those in the middle third, where a
/// pipeline runs steadily; without waits the longest time that a host thread waited; without that the longest operation.
fn telling_span(capture: &Capture) -> Option<SpanId> {
    if let Some(raced) = raced(capture) {
        return Some(raced);
    }
    let third = capture.extent()?.length().0 / 3;
    let start = capture.extent()?.start.0;
    let rank = |placed: &PlacedSpan| {
        let middle = (placed.span.start.0 - start) / third.max(1) == 1;
        let length = placed.interval().length();
        let waited = length.0 > 0;
        match placed.span.kind {
            SpanKind::EventWait if waited && is_bound(capture, placed) => (3, middle, length),
            SpanKind::Synchronize if waited => (2, false, length),
            kind if kind.is_waiting() || kind == SpanKind::EventRecord => (0, false, length),
            _ if is_on_stream(capture, placed) => (1, false, length),
            _ => (0, false, length),
        }
    };
    let ranked = capture.spans().take(MOST).map(|it| (rank(&it), it.span.id));
    let telling = ranked.filter(|((class, ..), _)| *class > 0);
    // Of equal ones the first.
    let better = |best: (_, SpanId), it: (_, SpanId)| if it.0 > best.0 { it } else { best };
    telling.reduce(better).map(|(_, span)| span)
}

fn is_on_stream(capture: &Capture, placed: &PlacedSpan) -> bool {
    let lane = capture.lane(placed.span.lane);
    lane.is_some_and(|lane| lane.group == Group::Streams)
}

/// Whether a wait is for an event that was recorded.
fn is_bound(capture: &Capture, wait: &PlacedSpan) -> bool {
    let mut causes = capture
        .causes(wait.span.id)
        .filter_map(|id| capture.dependency(id));
    causes.any(|it| it.kind == DependencyKind::Event)
}

fn line(capture: &Capture, wait: SpanId) -> String {
    let Some(placed) = capture.span(wait) else {
        return String::new();
    };
    let lane = capture.lane(placed.span.lane);
    let mut problems = capture.problems().iter();
    let is_broken = problems.any(|it| it.code == PACE_NOT_KEPT);
    let how = match pace::law(capture).filter(|_| !is_broken) {
        Some(_) => ", at a pace that any machine keeps: each copy overlaps the kernel before it",
        None => "",
    };
    format!(
        "This ran on your machine just now{how}. The selected, hatched span is a wait: {} waited {}. {} goes to what it \
         waited for, {} lists all keys.",
        lane.map_or("a stream", |lane| &lane.name),
        text::duration(placed.interval().length()),
        Command::Cause.key(),
        Command::Help.key()
    )
}

//! The first moments: which workloads are at hand, and what a newcomer is shown.

use engine::analysis::pace;
use engine::capture::Capture;
use engine::record::{DependencyKind, SpanId, SpanKind};
use engine::runner::Phase;
use engine::workload::bundled;

use crate::action::{Action, Command};
use crate::panel::AppStatus;
use crate::state::{Documents, Notice, Settings, WorkloadText};
use crate::text;

/// The workload that runs at the start.
const FIRST: &str = "double-buffer";

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

/// Greets a newcomer once the first run has ended: selects a wait, and says what is seen.
#[derive(Debug, Default, PartialEq, Eq)]
pub enum Greeting {
    /// Nobody is to be greeted.
    #[default]
    Over,
    /// The first run is awaited.
    Awaits {
        /// Whether the line is said, besides the wait being selected.
        says: bool,
    },
}

impl Greeting {
    /// The greeting of a start with these settings: the line is said until it was put away once.
    pub fn of(settings: &Settings) -> Self {
        Self::Awaits {
            says: !settings.greeted,
        }
    }

    /// What to do for the newcomer now.
    pub fn advance(&mut self, capture: &Capture, status: &AppStatus) -> Vec<Action> {
        let Self::Awaits { says } = *self else {
            return Vec::new();
        };
        if status.phase != Phase::Idle || capture.end().is_none() {
            return Vec::new();
        }
        *self = Self::Over;
        let Some(wait) = telling_wait(capture) else {
            return Vec::new();
        };
        let line = says.then(|| {
            Action::Notify(Some(Notice {
                is_error: false,
                text: line(capture, wait),
            }))
        });
        [Action::Select(Some(wait))]
            .into_iter()
            .chain(line)
            .collect()
    }
}

/// The wait in the middle third of the capture that held its stream back longest; from anywhere where there is none.
fn telling_wait(capture: &Capture) -> Option<SpanId> {
    let third = capture.extent()?.length().0 / 3;
    let start = capture.extent()?.start.0;
    let waits = capture
        .spans()
        .filter(|placed| placed.span.kind == SpanKind::EventWait)
        .take(100_000);
    let held = waits.filter(|placed| {
        let mut ties = capture
            .causes(placed.span.id)
            .filter_map(|id| capture.dependency(id));
        ties.any(|tie| tie.kind == DependencyKind::Event)
    });
    let rank = |placed: &engine::capture::PlacedSpan| {
        let middle = (placed.span.start.0 - start) / third.max(1) == 1;
        let length = placed.interval().length();
        (length.0 > 0, middle, length)
    };
    held.max_by_key(rank).map(|placed| placed.span.id)
}

fn line(capture: &Capture, wait: SpanId) -> String {
    let Some(placed) = capture.span(wait) else {
        return String::new();
    };
    let lane = capture.lane(placed.span.lane);
    let how = match pace::law(capture) {
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

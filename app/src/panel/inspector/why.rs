//! Why a span began, or went on, when it did: one sentence for the binding cause, and the chain to the root below it.

use eframe::egui::{ScrollArea, Ui, vec2};
use engine::analysis::SentencePiece;
use engine::analysis::causes::{CauseReader, ChainSegment, TimeUse};
use engine::record::{SpanId, State};
use engine::time::{Interval, Nanos};

use super::span::{end, end_below};
use super::{lane_of, name_of};
use crate::action::Action;
use crate::panel::Scene;
use crate::panel::widgets::{card, hint, link, pieces, section};
use crate::text;
use crate::theme::GRID;

/// Steps of the way back that are listed until all are asked for.
const LISTED: usize = 12;
/// No more steps are followed: some millions would take as many bytes, and seconds.
const LONGEST: usize = 100_000;
/// Height of a step where all are listed, in points.
const STEP: f32 = 9.0 * GRID;
/// Steps that are in sight at once where all are listed.
const IN_SIGHT: f32 = 12.0;

/// What was said last: to follow a way of many steps in each frame would be a cost of the frame.
#[derive(Default)]
pub struct SpanAnswer {
    /// The span, and the graph and its revision that told of it.
    of: Option<(SpanId, usize, u64)>,
    said: Option<Vec<SentencePiece>>,
    steps: Vec<ChainSegment>,
    /// The time that the steps are of.
    whole: Nanos,
    /// Whether all steps are listed.
    is_whole: bool,
}

impl SpanAnswer {
    fn new(reader: &CauseReader<'_>, id: SpanId, of: (SpanId, usize, u64)) -> Self {
        let placed = reader.capture().span(id);
        let is_gone = placed.is_some_and(|it| it.never_ran() || it.span.state == State::Lost);
        let steps = if is_gone {
            Vec::new()
        } else {
            reader.meanwhile(id, LONGEST)
        };
        let waiting = reader.waiting(id);
        Self {
            of: Some(of),
            said: reader.sentence(id),
            steps,
            whole: waiting.map_or(Nanos::ZERO, Interval::length),
            is_whole: false,
        }
    }

    /// How much of the time the steps do not reach back to.
    fn rest(&self) -> Nanos {
        let lengths = self.steps.iter().map(|it| it.interval.length());
        self.whole - lengths.fold(Nanos::ZERO, |sum, it| sum + it)
    }
}

/// The sentence and the chain of a span; that causes are still being read, where they are.
pub fn show(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (id, answer): (SpanId, &mut SpanAnswer),
    actions: &mut Vec<Action>,
) {
    let Some(reader) = scene.reader() else {
        let done = scene.status.why.progress.unwrap_or(0.0);
        let words = format!("Reading causes, {} done", text::percent(f64::from(done)));
        return hint(ui, scene.theme, &words);
    };
    let causes = reader.causes();
    let of = (id, std::ptr::from_ref(causes) as usize, causes.revision());
    if answer.of != Some(of) {
        *answer = SpanAnswer::new(&reader, id, of);
    }
    let Some(said) = &answer.said else {
        return;
    };
    ui.add_space(4.0);
    card(ui, scene.theme.hovered, |ui| {
        ui.set_width(ui.available_width());
        if let Some(span) = pieces(ui, scene.theme, said) {
            actions.push(Action::Reveal(span));
        }
    });
    way_back(ui, scene, answer, actions);
}

/// The way back along binding causes, each step with its share of the time.
fn way_back(ui: &mut Ui, scene: &Scene<'_>, answer: &mut SpanAnswer, actions: &mut Vec<Action>) {
    let count = answer.steps.len();
    let own = answer.of.map(|it| it.0);
    // Where only its own start took time, the sentence has said all of that.
    if answer.steps.iter().all(|it| it.span == own) {
        return;
    }
    section(ui, scene.theme, "Chain of causes");
    let whole = answer.whole;
    if answer.is_whole {
        let area = ScrollArea::vertical().max_height(IN_SIGHT * STEP);
        area.show_rows(ui, STEP, count, |ui, range| {
            let steps = answer.steps.iter().rev();
            for step in steps.skip(range.start).take(range.len()) {
                let size = vec2(ui.available_width(), STEP);
                ui.allocate_ui(size, |ui| {
                    ui.set_min_size(size);
                    show_step(ui, scene, (step, whole, true), actions);
                });
            }
        });
    } else {
        for step in answer.steps.iter().rev().take(LISTED) {
            show_step(ui, scene, (step, whole, false), actions);
        }
    }
    if count > LISTED {
        let words = if answer.is_whole {
            format!("Only the last {LISTED}")
        } else {
            format!("Show {} more", text::count((count - LISTED) as u64))
        };
        if link(ui, &words, scene.theme.accent).clicked() {
            answer.is_whole = !answer.is_whole;
        }
    }
    let rest = answer.rest();
    if rest > Nanos::ZERO {
        let words = format!(
            "What came before these {}, in {}, is in `syncline explain --span {}`",
            text::counted(count as u64, "step"),
            text::duration(rest),
            answer.of.map_or(0, |it| it.0.0)
        );
        hint(ui, scene.theme, &words);
    }
}

fn show_step(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (step, whole, is_below): (&ChainSegment, Nanos, bool),
    actions: &mut Vec<Action>,
) {
    let capture = scene.capture;
    let time = step.interval.length();
    let share = time.0 as f64 / whole.0.max(1) as f64;
    let note = format!("{} · {}", text::duration(time), text::percent(share));
    let name = step.span.map(|span| name_of(capture, span));
    let lane = step.lane.map(|lane| capture.lane_title(lane).into_owned());
    let words = match (&name, step.what) {
        (Some(name), TimeUse::Run) => name.clone(),
        (Some(name), what) => format!("{} · {name}", what.label()),
        (None, what) => match lane {
            Some(lane) => format!("{} · {lane}", what.label()),
            None => "nothing is known of what came before".to_owned(),
        },
    };
    let words = format!("◀ {words}");
    // What is no span's is a stretch of time: of a host thread, or one that nothing is known of.
    let (note, went) = match step.span {
        Some(span) => (
            format!("{note} · {}", lane_of(capture, span)),
            vec![Action::Reveal(span)],
        ),
        None => (note, Action::visit(step.interval)),
    };
    let show = if is_below { end_below } else { end };
    show(ui, scene, (&words, scene.theme.cause), &note, went, actions);
}

//! Why a span began, or went on, when it did: one sentence for the binding cause, and the chain to the root below it.

use eframe::egui::{RichText, Ui};
use engine::analysis::causes::{CauseReader, ChainSegment, TimeUse};
use engine::record::{SpanId, State};
use engine::time::Nanos;

use super::span::end;
use super::{lane_of, name_of};
use crate::action::Action;
use crate::panel::Scene;
use crate::panel::widgets::{card, hint, pieces, section};
use crate::text;

/// Steps of the way back that are listed; the rest is counted.
const LISTED: usize = 12;
/// A span whose way back is longer than this has only its sentence here: following it would hold up a frame.
const LONGEST: usize = 20_000;

/// The sentence and the chain of a span; that causes are still being read, where they are.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, id: SpanId, actions: &mut Vec<Action>) {
    let Some(reader) = scene.reader() else {
        let done = scene.status.why.progress.unwrap_or(0.0);
        let words = format!("Reading causes, {} done", text::percent(f64::from(done)));
        return hint(ui, scene.theme, &words);
    };
    let Some(said) = reader.sentence(id) else {
        return;
    };
    ui.add_space(4.0);
    card(ui, scene.theme.hovered, |ui| {
        ui.set_width(ui.available_width());
        if let Some(span) = pieces(ui, scene.theme, &said) {
            actions.push(Action::Reveal(span));
        }
    });
    let state = scene.capture.span(id).map(|it| it.span.state);
    if !matches!(state, Some(State::Cancelled | State::Lost)) {
        way_back(ui, scene, (&reader, id), actions);
    }
}

/// The way back along binding causes, each step with its share of the time.
fn way_back(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (reader, id): (&CauseReader<'_>, SpanId),
    actions: &mut Vec<Action>,
) {
    let steps = reader.meanwhile(id, LONGEST);
    if steps.len() < 2 {
        return;
    }
    let lengths = steps.iter().map(|it| it.interval.length());
    let whole = lengths.fold(Nanos::ZERO, |sum, it| sum + it);
    section(ui, scene.theme, "Way back");
    for step in steps.iter().rev().take(LISTED) {
        show_step(ui, scene, (step, whole), actions);
    }
    if let Some(rest) = steps.len().checked_sub(LISTED).filter(|rest| *rest > 0) {
        let words = format!("and {} more", text::count(rest as u64));
        hint(ui, scene.theme, &words);
    }
}

fn show_step(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (step, whole): (&ChainSegment, Nanos),
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
    let Some(span) = step.span else {
        ui.horizontal(|ui| {
            ui.label(RichText::new(words).color(scene.theme.weak));
            ui.label(RichText::new(note).color(scene.theme.weak).small());
        });
        return;
    };
    let words = format!("◀ {words}");
    let note = format!("{note} · {}", lane_of(capture, span));
    let ink = scene.theme.cause;
    end(
        ui,
        scene,
        (&words, ink),
        &note,
        Action::Reveal(span),
        actions,
    );
}

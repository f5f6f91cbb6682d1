//! The inspector: every field of what is selected, what it waited for, and the line that made it.

mod dependency;
mod lines;
mod loss;
mod pace;
mod pipeline;
mod promise;
mod ranges;
mod rank;
mod span;
mod why;

use eframe::egui::{RichText, ScrollArea, Ui};
use engine::capture::Capture;
use engine::record::SpanId;

use super::widgets::{field, hint, section};
use super::{Panel, PanelPosition, Scene};
use crate::action::{Action, Command};
use crate::state::Topic;
use crate::text;
use crate::theme::{HEADING, SMALL};

/// Letters of a title, at most; the whole of a longer name stands below it.
const TITLE: usize = 120;
/// How high the whole name is, at most, before it is scrolled, in points.
const WHOLE: f32 = 60.0;

/// The inspector: every field of what is selected, what it waited for, and the line that made it.
#[derive(Default)]
pub struct Inspector {
    loss: loss::CachedLoss,
    answer: why::SpanAnswer,
    origin: ranges::OriginRanges,
}

impl Panel for Inspector {
    fn id(&self) -> &'static str {
        "inspector"
    }

    fn title(&self) -> &'static str {
        "Inspector"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let chosen = &scene.state.selection;
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            // The scroll bar lies beside what is scrolled, not on it.
            ui.set_max_width(ui.available_width() - 2.0 * crate::theme::GRID);
            match (chosen.topic, chosen.dependency, chosen.span) {
                (Some(Topic::Loss(place)), ..) => {
                    loss::show(ui, scene, (place, &mut self.loss), actions);
                }
                (Some(Topic::Pipeline(id)), ..) => pipeline::show(ui, scene, id, actions),
                (Some(Topic::Promise(id)), ..) => promise::show(ui, scene, id, actions),
                (None, Some(id), _) => dependency::show(ui, scene, id, actions),
                (None, None, Some(id)) => {
                    span::show(ui, scene, (id, &mut self.answer, &mut self.origin), actions);
                }
                (None, None, None) if chosen.range.is_none() => nothing(ui, scene),
                (None, None, None) => {}
            }
            range(ui, scene);
        });
    }
}

fn nothing(ui: &mut Ui, scene: &Scene<'_>) {
    hint(
        ui,
        scene.theme,
        &format!(
            "Click a span or an arrow to see when it was enqueued, when it ran and what it waited for.\n\n{} and {} go \
             along a lane, {} and {} to causes and effects.",
            Command::NextSpan.key(),
            Command::PreviousSpan.key(),
            Command::Cause.key(),
            Command::Effect.key()
        ),
    );
}

fn range(ui: &mut Ui, scene: &Scene<'_>) {
    let Some(range) = scene.state.selection.range else {
        return;
    };
    section(ui, scene.theme, "Range");
    field(ui, scene.theme, "from", &range.start.to_string());
    field(ui, scene.theme, "to", &range.end.to_string());
    field(ui, scene.theme, "duration", &range.length().to_string());
    if let Some(measure) = &scene.status.measure {
        let spans = text::count(measure.spans as u64);
        field(ui, scene.theme, "spans", &spans);
        field(ui, scene.theme, "their sum", &measure.sum.to_string());
        hint(
            ui,
            scene.theme,
            "The sum is of the time that they have inside the range; of spans within others as well.",
        );
    }
}

/// The large name at the top, and the quiet line below it.
fn title(ui: &mut Ui, scene: &Scene<'_>, name: &str, detail: &str) {
    let heading = |words: &str| {
        let words = RichText::new(words).size(HEADING);
        words.color(scene.theme.text).strong()
    };
    let short = text::function_name(name);
    ui.label(heading(&text::shorten(&short, TITLE)));
    if short != name || name.chars().count() > TITLE {
        let whole = RichText::new(name).size(SMALL).color(scene.theme.weak);
        let area = ScrollArea::vertical().id_salt(("whole", name));
        area.max_height(WHOLE).show(ui, |ui| ui.label(whole));
    }
    ui.label(RichText::new(detail).color(scene.theme.weak));
    ui.add_space(crate::theme::GRID);
}

/// A span's name as sentences have it, or its number while it has not arrived.
fn name_of(capture: &Capture, id: SpanId) -> String {
    if let Some(placed) = capture.span(id) {
        return text::function_name(capture.name(placed.span.name)).into_owned();
    }
    let began = capture.running(id);
    began.map_or_else(
        || text::id(id.0),
        |began| capture.name(began.name).to_owned(),
    )
}

/// The name of a span's lane; empty while the span has not arrived.
fn lane_of(capture: &Capture, id: SpanId) -> &str {
    let lane = capture
        .span(id)
        .and_then(|placed| capture.lane(placed.span.lane));
    lane.map_or("", |lane| lane.name.as_str())
}

//! The inspector of a pipeline: the states it went through, what was said about it, and who needed it first.

use eframe::egui::{Align, Label, Layout, RichText, Ui};
use engine::analysis::{PipelineReadiness, pipeline_of};
use engine::capture::PipelineHistory;
use engine::record::{CompileTime, PipelineId, PipelineStep, SpanId};

use super::{lines, name_of, title};
use crate::action::Action;
use crate::panel::Scene;
use crate::panel::widgets::{Sign, card, field, hint, link, section};
use crate::text;

/// The pipeline alone, for one that no span stands for.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, id: PipelineId, actions: &mut Vec<Action>) {
    let Some(stages) = scene.capture.pipelines().get(id.index()) else {
        hint(ui, scene.theme, "This pipeline has not arrived yet");
        return;
    };
    let pipeline = &stages.pipeline;
    let way = if pipeline.is_async {
        "the caller went on meanwhile"
    } else {
        "the caller waited"
    };
    let detail = format!(
        "{} pipeline of generation {} · {way}",
        pipeline.kind.label(),
        pipeline.generation
    );
    title(ui, scene, &pipeline.name, &detail);
    body(ui, scene, stages, actions);
    let call = scene.capture.span(pipeline.call);
    if let Some(placed) = call {
        lines::show(ui, scene, placed.span.call, actions);
    }
}

/// The pipeline that `span` brought into a state, under a span's own fields.
pub fn part(ui: &mut Ui, scene: &Scene<'_>, span: SpanId, actions: &mut Vec<Action>) {
    if let Some(stages) = pipeline_of(scene.capture, span) {
        let pipeline = &stages.pipeline;
        section(ui, scene.theme, "Pipeline");
        field(ui, scene.theme, &pipeline.name, stages.state().label());
        body(ui, scene, stages, actions);
    }
}

fn body(ui: &mut Ui, scene: &Scene<'_>, stages: &PipelineHistory, actions: &mut Vec<Action>) {
    let found = PipelineReadiness::of(scene.capture, stages);
    for step in &stages.steps {
        state(ui, scene, step, actions);
    }
    if let Some(length) = found.compile_time {
        field(ui, scene.theme, "compiled for", &text::duration(length));
    }
    if found.stalled.0 > 0 {
        field(
            ui,
            scene.theme,
            "stalled launches for",
            &text::duration(found.stalled),
        );
    }
    if let Some((span, _)) = found.first_use {
        let words = format!("▶ first use: {}", name_of(scene.capture, span));
        if link(ui, &words, scene.theme.effect).clicked() {
            actions.push(Action::Reveal(span));
        }
    }
    // What is compiled when it is created needs no word.
    let late = found.compiles.filter(|it| *it != CompileTime::Creation);
    let told = stages.steps.iter().map(|step| step.detail.trim());
    let told = told.chain(late.map(CompileTime::about));
    let told: Vec<&str> = told.filter(|detail| !detail.is_empty()).collect();
    if !told.is_empty() {
        ui.add_space(4.0);
        card(ui, scene.theme.well, |ui| {
            ui.set_width(ui.available_width());
            for detail in told {
                ui.label(RichText::new(detail).monospace());
            }
        });
    }
}

/// A state and when it was reached; a click goes to the span that brought it.
fn state(ui: &mut Ui, scene: &Scene<'_>, step: &PipelineStep, actions: &mut Vec<Action>) {
    let theme = scene.theme;
    let (sign, colour) = Sign::of_state(step.state, theme);
    ui.horizontal(|ui| {
        sign.ui(ui, colour);
        let words = step.state.label();
        if step.span.is_some() {
            if link(ui, words, theme.accent).clicked() {
                actions.push(Action::Reveal(step.span));
            }
        } else {
            ui.label(words);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let time = RichText::new(step.time.to_string()).monospace();
            ui.add(Label::new(time).truncate());
        });
    });
}

//! What the analyses found in the capture, the worst first, and what those looked at that found nothing.

use eframe::egui::{RichText, ScrollArea, TextEdit, Ui};
use engine::analysis::AnalysisResult;
use engine::record::{Finding, SpanId};

use super::problems::severity;
use super::widgets::{Sign, hint, link, slowed, without_spans};
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::text;
use crate::theme::GRID;

/// What the analyses found in the capture.
#[derive(Default)]
pub struct FindingsPanel {
    filter: String,
}

/// Findings shown at once; the rest is counted.
const SHOWN: usize = 200;

impl Panel for FindingsPanel {
    fn id(&self) -> &'static str {
        "findings"
    }

    fn title(&self) -> &'static str {
        "Findings"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn count(&self, scene: &Scene<'_>) -> Option<usize> {
        // Until analyses have answered nobody knows how many there are: none is no answer.
        let made = scene.status.why.conclusions.as_ref();
        made.map(|made| made.findings())
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        if scene.capture.span_count() == 0 {
            return hint(ui, scene.theme, &without_spans(scene, "Findings appear"));
        }
        slowed(ui, scene);
        self.heading(ui, scene);
        let made = scene.status.why.conclusions.as_ref();
        let answers = made.map_or(&[][..], |made| made.answers.as_slice());
        let all = answers
            .iter()
            .flat_map(|answered| &answered.answer.findings);
        let mut found: Vec<&Finding> = all.filter(|it| matches(scene, it, &self.filter)).collect();
        found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for finding in found.iter().take(SHOWN) {
                show(ui, scene, finding, actions);
            }
            if found.len() > SHOWN {
                hint(
                    ui,
                    scene.theme,
                    &format!("and {} more", found.len() - SHOWN),
                );
            }
            for answered in answers {
                analysis_row(ui, scene, answered);
            }
        });
    }
}

impl FindingsPanel {
    fn heading(&mut self, ui: &mut Ui, scene: &Scene<'_>) {
        ui.horizontal(|ui| {
            let field = TextEdit::singleline(&mut self.filter).hint_text("Filter findings");
            ui.add(field.desired_width(180.0));
            if let Some(progress) = scene.status.why.progress {
                let words = format!("reading {}", text::percent(f64::from(progress)));
                ui.label(RichText::new(words).color(scene.theme.weak));
            }
        });
        ui.add_space(GRID);
    }
}

/// Whether the filter's words are in a finding's code or text, or in the whole name of one of its spans, which the text may
/// shorten.
fn matches(scene: &Scene<'_>, finding: &Finding, filter: &str) -> bool {
    let wanted = filter.trim().to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&wanted);
    let mut spans = finding.spans.iter();
    finding.code.contains(&wanted) || has(&finding.text) || spans.any(|it| has(&name(scene, *it)))
}

fn show(ui: &mut Ui, scene: &Scene<'_>, finding: &Finding, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        let (sign, colour) = severity(scene.theme, finding.severity);
        ui.label(RichText::new(sign).color(colour));
        ui.label(RichText::new(&finding.code).monospace().color(colour));
        ui.label(&finding.text);
        if finding.count > 1 {
            let words = format!("({} times)", text::count(finding.count));
            ui.label(RichText::new(words).color(scene.theme.weak));
        }
        for &span in &finding.spans {
            if link(ui, &name(scene, span), scene.theme.accent).clicked() {
                actions.push(Action::Reveal(span));
            }
        }
        for &line in &finding.lines {
            if link(ui, &format!("line {line}"), scene.theme.accent).clicked() {
                let made = finding
                    .spans
                    .iter()
                    .find(|span| line_of(scene, **span) == line);
                actions.extend(made.map(|span| Action::Reveal(*span)));
                actions.push(Action::OpenTab("source"));
            }
        }
    });
}

fn name(scene: &Scene<'_>, span: SpanId) -> String {
    let placed = scene.capture.span(span);
    placed.map_or_else(
        || "not ended yet".to_owned(),
        |placed| scene.capture.name(placed.span.name).to_owned(),
    )
}

fn line_of(scene: &Scene<'_>, span: SpanId) -> u32 {
    let call = scene.capture.span(span).map(|placed| placed.span.call);
    let calls = scene.capture.calls();
    call.and_then(|call| calls.get(call.index()))
        .map_or(0, |call| call.line)
}

/// What an analysis asked and how much it looked at, whether or not it found something.
fn analysis_row(ui: &mut Ui, scene: &Scene<'_>, answered: &AnalysisResult) {
    let is_clean = answered.answer.findings.is_empty();
    let was_looked = !answered.answer.is_skipped;
    ui.horizontal_wrapped(|ui| {
        let (sign, colour) = match (is_clean, was_looked) {
            (true, true) => (Sign::Check, scene.theme.good),
            (true, false) => (Sign::Dash, scene.theme.weak),
            (false, _) => (Sign::Dots, scene.theme.weak),
        };
        sign.ui(ui, colour);
        let words = format!("{}: {}", answered.name, answered.answer.looked);
        let label = ui.label(RichText::new(words).color(scene.theme.weak));
        label.on_hover_text(answered.about);
    });
}

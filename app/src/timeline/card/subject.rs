//! What the card says of a step or a compile besides its times: the pipeline's state, and what promises came to.

use eframe::egui::{Color32, RichText, Ui};
use engine::analysis::{Chain, pipeline_of};
use engine::capture::PromiseState;
use engine::record::{PipelineState, SpanId, SpanKind, Verdict};

use super::line;
use crate::timeline::frame::PaintFrame;

/// Promises that are named.
const NAMED: usize = 3;

/// The pipeline that `span` brought into a state, and what the promises of its chain came to.
pub fn ui(ui: &mut Ui, frame: &PaintFrame<'_>, span: SpanId) {
    let capture = frame.picture.capture;
    let kind = capture.span(span).map(|placed| placed.span.kind);
    let asks = !capture.pipelines().is_empty() || !capture.promises().is_empty();
    if !asks
        || !matches!(
            kind,
            Some(SpanKind::Step | SpanKind::Compile | SpanKind::Call)
        )
    {
        return;
    }
    let theme = frame.picture.theme;
    if let Some(stages) = pipeline_of(capture, span) {
        let state = stages.state();
        let colour = match state {
            PipelineState::Ready => theme.good,
            PipelineState::Failed | PipelineState::Lost => theme.bad,
            _ => theme.weak,
        };
        let words = format!("pipeline {}: {}", stages.pipeline.name, state.label());
        ui.label(RichText::new(words).color(colour));
        if let Some(length) = stages.compile_time() {
            line(ui, theme, "compiled for", length);
        }
    }
    let chain: Vec<SpanId> = Chain::of(capture, span).spans(span).collect();
    let of_chain = |pledge: &&PromiseState| chain.contains(&pledge.promise.call);
    for pledge in capture.promises().iter().filter(of_chain).take(NAMED) {
        let (words, colour) = promise(frame, pledge);
        ui.label(RichText::new(words).color(colour));
    }
}

fn promise(frame: &PaintFrame<'_>, pledge: &PromiseState) -> (String, Color32) {
    let theme = frame.picture.theme;
    let api = &pledge.promise.api;
    match &pledge.settlement {
        None => (format!("{api}: pending"), theme.warning),
        Some(settlement) => {
            let colour = match settlement.verdict {
                Verdict::Resolved => theme.good,
                Verdict::Rejected => theme.bad,
            };
            let verdict = settlement.verdict.label();
            (
                format!("{api}: {verdict} with {}", settlement.value),
                colour,
            )
        }
    }
}

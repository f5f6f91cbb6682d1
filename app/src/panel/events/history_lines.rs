//! What was done to an event, a line each: its records, beneath each what was for it, and what reset or destroyed it.

use eframe::egui::Color32;
use engine::analysis::EventHistory;
use engine::record::{EventChange, SpanId, State};

use crate::panel::Scene;
use crate::text;
use crate::theme::Theme;

/// A line of the history.
pub struct HistoryLine {
    /// What was done, where and when.
    pub words: String,
    /// The span that it leads to.
    pub span: SpanId,
    /// 1 where it is for the record above it.
    pub depth: u8,
    is_bad: bool,
}

impl HistoryLine {
    /// The colour of its words.
    pub const fn colour(&self, theme: &Theme) -> Color32 {
        if self.is_bad {
            theme.bad
        } else if !self.span.is_some() {
            theme.weak
        } else {
            theme.accent
        }
    }
}

/// The lines of an event.
pub fn of(scene: &Scene<'_>, history: &EventHistory) -> Vec<HistoryLine> {
    let mut lines = Vec::new();
    let mut ends = history.ends.iter().peekable();
    let end = |change: EventChange, span| line(scene, (change.label(), span), 0);
    for made in &history.generations {
        while let Some(before) = ends.next_if(|it| it.generation < made.generation) {
            lines.push(end(before.change, before.span));
        }
        let words = format!("{} recorded", made.generation);
        lines.push(line(scene, (&words, made.record), 0));
        let uses = made.uses.iter().map(|it| line(scene, ("", *it), 1));
        lines.extend(uses);
        if made.uses.is_empty() {
            lines.push(HistoryLine {
                words: "nothing waited for it".to_owned(),
                span: SpanId::NONE,
                depth: 1,
                is_bad: false,
            });
        }
    }
    lines.extend(ends.map(|it| end(it.change, it.span)));
    lines
}

/// What was done by a span, by its own name where there are no words for it.
fn line(scene: &Scene<'_>, (words, span): (&str, SpanId), depth: u8) -> HistoryLine {
    let capture = scene.capture;
    let Some(placed) = capture.span(span) else {
        let words = format!("{words}, not ended yet");
        return HistoryLine {
            words: words.trim_start_matches(", ").to_owned(),
            span: SpanId::NONE,
            depth,
            is_bad: false,
        };
    };
    let name = capture.name(placed.span.name);
    let words = if words.is_empty() { name } else { words };
    let is_bad = placed.span.state != State::Done;
    let outcome = if is_bad {
        format!(", {}", placed.span.state.label())
    } else {
        String::new()
    };
    HistoryLine {
        words: format!(
            "{words} on {} at {}{outcome}",
            capture.lane_title(placed.span.lane),
            text::duration(placed.span.end)
        ),
        span,
        depth,
        is_bad,
    }
}

//! The search field: spans whose name contains a text, found a slice a frame.

use std::time::{Duration, Instant};

use eframe::egui::{Id, Key, RichText, TextEdit, Ui};
use engine::capture::Capture;
use engine::record::SpanId;
use engine::time::Nanos;

use super::Scene;
use crate::action::{Action, Command};
use crate::text;

/// Matches that are kept to go to; more are counted.
const KEPT: usize = 1_000_000;
/// Spans looked at between two looks at the clock.
const STRIDE: usize = 4_096;

/// A search, and how far it has come.
#[derive(Default)]
pub struct Search {
    wanted: String,
    /// Whether the name at each position matches; grows with the capture's names.
    names: Vec<bool>,
    next: usize,
    /// Spans that had not arrived when the search came by.
    holes: Vec<u32>,
    revision: u64,
    found: Vec<(Nanos, SpanId)>,
    count: usize,
    is_sorted: bool,
    focus: bool,
}

impl Search {
    /// Puts the cursor into the field at the next frame.
    pub fn take_focus(&mut self) {
        self.focus = true;
    }

    /// Looks on for about `budget`, and says whether every span has been looked at.
    pub fn advance(&mut self, capture: &Capture, wanted: &str, budget: Duration) -> bool {
        if self.wanted != wanted {
            *self = Self {
                wanted: wanted.to_owned(),
                focus: self.focus,
                ..Self::default()
            };
        }
        if wanted.is_empty() {
            return true;
        }
        if self.revision != capture.revision() {
            self.revision = capture.revision();
            self.read_names(capture);
            self.fill_holes(capture);
        }
        let start = Instant::now();
        while self.next < capture.span_ids() {
            let end = (self.next + STRIDE).min(capture.span_ids());
            for id in self.next..end {
                self.look(capture, id as u32);
            }
            self.next = end;
            if start.elapsed() >= budget {
                break;
            }
        }
        if !self.is_sorted && self.is_done(capture) {
            self.found.sort_unstable();
            self.is_sorted = true;
        }
        self.is_done(capture)
    }

    /// Forgets what was found, because another capture is on screen.
    pub fn renew(&mut self) {
        *self = Self {
            focus: self.focus,
            ..Self::default()
        };
    }

    fn is_done(&self, capture: &Capture) -> bool {
        self.next >= capture.span_ids()
    }

    fn read_names(&mut self, capture: &Capture) {
        let wanted = self.wanted.to_lowercase();
        for at in self.names.len()..capture.name_count() {
            let name = capture.name(engine::record::NameId(at as u32));
            self.names.push(name.to_lowercase().contains(&wanted));
        }
    }

    fn fill_holes(&mut self, capture: &Capture) {
        for id in std::mem::take(&mut self.holes) {
            self.look(capture, id);
        }
    }

    fn look(&mut self, capture: &Capture, id: u32) {
        let Some(placed) = capture.span(SpanId(id)) else {
            self.holes.push(id);
            return;
        };
        if self
            .names
            .get(placed.span.name.index())
            .copied()
            .unwrap_or(false)
        {
            self.count += 1;
            if self.found.len() < KEPT {
                self.found.push((placed.span.start, placed.span.id));
                self.is_sorted = false;
            }
        }
    }

    /// The match after `from` in order of time or, backwards, the one before; around the end to the other.
    pub fn go(&mut self, capture: &Capture, from: Option<SpanId>, forward: bool) -> Option<SpanId> {
        if !self.is_sorted {
            self.found.sort_unstable();
            self.is_sorted = true;
        }
        let here = from
            .and_then(|id| capture.span(id))
            .map(|placed| (placed.span.start, placed.span.id));
        let found = match (here, forward) {
            (Some(here), true) => {
                let after = self.found.partition_point(|place| *place <= here);
                self.found.get(after).or(self.found.first())
            }
            (Some(here), false) => {
                let at = self.found.partition_point(|place| *place < here);
                at.checked_sub(1)
                    .and_then(|at| self.found.get(at))
                    .or(self.found.last())
            }
            (None, true) => self.found.first(),
            (None, false) => self.found.last(),
        };
        found.map(|(_, id)| *id)
    }

    /// How many were found, and which of them is `chosen`.
    pub fn summary(&self, capture: &Capture, chosen: Option<SpanId>) -> String {
        if self.wanted.is_empty() {
            return String::new();
        }
        let so_far = if self.is_done(capture) { "" } else { "…" };
        let here = chosen
            .and_then(|id| capture.span(id))
            .map(|placed| (placed.span.start, placed.span.id));
        let place = here
            .filter(|_| self.is_sorted)
            .and_then(|here| self.found.binary_search(&here).ok());
        match place {
            Some(at) => format!(
                "{} of {}{so_far}",
                text::count(at as u64 + 1),
                text::count(self.count as u64)
            ),
            None if self.count == 0 && so_far.is_empty() => String::from("no match"),
            None => format!("{}{so_far}", text::counted(self.count as u64, "match")),
        }
    }

    /// Shows the field, the count and the two buttons.
    pub fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let mut wanted = scene.state.search.clone();
        let id = Id::unique("search");
        let key = Command::Search.key();
        if !wanted.is_empty() {
            for (sign, command) in [("▼", Command::NextMatch), ("▲", Command::PreviousMatch)] {
                let label = command.entry().map_or("", |entry| entry.label);
                if ui
                    .button(sign)
                    .on_hover_text(format!("{label} ({})", command.key()))
                    .clicked()
                {
                    actions.push(command.into());
                }
            }
            let summary = self.summary(scene.capture, scene.state.selection.span);
            ui.label(RichText::new(summary).color(scene.theme.weak));
        }
        let field = TextEdit::singleline(&mut wanted)
            .id(id)
            .hint_text(format!("Search spans  {key}"))
            .desired_width(180.0);
        let response = ui.add(field);
        ui.ctx()
            .accesskit_node_builder(id, |node| node.set_label("Search spans"));
        if std::mem::take(&mut self.focus) {
            response.request_focus();
        }
        if response.changed() {
            actions.push(Action::Search(wanted));
        }
        let (enter, back) =
            ui.input(|input| (input.key_pressed(Key::Enter), input.modifiers.shift));
        if response.lost_focus() && enter {
            actions.push(
                if back {
                    Command::PreviousMatch
                } else {
                    Command::NextMatch
                }
                .into(),
            );
            response.request_focus();
        }
    }
}

#[cfg(test)]
mod tests;

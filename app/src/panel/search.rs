//! The search field: spans whose name contains a text, found on every core, a slice a frame.

mod needle;
mod scan;

use std::time::{Duration, Instant};

use eframe::egui::{Id, Key, RichText, TextEdit, Ui};
use engine::capture::Capture;
use engine::record::SpanId;
use engine::time::Nanos;

use super::Scene;
use crate::action::{Action, Command};
use crate::text;
use needle::Needle;

/// Matches that are kept to go to; more are counted.
const KEPT: usize = 1_000_000;
/// Matches that are put in order at once; more are when one is gone to.
const SORTED: usize = 50_000;
/// Names and stretches of spans that are looked at between two looks at the clock: at first, and at most.
const NAMES: [usize; 2] = [4_096, 1 << 19];
const STRETCHES: [usize; 2] = [8, 1 << 11];

/// A search, and how far it has come.
#[derive(Default)]
pub struct Search {
    wanted: String,
    needle: Needle,
    /// Whether the name at each position matches; grows with the capture's names.
    names: Vec<bool>,
    /// What was known of names when less was wanted: none that did not match does now.
    before: Vec<bool>,
    /// The next stretch to look at, and what was found in those before.
    next: usize,
    passing: Vec<(Nanos, SpanId)>,
    passed: usize,
    /// How much is looked at at once, doubling.
    stride: u32,
    /// What was found when all was looked at last.
    found: Found,
    count: usize,
    /// Whether that is all there is.
    is_whole: bool,
    /// Whether spans came to stretches that were looked at already.
    is_stale: bool,
    revision: u64,
    focus: bool,
}

/// Matches: when each starts, and which span it is.
#[derive(Debug, Default, PartialEq)]
struct Found {
    places: Vec<(Nanos, SpanId)>,
    /// Whether they are in order yet: to sort very many takes longer than a keystroke may.
    is_sorted: bool,
}

impl Found {
    fn new(places: Vec<(Nanos, SpanId)>) -> Self {
        let is_sorted = false;
        Self { places, is_sorted }
    }

    /// Puts them in order of time.
    fn sort(&mut self) {
        if !std::mem::replace(&mut self.is_sorted, true) {
            // What lies in one stretch is in order already.
            self.places.sort();
        }
    }
}

impl Search {
    /// Puts the cursor into the field at the next frame.
    pub fn take_focus(&mut self) {
        self.focus = true;
    }

    /// Looks on for about `budget`, and says whether every span has been looked at.
    pub fn advance(&mut self, capture: &Capture, wanted: &str, budget: Duration) -> bool {
        if self.wanted != wanted {
            self.begin(wanted);
        }
        if wanted.is_empty() {
            return true;
        }
        if self.revision != capture.revision() {
            self.revision = capture.revision();
            self.is_whole = false;
            self.is_stale = self.next > 0;
        }
        let start = Instant::now();
        while !self.is_whole {
            self.step(capture);
            if start.elapsed() >= budget {
                break;
            }
        }
        self.is_whole
    }

    /// Begins to look for something else.
    fn begin(&mut self, wanted: &str) {
        let needle = Needle::new(wanted);
        let before = if needle.narrows(&self.needle) {
            std::mem::take(&mut self.names)
        } else {
            Vec::new()
        };
        *self = Self {
            wanted: wanted.to_owned(),
            needle,
            before,
            focus: self.focus,
            ..Self::default()
        };
    }

    /// Forgets what was found, because another capture is on screen.
    pub fn renew(&mut self) {
        *self = Self {
            focus: self.focus,
            ..Self::default()
        };
    }

    /// Looks at some names, or else at some spans, or puts what was found in order.
    fn step(&mut self, capture: &Capture) {
        let stride = |[first, most]: [usize; 2], times: u32| (first << times.min(16)).min(most);
        self.stride += 1;
        let known = self.names.len();
        if known < capture.name_count() {
            let end = (known + stride(NAMES, self.stride)).min(capture.name_count());
            let more = scan::names(capture, known..end, &self.needle, &self.before);
            self.names.extend(more);
        } else if self.next < capture.stretch_count() {
            let end = (self.next + stride(STRETCHES, self.stride)).min(capture.stretch_count());
            let room = KEPT - self.passing.len().min(KEPT);
            let (kept, count) = scan::spans(capture, self.next..end, &self.names, room);
            self.passing.extend(kept);
            self.passed += count;
            self.next = end;
        } else {
            self.found = Found::new(std::mem::take(&mut self.passing));
            if self.found.places.len() <= SORTED {
                self.found.sort();
            }
            (self.count, self.passed, self.next, self.stride) = (self.passed, 0, 0, 0);
            self.is_whole = !std::mem::take(&mut self.is_stale);
        }
    }

    /// The match after `from` in order of time or, backwards, the one before; around the end to the other.
    pub fn go(&mut self, capture: &Capture, from: Option<SpanId>, forward: bool) -> Option<SpanId> {
        if self.found.places.is_empty() {
            // Nothing was seen to its end yet: what was found so far has to do.
            self.found = Found::new(self.passing.clone());
        }
        self.found.sort();
        let places = &self.found.places;
        let here = from
            .and_then(|id| capture.span(id))
            .map(|placed| (placed.span.start, placed.span.id));
        let found = match (here, forward) {
            (Some(here), true) => {
                let after = places.partition_point(|place| *place <= here);
                places.get(after).or(places.first())
            }
            (Some(here), false) => {
                let at = places.partition_point(|place| *place < here);
                at.checked_sub(1)
                    .and_then(|at| places.get(at))
                    .or(places.last())
            }
            (None, true) => places.first(),
            (None, false) => places.last(),
        };
        found.map(|(_, id)| *id)
    }

    /// How many were found, and which of them is `chosen`.
    pub fn summary(&self, capture: &Capture, chosen: Option<SpanId>) -> String {
        if self.wanted.is_empty() {
            return String::new();
        }
        let so_far = if self.is_whole { "" } else { "…" };
        let count = self.count.max(self.passed);
        let here = chosen
            .and_then(|id| capture.span(id))
            .map(|placed| (placed.span.start, placed.span.id));
        let here = here.filter(|_| self.found.is_sorted);
        let place = here.and_then(|here| self.found.places.binary_search(&here).ok());
        match place {
            Some(at) => format!(
                "{} of {}{so_far}",
                text::count(at as u64 + 1),
                text::count(count as u64)
            ),
            None if count == 0 && so_far.is_empty() => String::from("no match"),
            None => format!("{}{so_far}", text::counted(count as u64, "match")),
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

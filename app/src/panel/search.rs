//! The search field: spans whose name contains a text, found on every core, a slice a frame.

mod filters;
mod marks;
mod needle;
mod scan;

use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui::{Button, Id, Key, RichText, TextEdit, Ui};
use engine::capture::Capture;
use engine::record::SpanId;

use super::{Scene, sign_button};
use crate::action::{Action, Command};
use crate::text;
use filters::SearchQuery;
use marks::NameMarks;
use needle::Needle;
use scan::{MatchPosition, MatchTally};

/// So many matches are kept in order of time; of more, each is looked for when it is gone to.
const KEPT: usize = 50_000;
/// Pages of names and stretches of spans that are looked at between two looks at the clock: at first, and at most.
const PAGES: [usize; 2] = [16, 1 << 11];
const STRETCHES: [usize; 2] = [8, 1 << 11];

/// Room in which what was found stands beside the field, in points; a narrower bar leaves it to the tab of matches.
const ROOM: f32 = 200.0;

/// Width of the field, in points, at most.
const WIDEST: f32 = 260.0;

/// What can be searched for.
const HELP: &str = "A part of a name, and with it or alone: kind:upload, lane:copy, lane:\"stream 7\", >100us, <1ms, arg:bytes or \
    arg:bytes=4096";

/// The matches of a search, to be listed and marked.
#[derive(Clone, Debug, Default)]
pub struct FoundSpans {
    /// When each starts, and which span it is, in order of time; at most some ten thousand.
    pub matches: Arc<Vec<(engine::time::Nanos, SpanId)>>,
    /// How many there are.
    pub count: usize,
    /// Another number each time that they were looked for.
    pub version: u64,
}

/// A search, and how far it has come.
#[derive(Default)]
pub struct NameSearch {
    wanted: String,
    query: SearchQuery,
    needle: Needle,
    /// Which names match; grows with the capture's names.
    names: NameMarks,
    /// What was known of names when less was wanted: none that did not match does now.
    before: NameMarks,
    /// The next stretch to look at, and what was found in those before.
    next: usize,
    passing: MatchTally,
    /// How much is looked at at once, doubling.
    stride: u32,
    /// What was found when all was looked at last.
    found: MatchTally,
    /// The same as it is shown: in order of time, and where there are too many, those that were found first.
    shown: FoundSpans,
    /// The match that was gone to last.
    here: Option<MatchPosition>,
    /// Whether that is all there is.
    is_whole: bool,
    /// Whether spans came to stretches that were looked at already.
    is_stale: bool,
    revision: u64,
    focus: bool,
}

impl NameSearch {
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
        let query = SearchQuery::parse(wanted);
        let needle = Needle::new(&query.name);
        let before = if needle.narrows(&self.needle) {
            std::mem::take(&mut self.names)
        } else {
            NameMarks::default()
        };
        *self = Self {
            wanted: wanted.to_owned(),
            query,
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
        let stretches = capture.stretch_count();
        if self.names.known() < capture.name_count() {
            let pages = self.names.next_page();
            let end = (pages + stride(PAGES, self.stride)).min(capture.name_page_count());
            let more = scan::names(capture, pages..end, &self.needle, &self.before);
            self.names.extend(more, capture.name_count());
        } else if self.next < stretches {
            let end = (self.next + stride(STRETCHES, self.stride)).min(stretches);
            // One more than are kept tells that there are too many.
            let room = (KEPT + 1).saturating_sub(self.passing.places.len());
            let wanted = (self.here, room);
            let asked = (&self.names, &self.query);
            let more = scan::spans(capture, self.next..end, asked, wanted);
            self.passing.add(more);
            self.next = end;
        } else {
            self.found = std::mem::take(&mut self.passing);
            // What lies in one stretch is in order already.
            self.found.places.sort();
            self.shown = FoundSpans {
                matches: Arc::new(self.found.places.clone()),
                count: self.found.count,
                version: self.shown.version + 1,
            };
            if self.found.count > KEPT {
                self.found.places = Vec::new();
            }
            (self.next, self.stride) = (0, 0);
            self.is_whole = !std::mem::take(&mut self.is_stale);
        }
    }

    /// The match after `from` in order of time or, backwards, the one before; around the end to the other.
    pub fn go(&mut self, capture: &Capture, from: Option<SpanId>, forward: bool) -> Option<SpanId> {
        let here = place_of(capture, from);
        if self.is_whole && self.found.count == 0 {
            return None;
        }
        if self.found.places.is_empty() {
            // They are too many to be kept, or not all looked at yet.
            let asked = (&self.names, &self.query);
            let (place, before) = scan::next(capture, asked, here, forward)?;
            (self.here, self.found.before) = (Some(place), before);
            // Those that come before it have not been counted so far.
            (self.next, self.passing) = (0, MatchTally::default());
            return Some(place.1);
        }
        beside(&self.found.places, here, forward).map(|(_, id)| *id)
    }

    /// What was found when all was looked at last.
    pub fn found(&self) -> FoundSpans {
        self.shown.clone()
    }

    /// How many were found, and which of them is `chosen`.
    pub fn summary(&self, capture: &Capture, chosen: Option<SpanId>) -> String {
        if self.wanted.is_empty() {
            return String::new();
        }
        let so_far = if self.is_whole { "" } else { "…" };
        let count = self.found.count.max(self.passing.count);
        let chosen = place_of(capture, chosen);
        let kept = chosen.and_then(|it| self.found.places.binary_search(&it).ok());
        let gone_to = || (self.here.is_some() && self.here == chosen).then_some(self.found.before);
        match kept.or_else(gone_to) {
            Some(at) => format!(
                "{} of {}{so_far}",
                text::count(at as u64 + 1),
                text::count(count as u64)
            ),
            None if count == 0 && so_far.is_empty() => {
                // Which word that is stands in the tooltip: the field needs the room.
                let doubtful = SearchQuery::doubtful(&self.wanted);
                doubtful.map_or("no match", |_| "no condition").to_owned()
            }
            None => format!("{}{so_far}", text::counted(count as u64, "match")),
        }
    }

    /// Shows the field, the count and the two buttons.
    pub fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let mut wanted = scene.state.search.clone();
        let id = Id::unique("search");
        let key = Command::Search.key();
        let room = ui.available_width();
        if !wanted.is_empty() && room > ROOM {
            for (sign, command) in [("▼", Command::NextMatch), ("▲", Command::PreviousMatch)] {
                let label = command.entry().map_or("", |entry| entry.label);
                if sign_button(ui, Button::new(sign), label, &command.key()).clicked() {
                    actions.push(command.into());
                }
            }
            let summary = self.summary(scene.capture, scene.state.selection.span);
            let words = RichText::new(summary).color(scene.theme.weak);
            let list = ui.add(Button::new(words).frame(false));
            let doubtful = SearchQuery::doubtful(&wanted)
                .map(|it| format!("{it} is no condition, so it is looked for in names. {HELP}"));
            let words = doubtful.as_deref().unwrap_or("List the matches");
            if list.on_hover_text(words).clicked() {
                actions.push(Action::OpenTab("matches"));
            }
        }
        let field = TextEdit::singleline(&mut wanted)
            .id(id)
            .hint_text(format!("Search spans  {key}"))
            .desired_width((ui.available_width() - 12.0).clamp(60.0, WIDEST));
        let response = ui.add(field).on_hover_text(HELP);
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

/// The match after a place or, backwards, the one before; around the end to the other.
fn beside(
    places: &[MatchPosition],
    here: Option<MatchPosition>,
    forward: bool,
) -> Option<&MatchPosition> {
    match (here, forward) {
        (Some(here), true) => {
            let after = places.partition_point(|place| *place <= here);
            places.get(after).or(places.first())
        }
        (Some(here), false) => {
            let at = places.partition_point(|place| *place < here);
            let before = at.checked_sub(1).and_then(|at| places.get(at));
            before.or(places.last())
        }
        (None, true) => places.first(),
        (None, false) => places.last(),
    }
}

/// Where a span lies in the order of matches.
fn place_of(capture: &Capture, span: Option<SpanId>) -> Option<MatchPosition> {
    let placed = capture.span(span?)?;
    Some((placed.span.start, placed.span.id))
}

#[cfg(test)]
mod tests;

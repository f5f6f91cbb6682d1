//! The captures that are open at once, of which one is on screen: the run of this window, and files.
//!
//! What belongs to the one on screen lies in the state and the status, where everything reads it; of the others it is put
//! away here, and changed places with when they are shown.

use std::sync::Arc;

use engine::capture::Capture;
use engine::importer::MergedFile;
use engine::runner::Phase;
use engine::time::Nanos;

use super::App;
use super::fleet::FleetJob;
use super::measuring::RangeJob;
use super::why::ConclusionsJob;
use crate::action::Action;
use crate::panel::{FleetStatus, NameSearch, SceneConclusions, TabLabel};
use crate::state::{
    Bookmarks, Documents, FleetView, OpenedFiles, Playback, Selection, View, ViewHistory,
};
use crate::timeline::Timeline;

/// A capture that is not on screen, with all that belongs to it alone.
#[derive(Default)]
struct ParkedTab {
    capture: Arc<Capture>,
    view: View,
    selection: Selection,
    bookmarks: Bookmarks,
    history: ViewHistory,
    follow: bool,
    playback: Option<Playback>,
    alignment: Vec<Nanos>,
    wanted: String,
    chosen: usize,
    is_live: bool,
    is_document: bool,
    loading: Option<String>,
    opened: Option<String>,
    content: Option<String>,
    lost: u64,
    slowest: Option<f64>,
    parts: Vec<MergedFile>,
    files: OpenedFiles,
    why: SceneConclusions,
    search: NameSearch,
    concluding: ConclusionsJob,
    fleet: FleetView,
    fleet_status: FleetStatus,
    fleet_job: FleetJob,
    timeline: Timeline,
}

/// How many runs of other workloads are kept.
const KEPT: usize = 8;

impl ParkedTab {
    fn label(&self, documents: &Documents) -> TabLabel {
        label(
            self.opened.as_ref(),
            (&self.capture, self.chosen),
            (documents, self.fleet.is_shown()),
        )
    }
}

/// Every capture that is open, from left to right.
pub(super) struct Tabs {
    /// Nothing stands in the place of the one on screen.
    parked: Vec<Option<ParkedTab>>,
    shown: usize,
    /// What ran last of workloads that are not chosen now, by their names, the latest last.
    runs: Vec<(String, ParkedTab)>,
}

impl Default for Tabs {
    fn default() -> Self {
        Self {
            parked: vec![None],
            shown: 0,
            runs: Vec::new(),
        }
    }
}

impl Tabs {
    /// The files of captures that are not on screen.
    pub fn parked_files(&self) -> impl Iterator<Item = &OpenedFiles> {
        self.parked.iter().flatten().map(|it| &it.files)
    }

    /// The same, to say how they are.
    pub fn parked_files_mut(&mut self) -> impl Iterator<Item = &mut OpenedFiles> {
        self.parked.iter_mut().flatten().map(|it| &mut it.files)
    }
}

impl App {
    /// Changes what is on screen, and all that belongs to it, with what `other` holds.
    fn exchange(&mut self, other: &mut ParkedTab) {
        use std::mem::swap;
        let (state, status) = (&mut self.state, &mut self.status);
        swap(&mut self.capture, &mut other.capture);
        swap(&mut self.search, &mut other.search);
        swap(&mut self.concluding, &mut other.concluding);
        swap(&mut self.timeline, &mut other.timeline);
        swap(&mut self.fleet, &mut other.fleet_job);
        swap(&mut state.fleet, &mut other.fleet);
        swap(&mut status.fleet, &mut other.fleet_status);
        swap(&mut state.view, &mut other.view);
        swap(&mut state.selection, &mut other.selection);
        swap(&mut state.bookmarks, &mut other.bookmarks);
        swap(&mut state.history, &mut other.history);
        swap(&mut state.follow, &mut other.follow);
        swap(&mut state.playback, &mut other.playback);
        swap(&mut state.alignment, &mut other.alignment);
        swap(&mut state.search, &mut other.wanted);
        swap(&mut state.documents.chosen, &mut other.chosen);
        swap(&mut status.is_live, &mut other.is_live);
        swap(&mut status.is_document, &mut other.is_document);
        swap(&mut status.loading, &mut other.loading);
        swap(&mut status.opened, &mut other.opened);
        swap(&mut status.content, &mut other.content);
        swap(&mut status.lost, &mut other.lost);
        swap(&mut status.slowest, &mut other.slowest);
        swap(&mut status.parts, &mut other.parts);
        swap(&mut status.files, &mut other.files);
        swap(&mut status.why, &mut other.why);
        // What was counted is of the other one.
        self.measuring = RangeJob::default();
        status.measure = None;
    }

    /// Puts the tab at `place` on screen.
    pub(super) fn show_tab(&mut self, place: usize) {
        let Some(mut other) = self.tabs.parked.get_mut(place).and_then(Option::take) else {
            return;
        };
        self.exchange(&mut other);
        let left = self.tabs.shown;
        if let Some(slot) = self.tabs.parked.get_mut(left) {
            *slot = Some(other);
        }
        self.tabs.shown = place;
        self.label_tabs();
    }

    /// Opens an empty tab at the end and shows it; one in which nothing was ever shown is used in its place.
    pub(super) fn new_tab(&mut self) {
        let is_blank = self.capture.run().is_none()
            && self.capture.lanes().is_empty()
            && self.status.opened.is_none()
            && self.status.phase == Phase::Idle;
        if is_blank {
            return;
        }
        self.tabs.parked.push(Some(ParkedTab {
            chosen: self.state.documents.chosen,
            ..ParkedTab::default()
        }));
        self.show_tab(self.tabs.parked.len() - 1);
    }

    /// Shows the tab of this window's own runs, which is opened where there is none.
    pub(super) fn show_run_tab(&mut self) {
        if self.status.opened.is_none() {
            return;
        }
        let own = |it: &Option<ParkedTab>| it.as_ref().is_some_and(|it| it.opened.is_none());
        if let Some(place) = self.tabs.parked.iter().position(own) {
            self.turn_to_tab(place);
        } else {
            self.drop_note();
            self.new_tab();
        }
    }

    /// Shows what ran last of the chosen workload in the place of another one's run, which is kept. While anything runs it is
    /// that which is shown.
    pub(super) fn turn_to_chosen(&mut self) {
        if self.status.opened.is_some() || self.status.phase != Phase::Idle {
            return;
        }
        let Some(chosen) = self.state.documents.text().map(|it| it.name.clone()) else {
            return;
        };
        let shown = self.capture.run().map(|run| run.name.clone());
        let is_recorded = shown.as_deref().is_some_and(|it| !self.is_workload(it));
        if is_recorded || shown.as_deref() == Some(&chosen) {
            return;
        }
        let kept = self.tabs.runs.iter().position(|(name, _)| *name == chosen);
        if kept.is_none() && shown.is_none() {
            return self.label_tabs();
        }
        let kept = kept.map(|place| self.tabs.runs.remove(place).1);
        let mut other = kept.unwrap_or_default();
        other.chosen = self.state.documents.chosen;
        self.exchange(&mut other);
        self.keep_run(other);
        self.drop_note();
        self.label_tabs();
    }

    /// Whether a workload of this name is at hand.
    fn is_workload(&self, name: &str) -> bool {
        let mut texts = self.state.documents.texts.iter();
        texts.any(|text| text.name == name)
    }

    /// Keeps a run that leaves the screen, until its workload is chosen again.
    fn keep_run(&mut self, tab: ParkedTab) {
        let run = tab.capture.run().filter(|_| tab.opened.is_none());
        let name = run.map(|run| run.name.clone());
        let Some(name) = name.filter(|it| self.is_workload(it)) else {
            return;
        };
        let runs = &mut self.tabs.runs;
        runs.retain(|(other, _)| *other != name);
        runs.push((name, tab));
        let surplus = runs.len().saturating_sub(KEPT);
        runs.drain(..surplus);
    }

    /// Does `work` with the tab on screen that is wanted, and puts back the one that was. Where the one on screen `is_shown`
    /// to be it, or there is none, nothing changes places.
    fn within<T>(
        &mut self,
        (is_shown, is_wanted): (bool, fn(&ParkedTab) -> bool),
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let wanted = |it: &Option<ParkedTab>| it.as_ref().is_some_and(is_wanted);
        let mut parked = self.tabs.parked.iter();
        let Some(place) = parked.position(wanted).filter(|_| !is_shown) else {
            return work(self);
        };
        let before = self.tabs.shown;
        self.show_tab(place);
        let done = work(self);
        self.show_tab(before);
        done
    }

    /// Does `work` in the tab of this window's runs, whichever is on screen.
    pub(super) fn in_run_tab<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.within(
            (self.status.opened.is_none(), |it| it.opened.is_none()),
            work,
        )
    }

    /// Does `work` in the tab of the file that is being read, whichever is on screen.
    pub(super) fn in_loading_tab(&mut self, work: impl FnOnce(&mut Self)) {
        self.within(
            (self.status.loading.is_some(), |it| it.loading.is_some()),
            work,
        );
    }

    /// Puts a tab on screen that the user asks for; what was said of the one before goes with it.
    pub(super) fn turn_to_tab(&mut self, place: usize) {
        self.show_tab(place);
        self.drop_note();
    }

    /// Forgets what was said of a capture, unless something went wrong.
    fn drop_note(&mut self) {
        if self.state.notice.as_ref().is_some_and(|it| !it.is_error) {
            self.act(vec![Action::Notify(None)], None);
        }
    }

    /// Closes the tab at `place`. The last one leaves an empty window.
    pub(super) fn close_tab(&mut self, place: usize) {
        if place >= self.tabs.parked.len() {
            return;
        }
        let before = self.tabs.shown;
        self.show_tab(place);
        self.keep_view();
        if self.status.loading.is_some() {
            self.files.cancel();
            self.status.job = None;
        }
        if self.status.opened.is_none() && self.status.phase != Phase::Idle {
            self.show_tab(before);
            return self.tell(
                false,
                "A run is under way in this tab; stop it before the tab is closed".to_owned(),
            );
        }
        if self.tabs.parked.len() == 1 {
            let chosen = self.state.documents.chosen;
            let mut blank = ParkedTab {
                chosen,
                ..ParkedTab::default()
            };
            self.exchange(&mut blank);
            self.keep_run(blank);
        } else {
            let next = match before {
                _ if before == place && place > 0 => place - 1,
                _ if before == place => 1,
                _ => before,
            };
            self.show_tab(next);
            let closed = self.tabs.parked.remove(place);
            if let Some(closed) = closed {
                self.keep_run(closed);
            }
            self.tabs.shown -= usize::from(place < next);
        }
        if before == place {
            self.drop_note();
        }
        self.label_tabs();
    }

    /// The tab in which these files are open.
    pub(super) fn tab_of(&self, paths: &[std::path::PathBuf]) -> Option<usize> {
        let is = |parts: &[MergedFile]| {
            let own = parts.iter().map(|part| &part.path);
            !parts.is_empty() && own.eq(paths.iter())
        };
        let parked = self.tabs.parked.iter().enumerate();
        let mut tabs = parked.map(|(place, tab)| (place, tab.as_ref()));
        let found = tabs.find(|(_, tab)| match tab {
            Some(tab) => is(&tab.parts),
            None => is(&self.status.parts),
        });
        found.map(|(place, _)| place)
    }

    /// The tab in which the dataset of this folder is open.
    pub(super) fn tab_of_dataset(&self, root: &std::path::Path) -> Option<usize> {
        let mut tabs = self.tabs.parked.iter();
        tabs.position(|tab| {
            let view = tab.as_ref().map_or(&self.state.fleet, |it| &it.fleet);
            view.root.as_deref() == Some(root)
        })
    }

    /// The tab of the files that are being read.
    pub(super) fn loading_tab(&self) -> Option<usize> {
        if self.status.loading.is_some() {
            return Some(self.tabs.shown);
        }
        let is_loading =
            |it: &Option<ParkedTab>| it.as_ref().is_some_and(|it| it.loading.is_some());
        self.tabs.parked.iter().position(is_loading)
    }

    /// The next or the previous tab is shown.
    pub(super) fn step_tab(&mut self, forward: bool) {
        let count = self.tabs.parked.len();
        let step = if forward { 1 } else { count - 1 };
        self.turn_to_tab((self.tabs.shown + step) % count);
    }

    /// The position of the tab on screen.
    pub(super) const fn shown_tab(&self) -> usize {
        self.tabs.shown
    }

    /// Says in the status which tabs there are.
    pub(super) fn label_tabs(&mut self) {
        let documents = &self.state.documents;
        let shown = label(
            self.status.opened.as_ref(),
            (&self.capture, documents.chosen),
            (documents, self.state.fleet.is_shown()),
        );
        let parked = self.tabs.parked.iter();
        let parked = parked.map(|tab| tab.as_ref().map(|it| it.label(documents)));
        let tabs = parked.map(|it| it.unwrap_or_else(|| shown.clone()));
        self.status.tabs = tabs.collect();
        self.status.tab = self.tabs.shown;
        self.watch_files();
    }
}

/// What a tab is called: its file, or the workload that ran in it, or is to.
fn label(
    opened: Option<&String>,
    (capture, chosen): (&Capture, usize),
    (documents, is_dataset): (&Documents, bool),
) -> TabLabel {
    let title = |name: &str| {
        let known = documents.texts.iter().find(|it| it.name == name);
        known.map_or_else(|| name.to_owned(), |it| it.title.clone())
    };
    let run = capture.run().map(|run| title(&run.name));
    let chosen = || documents.texts.get(chosen).map(|it| it.title.clone());
    let name = opened.cloned().or(run).or_else(chosen);
    TabLabel {
        name: name.unwrap_or_default(),
        is_run: opened.is_none(),
        is_dataset,
    }
}

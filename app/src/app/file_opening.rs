//! Files that are opened: each capture in a tab of its own, shown as far as it was read, and workloads, listed and run.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::Context;
use engine::fleet::FleetDataset;
use engine::importer::{MergedFile, torch_snapshot};
use engine::record::SpanId;
use engine::time::{Interval, Nanos};

use super::App;
use super::files::{ReadCapture, called, ends_with, name};
use crate::action::{Action, BookmarkAction, Command};
use crate::apply::apply;
use crate::capture_link::CaptureLink;
use crate::state::{
    MissedFiles, OpenedFiles, SceneRenumbering, UnsavedRisk, ViewChange, WorkloadText,
};

/// So many times the length of a span are shown before it, and after it, where a link leads to it.
const AROUND: i64 = 10;

/// Said where files that are read again cannot be shown as they are now.
pub(super) const KEPT_ON_SCREEN: &str = "What is on screen is what was read before.";

/// What the files of a capture are called together.
fn called_parts(parts: &[MergedFile]) -> String {
    let paths: Vec<PathBuf> = parts.iter().map(|part| part.path.clone()).collect();
    called(&paths)
}

/// What is to be known of files, in one line; nothing where they have no notes.
fn line_of_notes(parts: &[MergedFile]) -> Option<String> {
    let noted = parts.iter().filter(|part| !part.receipt.notes.is_empty());
    let noted: Vec<&MergedFile> = noted.collect();
    match noted.as_slice() {
        [] => None,
        [only] => {
            let text = only.receipt.notes.join(" ");
            Some(format!("{}: {text}", name(&only.path)))
        }
        several => Some(format!(
            "{} files have notes; the receipt lists them",
            several.len()
        )),
    }
}

impl App {
    /// Reads files, each time in a tab of their own; files that are open already are shown.
    pub(super) fn open_files(&mut self, paths: Vec<PathBuf>) {
        let is_dataset = |it: &PathBuf| FleetDataset::is_dataset(it);
        let (datasets, paths): (Vec<PathBuf>, Vec<PathBuf>) =
            paths.into_iter().partition(is_dataset);
        let has_datasets = !datasets.is_empty();
        self.open_datasets(datasets);
        if has_datasets && paths.is_empty() {
            return;
        }
        let is_text = |path: &&PathBuf| ends_with(path, "kdl");
        let captures: Vec<PathBuf> = paths.iter().filter(|it| !is_text(it)).cloned().collect();
        if captures.len() == paths.len()
            && let Some(place) = self.tab_of(&captures)
        {
            return self.show_tab(place);
        }
        self.end_loading();
        let label = called(&paths);
        if !captures.is_empty() {
            self.new_tab();
            self.status.loading = Some(called(&captures));
            self.status.is_document = true;
            self.status.opened = Some(called(&captures));
            self.label_tabs();
        }
        self.begin_job(format!("Opening {label}"));
        self.files.open(paths);
    }

    /// Reads the files on screen again, and `more` with them, as one capture.
    pub(super) fn open_more(&mut self, more: Vec<PathBuf>) {
        let own = self.status.parts.iter().map(|part| part.path.clone());
        let mut paths: Vec<PathBuf> = own.collect();
        if paths.is_empty() {
            return self.act(vec![Action::OpenFiles(more)], None);
        }
        paths.extend(more);
        // The numbers of spans are others once there are more of them.
        let forget = Action::Bookmark(BookmarkAction::ForgetSpans);
        self.act(vec![forget], None);
        self.end_loading();
        self.status.loading = Some(called(&paths));
        self.begin_job(format!("Opening {}", called(&paths)));
        self.files.open(paths);
    }

    /// What was being read comes to nothing: its tab closes, unless something was on screen in it before.
    pub(super) fn end_loading(&mut self) {
        if self.status.loading.is_some() && !self.status.parts.is_empty() {
            self.status.loading = None;
            self.status.files.give_up();
        } else if let Some(place) = self.loading_tab() {
            self.close_tab(place);
        }
    }

    /// A capture was read: it is shown, from where its user left it last.
    pub(super) fn opened(&mut self, read: ReadCapture) {
        if self.status.files.is_read_again {
            return self.read_again(read);
        }
        let ReadCapture {
            capture,
            parts,
            content,
            ..
        } = read;
        let is_followed = self.status.files.is_followed;
        self.status.files = OpenedFiles {
            found: read.reading.version.clone(),
            asked: read.asked,
            reading: Some(read.reading),
            is_followed: is_followed || self.watch.follows_all,
            ..OpenedFiles::default()
        };
        let was_looked_at = self.status.loading.is_some() && self.state.view.interval.is_some();
        self.status.job = None;
        self.status.is_live = false;
        self.status.loading = None;
        self.status.lost = 0;
        let run = capture.run().filter(|run| !run.source.is_empty()).cloned();
        self.status.opened = Some(called_parts(&parts));
        self.status.content = content;
        self.status.is_document = run.is_none();
        if was_looked_at {
            self.show_capture(Arc::new(capture));
        } else {
            self.replace(capture);
        }
        self.restore_view(was_looked_at);
        self.label_tabs();
        let is_snapshot = self
            .capture
            .run()
            .is_some_and(|it| it.backend == torch_snapshot::NAME);
        let first = if is_snapshot { "memory" } else { "overview" };
        self.act(vec![Action::Survey(first)], None);
        if let Some(run) = run {
            let text = WorkloadText {
                title: run.name.clone(),
                name: run.name,
                saved: run.source.clone(),
                source: run.source,
                path: None,
                capture: parts.first().map(|part| part.path.clone()),
            };
            let documents = &self.state.documents;
            let mut texts = documents.texts.iter();
            let known =
                texts.position(|other| other.source == text.source && other.name == text.name);
            // It belongs to what was opened, and so does not take that off the screen.
            let choice = known.map_or(Action::Adopt(Box::new(text)), Action::Choose);
            apply(&mut self.state, &self.capture, choice);
            self.check_text();
        }
        self.tell_notes(&parts);
        // What can be read only once cannot be opened again.
        let again = parts.iter().rev().filter(|part| part.path.is_file());
        let paths: Vec<_> = again.map(|part| part.path.clone()).collect();
        self.status.parts = parts;
        self.act(paths.into_iter().map(Action::Remember).collect(), None);
        self.reach_goal();
    }

    /// The files on screen were read again: what was seen, chosen and pinned in them before still is.
    fn read_again(&mut self, read: ReadCapture) {
        self.status.job = None;
        self.status.loading = None;
        let files = &mut self.status.files;
        files.is_read_again = false;
        files.found.clone_from(&read.reading.version);
        files.reading = Some(read.reading);
        if read.capture.span_count() == 0 && self.capture.span_count() > 0 {
            // Whoever writes a file in place may have begun anew.
            let name = called(&read.asked);
            let text = format!("{name} holds nothing to show at the moment. {KEPT_ON_SCREEN}");
            return self.tell(true, text);
        }
        let now = Arc::new(read.capture);
        let absent = &mut self.status.files.absent;
        let renumbering = SceneRenumbering::new(&self.capture, &now, &self.state, absent);
        self.show_capture(now);
        let renumber = Action::Renumber(Box::new(renumbering));
        self.act(vec![renumber], None);
        // Why it could not be read before is over.
        if self.state.notice.as_ref().is_some_and(|it| it.is_error) {
            self.act(vec![Action::Notify(None)], None);
        }
        self.status.opened = Some(called_parts(&read.parts));
        self.status.content = read.content;
        let notes = |parts: &[MergedFile]| -> Vec<Vec<String>> {
            parts.iter().map(|it| it.receipt.notes.clone()).collect()
        };
        if notes(&self.status.parts) != notes(&read.parts) {
            self.withdraw_notes();
            self.tell_notes(&read.parts);
        }
        self.tell_gone(&read.parts);
        self.status.parts = read.parts;
        if self.state.alignment.iter().any(|it| *it != Nanos::ZERO) {
            self.align();
        }
        self.label_tabs();
    }

    /// Says which files of a folder that is read again are gone. What has the name of a new one makes room for it.
    fn tell_gone(&mut self, parts: &[MergedFile]) {
        let is_gone = |old: &&MergedFile| {
            let name = old.path.file_name();
            parts.iter().all(|new| new.path.file_name() != name)
        };
        let gone = self.status.parts.iter().filter(is_gone);
        let gone: Vec<PathBuf> = gone.map(|it| it.path.clone()).collect();
        if !gone.is_empty() {
            let text = format!("{}: not among what is read any more", called(&gone));
            self.tell(false, text);
            self.status.files.missed = Some(MissedFiles::Parts);
        } else if self.status.files.missed.take() == Some(MissedFiles::Parts) {
            self.act(vec![Action::Notify(None)], None);
        }
    }

    /// Says in a line above the timeline what is to be known of the files; all of it stands in the receipt.
    fn tell_notes(&mut self, parts: &[MergedFile]) {
        if let Some(text) = line_of_notes(parts) {
            self.tell(false, text);
        }
    }

    /// Takes away the line that says what was to be known of the files on screen, where it still stands there.
    fn withdraw_notes(&mut self) {
        let told = line_of_notes(&self.status.parts);
        let notice = self.state.notice.as_ref();
        if told.is_some() && notice.map(|it| &it.text) == told.as_ref() {
            self.act(vec![Action::Notify(None)], None);
        }
    }

    /// Opens the files of a link, and goes to its place once they are.
    pub(super) fn open_link(&mut self, link: CaptureLink) {
        let files = link.files.clone();
        self.goal = Some(link);
        self.act(vec![Action::OpenFiles(files)], None);
        if self.status.loading.is_none() {
            self.reach_goal();
        }
    }

    /// Goes to the place of a link whose files are on screen now.
    fn reach_goal(&mut self) {
        let Some(link) = self.goal.take() else { return };
        let own = self.status.parts.iter().map(|part| part.path.as_path());
        let of_link = link.files.iter().map(PathBuf::as_path);
        if own.collect::<BTreeSet<_>>() != of_link.collect() {
            // Something else was opened meanwhile.
            return;
        }
        match (link.span, link.at) {
            (Some(span), at) if self.capture.span(span).is_some() => {
                let own = self.capture.span(span).map(|it| it.interval());
                let shown = at.map(|at| {
                    // A link to a span has its own time, which is shown with what is around it.
                    let around = if own == Some(at) { AROUND } else { 0 };
                    let around = Nanos(at.length().0.saturating_mul(around));
                    let shown = Interval::new(at.start - around, at.end + around);
                    Action::Show(Some(shown), ViewChange::Jump)
                });
                // A time that the link names is what is shown, wherever the span lies.
                let select = match shown {
                    Some(_) => Action::Select(Some(span)),
                    None => Action::Reveal(span),
                };
                self.act(shown.into_iter().chain([select]).collect(), None);
            }
            (Some(span), at) => {
                self.act(at.into_iter().flat_map(Action::visit).collect(), None);
                let text = format!(
                    "The link names span {}, which this capture does not have: it may have changed since",
                    span.0
                );
                self.tell(true, text);
            }
            (None, Some(at)) => self.act(Action::visit(at), None),
            (None, None) => {}
        }
    }

    /// Copies the link to a place of the capture on screen.
    pub(super) fn copy_link(
        &mut self,
        at: Interval,
        span: Option<SpanId>,
        context: Option<&Context>,
    ) {
        match (self.link_to(at, span), context) {
            (Some(link), Some(context)) => context.copy_text(link.to_string()),
            (Some(_), None) => {}
            (None, _) => {
                let text = "There is no file to link to: save the capture, and open it from there";
                self.tell(false, text.to_owned());
            }
        }
    }

    /// The link to a place of the capture on screen; nothing where no files hold it.
    fn link_to(&self, at: Interval, span: Option<SpanId>) -> Option<CaptureLink> {
        let files = self.status.parts.iter().map(|part| part.path.as_path());
        let files: Vec<PathBuf> = files
            .filter(|it| it.is_file())
            .map(|it| std::path::absolute(it).unwrap_or_else(|_| it.to_path_buf()))
            .collect();
        let is_whole = !files.is_empty() && files.len() == self.status.parts.len();
        is_whole.then_some(CaptureLink {
            files,
            at: Some(at),
            span,
        })
    }

    /// A workload's text was read: it replaces what was read from its file before, unless that was edited here.
    pub(super) fn adopt(&mut self, path: PathBuf, source: String) {
        self.status.job = None;
        let title = name(&path);
        let text = WorkloadText {
            name: title.clone(),
            title,
            saved: source.clone(),
            source,
            path: Some(path),
            capture: None,
        };
        let documents = &self.state.documents;
        let known = documents
            .known(&text)
            .and_then(|at| documents.texts.get(at));
        if known.is_some_and(|known| known.is_dirty() && known.source != text.source) {
            let risk = UnsavedRisk::Replacing(Box::new(text));
            return self.act(vec![Action::AskUnsaved(risk)], None);
        }
        self.take_text(text);
    }

    /// Lists a workload, chooses it, and runs it where nothing is wrong with it.
    pub(super) fn take_text(&mut self, text: WorkloadText) {
        let remember = text.path.clone().map(Action::Remember);
        let adopt = [Action::Adopt(Box::new(text))].into_iter();
        self.act(adopt.chain(remember).collect(), None);
        if self.status.checked.errors.is_empty() {
            self.act(vec![Command::Rerun.into()], None);
        } else {
            self.act(vec![Action::OpenTab("source")], None);
        }
    }
}

//! Looks whether files of captures that are open have changed, on a thread of its own: a file may lie on a slow machine.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use eframe::egui::Context;

use super::App;
use super::file_opening::KEPT_ON_SCREEN;
use super::files::called;
use crate::action::Action;
use crate::state::{FilesVersion, MissedFiles, OpenedFiles};

/// How often it is looked.
const PERIOD: Duration = Duration::from_millis(400);

/// The files that are looked at, by how they were named, and how they were last.
type WatchedFiles = BTreeMap<Vec<PathBuf>, Option<FilesVersion>>;

/// What the thread and the window both have.
#[derive(Default)]
struct SharedWatch {
    files: WatchedFiles,
    /// Whether any have changed since the window asked.
    has_news: bool,
}

/// Looks at files.
#[derive(Default)]
pub struct FileWatch {
    shared: Arc<Mutex<SharedWatch>>,
    is_started: bool,
    /// Whether files that are opened are read again whenever they change.
    pub follows_all: bool,
}

impl FileWatch {
    /// Looks at these from now on, and at no others.
    fn look_at(&mut self, asked: Vec<Vec<PathBuf>>, context: &Context) {
        let is_any = !asked.is_empty();
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = std::mem::take(&mut shared.files);
        let files = asked.into_iter().map(|it| {
            let version = known.remove(&it).flatten();
            (it, version)
        });
        shared.files = files.collect();
        drop(shared);
        if is_any && !self.is_started {
            self.is_started = true;
            let (shared, context) = (Arc::downgrade(&self.shared), context.clone());
            // Without the thread nothing is read again by itself.
            let _ = thread::Builder::new()
                .name("file watch".to_owned())
                .spawn(move || watch(&shared, &context));
        }
    }

    /// How files are that have changed, or were looked at for the first time.
    fn news(&self) -> Option<WatchedFiles> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut shared.has_news).then(|| shared.files.clone())
    }
}

/// Looks at the files until the window is gone.
fn watch(shared: &Weak<Mutex<SharedWatch>>, context: &Context) {
    let lock = || {
        let shared = shared.upgrade()?;
        let files = shared.lock().unwrap_or_else(PoisonError::into_inner);
        Some(files.files.keys().cloned().collect::<Vec<_>>())
    };
    while let Some(asked) = lock() {
        let found = asked.into_iter().map(|it| (FilesVersion::of(&it), it));
        let found: Vec<_> = found.collect();
        let Some(shared) = shared.upgrade() else {
            return;
        };
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let mut has_news = false;
        for (version, asked) in found {
            if let Some(known) = shared.files.get_mut(&asked).filter(|it| **it != version) {
                *known = version;
                has_news = true;
            }
        }
        shared.has_news |= has_news;
        drop(shared);
        if has_news {
            context.request_repaint();
        }
        thread::sleep(PERIOD);
    }
}

impl App {
    /// Looks at the files of every capture that is open.
    pub(super) fn watch_files(&mut self) {
        let asked = self.opened_files().map(|it| it.asked.clone());
        let asked = asked.filter(|it| !it.is_empty()).collect();
        let context = self.files.context().clone();
        self.watch.look_at(asked, &context);
    }

    /// Takes in which files have changed, and reads those on screen again where that is wanted.
    pub(super) fn hear_watch(&mut self, context: &Context) {
        if let Some(found) = self.watch.news() {
            for files in self.opened_files_mut() {
                files.look(found.get(&files.asked).cloned().flatten(), Instant::now());
            }
        }
        self.miss_files(context);
        let Some(wait) = self.status.files.read_again_in(Instant::now()) else {
            return;
        };
        if wait > Duration::ZERO {
            context.request_repaint_after(wait);
        } else if self.status.job.is_none() {
            self.reload();
        }
    }

    /// Says of files that are followed that they are not there, once they are not for some time.
    fn miss_files(&mut self, context: &Context) {
        let files = &mut self.status.files;
        if files.missed == Some(MissedFiles::Asked) && files.found.is_some() {
            files.missed = None;
            return self.act(vec![Action::Notify(None)], None);
        }
        match files.missed_in(Instant::now()) {
            Some(Duration::ZERO) => {
                files.away_since = None;
                self.miss();
            }
            Some(wait) => context.request_repaint_after(wait),
            None => {}
        }
    }

    /// Says that files are not where they were.
    fn miss(&mut self) {
        let files = &mut self.status.files;
        files.missed = Some(MissedFiles::Asked);
        let name = called(&files.asked);
        let which = if files.asked.len() > 1 {
            format!("Not all of {name} are there any more, or can be read once alone")
        } else if files.asked.iter().any(|it| it.is_dir()) {
            format!("No capture is in {name} any more")
        } else {
            format!("{name} is not there any more, or can be read once alone")
        };
        let text = format!(
            "{which}. {KEPT_ON_SCREEN} Put back what is missing, or open it where it is now."
        );
        self.tell(true, text);
    }

    /// Reads the files on screen again. What is seen, chosen and pinned stays.
    pub(super) fn reload(&mut self) {
        let asked = self.status.files.asked.clone();
        if asked.is_empty() {
            let text = "What is on screen was not read from files that can be read again";
            return self.tell(true, text.to_owned());
        }
        if FilesVersion::of(&asked).is_none() {
            self.status.files.look(None, Instant::now());
            return self.miss();
        }
        self.end_loading();
        self.status.files.is_read_again = true;
        self.status.loading = Some(called(&asked));
        self.begin_job(format!("Reading {} again", called(&asked)));
        self.files.open(asked);
    }

    /// Has the files on screen read again whenever they change, or no longer.
    pub(super) fn toggle_reloading(&mut self) {
        let files = &mut self.status.files;
        if files.asked.is_empty() {
            let text = "What is on screen was not read from files, so there is nothing to follow";
            return self.tell(true, text.to_owned());
        }
        files.is_followed = !files.is_followed;
    }

    fn opened_files(&self) -> impl Iterator<Item = &OpenedFiles> {
        std::iter::once(&self.status.files).chain(self.tabs.parked_files())
    }

    fn opened_files_mut(&mut self) -> impl Iterator<Item = &mut OpenedFiles> {
        std::iter::once(&mut self.status.files).chain(self.tabs.parked_files_mut())
    }
}

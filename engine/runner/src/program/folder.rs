//! The folder in which the processes of a program write their files; it goes when the program has been recorded.

use std::path::{Path, PathBuf};

use cuda_recorder::{ControlPage, Fact, FactFileDamage, SegmentName};
use formats::activity::CaptureWindow;
use tempfile::TempDir;

use super::file::GrowingFile;
use super::ring::FactRing;
use super::window::purpose;

/// What names of the folders begin with.
const PREFIX: &str = "syncline-record-";

/// Folders among the temporary files that recorders left which were killed: each with what was recorded up to then.
pub fn abandoned_captures() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(std::env::temp_dir())
        .into_iter()
        .flatten();
    let paths = entries.filter_map(|it| Some(it.ok()?.path()));
    let is_left = |it: &PathBuf| {
        let name = it.file_name().and_then(|it| it.to_str());
        name.is_some_and(|it| it.starts_with(PREFIX)) && ControlPage::is_abandoned(it)
    };
    let mut left: Vec<PathBuf> = paths.filter(is_left).collect();
    left.sort();
    left
}

/// The folder, and every file that turned up in it.
pub struct FactFolder {
    /// Goes with what is in it.
    _place: TempDir,
    /// The whole path: processes may be in other folders.
    path: PathBuf,
    page: ControlPage,
    files: Vec<GrowingFile>,
    ring: Option<FactRing>,
    is_over: bool,
}

impl FactFolder {
    /// A folder of its own among the temporary files, for what a window keeps of a program that is started at `origin`.
    ///
    /// # Errors
    /// There can be none.
    pub fn new(window: &CaptureWindow, origin: u64) -> Result<Self, String> {
        let refused = |error: std::io::Error| {
            format!(
                "there can be no folder for what is recorded in {}: {error}; set TMPDIR to where there is room",
                std::env::temp_dir().display()
            )
        };
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir()
            .map_err(refused)?;
        let path = folder.path().canonicalize().map_err(refused)?;
        let (purpose, limits) = purpose(window);
        let page = ControlPage::create(&path, purpose, limits).map_err(refused)?;
        if let CaptureWindow::Time { delay, duration } = window {
            let from = origin.saturating_add(*delay);
            let to = duration.map(|lasts| from.saturating_add(lasts));
            for at in [Some(from), to].into_iter().flatten() {
                page.flip(at);
            }
        }
        let ring = match window {
            CaptureWindow::Last(limit) => Some(FactRing::new(&path, *limit)),
            _ => None,
        };
        Ok(Self {
            _place: folder,
            path,
            page,
            files: Vec::new(),
            ring,
            is_over: false,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is missing where somebody removed it while the program ran.
    pub fn loss(&self) -> Option<String> {
        (!self.path.is_dir()).then(|| {
            format!(
                "somebody removed {}, the folder of what is recorded, while the program ran: what it did from then on is missing. \
                 Set TMPDIR to a folder that nobody clears.",
                self.path.display()
            )
        })
    }

    /// What is shared with the processes.
    pub const fn page(&self) -> &ControlPage {
        &self.page
    }

    /// How many files turned up.
    pub fn len(&self) -> u32 {
        self.files.len() as u32
    }

    /// The number of the process of a file, by its name.
    pub fn process(&self, file: u32) -> Option<u32> {
        let name = self.files.get(file as usize)?.name();
        name.stem.split('-').next()?.parse().ok()
    }

    /// Reads a piece of each file and hands over its facts, with the number of the file; says whether there was anything.
    pub fn read(&mut self, take: &mut dyn FnMut(u32, Fact)) -> bool {
        if !self.is_over {
            self.look();
        }
        let mut has_read = false;
        for (number, file) in (0..).zip(&mut self.files) {
            has_read |= file.read(&mut |fact| take(number, fact));
        }
        has_read
    }

    /// Takes up the files that are new, in the order of their names.
    pub fn look(&mut self) {
        let entries = std::fs::read_dir(&self.path).into_iter().flatten();
        let names = entries.filter_map(|entry| SegmentName::of(&entry.ok()?.path()));
        let is_new = |it: &SegmentName| self.files.iter().all(|file| file.name().stem != it.stem);
        let mut new: Vec<SegmentName> = names.filter(is_new).collect();
        new.sort();
        new.dedup_by(|later, first| later.stem == first.stem);
        for name in new {
            let removes = self.ring.is_none();
            if let Some(file) = GrowingFile::open(&self.path, name.clone(), removes) {
                self.files.push(file);
                if let Some(ring) = &mut self.ring {
                    ring.add(name);
                }
            }
        }
    }

    /// The ring of the last stretch of time, where that is what is kept.
    pub const fn ring(&mut self) -> Option<&mut FactRing> {
        self.ring.as_mut()
    }

    /// Lets go what is older than what a ring keeps up to `now`; what is not read yet stays where it `is_read`.
    pub fn trim(&mut self, now: u64, is_read: bool) {
        let files = &self.files;
        let unread = |place: usize| match files.get(place) {
            Some(file) if is_read => file.name().number,
            _ => u32::MAX,
        };
        if let Some(ring) = &mut self.ring {
            // The program may be over: what it did last is kept, however long ago that is.
            let now = ring.newest().map_or(now, |it| it.min(now));
            ring.trim(now, &unread);
        }
    }

    /// Nothing more is written: what is left at the end of each file is taken as it is.
    pub fn finish(&mut self) {
        self.is_over = true;
        self.files.iter_mut().for_each(GrowingFile::finish);
    }

    /// What was wrong with each file.
    pub fn damage(&self) -> Vec<FactFileDamage> {
        self.files.iter().map(GrowingFile::damage).collect()
    }
}

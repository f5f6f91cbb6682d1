//! The segments of a process's file: each is a file of its own that begins with what every reader has to know, so that
//! those before it can go.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::fact_file::FactFile;
use super::{ENDING, Fact, FactWriter};
use crate::control::{ControlPage, SegmentLimits};

/// How long a process waits for an older segment to go, at most.
const PATIENCE: Duration = Duration::from_secs(2);

/// The name of a segment: the process, a number that tells it from others that had the same, and the segment's own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SegmentName {
    /// What all segments of a process begin with.
    pub stem: String,
    /// Which segment it is, counted from 0.
    pub number: u32,
}

impl SegmentName {
    /// The name that a path has; nothing where it is none of a segment.
    pub fn of(path: &Path) -> Option<Self> {
        if path.extension().is_none_or(|it| it != ENDING) {
            return None;
        }
        let (stem, number) = path.file_stem()?.to_str()?.rsplit_once('-')?;
        Some(Self {
            stem: stem.to_owned(),
            number: number.parse().ok()?,
        })
    }

    /// The path of it in a folder.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}-{}.{ENDING}", self.stem, self.number))
    }

    /// The name of the one after it.
    #[must_use]
    pub fn next(&self) -> Self {
        Self {
            stem: self.stem.clone(),
            number: self.number + 1,
        }
    }
}

/// Writes facts, a segment after the other.
#[derive(Debug)]
pub struct SegmentWriter {
    folder: PathBuf,
    name: SegmentName,
    limits: SegmentLimits,
    writer: FactWriter<FactFile>,
    /// When the segment was begun, and how long it was then.
    begun: (u64, u64),
}

impl SegmentWriter {
    /// Begins the first segment of a process in a folder, also where a process before had the same number; nothing where
    /// the system refuses.
    pub fn create(folder: &Path, process: u32, limits: SegmentLimits, at: u64) -> Option<Self> {
        // The program may go to another folder.
        let folder = std::path::absolute(folder).ok()?;
        (0..1000).find_map(|turn| {
            let name = SegmentName {
                stem: format!("{process}-{turn}"),
                number: 0,
            };
            let writer = FactWriter::create(&name.path(&folder), at).ok()?;
            Some(Self {
                folder: folder.clone(),
                name,
                limits,
                begun: (at, writer.length()),
                writer,
            })
        })
    }

    /// Whether the next fact should be in a segment of its own.
    pub const fn is_full(&self, at: u64) -> bool {
        let (begun, length) = self.begun;
        let is_old = self.limits.nanos > 0 && at.saturating_sub(begun) >= self.limits.nanos;
        let written = self.writer.length() - length;
        written >= self.limits.bytes || is_old && written > 0
    }

    /// Waits while there are as many segments as there may be: whoever lets the oldest go is behind. A process that
    /// `is_ending` waits no longer.
    pub fn wait_for_room(&self, is_ending: &AtomicBool) {
        let next = self.name.number + 1;
        let Some(number) = next.checked_sub(self.limits.count) else {
            return;
        };
        let stem = self.name.stem.clone();
        let oldest = SegmentName { stem, number }.path(&self.folder);
        let end = Instant::now() + PATIENCE;
        let may_wait = || Instant::now() < end && !is_ending.load(Ordering::Relaxed);
        let is_full = || self.limits.count > 0 && oldest.exists() && may_wait();
        while is_full() && !ControlPage::is_abandoned(&self.folder) {
            sleep(Duration::from_millis(1));
        }
    }

    /// Begins the next segment with what every reader has to know. Where the system refuses, this one goes on for as long
    /// again.
    pub fn begin_next(&mut self, front: &Fact, at: u64) {
        let name = self.name.next();
        let path = name.path(&self.folder);
        let begun = FactWriter::create(&path, at).and_then(|mut writer| {
            writer.append(front)?;
            Ok(writer)
        });
        match begun {
            Ok(writer) => {
                self.writer = writer;
                self.name = name;
            }
            Err(_) => {
                // Half a segment would be read as the next one.
                let _ = std::fs::remove_file(path);
            }
        }
        self.begun = (at, self.writer.length());
    }

    /// Appends a fact.
    ///
    /// # Errors
    /// The system refuses, or the fact is too long.
    pub fn append(&mut self, fact: &Fact) -> io::Result<()> {
        self.writer.append(fact)
    }

    /// Notes in the header that writing ended, as [`FactWriter::give_up`].
    pub fn give_up(&mut self, error: &io::Error, missing: u64) {
        self.writer.give_up(error, missing);
    }
}

#[cfg(test)]
mod tests;

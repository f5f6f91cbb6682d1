//! The files that a capture was read from, and whether they have changed since.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use engine::importer::{self, ImportError};

use super::AbsentChoice;

/// What is read again and again is on screen for so many times as long as it took to be read, and for this long at least.
const SHARE: u32 = 2;
const LEAST: Duration = Duration::from_secs(1);
/// Files that are followed are missed once they are away for so long: another may be put in the place of one.
const AWAY: Duration = Duration::from_secs(2);

/// What tells one state of files from another: which there are, how long each is, and when it was written last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilesVersion(Vec<(PathBuf, u64, Option<SystemTime>)>);

impl FilesVersion {
    /// That of the files that `asked` stands for; nothing where one is not there, or can be read only once. A folder with two
    /// files of one rank has a version of its own, so that it is read again and says so.
    pub fn of(asked: &[PathBuf]) -> Option<Self> {
        let files = match importer::files_of(asked) {
            Ok(files) => files,
            Err(ImportError::SameRank { folder, files, .. }) => {
                let named = files.into_iter().map(|it| folder.join(it));
                return Some(Self(named.map(|it| (it, 0, None)).collect()));
            }
            Err(_) => return None,
        };
        let version = |path: PathBuf| {
            let found = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
            Some((path, found.len(), found.modified().ok()))
        };
        files
            .into_iter()
            .map(version)
            .collect::<Option<_>>()
            .map(Self)
    }
}

/// How the files of a capture were read last.
#[derive(Clone, Debug)]
pub struct FileReading {
    /// How they were when it began.
    pub version: Option<FilesVersion>,
    /// When it ended.
    pub ended: Instant,
    /// How long it took.
    pub took: Duration,
}

/// Which files a line above the timeline says of that they are not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissedFiles {
    /// What was named.
    Asked,
    /// Some of those that lay in it.
    Parts,
}

/// The files that a capture was read from, and whether they have changed since.
#[derive(Clone, Debug, Default)]
pub struct OpenedFiles {
    /// What was named: files, or folders and patterns that stand for some. Empty where the capture comes from elsewhere.
    pub asked: Vec<PathBuf>,
    /// How they were read last.
    pub reading: Option<FileReading>,
    /// How they were when they were looked at last.
    pub found: Option<FilesVersion>,
    /// Since when they are not there, once that was seen.
    pub away_since: Option<Instant>,
    /// Which of them it was told of that they are not there.
    pub missed: Option<MissedFiles>,
    /// Whether they are read again whenever they change.
    pub is_followed: bool,
    /// Whether they are being read again.
    pub is_read_again: bool,
    /// What was selected, pinned and hidden and is missing from the latest reading.
    pub absent: AbsentChoice,
}

impl OpenedFiles {
    /// Whether they are other files by now than those that were read.
    pub fn have_changed(&self) -> bool {
        let read = self.reading.as_ref().and_then(|it| it.version.as_ref());
        self.found.is_some() && read.is_some() && self.found.as_ref() != read
    }

    /// How long it is until they are read again, because they have changed and are to be; nothing where they are not.
    pub fn read_again_in(&self, now: Instant) -> Option<Duration> {
        let reading = self.reading.as_ref().filter(|_| self.is_followed)?;
        let due = reading.ended + LEAST.max(reading.took * SHARE);
        self.have_changed()
            .then(|| due.saturating_duration_since(now))
    }

    /// Notes how they are now, or that they are not there.
    pub fn look(&mut self, found: Option<FilesVersion>, now: Instant) {
        let is_away = found.is_none() && self.found.is_some();
        self.found = found;
        if is_away {
            self.away_since = Some(now);
        } else if self.found.is_some() {
            self.away_since = None;
        }
    }

    /// How long it is until it is to be told that they are not there; nothing where they are, and of what is not followed.
    pub fn missed_in(&self, now: Instant) -> Option<Duration> {
        let since = self.away_since.filter(|_| self.is_followed)?;
        Some((since + AWAY).saturating_duration_since(now))
    }

    /// They could not be read as they are: it is tried again once they have changed.
    pub fn give_up(&mut self) {
        self.is_read_again = false;
        if let Some(reading) = &mut self.reading {
            reading.version.clone_from(&self.found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_files_are_read_again_when_they_are_followed_and_not_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, "[").unwrap();
        let asked = vec![path.clone()];
        let version = FilesVersion::of(&asked);
        assert!(version.is_some());
        let ended = Instant::now();
        let mut files = OpenedFiles {
            reading: Some(FileReading {
                version: version.clone(),
                ended,
                took: Duration::from_secs(3),
            }),
            found: version,
            is_followed: true,
            asked,
            ..OpenedFiles::default()
        };
        assert!(!files.have_changed() && files.read_again_in(ended).is_none());
        fs::write(&path, "[]").unwrap();
        files.found = FilesVersion::of(&files.asked);
        assert!(files.have_changed());
        assert_eq!(files.read_again_in(ended), Some(Duration::from_secs(6)));
        let later = ended + Duration::from_secs(9);
        assert_eq!(files.read_again_in(later), Some(Duration::ZERO));
        files.is_followed = false;
        assert_eq!(files.read_again_in(later), None);
        files.give_up();
        assert!(!files.have_changed());
        // One that is away for a moment, while another is put in its place, says nothing.
        fs::remove_file(&path).unwrap();
        files.look(FilesVersion::of(&files.asked), later);
        assert!(files.found.is_none() && !files.have_changed());
        assert_eq!(files.missed_in(later), None, "nobody follows it");
        files.is_followed = true;
        assert_eq!(files.missed_in(later), Some(AWAY));
        assert_eq!(files.missed_in(later + AWAY), Some(Duration::ZERO));
        fs::write(&path, "[]").unwrap();
        files.look(FilesVersion::of(&files.asked), later);
        assert_eq!(files.missed_in(later), None);
    }
}

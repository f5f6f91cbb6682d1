//! Which files were read whole and found to be what was written, so that none is read twice.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::checksum::{self, ChecksumVerdict};
use super::error::DatasetError;
use super::table_writer::StopCheck;

/// Files that are read at the same time.
const THREADS: usize = 2;

/// Files whose checksums were right. One whose length or time has changed since is read again. Clones share what they know.
#[derive(Clone, Debug, Default)]
pub struct CheckedFiles(Arc<Mutex<HashMap<PathBuf, FileState>>>);

/// What the system says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileState {
    length: u64,
    modified: SystemTime,
}

impl FileState {
    fn of(found: &Metadata) -> Option<Self> {
        Some(Self {
            length: found.len(),
            modified: found.modified().ok()?,
        })
    }
}

impl CheckedFiles {
    /// Makes sure that all bytes of a file are those that were written.
    ///
    /// # Errors
    /// Some are not, it cannot be read, or `is_stopped` says so.
    pub(crate) fn check(
        &self,
        path: &Path,
        is_stopped: &StopCheck<'_>,
    ) -> Result<(), DatasetError> {
        let unread = |error| DatasetError::unread(path, error);
        let file = File::open(path).map_err(unread)?;
        let state = FileState::of(&file.metadata().map_err(unread)?);
        if state.is_some() && self.state(path) == state {
            return Ok(());
        }
        check_open(&file, path, is_stopped)?;
        if let Some(state) = state {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(path.to_owned(), state);
        }
        Ok(())
    }

    fn state(&self, path: &Path) -> Option<FileState> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(path).copied()
    }

    /// Does so with several files, and ends once something is wrong with `most` of them: their places, and what it is, in order.
    pub(crate) fn check_all(
        &self,
        paths: &[&Path],
        most: usize,
        is_stopped: &StopCheck<'_>,
    ) -> Vec<(usize, DatasetError)> {
        let next = AtomicUsize::new(0);
        let wrong = Mutex::new(Vec::new());
        let count = || wrong.lock().map_or(usize::MAX, |it| it.len());
        let work = || {
            while count() < most {
                let place = next.fetch_add(1, Relaxed);
                let Some(path) = paths.get(place) else {
                    break;
                };
                if let Err(error) = self.check(path, is_stopped) {
                    let mut wrong = wrong.lock().unwrap_or_else(PoisonError::into_inner);
                    wrong.push((place, error));
                }
            }
        };
        std::thread::scope(|scope| {
            let others = (1..THREADS.min(paths.len())).filter_map(|_| {
                let named = std::thread::Builder::new().name("checksums".to_owned());
                // Where there are no more threads, this one does all.
                named.spawn_scoped(scope, work).ok()
            });
            let others: Vec<_> = others.collect();
            work();
            for other in others {
                other.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
        });
        let mut wrong = wrong.into_inner().unwrap_or_else(PoisonError::into_inner);
        wrong.sort_by_key(|it| it.0);
        wrong
    }
}

/// Makes sure that all bytes of an open file are those that were written.
///
/// # Errors
/// As [`CheckedFiles::check`].
pub(crate) fn check_open(
    file: &File,
    path: &Path,
    is_stopped: &StopCheck<'_>,
) -> Result<(), DatasetError> {
    match checksum::judge(file, is_stopped) {
        Ok(ChecksumVerdict::Right) => Ok(()),
        Ok(ChecksumVerdict::Wrong) => Err(DatasetError::damaged(
            path,
            &"its bytes are not those that were written, as its checksum says",
        )),
        Ok(ChecksumVerdict::Absent) => Err(DatasetError::damaged(
            path,
            &"it has no checksum, which every file of a dataset has",
        )),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(DatasetError::Stopped),
        Err(error) => Err(DatasetError::unread(path, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_once_and_again_where_they_changed() {
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = b"\x18\x0esyncline.crc32\x18\x0800000000".to_vec();
        checksum::seal(&mut bytes).unwrap();
        let paths: Vec<PathBuf> = (0..9)
            .map(|it| folder.path().join(it.to_string()))
            .collect();
        for path in &paths {
            std::fs::write(path, &bytes).unwrap();
        }
        let all: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let checked = CheckedFiles::default();
        assert!(checked.check_all(&all, 1, &|| false).is_empty());
        // None is read that is known.
        assert!(checked.check_all(&all, 1, &|| true).is_empty());
        for place in [2, 5, 7] {
            std::fs::write(&paths[place], "other").unwrap();
        }
        let wrong = checked.check_all(&all, usize::MAX, &|| false);
        let places: Vec<usize> = wrong.iter().map(|it| it.0).collect();
        assert_eq!(places, [2, 5, 7]);
        assert!(
            wrong
                .iter()
                .all(|it| matches!(it.1, DatasetError::Damaged { .. }))
        );
        let stopped = checked.check_all(&all, 1, &|| true);
        assert!(matches!(stopped[0].1, DatasetError::Stopped));
    }
}

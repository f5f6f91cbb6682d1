//! Temporary files: gone with whoever made them, or with the next that is made where that was killed.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use tempfile::{Builder, NamedTempFile, TempPath};

/// How long a file must have lain untouched before it can be one that was left: others may not be locked yet.
const LEFT: Duration = Duration::from_mins(1);
/// How every name begins. What makes it unlike others follows.
const PREFIX: &str = ".syncline-";
/// So many letters and digits: what the library that makes them takes.
const UNLIKE: usize = 6;
/// Names in a folder that are looked at, at most.
const MOST: usize = 10_000;

/// What was copied to a temporary file, which is removed with it.
#[derive(Debug)]
pub struct TemporaryCopy {
    path: TempPath,
    /// As long as it is open, nobody takes the file for one that was left.
    _locked: File,
}

impl TemporaryCopy {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The file to write into, and what keeps it.
///
/// # Errors
/// As for [`create`].
pub fn create_copy(suffix: &str) -> io::Result<(File, TemporaryCopy)> {
    let made = create(&mut Builder::new(), suffix, &std::env::temp_dir())?;
    let (file, path) = made.into_parts();
    let locked = file.try_clone()?;
    let copy = TemporaryCopy {
        path,
        _locked: locked,
    };
    Ok((file, copy))
}

/// Makes a file whose name ends like this, and removes those of such names that were left in the folder by processes that
/// were killed.
///
/// # Errors
/// It cannot be made.
pub fn create<'a>(
    builder: &mut Builder<'a, 'a>,
    suffix: &'a str,
    folder: &Path,
) -> io::Result<NamedTempFile> {
    remove_left(folder, suffix);
    let made = builder.prefix(PREFIX).suffix(suffix).tempfile_in(folder)?;
    // Where a file system knows no locks, none of its files is taken for one that was left.
    let _ = made.as_file().try_lock();
    Ok(made)
}

/// Removes what nobody holds. What cannot be looked at stays.
fn remove_left(folder: &Path, suffix: &str) {
    let entries = fs::read_dir(folder).into_iter().flatten().take(MOST);
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let unlike = name
            .strip_prefix(PREFIX)
            .and_then(|it| it.strip_suffix(suffix));
        let is_made =
            |it: &str| it.len() == UNLIKE && it.bytes().all(|it| it.is_ascii_alphanumeric());
        if unlike.is_some_and(is_made) && is_left(&entry) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_left(entry: &fs::DirEntry) -> bool {
    let is_old = |found: &fs::Metadata| {
        let untouched = found.modified().ok().and_then(|it| it.elapsed().ok());
        found.is_file() && untouched.is_some_and(|it| it > LEFT)
    };
    entry.metadata().is_ok_and(|it| is_old(&it))
        && File::open(entry.path()).is_ok_and(|it| it.try_lock().is_ok())
}

/// What the system said, without the name of a temporary file, which tells nobody anything.
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" at path \"").next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn what_a_killed_process_left_goes_with_the_next_file() {
        let folder = tempfile::tempdir().unwrap();
        let make = || create(&mut Builder::new(), ".part", folder.path()).unwrap();
        let long_ago = SystemTime::now() - 2 * LEFT;
        let age = |file: &File| file.set_modified(long_ago).unwrap();
        let put = |name: &str| {
            let path = folder.path().join(name);
            age(&File::create(&path).unwrap());
            path
        };
        let left = put(".syncline-aB3dEf.part");
        let others = [
            ".syncline-aB3dEf.json",
            ".syncline-my-own.part",
            "aB3dEf.part",
        ]
        .map(put);
        let fresh = folder.path().join(".syncline-young1.part");
        File::create(&fresh).unwrap();
        let held = make();
        age(held.as_file());
        let latest = make();
        assert!(!left.exists());
        for kept in others.iter().map(std::path::PathBuf::as_path) {
            assert!(kept.exists(), "{}", kept.display());
        }
        for kept in [&*fresh, held.path(), latest.path()] {
            assert!(kept.exists(), "{}", kept.display());
        }
    }
}

//! Files that are there whole or not at all, and that stay after a power cut.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::{Builder, NamedTempFile};

use super::error::DatasetError;

/// The folder of a dataset in which files lie until they are whole. No engine looks into it.
pub(crate) const UNFINISHED: &str = ".unfinished";
/// How long a file must have lain there untouched before it can be one that was left: others may not be locked yet.
const LEFT: Duration = Duration::from_mins(1);
/// How often a file is written where somebody else takes it away before it has its name.
const TRIES: usize = 3;

/// Writes a file of the dataset in `root`.
///
/// # Errors
/// It cannot be written; then what was there before still is.
pub(crate) fn write_whole(root: &Path, path: &Path, bytes: &[u8]) -> Result<(), DatasetError> {
    let folder = path.parent().unwrap_or(root);
    fs::create_dir_all(folder).map_err(|error| DatasetError::unwritten(folder, error))?;
    let mut tries = 1;
    loop {
        match replace(root, path, bytes) {
            // Where a file system has no locks, a conversion that begins may take it for one that was left.
            Err(error) if error.kind() == io::ErrorKind::NotFound && tries < TRIES => tries += 1,
            other => {
                other.map_err(|error| DatasetError::unwritten(path, error))?;
                sync_folder(path);
                return Ok(());
            }
        }
    }
}

fn replace(root: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = root.join(UNFINISHED);
    fs::create_dir_all(&folder)?;
    // What is half written helps nobody: dropped, the file is removed.
    let mut unfinished = unfinished_file(&folder)?;
    unfinished.write_all(bytes)?;
    // Some systems find out only now that there is no room.
    unfinished.as_file().sync_all()?;
    if let Ok(former) = fs::metadata(path) {
        unfinished.as_file().set_permissions(former.permissions())?;
    }
    unfinished.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn unfinished_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Those of any new file, and not of a secret one.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let made = builder
        .prefix(".syncline-")
        .suffix(".part")
        .tempfile_in(folder)?;
    // As long as it is locked, nobody takes it for one that was left.
    let _ = made.as_file().try_lock();
    Ok(made)
}

/// The files of conversions that go on, or were stopped, in order.
///
/// # Errors
/// Their folder cannot be read.
pub(crate) fn unfinished_files(root: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let folder = root.join(UNFINISHED);
    let unread = |error| DatasetError::unread(&folder, error);
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(unread)?,
    };
    let paths = entries.map(|it| Ok(it.map_err(unread)?.path()));
    let mut paths = paths.collect::<Result<Vec<PathBuf>, DatasetError>>()?;
    paths.sort();
    Ok(paths)
}

/// Removes the files of conversions that were stopped. What cannot be looked at stays.
pub(crate) fn remove_left(root: &Path) {
    for path in unfinished_files(root).unwrap_or_default() {
        if is_left(&path) {
            let _ = fs::remove_file(path);
        }
    }
}

fn is_left(path: &Path) -> bool {
    let is_old = |found: &fs::Metadata| {
        let untouched = found.modified().ok().and_then(|it| it.elapsed().ok());
        found.is_file() && untouched.is_some_and(|it| it > LEFT)
    };
    fs::symlink_metadata(path).is_ok_and(|it| is_old(&it))
        && File::open(path).is_ok_and(|it| it.try_lock().is_ok())
}

/// Removes a file, so that it is gone after a power cut as well.
pub(crate) fn remove(path: &Path) -> Result<(), DatasetError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(DatasetError::unwritten(path, error))
        }
        _ => {
            sync_folder(path);
            Ok(())
        }
    }
}

/// Brings the names in a file's folder to the disk, where the system can do that.
fn sync_folder(path: &Path) {
    let folder = path.parent().map(File::open);
    if let Some(Ok(folder)) = folder {
        drop(folder.sync_all());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn what_is_removed_may_be_gone_already() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/part");
        for text in ["one", "two"] {
            write_whole(folder.path(), &path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        assert!(unfinished_files(folder.path()).unwrap().is_empty());
        remove(&path).unwrap();
        remove(&path).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn what_a_stopped_conversion_left_goes_with_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join(UNFINISHED);
        fs::create_dir(&place).unwrap();
        let long_ago = SystemTime::now() - 2 * LEFT;
        let left = place.join(".syncline-aB3dEf.part");
        File::create(&left).unwrap().set_modified(long_ago).unwrap();
        let fresh = place.join(".syncline-young1.part");
        File::create(&fresh).unwrap();
        let held = unfinished_file(&place).unwrap();
        held.as_file().set_modified(long_ago).unwrap();
        assert_eq!(unfinished_files(folder.path()).unwrap().len(), 3);
        remove_left(folder.path());
        assert!(!left.exists() && fresh.exists() && held.path().exists());
    }
}

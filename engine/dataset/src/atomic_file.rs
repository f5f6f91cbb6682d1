//! Files that are there whole or not at all: written under a hidden name, brought to the disk, and renamed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::error::DatasetError;

/// What follows a file's own name in that of the one that is being written.
const UNFINISHED: &str = ".tmp-";

/// Writes a file. Until it is whole it has a hidden name, which engines pass over.
///
/// # Errors
/// It cannot be written, or `write` says so; then nothing is left of it, and what was there before still is.
pub(crate) fn write_whole(
    path: &Path,
    write: impl FnOnce(File) -> Result<File, DatasetError>,
) -> Result<(), DatasetError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| DatasetError::unwritten(folder, error))?;
    remove_abandoned(folder);
    let hidden = hidden_name(path);
    let written = File::create(&hidden)
        .map_err(|error| DatasetError::unwritten(path, error))
        .and_then(write)
        .and_then(|file| {
            put(&file, &hidden, path).map_err(|error| DatasetError::unwritten(path, error))
        });
    if written.is_err() {
        // What matters is why it could not be written.
        drop(fs::remove_file(&hidden));
    }
    written
}

fn put(file: &File, hidden: &Path, path: &Path) -> io::Result<()> {
    file.sync_all()?;
    fs::rename(hidden, path)?;
    sync_folder(path);
    Ok(())
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

/// Whether this is the name of a file that is being written, or was when its process ended.
pub(crate) fn is_unfinished(name: &str) -> bool {
    name.starts_with('.') && name.contains(UNFINISHED)
}

fn hidden_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (host, process) = (host(), std::process::id());
    path.with_file_name(format!(".{name}{UNFINISHED}{host}-{process}"))
}

/// The name of this machine, as far as it can stand in a file's name.
fn host() -> String {
    let told = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let plain = |it: &char| it.is_ascii_alphanumeric() || *it == '.';
    let name: String = told.trim().chars().filter(plain).take(60).collect();
    if name.is_empty() {
        "host".to_owned()
    } else {
        name
    }
}

/// Removes what processes of this machine left behind that have ended.
fn remove_abandoned(folder: &Path) {
    let (own, ours) = (std::process::id(), format!("{UNFINISHED}{}-", host()));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name
            .split_once(&ours)
            .and_then(|it| it.1.parse::<u32>().ok());
        let is_over = |it: &u32| *it != own && has_ended(*it);
        if name.starts_with('.') && process.as_ref().is_some_and(is_over) {
            // Where it stays, `dataset check` names it.
            drop(fs::remove_file(entry.path()));
        }
    }
}

/// Whether a process of this machine has ended; where that is not known, it has not.
fn has_ended(process: u32) -> bool {
    Path::new("/proc/self").exists() && !Path::new(&format!("/proc/{process}")).exists()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn write(path: &Path, text: &str) -> Result<(), DatasetError> {
        write_whole(path, |mut file| {
            file.write_all(text.as_bytes())
                .map_err(|it| DatasetError::unwritten(path, it))?;
            Ok(file)
        })
    }

    #[test]
    fn files_are_whole_or_as_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/part");
        write(&path, "one").unwrap();
        let failed = write_whole(&path, |mut file| {
            file.write_all(b"tw").unwrap();
            Err(DatasetError::Stopped)
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        remove(&path).unwrap();
        remove(&path).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn what_ended_processes_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let ended = folder
            .path()
            .join(format!(".part.tmp-{}-4294967294", host()));
        let other = folder.path().join(".part.tmp-another-4294967294");
        for path in [&ended, &other] {
            fs::write(path, "x").unwrap();
        }
        write(&folder.path().join("part"), "one").unwrap();
        assert_eq!(
            (ended.exists(), other.exists()),
            (!Path::new("/proc/self").exists(), true)
        );
        assert!(is_unfinished(".part-0.parquet.tmp-host-7") && !is_unfinished("part-0.parquet"));
    }
}

//! Files that are there whole or not at all, and that stay after a power cut.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::error::DatasetError;

/// Writes a file. Until it is whole it has a hidden name, which engines pass over.
///
/// # Errors
/// It cannot be written; then what was there before still is.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), DatasetError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| DatasetError::unwritten(folder, error))?;
    let written =
        formats::exporter::replace(path, &mut |_| true, &mut |output| output.write_all(bytes));
    written.map_err(|error| DatasetError::unwritten(path, error))?;
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
    let unlike = name.strip_prefix(".syncline-");
    unlike.is_some_and(|it| it.strip_suffix(".part").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_removed_may_be_gone_already() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/part");
        write_whole(&path, b"one").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        remove(&path).unwrap();
        remove(&path).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn names_of_unfinished_files_are_those_that_files_are_written_under() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part");
        let mut names = Vec::new();
        let written = formats::exporter::replace(&path, &mut |_| true, &mut |_| {
            for entry in fs::read_dir(folder.path())? {
                names.push(entry?.file_name().to_string_lossy().into_owned());
            }
            Ok(())
        });
        written.unwrap();
        assert!(
            names.len() == 1 && names.iter().all(|it| is_unfinished(it)),
            "{names:?}"
        );
        assert!(!is_unfinished("part-0.parquet"));
    }
}

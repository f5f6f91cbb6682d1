//! What lies in the folders of a table and is none of its files: engines may read it as one.

use std::fs;
use std::path::{Path, PathBuf};

use query::SqlTable;

use super::error::DatasetError;
use super::layout::{PART, PartitionKey, RunName, folder_names, partition_number};

/// Refuses what an engine would read besides the files of a table, and links, which lead out of the folder that an engine may read.
/// Hidden files, which no conversion writes there, count where `reads_hidden` says that the engine reads them.
///
/// # Errors
/// There is such a file, folder or link, or a folder cannot be read.
pub fn check_strangers(
    root: &Path,
    table: &SqlTable,
    reads_hidden: bool,
) -> Result<(), DatasetError> {
    let key = PartitionKey::of(table);
    let is_run = |name: &str| {
        let run = name.strip_prefix("run=");
        run.is_some_and(|it| it.parse::<RunName>().is_ok())
    };
    let is_partition = |name: &str| partition_number(name, key).is_some();
    let top = root.join(table.name);
    if is_link(&top) {
        return Err(DatasetError::Link { path: top });
    }
    for run in own(&top, &is_run, reads_hidden)? {
        for partition in own(&run, &is_partition, reads_hidden)? {
            own(&partition, &|name| name == PART, reads_hidden)?;
        }
    }
    Ok(())
}

/// Whether a path is itself a link.
pub(crate) fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink())
}

/// What a folder holds that belongs there, by its name.
fn own(
    folder: &Path,
    is_own: &dyn Fn(&str) -> bool,
    reads_hidden: bool,
) -> Result<Vec<PathBuf>, DatasetError> {
    let mut found = Vec::new();
    for name in folder_names(folder)? {
        let path = folder.join(&name);
        if !is_own(&name) {
            if reads_hidden || !name.starts_with(['.', '_']) {
                return Err(DatasetError::Stranger { path });
            }
        } else if is_link(&path) {
            return Err(DatasetError::Link { path });
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

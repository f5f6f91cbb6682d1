//! What lies in the folders of a table and is none of its files: engines may read it as one.

use std::path::Path;

use query::SqlTable;

use super::error::DatasetError;
use super::layout::{PART, PartitionKey, RunName, folder_names, partition_number};

/// Refuses what an engine would read besides the files of a table. Hidden files, which conversions leave behind that are stopped,
/// count where `reads_hidden` says that the engine reads them.
///
/// # Errors
/// There is such a file or folder, or a folder cannot be read.
pub fn check_strangers(
    root: &Path,
    table: &SqlTable,
    reads_hidden: bool,
) -> Result<(), DatasetError> {
    let key = PartitionKey::of(table);
    let is_hidden = |name: &str| name.starts_with(['.', '_']) && !reads_hidden;
    let check = |folder: &Path, is_own: &dyn Fn(&str) -> bool| {
        let names = folder_names(folder)?;
        let mut strangers = names.iter().filter(|it| !is_own(it) && !is_hidden(it));
        match strangers.next() {
            Some(name) => Err(DatasetError::Stranger {
                path: folder.join(name),
            }),
            None => Ok(names),
        }
    };
    let is_run = |name: &str| {
        let run = name.strip_prefix("run=");
        run.is_some_and(|it| it.parse::<RunName>().is_ok())
    };
    let top = root.join(table.name);
    for run in check(&top, &is_run)?.iter().filter(|it| is_run(it)) {
        let folder = top.join(run);
        let is_partition = |name: &str| partition_number(name, key).is_some();
        let partitions = check(&folder, &is_partition)?;
        for partition in partitions.iter().filter(|it| is_partition(it)) {
            check(&folder.join(partition), &|name| name == PART)?;
        }
    }
    Ok(())
}

//! The files in the folder of a dataset, by what their names say.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use query::SqlTable;

use super::DatasetProblem;
use crate::declarations::is_declaration;
use crate::error::DatasetError;
use crate::file_stamp::FileFooter;
use crate::layout::{PART, PartitionKey, RunName, partition_number, tables};
use crate::shard::is_lock;
use crate::whole_file::is_unfinished;

/// A file of a table: where it is, and what its end says.
pub(super) struct PartFile {
    pub path: PathBuf,
    pub footer: FileFooter,
}

/// The files of a run, by table and number of the partition.
#[derive(Default)]
pub(super) struct RunFiles(pub BTreeMap<(&'static str, u32), PartFile>);

impl RunFiles {
    /// The file of a table's partition.
    pub fn get(&self, table: &'static str, number: u32) -> Option<&PartFile> {
        self.0.get(&(table, number))
    }
}

/// What lies in the folder.
#[derive(Default)]
pub(super) struct DatasetFiles {
    pub runs: BTreeMap<RunName, RunFiles>,
    pub wrong: Vec<DatasetProblem>,
    pub strangers: Vec<PathBuf>,
    pub unfinished: Vec<PathBuf>,
}

impl DatasetFiles {
    /// Looks through a folder.
    pub fn find(root: &Path) -> Result<Self, DatasetError> {
        let mut files = Self::default();
        for (entry, name) in entries(root)? {
            let table = tables().find(|it| it.name == name);
            match table.filter(|_| entry.path().is_dir()) {
                Some(table) => files.find_runs(&entry.path(), table)?,
                None if is_declaration(&name) || is_lock(&name) => {}
                None => files.stranger(&entry, &name),
            }
        }
        Ok(files)
    }

    fn find_runs(&mut self, folder: &Path, table: &'static SqlTable) -> Result<(), DatasetError> {
        for (entry, name) in entries(folder)? {
            let run = name
                .strip_prefix("run=")
                .and_then(|it| it.parse::<RunName>().ok());
            match run.filter(|_| entry.path().is_dir()) {
                Some(run) => {
                    self.runs.entry(run.clone()).or_default();
                    self.find_partitions(&entry.path(), table, &run)?;
                }
                None => self.stranger(&entry, &name),
            }
        }
        Ok(())
    }

    fn find_partitions(
        &mut self,
        folder: &Path,
        table: &'static SqlTable,
        run: &RunName,
    ) -> Result<(), DatasetError> {
        for (entry, name) in entries(folder)? {
            let number = partition_number(&name, PartitionKey::of(table));
            match number.filter(|_| entry.path().is_dir()) {
                Some(number) => self.find_parts(&entry.path(), table, (run, number))?,
                None => self.stranger(&entry, &name),
            }
        }
        Ok(())
    }

    fn find_parts(
        &mut self,
        folder: &Path,
        table: &'static SqlTable,
        (run, number): (&RunName, u32),
    ) -> Result<(), DatasetError> {
        for (entry, name) in entries(folder)? {
            let path = entry.path();
            if name != PART || !path.is_file() {
                self.stranger(&entry, &name);
                continue;
            }
            match FileFooter::read(&path, table.name) {
                Ok(Some(footer)) => {
                    let run = self.runs.entry(run.clone()).or_default();
                    run.0
                        .insert((table.name, number), PartFile { path, footer });
                }
                // A conversion has just taken it away.
                Ok(None) => {}
                Err(error) => self.wrong.push(DatasetProblem {
                    text: error.to_string(),
                    path,
                }),
            }
        }
        Ok(())
    }

    fn stranger(&mut self, entry: &DirEntry, name: &str) {
        if is_unfinished(name) {
            self.unfinished.push(entry.path());
        } else if !name.starts_with(['.', '_']) {
            // Engines pass over what begins so.
            self.strangers.push(entry.path());
        }
    }
}

/// What a folder holds, by name.
fn entries(folder: &Path) -> Result<Vec<(DirEntry, String)>, DatasetError> {
    let unread = |error| DatasetError::unread(folder, error);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unread)? {
        let entry = entry.map_err(unread)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        found.push((entry, name));
    }
    found.sort_by(|a, b| a.1.cmp(&b.1));
    Ok(found)
}

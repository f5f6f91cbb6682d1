//! The files in the folder of a dataset, by what their names say.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use query::SqlTable;

use super::DatasetProblem;
use crate::checked_files::CheckedFiles;
use crate::declarations::is_declaration;
use crate::error::DatasetError;
use crate::file_stamp::FileFooter;
use crate::layout::{PART, PartitionKey, RunName, partition_number, tables};
use crate::strangers::is_link;
use crate::whole_file::unfinished_files;

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
        let mut files = Self {
            unfinished: unfinished_files(root)?,
            ..Self::default()
        };
        for (entry, name) in entries(root)? {
            let table = tables().find(|it| it.name == name);
            match table.filter(|_| entry.path().is_dir()) {
                Some(table) => {
                    files.link(&entry);
                    files.find_runs(&entry.path(), table)?;
                }
                // No engine looks at what lies beside the folders of tables, and is hidden.
                None if is_declaration(&name) || name.starts_with(['.', '_']) => {}
                None => files.strangers.push(entry.path()),
            }
        }
        files.compare();
        Ok(files)
    }

    fn find_runs(&mut self, folder: &Path, table: &'static SqlTable) -> Result<(), DatasetError> {
        for (entry, name) in entries(folder)? {
            let run = name
                .strip_prefix("run=")
                .and_then(|it| it.parse::<RunName>().ok());
            match run.filter(|_| entry.path().is_dir()) {
                Some(run) => {
                    self.link(&entry);
                    self.runs.entry(run.clone()).or_default();
                    self.find_partitions(&entry.path(), table, &run)?;
                }
                None => self.strangers.push(entry.path()),
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
                Some(number) => {
                    self.link(&entry);
                    self.find_parts(&entry.path(), table, (run, number))?;
                }
                None => self.strangers.push(entry.path()),
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
                self.strangers.push(path);
                continue;
            }
            self.link(&entry);
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

    /// Notes a link, which some engines do not follow.
    fn link(&mut self, entry: &DirEntry) {
        let path = entry.path();
        if is_link(&path) {
            let text = DatasetError::Link { path: path.clone() }.to_string();
            self.wrong.push(DatasetProblem { path, text });
        }
    }

    /// Compares the bytes of all files with their checksums, and takes out those that are damaged.
    fn compare(&mut self) {
        let files = self.runs.iter();
        let files = files.flat_map(|(run, files)| files.0.iter().map(move |it| (run, it)));
        let files: Vec<_> = files
            .map(|(run, (place, file))| (run.clone(), *place, file.path.clone()))
            .collect();
        let paths: Vec<&Path> = files.iter().map(|it| it.2.as_path()).collect();
        let checked = CheckedFiles::default();
        for (wrong, error) in checked.check_all(&paths, usize::MAX, &|| false) {
            let Some((run, place, path)) = files.get(wrong) else {
                continue;
            };
            if let Some(run) = self.runs.get_mut(run) {
                run.0.remove(place);
            }
            // A conversion may have just taken it away.
            if path.exists() {
                self.wrong.push(DatasetProblem {
                    path: path.clone(),
                    text: error.to_string(),
                });
            }
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

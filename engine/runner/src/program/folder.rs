//! The folder in which the processes of a program write their files; it goes when the program has been recorded.

use std::path::{Path, PathBuf};

use cuda_recorder::{ENDING, Fact, FactFileDamage};
use tempfile::TempDir;

use super::file::GrowingFile;

/// The folder, and every file that turned up in it.
pub struct FactFolder {
    /// Goes with what is in it.
    _place: TempDir,
    /// The whole path: processes may be in other folders.
    path: PathBuf,
    files: Vec<GrowingFile>,
    is_over: bool,
}

impl FactFolder {
    /// A folder of its own among the temporary files.
    ///
    /// # Errors
    /// There can be none.
    pub fn new() -> Result<Self, String> {
        let folder = tempfile::Builder::new()
            .prefix("syncline-record-")
            .tempdir();
        let folder = folder.map_err(|error| {
            format!(
                "there can be no folder for what is recorded in {}: {error}; set TMPDIR to where there is room",
                std::env::temp_dir().display()
            )
        })?;
        let path = folder.path().canonicalize();
        let path = path.map_err(|error| error.to_string())?;
        Ok(Self {
            _place: folder,
            path,
            files: Vec::new(),
            is_over: false,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many files turned up.
    pub fn len(&self) -> u32 {
        self.files.len() as u32
    }

    /// Reads a piece of each file and hands over its facts, with the number of the file; says whether there was anything.
    pub fn read(&mut self, take: &mut dyn FnMut(u32, Fact)) -> bool {
        if !self.is_over {
            self.look();
        }
        let mut has_read = false;
        for (number, file) in (0..).zip(&mut self.files) {
            has_read |= file.read(&mut |fact| take(number, fact));
        }
        has_read
    }

    /// Takes up the files that are new, in the order of their names.
    fn look(&mut self) {
        let entries = std::fs::read_dir(self.path()).into_iter().flatten();
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let is_new = |path: &PathBuf| {
            let is_ours = path.extension().is_some_and(|it| it == ENDING);
            is_ours && self.files.iter().all(|file| file.path != *path)
        };
        let mut new: Vec<PathBuf> = paths.filter(is_new).collect();
        new.sort();
        self.files
            .extend(new.into_iter().filter_map(GrowingFile::open));
    }

    /// Nothing more is written: what is left at the end of each file is taken as it is.
    pub fn finish(&mut self) {
        self.is_over = true;
        self.files.iter_mut().for_each(GrowingFile::finish);
    }

    /// What was wrong with a file.
    pub fn damage(&self, file: u32) -> Option<FactFileDamage> {
        let file = self.files.get(file as usize)?;
        Some(file.damage().clone())
    }
}

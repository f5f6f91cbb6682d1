//! The last stretch of time as it is kept: in the end, and in files of their own while the program goes on.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::report::log_of;
use super::{RecordedProgram, ResolveMode, run_of};
use crate::Message;
use crate::save::SaveFile;
use formats::activity::ActivityConverter;
use record::{Record, RunEnd, RunOutcome};

/// What was kept of the last stretch of time while the program went on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptCapture {
    /// What it is called.
    pub name: String,
    /// Where it was written; nothing where no file was named.
    pub path: Option<PathBuf>,
    /// Why it could not be written.
    pub error: Option<String>,
    /// What was kept.
    pub records: Vec<Record>,
}

/// What is to be written soon.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingKeep {
    /// The instant up to which it is kept.
    pub to: u64,
    /// When processes have handed over what they did until then.
    pub due: Instant,
}

impl RecordedProgram<'_> {
    /// A converter of the last stretch of time up to an instant, which has taken all of it.
    pub(super) fn convert_last(&mut self, to: u64, is_over: bool) -> Option<ActivityConverter> {
        let left = self.left();
        let mut converter =
            ActivityConverter::new(ResolveMode::Whole).within(self.request.window.clone());
        converter.begin(run_of(&self.request.name()));
        let ring = self.folder.ring()?;
        let from = to.saturating_sub(ring.nanos());
        converter.keep_last((from, to), ring.outside(), ring.excess(to));
        let damage = ring.read(is_over, &mut |file, fact| converter.take(file, fact));
        for (file, damage) in (0..).zip(&damage) {
            converter.damaged(file, damage, left.contains(&file));
        }
        Some(converter)
    }

    /// Writes the last stretch of time up to an instant into a file of its own, and says so.
    pub(super) fn write_kept(&mut self, to: u64) {
        let Some(mut converter) = self.convert_last(to, false) else {
            return;
        };
        self.kept += 1;
        let records = kept_records(&mut converter);
        let path = self
            .request
            .save
            .as_deref()
            .map(|it| free_path(it, self.kept));
        let error = path.as_deref().and_then(|path| write(path, &records).err());
        self.outbox.post(Message::Kept(Box::new(KeptCapture {
            name: format!("{}, kept {}", self.request.name(), self.kept),
            path,
            error,
            records,
        })));
        self.folder.page().note_kept();
    }
}

/// All that a converter has taken of a program that runs on, as a capture of its own.
fn kept_records(converter: &mut ActivityConverter) -> Vec<Record> {
    let summary = converter.finish();
    converter.announce_lanes();
    let mut records = converter.drain();
    records.extend(log_of(converter, &summary));
    records.push(Record::End(Box::new(RunEnd {
        time: converter.latest(),
        outcome: RunOutcome::Finished,
        records: records.len() as u64 + 1,
    })));
    records
}

/// A path beside another one that nothing has, with a number behind its name.
fn free_path(path: &Path, first: u32) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map(|it| it.to_string_lossy());
    let numbered = |number: u32| {
        path.with_file_name(match &ending {
            Some(ending) => format!("{stem}-{number}.{ending}"),
            None => format!("{stem}-{number}"),
        })
    };
    let free = (first..u32::MAX).map(numbered).find(|it| !it.exists());
    free.unwrap_or_else(|| numbered(first))
}

/// Writes records as a file.
fn write(path: &Path, records: &[Record]) -> Result<(), String> {
    let failed = |error: std::io::Error| {
        format!(
            "{} could not be written: {error}; make room, or record with another path",
            path.display()
        )
    };
    let Some(mut file) = SaveFile::of_request(Some(path))? else {
        return Ok(());
    };
    file.write(records)
        .and_then(|()| file.finish())
        .map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_lies_beside_the_capture_and_over_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.b.pftrace");
        assert_eq!(free_path(&path, 1), folder.path().join("a.b-1.pftrace"));
        std::fs::write(folder.path().join("a.b-1.pftrace"), "other").unwrap();
        assert_eq!(free_path(&path, 1), folder.path().join("a.b-2.pftrace"));
        assert_eq!(
            free_path(&folder.path().join("out"), 3),
            folder.path().join("out-3")
        );
    }
}

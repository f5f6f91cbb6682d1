//! Several files at once become one capture of several ranks or processes, on one clock.

mod label;

pub(super) use label::rank_in;

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};

use super::{
    ImportBatch, ImportError, Receipt, files_of, is_standard_input, open_path, open_source,
};
use crate::merge::{ClockAlignment, Collectives, Renumbering, UnalignedRecords, align};
use capture::Capture;
use record::time::{Interval, Nanos};
use record::{FieldDecoder, Record, Run, Severity, counted};

/// What one of several files became in the capture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MergedFile {
    /// The file.
    pub path: PathBuf,
    /// What its lanes are called by, such as `rank 3`; empty where it is the only file.
    pub label: String,
    /// What became of all that it held.
    pub receipt: Receipt,
    /// By how much its own times were moved to lie on the first file's clock.
    pub shift: Nanos,
    /// By how much they were moved by hand besides.
    pub hand: Nanos,
    /// How that was found.
    pub aligned: ClockAlignment,
    /// Its lanes.
    pub lanes: Range<u32>,
    /// Its counters.
    pub counters: Range<u32>,
    /// Its devices.
    pub devices: Range<u32>,
}

/// Opens the files at `paths` as one capture and hands its records to `sink` batch by batch. A single file comes as
/// it is; of several, ids are offset, lanes bear the name of their rank or file, times are those of one clock where
/// the files hold one and count from each file's start where not. Folders and patterns stand for files, as [`files_of`]
/// says. The parts of each collective operation are tied. A sink that answers [`ControlFlow::Break`] cancels.
///
/// # Errors
/// They stand for no files, one of them cannot be opened, nothing in it can be read, or the sink cancelled.
pub fn open_all(
    paths: &[PathBuf],
    sink: &mut dyn FnMut(ImportBatch) -> ControlFlow<()>,
) -> Result<Vec<MergedFile>, ImportError> {
    let asked = paths;
    let paths = files_of(asked)?;
    if let [path] = paths.as_slice() {
        return single(path, sink);
    }
    if paths.iter().filter(|path| is_standard_input(path)).count() > 1 {
        return Err(ImportError::Twice);
    }
    let labels = label::labels(&paths);
    let mut merge = FileMerge::new(&paths, sink);
    merge.folder = asked.iter().find(|it| it.is_dir()).cloned();
    merge.begin(&paths, &labels)?;
    for (path, label) in paths.iter().zip(labels) {
        merge.file(path, label)?;
    }
    merge.finish()
}

/// Opens the only file. Several devices may have taken part in what it holds of collective operations.
fn single(
    path: &Path,
    sink: &mut dyn FnMut(ImportBatch) -> ControlFlow<()>,
) -> Result<Vec<MergedFile>, ImportError> {
    let mut collectives = Collectives::default();
    let source = open_path(path, sink)?;
    let receipt = open_source(&source, &mut |batch| {
        for record in &batch.records {
            collectives.see(record, 0);
        }
        sink(batch)
    })?;
    let mut part = MergedFile {
        path: source.path().to_owned(),
        receipt,
        lanes: 0..u32::MAX,
        counters: 0..u32::MAX,
        devices: 0..u32::MAX,
        ..MergedFile::default()
    };
    let (mut ties, mut notes) = if part.receipt.knows_collectives {
        Default::default()
    } else {
        collectives.ties(&[part.label.as_str()])
    };
    part.receipt.inferred += ties.len() as u64;
    // A capture that was saved knows them already.
    notes.retain(|note| !part.receipt.notes.contains(note));
    let records = notes.iter().map(|note| Record::Note(note.as_str().into()));
    ties.extend(records);
    part.receipt.notes.extend(notes);
    let total = source.length();
    let last = ImportBatch {
        records: ties,
        read: total,
        total,
    };
    if !last.records.is_empty() && sink(last).is_break() {
        return Err(ImportError::Cancelled);
    }
    Ok(vec![part])
}

/// Files on their way into one capture.
struct FileMerge<'a> {
    sink: &'a mut dyn FnMut(ImportBatch) -> ControlFlow<()>,
    numbers: Renumbering,
    collectives: Collectives,
    /// Of the file under way: what is packed is renumbered piece by piece.
    unpacker: FieldDecoder,
    parts: Vec<MergedFile>,
    /// The ranks that each file says it is of, and those of the file under way.
    ranks: Vec<BTreeSet<u32>>,
    own_ranks: BTreeSet<u32>,
    /// The folder that was opened, where one was: nobody chose its files.
    folder: Option<PathBuf>,
    /// The first instant and the last of all files so far.
    extent: Option<Interval>,
    /// The instant of capture time zero since 1970, where the first file says it.
    zero: Option<Nanos>,
    /// Bytes of the files that were read, and of all.
    read: u64,
    total: u64,
}

impl<'a> FileMerge<'a> {
    fn new(paths: &[PathBuf], sink: &'a mut dyn FnMut(ImportBatch) -> ControlFlow<()>) -> Self {
        Self {
            sink,
            numbers: Renumbering::default(),
            collectives: Collectives::default(),
            unpacker: FieldDecoder::default(),
            parts: Vec::new(),
            ranks: Vec::new(),
            own_ranks: BTreeSet::new(),
            folder: None,
            extent: None,
            zero: None,
            read: 0,
            total: paths.iter().map(|path| length(path)).sum(),
        }
    }

    /// Says what the capture is of.
    fn begin(&mut self, paths: &[PathBuf], labels: &[String]) -> Result<(), ImportError> {
        let run = Run {
            name: label::of_all(paths, labels),
            backend: "several files".to_owned(),
            ..Run::default()
        };
        self.send(vec![Record::Run(Box::new(run))])
    }

    fn file(&mut self, path: &Path, label: String) -> Result<(), ImportError> {
        let (place, rank) = (self.parts.len(), label::rank(&label));
        let first = self.numbers.begin(&label, place, rank);
        let source = open_path(path, self.sink)?;
        // Of what can be read only once it was not known before.
        self.total += source.length() - length(path).min(source.length());
        let (begun, length) = (self.read, source.length());
        self.unpacker = FieldDecoder::default();
        let mut waiting = UnalignedRecords::new(self.parts.is_empty());
        let mut failed = None;
        let receipt = open_source(&source, &mut |batch| {
            let share = batch.read as f64 / batch.total.max(1) as f64;
            self.read = begun + (share.min(1.0) * length as f64) as u64;
            let records = waiting.take(batch.records, self.zero, self.extent);
            match self.take(records, waiting.shift()) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let receipt = receipt?;
        let rest = waiting.finish();
        self.take(rest, waiting.shift())?;
        if self.parts.is_empty() {
            self.zero = waiting.zero();
        }
        self.refuse_same_rank(source.path())?;
        self.read = begun + length;
        let next = self.numbers.next();
        self.parts.push(MergedFile {
            path: source.path().to_owned(),
            label,
            receipt,
            shift: waiting.shift(),
            hand: Nanos::ZERO,
            aligned: waiting.aligned(),
            lanes: first.lanes..next.lanes,
            counters: first.counters..next.counters,
            devices: first.devices..next.devices,
        });
        Ok(())
    }

    /// Two files of one rank, each of no other, are of two runs, or of two stretches of one: in a folder it is not known which is
    /// meant, and where both were named it is said.
    fn refuse_same_rank(&mut self, path: &Path) -> Result<(), ImportError> {
        let own = std::mem::take(&mut self.own_ranks);
        let same = self.ranks.iter().position(|it| it.len() == 1 && *it == own);
        let first = same.and_then(|it| self.parts.get(it));
        let rank = own.first().copied();
        self.ranks.push(own);
        let (Some(first), Some(rank)) = (first, rank) else {
            return Ok(());
        };
        let shown = |path: &Path| path.file_name().map(PathBuf::from).unwrap_or_default();
        let files = [shown(&first.path), shown(path)];
        if let Some(folder) = self.folder.clone() {
            return Err(ImportError::SameRank {
                folder,
                rank,
                files,
            });
        }
        let [first, second] = files.map(|it| it.display().to_string());
        let text = format!(
            "{first} and {second} both say that they are of rank {rank}: what is counted by rank is counted together."
        );
        let problem = align::problem(Severity::Warning, "same-rank", text);
        self.send(vec![problem])
    }

    /// Renumbers records of the file under way, moves them in time and hands them over.
    fn take(&mut self, records: Vec<Record>, shift: Nanos) -> Result<(), ImportError> {
        let mut out = Vec::with_capacity(records.len());
        for record in self.unpacked(records) {
            if let Record::LaneOrigin(origin) = &record {
                self.own_ranks.extend(origin.rank);
            }
            let Some(mut record) = self.numbers.lift(record, &mut out) else {
                continue;
            };
            align::shift(&mut record, shift);
            self.collectives.see(&record, self.parts.len());
            if let Some(reached) = align::reach(&record) {
                self.extent = Some(self.extent.map_or(reached, |it| it.union(reached)));
            }
            out.push(record);
        }
        self.send(out)
    }

    /// The same records with each field in one of its own.
    fn unpacked(&mut self, records: Vec<Record>) -> Vec<Record> {
        if !records.iter().any(|it| matches!(it, Record::Fields(_))) {
            return records;
        }
        let mut out = Vec::with_capacity(records.len());
        for record in records {
            match record {
                Record::Fields(fields) => self.unpacker.unpack(*fields, |span, name, value| {
                    out.push(Record::Argument(span, name, value));
                }),
                other => out.push(other),
            }
        }
        out
    }

    fn send(&mut self, records: Vec<Record>) -> Result<(), ImportError> {
        let batch = ImportBatch {
            records,
            read: self.read,
            total: self.total,
        };
        match (self.sink)(batch) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(ImportError::Cancelled),
        }
    }

    /// Ties what ran on several ranks, and says what could not be known.
    fn finish(mut self) -> Result<Vec<MergedFile>, ImportError> {
        let labels: Vec<&str> = self.parts.iter().map(|it| it.label.as_str()).collect();
        let (mut records, notes) = self.collectives.ties(&labels);
        let ties = records.len() as u64;
        for part in &self.parts {
            if let Some(text) = part.aligned.note(&part.label) {
                records.push(align::problem(Severity::Info, "aligned-by-start", text));
            }
        }
        let aligned = self
            .parts
            .iter()
            .filter_map(|it| it.aligned.note(&it.label));
        let told = aligned.chain(notes.iter().cloned());
        records.extend(told.map(|text| Record::Note(text.into())));
        for text in &notes {
            records.push(align::problem(
                Severity::Info,
                "collectives-unmatched",
                text.clone(),
            ));
        }
        self.read = self.total;
        self.send(records)?;
        if let Some(last) = self.parts.last_mut() {
            last.receipt.inferred += ties;
            last.receipt.notes.extend(notes);
        }
        for part in &mut self.parts {
            let told = part.aligned.note(&part.label);
            part.receipt.notes.extend(told);
        }
        Ok(self.parts)
    }
}

/// Tells a capture of these files what importers left out of it, and counts what it could not keep of what they held. Of several
/// files it is not known which that was of: the last one bears it, and says so.
pub fn note_dropped(parts: &mut [MergedFile], capture: &mut Capture) {
    capture.leave_out(parts.iter().map(|it| it.receipt.dropped).sum());
    let refused = capture.refused();
    let is_one_of_several = parts.len() > 1;
    let Some(part) = parts.last_mut().filter(|_| refused > 0) else {
        return;
    };
    part.receipt.dropped += refused;
    let of = if is_one_of_several {
        "all files together"
    } else {
        "the file"
    };
    let words = format!(
        "{{record of {of} could not be kept; a problem says why|records of {of} could not be kept; problems say of the \
         first ones why}}."
    );
    part.receipt.note(counted(refused, &words));
}

/// How many bytes a file holds, as far as that is known before it is read.
fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |it| it.len())
}

/// A record of a capture of several files, moved where it belongs to `part`.
pub fn moved(mut record: Record, part: &MergedFile, by: Nanos) -> Record {
    let is_own = match &record {
        Record::Span(span) => part.lanes.contains(&span.lane.0),
        Record::Began(began) => part.lanes.contains(&began.lane.0),
        Record::Sample(sample) => part.counters.contains(&sample.counter.0),
        Record::Schedule(schedule) => part.lanes.contains(&schedule.lane.0),
        Record::Loss(loss) => part.devices.contains(&loss.device.0),
        Record::Recovery(recovery) => part.devices.contains(&recovery.device.0),
        _ => false,
    };
    if is_own {
        align::shift(&mut record, by);
    }
    record
}

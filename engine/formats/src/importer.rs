//! Opens files of captures: one format a file, all listed in [`IMPORTERS`] and recognised by their content.

pub mod ascend;
mod behind;
mod capture_folder;
pub mod chrome;
mod counter_titles;
mod crop;
pub mod cupti;
mod error;
mod fast_hash;
mod flow_points;
mod json;
mod key_index;
mod log_folder;
mod memory_limit;
mod multi_file;
pub mod nsight;
pub mod nvprof;
pub mod pftrace;
mod reader_thread;
mod receipt;
pub mod rocpd;
pub mod rocprofv3;
pub mod rpd;
mod shared_titles;
mod sink;
mod source;
mod sqlite;
pub mod torch_snapshot;
mod unsupported;
pub mod xplane;

pub use capture_folder::files_of;
pub use error::{ImportError, MissingThread};
pub use multi_file::{MergedFile, moved, note_dropped, open_all};
pub use receipt::{Receipt, ReceiptUnit};
pub use sink::{ImportBatch, RecordSink};
pub use source::{Source, is_standard_input};
pub use unsupported::{REFUSED, UnsupportedFormat};

use std::ops::ControlFlow;
use std::path::Path;

use record::{FileRepair, Record, Severity};

/// A format that captures are read from.
pub trait Importer: Sync {
    /// A short word for it, such as `pftrace`.
    fn name(&self) -> &'static str;
    /// What its files are usually called, without the dot.
    fn extensions(&self) -> &'static [&'static str];
    /// One line that says which tools write it.
    fn about(&self) -> &'static str;
    /// Whether a file that begins with `head` is of this format. The first 65,536 bytes of the file are given,
    /// unpacked, or all of a shorter one.
    fn recognises(&self, head: &[u8]) -> bool;
    /// How the names of tables begin by which a database of the format is known; none where it is no database.
    fn tables(&self) -> &'static [&'static str] {
        &[]
    }
    /// What its files are made of, which receipts count.
    fn unit(&self) -> ReceiptUnit {
        if self.tables().is_empty() {
            ReceiptUnit::Event
        } else {
            ReceiptUnit::Row
        }
    }
    /// Hands every record of `source` to `sink`, batch by batch.
    ///
    /// # Errors
    /// Nothing in it can be read, or the sink cancelled. Damage to a part of it is told in the receipt instead.
    fn read(&self, source: &Source, sink: &mut RecordSink<'_>) -> Result<Receipt, ImportError>;
}

/// Every format that captures are read from.
pub const IMPORTERS: &[&dyn Importer] = &[
    // Before packets of Perfetto, which planes could be by their fields.
    &xplane::Xplane,
    &pftrace::PftraceImporter,
    &chrome::ChromeImporter,
    &nsight::Nsight,
    &nvprof::Nvprof,
    &rocpd::Rocpd,
    &rocprofv3::Rocprofv3,
    &rpd::Rpd,
    &ascend::Ascend,
    &cupti::CuptiImporter,
    &torch_snapshot::TorchSnapshot,
];

/// Opens the file at `path`, or standard input for `-`, whatever its format, and hands its records to `sink` batch by batch. A sink that
/// answers [`ControlFlow::Break`] cancels.
///
/// A damaged file is read up to the damage, and a problem of the capture says what was left out. Errors are for
/// files of which nothing can be read.
///
/// # Errors
/// It cannot be opened, no format is recognised, nothing in it can be read, or the sink cancelled.
pub fn open(
    path: &Path,
    sink: &mut dyn FnMut(ImportBatch) -> ControlFlow<()>,
) -> Result<Receipt, ImportError> {
    open_source(&open_path(path, sink)?, sink)
}

/// Opens the file at `path`; of what can be read only once, `sink` hears how much was read, and of no total.
fn open_path(
    path: &Path,
    sink: &mut dyn FnMut(ImportBatch) -> ControlFlow<()>,
) -> Result<Source, ImportError> {
    Source::open_while(path, &mut |read| {
        sink(ImportBatch {
            read,
            ..ImportBatch::default()
        })
    })
}

/// The same for a source that is at hand, such as bytes in memory.
///
/// # Errors
/// No format is recognised, nothing in it can be read, or the sink cancelled.
pub fn open_source(
    source: &Source,
    sink: &mut dyn FnMut(ImportBatch) -> ControlFlow<()>,
) -> Result<Receipt, ImportError> {
    let head = source.head();
    if REFUSED.iter().any(|it| (it.recognises)(head)) {
        return Err(ImportError::unknown(source));
    }
    let importer = match IMPORTERS.iter().find(|it| it.recognises(head)) {
        Some(importer) => *importer,
        None if sqlite::is_database(head) => sqlite::format_of(source)?,
        None => return Err(ImportError::unknown(source)),
    };
    reader_thread::read_on_thread(|out| read(importer, source, out), sink)
}

/// Reads a source with the importer of its format.
fn read(
    importer: &dyn Importer,
    source: &Source,
    out: &mut dyn FnMut(ImportBatch) -> ControlFlow<()>,
) -> Result<Receipt, ImportError> {
    let mut sink = RecordSink::new(source, out);
    let mut receipt = importer.read(source, &mut sink)?;
    receipt.with_far_times(sink.far(), &mut sink);
    sink.tell_rest();
    if let Some(damage) = source.damage() {
        let text = format!("Of {}, {damage}", source.path().display());
        let is_cut = source.is_packing_cut();
        // What is behind a place that cannot be read was written, and nobody knows how much of it.
        receipt.dropped += u64::from(!is_cut);
        let code = if is_cut {
            "cut-short"
        } else {
            "packing-damaged"
        };
        sink.complain(Severity::DataLoss, code, text.clone());
        receipt.repair("damaged packing", 1);
        receipt.note(text);
    }
    receipt.notes.extend_from_slice(source.notes());
    // They are of the capture from now on, and survive being saved.
    for note in &receipt.notes {
        sink.push(Record::Note(note.as_str().into()));
    }
    for (cause, count) in &receipt.repairs {
        let (cause, count) = (cause.as_str().into(), *count);
        sink.push(Record::FileRepair(Box::new(FileRepair { cause, count })));
    }
    sink.send()?;
    receipt.read = sink.count();
    receipt.unit = importer.unit();
    Ok(receipt)
}

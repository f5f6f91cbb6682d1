//! Reads the file that one process wrote while `syncline record` recorded it, should it have been kept.

use std::io::Read as _;

use cuda_recorder::{FactDecoder, MAGIC, VERSION};

use super::{ImportError, Importer, Receipt, ReceiptUnit, RecordSink, Source};
use crate::activity::{ActivityConverter, ActivitySummary, ResolveMode};
use record::Run;

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// The format in which a process that is recorded writes what CUPTI tells it and what it calls of NVTX.
pub struct CuptiImporter;

impl Importer for CuptiImporter {
    fn name(&self) -> &'static str {
        "cupti"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &[cuda_recorder::ENDING]
    }

    fn about(&self) -> &'static str {
        "written by each process that syncline record records"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        head.starts_with(&MAGIC) || (!head.is_empty() && MAGIC.starts_with(head))
    }

    fn unit(&self) -> ReceiptUnit {
        ReceiptUnit::Record
    }

    fn read(&self, source: &Source, sink: &mut RecordSink<'_>) -> Result<Receipt, ImportError> {
        let mut reader = source.reader()?;
        let mut decoder = FactDecoder::default();
        let mut converter = ActivityConverter::new(ResolveMode::Whole);
        converter.begin(Run {
            name: source.name(),
            backend: "cuda".to_owned(),
            ..Run::default()
        });
        let (mut piece, mut read) = (vec![0; PIECE], 0);
        loop {
            let count = reader.read(&mut piece);
            let count = count.map_err(|error| ImportError::from_io(source.path(), error))?;
            decoder.push(piece.get(..count).unwrap_or_default());
            if count == 0 {
                decoder.finish();
            }
            for fact in decoder.by_ref() {
                converter.take(0, fact);
                sink.extend(converter.drain());
            }
            if let Some(found) = decoder.damage().version {
                return Err(version(source, found));
            }
            if count == 0 {
                break;
            }
            read += count as u64;
            sink.advance(read)?;
        }
        converter.damaged(0, decoder.damage(), false);
        let summary = converter.finish();
        sink.extend(converter.drain());
        sink.send()?;
        Ok(receipt(summary))
    }
}

/// Another version of Syncline wrote it.
fn version(source: &Source, found: u32) -> ImportError {
    let path = source.path().to_owned();
    if found > VERSION {
        return ImportError::Newer {
            path,
            found: u64::from(found),
            known: u64::from(VERSION),
        };
    }
    ImportError::Useless {
        path,
        why: format!(
            "it is in version {found} of the format, and this Syncline reads version {VERSION} alone; record anew"
        ),
    }
}

fn receipt(summary: ActivitySummary) -> Receipt {
    let mut receipt = Receipt {
        events: summary.activities + summary.nvtx,
        inferred: summary.inferred,
        ..Receipt::default()
    };
    for (cause, count) in summary.repairs {
        receipt.repair(cause, count);
    }
    for teller in summary.tellers {
        receipt.note(format!("{}.", teller.text));
    }
    receipt.notes.extend(summary.window);
    receipt.notes.extend(summary.notes);
    receipt
}

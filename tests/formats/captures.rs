//! Files of captures: what was written comes back, record by record, and Perfetto's own schema reads it.

pub mod sample;

mod extra;
pub mod foreign;
mod legacy;
pub mod random;
mod schema;

use std::io::Write as _;
use std::ops::ControlFlow;

use engine::backend::BACKENDS;
use engine::capture::{Capture, text};
use engine::exporter::pftrace::PftraceWriter;
use engine::exporter::{EXPORTERS, ExportFidelity};
use engine::importer::{self, ImportBatch, ImportError, Receipt, Source};
use engine::record::{NameId, Record};
use engine::runner::{RunRequest, run};
use engine::workload::bundled;

use crate::semantics::conformance::BRISK;
use proptest::prelude::{ProptestConfig, any, prop, proptest};
use proptest::{prop_assert, prop_assert_eq};

/// The bytes of a file that holds `records`, flushed after every `every`.
pub fn saved(records: &[Record], every: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = PftraceWriter::new(&mut bytes);
    for (place, record) in records.iter().enumerate() {
        writer.write(record).unwrap();
        if place % every == every - 1 {
            writer.flush().unwrap();
        }
    }
    writer.finish().unwrap();
    drop(writer);
    bytes
}

/// How many facts a record tells: fields that are packed together count one by one.
fn facts_in(record: &Record) -> u64 {
    match record {
        Record::Fields(fields) => u64::from(fields.count),
        _ => 1,
    }
}

/// What the bytes of a file hold, of which nothing is dropped.
pub fn opened(bytes: Vec<u8>) -> Result<(Vec<Record>, Receipt), ImportError> {
    let opened = opened_in_part(bytes);
    if let Ok((_, receipt)) = &opened {
        assert_eq!(receipt.dropped, 0);
    }
    opened
}

/// What the bytes of a file hold.
fn opened_in_part(bytes: Vec<u8>) -> Result<(Vec<Record>, Receipt), ImportError> {
    let source = Source::from_bytes("sample.pftrace", bytes)?;
    let mut records = Vec::new();
    let mut take = |batch: ImportBatch| {
        assert!(batch.read <= batch.total || batch.read == u64::MAX);
        records.extend(batch.records);
        ControlFlow::Continue(())
    };
    let receipt = importer::open_source(&source, &mut take)?;
    assert_eq!(receipt.read, records.iter().map(facts_in).sum::<u64>());
    Ok((records, receipt))
}

/// The capture of some records.
pub fn capture(records: impl IntoIterator<Item = Record>) -> Capture {
    let mut capture = Capture::new();
    capture.apply(records);
    capture
}

#[test]
fn a_sample_comes_back_as_it_was() {
    let records = sample::records();
    let (back, receipt) = opened(saved(&records, 7)).unwrap();
    assert_eq!(text(&capture(back)), text(&capture(records)));
    assert_eq!((receipt.repaired, receipt.inferred), (0, 0));
    assert!(receipt.notes.is_empty(), "{:?}", receipt.notes);
}

/// The file that grows beside a run is the run: every bundled workload, on every backend that opens.
#[test]
fn a_saved_run_is_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    crate::house::program::syncline();
    for backend in BACKENDS
        .iter()
        .filter(|backend| !backend.ends_processes() && backend.probe().is_ok())
    {
        for workload in bundled() {
            let request = RunRequest {
                name: workload.name.to_owned(),
                source: workload.source.to_owned(),
                backend: backend.name().to_owned(),
                paced: BRISK,
                save: Some(path.clone()),
                ..RunRequest::default()
            };
            let mut live = Capture::new();
            run(request, |records| live.apply(records)).unwrap();
            assert!(live.span_count() > 0 && live.run().is_some());
            let mut back = Capture::new();
            let receipt = importer::open(&path, &mut |batch| {
                back.apply(batch.records);
                ControlFlow::Continue(())
            });
            assert!(receipt.unwrap().notes.is_empty());
            let (name, on) = (workload.name, backend.name());
            assert_eq!(random::shown(&back), random::shown(&live), "{name} on {on}");
        }
    }
}

#[test]
fn an_exporter_that_keeps_everything_gives_everything_back() {
    let before = capture(sample::records());
    let whole = EXPORTERS
        .iter()
        .filter(|it| it.keeps() == ExportFidelity::Everything);
    for exporter in whole {
        let mut bytes = Vec::new();
        exporter.write(&before, &mut bytes).unwrap();
        let (records, _) = opened(bytes).unwrap();
        assert_eq!(
            text(&capture(records)),
            text(&before),
            "{}",
            exporter.name()
        );
    }
}

#[test]
fn a_reader_can_cancel() {
    let source = Source::from_bytes("sample.pftrace", saved(&sample::records(), 9)).unwrap();
    let answer = importer::open_source(&source, &mut |_| ControlFlow::Break(()));
    assert!(matches!(answer, Err(ImportError::Cancelled)), "{answer:?}");
}

#[test]
fn a_file_that_is_no_capture_is_one_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::File::create(&path)
            .unwrap()
            .write_all(bytes)
            .unwrap();
        path
    };
    let said = |path: &std::path::Path| {
        let answer = importer::open(path, &mut |_| ControlFlow::Continue(()));
        answer.unwrap_err().to_string()
    };
    let text = said(&file("notes.txt", b"\nDear reader, this is no capture.\n"));
    assert!(
        text.contains("is not a capture: it is a text that begins with “Dear reader"),
        "{text}"
    );
    let text = said(&file("image.png", b"\x89PNG\r\n\x1a\n0000"));
    assert!(text.contains("is a picture"), "{text}");
    let text = said(&file("bytes", &[0, 1, 2, 0xFF]));
    assert!(text.contains("begins with the bytes 00 01 02 ff"), "{text}");
    let text = said(&file("empty.pftrace", b""));
    assert!(text.contains("is empty"), "{text}");
    let text = said(folder.path());
    assert!(text.contains("is a directory; name a file in it"), "{text}");
    let text = said(&folder.path().join("absent.pftrace"));
    assert!(text.starts_with("there is no file "), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_written_comes_back(records in prop::collection::vec(random::record(), 1..120), every in 1..50usize) {
        let (back, _) = opened(saved(&records, every)).unwrap();
        prop_assert_eq!(random::shown(&capture(back)), random::shown(&capture(records)));
    }

    #[test]
    fn an_exported_capture_is_the_same_capture(records in prop::collection::vec(random::record(), 1..120)) {
        // Whether a span shares a stream is marked as it comes, which takes the lane to have come before.
        let mut records = records;
        records.sort_by_key(|record| !matches!(record, Record::Lane(_)));
        // Names that no record says are numbers that the JSON reader gives to other texts.
        let names = (0..64).map(|id| Record::Name(NameId(id), format!("name {id}").into()));
        let before = capture(names.chain(records));
        for exporter in EXPORTERS.iter().filter(|it| it.keeps() == ExportFidelity::Everything) {
            let mut bytes = Vec::new();
            exporter.write(&before, &mut bytes).unwrap();
            let (back, _) = opened(bytes).unwrap();
            prop_assert_eq!(random::shown(&capture(back)), random::shown(&before), "{}", exporter.name());
        }
    }

    #[test]
    fn any_bytes_are_an_answer(bytes in prop::collection::vec(any::<u8>(), 1..300), tag in any::<bool>()) {
        let mut bytes = bytes;
        if tag {
            bytes.splice(0..0, saved(&[], 1));
        }
        let answer = opened_in_part(bytes);
        prop_assert!(answer.is_ok() || !tag);
    }
}

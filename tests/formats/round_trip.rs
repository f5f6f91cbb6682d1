//! There and back: a capture that is written in a format that keeps everything, and opened again, is the same in every field.

mod compare;

use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use engine::backend::BACKENDS;
use engine::capture::Capture;
use engine::exporter::{EXPORTERS, ExportFidelity, Exporter};
use engine::importer::{Source, open_source};
use engine::record::{LaneId, Record, SpanId, Value};
use engine::runner::{RunRequest, run};
use engine::workload::bundled;

use crate::formats::real;
use crate::house::root;
use crate::semantics::conformance::BRISK;

/// Captures of other people's tools that are no larger, packed as they are, are compared in every test run; the others where
/// `SYNCLINE_ROUND_TRIP` is set.
const SMALL: u64 = 64 << 10;

/// What an exporter makes of a capture, opened again.
fn back(capture: &Capture, exporter: &dyn Exporter, is_packed: bool) -> Capture {
    let mut bytes = Vec::new();
    exporter.write(capture, &mut bytes).unwrap();
    let mut name = format!("back.{}", exporter.extension());
    if is_packed {
        name.push_str(".gz");
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(&bytes).unwrap();
        bytes = packer.finish().unwrap();
    }
    let source = Source::from_bytes(&name, bytes).unwrap();
    let mut back = Capture::new();
    open_source(&source, &mut |batch| {
        back.apply(batch.records);
        ControlFlow::Continue(())
    })
    .unwrap();
    back
}

/// The differences of a capture to what comes back, in each format that keeps everything.
fn differences(capture: &Capture, of: &str) -> Vec<String> {
    let formats = EXPORTERS
        .iter()
        .filter(|it| it.keeps() == ExportFidelity::Everything);
    let mut all = Vec::new();
    for exporter in formats {
        for is_packed in [false, true] {
            let packed = if is_packed { ", packed" } else { "" };
            let found = compare::differences(capture, &back(capture, *exporter, is_packed));
            let found = found.into_iter().take(20);
            all.extend(found.map(|it| format!("{of} as {}{packed}: {it}", exporter.name())));
        }
    }
    all
}

/// Every file below a folder, in order.
fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<PathBuf> = entries.map(|it| it.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, all);
        } else {
            all.push(path);
        }
    }
}

#[test]
fn captures_of_other_tools_come_back_as_they_were() {
    let given = std::env::var_os("SYNCLINE_CAPTURES");
    let shared = given.map_or_else(|| root().join("../shared/captures"), PathBuf::from);
    let takes_all = std::env::var_os("SYNCLINE_ROUND_TRIP").is_some();
    let mut paths = Vec::new();
    files(&root().join("tests/data/captures"), &mut paths);
    files(&shared, &mut paths);
    let (mut compared, mut found) = (0, Vec::new());
    for path in paths {
        let length = std::fs::metadata(&path).unwrap().len();
        if length > SMALL && !takes_all {
            continue;
        }
        let mut capture = Capture::new();
        let opened = engine::importer::open_all(std::slice::from_ref(&path), &mut |batch| {
            capture.apply(batch.records);
            ControlFlow::Continue(())
        });
        // What is no capture is refused, which other tests look at.
        if opened.is_ok() {
            compared += 1;
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            found.extend(differences(&capture, &name));
        }
    }
    eprintln!("{compared} captures compared");
    assert!(compared > 0);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Bytes that are zero at the end of a text are left off where programs in C left them, and not where they were kept.
#[test]
fn texts_that_end_in_zero_bytes_come_back() {
    let json = r#"{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a","args":{"k":"v"}}]}"#;
    let source = Source::from_bytes("a.json", json.as_bytes().to_vec()).unwrap();
    let mut capture = Capture::new();
    open_source(&source, &mut |batch| {
        let records = batch.records.into_iter().map(|record| match record {
            Record::Fields(mut fields) => {
                fields.texts = vec!["v\0\0".into()];
                Record::Fields(fields)
            }
            other => other,
        });
        capture.apply(records);
        ControlFlow::Continue(())
    })
    .unwrap();
    let kept = capture
        .arguments(SpanId(0))
        .any(|(_, it)| it == Value::Text("v\0\0".into()));
    assert!(
        kept,
        "{:?}",
        capture.arguments(SpanId(0)).collect::<Vec<_>>()
    );
    let found = differences(&capture, "a text");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn runs_of_every_bundled_workload_come_back_as_they_were() {
    let mut found = Vec::new();
    for backend in ["mock", "cpu", "paced"] {
        assert!(BACKENDS.iter().any(|it| it.name() == backend));
        for workload in bundled() {
            let request = RunRequest {
                name: workload.name.to_owned(),
                source: workload.source.to_owned(),
                backend: backend.to_owned(),
                paced: BRISK,
                ..RunRequest::default()
            };
            let mut capture = Capture::new();
            run(request, |records| capture.apply(records)).unwrap();
            found.extend(differences(
                &capture,
                &format!("{} on {backend}", workload.name),
            ));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Saving what was opened, and opening that, ties nothing a second time.
#[test]
fn what_was_saved_is_opened_as_it_was_saved() {
    let Some(path) = real::path("fresh/torch-gloo-rank0.json.gz") else {
        return;
    };
    let (capture, _) = real::open(&[path]);
    let folder = tempfile::tempdir().unwrap();
    for exporter in EXPORTERS
        .iter()
        .filter(|it| it.keeps() == ExportFidelity::Everything)
    {
        let target = folder
            .path()
            .join(format!("saved.{}", exporter.extension()));
        let mut file = std::fs::File::create(&target).unwrap();
        exporter.write(&capture, &mut file).unwrap();
        let (again, _) = real::open(&[target]);
        let found = compare::differences(&capture, &again);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

/// What was mended in a file is said of what was saved of it, too, and of what was saved of that.
#[test]
fn receipts_survive_saving() {
    for name in [
        "stray-end.json",
        "not-utf8-annotation.pftrace",
        "never-ends.pftrace",
    ] {
        let path = root().join("tests/data/captures").join(name);
        let (mut capture, parts) = real::open(&[path]);
        let receipt = &parts[0].receipt;
        assert!(receipt.repaired > 0, "{name}");
        let folder = tempfile::tempdir().unwrap();
        let keeping = EXPORTERS
            .iter()
            .filter(|it| it.keeps() == ExportFidelity::Everything);
        for exporter in keeping {
            let target = folder.path().join(format!("a.{}", exporter.extension()));
            let mut file = std::fs::File::create(&target).unwrap();
            exporter.write(&capture, &mut file).unwrap();
            let (again, parts) = real::open(&[target]);
            let kept = &parts[0].receipt;
            assert_eq!(kept.repairs, receipt.repairs, "{name}");
            assert_eq!(kept.repaired, receipt.repaired, "{name}");
            assert_eq!(kept.notes, receipt.notes, "{name}");
            capture = again;
        }
    }
}

/// So is how much of it was concluded.
#[test]
fn what_was_inferred_is_counted_after_saving() {
    let path = root().join("tests/data/captures/jax-devices.xplane.pb.gz");
    let (capture, parts) = real::open(&[path]);
    assert!(parts[0].receipt.inferred > 0);
    let folder = tempfile::tempdir().unwrap();
    for exporter in EXPORTERS
        .iter()
        .filter(|it| it.keeps() == ExportFidelity::Everything)
    {
        let target = folder.path().join(format!("a.{}", exporter.extension()));
        let mut file = std::fs::File::create(&target).unwrap();
        exporter.write(&capture, &mut file).unwrap();
        let kept = real::open(&[target]).1[0].receipt.inferred;
        assert_eq!(kept, parts[0].receipt.inferred, "{}", exporter.name());
    }
}

/// Many spans of one thread overlap, some inside others and some in part: each comes back on its sub-lane.
#[test]
fn deep_lanes_come_back_sub_lane_by_sub_lane() {
    let mut state = 7_u64;
    let mut below = |limit: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % limit
    };
    let spans = (0..1_000).map(|_| {
        let (start, length) = (below(10_000), 1 + below(10) * below(200));
        format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{start},"dur":{length},"name":"a"}}"#)
    });
    let json = format!(
        r#"{{"traceEvents":[{}]}}"#,
        spans.collect::<Vec<_>>().join(",")
    );
    let source = Source::from_bytes("deep.json", json.into_bytes()).unwrap();
    let mut capture = Capture::new();
    open_source(&source, &mut |batch| {
        capture.apply(batch.records);
        ControlFlow::Continue(())
    })
    .unwrap();
    let depth = capture.depth(LaneId(0));
    assert!((50..500).contains(&depth), "{depth} sub-lanes");
    let found = differences(&capture, "a deep lane");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

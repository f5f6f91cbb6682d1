//! Waits of Ascend's streams, which no file ties to an event, against what `tests/oracle/ascend_waits.py` concludes.

use std::collections::BTreeSet;
use std::process::Command;

use engine::capture::{Capture, PlacedSpan};
use engine::record::{Basis, DependencyKind};

use super::{open, path};
use crate::house::root;

/// Each file and how many of its waits have a record.
const FILES: [(&str, usize); 3] = [
    ("ascend/level1_rank0/trace_view.json", 10),
    ("ascend/level1_rank1/trace_view.json", 10),
    ("ascend/db_level1_rank0/ascend_pytorch_profiler_0.db", 10),
];

/// The number of the stream that a span is on, and when it began after an instant.
fn at(capture: &Capture, span: &PlacedSpan, zero: i64) -> String {
    let lane = &capture.lane(span.span.lane).unwrap().name;
    let (_, number) = lane.rsplit_once("Stream ").unwrap();
    format!("{number} {}", span.span.start.0 - zero)
}

/// Each wait and its record, as the script says it.
fn waits(capture: &Capture) -> BTreeSet<String> {
    let named = |name: &'static str| {
        let all = capture.spans();
        all.filter(move |it| capture.name(it.span.name) == name)
    };
    let zero = named("EVENT_WAIT").map(|it| it.span.start.0).min().unwrap();
    let pairs = named("EVENT_WAIT").map(|wait| {
        let causes = capture.causes(wait.span.id);
        let mut ties = causes.filter_map(|id| capture.dependency(id));
        let tie = ties.find(|it| it.kind == DependencyKind::Event);
        let record = tie.map_or("-".to_owned(), |tie| {
            assert_eq!(tie.basis, Basis::Inferred);
            at(capture, &capture.span(tie.cause).unwrap(), zero)
        });
        format!("{} {record}", at(capture, &wait, zero))
    });
    pairs.collect()
}

#[test]
fn every_wait_is_tied_to_the_record_that_a_script_finds() {
    for (name, tied) in FILES {
        let Some(file) = path(name) else { continue };
        let mut script = Command::new("python3");
        let script = script
            .arg(root().join("tests/oracle/ascend_waits.py"))
            .arg(&file);
        let Ok(output) = script.output() else {
            eprintln!("skipped: there is no python3 to read the raw files with");
            return;
        };
        let wrong = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{wrong}");
        let said = String::from_utf8(output.stdout).unwrap();
        let expected: BTreeSet<String> = said.lines().map(str::to_owned).collect();
        let (capture, _) = open(&[file]);
        let found = waits(&capture);
        assert_eq!(found, expected, "{name}");
        let count = found.iter().filter(|it| !it.ends_with('-')).count();
        assert_eq!(count, tied, "{name}");
    }
}

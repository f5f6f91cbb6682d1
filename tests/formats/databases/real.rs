//! Real captures, where they are at hand: what opens is what a script that shares no code with Syncline counts.

use std::path::{Path, PathBuf};
use std::process::Command;

use engine::capture::Capture;
use engine::importer::{self, ImportError, Receipt};
use engine::record::{DependencyKind, Group};
use std::ops::ControlFlow;

use super::rows_read::dependencies;
use crate::house::root;

/// What the script counted, kept so that the test needs no Python.
const COUNTS: &str = include_str!("counts.txt");

/// The folder of real captures, if it is there.
fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("SYNCLINE_CAPTURES").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().join("../shared/captures"));
    if !folder.is_dir() {
        eprintln!(
            "skipped: there is no folder {}; name the one with real captures in SYNCLINE_CAPTURES",
            folder.display()
        );
        return None;
    }
    Some(folder)
}

fn open(path: &Path) -> Result<(Capture, Receipt), ImportError> {
    let mut capture = Capture::new();
    let receipt = importer::open(path, &mut |batch| {
        capture.apply(batch.records);
        ControlFlow::Continue(())
    })?;
    Ok((capture, receipt))
}

#[test]
fn counts_are_those_of_an_independent_script() {
    let Some(folder) = folder() else { return };
    for line in COUNTS.lines().skip(1) {
        let mut words = line.split(' ');
        let path = folder.join(words.next().unwrap());
        let expected: Vec<usize> = words.map(|it| it.parse().unwrap()).collect();
        if !path.exists() {
            eprintln!("skipped: there is no {}", path.display());
            continue;
        }
        let (capture, receipt) = open(&path).unwrap();
        let dependencies = dependencies(&capture);
        let of = |kind| dependencies.iter().filter(|it| it.kind == kind).count();
        let found = [
            capture.span_count(),
            capture
                .lanes()
                .iter()
                .filter(|lane| lane.group == Group::Streams)
                .count(),
            of(DependencyKind::Submission),
            of(DependencyKind::Event),
            of(DependencyKind::Synchronization),
            of(DependencyKind::Flow),
        ];
        assert_eq!(found.to_vec(), expected, "{}", path.display());
        assert_eq!(receipt.dropped, 0, "{}", path.display());
        assert!(receipt.events > 0 && receipt.read > 0, "{receipt:?}");
    }
}

/// The table is what the script says today.
#[test]
fn the_table_is_what_the_script_counts() {
    let Some(folder) = folder() else { return };
    let script = root().join("tests/formats/databases/count.py");
    let Ok(output) = Command::new("python3").arg(script).arg(&folder).output() else {
        eprintln!("skipped: there is no python3 to count with");
        return;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), COUNTS);
}

#[test]
fn reports_that_only_nsight_reads_name_the_command() {
    let Some(folder) = folder() else { return };
    let path = folder.join("nsys/gtls_report1.nsys-rep");
    if !path.exists() {
        eprintln!("skipped: there is no {}", path.display());
        return;
    }
    let error = open(&path).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("nsys export --type sqlite"), "{error}");
}

//! The list of cases of what orders calls and what does not: each must come to the same verdict.

mod capture;
mod case;
mod replay;

use std::path::PathBuf;

use case::{Case, Op};
use replay::{Found, replay};

use crate::house::{report, root};

/// The cases that come with the project, or those of the file that `SYNCLINE_HAZARD_CASES` names.
fn path() -> (PathBuf, bool) {
    let given = std::env::var_os("SYNCLINE_HAZARD_CASES");
    let own = || root().join("tests/data/hazard_cases.json");
    (
        given.as_ref().map_or_else(own, PathBuf::from),
        given.is_none(),
    )
}

fn complaint(case: &Case) -> Option<String> {
    if case.category == "capture_topology" {
        let missed = capture::misses(case);
        return (!missed.is_empty()).then(|| format!("{}: {missed:?}", case.name));
    }
    let expected = Found {
        hazards: case.expected.clone(),
        lints: case.expected_lints.clone(),
    };
    let found = replay(case);
    (found != expected).then(|| format!("{}: found {found:?}, expected {expected:?}", case.name))
}

#[test]
fn every_case_comes_to_its_verdict() {
    let (path, is_own) = path();
    let (cases, left) = case::read(&path);
    for line in &left {
        eprintln!("{line}");
    }
    eprintln!(
        "{} cases, and {} that cannot be expressed",
        cases.len(),
        left.len()
    );
    if is_own {
        assert_eq!((cases.len(), left.len()), (177, 0), "{left:#?}");
    }
    let complaints: Vec<String> = cases.iter().filter_map(complaint).collect();
    report("cases come to another verdict:", &complaints);
}

/// A case without one of its records, waits or synchronisations.
fn without_one(case: &Case) -> Vec<Case> {
    let orders = |op: &Op| match op {
        Op::EventRecord { .. }
        | Op::EventWait { .. }
        | Op::EventSync { .. }
        | Op::StreamSync { .. }
        | Op::DeviceSync { .. } => true,
        Op::EventQuery { result, .. } | Op::StreamQuery { result, .. } => result == "complete",
        _ => false,
    };
    let places = (0..case.ops.len()).filter(|&place| orders(&case.ops[place]));
    let without = |place| {
        let mut case = case.clone();
        case.ops.remove(place);
        case
    };
    places.map(without).collect()
}

/// What orders the calls of a clean case is what keeps it clean: nearly every case becomes racy without it.
#[test]
fn a_synchronisation_that_is_left_out_is_noticed() {
    let (path, is_own) = path();
    if !is_own {
        eprintln!("counted for the cases of the project alone");
        return;
    }
    let (cases, _) = case::read(&path);
    let clean = |case: &&Case| case.category != "capture_topology" && case.expected.is_empty();
    let cases: Vec<&Case> = cases.iter().filter(clean).collect();
    let left_out: Vec<Case> = cases.iter().flat_map(|case| without_one(case)).collect();
    let racy = left_out
        .iter()
        .filter(|case| !replay(case).hazards.is_empty());
    assert_eq!((cases.len(), left_out.len(), racy.count()), (89, 201, 158));
}

//! The promise layer's model against cases of the WebGPU specification and its conformance suite, each a program in
//! neutral words with what it must come to.
//!
//! `SYNCLINE_WEBGPU_CASES=FILE` runs another file of the same form.

mod case;
mod expect;
mod machine;
mod schedule;
mod shader;
mod statement;

use std::collections::BTreeMap;
use std::path::PathBuf;

use engine::device::webgpu::{Api, Condition, SpecAuthority, outcomes};

use self::case::Case;
use self::machine::{Machine, Stop};
use self::schedule::Schedule;

/// Where the cases are.
fn path() -> PathBuf {
    let other = std::env::var_os("SYNCLINE_WEBGPU_CASES").map(PathBuf::from);
    other.unwrap_or_else(|| {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/webgpu_cases.jsonl")
    })
}

fn cases() -> Vec<Case> {
    let path = path();
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| Case::parse(line).unwrap()).collect()
}

/// What a case came to.
enum Verdict {
    Passed,
    Skipped(String),
    Failed(String),
}

/// Runs a case by every edition that its authority speaks for, in every schedule: the timelines only constrain order.
fn run(case: &Case) -> Verdict {
    if let Some(reason) = case.not_native() {
        return Verdict::Skipped(reason);
    }
    for edition in case.editions() {
        for schedule in Schedule::all(case) {
            let wrong = match Machine::run(case, *edition, schedule) {
                Ok(seen) => expect::check(case, &seen),
                Err(Stop::Unknown(what)) => Err(format!("cannot be read: {what}")),
                Err(Stop::Stuck(what)) => Err(format!("never comes to its end: {what}")),
            };
            if let Err(wrong) = wrong {
                let label = edition.label();
                return Verdict::Failed(format!("by {label}, {schedule:?}: {wrong}"));
            }
        }
    }
    Verdict::Passed
}

#[test]
fn every_case_comes_out_as_its_authority_says() {
    let cases = cases();
    let (mut passed, mut skipped, mut failed) = (0, Vec::new(), Vec::new());
    for case in &cases {
        match run(case) {
            Verdict::Passed => passed += 1,
            Verdict::Skipped(reason) => skipped.push(format!("{}: {reason}", case.id)),
            Verdict::Failed(wrong) => failed.push(format!("{}: {wrong}", case.id)),
        }
    }
    eprintln!("WebGPU cases: {passed} of {} run as they are", cases.len());
    if !skipped.is_empty() {
        eprintln!("{} cannot run on a native backend:", skipped.len());
        eprintln!("{}", skipped.join("\n"));
    }
    assert!(
        failed.is_empty(),
        "{} fail:\n{}",
        failed.len(),
        failed.join("\n")
    );
    assert_eq!(passed + skipped.len(), cases.len());
    assert!(passed > 0, "{}: no case in it runs", path().display());
}

#[test]
fn a_wrong_expectation_fails() {
    // The same programs with what they do not come to: each must be noticed.
    let mut noticed: BTreeMap<&str, usize> = BTreeMap::new();
    for case in cases() {
        if case.not_native().is_some() {
            continue;
        }
        for (key, wrong) in case.spoiled() {
            if matches!(run(&wrong), Verdict::Failed(_)) {
                *noticed.entry(key).or_default() += 1;
            } else {
                panic!("{}: a wrong `{key}` passes", case.id);
            }
        }
    }
    assert!(
        std::env::var_os("SYNCLINE_WEBGPU_CASES").is_some() || noticed.len() >= 6,
        "{noticed:?}"
    );
}

#[test]
fn the_table_of_outcomes_is_used_whole() {
    // Rows that differ between editions must really differ, and each API has rows for a loss.
    for api in Api::ALL {
        let rows = outcomes()
            .iter()
            .filter(|row| row.apis.iter().any(|(it, _)| it == api));
        assert!(rows.count() > 0, "{api:?} has no row");
    }
    let speaks = |edition: SpecAuthority| outcomes().iter().any(|row| row.editions == [edition]);
    assert!(
        speaks(SpecAuthority::Former)
            && speaks(SpecAuthority::Present)
            && speaks(SpecAuthority::Suite)
    );
    let lost = outcomes()
        .iter()
        .filter(|row| row.conditions.iter().any(|it| it.is_loss()));
    assert!(lost.count() >= 15);
    assert!(Condition::LostBefore.is_loss() && !Condition::Invalid.is_loss());
}

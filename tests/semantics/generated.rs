//! Generated workloads on every backend, compared with a model of their order and numbers that is written apart from the
//! engine: which races there are, which waits are needed, what buffers hold, what ends before what begins, and what never
//! ends.

mod aborts;
mod advice;
mod chance;
mod check;
mod draw;
mod expected_orders;
mod families;
mod inserted_waits;
mod meetings;
mod memory;
mod model;
mod order;
mod shrink;
mod submitted;
mod text;
mod values;

use std::fmt::Write as _;
use std::ops::Range;

use engine::record::{FindingId, Record};
use engine::runner::run;
use engine::time::Nanos;

use self::check::{Comparison, RunRecords};
pub use self::draw::SeededRandom;
use self::draw::{Family, draw, draw_of, family};
use self::order::EnforcedOrder;
use self::text::GeneratedWorkload;
use crate::semantics::conformance::{backends, request};

/// How many workloads run on each backend where nothing else is asked for.
const COUNT: u64 = 300;
/// Seeds that the engine or the model once had wrong.
const ONCE_WRONG: [(Family, u64); 9] = [
    (Family::Memory, 20_750),
    (Family::AbortedMemory, 101_757),
    (Family::AbortedMemory, 104_857),
    (Family::Fans, 108_035),
    (Family::Memory, 204_856),
    (Family::Fans, 205_955),
    (Family::Fans, 206_275),
    (Family::Graphs, 208_986),
    (Family::AbortedMemory, 605_257),
];
/// Of so many seeds what is found is compared where host threads come in other orders.
const MOST_COMPARED: u64 = 3_000;
/// Asks for another number, and where one is given, for another first seed: `10000` or `10000@5000`.
const WANTED: &str = "SYNCLINE_GENERATED";
/// Workloads that fail are made smaller and shown, so many of them.
const MOST_SHOWN: usize = 3;

/// The records of a run of a workload.
///
/// # Errors
/// It was refused.
fn records(workload: &GeneratedWorkload, backend: &str) -> Result<Vec<Record>, String> {
    let mut records = Vec::new();
    run(request(&workload.text(), backend), |batch| {
        records.extend(batch);
    })?;
    Ok(records)
}

/// What is wrong with a run of a workload, each with a word for its kind.
fn complaints(workload: &GeneratedWorkload, backend: &str) -> Vec<(&'static str, String)> {
    let records = match records(workload, backend) {
        Ok(records) => records,
        Err(reason) => return vec![("refused", reason)],
    };
    let is_real = backend == "cuda" && std::env::var_os("REAL_CUDA").is_some();
    let comparison = Comparison {
        workload,
        order: &EnforcedOrder::of(workload, &[]),
        run: &RunRecords::new(&records),
        is_apart: backend == "wgpu",
        slack: Nanos(if is_real { 5_000 } else { 0 }),
    };
    let mut complaints = comparison.complaints();
    // When memory changes that is allocated in the order of a stream is the driver's to know, and no time's to tell.
    if backend == "cuda" {
        complaints.retain(|(kind, _)| *kind != "values drawn");
    }
    complaints
}

/// The seeds that are to be run.
pub fn seeds() -> Range<u64> {
    let wanted = std::env::var(WANTED).unwrap_or_default();
    let (count, first) = wanted.split_once('@').unwrap_or((&wanted, "0"));
    let first = first.parse().unwrap_or(0);
    first..first + count.parse().unwrap_or(COUNT)
}

/// Runs every seed on a backend, if that opens here.
fn run_all(backend: &str) {
    if !backends().iter().any(|it| it.name() == backend) {
        return;
    }
    let mut failed = Vec::new();
    let drawn = seeds().map(|seed| (family(seed), seed));
    for (family, seed) in drawn.chain(ONCE_WRONG) {
        let workload = draw_of(family, seed);
        // There a trap is a loss, which ends a process: tests/semantics/cuda/faults.rs.
        if backend == "cuda" && workload.text().contains("\"trap\"") {
            continue;
        }
        let found = complaints(&workload, backend);
        if let Some((kind, text)) = found.first() {
            eprintln!("seed {seed} on {backend}, {kind}: {text}");
            failed.push((family, seed, workload, *kind, text.clone()));
        }
    }
    eprintln!("{backend}: seeds {:?}, {} failed", seeds(), failed.len());
    assert!(failed.is_empty(), "{}", shown(backend, &failed));
}

/// A workload that failed, with its family and seed, and what is wrong first: a word for its kind, and the text.
type FailedWorkload = (Family, u64, GeneratedWorkload, &'static str, String);

/// Each workload that failed in a line, and the first of them made smaller, with all that is wrong with them.
fn shown(backend: &str, failed: &[FailedWorkload]) -> String {
    let mut text = format!("{} of {:?} on {backend}:\n", failed.len(), seeds());
    for (family, seed, _, kind, what) in failed {
        let _ = writeln!(text, "seed {seed} ({family:?}), {kind}: {what}");
    }
    for (_, seed, workload, kind, _) in failed.iter().take(MOST_SHOWN) {
        let fails = |smaller: &GeneratedWorkload| {
            complaints(smaller, backend).iter().any(|it| it.0 == *kind)
        };
        let small = shrink::shrink(workload, fails);
        let found = complaints(&small, backend);
        let _ = writeln!(text, "\nseed {seed}, {kind}: {found:#?}\n{}", small.text());
    }
    text
}

#[test]
fn generated_workloads_run_on_mock_as_the_model_says() {
    run_all("mock");
}

#[test]
fn generated_workloads_run_on_cpu_as_the_model_says() {
    run_all("cpu");
}

#[test]
fn generated_workloads_run_on_wgpu_as_the_model_says() {
    run_all("wgpu");
}

#[test]
fn generated_workloads_run_on_cuda_as_the_model_says() {
    run_all("cuda");
}

/// What is found: for each finding of the order of calls its code, its lines and its text, and what is said besides of waits
/// that add nothing.
fn verdict(workload: &GeneratedWorkload, backend: &str) -> Vec<(String, Vec<u32>, String)> {
    let records = records(workload, backend).expect("generated workloads run");
    let run = RunRecords::new(&records);
    let all = ["unordered-hosts", "race", "redundant-wait"];
    // What races depends on which calls are refused.
    let codes = &all[..if workload.has_refusals() { 1 } else { 3 }];
    let found = codes.iter().flat_map(|code| run.findings(code));
    let mut found: Vec<_> = found
        .map(|it| (it.code.clone(), it.lines.clone(), it.text.clone()))
        .collect();
    let problems = records.iter().filter_map(|it| match it {
        Record::Problem(it) if codes.contains(&it.code.as_str()) => Some(it),
        _ => None,
    });
    found.extend(problems.map(|it| (it.code.clone(), Vec::new(), it.text.clone())));
    found.sort_unstable();
    found
}

#[test]
fn what_is_found_does_not_depend_on_how_calls_of_unordered_host_threads_happen_to_come() {
    let families = [
        Family::UnorderedHosts,
        Family::SharedSignals,
        Family::AutomaticHosts,
        Family::UnorderedCaptures,
        Family::Refusals,
    ];
    let (mut seen, mut seeds) = (0, seeds());
    // As many as a test has time for.
    seeds.end = seeds.end.min(seeds.start + MOST_COMPARED);
    for seed in seeds.filter(|&seed| families.contains(&family(seed))) {
        let mut workload = draw(seed);
        if family(seed) == Family::AutomaticHosts {
            families::use_memory(&mut workload, &mut SeededRandom::new(seed));
        }
        let orders = families::each_last(&workload);
        let first = verdict(&orders[0], "mock");
        seen += first.len();
        for order in &orders[1..] {
            let told = verdict(order, "mock");
            assert_eq!(first, told, "seed {seed}\n{}", order.text());
        }
        for _ in 0..3 {
            let told = verdict(&orders[0], "cpu");
            assert_eq!(first, told, "seed {seed}\n{}", orders[0].text());
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn the_same_seed_gives_the_same_records_in_virtual_time() {
    for seed in (0..COUNT).filter(|seed| seed % 7 == 0) {
        let workload = draw(seed);
        // Races are looked for beside the run: what else was told by then is a matter of real time, and so is which finding is
        // told first and has the lower number.
        let told = || {
            let records = records(&workload, "mock").expect("generated workloads run");
            let beside = |it: &Record| matches!(it, Record::Finding(_) | Record::Search(_));
            let (beside, told): (Vec<_>, Vec<_>) = records.into_iter().partition(beside);
            let without_number = |record| match record {
                Record::Finding(mut it) => {
                    it.id = FindingId(0);
                    format!("{it:?}")
                }
                other => format!("{other:?}"),
            };
            let mut found: Vec<String> = beside.into_iter().map(without_number).collect();
            found.sort_unstable();
            (found, told)
        };
        let (first, second) = (told(), told());
        assert_eq!(first, second, "seed {seed}\n{}", workload.text());
    }
}

//! Whatever is advised may be followed: without a wait that is called redundant, or with a narrower wait where one is said to
//! be enough, a generated workload has the same races and the same numbers.

use engine::analysis::analyse;
use engine::analysis::causes::Causes;
use engine::capture::Capture;
use engine::record::{Finding, Record};

use super::draw::draw;
use super::order::EnforcedOrder;
use super::text::{GeneratedCall, GeneratedWorkload, SynchronizationMode};
use super::{backends, records};

/// How many workloads are drawn where nothing else is asked for.
const SAMPLE: u64 = 120;
/// Asks for another number.
const WANTED: &str = "SYNCLINE_ADVICE";

/// A call that orders nothing, in the place of one that is left out: all lines stay as they are.
const NOTHING: GeneratedCall = GeneratedCall::HostWork(1);

/// What a run showed: its capture, its races and what buffers held.
struct AdvisedRun {
    capture: Capture,
    races: Vec<(String, Vec<u32>)>,
    values: Vec<String>,
}

impl AdvisedRun {
    fn of(workload: &GeneratedWorkload, backend: &str) -> Self {
        let made = records(workload, backend);
        let made = made.unwrap_or_else(|reason| panic!("{reason}\n{}", workload.text()));
        let values = made.iter().filter_map(|it| match it {
            Record::Expectation(it) => Some(it.found.clone()),
            _ => None,
        });
        let values = values.collect();
        let mut capture = Capture::new();
        capture.apply(made);
        let races = capture.findings().iter();
        let races = races.filter(|it| ["race", "unordered-hosts"].contains(&it.code.as_str()));
        let mut races: Vec<_> = races
            .map(|it| (it.text.clone(), it.lines.clone()))
            .collect();
        races.sort();
        Self {
            capture,
            races,
            values,
        }
    }

    /// Everything that is advised about calls of the workload.
    fn advice(&self) -> Vec<Finding> {
        let answers = analyse(&self.capture, Causes::build(&self.capture).into());
        let findings = answers.into_iter().flat_map(|it| it.answer.findings);
        let codes = ["redundant-wait", "over-synchronised"];
        findings
            .filter(|it| codes.contains(&it.code.as_str()))
            .collect()
    }

    /// The stream that a span is on, by its place in the workload.
    fn stream(&self, finding: &Finding, place: usize) -> Option<usize> {
        let placed = self.capture.span(*finding.spans.get(place)?)?;
        let lane = self.capture.lane(placed.span.lane)?;
        lane.name.strip_prefix('s')?.parse().ok()
    }
}

/// The workload that does what a finding advises.
fn followed(
    workload: &GeneratedWorkload,
    run: &AdvisedRun,
    finding: &Finding,
) -> Option<GeneratedWorkload> {
    let line = *finding.lines.first()?;
    let placed = workload.placed();
    let at = placed.iter().position(|it| it.line == line)?;
    let call = placed[at];
    let place = placed[..at]
        .iter()
        .filter(|it| it.host == call.host)
        .count();
    let instead = match (finding.code.as_str(), call.call) {
        ("redundant-wait", GeneratedCall::Wait(..)) => NOTHING,
        // The third span is what the work after it waited for: waiting for its stream is said to be enough.
        ("over-synchronised", GeneratedCall::SynchronizeDevice) => {
            GeneratedCall::SynchronizeStream(run.stream(finding, 2)?)
        }
        _ => return None,
    };
    let mut changed = workload.clone();
    // What every workload ends with is no call of its own.
    *changed.hosts.get_mut(call.host)?.get_mut(place)? = instead;
    Some(changed)
}

/// How many pieces of advice were followed on a backend.
fn follow_all(backend: &str) -> usize {
    if !backends().iter().any(|it| it.name() == backend) {
        return 0;
    }
    let wanted = std::env::var(WANTED).ok().and_then(|it| it.parse().ok());
    let (mut count, mut wrong) = (0, Vec::new());
    for seed in 0..wanted.unwrap_or(SAMPLE) {
        let workload = draw(seed);
        let order = EnforcedOrder::of(&workload, &[]);
        let is_plain = workload.mode == SynchronizationMode::Manual && !workload.has_aborts;
        if !is_plain || order.is_stuck() {
            continue;
        }
        let is_ordered = order.races(workload.mode).is_empty() && order.unordered_calls.is_empty();
        let run = AdvisedRun::of(&workload, backend);
        for finding in run.advice() {
            let Some(changed) = followed(&workload, &run, &finding) else {
                continue;
            };
            count += 1;
            let after = AdvisedRun::of(&changed, backend);
            // Numbers of a race are chance.
            let same = after.races == run.races && (!is_ordered || after.values == run.values);
            if !same {
                wrong.push(format!(
                    "seed {seed}: {}\n{:?} {:?}\n{:?} {:?}\n{}",
                    finding.text,
                    run.races,
                    run.values,
                    after.races,
                    after.values,
                    workload.text()
                ));
            }
        }
    }
    eprintln!(
        "{backend}: {count} pieces of advice followed, {} wrong",
        wrong.len()
    );
    assert!(
        wrong.is_empty(),
        "{}",
        wrong[..wrong.len().min(3)].join("\n")
    );
    count
}

#[test]
fn advice_about_generated_workloads_can_be_followed_on_mock() {
    assert!(follow_all("mock") > 0);
}

#[test]
fn advice_about_generated_workloads_can_be_followed_on_cpu() {
    follow_all("cpu");
}

//! What programs did, counted against what they do.

use engine::capture::Capture;
use engine::record::{Basis, DependencyKind, Group, RunOutcome, SpanKind};

use super::{Recorded, name, of_kind, record, ties};

const ROUNDS: usize = 20;

/// Rounds of so many processes: each a copy and a kernel on one stream, and after a wait a kernel and a copy on another.
fn check(recorded: &Recorded, processes: usize) {
    let (capture, said) = (&recorded.capture, recorded.said());
    assert_eq!(recorded.codes(), [""; 0], "{said}");
    assert!(recorded.left.is_empty(), "{:?}", recorded.left);
    let count = |kind| of_kind(capture, kind).len();
    let all = ROUNDS * processes;
    assert_eq!(count(SpanKind::Kernel), 2 * all, "{said}");
    assert_eq!(
        (count(SpanKind::Upload), count(SpanKind::Download)),
        (all, all)
    );
    let streams = capture
        .lanes()
        .iter()
        .filter(|lane| lane.group == Group::Streams);
    assert_eq!(streams.count(), 2 * processes);
    waits(capture, all);
    launches(capture);
}

/// Each round, the second stream waited for the first, and the host for the second.
fn waits(capture: &Capture, rounds: usize) {
    let events = ties(capture, DependencyKind::Event);
    assert_eq!(events.len(), rounds);
    let span = |id| capture.span(id).unwrap().span;
    for tie in &events {
        let (cause, effect) = (span(tie.cause), span(tie.effect));
        assert_eq!(tie.basis, Basis::Enforced);
        assert_ne!(cause.lane, effect.lane);
        assert!(cause.end <= effect.start, "{cause:?} before {effect:?}");
        assert_eq!(name(capture, tie.effect), "spin");
    }
    let blocked = ties(capture, DependencyKind::Synchronization);
    assert_eq!(blocked.len(), rounds);
    for tie in blocked {
        assert_eq!(name(capture, tie.effect), "cuStreamSynchronize");
        assert_eq!(span(tie.cause).kind, SpanKind::Download);
        assert!(span(tie.cause).end <= span(tie.effect).end);
    }
}

/// Every operation was launched by one call of its own.
fn launches(capture: &Capture) {
    let submissions = ties(capture, DependencyKind::Submission);
    for (kind, call) in [
        (SpanKind::Kernel, "cuLaunchKernel"),
        (SpanKind::Upload, "cuMemcpyHtoDAsync_v2"),
        (SpanKind::Download, "cuMemcpyDtoHAsync_v2"),
    ] {
        for operation in of_kind(capture, kind) {
            let id = operation.span.id;
            let causes: Vec<_> = submissions.iter().filter(|tie| tie.effect == id).collect();
            assert_eq!(causes.len(), 1, "{operation:?}");
            assert_eq!(name(capture, causes[0].cause), call);
            let began = capture.span(causes[0].cause).unwrap().span.start;
            assert_eq!(operation.span.enqueued, began);
        }
    }
}

#[test]
fn a_program_is_there_to_the_last_call() {
    let recorded = record(&["work", &ROUNDS.to_string()], &[]);
    check(&recorded, 1);
    assert_eq!(recorded.code(), Some(0), "{}", recorded.said());
    let capture = &recorded.capture;
    assert_eq!(capture.end().unwrap().outcome, RunOutcome::Finished);
    assert!(capture.run().unwrap().name.starts_with("cuda-program work"));
    assert_eq!(capture.devices()[0].name, "stand-in for tests (no GPU) (0)");
    let host = capture
        .lanes()
        .iter()
        .find(|lane| lane.group == Group::Host)
        .unwrap();
    assert!(host.name.starts_with("cuda-program "), "{}", host.name);
    // It says what was recorded, by what, and what that cost.
    let said = recorded.said();
    for words in ["activities by CUPTI", "held threads up for", "saved as"] {
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn children_are_followed() {
    let recorded = record(&["children", &ROUNDS.to_string()], &[]);
    check(&recorded, 2);
    assert_eq!(recorded.capture.devices().len(), 1);
}

#[test]
fn a_forked_child_that_initialises_cuda_has_a_file_of_its_own() {
    check(&record(&["fork", &ROUNDS.to_string()], &[]), 2);
}

#[test]
fn a_forked_child_that_does_not_writes_nothing() {
    check(&record(&["late-fork", &ROUNDS.to_string()], &[]), 1);
}

#[test]
fn syncline_itself_can_be_recorded() {
    use super::{recorded, recorder};
    use crate::house::program::syncline;
    let folder = tempfile::tempdir().unwrap();
    let mut command = recorder(folder.path(), &[]);
    let arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let variables = command.get_envs();
    let variables: Vec<_> = variables
        .map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned)))
        .collect();
    let (_, before) = arguments.split_last().unwrap();
    command = std::process::Command::new(syncline());
    command.args(before).arg(syncline());
    let run = ["run", "double-buffer", "--backend", "cuda"];
    command.args(run).args(["--set", "n=65536"]);
    for (name, value) in variables {
        command.env(name, value.unwrap());
    }
    let recorded = recorded(folder.path(), command.output().unwrap());
    let said = recorded.said();
    // How much overlaps is a matter of the machine, and what else it does; all else has to hold.
    let mut missed = said.lines().filter(|line| line.starts_with("FAILED"));
    let only_overlap = missed.all(|line| line.contains("overlap"));
    assert!(
        recorded.code().is_some_and(|it| it <= 1) && only_overlap,
        "{said}"
    );
    let kernels = of_kind(&recorded.capture, SpanKind::Kernel).len();
    let waits = ties(&recorded.capture, DependencyKind::Event).len();
    assert!(kernels >= 8 && waits >= 8, "{said}");
}

#[test]
fn activities_that_cupti_drops_are_counted() {
    let recorded = record(
        &["work", &ROUNDS.to_string()],
        &[("SYNCLINE_STAND_IN_CUPTI", "drop=5")],
    );
    assert_eq!(recorded.code(), Some(0));
    assert!(
        recorded.codes().contains(&"activities-dropped"),
        "{}",
        recorded.said()
    );
    let kernels = of_kind(&recorded.capture, SpanKind::Kernel).len();
    assert!(kernels > 0);
}

#[test]
fn work_without_times_is_shown_and_marked() {
    let recorded = record(
        &["work", &ROUNDS.to_string()],
        &[("SYNCLINE_STAND_IN_CUPTI", "untimed")],
    );
    let kernels = of_kind(&recorded.capture, SpanKind::Kernel);
    assert_eq!(kernels.len(), 2 * ROUNDS, "{}", recorded.said());
    let arguments = |span| {
        recorded
            .capture
            .arguments(span)
            .any(|(name, _)| name == "time")
    };
    assert!(kernels.iter().all(|it| arguments(it.span.id)));
}

//! What several ranks report is one capture, live and in its file.

use engine::analysis::analyse;
use engine::analysis::causes::Causes;
use engine::capture::{Capture, text};
use engine::record::{Basis, Clock, DependencyKind, Group, Role, RunOutcome, State};
use engine::runner::RunRequest;

use super::{argument, bundle, parts, ran, request};
use crate::formats::captures::random;
use crate::semantics::conformance::BRISK;

#[test]
fn four_ranks_are_one_capture_and_its_file_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ranks.pftrace");
    let (capture, end) = ran(RunRequest {
        save: Some(path.clone()),
        ..bundle("data-parallel")
    });
    assert_eq!(end.outcome, RunOutcome::Finished);
    let missed: Vec<_> = capture
        .expectations()
        .iter()
        .filter(|it| it.is_missed())
        .collect();
    assert!(missed.is_empty(), "{missed:?}");
    // Each rank's own stream for what ranks do together, and its own device.
    let lanes = capture.lanes().iter();
    let collective = lanes.filter(|it| it.group == Group::Streams && it.role == Role::Collective);
    let names: Vec<&str> = collective.map(|it| it.name.as_str()).collect();
    let wanted = [
        "rank 0 · ccl",
        "rank 1 · ccl",
        "rank 2 · ccl",
        "rank 3 · ccl",
    ];
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, wanted);
    for (rank, device) in capture.devices().iter().enumerate() {
        assert!(device.name.starts_with("rank "), "{device:?}");
        let place = device
            .name
            .split(" · ")
            .next()
            .unwrap()
            .trim_start_matches("rank ");
        let wanted = format!("parallel id {place} of 4: machine 0 (here), device {place}");
        assert!(
            device.detail.starts_with(&wanted),
            "{rank}: {}",
            device.detail
        );
    }
    // A barrier and six all-reduces, each tied from the last to come to the three others.
    assert_eq!(parts(&capture).len(), 7 * 4);
    let all = (0..capture.dependency_count() as u32)
        .filter_map(|id| capture.dependency(engine::record::DependencyId(id)));
    let ties: Vec<_> = all
        .filter(|it| it.kind == DependencyKind::Collective)
        .collect();
    assert_eq!(ties.len(), 7 * 3);
    for tie in &ties {
        let (cause, effect) = (
            capture.span(tie.cause).unwrap(),
            capture.span(tie.effect).unwrap(),
        );
        assert_eq!(tie.basis, Basis::Enforced);
        assert!(effect.span.start <= cause.span.start, "the cause came last");
        let exchange = |id| argument(&capture, id, "exchange");
        assert_eq!(exchange(tie.cause), exchange(tie.effect));
        let stood: i64 = argument(&capture, tie.effect, "waited, ns")
            .parse()
            .unwrap();
        assert_eq!(stood, (cause.span.start - effect.span.start).0);
        // No rank is done before the last one came.
        assert!(effect.span.end >= cause.span.start);
    }
    let clocks = capture.clocks().iter();
    let known = clocks.filter(|it| it.name.starts_with("unix of rank") && it.device.is_some());
    // Processes of one machine have one clock.
    assert_eq!(known.filter(|it| it.uncertainty.0 == 0).count(), 4);
    for (rank, device) in capture.devices().iter().enumerate() {
        assert!(
            device.name.starts_with(&format!("rank {rank} ")),
            "in order"
        );
    }
    assert!(capture.spans().all(|it| it.span.start.0 >= 0));
    assert!(capture.clocks().iter().any(|it| it.name == Clock::UNIX));
    let mut back = engine::capture::Capture::new();
    engine::importer::open(&path, &mut |batch| {
        back.apply(batch.records);
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(random::shown(&back), random::shown(&capture));
    assert!(!text(&capture).is_empty());
}

#[test]
fn the_straggler_is_named() {
    let mut request = bundle("straggler");
    request.parameters = vec![("extra".to_owned(), 20_000.0)];
    let (capture, end) = ran(request);
    assert_eq!(end.outcome, RunOutcome::Finished);
    let answers = analyse(&capture, Causes::build(&capture).into());
    let answer = answers.iter().find(|it| it.code == "straggler").unwrap();
    let found = &answer.answer.findings;
    assert_eq!(found.len(), 1, "{answer:?}");
    assert!(
        found[0].text.starts_with("rank 2 came last to"),
        "{}",
        found[0].text
    );
    assert!(
        answer.answer.looked.contains("5 collective operations"),
        "{answer:?}"
    );
}

/// A copy on each rank that waits for what it copies, after another call.
fn waiting_after(first: &str) -> String {
    format!(
        r#"
        placement ranks=2
        stream "a"
        stream "b"
        event "e"
        buffer "x" f32=64
        buffer "y" f32=64
        host "main" {{
            fill "x" value=3 on="a"
            record "e" on="a"
            {first}
            wait "e" on="b"
            copy "x" "y" on="b"
            synchronize-device
        }}"#
    )
}

/// A run in virtual time, which is of one rank.
fn capture_alone(source: &str) -> Capture {
    let request = RunRequest {
        backend: "mock".to_owned(),
        ..request(source)
    };
    let mut capture = Capture::new();
    engine::runner::run(request, |records| capture.apply(records)).unwrap();
    capture
}

/// A line of the workload is a call of every rank: what one of them needs cannot go, though it adds nothing on another.
#[test]
fn a_wait_that_any_rank_needs_is_not_called_redundant() {
    let redundant = |first: &str| -> Vec<Vec<u32>> {
        let (capture, end) = ran(request(&waiting_after(first)));
        assert_eq!(end.outcome, RunOutcome::Finished);
        let answers = analyse(&capture, Causes::build(&capture).into());
        let answer = answers.iter().find(|it| it.code == "redundant-wait");
        let found = answer.unwrap().answer.findings.iter();
        found.map(|it| it.lines.clone()).collect()
    };
    let needed = r#"only 0 { wait "e" on="b" }"#;
    assert_eq!(redundant(needed), [] as [Vec<u32>; 0]);
    // Where one rank runs alone nothing is known of the others.
    let alone = capture_alone(&waiting_after(r#"wait "e" on="b""#));
    assert!(
        alone
            .findings()
            .iter()
            .all(|it| it.code != "redundant-wait")
    );
    // Told by each rank.
    assert_eq!(redundant(r#"wait "e" on="b""#), [[12], [12]]);
}

#[test]
fn a_rank_leaves_out_what_is_not_its_own_and_says_so() {
    let (capture, end) = ran(request(
        r#"
        about "Only rank 1 computes."
        placement ranks=2
        stream "main"
        host "main" {
            only 1 { launch "spin" on="main" { set "micros" 10 } }
            except "ranks - 1" { fill "x" value=1 on="main" }
            rank-barrier on="main"
        }
        buffer "x" f32=16"#,
    ));
    assert_eq!(end.outcome, RunOutcome::Finished);
    let of = |name: &str| {
        let spans = capture
            .spans()
            .filter(|it| capture.name(it.span.name) == name);
        let lanes = spans.filter_map(|it| capture.lane(it.span.lane));
        lanes.map(|it| it.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(of("spin"), ["rank 1 · main"]);
    let fills = of("fill x");
    assert!(
        fills.iter().all(|it| it == "rank 0 · main") && !fills.is_empty(),
        "{fills:?}"
    );
    for words in [
        "rank 0 · line 6: “only 1” is left out: it is placed on other ranks, and this is rank 0",
        "rank 1 · line 7: “except ranks - 1” is left out",
        "2 ranks: machine 0 (here): 0→rank 0, 1→rank 1",
    ] {
        let found = capture.log().iter().any(|it| it.text.starts_with(words));
        assert!(found, "{words}: {:?}", capture.log());
    }
}

#[test]
fn every_collective_ends_and_gives_what_one_process_computes() {
    for ranks in [1, 2, 3, 5] {
        let source = format!(
            r#"
            about "Everything that ranks do together."
            placement ranks={ranks}
            stream "main"
            buffer "sum" f32=1000 init="rank + k"
            buffer "least" f32=1000 init="k - rank"
            buffer "part" f32=10 init="rank * 10 + k"
            buffer "whole" f32="10 * ranks"
            buffer "own" f32=10
            buffer "root" f32=100000 init="rank * k"
            host "main" {{
                upload "sum"  on="main"
                upload "least" on="main"
                upload "part" on="main"
                upload "root" on="main"
                all-reduce "sum" on="main"
                all-reduce "least" by="min" on="main"
                all-gather "part" "whole" on="main"
                reduce-scatter "whole" "own" on="main"
                broadcast "root" root="ranks - 1" on="main"
                rank-barrier on="main"
                download "sum" on="main"
                download "least" on="main"
                download "whole" on="main"
                download "own" on="main"
                download "root" on="main"
                synchronize-device
            }}
            expect {{
                each "sum" equals="ranks * k + ranks * (ranks - 1) / 2"
                each "least" equals="k - ranks + 1"
                each "whole" equals="k"
                each "own" equals="ranks * (rank * 10 + k)"
                each "root" equals="(ranks - 1) * k"
            }}"#
        );
        let (capture, end) = ran(request(&source));
        assert_eq!(end.outcome, RunOutcome::Finished, "{ranks}");
        assert_eq!(capture.expectations().len(), 5 * ranks);
        let missed: Vec<_> = capture
            .expectations()
            .iter()
            .filter(|it| it.is_missed())
            .collect();
        assert!(missed.is_empty(), "{ranks}: {missed:?}");
        assert!(
            parts(&capture)
                .iter()
                .all(|it| it.span.state == State::Done)
        );
    }
}

#[test]
fn other_backends_compute_together_by_way_of_the_host() {
    for backend in engine::backend::BACKENDS {
        if let Err(reason) = backend.probe() {
            eprintln!("{} is skipped: {reason}", backend.name());
            continue;
        }
        let (capture, end) = ran(RunRequest {
            backend: backend.name().to_owned(),
            paced: BRISK,
            ..bundle("two-machines")
        });
        assert_eq!(end.outcome, RunOutcome::Finished, "{}", backend.name());
        let missed: Vec<_> = capture
            .expectations()
            .iter()
            .filter(|it| it.is_missed())
            .collect();
        assert!(missed.is_empty(), "{}: {missed:?}", backend.name());
        // Where time is virtual one rank runs alone, and that is said.
        let ranks = if backend.name() == "mock" { 1 } else { 4 };
        assert_eq!(capture.devices().len(), ranks, "{}", backend.name());
        let is_said = capture
            .log()
            .iter()
            .any(|it| it.text.contains("one rank alone"));
        assert_eq!(is_said, ranks == 1);
    }
}

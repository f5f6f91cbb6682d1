//! A rank that is killed, stopped or slow, or that does not come: told truly, and nobody hangs.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use engine::analysis::LossAftermath;
use engine::capture::Capture;
use engine::record::{
    DependencyKind, DeviceId, Group, LossKind, Record, RunOutcome, Span, SpanKind, State,
};
use engine::runner::{RecoveryMode, run};

use super::{bundle, parts, ran, request, steps};

fn codes<'a>(capture: &'a Capture, code: &str) -> Vec<&'a str> {
    let problems = capture.problems().iter();
    let found = problems.filter(|it| it.code == code);
    found.map(|it| it.text.as_str()).collect()
}

fn failed(outcome: &RunOutcome) -> &str {
    match outcome {
        RunOutcome::Failed(why) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_killed_rank_leaves_a_true_picture() {
    let mut request = request(&steps("placement ranks=4 timeout-millis=20000", 1000));
    request.faults = vec!["kill:2@collective:300".parse().unwrap()];
    let (capture, end) = ran(request);
    let why = failed(&end.outcome);
    assert!(
        why.starts_with("rank 2: the process that ran it is gone"),
        "{why}"
    );
    assert!(why.contains("signal 9 (SIGKILL)"), "{why}");
    // Its fault line is in its own group.
    let losses = capture
        .losses()
        .iter()
        .filter(|it| it.kind == LossKind::Process);
    let devices: Vec<&str> = losses
        .map(|it| capture.devices()[it.device.index()].name.as_str())
        .collect();
    assert_eq!(devices.len(), 1);
    assert!(devices[0].starts_with("rank 2 · "), "{devices:?}");
    // What it did is there to the moment, and every other rank's part failed with words that name it.
    let is_of = |rank: usize, name: &str| name.starts_with(&format!("rank {rank} · "));
    let all = parts(&capture);
    for rank in 0..4 {
        let own = all
            .iter()
            .filter(|it| is_of(rank, &capture.lane(it.span.lane).unwrap().name));
        let own: Vec<_> = own.collect();
        assert!(own.len() >= 4 || rank == 2, "rank {rank}: {}", own.len());
        if rank != 2 {
            // What was queued behind it never began.
            let began = own.iter().filter(|it| it.span.state != State::Cancelled);
            let last = began.max_by_key(|it| it.span.start).unwrap();
            assert_eq!(last.span.state, State::Failed, "rank {rank}");
        }
    }
    let reasons = codes(&capture, "operation-failed").join("; ");
    let reasons = if reasons.is_empty() {
        why.to_owned()
    } else {
        reasons
    };
    assert!(reasons.contains("rank 2"), "{reasons}");
    let missing = codes(&capture, "collective-incomplete");
    // None is missing where the rank was seen to come to it before it died.
    assert!(
        missing.iter().all(|it| it.starts_with("all-reduce 300: ")),
        "{missing:?}"
    );
    assert!(capture.open().next().is_none(), "nothing runs on");
}

#[test]
fn what_a_killed_rank_had_submitted_is_lost_and_not_absent() {
    let (mut spans, mut lanes) = (BTreeMap::new(), BTreeMap::new());
    let (mut dependencies, mut losses) = (Vec::new(), Vec::new());
    let mut take = |record| match record {
        Record::Span(span) => drop(spans.insert(span.id, span)),
        Record::Lane(lane) => drop(lanes.insert(lane.id, *lane)),
        Record::Dependency(it) => dependencies.push(it),
        Record::Loss(it) if it.kind == LossKind::Process => losses.push(*it),
        _ => {}
    };
    // All calls have been made, and are reported, long before its process ends.
    let mut request = bundle("rank-that-dies");
    request.parameters = vec![("work".to_owned(), 20_000.0)];
    run(request, |batch| {
        batch.into_iter().for_each(&mut take);
    })
    .unwrap();
    let dangling: Vec<_> = dependencies
        .iter()
        .filter(|it| !spans.contains_key(&it.cause) || !spans.contains_key(&it.effect))
        .collect();
    assert!(dangling.is_empty(), "they lead nowhere: {dangling:#?}");
    let [loss] = &losses[..] else {
        panic!("one rank died: {losses:#?}")
    };
    assert!(loss.reason.contains("SIGKILL"), "{}", loss.reason);
    assert!(!loss.reason.contains("XDG_RUNTIME_DIR"), "{}", loss.reason);
    // Each call of the rank that returned before has an operation, and some of them never ended.
    let of_rank = |span: &Span, group| {
        let lane = &lanes[&span.lane];
        lane.group == group && lane.name.starts_with("rank 2 · ") && span.enqueued <= loss.time
    };
    let submits = |span: &Span| {
        dependencies
            .iter()
            .any(|it| it.cause == span.id && it.kind == DependencyKind::Submission)
    };
    let calls = spans.values().filter(|it| of_rank(it, Group::Host));
    let calls = calls.filter(|it| it.kind == SpanKind::Call);
    let without: Vec<_> = calls.filter(|it| !submits(it)).collect();
    assert!(
        without.is_empty(),
        "calls without an operation: {without:#?}"
    );
    let operations = spans.values().filter(|it| of_rank(it, Group::Streams));
    let in_flight = operations.filter(|it| it.state == State::Lost);
    assert!(in_flight.count() > 3, "what was in flight is lost");
}

#[test]
fn what_a_rank_had_submitted_before_it_met_the_others_is_lost_with_it_however_early() {
    // It dies as soon as it sends to another, within a millisecond of its first call.
    let source = r#"
        about "Rank 1 dies in its first all-reduce."
        placement ranks=3 timeout-millis=20000
        stream "main"
        buffer "x" f32=64 init="rank"
        host "main" {
            upload "x" on="main"
            all-reduce "x" by="max" on="main"
            download "x" on="main"
            synchronize-device
        }"#;
    for run in 0..5 {
        let mut request = request(source);
        request.faults = vec!["kill:1@collective:1".parse().unwrap()];
        let (capture, _) = ran(request);
        let losses = capture.losses().iter();
        let losses: Vec<_> = losses.filter(|it| it.kind == LossKind::Process).collect();
        let [loss] = losses.as_slice() else {
            panic!("run {run}: {losses:#?}")
        };
        assert_eq!(
            loss.reason, "it was ended by signal 9 (SIGKILL)",
            "run {run}"
        );
        let device = &capture.devices()[loss.device.index()];
        assert!(
            device.name.starts_with("rank 1 · cpu"),
            "run {run}: {device:?}"
        );
        let mut lanes = capture.lanes().iter();
        let lane = lanes.find(|it| it.name == "rank 1 · main" && it.group == Group::Streams);
        let lane = lane.unwrap_or_else(|| panic!("run {run}: {capture}"));
        let spans = capture.spans().filter(|it| it.span.lane == lane.id);
        let mut spans: Vec<_> = spans.map(|it| it.span).collect();
        spans.sort_by_key(|it| it.enqueued);
        let state = |kind| spans.iter().find(|it| it.kind == kind).map(|it| it.state);
        assert_eq!(
            state(SpanKind::Collective),
            Some(State::Lost),
            "run {run}: {spans:?}"
        );
        // How far its host thread had come besides is chance.
        assert!(state(SpanKind::Upload).is_some(), "run {run}: {spans:?}");
        let ended = spans.iter().filter(|it| it.state != State::Lost).count();
        let taken = LossAftermath::of(&capture, loss).operations;
        assert_eq!(taken, (spans.len() - ended) as u64, "run {run}: {spans:?}");
    }
}

#[test]
fn a_stopped_rank_ends_the_others_after_their_patience() {
    let mut request = request(&steps("placement ranks=3 timeout-millis=1000", 1000));
    request.faults = vec!["stop:1@collective:3".parse().unwrap()];
    let began = Instant::now();
    let (capture, end) = ran(request);
    assert!(
        began.elapsed() < Duration::from_secs(50),
        "{:?}",
        began.elapsed()
    );
    let why = failed(&end.outcome);
    assert!(why.contains("did not answer for 5.0 s"), "{why}");
    let problems = capture.problems().iter();
    let said = problems.filter(|it| it.text.contains("rank 1 sent nothing for 1.0 s"));
    assert!(said.count() > 0, "{:?}", capture.problems());
    assert!(capture.open().next().is_none());
}

#[test]
fn a_slow_rank_only_takes_longer() {
    let mut request = request(&steps("placement ranks=3", 4));
    request.faults = vec!["slow:1".parse().unwrap()];
    let (_, end) = ran(request);
    assert_eq!(end.outcome, RunOutcome::Finished);
}

#[test]
fn a_rank_that_dies_is_begun_again_in_the_same_capture() {
    let (capture, end) = ran(bundle("rank-that-dies"));
    assert_eq!(end.outcome, RunOutcome::Finished);
    assert!(!capture.expectations().is_empty());
    let missed: Vec<_> = capture
        .expectations()
        .iter()
        .filter(|it| it.is_missed())
        .collect();
    assert!(missed.is_empty(), "{missed:?}");
    let loss = capture
        .losses()
        .iter()
        .find(|it| it.kind == LossKind::Process)
        .unwrap();
    let recoveries = capture.recoveries().iter();
    let back = recoveries
        .clone()
        .find(|it| it.device == loss.device)
        .unwrap();
    assert!(back.lost == loss.time && back.time > back.lost, "{back:?}");
    assert_eq!(capture.devices().len(), 4, "devices are the same ones");
    let said = capture
        .log()
        .iter()
        .any(|it| it.text.contains("new processes were there"));
    assert!(said, "{:?}", capture.log());
}

#[test]
fn ranks_whose_devices_are_lost_begin_again_together() {
    let mut request = bundle("data-parallel");
    request.lose = vec!["destroy@500us".parse().unwrap()];
    request.recovery = RecoveryMode::Replay;
    let (capture, end) = ran(request);
    assert_eq!(end.outcome, RunOutcome::Finished);
    assert!(!capture.losses().is_empty());
    let expectations = capture.expectations();
    assert!(!expectations.is_empty() && expectations.iter().all(|it| !it.is_missed()));
    // Each was judged in the processes that began last.
    let named = |it: &&engine::record::Expectation| it.found.ends_with("(attempt 2)");
    let judged = expectations.iter().filter(|it| it.holds.is_some());
    assert!(
        judged.clone().count() > 0 && judged.clone().all(|it| named(&it)),
        "{expectations:?}"
    );
}

/// One that went on would leave out what the others wait for, and these would wait until their patience ends.
#[test]
fn no_rank_goes_on_alone_with_a_device_that_is_opened_anew() {
    let mut request = bundle("data-parallel");
    request.lose = vec!["destroy@500us".parse().unwrap()];
    request.recovery = RecoveryMode::Resume;
    let why = run(request, |_| {}).unwrap_err();
    assert!(why.contains("recover by a replay"), "{why}");
}

/// New processes lose nothing more, which is said before anything runs.
#[test]
fn several_losses_of_ranks_that_would_begin_again_are_refused() {
    let mut request = bundle("data-parallel");
    request.lose = vec![
        "destroy@500us".parse().unwrap(),
        "destroy@900us".parse().unwrap(),
    ];
    request.recovery = RecoveryMode::Replay;
    let why = run(request, |_| {}).unwrap_err();
    assert!(why.contains("ask for one"), "{why}");
}

#[test]
fn a_collective_that_not_all_call_is_named_with_who_is_missing() {
    let source = r#"
        about "Rank 1 never comes to the barrier."
        placement ranks=3 timeout-millis=20000
        stream "main"
        host "main" {
            rank-barrier on="main"
            except 1 { rank-barrier on="main" }
            synchronize-device
        }"#;
    let began = Instant::now();
    let (capture, end) = ran(request(source));
    assert!(matches!(end.outcome, RunOutcome::Failed(_)));
    assert!(
        began.elapsed() < Duration::from_secs(15),
        "it does not wait for its patience"
    );
    let missing = codes(&capture, "collective-incomplete");
    assert_eq!(missing.len(), 1, "{missing:?}");
    let words =
        "rank-barrier 2: 2 of 3 ranks came (0, 2), and rank 1 did not (its run ended without it)";
    assert!(missing[0].starts_with(words), "{missing:?}");
}

#[test]
fn ranks_that_call_different_things_are_told_so() {
    let source = r#"
        about "Rank 0 reduces and rank 1 gathers."
        placement ranks=2 timeout-millis=20000
        stream "main"
        buffer "x" f32=4
        buffer "y" f32=8
        host "main" {
            only 0 { all-reduce "x" on="main" }
            only 1 { all-gather "x" "y" on="main" }
            synchronize-device
        }"#;
    let (_, end) = ran(request(source));
    let why = failed(&end.outcome);
    assert!(why.contains("all ranks must call the same"), "{why}");
}

#[test]
fn a_rank_is_hurt_by_hand_while_it_runs() {
    use engine::runner::{Control, Engine, Message, RankControl};
    let engine = Engine::start(Box::new(|| ()));
    let request = request(&steps("placement ranks=2", 100_000));
    engine.send(Control::Run(Box::new(request)));
    let mut capture = Capture::new();
    let mut has_hurt = false;
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        assert!(Instant::now() < until);
        match engine.messages().recv_timeout(Duration::from_millis(50)) {
            Ok(Message::Batch(records)) => capture.apply(records),
            Ok(Message::Refused(why)) => panic!("{why}"),
            Ok(Message::Finished { .. }) => break,
            _ => {}
        }
        if capture.span_count() > 100 && !has_hurt {
            has_hurt = true;
            let fault = "kill:1".parse().unwrap();
            engine.send(Control::Rank(RankControl::Fault(fault)));
        }
    }
    assert!(failed(&capture.end().unwrap().outcome).starts_with("rank 1: "));
    // It can be begun again, in new processes.
    engine.send(Control::Recover(RecoveryMode::Replay));
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        assert!(Instant::now() < until);
        match engine.messages().recv_timeout(Duration::from_millis(50)) {
            Ok(Message::Started { run }) => assert_eq!(run, 2),
            Ok(Message::Batch(_)) => break,
            Ok(Message::Refused(why)) => panic!("{why}"),
            _ => {}
        }
    }
}

#[test]
fn a_rank_that_is_killed_twice_is_lost_in_two_generations() {
    killed_twice(100);
}

/// Nobody has heard of the new process yet.
#[test]
fn a_rank_that_is_killed_again_before_anything_came_of_its_run_is_lost_as_well() {
    killed_twice(0);
}

/// Kills rank 1, and again once so many more spans have come after it began again.
fn killed_twice(least: usize) {
    use engine::runner::{Control, Engine, Message, RankControl};
    let engine = Engine::start(Box::new(|| ()));
    let request = request(&endless("placement ranks=2 again=#true"));
    engine.send(Control::Run(Box::new(request)));
    let mut capture = Capture::new();
    // When to do what is next: two kills, and the end of it.
    let kill = || Control::Rank(RankControl::Fault("kill:1".parse().unwrap()));
    let mut next = vec![Control::Stop, kill(), kill()];
    let (mut begun, mut enough) = (0, 100);
    let until = Instant::now() + Duration::from_mins(2);
    loop {
        assert!(Instant::now() < until, "{:?}", generations(&capture));
        match engine.messages().recv_timeout(Duration::from_millis(50)) {
            Ok(Message::Batch(records)) => capture.apply(records),
            Ok(Message::Refused(why)) => panic!("{why}"),
            Ok(Message::Finished { .. }) => break,
            _ => {}
        }
        if generations(&capture).1.len() >= begun && capture.span_count() >= enough {
            (begun, enough) = (begun + 1, capture.span_count() + least);
            next.pop().into_iter().for_each(|it| engine.send(it));
        }
    }
    assert_eq!(generations(&capture), (vec![1, 2], vec![2, 3]));
}

/// All ranks wait for each other for longer than any test runs, and no call is made far ahead of its operation.
fn endless(placement: &str) -> String {
    let steps = steps(placement, 20_000_000);
    steps.replace(
        "on=\"main\"\n            }",
        "on=\"main\"; synchronize-device\n            }",
    )
}

/// The generations of rank 1's device that were lost with their processes, and those that began after a loss.
fn generations(capture: &Capture) -> (Vec<u32>, Vec<u32>) {
    let is_own = |device: DeviceId| capture.devices()[device.index()].name.starts_with("rank 1");
    let losses = capture.losses().iter();
    let losses = losses.filter(|it| it.kind == LossKind::Process && is_own(it.device));
    let recoveries = capture.recoveries().iter().filter(|it| is_own(it.device));
    let begun = recoveries.map(|it| it.generation).collect();
    (losses.map(|it| it.generation).collect(), begun)
}

#[test]
fn a_fault_whose_time_comes_after_a_restart_happens_then() {
    // Whichever of the first two comes first, the other comes to the processes that begin again.
    let mut request = request(&steps(
        "placement ranks=2 again=#true timeout-millis=20000",
        50_000,
    ));
    request.faults = vec![
        "kill:1@collective:5".parse().unwrap(),
        "kill:0@2s".parse().unwrap(),
        "kill:0@3600s".parse().unwrap(),
    ];
    let engine = engine::runner::Engine::start(Box::new(|| ()));
    engine.send(engine::runner::Control::Run(Box::new(request)));
    let mut capture = Capture::new();
    let dead = |capture: &Capture| {
        let losses = capture.losses().iter();
        losses.filter(|it| it.kind == LossKind::Process).count()
    };
    while dead(&capture) < 2 {
        match engine.messages().recv().unwrap() {
            engine::runner::Message::Batch(records) => capture.apply(records),
            engine::runner::Message::Refused(why) => panic!("{why}"),
            engine::runner::Message::Finished { .. } => {
                panic!("it is over: {:?} {:?}", capture.end(), capture.problems())
            }
            _ => {}
        }
    }
    // Only what never came is told, and only at the end.
    assert_eq!(codes(&capture, "fault-unmet"), [""; 0]);
    engine.send(engine::runner::Control::Stop);
    loop {
        match engine.messages().recv().unwrap() {
            engine::runner::Message::Batch(records) => capture.apply(records),
            engine::runner::Message::Finished { .. } => break,
            _ => {}
        }
    }
    let unmet = codes(&capture, "fault-unmet");
    assert!(
        matches!(unmet[..], [it] if it.contains("kill:0@3600")),
        "{unmet:?}"
    );
}

#[test]
fn a_fault_at_an_operation_that_was_not_begun_comes_after_the_restart() {
    let mut request = request(&steps(
        "placement ranks=2 again=#true timeout-millis=20000",
        40,
    ));
    request.faults = vec![
        "kill:0@collective:3".parse().unwrap(),
        "kill:1@collective:20".parse().unwrap(),
        "kill:1@collective:4000".parse().unwrap(),
    ];
    let (capture, end) = ran(request);
    assert_eq!(end.outcome, RunOutcome::Finished);
    let losses = capture.losses().iter();
    let losses = losses.filter(|it| it.kind == LossKind::Process);
    let dead: Vec<&str> = losses
        .map(|it| capture.devices()[it.device.index()].name.as_str())
        .collect();
    assert!(
        matches!(dead[..], [first, second] if first.starts_with("rank 0") && second.starts_with("rank 1")),
        "{dead:?}"
    );
    // What no process came to is told once, for the run.
    let unmet = codes(&capture, "fault-unmet");
    assert!(
        matches!(unmet[..], [it] if it.starts_with("nothing was done to rank 1 by kill:1@collective:4000")),
        "{unmet:?}"
    );
}

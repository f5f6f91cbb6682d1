//! Pause, step, stop, pace, and readers that are slow or gone.

use std::time::{Duration, Instant};

use engine::capture::Capture;
use engine::record::{Group, Record, RunOutcome, State};
use engine::runner::{Control, Engine, Message, Pace, Phase, RunRequest};

use super::{backends, invariants, request};

/// Waits for a message, at most half a minute.
fn next(engine: &Engine) -> Message {
    engine
        .messages()
        .recv_timeout(Duration::from_secs(30))
        .expect("a message in time")
}

/// All records up to the end of the run.
fn finish(engine: &Engine, mut records: Vec<Record>) -> Vec<Record> {
    loop {
        match next(engine) {
            Message::Batch(batch) => records.extend(batch),
            Message::Finished { lost, .. } => {
                assert_eq!(lost, 0);
                return records;
            }
            Message::Refused(reason) => panic!("{reason}"),
            _ => {}
        }
    }
}

fn outcome(records: &[Record]) -> &RunOutcome {
    match records.last() {
        Some(Record::End(end)) => &end.outcome,
        other => panic!("{other:?} is no end"),
    }
}

fn start(request: RunRequest) -> Engine {
    let engine = Engine::start(Box::new(|| ()));
    engine.send(Control::Run(Box::new(request)));
    engine
}

/// How many host calls have returned.
fn calls(records: &[Record]) -> usize {
    let mut capture = Capture::new();
    capture.apply(records.iter().cloned());
    let is_host = |lane| {
        capture
            .lane(lane)
            .is_some_and(|lane| lane.group == Group::Host)
    };
    capture
        .spans()
        .filter(|placed| is_host(placed.span.lane))
        .count()
}

const FILLS: &str = r#"
    stream "a"; buffer "x" f32=16
    host "one" { repeat 5 { fill "x" value=1 on="a" } }
    host "two" { repeat 5 { fill "x" value=2 on="a" } }"#;

#[test]
fn a_step_makes_one_call_and_host_threads_take_turns() {
    for backend in backends() {
        let mut request = request(FILLS, backend.name());
        request.paused = true;
        let engine = start(request);
        let mut records = Vec::new();
        for step in 0..4 {
            engine.send(Control::Step);
            let deadline = Instant::now() + Duration::from_secs(20);
            while calls(&records) <= step {
                assert!(Instant::now() < deadline, "step {step} made no call");
                if let Message::Batch(batch) = next(&engine) {
                    records.extend(batch);
                }
            }
            std::thread::sleep(Duration::from_millis(60));
            for message in engine.messages().try_iter() {
                if let Message::Batch(batch) = message {
                    records.extend(batch);
                }
            }
            assert_eq!(calls(&records), step + 1, "{}", backend.name());
        }
        engine.send(Control::Resume);
        let records = finish(&engine, records);
        assert_eq!(
            (outcome(&records), calls(&records)),
            (&RunOutcome::Finished, 10)
        );
        invariants::check(&records);
    }
}

#[test]
fn pause_holds_calls_and_not_the_device() {
    let source = r#"
        stream "a"; buffer "x" f32=16
        host "main" { repeat 1000000 { fill "x" value=1 on="a"; synchronize-stream "a" } }"#;
    for backend in backends() {
        let engine = start(request(source, backend.name()));
        let mut records = Vec::new();
        while calls(&records) < 10 {
            if let Message::Batch(batch) = next(&engine) {
                records.extend(batch);
            }
        }
        engine.send(Control::Pause);
        while next(&engine) != Message::Phase(Phase::Paused) {}
        // What was made before the pause arrives, however late a device tells of it, and then nothing more.
        let quiet = Duration::from_millis(250);
        let deadline = Instant::now() + Duration::from_secs(20);
        while engine.messages().recv_timeout(quiet).is_ok() {
            assert!(Instant::now() < deadline, "{} goes on", backend.name());
        }
        engine.send(Control::Stop);
        let rest = finish(&engine, Vec::new());
        assert_eq!(outcome(&rest), &RunOutcome::Stopped);
    }
}

#[test]
fn stop_cancels_what_has_not_begun() {
    let source = r#"
        stream "a"; stream "b"; signal "go"; buffer "x" f32=16; event "e"
        host "main" {
            hold "go" on="a"
            repeat 20 { fill "x" value=1 on="a" }
            record "e" on="a"
            wait "e" on="b"
            launch "spin" on="b" { set "micros" 1000 }
            work micros=100000
            await "go"
        }
        host "late" {
            repeat 3 { work micros=1000000 }
            signal "go"
        }"#;
    for backend in backends()
        .into_iter()
        .filter(|backend| backend.name() != "mock")
    {
        let engine = start(request(source, backend.name()));
        let mut records = Vec::new();
        while calls(&records) < 24 {
            if let Message::Batch(batch) = next(&engine) {
                records.extend(batch);
            }
        }
        let asked = Instant::now();
        engine.send(Control::Stop);
        let records = finish(&engine, records);
        assert!(
            asked.elapsed() < Duration::from_secs(2),
            "{:?}",
            asked.elapsed()
        );
        assert_eq!(outcome(&records), &RunOutcome::Stopped);
        invariants::check(&records);
        let cancelled = records.iter().filter(|record| match record {
            Record::Span(span) => span.state == State::Cancelled,
            _ => false,
        });
        // The hold, what was queued behind it, and what waited for that on the other stream.
        assert!(cancelled.count() >= 24);
    }
}

#[test]
fn a_new_run_replaces_the_one_under_way() {
    for backend in backends() {
        let held = r#"stream "a"; signal "go"; host "main" { hold "go" on="a"; work micros=100; await "go" }
            host "late" { repeat 100000 { work micros=1000 }; signal "go" }"#;
        let engine = start(request(held, backend.name()));
        engine.send(Control::Run(Box::new(request(FILLS, backend.name()))));
        finish(&engine, Vec::new());
        let records = finish(&engine, Vec::new());
        assert_eq!(
            (outcome(&records), calls(&records)),
            (&RunOutcome::Finished, 10)
        );
        invariants::check(&records);
    }
}

#[test]
fn pace_slows_host_threads_down() {
    let source = r#"stream "a"; host "main" { repeat 10 { work micros=1 } }"#;
    for backend in backends() {
        let mut request = request(source, backend.name());
        request.pace = Pace::CallsPerSecond(200.0);
        let started = Instant::now();
        finish(&start(request), Vec::new());
        assert!(started.elapsed() >= Duration::from_millis(45));
    }
}

#[test]
fn a_reader_that_is_slow_gets_everything_and_one_that_is_gone_hangs_nothing() {
    let source = r#"
        stream "a"; stream "b"; buffer "x" f32=16; buffer "y" f32=16
        host "one" { repeat 10000 { fill "x" value=1 on="a" }; synchronize-device }
        host "two" { repeat 10000 { fill "y" value=1 on="b" }; synchronize-device }"#;
    for backend in backends() {
        let engine = start(request(source, backend.name()));
        std::thread::sleep(Duration::from_millis(500));
        let records = finish(&engine, Vec::new());
        invariants::check(&records);
        assert!(records.len() > 100_000);
        // Dropped in the middle of a run that nobody reads.
        let engine = start(request(source, backend.name()));
        std::thread::sleep(Duration::from_millis(20));
        let asked = Instant::now();
        drop(engine);
        assert!(
            asked.elapsed() < Duration::from_secs(5),
            "{:?}",
            asked.elapsed()
        );
    }
}

#[test]
fn what_runs_for_long_is_shown_while_it_runs() {
    let source = r#"
        stream "a"
        host "main" { launch "spin" on="a" { set "micros" 300000 }; synchronize-device }"#;
    let engine = start(request(source, "cpu"));
    let records = finish(&engine, Vec::new());
    let place = |wanted: &dyn Fn(&Record) -> bool| records.iter().position(wanted);
    let long: Vec<_> = records
        .iter()
        .filter_map(|record| match record {
            Record::Began(begun) => Some(begun.id),
            _ => None,
        })
        .collect();
    assert_eq!(long.len(), 2, "kernel and synchronize");
    for id in long {
        let shown = place(&|record| matches!(record, Record::Began(begun) if begun.id == id));
        let over = place(&|record| matches!(record, Record::Span(span) if span.id == id));
        assert!(shown < over, "{id:?} was shown before it ended");
    }
}

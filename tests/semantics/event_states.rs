//! What is told of events, against a model that is written apart: a table of the latest record of each, kept while a program is
//! drawn.

use std::fmt::Write as _;

use engine::analysis::{EventCondition, EventHistory, event_histories};
use engine::capture::Capture;
use engine::record::{Record, SpanKind};
use engine::runner::run;

use crate::semantics::conformance::request;
use crate::semantics::generated::SeededRandom;

/// Programs a backend.
const PROGRAMS: u64 = 60;
/// Events of a program.
const EVENTS: usize = 3;

/// What the model knows of an event.
#[derive(Clone, Debug, Default)]
struct ModelEvent {
    /// How much was for each of its records.
    uses: Vec<usize>,
    has_latest: bool,
    is_destroyed: bool,
}

impl ModelEvent {
    fn used(&mut self) {
        if self.has_latest && !self.is_destroyed {
            *self.uses.last_mut().unwrap() += 1;
        }
    }

    fn state(&self) -> EventCondition {
        match (self.is_destroyed, self.has_latest, self.uses.is_empty()) {
            (true, ..) => EventCondition::Destroyed,
            (_, true, _) => EventCondition::Reached,
            (_, _, true) => EventCondition::Empty,
            _ => EventCondition::Reset,
        }
    }
}

fn draw(seed: u64) -> (String, Vec<ModelEvent>) {
    let mut random = SeededRandom::new(seed);
    let mut model = vec![ModelEvent::default(); EVENTS];
    let mut text = String::from("stream \"s0\"\nstream \"s1\"\nbuffer \"x\" f32=64\n");
    for event in 0..EVENTS {
        let _ = writeln!(text, "event \"e{event}\"");
    }
    text.push_str("host \"main\" {\n");
    for _ in 0..6 + random.below(20) {
        let (at, stream) = (random.below(EVENTS), random.below(2));
        let event = &mut model[at];
        let call = match random.below(12) {
            0..=3 => {
                if !event.is_destroyed {
                    event.uses.push(0);
                    event.has_latest = true;
                }
                format!("record \"e{at}\" on=\"s{stream}\"")
            }
            4..=6 => {
                event.used();
                format!("wait \"e{at}\" on=\"s{stream}\"")
            }
            7 => {
                event.used();
                format!("synchronize-event \"e{at}\"")
            }
            8 => {
                event.has_latest &= event.is_destroyed;
                format!("reset \"e{at}\" on=\"s{stream}\"")
            }
            9 if random.below(3) == 0 => {
                event.is_destroyed = true;
                format!("destroy-event \"e{at}\"")
            }
            _ => format!("fill \"x\" value=1 on=\"s{stream}\""),
        };
        let _ = writeln!(text, "try {{ {call} }}\ncatch \"destroyed\"");
    }
    text.push_str("synchronize-device\n}\n");
    (text, model)
}

/// For each event how it stands, and how much was for each of its records.
fn told(histories: &[EventHistory]) -> Vec<(EventCondition, Vec<usize>)> {
    let one = |it: &EventHistory| {
        let generations: Vec<u32> = it.generations.iter().map(|made| made.generation).collect();
        let counted: Vec<u32> = (1..=generations.len() as u32).collect();
        assert_eq!(generations, counted);
        let uses = it.generations.iter().map(|made| made.uses.len());
        (it.state, uses.collect())
    };
    histories.iter().map(one).collect()
}

fn captured(source: &str, backend: &str) -> Capture {
    let mut capture = Capture::new();
    run(request(source, backend), |batch| capture.apply(batch)).unwrap();
    capture
}

#[test]
fn events_stand_as_a_table_of_their_latest_records_says() {
    let mut seen = Vec::new();
    for backend in ["mock", "cpu"] {
        for seed in 0..PROGRAMS {
            let (source, model) = draw(seed);
            let capture = captured(&source, backend);
            let expected: Vec<_> = model
                .iter()
                .map(|it| (it.state(), it.uses.clone()))
                .collect();
            let found = told(&event_histories(&capture));
            assert_eq!(found, expected, "seed {seed} on {backend}\n{source}");
            seen.extend(found.iter().map(|it| it.0));
        }
    }
    for state in [
        EventCondition::Empty,
        EventCondition::Reset,
        EventCondition::Reached,
        EventCondition::Destroyed,
    ] {
        assert!(seen.contains(&state), "no program came to {state:?}");
    }
}

/// Behind a wait that failed a record is cancelled; as long as nobody tells how a record ended it is pending.
#[test]
fn records_that_are_not_reached_are_pending_or_failed() {
    let source = r#"
        stream "a"; stream "b" failure="stop"; event "held"; event "late"; signal "go"; buffer "x" f32=16
        host "main" {
            hold "go" on="a"
            record "held" on="a"
            wait "held" on="b" timeout-micros=2000
            record "late" on="b"
            try { synchronize-stream "b" }
            catch "timed-out"
            signal "go"
        }"#;
    for backend in ["mock", "cpu"] {
        let [mut whole, mut early] = [Capture::new(), Capture::new()];
        let _ = run(request(source, backend), |batch| {
            let is_end = |it: &Record| matches!(it, Record::Span(span) if span.kind == SpanKind::EventRecord);
            early.apply(batch.clone().into_iter().filter(|it| !is_end(it)));
            whole.apply(batch);
        });
        for (capture, state) in [
            (early, EventCondition::Pending),
            (whole, EventCondition::Failed),
        ] {
            let found = event_histories(&capture);
            let found: Vec<_> = found.iter().map(|it| it.state).collect();
            assert_eq!(found, [state; 2], "{backend}");
        }
    }
}

/// What was recorded before a device was opened anew is gone, and what is recorded after it counts on.
#[test]
fn a_device_that_is_opened_anew_takes_records_with_it() {
    let source = r#"
        stream "s"; event "before"; event "both"; buffer "x" f32=16
        host "main" {
            record "before" on="s"
            record "both" on="s"
            synchronize-device
            lose-device by="destroy"
            recover-device
            record "both" on="s"
            synchronize-device
        }"#;
    let found = told(&event_histories(&captured(source, "mock")));
    let expected = [
        (EventCondition::Reset, vec![0]),
        (EventCondition::Reached, vec![0, 0]),
    ];
    assert_eq!(found, expected);
}

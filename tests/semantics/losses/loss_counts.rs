//! How many operations a loss took: the number that is told is that of the operations that are lost.

use std::ops::ControlFlow;
use std::path::Path;

use engine::analysis::{LossAftermath, LossIndex};
use engine::capture::Capture;
use engine::importer;
use engine::record::{
    CallId, Device, DeviceId, Group, Lane, LaneId, Loss, LossKind, NameId, Record, Recovery, Role,
    Span, SpanId, SpanKind, State,
};
use engine::time::Nanos;
use serde_json::Value;

use super::{LONG, backends};

/// Operations of streams that are lost, counted one by one.
fn lost(capture: &Capture) -> u64 {
    let spans = capture.spans().filter(|placed| {
        let lane = capture.lane(placed.span.lane).unwrap();
        let is_of_stream = lane.group == Group::Streams && lane.role != Role::Queue;
        is_of_stream && placed.span.state == State::Lost
    });
    spans.count() as u64
}

/// What the command line says and saves of a run.
fn ran(arguments: &[&str], path: &Path) -> (String, Capture) {
    let path = path.display().to_string();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let all = ["syncline", "run"].iter().chain(arguments);
    app::cli::run(all.chain(&["--save", &path]), &mut out, &mut err);
    assert!(!out.is_empty(), "{}", String::from_utf8_lossy(&err));
    let mut capture = Capture::new();
    let opened = importer::open(Path::new(&path), &mut |batch| {
        capture.apply(batch.records);
        ControlFlow::Continue(())
    });
    opened.unwrap();
    (String::from_utf8(out).unwrap(), capture)
}

#[test]
fn the_number_of_operations_that_a_loss_took_is_that_of_those_lost() {
    let folder = tempfile::tempdir().unwrap();
    let (long, path) = (
        folder.path().join("long.kdl"),
        folder.path().join("x.syncline"),
    );
    std::fs::write(&long, LONG).unwrap();
    let long = long.display().to_string();
    let mut most = 0;
    for backend in backends() {
        for (workload, lose) in [
            ("gate", "driver@1ms"),
            (&long, "driver@stream:b"),
            (&long, "destroy@label:step"),
        ] {
            for recovery in ["no", "resume"] {
                let place = format!("{workload} on {backend}, {lose}, {recovery}");
                let way = ["--backend", backend, "--lose", lose, "--recover", recovery];
                let arguments = [&[workload][..], &way].concat();
                let (text, capture) = ran(&arguments, &path);
                let of_text = text.lines().filter_map(|line| {
                    let rest = line.trim().strip_prefix("took ")?;
                    rest.split_once(" operation")?.0.parse::<u64>().ok()
                });
                assert_eq!(of_text.sum::<u64>(), lost(&capture), "{place}: {text}");
                let (text, capture) = ran(&[&arguments[..], &["--format", "json"]].concat(), &path);
                let json: Value = serde_json::from_str(&text).unwrap();
                let told = json["losses"].as_array().unwrap().iter();
                let told: u64 = told.map(|it| it["operations"].as_u64().unwrap()).sum();
                assert_eq!(told, lost(&capture), "{place}");
                // The window shows these.
                let aftermaths = LossIndex::new(&capture).aftermaths();
                let told: u64 = aftermaths.iter().map(|it| it.operations).sum();
                assert_eq!(told, lost(&capture), "{place}");
                most = told.max(most);
            }
        }
    }
    assert!(most > 3, "nothing was lost anywhere");
}

const fn span(id: u32, state: State, (enqueued, start, end): (i64, i64, i64)) -> Span {
    Span {
        id: SpanId(id),
        lane: LaneId(0),
        name: NameId(0),
        call: CallId::NONE,
        kind: SpanKind::Kernel,
        state,
        enqueued: Nanos(enqueued),
        start: Nanos(start),
        end: Nanos(end),
    }
}

/// One stream of a device that is lost every ten nanoseconds and opened anew at once, and takes an operation each time:
/// nothing ever runs to its end.
fn always_lost(losses: u32) -> Capture {
    let mut capture = Capture::new();
    let device = DeviceId(0);
    capture.apply([
        Record::Device(Box::new(Device {
            id: device,
            name: "device".into(),
            backend: String::new(),
            detail: String::new(),
            rank: None,
            paced: None,
        })),
        Record::Lane(Box::new(Lane {
            id: LaneId(0),
            group: Group::Streams,
            device: Some(device),
            role: Role::Compute,
            name: "stream".into(),
            order: 0,
            process: "".into(),
            thread: "".into(),
        })),
    ]);
    for number in 0..losses {
        let time = 10 * i64::from(number + 1);
        capture.apply([
            Record::Span(span(number, State::Lost, (time - 10, time, time))),
            Record::Loss(Box::new(Loss {
                device,
                time: Nanos(time),
                reason: String::new(),
                kind: LossKind::Unknown,
                generation: number + 1,
            })),
            Record::Recovery(Box::new(Recovery {
                device,
                generation: number + 2,
                lost: Nanos(time),
                time: Nanos(time),
            })),
        ]);
    }
    capture
}

#[test]
fn what_a_loss_took_that_was_recovered_from_at_once_is_its_own() {
    let capture = always_lost(3);
    let all = LossIndex::new(&capture).aftermaths();
    let spans: Vec<_> = all.iter().map(|it| it.spans.as_slice()).collect();
    assert_eq!(spans, [[SpanId(0)], [SpanId(1)], [SpanId(2)]]);
    for (loss, known) in capture.losses().iter().zip(&all) {
        assert_eq!(LossAftermath::of(&capture, loss), *known);
    }
}

#[test]
fn of_very_many_losses_each_is_looked_at_once() {
    // Were the rest of the run looked through for each of them, this would not end today.
    const MANY: u32 = 200_000;
    let mut capture = always_lost(MANY);
    let end = 10 * i64::from(MANY);
    capture.apply([Record::Span(span(MANY, State::Done, (end, end, end + 1)))]);
    let all = LossIndex::new(&capture).aftermaths();
    assert_eq!(all.len(), MANY as usize);
    let first = Some((SpanId(MANY), Nanos(end + 1)));
    assert!(all.iter().all(|it| it.first_result == first));
    assert!(all.iter().all(|it| it.operations == 1));
}

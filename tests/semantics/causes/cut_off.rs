//! What is said of a run that lost its device: nodes of graphs that had begun were held by their edges, and nothing that the
//! simulated device did is unknown.

use engine::analysis::causes::{CauseKind, Causes, TimeUse};
use engine::analysis::{SentencePiece, Statistics};
use engine::capture::{Capture, PlacedSpan};
use engine::record::{DependencyKind, SpanId, SpanKind};
use engine::runner::{RecoveryMode, RunRequest, run};
use engine::time::Nanos;
use engine::workload::bundled;

fn lost(workload: &str, way: &str, recovery: RecoveryMode) -> Capture {
    let found = bundled().iter().find(|it| it.name == workload);
    let mut capture = Capture::new();
    let request = RunRequest {
        name: workload.to_owned(),
        source: found.unwrap().source.to_owned(),
        backend: "mock".to_owned(),
        lose: vec![way.parse().unwrap()],
        recovery,
        ..RunRequest::default()
    };
    run(request, |records| capture.apply(records)).unwrap();
    capture
}

fn name(capture: &Capture, span: SpanId) -> &str {
    let placed = capture.span(span);
    placed.map_or("?", |it| capture.name(it.span.name))
}

/// The nodes of `graph-fork-join` in the order of their calls, by what each comes right after: read off its text.
const BEFORE: [&[usize]; 6] = [&[], &[0], &[], &[2], &[1, 3], &[4]];

#[test]
fn nodes_that_had_begun_when_their_device_was_lost_were_held_by_their_edges() {
    let (mut cut, mut held) = (0, 0);
    for moment in (1..=16).map(|it| it * 210) {
        let capture = lost(
            "graph-fork-join",
            &format!("kill@{moment}us"),
            RecoveryMode::Stay,
        );
        let causes = Causes::build(&capture);
        let reader = causes.read(&capture);
        let spans: Vec<PlacedSpan> = capture.spans().collect();
        let replays = spans.iter().filter(|it| it.span.kind == SpanKind::Graph);
        for replay in replays {
            // A replay's span has the number before those of its nodes.
            let node = |place: usize| {
                let id = SpanId(replay.span.id.0 + 1 + place as u32);
                *spans.iter().find(|it| it.span.id == id).unwrap()
            };
            for (place, before) in BEFORE.iter().enumerate() {
                let own = node(place);
                if before.is_empty() || own.interval().length() == Nanos::ZERO {
                    continue;
                }
                cut += usize::from(own.span.state == engine::record::State::Lost);
                let ends = before.iter().map(|it| node(*it).span.end);
                let latest = ends.max().unwrap();
                let binding = reader.of(own.span.id).unwrap().binding.unwrap();
                let at = (binding.kind, binding.at, own.span.start);
                assert_eq!(
                    at,
                    (CauseKind::Edge, latest, latest),
                    "{moment} µs, {own:?}"
                );
                held += 1;
            }
        }
    }
    assert!(cut > 4 && held > 60, "{cut} of {held} were cut off");
}

/// Where something is unknown of a run of the mock backend.
fn unknown(capture: &Capture) -> Vec<String> {
    let causes = Causes::build(capture);
    let reader = causes.read(capture);
    let mut found = Vec::new();
    let path = reader.path();
    for part in path.iter().filter(|it| it.what == TimeUse::Unknown) {
        found.push(format!("path, {:?}", part.interval));
    }
    for lane in reader.streams() {
        let idle = reader.idle(lane, causes.extent());
        if idle.unknown != Nanos::ZERO {
            found.push(format!("idle time of {}", capture.lane_title(lane)));
        }
    }
    for placed in capture.spans() {
        let id = placed.span.id;
        for (place, parts) in [("before", reader.split(id)), ("in", reader.inside(id))] {
            if parts.iter().any(|it| it.what == TimeUse::Unknown) {
                found.push(format!("{place} {} {}", id.0, name(capture, id)));
            }
        }
    }
    found
}

#[test]
fn nothing_is_unknown_where_the_simulated_device_was_lost() {
    let mut losses = 0;
    for workload in bundled() {
        for (way, recovery) in [
            ("kill@150us", RecoveryMode::Stay),
            ("kill@150us", RecoveryMode::Replay),
            ("destroy@1ms", RecoveryMode::Stay),
            ("kill@1ms", RecoveryMode::Resume),
            ("kill@3ms", RecoveryMode::Stay),
        ] {
            let capture = lost(workload.name, way, recovery);
            losses += capture.losses().len();
            let found = unknown(&capture);
            assert!(
                found.is_empty(),
                "{} {way} {recovery:?}: {found:#?}",
                workload.name
            );
        }
    }
    assert!(losses > 150, "{losses} losses");
}

/// A wait ran out of its time, and what it had waited for was lost later and never complete.
#[test]
fn what_was_lost_is_not_said_to_be_complete() {
    let capture = lost("timeouts", "kill@3ms", RecoveryMode::Stay);
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let said = capture.spans().filter_map(|it| reader.sentence(it.span.id));
    let texts = said.flatten().filter_map(|it| match it {
        SentencePiece::Text(text) => Some(text),
        _ => None,
    });
    let all: String = texts.collect();
    assert!(all.contains(", was lost with its device "), "{all}");
    assert!(!all.contains(", was complete "), "{all}");
}

/// The table of streams and the idle table say the same of each stream, graphs with nodes that wait among what it ran.
#[test]
fn streams_are_as_busy_in_statistics_as_in_the_idle_table() {
    let mut graphs = 0;
    for workload in bundled() {
        for way in ["kill@400us", "destroy@100ms"] {
            let capture = lost(workload.name, way, RecoveryMode::Stay);
            let causes = Causes::build(&capture);
            let reader = causes.read(&capture);
            let within = causes.extent();
            let used = Statistics::of(&capture, within);
            for lane in reader.streams() {
                let idle = reader.idle(lane, within);
                let busy = used.lane(lane).map(|it| it.busy);
                let place = format!("{} {way}, {}", workload.name, capture.lane_title(lane));
                assert_eq!(busy, Some(idle.busy), "{place}");
            }
            let edges = (0..capture.dependency_count() as u32).map(engine::record::DependencyId);
            let edges = edges.filter_map(|it| capture.dependency(it));
            graphs += edges.filter(|it| it.kind == DependencyKind::Edge).count();
        }
    }
    assert!(graphs > 20, "{graphs} edges of graphs");
}

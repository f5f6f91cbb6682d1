//! A small capture of which every piece is known.

use super::*;
use record::{
    Basis, CallId, Dependency, DependencyKind, EventId, Group, Lane, NameId, Record, Role, Sample,
    Span, SpanId, SpanKind, State,
};

/// A thread that submits four kernels to a stream, one of which another stream waits for.
fn whole() -> Capture {
    let lane = |id, group, name: &str| {
        Record::Lane(Box::new(Lane {
            id: LaneId(id),
            group,
            device: None,
            role: Role::None,
            name: name.to_owned(),
            order: 0,
            process: "".into(),
            thread: "".into(),
        }))
    };
    let span = |id: u32, lane, kind, start, end| {
        Record::Span(Span {
            id: SpanId(id),
            lane: LaneId(lane),
            name: NameId(id),
            call: CallId::NONE,
            kind,
            state: State::Done,
            enqueued: Nanos(start),
            start: Nanos(start),
            end: Nanos(end),
        })
    };
    let mut capture = Capture::new();
    let names = (0..9).map(|it| Record::Name(NameId(it), format!("name {it}").into()));
    capture.apply(names);
    capture.apply([
        lane(0, Group::Host, "host"),
        lane(1, Group::Streams, "one"),
        lane(2, Group::Streams, "two"),
        span(0, 0, SpanKind::HostWork, 0, 100),
        span(1, 0, SpanKind::Call, 10, 20),
        span(2, 0, SpanKind::Call, 30, 40),
        span(3, 1, SpanKind::Kernel, 100, 200),
        span(4, 1, SpanKind::Kernel, 200, 300),
        span(5, 1, SpanKind::Kernel, 350, 400),
        span(6, 2, SpanKind::Kernel, 310, 330),
        Record::Dependency(Dependency::submission(SpanId(1), SpanId(3))),
        Record::Dependency(Dependency::submission(SpanId(2), SpanId(4))),
        Record::Dependency(Dependency {
            cause: SpanId(4),
            effect: SpanId(6),
            kind: DependencyKind::Event,
            basis: Basis::Enforced,
            event: EventId::NONE,
            generation: 0,
        }),
    ]);
    capture
}

fn cut(start: i64, end: i64) -> Result<CapturePiece, String> {
    let request = PieceRequest {
        within: Some(Interval::new(Nanos(start), Nanos(end))),
        ..PieceRequest::default()
    };
    piece((&whole(), &[]), &request)
}

/// Name, kind, start and end of every span.
fn told(capture: &Capture) -> Vec<(String, SpanKind, i64, i64)> {
    let told = capture.spans().map(|it| {
        let span = it.span;
        (
            capture.name(span.name).to_owned(),
            span.kind,
            span.start.0,
            span.end.0,
        )
    });
    told.collect()
}

#[test]
fn what_touches_is_whole_and_what_it_depends_on_is_a_stub() {
    let made = cut(250, 320).unwrap();
    let stub = |name: &str, at| (name.to_owned(), SpanKind::Stub, at, at);
    let kernel = |name: &str, start, end| (name.to_owned(), SpanKind::Kernel, start, end);
    let wanted = [
        stub("name 1", 10),
        stub("name 2", 30),
        stub("name 3", 200),
        kernel("name 4", 200, 300),
        stub("name 5", 350),
        kernel("name 6", 310, 330),
    ];
    assert_eq!(told(&made.capture), wanted);
    assert_eq!(made.capture.dependency_count(), 3);
    assert_eq!(made.counts.stubs, 4);
    // Stubs make it no longer.
    let extent = made.capture.extent();
    assert_eq!(extent, Some(Interval::new(Nanos(200), Nanos(330))));
}

#[test]
fn a_range_without_spans_names_its_neighbours() {
    let said = cut(340, 345).err().unwrap();
    assert!(
        said.contains("ends at 330 ns") && said.contains("begins at 350 ns"),
        "{said}"
    );
}

#[test]
fn a_counter_keeps_what_it_held() {
    let mut capture = whole();
    capture.apply([Record::Counter(Box::new(record::Counter {
        id: CounterId(0),
        name: "bytes".to_owned(),
        unit: "bytes".to_owned(),
        device: None,
    }))]);
    capture.apply([(0, 1.0), (120, 2.0), (260, 3.0)].map(|(time, value)| {
        Record::Sample(Sample {
            counter: CounterId(0),
            time: Nanos(time),
            value,
        })
    }));
    let request = PieceRequest {
        within: Some(Interval::new(Nanos(150), Nanos(300))),
        ..PieceRequest::default()
    };
    let made = piece((&capture, &[]), &request).unwrap().capture;
    let samples = made.samples(CounterId(0));
    assert_eq!(samples.times(), [Nanos(150), Nanos(260)]);
    assert_eq!(samples.values(), [2.0, 3.0]);
}

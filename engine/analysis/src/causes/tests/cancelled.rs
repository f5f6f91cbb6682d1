//! What was cancelled while it ran, or waited, took its time nevertheless; and waits that are needed are known to be.

use super::*;
use record::{DeviceId, Loss, LossKind};

#[test]
fn a_wait_that_an_abort_ended_was_blocked_until_the_abort() {
    let mut small = SmallCapture::new();
    let hold = small.span(LEFT, SpanKind::Hold, [1_000, 80_000]);
    let abort = small.span(THREAD, SpanKind::Call, [79_500, 80_100]);
    let never = small.span(LEFT, SpanKind::Kernel, [80_000, 80_000]);
    for span in [hold, never] {
        small.tie(abort, span, DependencyKind::Abort, Basis::Enforced);
        small.become_of(span, State::Cancelled);
    }
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let end = reader.of_end(SpanId(hold)).unwrap().binding.unwrap();
    assert_eq!((end.kind, end.span().0), (CauseKind::Abort, abort));
    let idle = reader.idle(LaneId(LEFT), causes.extent());
    assert_eq!(idle.dependency, Nanos(78_500));
    assert_eq!(idle.total(), causes.extent().length());
    let said = |span: u32| crate::sentence_piece::plain(&reader.sentence(SpanId(span)).unwrap());
    assert!(
        said(hold).contains("cancelled after 79.0"),
        "{}",
        said(hold)
    );
    assert!(!said(hold).contains("never ran"), "{}", said(hold));
    assert!(said(never).contains("never ran"), "{}", said(never));
}

#[test]
fn what_was_stopped_while_it_ran_was_busy_until_then() {
    let mut small = SmallCapture::new();
    let kernel = small.launched(LEFT, 0, [2_000, 900_000]);
    let sync = small.span(THREAD, SpanKind::Synchronize, [10, 899_000]);
    for span in [kernel, sync] {
        small.become_of(span, State::Cancelled);
    }
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    assert_eq!(causes.extent().end, Nanos(900_000));
    let idle = reader.idle(LaneId(LEFT), causes.extent());
    assert_eq!(idle.busy, Nanos(898_000));
    let said = crate::sentence_piece::plain(&reader.sentence(SpanId(kernel)).unwrap());
    assert!(said.contains("cancelled after 898"), "{said}");
}

/// What nothing let go before its device was lost was blocked until then; nothing of that is unknown.
#[test]
fn a_wait_that_a_loss_cut_off_was_blocked_until_the_loss() {
    let mut small = SmallCapture::new();
    let early = small.launched(LEFT, 0, [2_000, 20_000]);
    let hold = small.span(RIGHT, SpanKind::Hold, [1_000, 980_000]);
    let synchronize = small.span(THREAD, SpanKind::Synchronize, [3_000, 981_000]);
    let late = small.span(LEFT, SpanKind::Kernel, [20_000, 980_000]);
    let wait = small.span(RIGHT, SpanKind::EventWait, [500, 979_000]);
    for (cause, effect, kind) in [
        (early, wait, DependencyKind::Event),
        (late, synchronize, DependencyKind::Synchronization),
    ] {
        small.tie(cause, effect, kind, Basis::Declared);
    }
    for span in [hold, late, synchronize, wait] {
        small.become_of(span, State::Lost);
    }
    small.records.push(Record::Loss(Box::new(Loss {
        device: DeviceId(0),
        time: Nanos(979_000),
        reason: String::new(),
        kind: LossKind::Unknown,
        generation: 1,
    })));
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let cause = |span: u32| {
        let binding = reader.of_end(SpanId(span)).unwrap().binding.unwrap();
        (binding.kind, binding.span().0)
    };
    assert_eq!(cause(hold), (CauseKind::Limit, hold));
    // One of what it waited for came long before.
    assert_eq!(cause(wait), (CauseKind::Limit, wait));
    assert_eq!(cause(synchronize), (CauseKind::Sync, late));
    let idle = reader.idle(LaneId(RIGHT), causes.extent());
    // What came before its first operation is not told.
    assert_eq!(idle.unknown, Nanos(500));
    assert!(idle.dependency >= Nanos(979_000), "{idle:?}");
    let path = reader.path();
    assert!(
        path.iter().all(|it| it.what != TimeUse::Unknown),
        "{path:?}"
    );
}

/// A stream stands still while a thread calls a function for it, and so it does where the function never came to run.
#[test]
fn a_stream_that_stands_still_for_a_function_is_not_busy() {
    let mut small = SmallCapture::new();
    let mut both = |lane: u32, stream: [i64; 2], thread: [i64; 2]| {
        let lanes = [(lane, stream), (THREAD, thread)];
        lanes.map(|(lane, ran)| {
            let kind = if lane == THREAD {
                SpanKind::HostFunction
            } else {
                SpanKind::Callback
            };
            small.span(lane, kind, ran)
        })
    };
    let [first, called] = both(LEFT, [100, 700], [150, 690]);
    let [second, queued] = both(RIGHT, [200, 1_300], [700, 1_290]);
    let [_, dropped] = both(LEFT, [700, 1_400], [1_400, 1_400]);
    small.tie(called, first, DependencyKind::Step, Basis::Enforced);
    small.tie(queued, second, DependencyKind::Step, Basis::Enforced);
    small.become_of(dropped, State::Cancelled);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    // The second was handed over at 200 and waited for the first on its thread.
    assert_eq!(kind(&reader, called), (CauseKind::Launch, first));
    assert_eq!(kind(&reader, queued), (CauseKind::Stream, called));
    let split = reader.split(SpanId(queued));
    assert_eq!(split[0].interval, Interval::new(Nanos(200), Nanos(690)));
    assert_eq!(reader.engines(), [LaneId(THREAD)]);
    for lane in [LEFT, RIGHT] {
        assert_eq!(reader.idle(LaneId(lane), causes.extent()).busy, Nanos::ZERO);
    }
}

/// The way to the end goes through the wait: what it held cannot begin later, though the wait itself could.
#[test]
fn a_wait_on_the_critical_path_has_no_slack_where_it_ends() {
    let mut small = SmallCapture::new();
    let long = small.launched(LEFT, 0, [2_000, 900_000]);
    let wait = small.span(RIGHT, SpanKind::EventWait, [3_000, 900_000]);
    small.tie(long, wait, DependencyKind::Event, Basis::Enforced);
    small.span(RIGHT, SpanKind::Kernel, [900_000, 1_900_000]);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    assert_eq!(reader.slack(SpanId(wait)), Some(Nanos(897_000)));
    assert_eq!(reader.slack_of_held(SpanId(wait)), Some(Nanos::ZERO));
    assert_eq!(reader.slack_of_held(SpanId(long)), Some(Nanos::ZERO));
}

/// A wait that its own stream's abort dropped is not said to have waited for something that was dropped; one that nobody
/// ended but the end of the run was blocked until then.
#[test]
fn a_wait_that_was_dropped_is_told_from_one_for_what_was_dropped() {
    let mut small = SmallCapture::new();
    let record = small.span(LEFT, SpanKind::EventRecord, [900_000, 900_010]);
    let wait = small.span(RIGHT, SpanKind::EventWait, [1_000, 500_000]);
    let abort = small.span(THREAD, SpanKind::Call, [499_000, 500_100]);
    small.tie(abort, wait, DependencyKind::Abort, Basis::Enforced);
    let stopped = small.span(LEFT, SpanKind::EventWait, [1_000, 700_000]);
    for wait in [wait, stopped] {
        small.tie(record, wait, DependencyKind::Event, Basis::Declared);
        small.become_of(wait, State::Cancelled);
    }
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let said = |span: u32| crate::sentence_piece::plain(&reader.sentence(SpanId(span)).unwrap());
    assert!(said(wait).contains(" dropped it"), "{}", said(wait));
    let words = "blocked for 699 \u{b5}s, until it was cancelled";
    assert!(said(stopped).contains(words), "{}", said(stopped));
    let idle = reader.idle(LaneId(LEFT), causes.extent());
    assert_eq!(idle.dependency, Nanos(699_000));
}

/// A graph that is shorter than clocks differ, with one operation in it.
#[test]
fn what_a_graph_holds_does_not_come_after_the_graph() {
    let mut small = SmallCapture::new();
    let before = small.launched(LEFT, 0, [2_000, 3_000]);
    let call = small.span(THREAD, SpanKind::Call, [10, 20]);
    let graph = small.span(LEFT, SpanKind::Graph, [3_000, 5_000]);
    let node = small.span(LEFT, SpanKind::Fill, [3_000, 5_000]);
    for span in [graph, node] {
        small.tie(call, span, DependencyKind::Submission, Basis::Enforced);
    }
    let record = small.span(LEFT, SpanKind::EventRecord, [5_000, 5_000]);
    let after = small.launched(RIGHT, 30, [5_000, 9_000]);
    small.tie(record, after, DependencyKind::Event, Basis::Enforced);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    assert_eq!(kind(&reader, node), (CauseKind::Stream, before));
    assert_eq!(kind(&reader, record), (CauseKind::Stream, graph));
    assert_eq!(kind(&reader, after), (CauseKind::Event, record));
    let path = reader.path();
    let length: i64 = path.iter().map(|it| it.interval.length().0).sum();
    assert_eq!(length, causes.extent().length().0);
    for span in [before, node, record, after] {
        assert_eq!(reader.slack(SpanId(span)), Some(Nanos::ZERO));
    }
}

/// A graph is around its nodes: while those wait, its stream is not busy. One without nodes is work itself.
#[test]
fn a_stream_is_not_busy_while_all_nodes_of_its_graph_wait() {
    let mut small = SmallCapture::new();
    let alone = small.span(LEFT, SpanKind::Graph, [1_000, 2_000]);
    let around = small.span(LEFT, SpanKind::Graph, [2_000, 90_000]);
    let first = small.span(LEFT, SpanKind::Kernel, [2_000, 10_000]);
    let wait = small.span(LEFT, SpanKind::EventWait, [10_000, 60_000]);
    let last = small.span(LEFT, SpanKind::Kernel, [60_500, 80_000]);
    let other = small.span(RIGHT, SpanKind::Kernel, [1_000, 59_000]);
    for (cause, effect) in [(first, wait), (wait, last)] {
        small.tie(cause, effect, DependencyKind::Edge, Basis::Enforced);
    }
    small.tie(other, wait, DependencyKind::Event, Basis::Enforced);
    let capture = small.capture();
    assert!(capture.has_nodes(SpanId(around)) && !capture.has_nodes(SpanId(alone)));
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let within = causes.extent();
    let idle = reader.idle(LaneId(LEFT), within);
    // 1,000 of the graph alone, and the two kernels.
    assert_eq!(idle.busy, Nanos(28_500));
    assert_eq!(idle.dependency, Nanos(49_000));
    // 1,000 of the wait's release, and the start of what comes behind it.
    assert_eq!(idle.latency, Nanos(1_500));
    assert_eq!(idle.total(), within.length());
    let used = crate::Statistics::of(&capture, within);
    let used = used.lane(LaneId(LEFT)).unwrap();
    assert_eq!((used.busy, used.waiting), (Nanos(28_500), Nanos(50_000)));
    let gap = reader.gap_at(LaneId(LEFT), Nanos(60_200)).unwrap();
    assert_eq!(gap.interval, Interval::new(Nanos(60_000), Nanos(60_500)));
}

/// The loss of a device comes from outside: the time before it is not unknown, and its timeline had nothing to do meanwhile.
#[test]
fn a_step_that_follows_from_a_loss_came_from_outside() {
    let mut small = SmallCapture::new();
    let timeline = 3;
    small.records.push(Record::Lane(Box::new(Lane {
        id: LaneId(timeline),
        group: Group::Device,
        device: Some(DeviceId(0)),
        role: Role::None,
        name: "device timeline".into(),
        order: 3,
        process: "".into(),
        thread: "".into(),
    })));
    let call = small.span(THREAD, SpanKind::Call, [0, 1_000]);
    let create = small.span(timeline, SpanKind::Step, [1_000, 3_000]);
    small.tie(call, create, DependencyKind::Submission, Basis::Enforced);
    let lose = small.span(timeline, SpanKind::Step, [900_000, 902_000]);
    let decide = small.span(timeline, SpanKind::Step, [902_000, 904_000]);
    small.tie(lose, decide, DependencyKind::Step, Basis::Enforced);
    let unlost: Vec<Record> = small.records.clone();
    small.records.push(Record::Loss(Box::new(Loss {
        device: DeviceId(0),
        time: Nanos(899_000),
        reason: "injected".into(),
        kind: LossKind::Unknown,
        generation: 1,
    })));
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    assert_eq!(kind(&reader, lose), (CauseKind::Limit, create));
    assert_eq!(kind(&reader, decide).1, lose);
    let path = reader.path();
    let of = |what: TimeUse| -> i64 {
        let parts = path.iter().filter(|it| it.what == what);
        parts.map(|it| it.interval.length().0).sum()
    };
    assert_eq!((of(TimeUse::Limit), of(TimeUse::Unknown)), (897_000, 0));
    let idle = reader.idle(LaneId(timeline), causes.extent());
    assert_eq!((idle.host, idle.unknown), (Nanos(897_000), Nanos::ZERO));
    let said = crate::sentence_piece::plain(&reader.sentence(SpanId(lose)).unwrap());
    let words = "It follows from the loss of the device (injected, generation 1)";
    assert!(said.starts_with(words), "{said}");
    // Where no device was lost, the capture does not tell.
    let mut capture = Capture::new();
    capture.apply(unlost);
    let causes = Causes::build(&capture);
    let idle = causes
        .read(&capture)
        .idle(LaneId(timeline), causes.extent());
    assert_eq!(idle.unknown, Nanos(897_000));
}

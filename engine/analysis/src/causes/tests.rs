//! Small captures with known causes.

mod branches;
mod cancelled;
mod scheduled;
mod stretches;
mod what_if;

use super::{CauseKind, CauseReader, Causes, DependencyTimes, IdleTime, SpanPoint, TimeUse};
use capture::Capture;
use record::time::{Interval, Nanos};
use record::{
    Basis, CallId, Dependency, DependencyKind, Group, Lane, LaneId, NameId, Record, Role, Span,
    SpanId, SpanKind, State,
};

const THREAD: u32 = 0;
const LEFT: u32 = 1;
const RIGHT: u32 = 2;

/// A capture in the making: lane 0 is a host thread, 1 and 2 are streams.
struct SmallCapture {
    records: Vec<Record>,
    spans: u32,
}

impl SmallCapture {
    fn new() -> Self {
        let lane = |id: u32, group| {
            Record::Lane(Box::new(Lane {
                id: LaneId(id),
                group,
                device: None,
                role: Role::None,
                name: format!("lane {id}"),
                order: id as i32,
                process: "".into(),
                thread: "".into(),
            }))
        };
        let streams = [LEFT, RIGHT].map(|id| lane(id, Group::Streams));
        let mut records = vec![lane(THREAD, Group::Host)];
        records.extend(streams);
        Self { records, spans: 0 }
    }

    fn span(&mut self, lane: u32, kind: SpanKind, [start, end]: [i64; 2]) -> u32 {
        self.spans += 1;
        self.records.push(Record::Span(Span {
            id: SpanId(self.spans - 1),
            lane: LaneId(lane),
            name: NameId(0),
            call: CallId::NONE,
            kind,
            state: State::Done,
            enqueued: Nanos(start),
            start: Nanos(start),
            end: Nanos(end),
        }));
        self.spans - 1
    }

    fn tie(&mut self, cause: u32, effect: u32, kind: DependencyKind, basis: Basis) {
        self.records.push(Record::Dependency(Dependency::new(
            SpanId(cause),
            SpanId(effect),
            kind,
            basis,
        )));
    }

    /// A kernel and the call that launched it.
    fn launched(&mut self, lane: u32, call: i64, ran: [i64; 2]) -> u32 {
        let call = self.span(THREAD, SpanKind::Call, [call, call + 4]);
        let kernel = self.span(lane, SpanKind::Kernel, ran);
        self.tie(call, kernel, DependencyKind::Submission, Basis::Enforced);
        kernel
    }

    /// How a span ended.
    fn become_of(&mut self, span: u32, state: State) {
        for record in &mut self.records {
            if let Record::Span(known) = record
                && known.id == SpanId(span)
            {
                known.state = state;
            }
        }
    }

    /// What a span is called; its name has the number of the span behind 0, which all others have.
    fn call_it(&mut self, span: u32, name: &str) {
        let id = NameId(span + 1);
        self.records.push(Record::Name(id, name.into()));
        for record in &mut self.records {
            if let Record::Span(known) = record
                && known.id == SpanId(span)
            {
                known.name = id;
            }
        }
    }

    fn capture(self) -> Capture {
        let mut capture = Capture::new();
        capture.apply(self.records);
        capture
    }
}

fn kind(reader: &CauseReader<'_>, span: u32) -> (CauseKind, u32) {
    let cause = reader.of(SpanId(span)).unwrap();
    let binding = cause.binding.unwrap();
    (binding.kind, binding.span().0)
}

#[test]
fn the_cause_that_was_complete_last_binds_and_a_tie_goes_to_the_stream() {
    let mut small = SmallCapture::new();
    let first = small.launched(LEFT, 0, [3, 60]);
    let other = small.launched(RIGHT, 10, [13, 90]);
    let held = small.launched(LEFT, 20, [95, 120]);
    let tied = small.launched(RIGHT, 30, [120, 130]);
    small.tie(other, held, DependencyKind::Event, Basis::Enforced);
    small.tie(first, tied, DependencyKind::Event, Basis::Observed);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    assert_eq!(kind(&reader, first).0, CauseKind::Launch);
    assert_eq!(kind(&reader, held), (CauseKind::Event, other));
    assert_eq!(kind(&reader, tied), (CauseKind::Stream, other));
    assert_eq!(reader.alone(SpanId(held)), Nanos(30));
    let split: Vec<_> = reader
        .split(SpanId(held))
        .iter()
        .map(|it| (it.what, it.interval.length().0))
        .collect();
    assert_eq!(split, [(TimeUse::Blocked, 70), (TimeUse::Latency, 5)]);
}

/// The clock of the device is behind: what submitted the kernel began after it, and is said to be in the capture.
#[test]
fn a_submission_after_its_operation_is_said_to_be_one_of_two_clocks() {
    let mut small = SmallCapture::new();
    let early = small.launched(LEFT, 20_000, [10_000, 30_000]);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    assert_eq!(reader.enqueued(SpanId(early)), None);
    let said = format!("{:?}", reader.sentence(SpanId(early)).unwrap());
    assert!(!said.contains("submission is not in the capture"), "{said}");
    assert!(said.contains("clocks of host and device differ"), "{said}");
}

/// The stream lets the next kernel go early: it began before the one before it had ended, and is its effect, not the
/// other way round.
#[test]
fn a_programmatic_launch_is_caused_by_the_one_before_it_alone() {
    let mut small = SmallCapture::new();
    let first = small.launched(LEFT, 0, [3_000, 90_000]);
    let second = small.launched(LEFT, 10_000, [60_000, 95_000]);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    assert_eq!(kind(&reader, first).0, CauseKind::Launch);
    assert_eq!(kind(&reader, second), (CauseKind::Stream, first));
    let binding = reader.of(SpanId(second)).unwrap().binding.unwrap();
    assert_eq!(binding.back, Nanos(30_000));
}

/// Two threads launch on one stream, and the one that called first came second.
#[test]
fn a_stream_whose_starts_contradict_its_calls_runs_in_the_order_of_starts() {
    let mut small = SmallCapture::new();
    let second = small.launched(LEFT, 0, [100_000, 150_000]);
    let first = small.launched(LEFT, 10, [5_000, 90_000]);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    assert_eq!(kind(&reader, second), (CauseKind::Stream, first));
    assert_eq!(kind(&reader, first).0, CauseKind::Launch);
}

#[test]
fn a_long_wait_without_a_reason_is_unknown_and_no_latency() {
    let mut small = SmallCapture::new();
    let kernel = small.launched(LEFT, 0, [600_000, 700_000]);
    let stray = small.span(RIGHT, SpanKind::Kernel, [10_000, 20_000]);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    assert!(reader.of(SpanId(kernel)).unwrap().is_unknown);
    assert_eq!(reader.split(SpanId(kernel))[0].what, TimeUse::Unknown);
    let nothing = reader.of(SpanId(stray)).unwrap();
    assert!(nothing.is_unknown && nothing.binding.is_none());
    let idle = reader.idle(LaneId(LEFT), causes.extent());
    assert_eq!((idle.unknown, idle.busy), (Nanos(600_000), Nanos(100_000)));
}

/// A wait that is a span of its stream: it is blocked until the record, and released after it.
#[test]
fn a_wait_on_the_stream_is_blocked_by_the_record_and_is_no_work() {
    let mut small = SmallCapture::new();
    let kernel = small.launched(LEFT, 0, [3, 500]);
    let record = small.span(LEFT, SpanKind::EventRecord, [500, 501]);
    let wait = small.span(RIGHT, SpanKind::EventWait, [10, 520]);
    let after = small.launched(RIGHT, 8, [522, 600]);
    small.tie(record, wait, DependencyKind::Event, Basis::Enforced);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let inside: Vec<_> = reader
        .inside(SpanId(wait))
        .iter()
        .map(|it| (it.what, it.interval.length().0))
        .collect();
    assert_eq!(inside, [(TimeUse::Blocked, 491), (TimeUse::Latency, 19)]);
    assert_eq!(kind(&reader, after), (CauseKind::Stream, wait));
    let chain = reader.chain(SpanId(after));
    let ran: Vec<_> = chain
        .iter()
        .filter_map(|it| it.span)
        .map(|it| it.0)
        .collect();
    assert_eq!(ran, [kernel, record, wait, after]);
    let idle = reader.idle(LaneId(RIGHT), causes.extent());
    assert_eq!((idle.busy.0, idle.dependency.0), (78, 491));
}

#[test]
fn slack_of_an_hour_is_exact() {
    const HOUR: i64 = 3_600_000_000_000;
    let mut made = SmallCapture::new();
    let early = made.launched(LEFT, 0, [10, 20]);
    let branch = made.launched(LEFT, HOUR, [HOUR + 10, HOUR + 29]);
    let long = made.launched(RIGHT, HOUR + 5, [HOUR + 15, HOUR + 90]);
    let capture = made.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let slack = [early, branch, long].map(|it| reader.slack(SpanId(it)));
    // The branch may begin 61 later and does so 10 after it could: what came before it may end at HOUR + 61, and took 10.
    assert_eq!(slack, [HOUR + 41, 61, 0].map(|it| Some(Nanos(it))));
}

#[test]
fn the_path_adds_up_and_slack_is_what_a_shorter_branch_has_left() {
    let mut small = SmallCapture::new();
    let first = small.launched(LEFT, 0, [3, 60]);
    let branch = small.launched(RIGHT, 10, [63, 100]);
    let long = small.launched(LEFT, 20, [60, 160]);
    let join = small.launched(LEFT, 30, [163, 200]);
    small.tie(first, branch, DependencyKind::Event, Basis::Enforced);
    small.tie(branch, join, DependencyKind::Event, Basis::Enforced);
    let sync = small.span(THREAD, SpanKind::Synchronize, [40, 210]);
    small.tie(join, sync, DependencyKind::Synchronization, Basis::Enforced);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let path = reader.path();
    let sum: i64 = path.iter().map(|it| it.interval.length().0).sum();
    assert_eq!(sum, 210);
    assert_eq!(reader.slack(SpanId(long)), Some(Nanos::ZERO));
    assert_eq!(reader.slack(SpanId(branch)), Some(Nanos(60)));
    assert_eq!(reader.second(&path), Some((SpanId(branch), Nanos(60))));
    let returned = reader.inside(SpanId(sync));
    assert_eq!(returned[1].interval.length(), Nanos(10));
    let within = Interval::new(Nanos(50), Nanos(120));
    let part: i64 = reader
        .path_within(within)
        .iter()
        .map(|it| it.interval.length().0)
        .sum();
    assert_eq!(part, 70);
}

/// An abort drops what it drops while it is called, not once it has returned.
#[test]
fn the_arrow_of_an_abort_leaves_where_its_call_began() {
    let mut small = SmallCapture::new();
    let abort = small.span(THREAD, SpanKind::Call, [50, 60]);
    let held = small.span(LEFT, SpanKind::Hold, [10, 55]);
    small.tie(abort, held, DependencyKind::Abort, Basis::Enforced);
    let capture = small.capture();
    let found = capture.causes(SpanId(held)).next();
    let found = found.and_then(|id| capture.dependency(id)).unwrap();
    let times = DependencyTimes::of(&capture, &found).unwrap();
    assert_eq!((times.complete, times.reached), (Nanos(50), Nanos(50)));
    assert_eq!((times.waited, times.rest), (Some(Nanos(40)), Nanos(5)));
}

/// Between two calls far apart the host did something else: that is the path of a stretch in which nothing was called or ran.
#[test]
fn the_path_of_a_stretch_without_any_span_is_that_of_the_capture() {
    let mut small = SmallCapture::new();
    small.launched(LEFT, 0, [3, 60]);
    small.launched(LEFT, 900, [905, 1_000]);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let path = causes
        .read(&capture)
        .path_within(Interval::new(Nanos(300), Nanos(400)));
    let parts: Vec<_> = path.iter().map(|it| (it.interval, it.what)).collect();
    let all = Interval::new(Nanos(300), Nanos(400));
    assert_eq!(parts, [(all, TimeUse::Host)]);
}

/// Every stretch of time is accounted for, wherever it begins and ends.
#[test]
fn idle_time_of_any_stretch_adds_up_to_it() {
    let mut small = SmallCapture::new();
    for step in 0..40 {
        let at = step * 100;
        let one = small.launched(LEFT, at, [at + 20, at + 70]);
        let two = small.launched(RIGHT, at + 5, [at + 75, at + 99]);
        small.tie(one, two, DependencyKind::Event, Basis::Enforced);
    }
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let mut whole = IdleTime::default();
    for lane in [LEFT, RIGHT] {
        for (from, to) in [(0, 3_999), (33, 34), (50, 80), (71, 3_000), (3_998, 3_999)] {
            let within = Interval::new(Nanos(from), Nanos(to));
            let idle = reader.idle(LaneId(lane), within);
            assert_eq!(
                idle.total(),
                within.length(),
                "{lane} {from}..{to}: {idle:?}"
            );
            whole = idle;
        }
    }
    assert_eq!(whole.busy, Nanos(1));
}

#[test]
fn a_point_is_the_start_or_the_end_of_its_span() {
    let (start, end) = (SpanPoint::start(SpanId(7)), SpanPoint::end(SpanId(7)));
    assert!(start < end && end.is_end() && !start.is_end());
    assert_eq!((start.span(), end.span()), (SpanId(7), SpanId(7)));
}

/// What is built a slice at a time is what is built at once.
#[test]
fn the_job_makes_what_building_at_once_makes() {
    let mut small = SmallCapture::new();
    for step in 0..50 {
        small.launched(LEFT, step * 10, [step * 10 + 3, step * 10 + 9]);
    }
    let capture = small.capture();
    let mut job = super::CausesJob::default();
    while !job.step(&capture, std::time::Duration::ZERO) {
        assert!(job.progress(&capture) <= 1.0);
        std::thread::yield_now();
    }
    let made = job.finish().unwrap();
    let whole = Causes::build(&capture);
    assert_eq!(made.extent(), whole.extent());
    let (one, other) = (made.read(&capture), whole.read(&capture));
    for span in capture.spans() {
        assert_eq!(one.of(span.span.id), other.of(span.span.id));
        assert_eq!(one.slack(span.span.id), other.slack(span.span.id));
    }
    assert!(made.heap_bytes() <= 16 * 100 + 512, "{}", made.heap_bytes());
}

/// A wait of a stream for what another one ran.
#[test]
fn a_wait_that_gave_up_a_wait_without_a_cause_and_one_that_passed_say_so() {
    let mut small = SmallCapture::new();
    let long = small.span(RIGHT, SpanKind::Kernel, [0, 900_000]);
    let gave_up = small.span(LEFT, SpanKind::EventWait, [10, 50_010]);
    let alone = small.span(LEFT, SpanKind::EventWait, [60_000, 360_000]);
    let passed = small.span(LEFT, SpanKind::EventWait, [900_500, 900_500]);
    small.tie(long, gave_up, DependencyKind::Event, Basis::Enforced);
    small.tie(long, passed, DependencyKind::Event, Basis::Enforced);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let said = |span: u32| crate::sentence_piece::plain(&reader.sentence(SpanId(span)).unwrap());
    assert!(
        said(gave_up).contains("was complete 850 µs later"),
        "{}",
        said(gave_up)
    );
    assert!(said(alone).contains("300 µs is unknown"), "{}", said(alone));
    assert!(said(passed).contains("before it began"), "{}", said(passed));
    for wait in [gave_up, alone] {
        assert!(!said(wait).contains("at once") && !said(wait).contains("never"));
    }
}

#[test]
fn the_way_to_a_cause_and_back_follows_what_bound() {
    let mut small = SmallCapture::new();
    let first = small.launched(LEFT, 0, [3, 60]);
    let other = small.launched(RIGHT, 10, [13, 90]);
    let held = small.launched(LEFT, 20, [95, 120]);
    small.tie(other, held, DependencyKind::Event, Basis::Enforced);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let launch = capture.previous_span(SpanId(held)).unwrap();
    assert_eq!(launch, SpanId(first));
    assert_eq!(reader.cause_of(SpanId(held)), Some(SpanId(other)));
    assert_eq!(reader.effect_of(SpanId(other)), Some(SpanId(held)));
    // What ran before it on its own stream did not bind it.
    assert_eq!(reader.effect_of(SpanId(first)), None);
}

#[test]
fn a_wait_for_what_never_ran_waited_for_what_failed_before_it_or_for_the_abort() {
    let mut small = SmallCapture::new();
    let failed = small.span(LEFT, SpanKind::Kernel, [10, 700_000]);
    let never = small.span(LEFT, SpanKind::Download, [700_010, 700_010]);
    let wait = small.span(THREAD, SpanKind::Synchronize, [20, 700_500]);
    small.tie(
        never,
        wait,
        DependencyKind::Synchronization,
        Basis::Enforced,
    );
    let abort = small.span(THREAD, SpanKind::Call, [900_000, 900_100]);
    let dropped = small.span(RIGHT, SpanKind::Kernel, [900_050, 900_050]);
    small.tie(abort, dropped, DependencyKind::Abort, Basis::Enforced);
    let orphan = small.span(LEFT, SpanKind::EventWait, [701_000, 900_060]);
    small.tie(dropped, orphan, DependencyKind::Event, Basis::Declared);
    for (span, state) in [
        (failed, State::Failed),
        (never, State::Cancelled),
        (dropped, State::Cancelled),
    ] {
        small.become_of(span, state);
    }
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    assert_eq!(kind(&reader, wait), (CauseKind::Sync, failed));
    let end = reader.of_end(SpanId(orphan)).unwrap();
    let binding = end.binding.unwrap();
    assert_eq!((binding.kind, binding.span().0), (CauseKind::Abort, abort));
    let said = |span: u32| crate::sentence_piece::plain(&reader.sentence(SpanId(span)).unwrap());
    let of_wait = said(wait);
    for words in ["failed", "which it waited for, never ran"] {
        assert!(of_wait.contains(words), "{of_wait}");
    }
    assert!(!of_wait.contains("complete"), "{of_wait}");
    assert!(said(dropped).contains("dropped it"), "{}", said(dropped));
}

#[test]
fn a_wait_that_a_loss_ended_says_whether_what_it_waited_for_had_begun() {
    for (begun, expected) in [(500, false), (700, true)] {
        let mut small = SmallCapture::new();
        let work = small.span(LEFT, SpanKind::Download, [begun, 700]);
        let wait = small.span(THREAD, SpanKind::Synchronize, [20, 700]);
        small.tie(work, wait, DependencyKind::Synchronization, Basis::Declared);
        for span in [work, wait] {
            small.become_of(span, State::Lost);
        }
        let capture = small.capture();
        let causes = Causes::build(&capture);
        let reader = causes.read(&capture);
        let said = crate::sentence_piece::plain(&reader.sentence(SpanId(wait)).unwrap());
        assert!(said.contains("it waited for"), "{said}");
        assert_eq!(said.contains("which had not begun"), expected, "{said}");
    }
}

#[test]
fn each_use_of_the_path_leads_to_a_span() {
    let mut small = SmallCapture::new();
    // Nothing is known of what came before the first operation; then the host is late.
    small.span(THREAD, SpanKind::Call, [0, 5]);
    let work = small.span(THREAD, SpanKind::HostWork, [10, 400_000]);
    let late = small.launched(LEFT, 400_010, [400_020, 500_000]);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let path = reader.path();
    let uses = super::CausesTotals::new(&reader, reader.causes().extent(), &path).uses;
    let of = |what: TimeUse| uses.iter().find(|it| it.what == what).unwrap().longest;
    assert_eq!(of(TimeUse::Host), Some(SpanId(work)));
    assert_eq!(of(TimeUse::Run), Some(SpanId(late)));
    assert!(uses.iter().all(|it| it.longest.is_some()), "{uses:?}");
    // Where the path begins with what nothing explains, it leads to what came then.
    let mut small = SmallCapture::new();
    small.span(RIGHT, SpanKind::Kernel, [0, 10]);
    let alone = small.span(LEFT, SpanKind::Kernel, [300_000, 900_000]);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    let uses = super::CausesTotals::new(&reader, reader.causes().extent(), &reader.path()).uses;
    let unknown = uses.iter().find(|it| it.what == TimeUse::Unknown).unwrap();
    assert_eq!(unknown.longest, Some(SpanId(alone)));
}

/// A function of Python is written as if it ended behind the call around it: the thread still did one thing after the other,
/// from its first call on, and what blocked it before is not lost.
#[test]
fn calls_that_overlap_without_nesting_leave_their_thread_in_order() {
    let mut small = SmallCapture::new();
    let kernel = small.launched(LEFT, 0, [10_000, 80_000]);
    small.span(THREAD, SpanKind::Call, [20_000, 100_000]);
    let blocked = small.span(THREAD, SpanKind::Synchronize, [30_000, 81_000]);
    small.tie(
        kernel,
        blocked,
        DependencyKind::Synchronization,
        Basis::Enforced,
    );
    small.span(THREAD, SpanKind::Call, [95_000, 107_000]);
    small.span(THREAD, SpanKind::Call, [200_000, 210_000]);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let path = causes.read(&capture).path();
    let said: Vec<_> = path
        .iter()
        .map(|it| (it.what, it.interval.length().0))
        .collect();
    assert_eq!(
        said,
        [
            (TimeUse::Latency, 10_000),
            (TimeUse::Run, 70_000),
            (TimeUse::Return, 1_000),
            (TimeUse::Host, 129_000),
        ]
    );
}

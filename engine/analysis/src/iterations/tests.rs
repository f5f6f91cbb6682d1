//! Small captures whose iterations are known.

use super::{IterationSource, IterationTable, Iterations};
use crate::causes::Causes;
use capture::Capture;
use record::time::{Interval, Nanos};
use record::{
    Basis, CallId, Dependency, DependencyKind, Group, Lane, LaneId, NameId, Record, Role, Run,
    Span, SpanId, SpanKind, State, WorkloadLoop,
};

const THREAD: u32 = 0;
const STREAM: u32 = 1;

/// A capture of one thread and one stream in the making.
#[derive(Default)]
struct SteppedCapture {
    records: Vec<Record>,
    spans: u32,
    names: Vec<String>,
}

impl SteppedCapture {
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
        Self {
            records: vec![lane(THREAD, Group::Host), lane(STREAM, Group::Streams)],
            ..Self::default()
        }
    }

    fn span(&mut self, lane: u32, name: &str, kind: SpanKind, [start, end]: [i64; 2]) -> u32 {
        let known = self.names.iter().position(|it| it == name);
        let name_id = NameId(known.unwrap_or(self.names.len()) as u32);
        if known.is_none() {
            self.names.push(name.to_owned());
            self.records.push(Record::Name(name_id, name.into()));
        }
        self.records.push(Record::Span(Span {
            id: SpanId(self.spans),
            lane: LaneId(lane),
            name: name_id,
            call: CallId::NONE,
            kind,
            state: State::Done,
            enqueued: Nanos(start),
            start: Nanos(start),
            end: Nanos(end),
        }));
        self.spans += 1;
        self.spans - 1
    }

    /// Which call of the workload an operation is of.
    fn call(&mut self, operation: u32, call: u32) {
        for record in &mut self.records {
            if let Record::Span(span) = record
                && span.id == SpanId(operation)
            {
                span.call = CallId(call);
            }
        }
    }

    fn submits(&mut self, call: u32, operation: u32) {
        self.records.push(Record::Dependency(Dependency::new(
            SpanId(call),
            SpanId(operation),
            DependencyKind::Submission,
            Basis::Enforced,
        )));
    }

    fn find(self) -> (IterationTable, Vec<[i64; 2]>) {
        let mut capture = Capture::new();
        capture.apply(self.records);
        let causes = Causes::build(&capture);
        let reader = causes.read(&capture);
        let found = Iterations::find(&reader, None);
        let bounds = found.all.iter().map(|it| {
            let Interval { start, end } = it.interval;
            [start.0, end.0]
        });
        (IterationTable::new(&reader, &found), bounds.collect())
    }
}

#[test]
fn ranges_that_name_steps_are_iterations_and_what_is_within_them_is_not() {
    let mut made = SteppedCapture::new();
    for step in 0..6 {
        let begin = step * 1_000;
        let end = begin + if step == 4 { 950 } else { 500 };
        made.span(
            THREAD,
            &format!("ProfilerStep#{}", step + 7),
            SpanKind::Scope,
            [begin, end],
        );
        made.span(
            THREAD,
            "Optimizer.step#SGD.step",
            SpanKind::Scope,
            [begin + 10, begin + 20],
        );
        made.span(STREAM, "kernel", SpanKind::Kernel, [begin + 30, begin + 90]);
    }
    let (table, bounds) = made.find();
    assert_eq!(table.source, IterationSource::Range);
    assert_eq!(bounds[0], [0, 500]);
    assert_eq!(bounds[4], [4_000, 4_950]);
    assert_eq!((bounds.len(), table.median), (6, Nanos(500)));
    let outliers: Vec<u32> = table.outliers().map(|it| it.iteration.number).collect();
    assert_eq!(outliers, [5]);
    assert_eq!(&*table.rows[0].iteration.name, "ProfilerStep#7");
    assert_eq!(table.rows[1].time.total(), Nanos(500));
}

#[test]
fn of_a_mark_before_all_that_counts_the_counted_time_alone_is_summed() {
    let mut made = SteppedCapture::new();
    for (step, begin) in [(1, 0), (2, 100)] {
        let name = format!("step {step}");
        made.span(THREAD, &name, SpanKind::Scope, [begin, begin + 100]);
        let call = made.span(THREAD, "launch", SpanKind::Call, [begin + 40, begin + 43]);
        let ran = made.span(STREAM, "kernel", SpanKind::Kernel, [begin + 50, begin + 90]);
        made.submits(call, ran);
    }
    let (table, bounds) = made.find();
    assert_eq!(bounds, [[0, 100], [100, 200]]);
    // All begins at 40 and ends at 190.
    let sums = table.rows.iter().map(|it| it.time.total().0);
    assert_eq!(sums.collect::<Vec<_>>(), [60, 90]);
}

#[test]
fn instants_that_mark_frames_divide_the_time() {
    let mut made = SteppedCapture::new();
    for frame in 0..4 {
        made.span(THREAD, "Frame", SpanKind::Scope, [frame * 100, frame * 100]);
        made.span(
            STREAM,
            "draw",
            SpanKind::Kernel,
            [frame * 100 + 5, frame * 100 + 60],
        );
    }
    let (table, bounds) = made.find();
    assert_eq!(table.source, IterationSource::Frame);
    assert_eq!(bounds, [[0, 100], [100, 200], [200, 300]]);
}

#[test]
fn replays_of_one_graph_are_iterations_where_nothing_is_marked() {
    let mut made = SteppedCapture::new();
    for replay in 0..3 {
        let begin = replay * 1_000;
        let call = made.span(
            THREAD,
            "cudaGraphLaunch",
            SpanKind::Call,
            [begin, begin + 5],
        );
        for node in 0..3 {
            let at = begin + 10 + node * 200;
            let kernel = made.span(STREAM, "node", SpanKind::Kernel, [at, at + 200]);
            made.submits(call, kernel);
        }
    }
    let (table, bounds) = made.find();
    assert_eq!(table.source, IterationSource::Replay);
    assert_eq!(bounds.len(), 3);
    assert_eq!(bounds[2], [2_010, 2_610]);
}

#[test]
fn a_capture_without_steps_has_no_iterations() {
    let mut made = SteppedCapture::new();
    made.span(STREAM, "only", SpanKind::Kernel, [0, 10]);
    made.span(THREAD, "layer 4", SpanKind::Scope, [0, 10]);
    let (table, bounds) = made.find();
    assert!(bounds.is_empty() && table.rows.is_empty());
    let (table, _) = SteppedCapture::new().find();
    assert!(table.rows.is_empty());
}

#[test]
fn one_step_that_is_most_of_a_capture_is_its_iteration() {
    let mut made = SteppedCapture::new();
    made.span(THREAD, "ProfilerStep#10", SpanKind::Scope, [0, 1_000]);
    for launch in 0..4 {
        let at = launch * 200;
        let call = made.span(THREAD, "launch", SpanKind::Call, [at, at + 10]);
        let ran = made.span(STREAM, "kernel", SpanKind::Kernel, [at + 20, at + 120]);
        made.submits(call, ran);
    }
    let (table, bounds) = made.find();
    assert_eq!(table.source, IterationSource::Range);
    assert_eq!(bounds, [[0, 1_000]]);
}

#[test]
fn loops_that_follow_each_other_are_counted_through() {
    let mut made = SteppedCapture::new();
    let of = |rounds, calls: &[u32]| WorkloadLoop {
        rounds,
        calls: calls.iter().map(|call| (CallId(*call), 1)).collect(),
    };
    made.records.push(Record::Run(Box::new(Run {
        source: "a workload".into(),
        loops: vec![of(3, &[7]), of(12, &[1, 2]), of(12, &[3])],
        ..Run::default()
    })));
    // Three uploads, then twelve steps of two kernels, and after a long pause twelve steps of another.
    let mut now = 0;
    let mut step = |made: &mut SteppedCapture, calls: &[u32], length: i64| {
        for call in calls {
            let launch = made.span(THREAD, "launch", SpanKind::Call, [now, now + 1]);
            let ran = made.span(
                STREAM,
                "work",
                SpanKind::Kernel,
                [now + 2, now + 2 + length],
            );
            made.call(ran, *call);
            made.submits(launch, ran);
            now += length + 5;
        }
        now
    };
    for _ in 0..3 {
        step(&mut made, &[7], 10);
    }
    for _ in 0..12 {
        step(&mut made, &[1, 2], 100);
    }
    let second = step(&mut made, &[], 0) + 50_000;
    let mut now = second;
    for _ in 0..12 {
        let launch = made.span(THREAD, "launch", SpanKind::Call, [now, now + 1]);
        let ran = made.span(STREAM, "other", SpanKind::Kernel, [now + 2, now + 102]);
        made.call(ran, 3);
        made.submits(launch, ran);
        now += 105;
    }
    let (table, bounds) = made.find();
    assert_eq!(table.source, IterationSource::Repeat);
    assert_eq!(bounds.len(), 27, "{bounds:?}");
    // The last step of the first loop ends with its own work, long before the second loop begins.
    let [.., end] = bounds[14];
    assert!(end < second - 49_000, "{bounds:?}");
    assert_eq!(bounds[15][0], second + 2);
}

/// A run of one thread, whose loops have these rounds and calls, and its operations: the call, the stream, and when it ran.
fn of_loops(loops: &[(u64, &[(u32, u64)])], operations: &[(u32, u32, [i64; 2])]) -> Vec<[i64; 2]> {
    let mut made = SteppedCapture::new();
    let loops = loops.iter().map(|(rounds, calls)| WorkloadLoop {
        rounds: *rounds,
        calls: calls
            .iter()
            .map(|(it, times)| (CallId(*it), *times))
            .collect(),
    });
    made.records.push(Record::Run(Box::new(Run {
        source: "a workload".into(),
        loops: loops.collect(),
        ..Run::default()
    })));
    for (at, (call, stream, ran)) in (0..).zip(operations) {
        let launch = made.span(THREAD, "launch", SpanKind::Call, [at, at + 1]);
        let operation = made.span(*stream, "work", SpanKind::Kernel, *ran);
        made.call(operation, *call);
        made.submits(launch, operation);
    }
    made.find().1
}

#[test]
fn a_round_begins_with_the_first_of_what_an_inner_loop_submits() {
    let run = |at: i64| (1, STREAM, [at * 10 + 100, at * 10 + 109]);
    let twelve: Vec<_> = (0..12).map(run).collect();
    let bounds = of_loops(&[(3, &[(0, 1), (1, 4)])], &twelve);
    assert_eq!(bounds, [[100, 140], [140, 180], [180, 219]]);
    // What is made a different number of times in each round belongs to the loop, and begins none.
    let bounds = of_loops(
        &[(3, &[(1, 4), (2, 0)])],
        &[&twelve[..], &[(2, STREAM, [230, 250])]].concat(),
    );
    assert_eq!(bounds.last(), Some(&[180, 250]));
    // Stopped early, a loop has the rounds that it came to.
    let bounds = of_loops(&[(3, &[(1, 4)])], &twelve[..6]);
    assert_eq!(bounds, [[100, 140], [140, 159]]);
}

#[test]
fn rounds_that_run_beside_each_other_are_no_iterations() {
    let dealt = [
        (1, STREAM, [100, 190]),
        (1, STREAM, [101, 191]),
        (1, STREAM, [102, 192]),
    ];
    assert_eq!(of_loops(&[(3, &[(1, 1)])], &dealt), Vec::<[i64; 2]>::new());
    // Two loops that alternate in time: the longer one counts.
    let alternating = [
        (1, STREAM, [100, 200]),
        (1, STREAM, [300, 400]),
        (2, STREAM, [210, 220]),
        (2, STREAM, [410, 420]),
    ];
    let bounds = of_loops(&[(2, &[(2, 1)]), (2, &[(1, 1)])], &alternating);
    assert_eq!(bounds, [[100, 300], [300, 400]]);
}

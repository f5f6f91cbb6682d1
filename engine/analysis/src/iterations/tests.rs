//! Small captures whose iterations are known.

use super::{IterationSource, IterationTable, Iterations};
use crate::causes::Causes;
use capture::Capture;
use record::time::{Interval, Nanos};
use record::{
    Basis, CallId, Dependency, DependencyKind, DeviceId, Group, ITERATION, Lane, LaneId, Loss,
    LossKind, NameId, Record, Role, Run, Span, SpanId, SpanKind, State, Value,
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

    /// Says which round begins with a call.
    fn round(&mut self, call: u32, round: i64) {
        let known = self.names.iter().position(|it| it == ITERATION);
        let name = NameId(known.unwrap_or(self.names.len()) as u32);
        if known.is_none() {
            self.names.push(ITERATION.to_owned());
            self.records.push(Record::Name(name, ITERATION.into()));
        }
        let value = Value::Integer(round);
        self.records
            .push(Record::Argument(SpanId(call), name, value));
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

/// How long a step took that a loss cut off says nothing of steps.
#[test]
fn a_step_that_a_loss_cut_off_is_compared_with_none() {
    let mut made = SteppedCapture::new();
    for step in 0..6 {
        let begin = step * 1_000;
        let end = begin + if step == 5 { 80 } else { 500 + step };
        let name = format!("ProfilerStep#{step}");
        made.span(THREAD, &name, SpanKind::Scope, [begin, end]);
        made.span(STREAM, "kernel", SpanKind::Kernel, [begin + 30, begin + 70]);
    }
    if let Some(Record::Span(last)) = made.records.last_mut() {
        last.state = State::Lost;
    }
    made.records.push(Record::Loss(Box::new(Loss {
        device: DeviceId(0),
        time: Nanos(5_070),
        reason: String::new(),
        kind: LossKind::Unknown,
        generation: 1,
    })));
    let (table, _) = made.find();
    let cut_off: Vec<u32> = table
        .rows
        .iter()
        .filter(|it| it.is_cut_off)
        .map(|it| it.iteration.number)
        .collect();
    assert_eq!((cut_off, table.cut_off), (vec![6], 1));
    assert_eq!((table.outliers().count(), table.median), (0, Nanos(502)));
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
    made.records.push(Record::Run(Box::new(Run {
        source: "a workload".into(),
        ..Run::default()
    })));
    // Three uploads, then twelve steps of two kernels, and after a long pause twelve steps of another.
    let mut now = 0;
    let mut step = |made: &mut SteppedCapture, round: i64, count: i64, length: i64| {
        for place in 0..count {
            let launch = made.span(THREAD, "launch", SpanKind::Call, [now, now + 1]);
            made.call(launch, 0);
            if place == 0 {
                made.round(launch, round);
            }
            let ran = [now + 2, now + 2 + length];
            let ran = made.span(STREAM, "work", SpanKind::Kernel, ran);
            made.submits(launch, ran);
            now += length + 5;
        }
        now
    };
    for round in 1..=3 {
        step(&mut made, round, 1, 10);
    }
    for round in 1..=12 {
        step(&mut made, round, 2, 100);
    }
    let second = step(&mut made, 0, 0, 0) + 50_000;
    let pause = made.span(
        THREAD,
        "work",
        SpanKind::HostWork,
        [second - 50_000, second],
    );
    made.call(pause, 0);
    made.round(pause, 0);
    now = second;
    for round in 1..=12 {
        let launch = made.span(THREAD, "launch", SpanKind::Call, [now, now + 1]);
        made.call(launch, 0);
        made.round(launch, round);
        let ran = made.span(STREAM, "other", SpanKind::Kernel, [now + 2, now + 102]);
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

/// A run of one thread that makes calls one after the other: the round that begins with each, where one does, and when the
/// operation of each ran.
fn of_rounds(calls: &[(Option<i64>, [i64; 2])]) -> Vec<[i64; 2]> {
    let mut made = SteppedCapture::new();
    made.records.push(Record::Run(Box::new(Run {
        source: "a workload".into(),
        ..Run::default()
    })));
    for (at, (round, ran)) in (0..).zip(calls) {
        let launch = made.span(THREAD, "launch", SpanKind::Call, [at, at + 1]);
        made.call(launch, 0);
        if let Some(round) = round {
            made.round(launch, *round);
        }
        let operation = made.span(STREAM, "work", SpanKind::Kernel, *ran);
        made.submits(launch, operation);
    }
    made.find().1
}

#[test]
fn a_round_begins_with_what_it_submits_first_however_many_calls_it_makes() {
    let run = |round: Option<i64>, at: i64| (round, [at * 10 + 20, at * 10 + 29]);
    let rounds = [
        run(Some(1), 0),
        run(None, 1),
        run(None, 2),
        run(Some(2), 3),
        run(Some(3), 4),
        run(None, 5),
        run(Some(0), 6),
        run(None, 7),
    ];
    assert_eq!(of_rounds(&rounds), [[20, 50], [50, 60], [60, 79]]);
    // Of a replay the rounds are counted again.
    let replayed = [&rounds[..5], &rounds[..6]].concat();
    let times = (0..).zip(replayed);
    let replayed: Vec<_> = times.map(|(at, it)| run(it.0, at)).collect();
    let begins = [
        [20, 50],
        [50, 60],
        [60, 69],
        [70, 100],
        [100, 110],
        [110, 129],
    ];
    assert_eq!(of_rounds(&replayed), begins);
}

#[test]
fn rounds_that_run_beside_each_other_are_no_iterations() {
    let dealt = [
        (Some(1), [100, 190]),
        (Some(2), [101, 191]),
        (Some(3), [102, 192]),
    ];
    assert_eq!(of_rounds(&dealt), Vec::<[i64; 2]>::new());
    // Two loops that alternate in time: the longer one counts.
    let alternating = [
        (Some(1), [100, 200]),
        (Some(2), [300, 400]),
        (Some(1), [210, 220]),
        (Some(2), [410, 415]),
    ];
    assert_eq!(of_rounds(&alternating), [[100, 300], [300, 400]]);
}

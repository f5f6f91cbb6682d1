//! The model itself: what it says of workloads whose answer is known, and that it notices what is wrong.

use engine::time::{Interval, Nanos};

use super::check::{Comparison, RunRecords};
use super::draw::draw;
use super::order::{EnforcedOrder, ModelRace};
use super::text::{
    BufferWork, GeneratedCall, GeneratedWorkload, ResourceCounts, StreamSort, SynchronizationMode,
    device, host,
};
use super::values::{self, DrawnWork};
use super::{COUNT, records};

const fn fill(buffer: usize, value: u32, stream: usize) -> GeneratedCall {
    GeneratedCall::Work(BufferWork::Fill(buffer, value), stream)
}

const fn copy(from: usize, to: usize, stream: usize) -> GeneratedCall {
    GeneratedCall::Work(BufferWork::Copy(from, to), stream)
}

/// A workload of these host threads on these streams, with two of everything else.
fn workload(streams: &[StreamSort], hosts: &[&[GeneratedCall]]) -> GeneratedWorkload {
    GeneratedWorkload {
        streams: streams.to_vec(),
        counts: ResourceCounts {
            events: 2,
            captured_events: 0,
            signals: 2,
            buffers: 2,
            memories: 1,
            graphs: 1,
        },
        has_callbacks: false,
        has_aborts: false,
        goes_on: Vec::new(),
        mode: SynchronizationMode::Manual,
        hosts: hosts.iter().map(|calls| calls.to_vec()).collect(),
    }
}

const FREE: StreamSort = StreamSort::NonBlocking;

/// The races of a workload, by the places of the calls of its first host thread.
fn races(workload: &GeneratedWorkload) -> Vec<(usize, usize)> {
    let order = EnforcedOrder::of(workload, &[]);
    let place = |line: u32| order.calls.iter().position(|it| it.line == line).unwrap();
    let races = order.races(workload.mode).into_iter();
    races
        .map(|ModelRace { lines, .. }| (place(lines.0), place(lines.1)))
        .collect()
}

#[test]
fn an_event_orders_two_streams_from_its_record_on() {
    use GeneratedCall::{Record, Wait};
    let ordered = [fill(0, 1, 0), Record(0, 0), Wait(0, 1), copy(0, 1, 1)];
    assert_eq!(races(&workload(&[FREE; 2], &[&ordered])), []);
    let late = [Record(0, 0), fill(0, 1, 0), Wait(0, 1), copy(0, 1, 1)];
    assert_eq!(races(&workload(&[FREE; 2], &[&late])), [(1, 3)]);
}

#[test]
fn branches_of_a_graph_race_as_streams_do() {
    use GeneratedCall::{BeginCapture, EndCapture, Record, Replay, Wait};
    let calls = [
        BeginCapture(0),
        Record(0, 0),
        Wait(0, 1),
        fill(0, 2, 0),
        copy(0, 1, 1),
        Record(1, 1),
        Wait(1, 0),
        EndCapture(0, 0),
        Replay(0, 0),
    ];
    assert_eq!(races(&workload(&[FREE; 2], &[&calls])), [(3, 4)]);
}

#[test]
fn the_legacy_stream_orders_blocking_streams_also_where_it_is_held() {
    use GeneratedCall::{Hold, Signal};
    let sorts = [
        StreamSort::Legacy,
        StreamSort::Blocking,
        StreamSort::Blocking,
    ];
    let calls = [fill(0, 6, 1), Hold(0, 0), copy(0, 1, 2), Signal(0)];
    assert_eq!(races(&workload(&sorts, &[&calls])), []);
    assert_eq!(races(&workload(&[FREE; 3], &[&calls])), [(0, 2)]);
}

#[test]
fn host_threads_are_ordered_by_signals_alone() {
    use GeneratedCall::{Await, Signal};
    let alone = [fill(0, 1, 0)];
    let other = [copy(0, 1, 0)];
    let unordered = workload(&[FREE; 2], &[&alone, &other]);
    assert_eq!(EnforcedOrder::of(&unordered, &[]).unordered_calls.len(), 1);
    assert_eq!(races(&unordered).len(), 1);
    let (first, second) = ([fill(0, 1, 0), Signal(0)], [Await(0), copy(0, 1, 0)]);
    let ordered = workload(&[FREE; 2], &[&first, &second]);
    assert_eq!(EnforcedOrder::of(&ordered, &[]).unordered_calls, []);
    assert_eq!(races(&ordered), []);
}

#[test]
fn what_waits_for_itself_is_stuck() {
    use GeneratedCall::{Hold, Signal, SynchronizeStream};
    let stuck = |calls: &[GeneratedCall]| {
        EnforcedOrder::of(&workload(&[FREE; 2], &[calls]), &[]).is_stuck()
    };
    assert!(stuck(&[Hold(0, 0), SynchronizeStream(0), Signal(0)]));
    assert!(stuck(&[Hold(0, 0)]));
    assert!(!stuck(&[Hold(0, 0), SynchronizeStream(1), Signal(0)]));
}

#[test]
fn operations_that_are_drawn_apart_have_one_result_and_others_several() {
    let workload = workload(&[FREE; 2], &[&[]]);
    let drawn = |work, start, end| DrawnWork {
        work,
        ran: Interval::new(Nanos(start), Nanos(end)),
        is_doubtful: false,
    };
    let results = |second: i64| -> Vec<i64> {
        let all = [
            drawn(BufferWork::Fill(0, 5), 0, 10),
            drawn(BufferWork::Copy(0, 1), second, second + 10),
            drawn(BufferWork::Download(1), 100, 110),
        ];
        let possible = values::by_times(&workload, &all).unwrap();
        let mut results: Vec<i64> = possible.iter().map(|it| it[&host(1)]).collect();
        results.dedup();
        assert!(possible.iter().all(|it| it[&device(0)] == 5));
        results
    };
    assert_eq!(results(10), [5]);
    assert_eq!(results(9), [0, 5]);
    assert_eq!(results(-20), [0]);
}

#[test]
fn a_run_that_is_not_that_of_the_workload_is_noticed() {
    use GeneratedCall::{Record, Spin, Wait};
    let ordered = [
        fill(0, 1, 0),
        Spin(500, 0),
        fill(0, 2, 0),
        Record(0, 0),
        Wait(0, 1),
        copy(0, 1, 1),
    ];
    let without = ordered.map(|it| if it == Wait(0, 1) { Record(1, 1) } else { it });
    let (told, ran) = (
        workload(&[FREE; 2], &[&ordered]),
        workload(&[FREE; 2], &[&without]),
    );
    let comparison = Comparison {
        workload: &told,
        order: &EnforcedOrder::of(&told, &[]),
        run: &RunRecords::new(&records(&ran, "mock").unwrap()),
    };
    let complaints = comparison.complaints();
    let kinds: Vec<&str> = complaints.iter().map(|it| it.0).collect();
    for kind in ["order", "values", "false race"] {
        assert!(kinds.contains(&kind), "{kind}: {complaints:#?}");
    }
}

#[test]
fn the_sample_has_something_of_everything() {
    let (mut racy, mut clean, mut stuck, mut unordered) = (0, 0, 0, 0);
    for seed in 0..COUNT {
        let workload = draw(seed);
        let order = EnforcedOrder::of(&workload, &[]);
        stuck += u32::from(order.is_stuck());
        unordered += u32::from(!order.unordered_calls.is_empty());
        if order.races(workload.mode).is_empty() {
            clean += 1;
        } else {
            racy += 1;
        }
    }
    eprintln!("racy {racy}, clean {clean}, stuck {stuck}, unordered {unordered}");
    assert!(racy > 40 && clean > 40 && stuck > 1 && unordered > 10);
}

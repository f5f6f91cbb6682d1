//! The model itself: what it says of workloads whose answer is known, and that it notices what is wrong.

use std::collections::{BTreeMap, BTreeSet};

use engine::record::SpanKind;
use engine::runner::run as run_request;
use engine::time::{Interval, Nanos};
use engine::workload::bundled;

use super::check::{Comparison, RunRecords};
use super::draw::draw;
use super::inserted_waits::WrittenOut;
use super::memory::{self, FaultSort};
use super::order::{EnforcedOrder, ModelRace};
use super::text::{
    BufferWork, CallRefusals, GeneratedCall, GeneratedWorkload, ResourceCounts, StreamSort,
    SynchronizationMode, device, host,
};
use super::values::{self, DrawnWork};
use super::{COUNT, records};
use crate::semantics::conformance::request;

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
        refusals: CallRefusals::Never,
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
    // A buffer that is allocated again has the memory that was freed.
    let again = |stream| {
        stuck(&[
            GeneratedCall::Allocate(2, 0),
            Hold(0, 0),
            GeneratedCall::Free(2, 0),
            GeneratedCall::Allocate(2, stream),
            SynchronizeStream(1),
            Signal(0),
        ])
    };
    assert!(again(1));
    assert!(!again(0));
    // Whether it runs or is dropped, that is after the signal.
    let aborted = [
        Hold(0, 0),
        SynchronizeStream(0),
        Signal(0),
        GeneratedCall::Abort(0),
    ];
    assert!(stuck(&aborted));
}

#[test]
fn an_abort_ends_what_its_stream_waited_for() {
    use GeneratedCall::{Abort, Hold, Record, Signal, SynchronizeStream, Wait};
    let aborted = |calls: &[GeneratedCall]| {
        let workload = GeneratedWorkload {
            has_aborts: true,
            ..workload(&[FREE; 2], &[calls])
        };
        let order = EnforcedOrder::of(&workload, &[]);
        (races(&workload), order.is_stuck())
    };
    // The wait may have been dropped.
    let dropped = [
        fill(0, 1, 0),
        Record(0, 0),
        Wait(0, 1),
        Abort(1),
        copy(0, 1, 1),
    ];
    assert_eq!(aborted(&dropped), (vec![(0, 4)], false));
    // The host has waited for it before.
    let kept = [
        fill(0, 1, 0),
        Record(0, 0),
        Wait(0, 1),
        SynchronizeStream(1),
        Abort(1),
        copy(0, 1, 1),
    ];
    assert_eq!(aborted(&kept), (vec![], false));
    // What runs comes before what follows the abort, whatever was dropped.
    let runs = [fill(0, 1, 1), Abort(1), copy(0, 1, 0)];
    assert_eq!(aborted(&runs), (vec![], false));
    // What stands for a later signal never runs, and holds nobody back.
    let held = [
        Hold(0, 0),
        fill(0, 1, 0),
        Abort(0),
        fill(0, 2, 1),
        Signal(0),
    ];
    assert_eq!(aborted(&held), (vec![], false));
    let after = [
        Hold(0, 0),
        Abort(0),
        fill(0, 1, 0),
        fill(0, 2, 1),
        Signal(0),
    ];
    assert_eq!(aborted(&after), (vec![(2, 3)], false));
    let stuck = [Hold(0, 0), SynchronizeStream(0), Abort(0)];
    assert!(aborted(&stuck).1);
}

#[test]
fn a_wait_that_may_give_up_orders_only_what_ends_with_it() {
    use GeneratedCall::{Record, TimedWait};
    let calls = [
        fill(0, 1, 0),
        Record(0, 0),
        TimedWait(0, 1, 100),
        copy(0, 1, 1),
    ];
    for (goes_on, expected) in [(true, vec![(0, 3)]), (false, vec![])] {
        let workload = GeneratedWorkload {
            goes_on: vec![goes_on; 2],
            ..workload(&[FREE; 2], &[&calls])
        };
        assert_eq!(races(&workload), expected);
    }
}

#[test]
fn each_fault_of_memory_has_its_name() {
    use FaultSort::{AfterFree, AllocatedTwice, BeforeAllocation, OfNothing, WhileInUse};
    use GeneratedCall::{Allocate, Free, Record, Wait};
    let sorts = |calls: &[GeneratedCall]| -> Vec<FaultSort> {
        let workload = workload(&[FREE; 2], &[calls]);
        let found = memory::faults(&workload, &EnforcedOrder::of(&workload, &[]));
        found.into_iter().map(|it| it.sort).collect()
    };
    let (use_on, new, old) = (|stream| fill(2, 1, stream), Allocate(2, 0), Free(2, 0));
    assert_eq!(sorts(&[new, use_on(0), old, new, use_on(0), old]), []);
    assert_eq!(
        sorts(&[
            new,
            Record(0, 0),
            Wait(0, 1),
            use_on(1),
            Record(1, 1),
            Wait(1, 0),
            old
        ]),
        []
    );
    assert_eq!(sorts(&[use_on(0)]), [OfNothing]);
    assert_eq!(sorts(&[old]), [OfNothing]);
    assert_eq!(sorts(&[new, use_on(1)]), [BeforeAllocation]);
    assert_eq!(sorts(&[new, old, use_on(0)]), [AfterFree]);
    assert_eq!(sorts(&[new, old, old]), [AfterFree]);
    assert_eq!(
        sorts(&[new, Record(0, 0), Wait(0, 1), use_on(1), old]),
        [WhileInUse]
    );
    assert_eq!(sorts(&[new, new]), [AllocatedTwice]);
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
        is_apart: false,
        slack: Nanos::ZERO,
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
    let (mut dropped, mut sorts, mut asked) = (0, BTreeMap::new(), BTreeSet::new());
    for seed in 0..COUNT {
        let workload = draw(seed);
        let order = EnforcedOrder::of(&workload, &[]);
        stuck += u32::from(order.is_stuck());
        unordered += u32::from(!order.unordered_calls.is_empty());
        dropped += u32::from(order.operations.iter().any(|it| it.dropped_by.is_some()));
        for it in workload.hosts.iter().flatten() {
            if let Some(sort) = may_be_refused(*it) {
                asked.insert((sort, workload.has_refusals()));
            }
        }
        let faults = memory::faults(&workload, &order);
        for fault in &faults {
            *sorts.entry(fault.sort).or_insert(0) += 1;
        }
        if order.races(workload.mode).is_empty() && faults.is_empty() {
            clean += 1;
        } else {
            racy += 1;
        }
    }
    eprintln!("racy {racy}, clean {clean}, stuck {stuck}, unordered {unordered}");
    eprintln!("dropped {dropped}, faults of memory {sorts:?}");
    assert!(racy > 40 && clean > 40 && stuck > 1 && unordered > 10);
    assert!(dropped > 3 && sorts.len() == 6, "{dropped} {sorts:?}");
    assert_eq!(asked.len(), 6, "{asked:?}");
}

const fn may_be_refused(call: GeneratedCall) -> Option<&'static str> {
    Some(match call {
        GeneratedCall::QueryEvent(..) => "query",
        GeneratedCall::QueryStream(..) => "query-stream",
        GeneratedCall::Reset(..) => "reset",
        GeneratedCall::DestroyEvent(_) => "destroy-event",
        GeneratedCall::DestroyStream(_) => "destroy-stream",
        GeneratedCall::Trap(_) => "trap",
        _ => return None,
    })
}

/// Three readers of what one stream wrote, as the bundled workload of automatic synchronisation has them.
#[test]
fn waits_that_are_inserted_into_a_bundled_workload_are_needed_unless_they_are_called_redundant() {
    use GeneratedCall::{Spin, Work};
    let mut calls = vec![Work(BufferWork::Upload(0), 0)];
    for reader in 1..=3 {
        calls.push(Work(BufferWork::Scale(0, reader, 1), reader));
        calls.push(Spin(1000, reader));
    }
    calls.push(fill(0, 0, 0));
    calls.extend((1..=3).map(|reader| Work(BufferWork::Download(reader), reader)));
    let mut drawn = workload(&[FREE; 4], &[&calls]);
    (drawn.counts.buffers, drawn.counts.memories) = (4, 0);
    drawn.mode = SynchronizationMode::Automatic;
    let run = RunRecords::new(&records(&drawn, "mock").unwrap());
    let written = WrittenOut::of(&drawn, &run).unwrap();
    assert_eq!(written.complaints(), []);
    let of_ours = written.inserted.iter().map(|it| it.1).collect::<Vec<_>>();
    // The bundled workload itself inserts the same.
    let bundled = bundled()
        .iter()
        .find(|it| it.name == "automatic-waits")
        .unwrap();
    let mut records = Vec::new();
    run_request(request(bundled.source, "mock"), |batch| {
        records.extend(batch);
    })
    .unwrap();
    let run = RunRecords::new(&records);
    let joins = run.spans().filter(|it| it.kind == SpanKind::Join);
    let joins = joins.map(|it| run.is_redundant(it.id)).collect::<Vec<_>>();
    assert_eq!(joins, of_ours);
    // Each wait that is not called redundant is needed.
    for (place, _) in written.inserted.iter().filter(|it| !it.1) {
        let without = EnforcedOrder::of(&written.workload, &[*place]);
        assert_ne!(without.races(SynchronizationMode::Manual), [], "{place}");
    }
}

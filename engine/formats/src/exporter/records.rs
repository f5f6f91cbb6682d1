//! A capture as the records that make it again.

use std::collections::BTreeSet;

use capture::{Capture, PlacedSpan, Repair};
use record::time::{Interval, Nanos};
use record::{Bookmark, DependencyId, LaneId, NameId, Record, Sample, Span, ThreadSchedule};

/// So many states of a thread are one record: a file that is cut loses no more.
const STATES: usize = 256;

/// The records that make the same capture again when they are applied to an empty one. Dependencies come before
/// spans, and spans in an order in which each finds its sub-lane again.
pub fn records(capture: &Capture) -> impl Iterator<Item = Record> {
    records_with(capture, capture.bookmarks())
}

/// The same, with these bookmarks in place of the capture's.
pub fn records_with<'a>(
    capture: &'a Capture,
    bookmarks: &'a [Bookmark],
) -> impl Iterator<Item = Record> + 'a {
    tables(capture)
        .chain(dependencies(capture))
        .chain(samples(capture))
        .chain(schedules(capture))
        .chain(spans(capture))
        .chain(after(capture, bookmarks))
}

/// What other records refer to.
fn tables(capture: &Capture) -> impl Iterator<Item = Record> {
    let names = (0..capture.name_count() as u32).map(NameId);
    let lanes = (0..capture.lanes().len() as u32).map(LaneId);
    let origins = lanes.filter_map(|id| capture.lane_origin(id));
    let run = capture.run().cloned().map(|run| Record::Run(Box::new(run)));
    run.into_iter()
        .chain(names.map(|id| Record::Name(id, capture.name(id).into())))
        .chain(boxed(capture.devices(), Record::Device))
        .chain(boxed(capture.clocks(), Record::Clock))
        .chain(boxed(capture.lanes(), Record::Lane))
        .chain(origins.map(Record::LaneOrigin))
        .chain(boxed(capture.counters(), Record::Counter))
        .chain(capture.events().iter().copied().map(Record::Event))
        .chain(capture.calls().iter().copied().map(Record::Call))
        .chain(capture.buffer_uses().iter().copied().map(Record::BufferUse))
}

fn boxed<T: Clone>(rows: &[T], record: fn(Box<T>) -> Record) -> impl Iterator<Item = Record> {
    rows.iter().map(move |row| record(Box::new(row.clone())))
}

fn dependencies(capture: &Capture) -> impl Iterator<Item = Record> {
    (0..capture.dependency_count() as u32)
        .filter_map(|id| capture.dependency(DependencyId(id)))
        .map(Record::Dependency)
}

fn samples(capture: &Capture) -> impl Iterator<Item = Record> {
    capture.counters().iter().flat_map(|counter| {
        let samples = capture.samples(counter.id);
        let pairs = samples.times().iter().zip(samples.values());
        pairs.map(|(&time, &value)| {
            Record::Sample(Sample {
                counter: counter.id,
                time,
                value,
            })
        })
    })
}

/// How threads were scheduled, some hundred states at a time.
fn schedules(capture: &Capture) -> impl Iterator<Item = Record> {
    capture.scheduled_lanes().flat_map(|lane| {
        let pieces = capture.thread_states(lane).chunks(STATES);
        pieces.map(move |piece| {
            let intervals = piece.to_vec();
            Record::Schedule(Box::new(ThreadSchedule { lane, intervals }))
        })
    })
}

/// Spans by lane, sub-lane and start: what was put on a lower sub-lane overlaps something above it, and still does.
fn spans(capture: &Capture) -> impl Iterator<Item = Record> {
    let lanes: BTreeSet<LaneId> = capture.spans().map(|placed| placed.span.lane).collect();
    let all = Interval {
        start: Nanos::MIN,
        end: Nanos::MAX,
    };
    let ran = lanes
        .into_iter()
        .flat_map(move |lane| capture.spans_in(lane, all))
        .map(|placed| (placed.span.id, Record::Span(unrepaired(&placed))));
    let open = capture
        .open()
        .map(|began| (began.id, Record::Began(*began)));
    ran.chain(open).flat_map(move |(id, record)| {
        let arguments = capture.argument_ids(id);
        let mut records: Vec<Record> = arguments
            .map(|(name, value)| Record::Argument(id, name, value))
            .collect();
        records.push(record);
        records
    })
}

/// The capture keeps a repaired span and the mark of its repair; a reader must come to the same mark.
pub(super) fn unrepaired(placed: &PlacedSpan) -> Span {
    let mut span = placed.span;
    match placed.repair {
        Repair::NegativeLength => span.end = span.start - Nanos(1),
        Repair::LateEnqueue => span.enqueued = span.start + Nanos(1),
        Repair::None | Repair::Overlap => {}
    }
    span
}

fn after<'a>(capture: &'a Capture, bookmarks: &'a [Bookmark]) -> impl Iterator<Item = Record> + 'a {
    let end = capture.end().cloned().map(|end| Record::End(Box::new(end)));
    boxed(capture.losses(), Record::Loss)
        .chain(boxed(capture.recoveries(), Record::Recovery))
        .chain(pipelines(capture))
        .chain(promises(capture))
        .chain(launches(capture))
        .chain(event_steps(capture))
        .chain(boxed(capture.problems(), Record::Problem))
        .chain(boxed(capture.findings(), Record::Finding))
        .chain(boxed(capture.searches(), Record::Search))
        .chain(boxed(capture.expectations(), Record::Expectation))
        .chain(boxed(capture.log(), Record::Log))
        .chain(capture.notes().iter().cloned().map(Record::Note))
        .chain(boxed(bookmarks, Record::Bookmark))
        .chain(boxed(capture.file_repairs(), Record::FileRepair))
        .chain(end)
}

fn pipelines(capture: &Capture) -> impl Iterator<Item = Record> {
    capture.pipelines().iter().flat_map(|stages| {
        let pipeline = Record::Pipeline(Box::new(stages.pipeline.clone()));
        std::iter::once(pipeline).chain(boxed(&stages.steps, Record::PipelineStep))
    })
}

fn launches(capture: &Capture) -> impl Iterator<Item = Record> {
    capture.launches().iter().flat_map(|launched| {
        let launch = Record::Launch(Box::new(launched.launch.clone()));
        let launches = launched.launches.iter().copied().map(Record::Relaunch);
        std::iter::once(launch)
            .chain(boxed(&launched.steps, Record::LaunchStep))
            .chain(launches)
    })
}

fn event_steps(capture: &Capture) -> impl Iterator<Item = Record> {
    let events = capture.events().iter();
    let steps = events.flat_map(|it| capture.event_steps(it.id));
    steps.copied().map(Record::EventStep)
}

fn promises(capture: &Capture) -> impl Iterator<Item = Record> {
    capture.promises().iter().flat_map(|pledge| {
        let promise = Record::Promise(Box::new(pledge.promise.clone()));
        let settled = pledge.settlement.clone();
        let settled = settled.map(|it| Record::Settlement(Box::new(it)));
        std::iter::once(promise).chain(settled)
    })
}

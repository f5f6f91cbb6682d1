//! Waits and records of Ascend's streams. No number ties them: a wait that held its stream back ends when the record that it
//! waited for does, and one that passed at once is for what its own thread had recorded last.

use std::collections::BTreeMap;

use super::order::LaunchOrder;
use super::{DependencySummary, rests_on};
use crate::importer::RecordSink;
use crate::importer::chrome::build::ChromeBuilder;
use crate::importer::chrome::scan::RowToken;
use crate::importer::chrome::work::ChromeOperation;
use record::{Basis, DependencyKind};

/// How far apart the two may end, in nanoseconds.
const NEAR: i64 = 1_000;
/// A wait that is longer than this, in nanoseconds, held its stream back.
const STOOD: i64 = 1_000;
/// How many records of a thread are looked at for each wait.
const REACH: usize = 256;

/// Ties each wait to the record on another stream that ended with it.
pub(super) fn report_dependencies(
    builder: &mut ChromeBuilder,
    order: &LaunchOrder,
    ties: &mut DependencySummary,
    sink: &mut RecordSink<'_>,
) {
    let named = |name: &str| -> Vec<ChromeOperation> {
        let all = order.all().iter();
        all.filter(|it| builder.texts.text(it.name) == name)
            .copied()
            .collect()
    };
    let (mut records, waits) = (named("EVENT_RECORD"), named("EVENT_WAIT"));
    records.sort_by_key(|it| it.end);
    let mut devices: BTreeMap<RowToken, RecordEnds> = BTreeMap::new();
    let mut threads = ThreadOperations::default();
    for record in &records {
        if let Some((called, thread)) = builder.work.asked(record.span) {
            let of = threads.entry(thread).or_default();
            of.push((called, *record));
        }
    }
    for of in threads.values_mut() {
        of.sort_by_key(|(called, _)| *called);
    }
    for record in records {
        let (process, stream) = order.stream_of(&record);
        devices.entry(process).or_default().push(stream, record);
    }
    for wait in waits {
        ties.waits += 1;
        let (process, stream) = order.stream_of(&wait);
        let call = builder.work.asked(wait.span);
        let call = call.filter(|_| wait.end.saturating_sub(wait.start) <= STOOD);
        let (found, by) = match call {
            Some(call) => (
                last_asked(&threads, call, &wait, order),
                "the order of calls: its thread had recorded on that stream last; the file names no event",
            ),
            None => (
                devices
                    .get(&process)
                    .and_then(|it| it.nearest(stream, wait.end)),
                "times: it ended with a record on another stream; the file names no event",
            ),
        };
        let text = if let Some(record) = found {
            ties.report(
                (record.span, wait.span),
                DependencyKind::Event,
                Basis::Inferred,
                sink,
            );
            by
        } else {
            ties.unresolved += 1;
            "nothing: no record on another stream fits"
        };
        rests_on(builder, wait.span, text, sink);
    }
}

/// The records that each thread asked for, by when it did.
type ThreadOperations = BTreeMap<u32, Vec<(i64, ChromeOperation)>>;

/// The record on another stream that a thread had asked for last when it asked for a wait, and that was reached by the wait's
/// end.
fn last_asked<'a>(
    threads: &'a ThreadOperations,
    (called, thread): (i64, u32),
    wait: &ChromeOperation,
    order: &LaunchOrder,
) -> Option<&'a ChromeOperation> {
    let records = threads.get(&thread)?;
    let before = records.partition_point(|(record, _)| *record < called);
    let mut last = records.get(..before)?.iter().rev().take(REACH);
    let stream = order.stream_of(wait);
    let found = last.find(|(_, it)| it.start <= wait.end && order.stream_of(it) != stream);
    found.map(|(_, it)| it)
}

/// The records of one device by their ends. Very many may end together, so runs of one stream are passed over at once.
#[derive(Default)]
struct RecordEnds {
    records: Vec<(RowToken, ChromeOperation)>,
    /// Where the run of one stream begins that each is in.
    runs: Vec<usize>,
}

impl RecordEnds {
    /// Takes the record that ends next.
    fn push(&mut self, stream: RowToken, record: ChromeOperation) {
        let goes_on = self
            .records
            .last()
            .is_some_and(|(last, before)| *last == stream && before.end == record.end);
        let run = self.runs.last().copied().filter(|_| goes_on);
        self.runs.push(run.unwrap_or(self.records.len()));
        self.records.push((stream, record));
    }

    /// The record of another stream that ended nearest to an instant, the first of several.
    fn nearest(&self, stream: RowToken, instant: i64) -> Option<&ChromeOperation> {
        let start = self.records.partition_point(|(_, it)| it.end <= instant);
        let near = |end: i64| end.abs_diff(instant) <= NEAR as u64;
        let mut before = start;
        let mut found = None;
        while let Some(run) = before.checked_sub(1).and_then(|it| self.runs.get(it)) {
            let (other, record) = self.records.get(*run)?;
            if !near(record.end) {
                break;
            }
            if *other != stream {
                // The first of those that end with it.
                let first = self.records.partition_point(|(_, it)| it.end < record.end);
                found = self.first_of_others(stream, first);
                break;
            }
            before = *run;
        }
        let after = self.first_of_others(stream, start);
        let after = after.filter(|it| near(it.end));
        found
            .into_iter()
            .chain(after)
            .min_by_key(|it| it.end.abs_diff(instant))
    }

    /// The first record of another stream from a place on, as long as they end near each other.
    fn first_of_others(&self, stream: RowToken, from: usize) -> Option<&ChromeOperation> {
        let limit = self.records.get(from)?.1.end.saturating_add(2 * NEAR);
        let mut at = from;
        loop {
            let (other, record) = self.records.get(at)?;
            if *other != stream || record.end > limit {
                return (*other != stream).then_some(record);
            }
            let run = self.runs.get(at)?;
            at = self.runs.partition_point(|it| it <= run);
        }
    }
}

//! Waits, records and blocking calls that the file tells of, taken in the order of their calls.

use std::collections::BTreeMap;

use super::DependencySummary;
use super::frontier::{ChromeFrontier, StreamFrontiers};
use super::order::{ChromeStream, LaunchOrder};
use super::record_streams::RecordStreams;
use super::rests_on;
use super::syncs::{self, BlockedCall};
use super::waits::{self, WaitEvents, record_number, stream, tie_wait};
use crate::importer::RecordSink;
use crate::importer::chrome::build::ChromeBuilder;
use crate::importer::chrome::scan::words;
use crate::importer::chrome::work::SyncDetail;
use crate::submission::weaker;
use record::Basis;

/// What a command does. At one instant records come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SyncCommand {
    /// A record on a stream, which some wait names.
    Record(ChromeStream),
    /// The wait at this place in the list of details.
    Wait(u32),
    /// The blocking call at this place.
    Block(u32),
}

/// What records captured, by stream and instant.
type CapturedFrontiers = BTreeMap<(ChromeStream, i64), ChromeFrontier>;

/// Ties waits and blocking calls to what they waited for.
pub(super) fn report_dependencies(
    builder: &mut ChromeBuilder,
    order: &LaunchOrder,
    ties: &mut DependencySummary,
    sink: &mut RecordSink<'_>,
) {
    let events = WaitEvents::of(builder, sink);
    let details = std::mem::take(&mut builder.work.details);
    let streams = RecordStreams::of(order, &details);
    let mut frontiers = StreamFrontiers::new(order);
    let mut recorded = CapturedFrontiers::new();
    for (instant, deal) in commands(builder, &streams, &details) {
        match deal {
            SyncCommand::Record(stream) => {
                let known = recorded.entry((stream, instant));
                known.or_insert_with(|| frontiers.at(stream, instant));
            }
            SyncCommand::Wait(place) => {
                let Some(wait) = details.get(place as usize) else {
                    continue;
                };
                ties.waits += 1;
                let placed = streams.find(wait);
                let record = record_of(builder, wait, placed);
                let captured = record.and_then(|it| recorded.get(&it));
                if let (Some(on), Some(captured), Some((_, placed))) =
                    (stream(wait.stream), captured, placed)
                {
                    let at = ((wait.process, on), instant);
                    frontiers.wait(at, captured, weaker(waits::basis(wait), placed));
                }
                let wait_for = (wait, placed, captured);
                let text = tie_wait(builder, order, &events, wait_for, ties, sink);
                rests_on(builder, wait.span, text, sink);
            }
            SyncCommand::Block(place) => {
                let Some(detail) = details.get(place as usize) else {
                    continue;
                };
                let BlockedCall {
                    effect,
                    called,
                    end,
                    mut basis,
                } = syncs::blocked(builder, detail);
                let captured = match detail.name {
                    words::EVENT_SYNC => {
                        let placed = streams.find(detail);
                        basis = weaker(basis, placed.map_or(basis, |it| it.1));
                        let record = record_of(builder, detail, placed);
                        record.and_then(|it| recorded.get(&it)).cloned()
                    }
                    words::STREAM_SYNC => {
                        let on = stream(detail.stream);
                        on.map(|on| frontiers.at((detail.process, on), called))
                    }
                    // What any stream waits for of its own device came last on its stream, or what came after it did.
                    _ => Some(frontiers.beyond(detail.process, called)),
                };
                if detail.name == words::CONTEXT_SYNC {
                    let causes = order.last_of_each(Some(detail.process), called);
                    syncs::tie_all(&causes, (effect, end), basis, ties, sink);
                }
                for work in captured.unwrap_or_default().into_values() {
                    let basis = weaker(basis, work.basis);
                    let cause = order.get(work.place);
                    syncs::tie_all(cause.as_slice(), (effect, end), basis, ties, sink);
                }
            }
        }
    }
    builder.work.details = details;
}

/// The commands that the details tell of, in the order of their calls.
fn commands(
    builder: &ChromeBuilder,
    streams: &RecordStreams,
    details: &[SyncDetail],
) -> Vec<(i64, SyncCommand)> {
    let mut list = Vec::new();
    for (place, detail) in (0_u32..).zip(details) {
        let deal = match detail.name {
            words::STREAM_WAIT => SyncCommand::Wait(place),
            words::EVENT_SYNC | words::STREAM_SYNC | words::CONTEXT_SYNC => {
                SyncCommand::Block(place)
            }
            _ => continue,
        };
        list.push((called(builder, detail), deal));
        if matches!(detail.name, words::STREAM_WAIT | words::EVENT_SYNC)
            && let Some((stream, instant)) = record_of(builder, detail, streams.find(detail))
        {
            list.push((instant, SyncCommand::Record(stream)));
        }
    }
    list.sort_unstable();
    list
}

/// When the call that a detail belongs to was made.
pub(super) fn called(builder: &ChromeBuilder, detail: &SyncDetail) -> i64 {
    let call = detail.correlation.and_then(|it| builder.work.of(it));
    call.map_or(detail.start, |it| it.start)
}

/// The stream and the instant of the record that a wait is for: where it names none, the latest on the stream when it was
/// called; nothing where the one that it names is not in the file.
fn record_of(
    builder: &ChromeBuilder,
    detail: &SyncDetail,
    placed: Option<(ChromeStream, Basis)>,
) -> Option<(ChromeStream, i64)> {
    let (from, _) = placed?;
    let instant = match record_number(detail) {
        Some(record) => builder.work.of(record)?.start,
        None if detail.name == words::STREAM_WAIT => called(builder, detail),
        None => return None,
    };
    Some((from, instant))
}

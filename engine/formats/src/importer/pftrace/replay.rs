//! Begins and ends of slices, in order of time, as spans; arrows that pass through them as dependencies.

mod begin_end_pairs;
mod separate_flows;

use super::items::{Slice, TrackItem, TrackItemKind, TrackItems};
use super::other_tools::ForeignFile;
use crate::importer::{ImportError, RecordSink};
use begin_end_pairs::{MatchedSlices, OPEN};
use record::time::Nanos;
use record::{
    Basis, CallId, Dependency, DependencyKind, Record, Sample, Span, SpanId, SpanKind, State, Value,
};

/// Bits of the numbers of slices that are handed over together in order of time: of numbers far apart the capture
/// would think that the file is damaged.
const WINDOW: u32 = 22;

/// What is said of a slice that never ends, in the words for trace JSON.
const ENDLESS: &str = "the file holds no end of it";

/// Turns all that was gathered into records, the earliest instant being `origin`.
pub(super) fn replay(
    foreign: &mut ForeignFile,
    origin: i64,
    sink: &mut RecordSink<'_>,
) -> Result<(), ImportError> {
    let mut items = std::mem::take(&mut foreign.items);
    let unnamed = foreign.own.unnamed;
    let mut matched = MatchedSlices::of(&mut items, &mut foreign.tracks, (origin, unnamed));
    let points = std::mem::take(&mut foreign.points);
    foreign.tally.loose = separate_flows::add_flows(points, &items, &mut matched);
    let shown = foreign
        .scheduler
        .choose(&mut foreign.tracks, &mut foreign.texts);
    // Lanes come before their spans, so that the capture knows which are streams.
    foreign.tally.streams = foreign.tracks.announce(&foreign.texts, sink);
    foreign.tracks.forget_descriptions();
    let (scheduler, tracks) = (&foreign.scheduler, &foreign.tracks);
    scheduler.hand_over((&shown, tracks), origin, &mut foreign.texts, sink)?;
    (foreign.tally.ends, foreign.tally.open) = (matched.alone, matched.left_open);
    let last = last_instant(&items, &matched.ends);
    items.all.retain(|it| {
        !matches!(
            it.what(),
            TrackItemKind::End(_) | TrackItemKind::NamedEnd(_)
        )
    });
    arrange(&mut items, &matched.ends);
    for item in std::mem::take(&mut items.all) {
        let time = Nanos(item.time.saturating_sub(origin));
        if let TrackItemKind::Count(place) = item.what() {
            let value = items.values.get(place as usize).copied();
            let counter = foreign.tracks.counter(item.track());
            let value = value.unwrap_or_default();
            if value.is_finite() {
                sink.push(Record::Sample(Sample {
                    counter,
                    time,
                    value,
                }));
            } else {
                foreign.tally.no_numbers += 1;
            }
        } else if let Some(number) = items.slice_of(&item) {
            foreign
                .fields
                .hand_over(number + 1, &mut foreign.texts, sink);
            let end = matched.end(number);
            let until = Nanos(end.unwrap_or(last).saturating_sub(origin));
            foreign.span(&mut items, (number, item.track()), (time, until), sink);
            if end.is_none() {
                let key = foreign.own.repaired;
                let key = foreign.texts.name(key, sink);
                let value = Value::Text(ENDLESS.into());
                sink.push(Record::Argument(SpanId(number), key, value));
            }
        }
        sink.advance(RecordSink::WHOLE)?;
    }
    foreign.fields.hand_over(u32::MAX, &mut foreign.texts, sink);
    for &(cause, effect) in &matched.arrows {
        sink.push(arrow((cause, effect), &items.slices));
        sink.advance(RecordSink::WHOLE)?;
    }
    let (ties, missing) = matched.meetings.ties();
    let is_wait = |record: &&Record| match record {
        Record::Dependency(tie) => tie.kind == DependencyKind::Event,
        _ => false,
    };
    foreign.tally.waits = ties.iter().filter(is_wait).count();
    sink.extend(ties);
    foreign.tally.missing = missing;
    Ok(())
}

/// The last instant at which a slice or a counter is known to be: what never ends is drawn up to it, as in Perfetto.
fn last_instant(items: &TrackItems, ends: &[i64]) -> i64 {
    let is_end = |item: &&TrackItem| {
        matches!(
            item.what(),
            TrackItemKind::End(_) | TrackItemKind::NamedEnd(_)
        )
    };
    // They are in order of time.
    let last = items.all.iter().rev().find(|it| !is_end(it));
    let ends = ends.iter().copied();
    ends.chain(last.map(|it| it.time)).max().unwrap_or(OPEN)
}

/// Brings slices that begin together in the order of their lengths, outer ones before inner ones.
fn arrange(items: &mut TrackItems, ends: &[i64]) {
    let mut all = std::mem::take(&mut items.all);
    if items.slices.len() > 1 << WINDOW {
        all.sort_by_key(|it| items.slice_of(it).map_or(0, |number| number >> WINDOW));
    }
    let end = |item: &TrackItem| {
        let number = items.slice_of(item)?;
        ends.get(number as usize).filter(|&&end| end != OPEN)
    };
    for together in all.chunk_by_mut(|a, b| a.time == b.time) {
        if together.len() > 1 {
            together.sort_by_key(|it| std::cmp::Reverse(end(it).copied().unwrap_or(i64::MAX)));
        }
    }
    items.all = all;
}

impl ForeignFile {
    /// Hands over a slice.
    fn span(
        &mut self,
        items: &mut TrackItems,
        (number, track): (u32, u32),
        (start, end): (Nanos, Nanos),
        sink: &mut RecordSink<'_>,
    ) {
        let Some(slice) = items.slices.get_mut(number as usize) else {
            return;
        };
        let is_stream = self.tracks.ran_as_stream(track);
        let kind = slice.kind.unwrap_or(if is_stream {
            SpanKind::Kernel
        } else {
            SpanKind::Scope
        });
        slice.kind = Some(kind);
        let name = self.texts.name(slice.name, sink);
        let (id, lane) = (SpanId(number), self.tracks.lane(track));
        sink.push(Record::Span(Span {
            id,
            lane,
            name,
            call: CallId::NONE,
            kind,
            state: State::Done,
            enqueued: start,
            start,
            end,
        }));
    }
}

/// An arrow from a slice to another.
fn arrow((cause, effect): (u32, u32), slices: &[Slice]) -> Record {
    let kind = slices.get(effect as usize).and_then(|it| it.kind);
    // An arrow into the work of a device is that of the call which submitted it. Of others the file says only that
    // somebody drew them.
    let submitted = matches!(
        kind,
        Some(
            SpanKind::Kernel
                | SpanKind::Copy
                | SpanKind::Upload
                | SpanKind::Download
                | SpanKind::Fill
        )
    );
    let (kind, basis) = if submitted {
        (DependencyKind::Submission, Basis::Enforced)
    } else {
        (DependencyKind::Flow, Basis::Declared)
    };
    Record::Dependency(Dependency::new(SpanId(cause), SpanId(effect), kind, basis))
}

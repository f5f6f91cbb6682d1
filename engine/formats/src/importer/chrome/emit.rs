//! Sorts the spans of each row and hands them over, outer ones before inner ones.

use std::cmp::Reverse;

use super::build::ChromeBuilder;
use super::class::{ApiVerb, EventClass};
use super::name_classifier::NameClass;
use super::row_kind::RowKind;
use super::rows::{LaneSlot, PendingSpan};
use super::scan::{NO_CORRELATION, words};
use super::work::ChromeOperation;
use crate::importer::RecordSink;
use crate::importer::flow_points::SpanExtent;
use record::time::Nanos;
use record::{CallId, LaneId, Record, Span, SpanKind, State};

/// Which spans are handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EmitScope {
    /// Work on streams, while the file is being read.
    Streams,
    /// All, while the file is being read.
    All,
    /// All that is left.
    Last,
}

/// Where a span goes.
#[derive(Clone, Copy)]
struct EmitTarget {
    row: u32,
    slot: LaneSlot,
    lane: LaneId,
    nature: RowKind,
}

impl ChromeBuilder {
    /// Hands over spans that wait. Unless it is the last time, work whose launch has not come yet waits on.
    pub fn hand_over(&mut self, when: EmitScope, sink: &mut RecordSink<'_>) {
        let mut held = 0;
        // Who looks for the span around an instant is known once the whole file was read.
        self.looks_around = when != EmitScope::Last || self.flows.look_around();
        let origin = self.settle_origin();
        for row in 0..self.rows.all.len() as u32 {
            for slot in LaneSlot::ALL {
                let facts = self.rows.get_mut(row);
                let mut list = facts.map_or_else(Vec::new, |it| it.take_waiting(slot));
                if list.is_empty() {
                    continue;
                }
                let kept = if when == EmitScope::Streams && slot != LaneSlot::Stream {
                    list
                } else {
                    self.hand_over_row(row, slot, &mut list, when == EmitScope::Last, sink)
                };
                held += kept.len();
                if let Some(facts) = self.rows.get_mut(row).filter(|_| !kept.is_empty()) {
                    facts.put_back(slot, kept);
                }
            }
        }
        self.set_waiting(held);
        self.counters.hand_over(origin, sink);
    }

    fn hand_over_row(
        &mut self,
        row: u32,
        slot: LaneSlot,
        list: &mut Vec<PendingSpan>,
        is_last: bool,
        sink: &mut RecordSink<'_>,
    ) -> Vec<PendingSpan> {
        let key = |it: &PendingSpan| (it.start, Reverse(it.length));
        if !list.is_sorted_by_key(key) {
            list.sort_by_key(key);
        }
        let (lane, nature) = self
            .lanes
            .lane(&mut self.rows, row, slot, &self.texts, sink);
        let target = EmitTarget {
            row,
            slot,
            lane,
            nature,
        };
        let mut kept = Vec::new();
        for pending in list.drain(..) {
            let tied = slot == LaneSlot::Stream && pending.correlation != NO_CORRELATION;
            let call = tied.then(|| self.work.of(pending.correlation)).flatten();
            let launched = call.map(|it| it.start);
            if tied && launched.is_none() && !is_last {
                kept.push(pending);
            } else {
                self.hand_over_one(target, &pending, launched, sink);
            }
        }
        kept
    }

    fn hand_over_one(
        &mut self,
        target: EmitTarget,
        pending: &PendingSpan,
        launched: Option<i64>,
        sink: &mut RecordSink<'_>,
    ) {
        let judged = self.judge.of(pending.name, &self.texts);
        let told = self.work.kind_of(pending.span);
        let kind = told.unwrap_or_else(|| kind(pending, target, judged));
        let end = pending.start.saturating_add(pending.length);
        if let Some(late) = launched.filter(|it| *it > pending.start) {
            let by = Nanos(late.saturating_sub(pending.start));
            let (count, most) = self.tally.early;
            self.tally.early = (count + 1, most.max(by));
        }
        let start = self.instant(pending.start);
        let name = self.texts.name(pending.name, sink);
        sink.push(Record::Span(Span {
            id: pending.span,
            lane: target.lane,
            name,
            call: CallId::NONE,
            kind,
            state: State::Done,
            enqueued: launched.map_or(start, |it| self.instant(it)),
            start,
            end: self.instant(end),
        }));
        let streams = target.nature == RowKind::Stream;
        if streams {
            self.lanes.ran(target.lane, kind, judged.collective);
            self.operate(target, pending, launched, judged);
        }
        if matches!(
            target.slot,
            LaneSlot::Own | LaneSlot::Stream | LaneSlot::Functions
        ) && self.looks_around
            && let Some(facts) = self.rows.get_mut(target.row)
        {
            facts.placed().push(SpanExtent {
                start: pending.start,
                end,
                span: pending.span,
            });
        }
    }

    fn operate(
        &mut self,
        target: EmitTarget,
        pending: &PendingSpan,
        launched: Option<i64>,
        judged: NameClass,
    ) {
        self.work.operations.push(ChromeOperation {
            correlation: pending.correlation,
            launched: launched.unwrap_or(pending.start),
            start: pending.start,
            end: pending.start.saturating_add(pending.length.max(0)),
            span: pending.span,
            row: target.row,
            name: pending.name,
            collective: judged.collective,
            blocks_call: judged.blocks_call,
        });
    }
}

/// What sort of operation a span is.
fn kind(pending: &PendingSpan, target: EmitTarget, judged: NameClass) -> SpanKind {
    match (pending.class, target.nature) {
        (EventClass::Plain, RowKind::Stream) | (EventClass::Task, _) => judged.kind,
        (EventClass::Plain, RowKind::Derived) | (EventClass::Annotation | EventClass::Scope, _) => {
            SpanKind::Scope
        }
        (EventClass::Plain, RowKind::Host) if judged.is_step => SpanKind::Scope,
        (EventClass::Call, _) if judged.verb.blocks() => SpanKind::Synchronize,
        (EventClass::Call, _) => SpanKind::Call,
        (EventClass::Plain, RowKind::Host) if judged.is_api && judged.verb.blocks() => {
            SpanKind::Synchronize
        }
        (EventClass::Plain, RowKind::Host) if judged.is_api => SpanKind::Call,
        (EventClass::Plain, RowKind::Host) => SpanKind::HostWork,
        (EventClass::Kernel, _) => match judged.kind {
            // One category for all work, as nsys2json has it.
            copy @ (SpanKind::Upload | SpanKind::Download | SpanKind::Copy | SpanKind::Fill)
                if judged.names_copy =>
            {
                copy
            }
            _ => SpanKind::Kernel,
        },
        (EventClass::Copy, _) => match judged.kind {
            copy @ (SpanKind::Upload | SpanKind::Download) => copy,
            _ => SpanKind::Copy,
        },
        (EventClass::Fill, _) => SpanKind::Fill,
        (EventClass::Sync, _) => match (pending.name, judged.verb) {
            (words::STREAM_WAIT, _) => SpanKind::EventWait,
            (_, ApiVerb::Record) => SpanKind::EventRecord,
            _ => SpanKind::Synchronize,
        },
    }
}

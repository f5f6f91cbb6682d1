//! Sorts the spans of each row and hands them over, outer ones before inner ones.

use std::cmp::Reverse;

use super::build::Builder;
use super::class::{Class, Verb};
use super::judge::Judged;
use super::nature::Nature;
use super::rows::{Pending, Slot};
use super::scan::{NO_CORRELATION, words};
use super::work::Operation;
use crate::importer::Sink;
use crate::importer::flow_points::SpanExtent;
use record::time::Nanos;
use record::{CallId, LaneId, Record, Span, SpanKind, State};

/// Which spans are handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// Work on streams, while the file is being read.
    Streams,
    /// All, while the file is being read.
    All,
    /// All that is left.
    Last,
}

/// Where a span goes.
#[derive(Clone, Copy)]
struct Target {
    row: u32,
    slot: Slot,
    lane: LaneId,
    nature: Nature,
}

impl Builder {
    /// Hands over spans that wait. Unless it is the last time, work whose launch has not come yet waits on.
    pub fn hand_over(&mut self, when: When, sink: &mut Sink<'_>) {
        let mut held = 0;
        // Who looks for the span around an instant is known once the whole file was read.
        self.looks_around = when != When::Last || self.flows.look_around();
        let origin = self.settle_origin();
        for row in 0..self.rows.all.len() as u32 {
            for slot in Slot::ALL {
                let facts = self.rows.get_mut(row);
                let mut list = facts.map_or_else(Vec::new, |it| it.take_waiting(slot));
                if list.is_empty() {
                    continue;
                }
                let kept = if when == When::Streams && slot != Slot::Stream {
                    list
                } else {
                    self.hand_over_row(row, slot, &mut list, when == When::Last, sink)
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
        slot: Slot,
        list: &mut Vec<Pending>,
        is_last: bool,
        sink: &mut Sink<'_>,
    ) -> Vec<Pending> {
        let key = |it: &Pending| (it.start, Reverse(it.length));
        if !list.is_sorted_by_key(key) {
            list.sort_by_key(key);
        }
        let (lane, nature) = self
            .lanes
            .lane(&mut self.rows, row, slot, &self.texts, sink);
        let target = Target {
            row,
            slot,
            lane,
            nature,
        };
        let mut kept = Vec::new();
        for pending in list.drain(..) {
            let tied = slot == Slot::Stream && pending.correlation != NO_CORRELATION;
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
        target: Target,
        pending: &Pending,
        launched: Option<i64>,
        sink: &mut Sink<'_>,
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
        let streams = target.nature == Nature::Stream;
        if streams {
            self.lanes.ran(target.lane, kind, judged.collective);
            self.operate(target, pending, launched, judged);
        }
        if matches!(target.slot, Slot::Own | Slot::Stream | Slot::Functions)
            && self.looks_around
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
        target: Target,
        pending: &Pending,
        launched: Option<i64>,
        judged: Judged,
    ) {
        self.work.operations.push(Operation {
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
fn kind(pending: &Pending, target: Target, judged: Judged) -> SpanKind {
    match (pending.class, target.nature) {
        (Class::Plain, Nature::Stream) | (Class::Task, _) => judged.kind,
        (Class::Plain, Nature::Derived) | (Class::Annotation | Class::Scope, _) => SpanKind::Scope,
        (Class::Plain, Nature::Host) if judged.is_step => SpanKind::Scope,
        (Class::Call, _) if judged.verb.blocks() => SpanKind::Synchronize,
        (Class::Call, _) => SpanKind::Call,
        (Class::Plain, Nature::Host) if judged.is_api && judged.verb.blocks() => {
            SpanKind::Synchronize
        }
        (Class::Plain, Nature::Host) if judged.is_api => SpanKind::Call,
        (Class::Plain, Nature::Host) => SpanKind::HostWork,
        (Class::Kernel, _) => match judged.kind {
            // One category for all work, as nsys2json has it.
            copy @ (SpanKind::Upload | SpanKind::Download | SpanKind::Copy | SpanKind::Fill)
                if judged.names_copy =>
            {
                copy
            }
            _ => SpanKind::Kernel,
        },
        (Class::Copy, _) => match judged.kind {
            copy @ (SpanKind::Upload | SpanKind::Download) => copy,
            _ => SpanKind::Copy,
        },
        (Class::Fill, _) => SpanKind::Fill,
        (Class::Sync, _) => match (pending.name, judged.verb) {
            (words::STREAM_WAIT, _) => SpanKind::EventWait,
            (_, Verb::Record) => SpanKind::EventRecord,
            _ => SpanKind::Synchronize,
        },
    }
}

//! Compares what is drawn with what the model says of order and values.

use std::collections::BTreeMap;

use engine::record::{Group, Span, SpanKind, State};
use engine::time::Interval;

use super::Comparison;
use crate::semantics::generated::submitted::ModelOperation;
use crate::semantics::generated::text::{BufferWork, GeneratedCall, host};
use crate::semantics::generated::values::{self, DrawnWork};

impl Comparison<'_> {
    /// Spans of operations and calls by the moments of the model.
    pub(super) fn times(&self) -> BTreeMap<usize, DrawnMoment> {
        let mut times = BTreeMap::new();
        let spans = self.run.spans.values();
        let (mut calls, mut operations): (BTreeMap<u32, Span>, BTreeMap<u32, Vec<Span>>) =
            Default::default();
        for span in spans {
            match self.run.group(span) {
                Some(Group::Host)
                    if matches!(
                        span.kind,
                        SpanKind::Call | SpanKind::Synchronize | SpanKind::HostWork
                    ) =>
                {
                    calls.insert(self.run.line(span), *span);
                }
                // Joins that the engine inserts have the call for whose sake they are.
                Some(Group::Streams) => {
                    operations
                        .entry(self.run.line(span))
                        .or_default()
                        .push(*span);
                }
                _ => {}
            }
        }
        for (place, placed) in self.order.calls.iter().enumerate() {
            if let Some(span) = calls.get(&placed.line) {
                let moment = |time, is_begin| DrawnMoment {
                    ran: Interval {
                        start: time,
                        end: time,
                    },
                    is_work: is_begin,
                    span: *span,
                };
                times.insert(2 * place, moment(span.start, true));
                times.insert(2 * place + 1, moment(span.end, true));
            }
        }
        let mut seen: BTreeMap<u32, usize> = BTreeMap::new();
        let operations_in_order = self.order.operations.iter();
        for operation in operations_in_order.filter(|it| !self.order.may_be_captured(it.call)) {
            let Some(span) = self.span_of(operation, &operations, &mut seen) else {
                continue;
            };
            let is_work = matches!(
                span.kind,
                SpanKind::Kernel
                    | SpanKind::Fill
                    | SpanKind::Copy
                    | SpanKind::Upload
                    | SpanKind::Download
                    | SpanKind::HostFunction
                    | SpanKind::Graph
            );
            let moment = DrawnMoment {
                ran: Interval {
                    start: span.start,
                    end: span.end,
                },
                is_work,
                span,
            };
            if operation.moments.0 == operation.moments.1 {
                times.insert(operation.moments.0, moment);
            } else {
                let begin = Interval {
                    start: span.start,
                    end: span.start,
                };
                times.insert(
                    operation.moments.0,
                    DrawnMoment {
                        ran: begin,
                        ..moment
                    },
                );
                let end = Interval {
                    start: span.end,
                    end: span.end,
                };
                times.insert(operation.moments.1, DrawnMoment { ran: end, ..moment });
            }
        }
        times
    }

    /// The span of an operation: those of one line come in the order of their submission.
    fn span_of(
        &self,
        operation: &ModelOperation,
        operations: &BTreeMap<u32, Vec<Span>>,
        seen: &mut BTreeMap<u32, usize>,
    ) -> Option<Span> {
        let site = self.order.calls[operation.site];
        // Of a wait for a stream only the wait is drawn.
        if let GeneratedCall::Join(from, to) = site.call
            && from != to
            && operation.stream == from
        {
            return None;
        }
        let is_join = matches!(site.call, GeneratedCall::Join(..));
        let spans = operations.get(&site.line)?;
        let mut spans = spans
            .iter()
            .filter(|span| is_join || span.kind != SpanKind::Join);
        let place = seen.entry(site.line).or_default();
        let found = if is_join {
            spans.next_back()
        } else {
            spans.nth(*place)
        };
        *place += 1;
        found.copied()
    }

    /// What the model says comes before something else is drawn before it.
    pub(super) fn moments(&self, complaints: &mut Vec<(&'static str, String)>) {
        let times = self.times();
        for (&second, effect) in &times {
            for (&first, cause) in &times {
                // What waited for something that was dropped goes on without it.
                let is_apart = self.workload.has_aborts && cause.span.lane != effect.span.lane;
                if is_apart
                    || !self.order.is_before(first, second)
                    || cause.span.state != State::Done
                    || effect.span.state != State::Done
                {
                    continue;
                }
                let begins = if effect.is_work {
                    effect.ran.start
                } else {
                    effect.ran.end
                };
                if cause.ran.end > begins + self.slack {
                    let (cause, effect) = (self.run.told(&cause.span), self.run.told(&effect.span));
                    complaints.push(("order", format!("{effect} does not come after {cause}")));
                }
            }
        }
    }

    pub(super) fn values(&self, complaints: &mut Vec<(&'static str, String)>) {
        let Some(found) = self.run.values() else {
            return complaints.push(("values", "nothing is said of values".to_owned()));
        };
        let of_host = |values: &values::BufferValues| -> Vec<i64> {
            (0..self.workload.counts.buffers)
                .map(|it| values[&host(it)])
                .collect()
        };
        if self.is_free_of_races() {
            let expected = of_host(&values::by_order(self.workload, self.order));
            if found != expected {
                let text = format!("buffers hold {found:?}, and {expected:?} by what is enforced");
                complaints.push(("values", text));
            }
        }
        let possible = values::by_times(self.workload, &self.drawn());
        let possible = possible.map(|all| all.iter().map(of_host).collect::<Vec<_>>());
        if let Some(possible) = possible.filter(|all| !all.contains(&found)) {
            let text = format!("buffers hold {found:?}, and by the times one of {possible:?}");
            complaints.push(("values drawn", text));
        }
    }

    fn drawn(&self) -> Vec<DrawnWork> {
        let by_line: BTreeMap<u32, BufferWork> = (self.order.calls.iter())
            .filter_map(|it| match it.call {
                GeneratedCall::Work(work, _) => Some((it.line, work)),
                _ => None,
            })
            .collect();
        let spans = self.run.spans.values();
        let spans: Vec<&Span> = spans
            .filter(|it| self.run.group(it) == Some(Group::Streams))
            .collect();
        let drawn = spans.iter().filter_map(|span| {
            let work = *by_line.get(&self.run.line(span))?;
            let ran = matches!(span.state, State::Done | State::Failed);
            let mut interval = Interval {
                start: span.start,
                end: span.end,
            };
            if self.is_apart && matches!(work, BufferWork::Upload(_)) {
                interval.start = span.start.min(self.turn(span).start);
            }
            if self.is_apart && matches!(work, BufferWork::Download(_)) {
                interval.end = span.end.max(self.turn(span).end);
            }
            (ran && span.kind.is_result()).then_some(DrawnWork {
                work,
                ran: interval,
                is_doubtful: span.state == State::Failed,
            })
        });
        drawn.collect()
    }
}

impl Comparison<'_> {
    /// From when to when an operation has its turn on its stream; a node of a graph has that of its replay, in which nodes
    /// come in an order of their own.
    fn turn(&self, span: &Span) -> Interval {
        let spans = self.run.spans.values();
        let same = spans.filter(|it| it.lane == span.lane).collect::<Vec<_>>();
        let is_node = |it: &Span, replay: &Span| {
            replay.kind == SpanKind::Graph
                && it.id > replay.id
                && it.enqueued == replay.enqueued
                && (replay.start..=replay.end).contains(&it.start)
        };
        let replay = same.iter().rfind(|it| is_node(span, it)).copied();
        let own = replay.unwrap_or(span);
        let is_other = |it: &&&Span| !is_node(it, own);
        let before = same.iter().filter(|it| it.id < own.id).filter(is_other);
        let after = same.iter().filter(|it| it.id > own.id).filter(is_other);
        let start = before.map(|it| it.end).max().unwrap_or(own.enqueued);
        let end = after.map(|it| it.start).min().unwrap_or(self.run.ended);
        Interval {
            start: start.max(own.enqueued),
            end: end.max(own.end),
        }
    }
}

/// When a moment of the model is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct DrawnMoment {
    ran: Interval,
    /// Whether all of it comes after what must come before it; of a wait only its end does.
    is_work: bool,
    pub(super) span: Span,
}

#[cfg(test)]
mod tests {
    use engine::record::{CallId, LaneId, NameId, SpanId};
    use engine::time::Nanos;

    use super::*;
    use crate::semantics::generated::check::RunRecords;
    use crate::semantics::generated::draw::draw;
    use crate::semantics::generated::order::EnforcedOrder;

    #[test]
    fn a_node_has_its_turn_until_its_replay_has_whichever_node_came_next() {
        let span = |id, kind, (enqueued, start, end)| Span {
            id: SpanId(id),
            lane: LaneId(0),
            name: NameId::default(),
            call: CallId::NONE,
            kind,
            state: State::Done,
            enqueued: Nanos(enqueued),
            start: Nanos(start),
            end: Nanos(end),
        };
        let download = span(3, SpanKind::Download, (5, 50, 60));
        let spans = [
            span(0, SpanKind::Fill, (0, 1, 8)),
            span(1, SpanKind::Graph, (5, 10, 70)),
            span(2, SpanKind::Fill, (5, 10, 20)),
            download,
            // The first of another branch ran before it.
            span(4, SpanKind::Kernel, (5, 20, 50)),
            span(5, SpanKind::Fill, (6, 90, 95)),
        ];
        let workload = draw(0);
        let comparison = Comparison {
            workload: &workload,
            order: &EnforcedOrder::of(&workload, &[]),
            run: &RunRecords {
                spans: spans.into_iter().map(|it| (it.id, it)).collect(),
                ..RunRecords::default()
            },
            is_apart: true,
            slack: Nanos::ZERO,
        };
        let turn = comparison.turn(&download);
        assert_eq!((turn.start, turn.end), (Nanos(8), Nanos(90)));
        let first = comparison.turn(&spans[0]);
        assert_eq!((first.start, first.end), (Nanos(0), Nanos(10)));
    }
}

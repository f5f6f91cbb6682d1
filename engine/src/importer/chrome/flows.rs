//! Flows: which spans the file itself ties to each other.

use std::collections::BTreeMap;

use super::build::Builder;
use super::rows::{Placed, Rows};
use super::scan::{Event, flag, words};
use crate::importer::Sink;
use crate::record::{Basis, Dependency, DependencyKind, Record, SpanId};

/// Spans of one row may lie so deep inside each other, or overlap so often, and still be looked through.
const DEEPEST: usize = 512;

/// A point of a flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    category: u32,
    name: u32,
    id: u64,
    time: i64,
    row: u32,
    what: What,
    /// The span that it is at, where the file says.
    span: SpanId,
    /// Whether it is at the span around it, not at the next.
    enclosing: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Start,
    Step,
    End,
}

/// What a flow says.
#[derive(Clone, Copy, Debug)]
pub(super) enum FlowRole {
    /// Something that nothing else says.
    Own,
    /// Which launch work comes from; correlations may yet say the same.
    Launch,
    /// What correlations say already.
    Repeated,
}

/// Every point of a flow that was read.
#[derive(Default)]
pub(super) struct Flows {
    points: Vec<Flow>,
    /// Points of flows from launches to work, which correlations tell as well.
    launches: Vec<Flow>,
    /// Numbers of those that correlations tell already: of starts and of ends.
    repeated: [Vec<u64>; 2],
    /// Asynchronous spans by the row that told of their beginning, the instant and the category.
    distant: BTreeMap<(u32, i64, u32), SpanId>,
}

impl Flow {
    /// A point of the phase `s`, `t` or `f`.
    pub fn of(event: &Event, row: u32, (category, name): (u32, u32), time: i64) -> Self {
        let what = match event.phase {
            b's' => What::Start,
            b't' => What::Step,
            _ => What::End,
        };
        Self {
            category,
            name,
            id: event.id,
            time,
            row,
            what,
            span: SpanId::NONE,
            enclosing: what != What::End || event.flags & flag::ENCLOSING != 0,
        }
    }
}

impl Flows {
    /// Takes a point.
    pub fn take(&mut self, flow: Flow, role: FlowRole) {
        match role {
            FlowRole::Own => self.points.push(flow),
            FlowRole::Launch => self.launches.push(flow),
            FlowRole::Repeated => self.repeat(&flow),
        }
    }

    fn repeat(&mut self, flow: &Flow) {
        let [starts, ends] = &mut self.repeated;
        match flow.what {
            What::Start => starts.push(flow.id),
            What::Step | What::End => ends.push(flow.id),
        }
    }

    /// How many flows have both ends among those that correlations tell already.
    fn count_repeated(&mut self) -> u64 {
        for flow in std::mem::take(&mut self.launches) {
            self.repeat(&flow);
        }
        let [starts, ends] = &mut self.repeated;
        starts.sort_unstable();
        starts.dedup();
        ends.sort_unstable();
        let both = starts.iter().filter(|id| ends.binary_search(id).is_ok());
        both.count() as u64
    }

    /// Takes the beginning of an asynchronous span, at which flows of its thread may be.
    pub fn at_distant(&mut self, row: u32, time: i64, category: u32, span: SpanId) {
        self.distant.insert((row, time, category), span);
    }

    /// Takes the points that a span itself is, by its `bind_id`.
    pub fn at_span(&mut self, event: &Event, row: u32, span: SpanId) {
        let what = match (
            event.flags & flag::FLOW_IN != 0,
            event.flags & flag::FLOW_OUT != 0,
        ) {
            (true, true) => What::Step,
            (true, false) => What::End,
            _ => What::Start,
        };
        self.points.push(Flow {
            category: words::BIND_ID,
            name: words::EMPTY,
            id: event.id,
            time: event.time,
            row,
            what,
            span,
            enclosing: true,
        });
    }
}

impl Builder {
    /// Ties what flows tie.
    pub fn tie_flows(&mut self, sink: &mut Sink<'_>) {
        let mut flows = std::mem::take(&mut self.flows);
        if self.work.has_correlations() {
            self.tally.launch_flows = flows.count_repeated();
        }
        let Flows {
            mut points,
            launches,
            distant,
            ..
        } = flows;
        points.extend(launches);
        bind(&mut points, &mut self.rows);
        for point in points.iter_mut().filter(|it| !it.span.is_some()) {
            let told = distant.get(&(point.row, point.time, point.category));
            point.span = told.copied().unwrap_or(SpanId::NONE);
        }
        // One number may serve flows of several names.
        let key = |it: &Flow| (it.category, it.name, it.id);
        points.sort_by_key(|it| (key(it), it.time, it.what));
        for flow in points.chunk_by(|a, b| key(a) == key(b)) {
            self.tie_flow(flow, sink);
        }
    }

    fn tie_flow(&mut self, points: &[Flow], sink: &mut Sink<'_>) {
        let mut before: Option<&Flow> = None;
        let mut tied = false;
        for point in points {
            if point.what == What::Start {
                self.tally.loose_flows += u64::from(before.is_some() && !tied);
                (before, tied) = (Some(point), false);
                continue;
            }
            match before {
                // A flow within one span ties nothing.
                Some(from) if from.span.is_some() && from.span == point.span => tied = true,
                Some(from) if from.span.is_some() && point.span.is_some() => {
                    let (kind, basis) = meaning(self.texts.text(point.category));
                    self.tally.told_collectives |= kind == DependencyKind::Collective;
                    sink.push(Record::Dependency(Dependency::new(
                        from.span, point.span, kind, basis,
                    )));
                    tied = true;
                }
                _ => self.tally.loose_flows += 1,
            }
            // Several ends may follow one start, but nothing leads from an end, nor from a step that nothing led to.
            if point.what == What::Step && before.is_some() {
                before = Some(point);
            }
        }
        self.tally.loose_flows += u64::from(before.is_some() && !tied);
    }
}

/// What a flow of a category ties, and how that is known: Syncline itself writes both, such as `event,enforced`.
fn meaning(category: &str) -> (DependencyKind, Basis) {
    let own = category.split_once(',').and_then(|(kind, basis)| {
        Some((DependencyKind::from_label(kind)?, Basis::from_label(basis)?))
    });
    own.unwrap_or(match category {
        "api_op" | "HostToDevice" => (DependencyKind::Submission, Basis::Declared),
        _ => (DependencyKind::Flow, Basis::Declared),
    })
}

/// Finds the span of each point.
fn bind(points: &mut [Flow], rows: &mut Rows) {
    points.sort_by_key(|it| (it.row, it.time));
    for on_row in points.chunk_by_mut(|a, b| a.row == b.row) {
        let row = on_row.first().map_or(0, |it| it.row);
        let Some(facts) = rows.get_mut(row) else {
            continue;
        };
        let key = |it: &Placed| (it.start, std::cmp::Reverse(it.end));
        if !facts.placed.is_sorted_by_key(key) {
            facts.placed.sort_by_key(key);
        }
        bind_row(on_row, &facts.placed);
    }
}

/// The same for the points of one row, which are in order of time as the spans are.
fn bind_row(points: &mut [Flow], placed: &[Placed]) {
    let mut open: Vec<Placed> = Vec::new();
    let mut next = 0;
    for point in points {
        if point.span.is_some() {
            continue;
        }
        while let Some(span) = placed.get(next).filter(|it| it.start <= point.time) {
            open.retain(|it| it.end > span.start || it.start == span.start);
            if open.len() >= DEEPEST {
                open.remove(0);
            }
            open.push(*span);
            next += 1;
        }
        // A span that ends where the point is counts only if no other is around it.
        let inside = open
            .iter()
            .rev()
            .find(|it| it.end > point.time || it.start == point.time);
        let touching = open.iter().rev().find(|it| it.end == point.time);
        let following = placed.get(next);
        let found = if point.enclosing {
            inside.or(touching)
        } else {
            inside
                .filter(|it| it.start == point.time)
                .or(following)
                .or(inside)
        };
        point.span = found.map_or(SpanId::NONE, |it| it.span);
    }
}

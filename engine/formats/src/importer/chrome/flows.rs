//! Flows: which spans the file itself ties to each other.

use std::collections::BTreeMap;

use super::build::ChromeBuilder;
use super::rows::ChromeRows;
use super::scan::{ChromeEvent, RowToken, flag, words};
use crate::importer::RecordSink;
use crate::importer::flow_points::{FlowKey, FlowPoint, FlowStep, bind_row, tie_points};
use record::{Basis, Dependency, DependencyKind, Record, SpanId};

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
pub(super) struct ChromeFlows {
    points: Vec<FlowPoint>,
    /// Points of flows from launches to work, which correlations tell as well.
    launches: Vec<FlowPoint>,
    /// Numbers of those that correlations tell already: of starts and of ends.
    repeated: [Vec<u64>; 2],
    /// Asynchronous spans by the row that told of their beginning, the instant and the category.
    distant: BTreeMap<(u32, i64, u32), SpanId>,
}

/// A point of the phase `s`, `t` or `f`.
pub(super) fn point(
    event: &ChromeEvent,
    (row, process): (u32, Option<RowToken>),
    (category, name): (u32, u32),
    time: i64,
) -> FlowPoint {
    let what = FlowStep::of_phase(event.phase);
    FlowPoint {
        key: FlowKey {
            category,
            name,
            process: process.filter(|_| event.flags & flag::LOCAL != 0),
            id: event.id,
        },
        time,
        row,
        what,
        span: SpanId::NONE,
        enclosing: what != FlowStep::End || event.flags & flag::ENCLOSING != 0,
    }
}

impl ChromeFlows {
    /// Takes a point.
    pub fn take(&mut self, flow: FlowPoint, role: FlowRole) {
        match role {
            FlowRole::Own => self.points.push(flow),
            FlowRole::Launch => self.launches.push(flow),
            FlowRole::Repeated => self.repeat(&flow),
        }
    }

    /// Whether any point has to be found by what is around it.
    pub fn look_around(&self) -> bool {
        let mut points = self.points.iter().chain(&self.launches);
        points.any(|it| !it.span.is_some())
    }

    fn repeat(&mut self, flow: &FlowPoint) {
        let [starts, ends] = &mut self.repeated;
        match flow.what {
            FlowStep::Start => starts.push(flow.key.id),
            FlowStep::Step | FlowStep::End => ends.push(flow.key.id),
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
    pub fn at_span(&mut self, event: &ChromeEvent, row: u32, span: SpanId) {
        let comes_in = event.flags & flag::FLOW_IN != 0;
        let goes_out = event.flags & flag::FLOW_OUT != 0;
        self.points.push(FlowPoint {
            key: FlowKey {
                category: words::BIND_ID,
                name: words::EMPTY,
                process: None,
                id: event.id,
            },
            time: event.time,
            row,
            what: FlowStep::of_directions((comes_in, goes_out)),
            span,
            enclosing: true,
        });
    }
}

impl ChromeBuilder {
    /// Ties what flows tie.
    pub fn tie_flows(&mut self, sink: &mut RecordSink<'_>) {
        let mut flows = std::mem::take(&mut self.flows);
        if self.work.has_correlations() {
            self.tally.launch_flows = flows.count_repeated();
        }
        let ChromeFlows {
            mut points,
            launches,
            distant,
            ..
        } = flows;
        points.extend(launches);
        bind(&mut points, &mut self.rows);
        for point in points.iter_mut().filter(|it| !it.span.is_some()) {
            let told = distant.get(&(point.row, point.time, point.key.category));
            point.span = told.copied().unwrap_or(SpanId::NONE);
        }
        let loose = tie_points(points, |from, to| {
            let (kind, basis) = meaning(self.texts.text(to.key.category));
            self.tally.told_collectives |= kind == DependencyKind::Collective;
            let tie = Dependency::new(from.span, to.span, kind, basis);
            sink.push(Record::Dependency(tie));
        });
        self.tally.loose_flows += loose;
    }
}

/// What a flow of a category ties, and how that is known: Syncline itself writes both, such as `event,enforced`.
fn meaning(category: &str) -> (DependencyKind, Basis) {
    let own = category.split_once(',').and_then(|(kind, basis)| {
        Some((DependencyKind::from_label(kind)?, Basis::from_label(basis)?))
    });
    own.unwrap_or(match category {
        "api_op" | "HostToDevice" => (DependencyKind::Submission, Basis::Enforced),
        _ => (DependencyKind::Flow, Basis::Declared),
    })
}

/// Finds the span of each point.
fn bind(points: &mut [FlowPoint], rows: &mut ChromeRows) {
    points.sort_by_key(|it| (it.row, it.time));
    for on_row in points.chunk_by_mut(|a, b| a.row == b.row) {
        let row = on_row.first().map_or(0, |it| it.row);
        let Some(facts) = rows.get_mut(row) else {
            continue;
        };
        bind_row(on_row, facts.placed());
    }
}

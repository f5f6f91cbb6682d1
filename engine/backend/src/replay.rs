//! A graph of operations that a stream runs as one: its nodes, and what each comes right after.

use std::sync::Arc;

use super::Operation;
use device::capture::GuestCalls;
use order::{
    Actor, CallOrigin, DeclaredUse, Hazard, HazardParty, HazardRelation, NodeConflict, NodeOrder,
    conflicts, of_graph,
};
use record::{CallId, EventIndex, NameId, SpanId, StreamIndex};

/// A graph that is ready to be replayed. Nodes come after those they depend on.
#[derive(Debug, Default, PartialEq)]
pub struct ExecutableGraph {
    /// The nodes.
    pub nodes: Vec<GraphNode>,
    /// What they use together (rule B9).
    pub uses: Vec<DeclaredUse>,
    /// Whether streams outside see what it does inside: it records events, waits for some, or allocates or frees memory
    /// (rules A42, A44).
    pub reaches_out: bool,
    /// Its nodes that use one buffer in no order; of a graph that reaches out this is found at each replay.
    pub conflicts: Vec<NodeConflict>,
    /// What of it the host thread called that began the capture, where others called into it.
    pub own: Option<OwnGraph>,
}

/// What a graph is without the calls of other host threads than the one that began its capture.
#[derive(Debug, PartialEq)]
pub struct OwnGraph {
    /// Which nodes are of others, and what the rest come after.
    pub guests: GuestCalls,
    /// What the rest use together.
    pub uses: Vec<DeclaredUse>,
    /// Whether streams outside see what the rest do inside.
    pub reaches_out: bool,
    /// Those of the rest that use one buffer in no order; where they reach out this is found at each replay.
    pub conflicts: Vec<NodeConflict>,
}

/// An operation of a graph: one that moves numbers, computes or calls the host.
#[derive(Debug, PartialEq)]
pub struct GraphNode {
    /// What it does.
    pub operation: Operation,
    /// What its span is called.
    pub name: NameId,
    /// The call that was captured.
    pub call: CallId,
    /// The positions of the nodes that it comes right after, each before its own.
    pub before: Vec<u32>,
    /// What it uses itself.
    pub uses: Vec<DeclaredUse>,
    /// The positions of the nodes that come right after it.
    pub after: Vec<u32>,
}

/// One replay of a graph (rule A43). Its nodes' spans lie within its own, with numbers that follow each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// What is replayed.
    pub graph: Arc<ExecutableGraph>,
    /// The graph's position in the plan.
    pub place: u32,
    /// The span of the first node.
    pub first: SpanId,
    /// The span on the queue's lane of the first node that goes through it, where there is such a lane.
    pub first_queued: SpanId,
}

impl ExecutableGraph {
    /// A graph of these nodes, some of which other host threads called than the one that began the capture; the `after` of
    /// each is worked out here.
    pub fn new(mut nodes: Vec<GraphNode>, guests: Option<GuestCalls>) -> Self {
        let edges: Vec<(u32, u32)> = nodes
            .iter()
            .enumerate()
            .flat_map(|(place, node)| node.before.iter().map(move |&it| (it, place as u32)))
            .collect();
        for (from, to) in edges {
            if let Some(node) = nodes.get_mut(from as usize) {
                node.after.push(to);
            }
        }
        let reaches_out = nodes.iter().any(GraphNode::reaches_out);
        let orders = nodes.iter().map(|node| NodeOrder {
            uses: &node.uses,
            before: &node.before,
        });
        let conflicts = if reaches_out {
            Vec::new()
        } else {
            conflicts(orders)
        };
        let body: Vec<Vec<DeclaredUse>> = nodes.iter().map(|it| it.uses.clone()).collect();
        Self {
            own: guests.map(|guests| OwnGraph::new(&nodes, guests)),
            nodes,
            uses: of_graph(&body),
            reaches_out,
            conflicts,
        }
    }

    /// The events that its nodes record or wait for, each once, in order.
    pub fn events(&self) -> Vec<EventIndex> {
        let events = self.nodes.iter().filter_map(|node| match node.operation {
            Operation::RecordExternal(event) | Operation::WaitExternal(event) => Some(event),
            _ => None,
        });
        let mut events: Vec<EventIndex> = events.collect();
        events.sort_unstable();
        events.dedup();
        events
    }

    /// How many of its nodes go through the queue of a device that has but one.
    pub fn queued(&self) -> usize {
        let nodes = self.nodes.iter();
        nodes.filter(|node| node.operation.is_queued()).count()
    }

    /// Whether each node comes after the one before it: nothing in it can run at the same time.
    pub fn is_chain(&self) -> bool {
        let places = self.nodes.iter().enumerate().skip(1);
        places
            .into_iter()
            .all(|(place, node)| node.before.contains(&(place as u32 - 1)))
    }
}

impl OwnGraph {
    fn new(nodes: &[GraphNode], guests: GuestCalls) -> Self {
        let is_own = |place: usize| guests.nodes.get(place) == Some(&false);
        let own = nodes.iter().enumerate().filter(|(place, _)| is_own(*place));
        let reaches_out = own.clone().any(|(_, node)| node.reaches_out());
        let body: Vec<Vec<DeclaredUse>> = own.map(|(_, node)| node.uses.clone()).collect();
        let orders = nodes.iter().zip(&guests.before).enumerate();
        let orders = orders.map(|(place, (node, before))| NodeOrder {
            uses: if is_own(place) { &node.uses } else { &[] },
            before,
        });
        let conflicts = if reaches_out {
            Vec::new()
        } else {
            conflicts(orders)
        };
        Self {
            uses: of_graph(&body),
            reaches_out,
            conflicts,
            guests,
        }
    }
}

impl GraphNode {
    const fn reaches_out(&self) -> bool {
        matches!(
            self.operation,
            Operation::RecordExternal(_)
                | Operation::WaitExternal(_)
                | Operation::Allocate(_)
                | Operation::Free(_)
        )
    }
}

impl Replay {
    /// The span of the node at `place`.
    pub const fn span(&self, place: usize) -> SpanId {
        SpanId(self.first.0 + place as u32)
    }

    /// These conflicts inside of it, as the host thread `host` replays it on `stream`.
    pub fn hazards(
        &self,
        conflicts: &[NodeConflict],
        stream: StreamIndex,
        host: u32,
    ) -> Box<[Hazard]> {
        let party = |place: u32| HazardParty {
            origin: CallOrigin {
                site: self
                    .graph
                    .nodes
                    .get(place as usize)
                    .map_or(0, |node| node.call.0),
                span: self.span(place as usize),
            },
            actor: Actor::Stream(stream),
            host,
        };
        let hazard = |it: &NodeConflict| Hazard {
            kind: it.kind,
            relation: HazardRelation::Nodes,
            buffer: it.buffer,
            first: party(it.first),
            second: party(it.second),
        };
        conflicts.iter().map(hazard).collect()
    }

    /// Each node with its span, and with its span on the queue's lane where it has one.
    pub fn spans(&self) -> impl Iterator<Item = (&GraphNode, SpanId, SpanId)> {
        let mut queued = 0;
        self.graph
            .nodes
            .iter()
            .enumerate()
            .map(move |(place, node)| {
                let on_queue = if self.first_queued.is_some() && node.operation.is_queued() {
                    queued += 1;
                    SpanId(self.first_queued.0 + queued - 1)
                } else {
                    SpanId::NONE
                };
                (node, self.span(place), on_queue)
            })
    }
}

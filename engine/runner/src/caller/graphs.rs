//! Captures and graphs: calls on capturing streams become nodes, and a graph that is ready is one operation.

use std::sync::Arc;

use super::{Caller, CurrentCall};
use crate::launches::{CapturedCall, graph_id};
use crate::uses;
use backend::{BackendError, ExecutableGraph, GraphNode, Operation, Replay};
use device::capture::{CaptureError, CapturedGraph, StreamCaptures, Violation};
use order::{DeclaredUse, SyncOp};
use record::{
    CallId, DependencyKind, LaunchChange, LaunchInstance, LaunchNode, LaunchStep, NameId, Record,
    SpanId, StreamIndex,
};
use workload::{CaptureMode, ErrorKind, GraphIndex, SyncTarget};

impl Caller {
    /// Whether an operation was captured in place of being submitted (rule A36).
    pub(super) fn catch(
        &mut self,
        current: &CurrentCall,
        stream: StreamIndex,
        operation: &Operation,
    ) -> Result<bool, BackendError> {
        let shared = Arc::clone(&self.shared);
        let name = self.label_of_operation(operation, current);
        let mut uses = Vec::new();
        let act = uses::act(operation, stream, &mut uses);
        self.declare_uses(current.place, &act, &uses);
        let mut captures = shared.launches.captures();
        let caught = self.caught(current, &mut captures, (stream, operation), (name, &uses));
        // Now that a stream takes part which did not before, too.
        self.note_capturing(current, &captures, (stream, &act), &uses);
        drop(captures);
        let Some(words) = caught? else {
            return Ok(false);
        };
        self.say(current.span, "captured", &words);
        self.arguments
            .report(&shared, &self.reporter, current.span, operation);
        Ok(true)
    }

    /// What a call on a stream becomes in the capture that the stream takes part in, in words.
    fn caught(
        &self,
        current: &CurrentCall,
        captures: &mut StreamCaptures<CapturedCall>,
        (stream, operation): (StreamIndex, &Operation),
        (name, uses): (NameId, &[DeclaredUse]),
    ) -> Result<Option<String>, CaptureError> {
        let host = self.host.0 as u32;
        Ok(match operation {
            Operation::Record(event) => {
                let is_captured = captures.record(host, *event, stream)?;
                is_captured.then(|| "no operation: what waits for it comes after".to_owned())
            }
            Operation::Wait(event) => {
                let events = &self.shared.events;
                let is_recorded = events.latest(*event, |latest| latest.is_some());
                let is_recorded = is_recorded.unwrap_or(false);
                let waits = captures.wait(host, *event, stream, is_recorded);
                waits?.then(|| "no operation: an edge of the graph".to_owned())
            }
            Operation::Hold(_)
            | Operation::Replay(_)
            | Operation::Join(_)
            | Operation::Reset(_)
            | Operation::WaitFor(..)
            | Operation::Callback(_)
            | Operation::Collective(_)
            | Operation::Panic(_) => {
                captures.forbid(stream, operation.kind().label())?;
                None
            }
            _ => {
                let caught = || CapturedCall {
                    operation: operation.clone(),
                    uses: uses.to_vec(),
                    name,
                    call: CallId(current.place.call),
                    span: current.span,
                    stream,
                };
                let node = match operation {
                    Operation::Allocate(it) => captures.memory(host, stream, *it, false, caught)?,
                    Operation::Free(it) => captures.memory(host, stream, *it, true, caught)?,
                    _ => captures.node(host, stream, caught)?,
                };
                node.map(|node| format!("node {}", node.0))
            }
        })
    }

    /// Refuses a record or a wait that only a graph can hold, outside of captures (rule A42).
    pub(super) fn refuse_external(operation: &Operation) -> Result<(), BackendError> {
        if !matches!(
            operation,
            Operation::RecordExternal(_) | Operation::WaitExternal(_)
        ) {
            return Ok(());
        }
        let text = "external= makes a node of a graph, and this stream captures nothing: leave it out, or put the call \
                    between begin-capture and end-capture";
        Err(CaptureError::new(Violation::InvalidValue, text).into())
    }

    /// Whether a call that blocks or asks is possible while something captures.
    pub(super) fn mind_captures(&self, target: SyncTarget) -> Result<(), BackendError> {
        let launches = &self.shared.launches;
        if !launches.is_capturing() {
            return Ok(());
        }
        let host = self.host.0 as u32;
        let mut captures = launches.captures();
        Ok(match target {
            SyncTarget::Event(event) => captures.ask(host, event, "asking for an event"),
            SyncTarget::Stream(stream) => captures.synchronize_stream(stream),
            SyncTarget::Device => captures.synchronize_device(),
        }?)
    }

    /// Whether a call that may be unsafe while something captures is possible.
    pub(super) fn mind_unsafe(&self, verb: &str) -> Result<(), BackendError> {
        let launches = &self.shared.launches;
        if launches.is_capturing() {
            launches.captures().unsafe_call(self.host.0 as u32, verb)?;
        }
        Ok(())
    }

    pub(super) fn begin_capture(
        &self,
        current: &CurrentCall,
        stream: StreamIndex,
        mode: CaptureMode,
    ) -> Result<(), BackendError> {
        let launches = &self.shared.launches;
        let mut captures = launches.captures();
        let by = (self.host.0 as u32, current.place.call);
        captures.begin(by, stream, mode)?;
        self.note(current, SyncOp::Capturing(stream, by.1));
        launches.begin();
        Ok(())
    }

    pub(super) fn end_capture(
        &self,
        current: &CurrentCall,
        stream: StreamIndex,
        index: GraphIndex,
    ) -> Result<(), BackendError> {
        let launches = &self.shared.launches;
        let ended = {
            let mut captures = launches.captures();
            if let Some((_, capture)) = captures.begun_by(stream) {
                self.note(current, SyncOp::Capturing(stream, capture));
            }
            captures.end(self.host.0 as u32, stream)
        };
        let Some(mut graph) = launches.graph(index) else {
            return Err(unknown(index));
        };
        match ended {
            Ok(captured) => {
                graph.revision += 1;
                let change = (LaunchChange::Captured, graph.revision);
                self.report_graph(current, index, change, &captured, String::new());
                graph.captured = Some(Arc::new(captured));
                Ok(())
            }
            Err(error) => {
                let nothing = CapturedGraph {
                    nodes: Vec::new(),
                    before: Vec::new(),
                    guests: None,
                };
                let change = (LaunchChange::Failed, graph.revision);
                self.report_graph(current, index, change, &nothing, error.to_string());
                Err(error.into())
            }
        }
    }

    pub(super) fn instantiate(
        &self,
        current: &CurrentCall,
        index: GraphIndex,
    ) -> Result<(), BackendError> {
        self.prepare(current, index, LaunchChange::Instantiated)
    }

    /// The nodes that were captured since take the place of those that are ready: the same graph, other arguments.
    pub(super) fn update(
        &self,
        current: &CurrentCall,
        index: GraphIndex,
    ) -> Result<(), BackendError> {
        let Some(graph) = self.shared.launches.graph(index) else {
            return Err(unknown(index));
        };
        let Some((ready, ..)) = &graph.ready else {
            return Err(self.not_made(index, "instantiate"));
        };
        let ready = Arc::clone(ready);
        let captured = graph.captured.clone();
        drop(graph);
        if let Some(reason) = captured.and_then(|captured| differs(&ready, &captured)) {
            let text = format!(
                "the graph that is ready stays as it is, because {reason}: instantiate the new one in its place"
            );
            return Err(CaptureError::new(Violation::Update, text).into());
        }
        self.prepare(current, index, LaunchChange::Updated)
    }

    fn prepare(
        &self,
        current: &CurrentCall,
        index: GraphIndex,
        change: LaunchChange,
    ) -> Result<(), BackendError> {
        self.mind_unsafe("making a graph ready")?;
        let launches = &self.shared.launches;
        let Some(mut graph) = launches.graph(index) else {
            return Err(unknown(index));
        };
        let Some(captured) = graph.captured.clone() else {
            return Err(self.not_made(index, "end-capture"));
        };
        let nodes = captured.nodes.iter().zip(&captured.before);
        let nodes = nodes.map(|(caught, before)| {
            Ok(GraphNode {
                operation: self.ready(&caught.operation)?,
                name: caught.name,
                call: caught.call,
                before: before.clone(),
                uses: caught.uses.clone(),
                after: Vec::new(),
            })
        });
        let nodes = nodes.collect::<Result<Vec<_>, BackendError>>()?;
        let executable = ExecutableGraph::new(nodes, captured.guests.clone());
        graph.revision += 1;
        let revision = graph.revision;
        graph.ready = Some((Arc::new(executable), launches.generation(), revision));
        self.report_graph(current, index, (change, revision), &captured, String::new());
        Ok(())
    }

    /// An operation whose launch the device keeps ready.
    fn ready(&self, operation: &Operation) -> Result<Operation, BackendError> {
        Ok(match operation {
            Operation::Launch(launch) => {
                let packed = self.shared.device.pack(launch.as_ref().clone(), None)?;
                Operation::Packed(packed)
            }
            other => other.clone(),
        })
    }

    /// Rule A43: one operation of the stream. Rule B9: it uses what all of its nodes do.
    pub(super) fn replay(
        &mut self,
        current: &CurrentCall,
        index: GraphIndex,
        stream: StreamIndex,
    ) -> Result<(), BackendError> {
        let launches = &self.shared.launches;
        let ready = launches.graph(index).and_then(|graph| graph.ready.clone());
        let Some((graph, generation, revision)) = ready else {
            return Err(self.not_made(index, "instantiate"));
        };
        if generation != launches.generation() {
            let reason = "the graph was made ready before the device was opened anew, and its buffers are gone: capture \
                          and instantiate it again";
            return Err(BackendError::call(ErrorKind::StaleArgument, reason));
        }
        self.refuse_replay(&graph)?;
        let replay = Replay {
            graph,
            place: index.0,
            first: SpanId::NONE,
            first_queued: SpanId::NONE,
        };
        let operation = Operation::Replay(Box::new(replay));
        let operation = self.submit(current, stream, operation)?;
        if operation.is_some() {
            self.reporter.send(Record::Relaunch(LaunchInstance {
                operation,
                call: current.span,
                launch: graph_id(&self.shared.plan, index),
                revision,
            }));
        }
        Ok(())
    }

    /// Numbers the nodes of a replay, each a span of its own, and ties them: to the call, and along the edges.
    pub(super) fn number_nodes(&self, current: &CurrentCall, replay: &mut Replay) {
        let shared = &self.shared;
        replay.first = shared.next_spans(replay.graph.nodes.len());
        if shared.queue_lane().is_some() {
            replay.first_queued = shared.next_spans(replay.graph.queued());
        }
        for (node, span, queued) in replay.spans() {
            self.report_dependency(current.span, span, DependencyKind::Submission);
            self.report_label(span, node.call);
            for before in &node.before {
                self.report_dependency(replay.span(*before as usize), span, DependencyKind::Edge);
            }
            if queued.is_some() {
                self.report_dependency(span, queued, DependencyKind::Step);
            }
        }
    }

    fn report_graph(
        &self,
        current: &CurrentCall,
        index: GraphIndex,
        (change, revision): (LaunchChange, u32),
        captured: &CapturedGraph<CapturedCall>,
        detail: String,
    ) {
        let shared = &self.shared;
        let nodes = captured.nodes.iter().zip(&captured.before);
        let nodes = nodes.map(|(caught, before)| LaunchNode {
            name: shared.names.text(caught.name),
            lane: shared.stream_lane(caught.stream),
            span: caught.span,
            before: before.clone(),
        });
        let step = LaunchStep {
            launch: graph_id(&shared.plan, index),
            revision,
            change,
            time: current.start,
            span: current.span,
            kernel: String::new(),
            elements: None,
            arguments: Vec::new(),
            nodes: nodes.collect(),
            detail,
        };
        self.reporter.send(Record::LaunchStep(Box::new(step)));
    }

    fn not_made(&self, index: GraphIndex, verb: &str) -> BackendError {
        let name = self.shared.plan.graphs.get(index.index());
        let name = name.map_or("?", |name| name);
        let reason = format!("the graph “{name}” is not ready for this: {verb} comes first");
        BackendError::call(ErrorKind::NotMade, reason)
    }
}

/// Why nodes cannot take the place of those that are ready.
fn differs(ready: &ExecutableGraph, captured: &CapturedGraph<CapturedCall>) -> Option<String> {
    let (old, new) = (ready.nodes.len(), captured.nodes.len());
    if old != new {
        return Some(format!("it has {old} nodes and the new one {new}"));
    }
    let pairs = ready
        .nodes
        .iter()
        .zip(captured.nodes.iter().zip(&captured.before));
    pairs.enumerate().find_map(|(place, (old, (new, before)))| {
        if old.before != *before {
            return Some(format!(
                "node {place} comes after other nodes in the new one"
            ));
        }
        let (old, new) = (old.operation.kind(), new.operation.kind());
        (old != new).then(|| {
            let (old, new) = (old.label(), new.label());
            format!("node {place} is of the kind {old}, and of the kind {new} in the new one")
        })
    })
}

fn unknown(index: GraphIndex) -> BackendError {
    BackendError::Unknown(format!("graph {}", index.0))
}

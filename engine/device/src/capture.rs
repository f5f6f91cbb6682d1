//! Calls that are captured into a graph: which streams take part, what each call comes after, and what is forbidden
//! meanwhile (rules A36 to A41).
//!
//! Nothing executes while a stream captures (A36): each call on it becomes a node. A stream that waits for an event
//! which was recorded on a capturing stream takes part from then on, and must be joined back before the end (A37). The
//! rules come from CUDA; where a call breaks one, the capture is void unless the rule says otherwise, and its end says so.

mod event;
mod other_hosts;
mod queries;
#[cfg(test)]
mod tests;
mod violation;

pub use other_hosts::GuestCalls;
pub use violation::{CaptureError, Violation};

use record::{BufferIndex, EventIndex, StreamIndex};
use std::collections::{BTreeMap, BTreeSet};

use order::{NodeIndex, StreamOrderTraits, Topology};
use workload::CaptureMode;

/// Every capture that is under way.
#[derive(Clone, Debug)]
pub struct StreamCaptures<P> {
    open: BTreeMap<u32, StreamCapture<P>>,
    /// The capture that each stream takes part in.
    streams: BTreeMap<StreamIndex, u32>,
    /// Events whose latest record is in a capture, which may have ended since.
    events: BTreeMap<EventIndex, CapturedRecord>,
    /// Memory that captured graphs allocate and do not free.
    graph_memory: BTreeSet<BufferIndex>,
    traits: Vec<StreamOrderTraits>,
    begun: u32,
}

/// A capture that is under way.
#[derive(Clone, Debug)]
struct StreamCapture<P> {
    origin: StreamIndex,
    host: u32,
    /// The call that began it.
    call: u32,
    mode: CaptureMode,
    topology: Topology,
    /// The same without what other host threads called into it, whose nodes are apart.
    own: Topology,
    /// For each node, whether it is of another host thread.
    guests: Vec<bool>,
    has_guests: bool,
    /// The nodes that allocated memory which nothing in the capture freed.
    allocations: BTreeMap<BufferIndex, NodeIndex>,
    nodes: Vec<P>,
    /// What made it void.
    void: Option<CaptureError>,
}

/// A record of an event in a capture.
#[derive(Clone, Debug)]
struct CapturedRecord {
    capture: u32,
    frontier: BTreeSet<NodeIndex>,
    /// The same without what other host threads called, where it is a record of the one that began the capture.
    own: BTreeSet<NodeIndex>,
}

/// What was captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedGraph<P> {
    /// The calls, in the order in which they were made.
    pub nodes: Vec<P>,
    /// For each, the positions of those that it comes right after.
    pub before: Vec<Vec<u32>>,
    /// What of it other host threads called than the one that began it, where some did.
    pub guests: Option<GuestCalls>,
}

impl<P> StreamCaptures<P> {
    /// No capture; streams by their places.
    pub const fn new(traits: Vec<StreamOrderTraits>) -> Self {
        Self {
            open: BTreeMap::new(),
            streams: BTreeMap::new(),
            events: BTreeMap::new(),
            graph_memory: BTreeSet::new(),
            traits,
            begun: 0,
        }
    }

    /// Whether a capture was ever begun: if not, no call has to be looked at.
    pub const fn is_used(&self) -> bool {
        self.begun > 0
    }

    /// A host thread begins to capture what `stream` is given, by a call of this number.
    ///
    /// # Errors
    /// The stream captures already, or is the legacy stream (rule A36).
    pub fn begin(
        &mut self,
        (host, call): (u32, u32),
        stream: StreamIndex,
        mode: CaptureMode,
    ) -> Result<(), CaptureError> {
        if self.traits(stream).is_legacy {
            let text = "the legacy stream cannot capture: every other stream would have to; use one of your own";
            return Err(CaptureError::new(Violation::Unsupported, text));
        }
        if self.streams.contains_key(&stream) {
            let text = "this stream captures already: end that capture first";
            return Err(CaptureError::new(Violation::IllegalState, text));
        }
        self.begun += 1;
        self.streams.insert(stream, self.begun);
        let capture = StreamCapture {
            origin: stream,
            host,
            call,
            mode,
            topology: Topology::begin(stream),
            own: Topology::begin(stream),
            guests: Vec::new(),
            has_guests: false,
            allocations: BTreeMap::new(),
            nodes: Vec::new(),
            void: None,
        };
        self.open.insert(self.begun, capture);
        Ok(())
    }

    /// A host thread ends the capture that it began on `stream`.
    ///
    /// # Errors
    /// None was begun there, or by another thread; the capture goes on then. Or a stream was not joined back, or the
    /// capture is void: it is over then, with no graph (rules A36 to A38).
    pub fn end(
        &mut self,
        host: u32,
        stream: StreamIndex,
    ) -> Result<CapturedGraph<P>, CaptureError> {
        let Some(&id) = self.streams.get(&stream) else {
            let text = "this stream captures nothing: begin a capture on it first";
            return Err(CaptureError::new(Violation::IllegalState, text));
        };
        let refusal = self
            .open
            .get(&id)
            .and_then(|capture| refused(capture, host, stream));
        if let Some(refusal) = refusal {
            return Err(refusal);
        }
        self.streams.retain(|_, taken| *taken != id);
        let Some(capture) = self.open.remove(&id) else {
            return Err(CaptureError::new(
                Violation::IllegalState,
                "no such capture",
            ));
        };
        if let Some(cause) = capture.void {
            let text = format!(
                "there is no graph, because an earlier call made the capture void: {cause}"
            );
            return Err(CaptureError::new(Violation::Invalidated, text));
        }
        let unjoined = capture.topology.unjoined(stream);
        if !unjoined.is_empty() {
            let nodes = unjoined.len();
            let text = format!(
                "there is no graph, because {nodes} captured on streams that joined {} not joined back; join now: \
                 record an event on each, and let the stream that began wait for it before its end-capture",
                if nodes == 1 { "call is" } else { "calls are" }
            );
            return Err(CaptureError::new(Violation::Unjoined, text));
        }
        self.graph_memory.extend(capture.allocations.keys());
        let count = capture.nodes.len() as u32;
        let before = (0..count).map(|node| capture.topology.before(NodeIndex(node)));
        Ok(CapturedGraph {
            before: before.collect(),
            guests: capture.guest_calls(),
            nodes: capture.nodes,
        })
    }

    /// A call of a host thread on `stream`: a node of the capture that the stream takes part in, where it does.
    ///
    /// # Errors
    /// The capture is void, or the stream is the legacy one while a blocking stream captures (rule A39).
    pub fn node(
        &mut self,
        host: u32,
        stream: StreamIndex,
        node: impl FnOnce() -> P,
    ) -> Result<Option<NodeIndex>, CaptureError> {
        let Some(id) = self.enter(stream)? else {
            return Ok(None);
        };
        let Some(capture) = self.open.get_mut(&id) else {
            return Ok(None);
        };
        capture.nodes.push(node());
        Ok(Some(capture.add(host, |it| it.node(stream))))
    }

    /// A call on `stream` that allocates memory of the graph's own, or frees it (rule A44): the free comes after all that
    /// may use the memory, and before what follows on streams that do.
    ///
    /// # Errors
    /// As for [`StreamCaptures::node`]; or a capture frees what no graph allocated, which `cuMemFreeAsync` refuses. The capture
    /// goes on then.
    pub fn memory(
        &mut self,
        host: u32,
        stream: StreamIndex,
        buffer: BufferIndex,
        is_free: bool,
        node: impl FnOnce() -> P,
    ) -> Result<Option<NodeIndex>, CaptureError> {
        let Some(id) = self.enter(stream)? else {
            self.graph_memory.remove(&buffer);
            return Ok(None);
        };
        let Some(capture) = self.open.get_mut(&id) else {
            return Ok(None);
        };
        let is_known =
            capture.allocations.contains_key(&buffer) || self.graph_memory.remove(&buffer);
        if is_free && !is_known {
            let text = "a graph frees only memory that a graph allocated: allocate it in the capture, or free it outside";
            return Err(CaptureError::new(Violation::InvalidValue, text));
        }
        capture.nodes.push(node());
        let allocation = capture.allocations.remove(&buffer).filter(|_| is_free);
        let made = match allocation {
            Some(allocation) => capture.add(host, |it| it.free(allocation)),
            None => capture.add(host, |it| it.node(stream)),
        };
        if !is_free {
            capture.allocations.insert(buffer, made);
        }
        Ok(Some(made))
    }

    /// A call on `stream` that no graph can hold.
    ///
    /// # Errors
    /// The stream captures, and the capture is void then (rule A36); or as for [`StreamCaptures::node`].
    pub fn forbid(&mut self, stream: StreamIndex, what: &str) -> Result<(), CaptureError> {
        let Some(id) = self.enter(stream)? else {
            return Ok(());
        };
        let text = format!(
            "a graph cannot hold an operation of the kind {what}: put it before the capture or after it"
        );
        Err(self.void(&[id], CaptureError::new(Violation::Unsupported, text)))
    }

    /// The host thread and the call that began the capture in which `stream` takes part.
    pub fn begun_by(&self, stream: StreamIndex) -> Option<(u32, u32)> {
        let capture = self.open.get(self.streams.get(&stream)?)?;
        Some((capture.host, capture.call))
    }

    /// Whether `stream` takes part in a capture.
    pub fn is_capturing(&self, stream: StreamIndex) -> bool {
        self.streams.contains_key(&stream)
    }

    /// The capture that a call on `stream` belongs to.
    fn enter(&mut self, stream: StreamIndex) -> Result<Option<u32>, CaptureError> {
        if let Some(&id) = self.streams.get(&stream) {
            let void = self.open.get(&id).and_then(|capture| capture.void.as_ref());
            return match void {
                Some(cause) => {
                    let text = format!(
                        "the capture of this stream is void, so that nothing is captured: {cause}"
                    );
                    Err(CaptureError::new(Violation::Invalidated, text))
                }
                None => Ok(Some(id)),
            };
        }
        if self.traits(stream).is_legacy {
            self.mind_legacy()?;
        }
        Ok(None)
    }

    /// Rule A39: the legacy stream would wait for every blocking stream, also for those that capture.
    fn mind_legacy(&mut self) -> Result<(), CaptureError> {
        let is_blocking = |stream: &StreamIndex| self.traits(*stream).is_blocking;
        let taking_part = self.streams.iter();
        let found = taking_part.filter(|(stream, _)| is_blocking(stream));
        let captures: Vec<u32> = found.map(|(_, id)| *id).collect();
        if captures.is_empty() {
            return Ok(());
        }
        let text = "the legacy stream waits for every blocking stream, and one of them captures: use another stream, or \
                    end the capture first";
        Err(self.void(&captures, CaptureError::new(Violation::Implicit, text)))
    }

    /// Makes captures void, and gives the error back.
    fn void(&mut self, captures: &[u32], error: CaptureError) -> CaptureError {
        for id in captures {
            if let Some(capture) = self.open.get_mut(id) {
                capture.void.get_or_insert_with(|| error.clone());
            }
        }
        error
    }

    fn traits(&self, stream: StreamIndex) -> StreamOrderTraits {
        self.traits.get(stream.index()).copied().unwrap_or_default()
    }
}

/// Why a capture cannot be ended this way; it goes on.
fn refused<P>(capture: &StreamCapture<P>, host: u32, stream: StreamIndex) -> Option<CaptureError> {
    if capture.origin != stream {
        let text = "this stream only joined the capture: end it on the stream that it was begun on";
        return Some(CaptureError::new(Violation::Unmatched, text));
    }
    if capture.host != host && capture.mode != CaptureMode::Relaxed {
        let text = "another host thread began this capture: end it there, or begin it with mode=\"relaxed\"";
        return Some(CaptureError::new(Violation::WrongThread, text));
    }
    None
}

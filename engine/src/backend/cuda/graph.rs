//! Graphs of the driver: captured from streams as a program would, made ready, updated, and replayed.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use cudarc::driver::sys::CUstreamCaptureMode;

use super::body::Body;
use super::code::Code;
use super::context::{Context, Raw};
use super::event::Event;
use super::give::{Functions, give};
use super::lane::Lane;
use super::stream::Stream;
use crate::backend::threads::{Fault, Landed};
use crate::backend::{EventLayout, Executable, Operation};
use crate::device::lock;
use crate::time::{Interval, Nanos};
use crate::workload::StreamTraits;

/// A graph that is ready to run, with what keeps the time of its nodes. It runs once at a time.
pub struct Instance {
    raw: Raw,
    context: Arc<Context>,
    /// For each node, events at its begin and its end.
    stamps: Vec<[Event; 2]>,
    functions: Functions,
    is_busy: AtomicBool,
}

/// What was made ready.
#[derive(Default)]
pub struct Graphs(Mutex<Vec<(Arc<Executable>, Arc<Instance>)>>);

impl Graphs {
    /// An instance of `graph` that does not run; it can be taken again once it was asked when its nodes ran.
    ///
    /// # Errors
    /// What the driver says.
    pub fn take(
        &self,
        body: &Body,
        lane: &Lane,
        graph: &Arc<Executable>,
    ) -> Result<Arc<Instance>, Code> {
        let mut all = lock(&self.0);
        let free = all
            .iter()
            .find(|(of, instance)| Arc::ptr_eq(of, graph) && !instance.is_busy.swap(true, SeqCst));
        if let Some((_, instance)) = free {
            return Ok(Arc::clone(instance));
        }
        // One that nobody can replay any more gives way: the same graph with other arguments is an update.
        let old = all.iter().position(|(of, instance)| {
            Arc::strong_count(of) == 1
                && is_alike(of, graph)
                && !instance.is_busy.load(SeqCst)
                && Arc::strong_count(instance) == 1
        });
        let old = old.map(|place| all.swap_remove(place).1);
        let old = old.and_then(|instance| Arc::try_unwrap(instance).ok());
        let instance = Arc::new(Instance::new(body, lane, graph, old)?);
        all.push((Arc::clone(graph), Arc::clone(&instance)));
        Ok(instance)
    }
}

/// Whether two graphs have the same nodes, but for their arguments.
fn is_alike(one: &Executable, other: &Executable) -> bool {
    let nodes = |it: &Executable| -> Vec<_> {
        let nodes = it.nodes.iter();
        nodes
            .map(|node| (node.operation.kind(), node.before.clone()))
            .collect()
    };
    nodes(one) == nodes(other)
}

impl Instance {
    fn new(body: &Body, lane: &Lane, of: &Executable, old: Option<Self>) -> Result<Self, Code> {
        let context = &body.context;
        let (kept, stamps) = if let Some(mut old) = old {
            (Some(old.taken()), std::mem::take(&mut old.stamps))
        } else {
            let event = || Event::new(context, EventLayout::default());
            let stamps = of.nodes.iter().map(|_| Ok([event()?, event()?]));
            (None, stamps.collect::<Result<Vec<_>, Code>>()?)
        };
        let mut functions = Vec::new();
        let graph = capture(body, lane, of, &stamps, &mut functions)?;
        let mut made = Self {
            raw: kept.unwrap_or(Raw(ptr::null_mut())),
            context: Arc::clone(context),
            stamps,
            functions,
            is_busy: AtomicBool::new(true),
        };
        let ready = made.ready(&graph);
        // SAFETY: it is given back once; what was made ready of it stays.
        context.release(|api| unsafe { (api.graph_destroy)(graph.0) });
        ready.map(|()| made)
    }

    /// Updates the instance to `graph`, or makes a new one where that is not possible.
    fn ready(&mut self, graph: &Raw) -> Result<(), Code> {
        let mut answer = [0_u64; 8];
        if !self.raw.0.is_null() {
            let updated = self.context.call(|api| {
                // SAFETY: both live, and what is written of the outcome is a number and two handles.
                unsafe { (api.graph_update)(self.raw.0, graph.0, answer.as_mut_ptr().cast()) }
            });
            if updated.is_ok() {
                return Ok(());
            }
            let old = self.taken();
            // SAFETY: it does not run, and is given back once.
            self.context
                .release(|api| unsafe { (api.instance_destroy)(old.0) });
        }
        let mut instance = ptr::null_mut();
        self.context.call(|api| {
            // SAFETY: the graph lives, and the driver writes one handle.
            unsafe { (api.graph_instantiate)(&raw mut instance, graph.0, 0) }
        })?;
        self.raw = Raw(instance);
        Ok(())
    }

    const fn taken(&mut self) -> Raw {
        std::mem::replace(&mut self.raw, Raw(ptr::null_mut()))
    }

    /// Runs it on `stream`.
    ///
    /// # Errors
    /// What the driver says.
    pub fn launch(&self, stream: &Stream) -> Result<(), Code> {
        // SAFETY: both live, and it does not run elsewhere.
        self.context
            .call(|api| unsafe { (api.graph_launch)(self.raw.0, stream.raw().0) })
    }

    /// When its nodes ran, once it has ended; `at` gives the time of an event.
    ///
    /// # Errors
    /// What the driver says.
    pub fn landed(
        &self,
        at: &dyn Fn(&Event) -> Result<Nanos, Fault>,
    ) -> Result<Vec<Landed>, Fault> {
        let ran = |[start, end]: &[Event; 2]| {
            let (start, end) = (at(start)?, at(end)?);
            let interval = Interval {
                start,
                end: end.max(start),
            };
            Ok(Some((interval, Ok(()))))
        };
        let landed = self.stamps.iter().map(ran).collect();
        self.is_busy.store(false, SeqCst);
        landed
    }

    /// Whether a function of the host that it called was cut short.
    pub fn was_cut(&self) -> bool {
        self.functions.iter().any(|function| function.was_cut())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if !self.raw.0.is_null() {
            // SAFETY: it is given back once; the driver lets it end where it runs.
            self.context
                .release(|api| unsafe { (api.instance_destroy)(self.raw.0) });
        }
    }
}

/// Streams that a graph is captured with, and what each has come to.
struct Web<'a> {
    context: &'a Arc<Context>,
    streams: Vec<Stream>,
    /// The node that each stream had last.
    last: Vec<Option<usize>>,
    /// The stream of each node so far, and the event behind it.
    nodes: Vec<(usize, Event)>,
    fork: Event,
}

/// Captures the nodes of `of`, each between its two stamps.
fn capture(
    body: &Body,
    lane: &Lane,
    of: &Executable,
    stamps: &[[Event; 2]],
    functions: &mut Functions,
) -> Result<Raw, Code> {
    let context = &body.context;
    let mut web = Web {
        context,
        streams: vec![Stream::new(context, StreamTraits::default(), 0)?],
        last: vec![None],
        nodes: Vec::new(),
        fork: untimed(context)?,
    };
    let origin = web
        .streams
        .first()
        .map_or(Raw(ptr::null_mut()), Stream::raw);
    let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED as i32;
    // SAFETY: the stream lives, and nothing is captured on it.
    context.call(|api| unsafe { (api.capture_begin)(origin.0, mode) })?;
    let told = web.tell(body, lane, of, stamps, functions);
    let mut graph = ptr::null_mut();
    // SAFETY: the stream lives and captures, and the driver writes one handle.
    let ended = context.call(|api| unsafe { (api.capture_end)(origin.0, &raw mut graph) });
    told.and(ended).map(|()| Raw(graph))
}

fn untimed(context: &Arc<Context>) -> Result<Event, Code> {
    Event::new(
        context,
        EventLayout {
            timing: false,
            ..EventLayout::default()
        },
    )
}

impl Web<'_> {
    fn tell(
        &mut self,
        body: &Body,
        lane: &Lane,
        of: &Executable,
        stamps: &[[Event; 2]],
        functions: &mut Functions,
    ) -> Result<(), Code> {
        self.record(0, &self.fork)?;
        for (place, (node, [start, end])) in of.nodes.iter().zip(stamps).enumerate() {
            let before: Vec<usize> = node.before.iter().map(|it| *it as usize).collect();
            let on = self.stream_after(&before)?;
            let Some(stream) = self.streams.get(on) else {
                continue;
            };
            stream.record(start, true)?;
            give(body, lane, stream, &node.operation, Some(functions))?;
            stream.record(end, true)?;
            let event = untimed(self.context)?;
            stream.record(&event, false)?;
            self.nodes.push((on, event));
            if let Some(last) = self.last.get_mut(on) {
                *last = Some(place);
            }
        }
        // Every stream comes back to the first one.
        let ends = self.last.iter().skip(1).flatten();
        ends.filter_map(|last| self.nodes.get(*last))
            .try_for_each(|(_, event)| self.wait(0, event))
    }

    /// The stream for a node that comes after these: that of one of them which nothing came after, or a new one.
    fn stream_after(&mut self, before: &[usize]) -> Result<usize, Code> {
        let goes_on = before.iter().find_map(|node| {
            let (stream, _) = self.nodes.get(*node)?;
            (self.last.get(*stream) == Some(&Some(*node))).then_some(*stream)
        });
        let fresh = (self.nodes.is_empty() && before.is_empty()).then_some(0);
        let on = if let Some(stream) = goes_on.or(fresh) {
            stream
        } else {
            let stream = Stream::new(self.context, StreamTraits::default(), 0)?;
            self.streams.push(stream);
            self.last.push(None);
            let place = self.streams.len() - 1;
            self.wait(place, &self.fork)?;
            place
        };
        for node in before {
            if let Some((_, event)) = self.nodes.get(*node) {
                self.wait(on, event)?;
            }
        }
        Ok(on)
    }

    fn record(&self, stream: usize, event: &Event) -> Result<(), Code> {
        self.streams
            .get(stream)
            .map_or(Ok(()), |it| it.record(event, false))
    }

    fn wait(&self, stream: usize, event: &Event) -> Result<(), Code> {
        self.streams.get(stream).map_or(Ok(()), |it| it.wait(event))
    }
}

/// Whether the driver can hold a graph: one that streams outside see into is run by the engine, node by node.
pub fn can_hold(of: &Executable) -> bool {
    let is_plain = |operation: &Operation| super::give::takes(operation);
    !of.reaches_out && of.nodes.iter().all(|node| is_plain(&node.operation))
}

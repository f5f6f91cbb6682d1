//! Graphs of the driver: captured from streams as a program would, made ready, updated, and replayed.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

mod capture;
mod times;

use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use self::capture::{NodeTimingMethod, capture};
use self::times::{GraphTiming, NodeTiming, PendingNodeTimes, parts};
use super::code::DriverErrorCode;
use super::context::{CudaContext, SharedHandle};
use super::cupti::{CuptiGraphTimes, CuptiSubscription};
use super::device_state::CudaDeviceState;
use super::event::CudaEvent;
use super::stream::CudaStream;
use super::stream_slot::CudaStreamSlot;
use super::submit::HostFunctions;
use crate::threads::{ExecutionError, NodeOutcome, PendingTimestamp, TimeOrigin};
use crate::{EventLayout, ExecutableGraph, Operation};
use device::lock;
use record::time::{Interval, Nanos};

/// A graph that is ready to run, with what keeps the time of its nodes. It runs once at a time.
pub struct GraphInstance {
    raw: SharedHandle,
    context: Arc<CudaContext>,
    times: GraphTiming,
    functions: HostFunctions,
    is_busy: AtomicBool,
}

/// What was made ready.
#[derive(Default)]
pub struct InstantiatedGraphs(Mutex<Vec<(Arc<ExecutableGraph>, Arc<GraphInstance>)>>);

impl InstantiatedGraphs {
    /// An instance of `graph` that does not run; it can be taken again once it was asked when its nodes ran.
    ///
    /// # Errors
    /// What the driver says.
    pub fn take(
        &self,
        body: &CudaDeviceState,
        lane: &CudaStreamSlot,
        graph: &Arc<ExecutableGraph>,
    ) -> Result<Arc<GraphInstance>, DriverErrorCode> {
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
        let instance = Arc::new(GraphInstance::new(body, lane, graph, old)?);
        all.push((Arc::clone(graph), Arc::clone(&instance)));
        Ok(instance)
    }
}

/// Whether two graphs have the same nodes, but for their arguments.
fn is_alike(one: &ExecutableGraph, other: &ExecutableGraph) -> bool {
    let nodes = |it: &ExecutableGraph| -> Vec<_> {
        let nodes = it.nodes.iter();
        nodes
            .map(|node| (node.operation.kind(), node.before.clone()))
            .collect()
    };
    nodes(one) == nodes(other)
}

impl GraphInstance {
    fn new(
        body: &CudaDeviceState,
        lane: &CudaStreamSlot,
        of: &ExecutableGraph,
        old: Option<Self>,
    ) -> Result<Self, DriverErrorCode> {
        let is_told = old.as_ref().is_none_or(Self::is_told);
        let activity = body.activity.filter(|it| is_told && it.names_nodes());
        let Some(activity) = activity else {
            return Self::stamped(body, lane, of, old);
        };
        // Where it is not known which node a record will be of, events around each have to do.
        match Self::with_cupti_times(body, lane, of, old, activity)? {
            Some(told) => Ok(told),
            None => Self::stamped(body, lane, of, None),
        }
    }

    /// One whose nodes' times CUPTI tells; nothing where it does not say which nodes they are.
    fn with_cupti_times(
        body: &CudaDeviceState,
        lane: &CudaStreamSlot,
        of: &ExecutableGraph,
        old: Option<Self>,
        activity: &CuptiSubscription,
    ) -> Result<Option<Self>, DriverErrorCode> {
        let (kept, known) = match old {
            Some(mut old) => (old.taken(), old.parts()),
            None => (SharedHandle(ptr::null_mut()), Vec::new()),
        };
        let captured = capture(body, lane, of, NodeTimingMethod::Names(activity))?;
        let made = Self::empty(body, kept, captured.functions);
        let (made, clones) = activity.watching_nodes(|| made.ready_with(&captured.graph));
        let mut made = made?;
        let Some(parts) = parts(of, captured.made, &clones, &known) else {
            return Ok(None);
        };
        made.times = GraphTiming::Told(parts);
        Ok(Some(made))
    }

    /// One whose nodes' times are kept by events around each.
    fn stamped(
        body: &CudaDeviceState,
        lane: &CudaStreamSlot,
        of: &ExecutableGraph,
        mut old: Option<Self>,
    ) -> Result<Self, DriverErrorCode> {
        let event = || CudaEvent::new(&body.context, EventLayout::default());
        let known = old.as_mut().and_then(|old| match &mut old.times {
            GraphTiming::Events(stamps) => Some(std::mem::take(stamps)),
            GraphTiming::Told(_) => None,
        });
        let stamps = if let Some(stamps) = known {
            stamps
        } else {
            let stamps = of.nodes.iter().map(|_| Ok([event()?, event()?]));
            stamps.collect::<Result<Vec<_>, DriverErrorCode>>()?
        };
        let kept = old.map_or(SharedHandle(ptr::null_mut()), |mut old| old.taken());
        let captured = capture(body, lane, of, NodeTimingMethod::Stamps(&stamps))?;
        let mut made = Self::empty(body, kept, captured.functions).ready_with(&captured.graph)?;
        made.times = GraphTiming::Events(stamps);
        Ok(made)
    }

    fn empty(body: &CudaDeviceState, raw: SharedHandle, functions: HostFunctions) -> Self {
        Self {
            raw,
            context: Arc::clone(&body.context),
            times: GraphTiming::Told(Vec::new()),
            functions,
            is_busy: AtomicBool::new(true),
        }
    }

    /// Whether CUPTI tells when its nodes ran.
    pub const fn is_told(&self) -> bool {
        matches!(self.times, GraphTiming::Told(_))
    }

    fn ready_with(mut self, graph: &SharedHandle) -> Result<Self, DriverErrorCode> {
        let ready = self.ready(graph);
        // SAFETY: it is given back once; what was made ready of it stays.
        self.context
            .release(|api| unsafe { (api.graph_destroy)(graph.0) });
        ready.map(|()| self)
    }

    /// Updates the instance to `graph`, or makes a new one where that is not possible.
    fn ready(&mut self, graph: &SharedHandle) -> Result<(), DriverErrorCode> {
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
        self.raw = SharedHandle(instance);
        Ok(())
    }

    /// Who knows when its nodes ran, where CUPTI does.
    fn parts(&mut self) -> Vec<NodeTiming> {
        match &mut self.times {
            GraphTiming::Told(parts) => std::mem::take(parts),
            GraphTiming::Events(_) => Vec::new(),
        }
    }

    const fn taken(&mut self) -> SharedHandle {
        std::mem::replace(&mut self.raw, SharedHandle(ptr::null_mut()))
    }

    /// Runs it on `stream`.
    ///
    /// # Errors
    /// What the driver says.
    pub fn launch(&self, stream: &CudaStream) -> Result<(), DriverErrorCode> {
        // SAFETY: both live, and it does not run elsewhere.
        self.context
            .call(|api| unsafe { (api.graph_launch)(self.raw.0, stream.raw().0) })
    }

    /// When its nodes ran, once it has ended, where events keep that; `at` gives the time of one.
    ///
    /// # Errors
    /// What the driver says.
    pub fn landed(
        &self,
        at: &dyn Fn(&CudaEvent) -> Result<Nanos, ExecutionError>,
    ) -> Result<Vec<NodeOutcome>, ExecutionError> {
        let ran = |[start, end]: &[CudaEvent; 2]| {
            let (start, end) = (at(start)?, at(end)?);
            let interval = Interval {
                start,
                end: end.max(start),
            };
            Ok(Some((interval, Ok(()))))
        };
        let landed = match &self.times {
            GraphTiming::Events(stamps) => stamps.iter().map(ran).collect(),
            GraphTiming::Told(_) => Ok(Vec::new()),
        };
        self.is_busy.store(false, SeqCst);
        landed
    }

    /// Who tells when its nodes ran, once it has ended, where CUPTI does.
    pub fn coming(
        &self,
        launched: CuptiGraphTimes,
        zero: TimeOrigin,
    ) -> Option<Box<dyn PendingTimestamp>> {
        let GraphTiming::Told(parts) = &self.times else {
            return None;
        };
        let coming = PendingNodeTimes::new(launched, parts, zero);
        self.is_busy.store(false, SeqCst);
        Some(Box::new(coming))
    }

    /// Whether a function of the host that it called was cut short.
    pub fn was_cut(&self) -> bool {
        self.functions.iter().any(|function| function.was_cut())
    }
}

impl Drop for GraphInstance {
    fn drop(&mut self) {
        if !self.raw.0.is_null() {
            // SAFETY: it is given back once; the driver lets it end where it runs.
            self.context
                .release(|api| unsafe { (api.instance_destroy)(self.raw.0) });
        }
    }
}

/// Whether the driver can hold a graph: one that streams outside see into is run by the engine, node by node.
pub fn can_hold(of: &ExecutableGraph) -> bool {
    let is_plain = |operation: &Operation| super::submit::takes(operation);
    !of.reaches_out && of.nodes.iter().all(|node| is_plain(&node.operation))
}

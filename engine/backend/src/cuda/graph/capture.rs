//! Captures a graph from streams, as a program would.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::CUstreamCaptureMode;

use super::super::code::DriverErrorCode;
use super::super::context::{CudaContext, SharedHandle};
use super::super::cupti::CuptiSubscription;
use super::super::device_state::CudaDeviceState;
use super::super::event::CudaEvent;
use super::super::stream::CudaStream;
use super::super::stream_slot::CudaStreamSlot;
use super::super::submit::{HostFunctions, submit};
use super::times::CapturedNode;
use crate::{EventLayout, ExecutableGraph, GraphNode};
use workload::StreamTraits;

/// How it will be known when nodes ran.
#[derive(Clone, Copy)]
pub enum NodeTimingMethod<'a> {
    /// CUPTI tells it, and says which nodes these are.
    Names(&'a CuptiSubscription),
    /// Each is between two events.
    Stamps(&'a [[CudaEvent; 2]]),
}

/// A graph of the driver.
pub struct CapturedCudaGraph {
    /// It; whoever captured it gives it back.
    pub graph: SharedHandle,
    /// What each node came to, where that was asked.
    pub made: Vec<CapturedNode>,
    /// The functions of the host that it calls.
    pub functions: HostFunctions,
}

/// Streams that a graph is captured with, and what each has come to.
struct CaptureStreams<'a> {
    context: &'a Arc<CudaContext>,
    streams: Vec<CudaStream>,
    /// The node that each stream had last.
    last: Vec<Option<usize>>,
    /// The stream of each node so far, and the event behind it.
    nodes: Vec<(usize, CudaEvent)>,
    fork: CudaEvent,
    made: Vec<CapturedNode>,
    functions: HostFunctions,
}

/// Captures the nodes of `of`.
///
/// # Errors
/// What the driver says.
pub fn capture(
    body: &CudaDeviceState,
    lane: &CudaStreamSlot,
    of: &ExecutableGraph,
    taking: NodeTimingMethod<'_>,
) -> Result<CapturedCudaGraph, DriverErrorCode> {
    let context = &body.context;
    let mut web = CaptureStreams {
        context,
        streams: vec![CudaStream::new(context, StreamTraits::default(), 0)?],
        last: vec![None],
        nodes: Vec::new(),
        fork: untimed(context)?,
        made: Vec::new(),
        functions: Vec::new(),
    };
    let origin = web
        .streams
        .first()
        .map_or(SharedHandle(ptr::null_mut()), CudaStream::raw);
    let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED as i32;
    // SAFETY: the stream lives, and nothing is captured on it.
    context.call(|api| unsafe { (api.capture_begin)(origin.0, mode) })?;
    let told = web.tell(body, lane, of, taking);
    let mut graph = ptr::null_mut();
    // SAFETY: the stream lives and captures, and the driver writes one handle.
    let ended = context.call(|api| unsafe { (api.capture_end)(origin.0, &raw mut graph) });
    told.and(ended).map(|()| CapturedCudaGraph {
        graph: SharedHandle(graph),
        made: web.made,
        functions: web.functions,
    })
}

fn untimed(context: &Arc<CudaContext>) -> Result<CudaEvent, DriverErrorCode> {
    CudaEvent::new(
        context,
        EventLayout {
            timing: false,
            ..EventLayout::default()
        },
    )
}

impl CaptureStreams<'_> {
    fn tell(
        &mut self,
        body: &CudaDeviceState,
        lane: &CudaStreamSlot,
        of: &ExecutableGraph,
        taking: NodeTimingMethod<'_>,
    ) -> Result<(), DriverErrorCode> {
        self.record(0, &self.fork)?;
        for (place, node) in of.nodes.iter().enumerate() {
            let before: Vec<usize> = node.before.iter().map(|it| *it as usize).collect();
            let on = self.stream_after(&before)?;
            let Some(stream) = self.streams.get(on) else {
                continue;
            };
            let functions = &mut self.functions;
            self.made
                .extend(add(body, lane, stream, (place, node), taking, functions)?);
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
    fn stream_after(&mut self, before: &[usize]) -> Result<usize, DriverErrorCode> {
        let goes_on = before.iter().find_map(|node| {
            let (stream, _) = self.nodes.get(*node)?;
            (self.last.get(*stream) == Some(&Some(*node))).then_some(*stream)
        });
        let fresh = (self.nodes.is_empty() && before.is_empty()).then_some(0);
        let on = if let Some(stream) = goes_on.or(fresh) {
            stream
        } else {
            let stream = CudaStream::new(self.context, StreamTraits::default(), 0)?;
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

    fn record(&self, stream: usize, event: &CudaEvent) -> Result<(), DriverErrorCode> {
        self.streams
            .get(stream)
            .map_or(Ok(()), |it| it.record(event, false))
    }

    fn wait(&self, stream: usize, event: &CudaEvent) -> Result<(), DriverErrorCode> {
        self.streams.get(stream).map_or(Ok(()), |it| it.wait(event))
    }
}

/// Gives one node to the stream that captures it.
fn add(
    body: &CudaDeviceState,
    lane: &CudaStreamSlot,
    stream: &CudaStream,
    (place, node): (usize, &GraphNode),
    taking: NodeTimingMethod<'_>,
    functions: &mut HostFunctions,
) -> Result<Option<CapturedNode>, DriverErrorCode> {
    let known = functions.len();
    let mut submit_node = || submit(body, lane, stream, &node.operation, Some(functions));
    match taking {
        NodeTimingMethod::Stamps(stamps) => {
            let stamps = stamps.get(place);
            stamps.map_or(Ok(()), |[start, _]| stream.record(start, true))?;
            submit_node()?;
            stamps.map_or(Ok(()), |[_, end]| stream.record(end, true))?;
            Ok(None)
        }
        NodeTimingMethod::Names(activity) => {
            let (given, nodes) = activity.watching_nodes(submit_node);
            Ok(Some(CapturedNode {
                is_told: given?.is_told,
                nodes,
                function: functions.get(known).cloned(),
            }))
        }
    }
}

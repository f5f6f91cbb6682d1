//! Captures a graph from streams, as a program would.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::CUstreamCaptureMode;

use super::super::body::Body;
use super::super::code::Code;
use super::super::context::{Context, Raw};
use super::super::cupti::Activity;
use super::super::event::Event;
use super::super::give::{Functions, give};
use super::super::lane::Lane;
use super::super::stream::Stream;
use super::times::Made;
use crate::{EventLayout, Executable, Node};
use workload::StreamTraits;

/// How it will be known when nodes ran.
#[derive(Clone, Copy)]
pub enum Taking<'a> {
    /// CUPTI tells it, and says which nodes these are.
    Names(&'a Activity),
    /// Each is between two events.
    Stamps(&'a [[Event; 2]]),
}

/// A graph of the driver.
pub struct Captured {
    /// It; whoever captured it gives it back.
    pub graph: Raw,
    /// What each node came to, where that was asked.
    pub made: Vec<Made>,
    /// The functions of the host that it calls.
    pub functions: Functions,
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
    made: Vec<Made>,
    functions: Functions,
}

/// Captures the nodes of `of`.
///
/// # Errors
/// What the driver says.
pub fn capture(
    body: &Body,
    lane: &Lane,
    of: &Executable,
    taking: Taking<'_>,
) -> Result<Captured, Code> {
    let context = &body.context;
    let mut web = Web {
        context,
        streams: vec![Stream::new(context, StreamTraits::default(), 0)?],
        last: vec![None],
        nodes: Vec::new(),
        fork: untimed(context)?,
        made: Vec::new(),
        functions: Vec::new(),
    };
    let origin = web
        .streams
        .first()
        .map_or(Raw(ptr::null_mut()), Stream::raw);
    let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED as i32;
    // SAFETY: the stream lives, and nothing is captured on it.
    context.call(|api| unsafe { (api.capture_begin)(origin.0, mode) })?;
    let told = web.tell(body, lane, of, taking);
    let mut graph = ptr::null_mut();
    // SAFETY: the stream lives and captures, and the driver writes one handle.
    let ended = context.call(|api| unsafe { (api.capture_end)(origin.0, &raw mut graph) });
    told.and(ended).map(|()| Captured {
        graph: Raw(graph),
        made: web.made,
        functions: web.functions,
    })
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
        taking: Taking<'_>,
    ) -> Result<(), Code> {
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

/// Gives one node to the stream that captures it.
fn add(
    body: &Body,
    lane: &Lane,
    stream: &Stream,
    (place, node): (usize, &Node),
    taking: Taking<'_>,
    functions: &mut Functions,
) -> Result<Option<Made>, Code> {
    let known = functions.len();
    let mut give = || give(body, lane, stream, &node.operation, Some(functions));
    match taking {
        Taking::Stamps(stamps) => {
            let stamps = stamps.get(place);
            stamps.map_or(Ok(()), |[start, _]| stream.record(start, true))?;
            give()?;
            stamps.map_or(Ok(()), |[_, end]| stream.record(end, true))?;
            Ok(None)
        }
        Taking::Names(activity) => {
            let (given, nodes) = activity.watching_nodes(give);
            Ok(Some(Made {
                is_told: given?.is_told,
                nodes,
                function: functions.get(known).cloned(),
            }))
        }
    }
}

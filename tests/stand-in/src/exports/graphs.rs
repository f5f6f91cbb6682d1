//! Captures and graphs.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use super::{Handle, answer, handle, number};
use crate::capture::{Frontier, Graph};
use crate::codes::{
    CAPTURE_INVALIDATED, CAPTURE_UNJOINED, CAPTURE_UNMATCHED, CAPTURE_UNSUPPORTED, ILLEGAL_STATE,
    INVALID_HANDLE, INVALID_VALUE, UPDATE_FAILURE,
};
use crate::cupti::{self, api};
use crate::operation::Plan;
use crate::schedule::Place;
use crate::state::{State, call, now};

#[unsafe(no_mangle)]
extern "C" fn cuStreamBeginCapture_v2(stream: Handle, mode: c_int) -> c_int {
    api(539, || {
        call(|state| {
            let found = state.stream(number(stream))?;
            if !(0..=2).contains(&mode) {
                return Err(INVALID_VALUE);
            }
            let capture = state.captures.begin(found);
            let stream = state.streams.get_mut(&found).ok_or(INVALID_HANDLE)?;
            let refusal = match (stream.is_legacy, &stream.capture) {
                (true, _) => Some(CAPTURE_UNSUPPORTED),
                (false, Some(_)) => Some(ILLEGAL_STATE),
                (false, None) => None,
            };
            if let Some(refusal) = refusal {
                state.captures.end(capture);
                return Err(refusal);
            }
            stream.capture = Some((capture, Frontier::new()));
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamEndCapture(stream: Handle, graph: *mut Handle) -> c_int {
    api(497, || {
        call(|state| {
            let made = end_capture(state, number(stream))?;
            // SAFETY: as the driver's documentation has it.
            unsafe { answer(graph, handle(made)) };
            Ok(())
        })
    })
}

fn end_capture(state: &mut State, stream: usize) -> Result<usize, i32> {
    let stream = state.stream(stream)?;
    let own = state.streams.get(&stream).and_then(|it| it.capture.clone());
    let (capture, frontier) = own.ok_or(ILLEGAL_STATE)?;
    let origin = state
        .captures
        .get(capture)
        .ok_or(CAPTURE_INVALIDATED)?
        .origin;
    if origin != stream {
        return Err(CAPTURE_UNMATCHED);
    }
    let ended = state.captures.end(capture).ok_or(CAPTURE_INVALIDATED)?;
    for stream in state.streams.values_mut() {
        if stream
            .capture
            .as_ref()
            .is_some_and(|(it, _)| *it == capture)
        {
            stream.capture = None;
        }
    }
    if !ended.is_joined(&frontier) {
        return Err(CAPTURE_UNJOINED);
    }
    let made = state.handle();
    let graph = Graph { nodes: ended.nodes };
    state.graphs.insert(made, Arc::new(graph));
    Ok(made)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphInstantiateWithFlags(
    instance: *mut Handle,
    graph: Handle,
    flags: u64,
) -> c_int {
    api(643, || {
        call(|state| {
            let graph = state.graphs.get(&number(graph)).ok_or(INVALID_HANDLE)?;
            let graph = Arc::clone(graph);
            if flags != 0 {
                return Err(INVALID_VALUE);
            }
            let made = state.handle();
            let clones: Vec<usize> = graph.nodes.iter().map(|_| state.handle()).collect();
            for (own, of) in clones.iter().zip(graph.handles()) {
                cupti::notify_node(*own, Some(of));
            }
            let graph = Arc::new(graph.named(&clones));
            state.instances.insert(made, (graph, None));
            // SAFETY: as the driver's documentation has it.
            unsafe { answer(instance, handle(made)) };
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphExecUpdate_v2(instance: Handle, graph: Handle, _result: *mut c_void) -> c_int {
    api(696, || {
        call(|state| {
            let graph = state.graphs.get(&number(graph)).ok_or(INVALID_HANDLE)?;
            let graph = Arc::clone(graph);
            let found = state
                .instances
                .get_mut(&number(instance))
                .ok_or(INVALID_HANDLE)?;
            if !found.0.is_alike(&graph) {
                return Err(UPDATE_FAILURE);
            }
            // Its nodes stay what they are.
            found.0 = Arc::new(graph.named(&found.0.handles()));
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphLaunch(instance: Handle, stream: Handle) -> c_int {
    api(514, || {
        call(|state| {
            let handle = state.stream(number(stream))?;
            launch(state, number(instance), handle)
        })
    })
}

/// What CUPTI calls a graph that is launched, and a node of it; nothing for the launch itself.
fn node_of(instance: usize, node: Option<usize>) -> (u32, u64) {
    (cupti::id(instance), node.map_or(0, cupti::node_id))
}

fn launch(state: &mut State, instance: usize, handle: usize) -> Result<(), i32> {
    let (graph, last) = state
        .instances
        .get(&instance)
        .cloned()
        .ok_or(INVALID_HANDLE)?;
    // What the stream and the run before have come to.
    if let Some(stream) = state.streams.get_mut(&handle) {
        stream.waits.extend(last);
    }
    state.give(handle, Plan::mark())?;
    let stream = state.streams.get(&handle).ok_or(INVALID_HANDLE)?;
    let (context, begin) = (stream.context, stream.tail.clone());
    let mut places: Vec<Place> = Vec::new();
    // All of it is given at once.
    let given = now();
    for node in &graph.nodes {
        let own = node.before.iter().filter_map(|it| places.get(*it).cloned());
        let before: Vec<Place> = own.chain(begin.clone()).collect();
        let mut plan = node.plan.clone();
        plan.note.stream = handle;
        plan.note.call = cupti::call();
        plan.note.graph = node_of(instance, Some(node.handle));
        places.push(state.schedule.push(given, context, plan, &before));
    }
    if let Some(stream) = state.streams.get_mut(&handle) {
        stream.waits.extend(places);
    }
    let mut last = Plan::mark();
    last.note.graph = node_of(instance, None);
    last.note.begun = begin.map(|(_, end)| end);
    state.give(handle, last)?;
    let end = state.streams.get(&handle).and_then(|it| it.tail.clone());
    if let Some((_, last)) = state.instances.get_mut(&instance) {
        *last = end;
    }
    Ok(())
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphDestroy(graph: Handle) -> c_int {
    call(|state| {
        let removed = state.graphs.remove(&number(graph));
        removed.map(drop).ok_or(INVALID_HANDLE)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphExecDestroy(instance: Handle) -> c_int {
    call(|state| {
        let removed = state.instances.remove(&number(instance));
        removed.map(drop).ok_or(INVALID_HANDLE)
    })
}

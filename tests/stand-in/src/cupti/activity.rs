//! What the driver's face does, told to CUPTI's: calls, what streams ran, synchronisation, contexts, streams, memory.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::write::{self, Ran};
use super::{CALL, Cupti, OWN, call, id, kinds, lock, mode};
use crate::operation::{Action, Note, Unit};
use crate::state::now;

/// Where a record has no stream or no event.
const NONE: u32 = u32::MAX;
/// Pageable, pinned and device memory, by `CUpti_ActivityMemoryKind`.
const PAGEABLE: u8 = 1;
const PINNED: u8 = 2;
const DEVICE: u8 = 3;

/// An operation of a stream that has ended.
pub struct Ended {
    /// Who asked for it, and where it ran.
    pub note: Note,
    /// What it did.
    pub action: Action,
    /// What it occupied.
    pub unit: Unit,
    /// Its context.
    pub context: usize,
    /// When it began and ended, by the device's time.
    pub ran: (u64, u64),
}

/// The number that the system gives the calling thread.
#[cfg(target_os = "linux")]
fn thread() -> u32 {
    // SAFETY: the declaration is that of every C library on Linux.
    unsafe extern "C" {
        safe fn gettid() -> c_int;
    }
    gettid() as u32
}

#[cfg(not(target_os = "linux"))]
const fn thread() -> u32 {
    0
}

/// Runs a call of the driver with CUPTI's number `function`, and tells of it.
pub fn api(function: u32, act: impl FnOnce() -> c_int) -> c_int {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let correlation = CALLS.fetch_add(1, Relaxed) + 1;
    CALL.set(correlation);
    let begun = now();
    let result = act();
    let mut cupti = lock();
    if cupti.tells(kinds::DRIVER) && !cupti.silent.contains(&function) {
        let ran = at(&cupti, (begun, now()), correlation);
        let own: Vec<(u32, u64)> = OWN.with_borrow(|all| {
            let mut kinds = std::collections::BTreeMap::new();
            kinds.extend(all.iter().copied());
            kinds.into_iter().collect()
        });
        for (kind, own) in own {
            cupti.push(write::correlation(kind, own, correlation));
        }
        cupti.push(write::api(ran, function, thread(), result as u32));
    }
    drop(cupti);
    CALL.set(0);
    result
}

fn at(cupti: &Cupti, (start, end): (u64, u64), correlation: u32) -> Ran {
    Ran {
        start: cupti.time(start),
        end: cupti.time(end),
        stream: NONE,
        correlation,
        ..Ran::default()
    }
}

/// Tells of an operation that has ended.
pub fn ended(it: &Ended) {
    if mode::is_mute() {
        return;
    }
    let mut cupti = lock();
    let note = &it.note;
    let begun = note.begun.as_ref().and_then(|begun| begun.get());
    let mut ran = Ran {
        context: id(it.context),
        stream: id(note.stream),
        graph: note.graph,
        ..at(&cupti, (begun.unwrap_or(it.ran.0), it.ran.1), note.call)
    };
    if mode::is_untimed() {
        (ran.start, ran.end) = (0, 0);
    }
    let is_in_graph = note.graph.0 != 0;
    if is_in_graph && note.begun.is_none() && cupti.tells(kinds::GRAPH) {
        return;
    }
    let written = match &it.action {
        Action::Kernel(name, _) => {
            let name = cupti.text(name);
            write::kernel(ran, name, note.shape)
        }
        Action::Copy(_, _, words) => {
            let host = if note.is_pageable { PAGEABLE } else { PINNED };
            let how = match it.unit {
                Unit::Up => [1, host, DEVICE],
                Unit::Down => [2, DEVICE, host],
                Unit::Across | Unit::Free => [8, DEVICE, DEVICE],
            };
            write::copy(ran, *words as u64 * 4, how)
        }
        Action::Set(_, value, words) => write::set(ran, *words as u64 * 4, *value),
        Action::Mark if note.begun.is_some() => write::graph(ran),
        Action::Mark => match note.event {
            Some((event, record)) => write::event(ran, id(event), record, cupti.event_times),
            None => return,
        },
        Action::Call(_) | Action::Free(_) | Action::Record(_) => return,
    };
    cupti.push(written);
}

/// Tells of a synchronisation that this thread began at `begun`: 1 of an event, 2 a wait of a stream, 3 of a stream, 4 of
/// a context; with the stream, and with the event and its record.
pub fn synced(
    sort: u32,
    begun: u64,
    stream: Option<usize>,
    event: Option<(usize, u64)>,
    result: c_int,
) {
    let mut cupti = lock();
    let ran = Ran {
        context: id(crate::state::current()),
        stream: stream.map_or(NONE, id),
        ..at(&cupti, (begun, now()), call())
    };
    let (event, record) = event.map_or((NONE, u64::from(NONE)), |(event, record)| {
        (id(event), record)
    });
    cupti.push(write::sync(ran, sort, event, record, result as u32));
}

/// Tells of a context that was made.
pub fn context(context: usize, default_stream: usize) {
    lock().push(write::context(id(context), id(default_stream)));
}

/// Tells of a stream that was made.
pub fn stream(context: usize, stream: usize, priority: i32, is_blocking: bool) {
    let mut cupti = lock();
    let ran = Ran {
        context: id(context),
        stream: id(stream),
        correlation: call(),
        ..Ran::default()
    };
    cupti.push(write::stream(
        ran,
        priority,
        if is_blocking { 1 } else { 2 },
    ));
}

/// Tells of memory that was allocated (1) or freed (2), in the order of a stream or not.
pub fn memory(step: u32, address: u64, bytes: usize, stream: Option<usize>) {
    let mut cupti = lock();
    let ran = Ran {
        context: id(crate::state::current()),
        stream: stream.map_or(NONE, id),
        ..at(&cupti, (now(), now()), call())
    };
    cupti.push(write::memory(
        ran,
        step,
        address,
        bytes as u64,
        stream.is_some(),
    ));
}

/// Tells that code was compiled by this thread since `begun`.
pub fn compiled(begun: u64) {
    let mut cupti = lock();
    let ran = at(&cupti, (begun, now()), call());
    cupti.push(write::compilation(ran, thread()));
    cupti.push(write::overhead(ran, thread()));
}

/// What CUPTI hands over with a fact about resources.
#[repr(C)]
struct Resource {
    context: *mut c_void,
    handle: *mut c_void,
    more: *const Graph,
}

/// What it points to where the fact is about graphs.
#[repr(C)]
struct Graph {
    whole: *mut c_void,
    original: *mut c_void,
    node: *mut c_void,
    original_node: *mut c_void,
    sort: u32,
    dependency: *mut c_void,
    instance: *mut c_void,
}

/// Notifies the listener that a node of a graph was made, as a copy of another or not. It may ask for their numbers.
pub fn notify_node(node: usize, original: Option<usize>) {
    let fact = (3, if original.is_some() { 20 } else { 13 });
    let cupti = lock();
    let listener = cupti.listener.filter(|_| cupti.notices.contains(&fact));
    drop(cupti);
    let Some((notice, own)) = listener else {
        return;
    };
    let nothing = std::ptr::null_mut();
    let graph = Graph {
        whole: nothing,
        original: nothing,
        node: std::ptr::without_provenance_mut(node),
        original_node: std::ptr::without_provenance_mut(original.unwrap_or_default()),
        sort: 0,
        dependency: nothing,
        instance: nothing,
    };
    let resource = Resource {
        context: nothing,
        handle: nothing,
        more: &raw const graph,
    };
    notice(
        std::ptr::with_exposed_provenance_mut(own),
        fact.0,
        fact.1,
        (&raw const resource).cast(),
    );
}

/// Notifies the listener that a context is about to be destroyed. Nothing is locked meanwhile: it may flush.
pub fn notify_destruction() {
    /// Of the domain of resources: a context ends.
    const FACT: (u32, u32) = (3, 2);
    let cupti = lock();
    let listener = cupti.listener.filter(|_| cupti.notices.contains(&FACT));
    drop(cupti);
    if let Some((notice, own)) = listener {
        notice(
            std::ptr::with_exposed_provenance_mut(own),
            FACT.0,
            FACT.1,
            std::ptr::null(),
        );
    }
}

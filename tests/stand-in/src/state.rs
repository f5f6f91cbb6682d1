//! Everything that the stand-in knows, behind one lock.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use crate::capture::{Captures, Frontier, Graph};
use crate::codes::{INVALID_CONTEXT, INVALID_HANDLE, NOT_INITIALIZED, OK};
use crate::cupti;
use crate::exports::note_call;
use crate::memory::Memory;
use crate::operation::Plan;
use crate::ptx::Entry;
use crate::schedule::{Place, Schedule};

/// Everything.
#[derive(Default)]
pub struct State {
    /// Whether `cuInit` was called.
    pub is_initialised: bool,
    /// The fault that ended this process's use of the device.
    pub fault: Option<i32>,
    /// Memory.
    pub memory: Memory,
    /// What has not ended.
    pub schedule: Schedule,
    /// Contexts that live.
    pub contexts: BTreeSet<usize>,
    /// Streams.
    pub streams: BTreeMap<usize, Stream>,
    /// Events.
    pub events: BTreeMap<usize, Event>,
    /// Modules: their kernels.
    pub modules: BTreeMap<usize, Vec<Entry>>,
    /// Functions of modules.
    pub functions: BTreeMap<usize, Arc<Entry>>,
    /// Graphs, and those that are ready.
    pub graphs: BTreeMap<usize, Arc<Graph>>,
    /// Ready graphs, with the place behind their latest run.
    pub instances: BTreeMap<usize, (Arc<Graph>, Option<Place>)>,
    /// What is being captured.
    pub captures: Captures,
    /// Streams that threads have by themselves.
    pub own: HashMap<(usize, std::thread::ThreadId), usize>,
    /// Records of events so far.
    pub records: u64,
    next: usize,
}

/// What sort of stream one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Exempt from the legacy default stream.
    Exempt,
    /// It and the legacy default stream wait for each other.
    Blocking,
    /// The legacy default stream.
    Legacy,
}

/// A stream.
#[derive(Default)]
pub struct Stream {
    /// Its context.
    pub context: usize,
    /// Whether it and the legacy default stream wait for each other.
    pub is_blocking: bool,
    /// Whether it is the legacy default stream.
    pub is_legacy: bool,
    /// The place behind its latest operation.
    pub tail: Option<Place>,
    /// What its next operation waits for besides.
    pub waits: Vec<Place>,
    /// What it captures, and after which nodes.
    pub capture: Option<(usize, Frontier)>,
}

/// An event.
#[derive(Default)]
pub struct Event {
    /// Whether it keeps times.
    pub timing: bool,
    /// The place of its latest record.
    pub place: Option<Place>,
    /// Where its latest record is in a capture.
    pub capture: Option<(usize, Frontier)>,
    /// Which of all records its latest is, for CUPTI.
    pub record: u64,
}

static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);
static CHANGED: Condvar = Condvar::new();
static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
static THREAD: Once = Once::new();

thread_local! {
    /// The context of the calling thread.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// The device's time, in nanoseconds.
pub fn now() -> u64 {
    BEGUN.elapsed().as_nanos() as u64
}

/// The context of the calling thread.
pub fn current() -> usize {
    CURRENT.get()
}

/// Makes a context that of the calling thread.
pub fn set_current(context: usize) {
    CURRENT.set(context);
}

fn lock() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a call: nothing but itself where the driver is not initialised or a fault happened.
pub fn call(act: impl FnOnce(&mut State) -> Result<(), i32>) -> i32 {
    let mut state = lock();
    if !state.is_initialised {
        return NOT_INITIALIZED;
    }
    state.advance();
    if let Some(fault) = state.fault {
        return fault;
    }
    let done = act(&mut state);
    drop(state);
    CHANGED.notify_all();
    done.map_or_else(|code| code, |()| OK)
}

/// Does what is due.
pub fn look() {
    lock().advance();
}

/// Runs a call whatever happened before.
pub fn anyway(act: impl FnOnce(&mut State) -> i32) -> i32 {
    let mut state = lock();
    let done = act(&mut state);
    drop(state);
    CHANGED.notify_all();
    done
}

/// Blocks until `is_done`, or a fault happened.
pub fn until(is_done: impl Fn(&State) -> bool) -> i32 {
    let mut state = lock();
    loop {
        state.advance();
        if let Some(fault) = state.fault {
            return fault;
        }
        if is_done(&state) {
            return OK;
        }
        let patience = state.schedule.patience(now()).max(Duration::from_micros(5));
        let woken = CHANGED.wait_timeout(state, patience);
        state = woken.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// Starts what lets things happen while nobody calls, once.
pub fn start() {
    THREAD.call_once(|| {
        // Without the thread things happen whenever somebody calls.
        let _ = std::thread::Builder::new()
            .name("stand-in device".to_owned())
            .spawn(work);
    });
}

fn work() {
    let mut state = lock();
    loop {
        state.advance();
        let calls = std::mem::take(&mut state.schedule.calls);
        for id in calls {
            let Some(function) = state.schedule.function(id) else {
                continue;
            };
            drop(state);
            // SAFETY: the caller gave this function with this address, to be called once its stream comes to it.
            unsafe {
                (function.function)(std::ptr::with_exposed_provenance_mut(
                    function.data as usize,
                ));
            }
            note_call();
            state = lock();
            state.schedule.end(id, now());
            CHANGED.notify_all();
        }
        let patience = state.schedule.patience(now());
        if patience.is_zero() {
            continue;
        }
        CHANGED.notify_all();
        let woken = CHANGED.wait_timeout(state, patience);
        state = woken.unwrap_or_else(PoisonError::into_inner).0;
    }
}

impl State {
    /// A handle that there was none of.
    pub fn handle(&mut self) -> usize {
        // Beside the handles that stand for default streams.
        self.next += 16;
        self.next + 0x1000
    }

    /// Does what is due.
    pub fn advance(&mut self) {
        if self.fault.is_some() {
            return;
        }
        if let Err(code) = self.schedule.advance(now()) {
            self.fault = Some(code);
            self.schedule.drop_context(None);
        }
        for (event, place) in std::mem::take(&mut self.schedule.recorded) {
            if let Some(event) = self.events.get_mut(&event) {
                event.place = Some(place);
            }
        }
        for address in std::mem::take(&mut self.schedule.freed) {
            self.memory.give_back(address);
        }
        for ended in std::mem::take(&mut self.schedule.ended) {
            cupti::ended(&ended);
        }
    }

    /// The context of the calling thread, where it lives.
    ///
    /// # Errors
    /// There is none.
    pub fn context(&self) -> Result<usize, i32> {
        let context = current();
        let lives = self.contexts.contains(&context);
        lives.then_some(context).ok_or(INVALID_CONTEXT)
    }

    /// The stream that a handle names: 0 and 1 are the legacy default stream, 2 is that of the calling thread.
    ///
    /// # Errors
    /// It names none.
    pub fn stream(&mut self, handle: usize) -> Result<usize, i32> {
        let context = self.context()?;
        match handle {
            0 | 1 => {
                let mut all = self.streams.iter();
                let found = all.find(|(_, it)| it.is_legacy && it.context == context);
                found.map(|(handle, _)| *handle).ok_or(INVALID_CONTEXT)
            }
            2 => {
                let key = (context, std::thread::current().id());
                if let Some(found) = self.own.get(&key) {
                    return Ok(*found);
                }
                let made = self.make_stream(context, Sort::Blocking);
                self.own.insert(key, made);
                Ok(made)
            }
            _ => {
                let found = self.streams.contains_key(&handle);
                found.then_some(handle).ok_or(INVALID_HANDLE)
            }
        }
    }

    /// Makes a stream.
    pub fn make_stream(&mut self, context: usize, sort: Sort) -> usize {
        let handle = self.handle();
        self.streams.insert(
            handle,
            Stream {
                context,
                is_blocking: sort == Sort::Blocking,
                is_legacy: sort == Sort::Legacy,
                ..Stream::default()
            },
        );
        handle
    }

    /// Gives an operation to a stream: now, or as a node of what it captures.
    ///
    /// # Errors
    /// The code of what is wrong.
    pub fn give(&mut self, handle: usize, mut plan: Plan) -> Result<(), i32> {
        let is_captured = self
            .streams
            .get(&handle)
            .is_some_and(|it| it.capture.is_some());
        let name = if is_captured { self.handle() } else { 0 };
        let stream = self.streams.get_mut(&handle).ok_or(INVALID_HANDLE)?;
        if let Some((capture, frontier)) = &mut stream.capture {
            let node = self.captures.push(*capture, name, plan, frontier)?;
            *frontier = Frontier::from([node]);
            cupti::notify_node(name, None);
            return Ok(());
        }
        (plan.note.stream, plan.note.call) = (handle, cupti::call());
        let (context, is_legacy, is_blocking) =
            (stream.context, stream.is_legacy, stream.is_blocking);
        let mut before = std::mem::take(&mut stream.waits);
        before.extend(stream.tail.clone());
        // The legacy default stream and the blocking ones wait for each other.
        let others = self.streams.values().filter(|it| {
            it.context == context
                && ((is_legacy && it.is_blocking) || (is_blocking && it.is_legacy))
        });
        before.extend(others.filter_map(|it| it.tail.clone()));
        let place = self.schedule.push(now(), context, plan, &before);
        if let Some(stream) = self.streams.get_mut(&handle) {
            stream.tail = Some(place);
        }
        self.advance();
        Ok(())
    }

    /// Whether everything that a stream was given has ended.
    pub fn is_idle(&self, handle: usize) -> bool {
        let tail = self.streams.get(&handle).and_then(|it| it.tail.as_ref());
        tail.is_none_or(|(_, end)| end.get().is_some())
    }
}

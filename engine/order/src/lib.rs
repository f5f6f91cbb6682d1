//! The order of calls: what they declare, what streams and waits enforce, and which uses of a buffer nothing orders.
//!
//! Three things are kept apart. What is **declared**: the bytes that each call reads and writes ([`DeclaredUse`]). What
//! is **enforced**: stream order, records and waits, synchronisation, host order, signals and the rules of the legacy
//! default stream, each kept as a vector clock. And what was **observed**, which is in the capture's spans and takes no
//! part here: that two operations happened to run in the right order this time proves nothing.
//!
//! Calls go in one by one, as they were made ([`Order::take`]); two uses of one buffer of which nothing orders one
//! before the other come out ([`Hazard`]). Operations that stand behind a signal which is not raised yet are compared
//! once it is, since only then is known what they come after.
//!
//! ```
//! use order::{SyncOp, HazardKind, HostOp, Order, CallOrigin, DeclaredUse};
//! use record::{BufferIndex, SpanId, StreamIndex};
//!
//! // One host thread writes the same buffer on two streams, and nothing orders the two.
//! let mut order = Order::new();
//! for (site, stream) in [(1, StreamIndex(0)), (2, StreamIndex(1))] {
//!     let origin = CallOrigin { site, span: SpanId::NONE };
//!     let op = HostOp { host: 0, origin, act: SyncOp::Work(stream) };
//!     order.take(&op, &[DeclaredUse::write(BufferIndex(0))]);
//! }
//! let hazards = order.hazards();
//! assert_eq!(hazards.len(), 1);
//! assert_eq!(hazards[0].kind, HazardKind::WriteAfterWrite);
//! ```

mod access_history;
mod allocations;
mod chance;
mod circular_wait;
mod clock;
mod declared;
mod event;
mod graph;
mod hazard;
mod host;
mod host_conflict;
mod inserted_order;
mod lifetime;
mod log;
mod memory;
mod queue;
mod restart;
mod run;
mod signal;
mod stream;
mod sync_op;
#[cfg(test)]
mod tests;
mod topology;
mod waits;
mod watched_steps;

pub use circular_wait::{CircularCall, WaitStart};
pub use declared::{DeclaredUse, WHOLE, of_graph};
pub use graph::{NodeConflict, NodeOrder, conflicts};
pub use hazard::{
    Actor, CallOrigin, Hazard, HazardKind, HazardParty, HazardRelation, Lint, LintKind,
};
pub use host_conflict::{CaptureScope, MOST_MEETINGS, Meeting, ResourceAccess, SharedResource};
pub use inserted_order::InsertionRule;
pub use log::{CallBatch, CallLog};
pub use sync_op::{HostOp, HostWaitTarget, StreamOrderTraits, SyncOp};
pub use topology::{NodeIndex, Topology};
pub use waits::RedundantWait;
pub use watched_steps::WatchedStep;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use access_history::UseCaller;
use allocations::DroppingAbort;
use chance::CallTimes;
use circular_wait::CircularCalls;
use clock::VectorClock;
use event::{EventSlot, RecordQuery};
use host::BegunWait;
use host_conflict::ResourceMeetings;
use inserted_order::InsertedOrder;
use lifetime::MemoryCall;
use memory::BufferOrders;
use record::{BufferIndex, SpanId, StreamIndex};
use run::CompletedStep;
use signal::{SignalSlot, SignalUse};
use stream::{
    ChainIndex, OrderedHost, OrderedStream, StreamChain, StreamOperation, StreamStep, SyncPoint,
};
use waits::WaitSites;
use watched_steps::WatchedSteps;

/// The order of all calls so far.
///
/// Calls of several host threads come in as they happened to be made. Nothing is concluded from that: what is known of
/// another host thread is what its signals handed on.
#[derive(Debug, Default)]
pub struct Order {
    streams: Vec<OrderedStream>,
    chains: Vec<StreamChain>,
    hosts: Vec<OrderedHost>,
    /// Who each member of a clock is.
    actors: Vec<Actor>,
    events: Vec<EventSlot>,
    signals: Vec<SignalSlot>,
    /// Calls that raised a signal.
    signal_raises: HashSet<SpanId>,
    /// The legacy stream of each device.
    legacies: Vec<Option<StreamIndex>>,
    /// Chains that stand for a point that is not reached, by the point's address.
    standing: HashMap<usize, Vec<ChainIndex>>,
    /// What host threads wait for, each under its number.
    awaited: BTreeMap<u32, BegunWait>,
    memory: BufferOrders,
    meetings: ResourceMeetings,
    inserted: InsertedOrder,
    watched: WatchedSteps,
    circular_calls: CircularCalls,
    waits: WaitSites,
    /// Waits for events of which it is a matter of chance which record they mean.
    doubtful: BTreeSet<RecordQuery>,
    /// What whoever waits for a signal knows, where it is a matter of chance which host thread raises it.
    shared_signals: BTreeMap<SignalUse, VectorClock>,
    /// Operations that an abort may have dropped, and those on memory that it dropped for certain: after how many
    /// restarts, the number of the call, which may submit to several streams, and the stream.
    dropped_steps: BTreeMap<(u32, u64, StreamIndex), DroppingAbort>,
    /// Whether one of the three was found after a wait for it was taken in.
    has_doubts: bool,
    /// Whether streams are aborted.
    has_aborts: bool,
    /// When each call was made.
    call_times: CallTimes,
    hazards: Vec<Hazard>,
    /// Those that are wrong although they are ordered, where that may turn out to be chance.
    certain: Vec<Hazard>,
    lints: Vec<Lint>,
    operations: u64,
    sequence: u64,
    restarts: u32,
    /// How often no signal was raised any more.
    lowered: u32,
    /// Whether several host threads call.
    is_shared: bool,
    /// What ran while something stood that was called before it: uses are compared in the order of their calls.
    ran: Vec<(CompletedStep, StreamOperation<'static>)>,
    /// Chains whose next operation may have nothing to stand for any more.
    woken: Vec<ChainIndex>,
}

impl Order {
    /// Before the first call of the only host thread.
    pub fn new() -> Self {
        Self::default()
    }

    /// Before the first call of so many host threads.
    pub fn of_hosts(count: usize) -> Self {
        let is_shared = count > 1;
        Self {
            is_shared,
            meetings: ResourceMeetings::of_hosts(count),
            memory: BufferOrders::new(is_shared),
            ..Self::default()
        }
    }

    /// The same, of calls among which there are aborts of streams.
    #[must_use]
    pub const fn with_aborts(mut self) -> Self {
        self.has_aborts = true;
        self
    }

    /// The same, where uses of a buffer are made to wait for each other in the order in which calls happen to come: that two
    /// host threads use one is chance then as that they use one stream.
    #[must_use]
    pub fn with_insertions(mut self, rule: InsertionRule) -> Self {
        self.inserted = InsertedOrder::by(rule);
        self
    }

    /// The same before its first call, knowing which waits for events are a matter of chance: what came out for them is
    /// to be found once more with the same calls. None where nothing is new about them.
    pub fn again(&self) -> Option<Self> {
        self.has_doubts.then(|| Self {
            meetings: self.meetings.again(),
            inserted: self.inserted.again(),
            watched: self.watched.again(),
            doubtful: self.doubtful.clone(),
            // Times are others once inserted waits count no more.
            shared_signals: if self.inserted.is_new_chance() {
                BTreeMap::new()
            } else {
                self.shared_signals.clone()
            },
            dropped_steps: self.dropped_steps.clone(),
            has_aborts: self.has_aborts,
            ..Self::of_hosts(1 + usize::from(self.is_shared))
        })
    }

    /// Takes in a call with its uses. Calls come in the order in which they were made: those of one host thread, those
    /// of one stream, and records before the waits that mean them.
    pub fn take(&mut self, op: &HostOp, uses: &[DeclaredUse]) {
        self.sequence += 1;
        self.note_call(op);
        match &op.act {
            SyncOp::InCapture {
                begun_by,
                is_chance,
                act,
            } => {
                if self.is_chance(*begun_by) == *is_chance {
                    let act = act.as_ref().clone();
                    self.apply_host_op(&HostOp { act, ..*op }, uses);
                }
            }
            _ => self.apply_host_op(op, uses),
        }
    }

    fn apply_host_op(&mut self, op: &HostOp, uses: &[DeclaredUse]) {
        match &op.act {
            // Only one of them may be of a capture at a time.
            SyncOp::Appear | SyncOp::InCapture { .. } => {}
            SyncOp::Inserted(act) => self.apply_inserted(op, act),
            SyncOp::Use(resource, access) => self.meet(op, *resource, *access, None),
            SyncOp::Circular(call) => self.note_circular(op, call),
            SyncOp::Capturing(stream, capture) => self.meet_capture(op, *stream, *capture),
            SyncOp::ByChance => self.call_times.note_chance(op.origin.span),
            SyncOp::Create(stream, traits) => self.create(op.host, *stream, *traits),
            SyncOp::Work(stream) => {
                if self.is_shared {
                    self.look_at_uses(op, *stream, uses);
                    self.meet_uses(op, uses);
                }
                let mut work = self.step(op, StreamStep::Work(Cow::Borrowed(uses)));
                if let Some((needs, done)) = self.ordered_by_insertion(op, *stream, uses) {
                    (work.needs, work.done) = (needs, Some(done));
                }
                self.place_step(op, *stream, work);
            }
            SyncOp::Touch => self.touch(op, uses),
            SyncOp::Return => self.note_return(op),
            SyncOp::Over(stream) => self.place(op, *stream, StreamStep::Pass),
            SyncOp::Record(event, stream) => {
                let ticket = self.place_record(op, *stream);
                self.set_event(op, *event, Some((ticket, *stream)));
            }
            SyncOp::Wait(event, stream) => {
                let record = self.record_of(op, *event, LintKind::WaitUnrecorded);
                self.place(
                    op,
                    *stream,
                    record.map_or(StreamStep::Pass, StreamStep::Wait),
                );
            }
            SyncOp::Attempt(event, stream) => {
                self.note_attempt(op, *event);
                self.place(op, *stream, StreamStep::Pass);
            }
            SyncOp::Abort(stream) => self.abort(op, *stream),
            SyncOp::Join(from, to) => self.join(op, *from, *to),
            SyncOp::Reset(event, stream) => {
                self.place(op, *stream, StreamStep::Pass);
                self.set_event(op, *event, None);
            }
            SyncOp::Forget(event) => self.set_event(op, *event, None),
            SyncOp::Acquire(event) => self.acquire(op, *event),
            SyncOp::Hold(signal, stream) => self.hold(op, *signal, *stream),
            SyncOp::Raise(signal) => self.raise(op, *signal),
            SyncOp::Begin(awaited, number) => self.begin(op, *awaited, *number),
            SyncOp::End(number) => self.end(op.host, *number),
            SyncOp::EndAll => self.end_all(op.host),
            SyncOp::GoesOn(stream) => self.stream(*stream).goes_on = true,
            SyncOp::StreamOrdered(buffer) => self.memory.note_ordered(*buffer),
            SyncOp::Allocate(buffer, stream, at) => {
                self.allocate(op, *buffer, *stream, at.as_deref().cloned());
            }
            SyncOp::Free(buffer, stream) => self.free(op, *buffer, *stream),
            SyncOp::Conflicts(hazards) => self.hazards.extend_from_slice(hazards),
            SyncOp::Pledge(buffer, stream) => {
                let chain = self.chain(*stream, op.host);
                if let Some(chain) = self.chains.get(chain.0 as usize) {
                    self.memory.pledge(*buffer, chain.known.member);
                }
            }
            SyncOp::Settle => self.memory.clear_freed(),
            SyncOp::Restart => self.restart(),
            SyncOp::Lower => self.lower(),
        }
    }

    fn allocate(
        &mut self,
        op: &HostOp,
        buffer: BufferIndex,
        stream: Option<StreamIndex>,
        at: Option<Range<u64>>,
    ) {
        let called = stream.map(|stream| self.called(op, stream, buffer));
        if !self.is_dropped(stream) {
            let doubt = stream.and_then(|stream| self.doubt(self.sequence, stream));
            let ran = self.ran.iter().map(|(_, step)| step.sequence);
            let standing = self.first_standing().into_iter().chain(ran).min();
            self.memory.allocate(buffer, at, called, (doubt, standing));
        }
        if let Some(stream) = stream {
            self.note_allocation(op, stream, buffer);
            self.place_memory(op, stream, (StreamStep::Allocate(buffer), buffer));
        }
    }

    /// The number of the first call whose operation stands for something that has not come to pass.
    fn first_standing(&self) -> Option<u64> {
        let chains = self.standing.values().flatten();
        let queues = chains.filter_map(|it| Some(&self.chains.get(it.0 as usize)?.queue));
        let first = queues.filter_map(|queue| {
            let mut steps = queue.iter().map(|(_, step)| step);
            steps.find_map(|it| (!matches!(it.deed, StreamStep::Point)).then_some(it.sequence))
        });
        first.min()
    }

    fn free(&mut self, op: &HostOp, buffer: BufferIndex, stream: Option<StreamIndex>) {
        if let Some(stream) = stream {
            self.note_free(op, stream, buffer);
            self.place_memory(op, stream, (StreamStep::Free(buffer), buffer));
        }
        if !self.is_dropped(stream) {
            self.memory.free(buffer);
        }
    }

    /// The abort that drops what a call submits to a stream, or may.
    fn dropped_by(&self, sequence: u64, stream: StreamIndex) -> Option<DroppingAbort> {
        let step = (self.restarts, sequence, stream);
        self.dropped_steps.get(&step).copied()
    }

    /// Whether an abort drops what this call submits to a stream for certain, as far as that is known already.
    fn is_dropped(&self, stream: Option<StreamIndex>) -> bool {
        let abort = stream.and_then(|stream| self.dropped_by(self.sequence, stream));
        abort.is_some_and(|it| it.is_certain)
    }

    /// The abort that may have dropped what a call submits to a stream, by the number of its own.
    fn doubt(&self, sequence: u64, stream: StreamIndex) -> Option<u64> {
        let abort = self.dropped_by(sequence, stream);
        abort.filter(|it| !it.is_certain).map(|it| it.sequence)
    }

    fn step<'a>(&self, op: &HostOp, deed: StreamStep<'a>) -> StreamOperation<'a> {
        StreamOperation {
            origin: op.origin,
            sequence: self.sequence,
            deed,
            needs: Vec::new(),
            done: None,
            is_watched: self.watched.is_asked(op.origin),
            awaits: 0,
        }
    }

    /// An operation is submitted to a stream.
    fn place(&mut self, op: &HostOp, stream: StreamIndex, deed: StreamStep<'_>) {
        let step = self.step(op, deed);
        self.place_step(op, stream, step);
    }

    fn place_step(&mut self, op: &HostOp, stream: StreamIndex, step: StreamOperation<'_>) {
        self.submit(op.host, stream, step);
    }

    fn place_record(&mut self, op: &HostOp, stream: StreamIndex) -> Arc<SyncPoint> {
        let ticket = Arc::new(SyncPoint::default());
        let mut record = self.step(op, StreamStep::Pass);
        record.done = Some(Arc::clone(&ticket));
        record.is_watched &= matches!(op.act, SyncOp::Record(..));
        self.submit(op.host, stream, record);
        ticket
    }

    fn join(&mut self, op: &HostOp, from: StreamIndex, to: StreamIndex) {
        let ticket = self.place_record(op, from);
        let mut wait = self.step(op, StreamStep::Pass);
        wait.needs.push(ticket);
        wait.awaits = 1;
        self.submit(op.host, to, wait);
    }

    fn create(&mut self, host: u32, index: StreamIndex, traits: StreamOrderTraits) {
        if traits.is_legacy {
            let device = traits.device as usize;
            if self.legacies.len() <= device {
                self.legacies.resize(device + 1, None);
            }
            if let Some(slot) = self.legacies.get_mut(device) {
                *slot = Some(index);
            }
        }
        let legacy = self.legacies.get(traits.device as usize).copied().flatten();
        let legacy = legacy.map(|legacy| self.chain(legacy, host));
        let legacy = legacy.and_then(|chain| self.chains.get(chain.0 as usize));
        let made_after = legacy.map_or(0, |chain| chain.known.time);
        let stream = self.stream(index);
        (stream.traits, stream.made_after) = (traits, made_after);
        for chain in stream.chains.clone() {
            if let Some(chain) = self.chains.get_mut(chain.0 as usize) {
                chain.known.forget();
            }
        }
    }

    /// Who makes a use of a buffer on a stream by this call, before the stream has come to it.
    fn called(
        &mut self,
        op: &HostOp,
        stream: StreamIndex,
        buffer: BufferIndex,
    ) -> access_history::Access {
        let time = self.host(op.host).known.time;
        let caller = UseCaller {
            host: op.host,
            time,
            sequence: self.sequence,
        };
        let chain = self.chain(stream, op.host);
        let known = self.chains.get(chain.0 as usize).map(|it| it.known.clone());
        let known = known.unwrap_or_default();
        let mut access = run::access(&known, caller, op.origin, &DeclaredUse::write(buffer));
        // Nobody knows as much.
        access.time = u32::MAX;
        access.doubt = self.doubt(self.sequence, stream);
        access
    }

    /// Uses of memory that nothing has allocated are wrong whenever they run.
    fn look_at_uses(&mut self, op: &HostOp, stream: StreamIndex, uses: &[DeclaredUse]) {
        let mut last = None;
        for it in uses {
            if last.replace(it.buffer) != Some(it.buffer) {
                self.report_alone(HazardKind::UseOfNothing, op, stream, it.buffer);
            }
        }
    }

    /// A call that allocates, uses or frees memory in the order of a stream.
    fn memory_call(&mut self, op: &HostOp, stream: StreamIndex) -> MemoryCall {
        MemoryCall {
            party: HazardParty {
                origin: op.origin,
                actor: Actor::Stream(stream),
                host: op.host,
            },
            sequence: self.sequence,
            mark: self.host(op.host).known.mark(),
        }
    }

    fn note_allocation(&mut self, op: &HostOp, stream: StreamIndex, buffer: BufferIndex) {
        let call = self.memory_call(op, stream);
        if self.is_shared {
            let found = self.memory.note_allocation(buffer, call);
            self.hazards.extend(found);
        } else {
            let dropped_by = self.dropped_by(self.sequence, stream);
            self.memory.log(buffer, &call, false, dropped_by);
        }
    }

    fn note_free(&mut self, op: &HostOp, stream: StreamIndex, buffer: BufferIndex) {
        if self.is_shared {
            self.report_alone(HazardKind::FreeOfNothing, op, stream, buffer);
        } else {
            let call = self.memory_call(op, stream);
            let dropped_by = self.dropped_by(self.sequence, stream);
            self.memory.log(buffer, &call, true, dropped_by);
        }
    }

    /// Every call was made: what is wrong with memory in whichever order host threads came to it.
    pub fn conclude_memory(&mut self) {
        self.compare_ran(true);
        self.certain.extend(self.memory.conclude());
        self.hazards.append(&mut self.certain);
    }

    fn report_alone(
        &mut self,
        kind: HazardKind,
        op: &HostOp,
        stream: StreamIndex,
        buffer: BufferIndex,
    ) {
        let call = self.memory_call(op, stream);
        self.hazards
            .extend(self.memory.note_call(buffer, kind, call));
    }

    /// Takes in a batch of calls.
    pub fn take_all(&mut self, batch: &CallBatch) {
        batch.each(|op, uses| self.take(op, uses));
    }

    /// What was found since this was asked last, in the order of the second uses.
    pub fn hazards(&mut self) -> Vec<Hazard> {
        std::mem::take(&mut self.hazards)
    }

    /// What is odd and was found since this was asked last.
    pub fn lints(&mut self) -> Vec<Lint> {
        std::mem::take(&mut self.lints)
    }

    /// Operations that were compared with those before them.
    pub const fn operations(&self) -> u64 {
        self.operations
    }

    /// Two host threads that use one stream or one event by calls in no order: those that are new since this was asked
    /// last, or stand before those that were told.
    pub fn meetings(&mut self) -> Vec<Meeting> {
        self.meetings.take()
    }

    /// All of them, in the same order whichever came first, up to [`MOST_MEETINGS`], and whether there were more.
    pub fn all_meetings(&self) -> (impl Iterator<Item = Meeting>, bool) {
        self.meetings.found()
    }

    /// The calls of which every wait adds nothing to what is ordered without it.
    pub fn redundant_waits(&self) -> impl Iterator<Item = RedundantWait> {
        self.waits.redundant()
    }

    /// Whether what the host thread `host` submits next to a stream comes after all that it submitted to another, as far as
    /// its own streams and what it waited for tell.
    pub fn comes_after(&mut self, host: u32, stream: StreamIndex, other: StreamIndex) -> bool {
        let (own, other) = (self.chain(stream, host), self.chain(other, host));
        let called = self.host(host).known.mark();
        let (Some(own), Some(other)) = (
            self.chains.get(own.0 as usize),
            self.chains.get(other.0 as usize),
        ) else {
            return false;
        };
        let (member, time) = (other.known.member, other.known.time);
        own.known.get(member) >= time || called.clock.get(member) >= time
    }

    /// Waits of streams for records so far.
    pub fn waits(&self) -> u64 {
        self.waits.count()
    }

    /// Operations that were not compared, because they stand behind something that has not come to pass.
    pub fn standing(&self) -> usize {
        let queues = self.chains.iter().map(|chain| chain.queue.len());
        queues.sum::<usize>() + self.ran.len()
    }
}

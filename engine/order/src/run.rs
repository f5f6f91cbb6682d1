//! An operation whose turn has come: what it knows, and what it conflicts with.

use super::access_history::{self, Access, AccessKind, UseCaller};
use super::allocations::MemoryAction;
use super::clock::{ClockMark, ClockMember, MemberClock};
use super::declared::{self, DeclaredUse, WHOLE};
use super::hazard::{HazardKind, HazardRelation};
use super::stream::{
    ChainIndex, JoinedClock, OrderedHost, OrderedStream, StreamChain, StreamOperation, StreamStep,
    SyncPoint, WaitFor,
};
use super::{Actor, CallOrigin, Hazard, HazardParty, Order};
use record::{BufferIndex, StreamIndex};

/// An operation that ran: what it knew then, and who called it.
#[derive(Debug)]
pub(super) struct CompletedStep {
    known: MemberClock,
    submitted: ClockMark,
    stream: StreamIndex,
    host: u32,
    doubt: Option<u64>,
    /// Whether something that was called before it had not run yet.
    is_late: bool,
}

/// All chains of a host thread on a device.
pub(super) const ALL: usize = 0;
/// Those on blocking streams.
pub(super) const BLOCKING: usize = 1;

impl Order {
    pub(super) fn member(&mut self, actor: Actor) -> ClockMember {
        self.actors.push(actor);
        self.actors.len() as ClockMember - 1
    }

    /// A stream; where it is new, as one that was never made.
    #[expect(
        clippy::indexing_slicing,
        reason = "the line before made sure of the place"
    )]
    pub(super) fn stream(&mut self, index: StreamIndex) -> &mut OrderedStream {
        if self.streams.len() <= index.index() {
            self.streams
                .resize_with(index.index() + 1, OrderedStream::default);
        }
        &mut self.streams[index.index()]
    }

    /// What a host thread submits to a stream.
    pub(super) fn chain(&mut self, index: StreamIndex, host: u32) -> ChainIndex {
        let known = self.streams.get(index.index()).into_iter();
        let mut known = known.flat_map(|stream| &stream.chains);
        let known = known.find(|chain| {
            let chain = self.chains.get(chain.0 as usize);
            chain.is_some_and(|chain| chain.host == host)
        });
        if let Some(chain) = known {
            return *chain;
        }
        let member = self.member(Actor::Stream(index));
        let chain = ChainIndex(self.chains.len() as u32);
        self.chains.push(StreamChain::new(index, host, member));
        self.stream(index).chains.push(chain);
        self.host(host).chains.push(chain);
        chain
    }

    /// A host thread; where it is new, as one that knows nothing.
    #[expect(
        clippy::indexing_slicing,
        reason = "the loop before made sure of the place"
    )]
    pub(super) fn host(&mut self, host: u32) -> &mut OrderedHost {
        while self.hosts.len() <= host as usize {
            let next = self.hosts.len() as u32;
            let mut known = MemberClock::new(self.member(Actor::Host(next)));
            // Nobody knows of its first calls: 0 is what everybody knows.
            known.tick();
            self.hosts.push(OrderedHost {
                known,
                chains: Vec::new(),
                gatherings: Vec::new(),
            });
        }
        &mut self.hosts[host as usize]
    }

    /// What a host thread's chains on a device know together.
    fn gathering(&mut self, host: u32, device: u32) -> Option<&mut [JoinedClock; 2]> {
        while self.host(host).gatherings.len() <= device as usize {
            // What chains know together is kept like what one of them knows, and makes no use itself.
            let both =
                [ALL, BLOCKING].map(|_| JoinedClock::new(self.member(Actor::Host(u32::MAX))));
            self.host(host).gatherings.push(both);
        }
        self.host(host).gatherings.get_mut(device as usize)
    }

    pub(super) fn gather(&mut self, host: u32, device: u32, which: usize) -> ClockMark {
        let slot = self
            .gathering(host, device)
            .and_then(|both| both.get_mut(which));
        let mut gathering = slot.map(std::mem::take).unwrap_or_default();
        let mut has_news = false;
        for chain in gathering.fresh.drain(..) {
            let Some(chain) = self.chains.get_mut(chain.0 as usize) else {
                continue;
            };
            if let Some(flag) = chain.is_fresh.get_mut(which) {
                *flag = false;
            }
            has_news |= gathering.known.join(&chain.known.mark());
        }
        if has_news {
            gathering.known.tick();
        }
        let mark = gathering.known.mark();
        if let Some(slot) = self
            .gathering(host, device)
            .and_then(|both| both.get_mut(which))
        {
            *slot = gathering;
        }
        mark
    }

    /// The stream has come to the operation, and all that it needs has come to pass.
    pub(super) fn run(
        &mut self,
        index: ChainIndex,
        submitted: &ClockMark,
        step: &StreamOperation<'_>,
    ) {
        let is_point = matches!(step.deed, StreamStep::Point);
        let Some(chain) = self.chains.get_mut(index.0 as usize) else {
            return;
        };
        let stream = self.streams.get(chain.stream.index());
        // What runs behind a record that was dropped knows less than what runs only behind the record.
        let goes_on = stream.is_some_and(|it| it.goes_on);
        let heard = |ticket: &SyncPoint| {
            if goes_on {
                ticket.least().cloned()
            } else {
                ticket.mark().cloned()
            }
        };
        let join = if self.dropped_steps.is_empty() {
            MemberClock::join
        } else {
            MemberClock::join_fully
        };
        let known = &mut chain.known;
        // A point is between two operations, so that whoever asked for it hands nothing on.
        let mut has_news = !is_point && join(known, submitted);
        let mut has_gained = false;
        let (own, others) = step.needs.split_at_checked(step.awaits).unwrap_or_default();
        for mark in others.iter().filter_map(|need| heard(need)) {
            has_gained |= join(known, &mark);
        }
        // A wait has begun before what it waits for.
        let began = step.is_watched.then(|| known.clone());
        for mark in own.iter().filter_map(|need| heard(need)) {
            has_gained |= join(known, &mark);
        }
        if let StreamStep::Wait(wait) = &step.deed {
            let adds = heard(&wait.ticket).is_some_and(|mark| join(known, &mark));
            let stream = chain.stream;
            let is_legacy = self
                .streams
                .get(stream.index())
                .is_some_and(|it| it.traits.is_legacy);
            // A wait on the legacy stream is an operation of it like any other: it joins the blocking streams (rule A22).
            self.waits
                .note(step.origin, stream, wait, adds || is_legacy && has_gained);
            has_news |= adds;
        }
        has_news |= has_gained;
        if !is_point || has_news {
            if let Some(chain) = self.chains.get_mut(index.0 as usize) {
                chain.known.tick();
            }
            self.freshen(index);
        }
        if let Some(began) = began
            && let Some(chain) = self.chains.get(index.0 as usize)
        {
            let place = (step.sequence, self.restarts);
            let known = (began, chain.known.clone());
            self.watched.note((step.origin, true), place, known);
        }
        self.prove(index, step);
        self.compare(index, submitted, step);
        if self.has_aborts
            && !is_point
            && let Some(chain) = self.chains.get_mut(index.0 as usize)
        {
            chain.steps.push((chain.known.time, step.sequence));
        }
        let chain = self.chains.get(index.0 as usize);
        let doubt = chain.and_then(|it| self.doubt(step.sequence, it.stream));
        let is_doubtful = !is_point && doubt.is_some();
        let Some(chain) = self.chains.get_mut(index.0 as usize) else {
            return;
        };
        if !is_point {
            chain.least = is_doubtful.then(|| {
                let mut least = chain.known.clone();
                least.forget();
                least.join(submitted);
                least.mark()
            });
        }
        if let Some(done) = &step.done {
            let (mark, least) = (chain.known.mark(), chain.least.clone());
            self.reach_or(done, mark, least);
        }
    }

    /// Whoever comes after memory was allocated or freed, and not only after an abort that may have dropped that, knows it.
    fn prove(&mut self, index: ChainIndex, step: &StreamOperation<'_>) {
        let (StreamStep::Allocate(buffer) | StreamStep::Free(buffer)) = step.deed else {
            return;
        };
        let chain = self.chains.get(index.0 as usize);
        let doubt = chain.and_then(|it| self.doubt(step.sequence, it.stream));
        if self.is_shared || doubt.is_none() {
            return;
        }
        // It makes no use itself.
        let proof = self.member(Actor::Host(u32::MAX));
        if let Some(chain) = self.chains.get_mut(index.0 as usize) {
            chain.known.learn(proof);
        }
        self.memory.note_proof(buffer, step.sequence, proof);
    }

    /// What the chains of its host know together is to be brought up to date with this one.
    pub(super) fn freshen(&mut self, index: ChainIndex) {
        let Some(chain) = self.chains.get_mut(index.0 as usize) else {
            return;
        };
        let Some(stream) = self.streams.get(chain.stream.index()) else {
            return;
        };
        let traits = stream.traits;
        let is_in = [true, traits.is_blocking && !traits.is_legacy];
        let was = chain.is_fresh;
        for (flag, is_in) in chain.is_fresh.iter_mut().zip(is_in) {
            *flag |= is_in;
        }
        if was == is_in {
            return;
        }
        let host = chain.host;
        let Some(gatherings) = self.gathering(host, traits.device) else {
            return;
        };
        for ((gathering, is_in), was) in gatherings.iter_mut().zip(is_in).zip(was) {
            if is_in && !was {
                gathering.fresh.push(index);
            }
        }
    }

    /// Compares the uses of an operation that runs with those of calls before its own: now, or once those have run.
    fn compare(&mut self, index: ChainIndex, submitted: &ClockMark, step: &StreamOperation<'_>) {
        if matches!(
            step.deed,
            StreamStep::Pass | StreamStep::Point | StreamStep::Wait(_)
        ) {
            return;
        }
        let Some(chain) = self.chains.get(index.0 as usize) else {
            return;
        };
        let mut ran = CompletedStep {
            known: chain.known.clone(),
            submitted: submitted.clone(),
            stream: chain.stream,
            host: chain.host,
            doubt: self.doubt(step.sequence, chain.stream),
            is_late: false,
        };
        if self.standing.is_empty() && self.woken.is_empty() && self.ran.is_empty() {
            return self.act(&ran, step);
        }
        ran.is_late = true;
        self.ran.push((ran, step.clone().into_owned()));
    }

    /// Compares what has run and was called before all that stands for something; all that has run where nothing more
    /// will.
    pub(super) fn compare_ran(&mut self, is_over: bool) {
        if self.ran.is_empty() {
            return;
        }
        let first = self.first_standing().filter(|_| !is_over);
        let mut due: Vec<(CompletedStep, StreamOperation<'static>)> = self
            .ran
            .extract_if(.., |(_, step)| {
                first.is_none_or(|first| step.sequence < first)
            })
            .collect();
        due.sort_by_key(|(_, step)| step.sequence);
        for (ran, step) in &due {
            self.act(ran, step);
        }
    }

    fn act(&mut self, ran: &CompletedStep, step: &StreamOperation<'_>) {
        let Self {
            hosts,
            memory,
            hazards,
            certain,
            is_shared,
            actors,
            ..
        } = self;
        let (known, submitted, doubt) = (&ran.known, &ran.submitted, ran.doubt);
        let caller = UseCaller {
            host: ran.host,
            time: submitted.time,
            sequence: step.sequence,
        };
        let (stream, host) = (Actor::Stream(ran.stream), ran.host);
        let mut judge = |buffer: BufferIndex, deed: MemoryAction| {
            let fault = memory.judge(buffer, deed, step.sequence, known);
            let Some((kind, relation, first)) = fault else {
                return;
            };
            let second = HazardParty {
                origin: step.origin,
                actor: stream,
                host,
            };
            hazards.push(Hazard {
                kind,
                relation,
                buffer,
                first: first.unwrap_or(second),
                second,
            });
        };
        match &step.deed {
            StreamStep::Work(uses) => {
                let mut last = None;
                for it in uses.iter() {
                    if last.replace(it.buffer) != Some(it.buffer) {
                        judge(it.buffer, MemoryAction::Uses);
                    }
                }
            }
            StreamStep::Allocate(buffer) => judge(*buffer, MemoryAction::Allocates),
            StreamStep::Free(buffer) => judge(*buffer, MemoryAction::Frees),
            StreamStep::Pass | StreamStep::Point | StreamStep::Wait(_) => {}
        }
        let calls = CallPair {
            hosts,
            actors,
            submitted,
        };
        let mut check = |buffer: BufferIndex, mut access: Access| {
            access.doubt = doubt;
            access.knew = ran.is_late.then(|| known.clock().clone());
            let late = is_shared.then_some(&mut *certain);
            let report = calls.reporter(buffer, &access, (hazards, late));
            memory.check(buffer, access, (known, hosts, submitted), report);
        };
        match &step.deed {
            StreamStep::Pass | StreamStep::Point | StreamStep::Wait(WaitFor { .. }) => return,
            StreamStep::Work(uses) => {
                for it in declared::in_order(uses) {
                    check(it.buffer, access(known, caller, step.origin, it));
                }
            }
            StreamStep::Allocate(buffer) => {
                let made = access(known, caller, step.origin, &DeclaredUse::write(*buffer));
                memory.note_made(*buffer, made);
            }
            StreamStep::Free(buffer) => {
                let mut free = access(known, caller, step.origin, &DeclaredUse::write(*buffer));
                (free.manner, free.bytes) = (AccessKind::Free, WHOLE);
                check(*buffer, free);
            }
        }
        self.operations += 1;
    }

    /// The host thread makes its uses itself.
    pub(super) fn touch(&mut self, op: &super::HostOp, uses: &[DeclaredUse]) {
        self.host(op.host).known.tick();
        let sequence = self.sequence;
        let Self {
            hosts,
            memory,
            hazards,
            actors,
            ..
        } = self;
        let Some(host) = hosts.get(op.host as usize) else {
            return;
        };
        let known = &host.known;
        let caller = UseCaller {
            host: op.host,
            time: known.time,
            sequence,
        };
        let submitted = known.mark();
        let calls = CallPair {
            hosts,
            actors,
            submitted: &submitted,
        };
        for it in declared::in_order(uses) {
            let access = access(known, caller, op.origin, it);
            let report = calls.reporter(it.buffer, &access, (hazards, None));
            memory.check(it.buffer, access, (known, hosts, &submitted), report);
        }
        self.operations += 1;
    }
}

/// A use by whoever knows this.
pub(super) fn access(
    known: &MemberClock,
    caller: UseCaller,
    origin: CallOrigin,
    it: &DeclaredUse,
) -> Access {
    Access {
        member: known.member,
        time: known.time,
        caller,
        origin,
        manner: if it.writes {
            AccessKind::Write
        } else {
            AccessKind::Read
        },
        bytes: it.bytes.clone(),
        number: 0,
        doubt: None,
        knew: None,
        covers: Vec::new(),
    }
}

/// What is known of the calls of two uses.
struct CallPair<'a> {
    hosts: &'a [OrderedHost],
    actors: &'a [Actor],
    /// What the host thread of the second knew when it called.
    submitted: &'a ClockMark,
}

impl CallPair<'_> {
    fn party(&self, member: ClockMember, caller: UseCaller, origin: CallOrigin) -> HazardParty {
        let actor = self.actors.get(member as usize).copied();
        HazardParty {
            origin,
            actor: actor.unwrap_or(Actor::Host(u32::MAX)),
            host: caller.host,
        }
    }

    /// Whether the call of an earlier use comes before that of the second.
    fn is_called_before(&self, earlier: UseCaller, second: UseCaller) -> bool {
        let host = self.hosts.get(earlier.host as usize);
        earlier.host == second.host
            || host.is_some_and(|it| self.submitted.clock.get(it.known.member) >= earlier.time)
    }

    /// Keeps what a use conflicts with, the two in the order of their calls; where these have none, in that of the file. What
    /// is wrong although it is ordered is kept apart where that is asked for.
    fn reporter<'a>(
        &'a self,
        buffer: BufferIndex,
        access: &Access,
        (hazards, mut late): (&'a mut Vec<Hazard>, Option<&'a mut Vec<Hazard>>),
    ) -> impl FnMut(HazardKind, HazardRelation, &Access) + use<'a> {
        let (caller, origin, manner) = (access.caller, access.origin, access.manner);
        let second = self.party(access.member, caller, origin);
        move |kind, relation, earlier| {
            let first = self.party(earlier.member, earlier.caller, earlier.origin);
            let is_called_before = self.is_called_before(earlier.caller, caller);
            let is_swapped = if is_called_before {
                earlier.caller.sequence > caller.sequence
            } else {
                (first.origin.site, first.host) > (second.origin.site, second.host)
            };
            let relation = match relation {
                HazardRelation::Unordered if !is_called_before => HazardRelation::Hosts,
                other => other,
            };
            let is_pair = !matches!(
                kind,
                HazardKind::UseBeforeAllocation | HazardKind::ReuseOfMemory
            );
            let (kind, first, second) = if is_swapped && is_pair {
                (access_history::kind(earlier.manner, manner), second, first)
            } else {
                (kind, first, second)
            };
            let list = match &mut late {
                Some(late) if relation == HazardRelation::Ordered => late,
                _ => &mut *hazards,
            };
            list.push(Hazard {
                kind,
                relation,
                buffer,
                first,
                second,
            });
        }
    }
}

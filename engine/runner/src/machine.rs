//! Instructions of a virtual machine as `OneFlow` has it: dispatched, launched, done and released (rules E7 to E9).
//!
//! The machine runs on the thread that calls, as with `ONEFLOW_VM_MULTI_THREAD=0`, or lets workers launch. When it takes an instruction for done
//! depends on what it is for: one that computes is done once it is launched, one that copies once the device has ended it.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use super::recorder::Reporter;
use super::room_wait::RoomWait;
use super::shared::RunState;
use super::workers::Workers;
use device::lock;
use record::time::Nanos;
use record::{
    Basis, CallId, Dependency, DependencyKind, DeviceId, Group, Lane, LaneId, NameId, Record, Role,
    Span, SpanId, SpanKind, State, StreamIndex, Value,
};
use workload::{self, Plan, VirtualMachine};

/// The instructions of a run.
pub struct Machine {
    /// How many instructions may be on their way.
    pub marks: VirtualMachine,
    /// The threads that launch; none where the thread that calls does.
    pub workers: Workers,
    first_lane: LaneId,
    roles: Vec<workload::StreamRole>,
    state: Mutex<PendingInstructions>,
}

/// An instruction that was launched.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// The operation that it became.
    pub operation: SpanId,
    /// The span of its launch on the machine's thread.
    pub launch: SpanId,
    /// The span of its whole life.
    pub life: SpanId,
    /// Its call.
    pub call: CallId,
    /// What it is called.
    pub name: NameId,
    /// Its stream.
    pub stream: StreamIndex,
    /// When the machine took it.
    pub received: Nanos,
    /// When nothing held it any more.
    pub dispatched: Nanos,
    /// When whoever launches it began to.
    pub begun: Nanos,
    /// When the device had it.
    pub launched: Nanos,
}

/// An instruction, and when and how the device ended it.
type EndedInstruction = (Instruction, Option<(Nanos, State)>);

/// Instructions that are not released.
#[derive(Debug, Default)]
struct PendingInstructions {
    /// For each stream in order, with when the device ended it.
    streams: HashMap<StreamIndex, VecDeque<EndedInstruction>>,
    /// When the last of each stream was released.
    released: HashMap<StreamIndex, Nanos>,
    /// Operations that ended before it was known whose they are.
    ended: HashMap<SpanId, (Nanos, State)>,
    /// Waits for room whose end nobody can tell the cause of yet.
    room: Vec<RoomWait>,
}

impl Machine {
    /// For a plan that runs on one.
    pub fn new(plan: &Plan, first_lane: LaneId) -> Option<Self> {
        plan.machine.map(|marks| Self {
            marks,
            workers: Workers::new(plan, marks.threads),
            first_lane,
            roles: plan.streams.iter().map(|stream| stream.role).collect(),
            state: Mutex::default(),
        })
    }

    /// How many of the latest operations of a stream whoever waits for room may have to wait for.
    pub const fn kept(&self) -> usize {
        match self.marks.high {
            u32::MAX => 0,
            // Some are waits that were inserted, and several host threads may call.
            high => high as usize * 2 + 64,
        }
    }

    /// How many lanes it has.
    pub const fn lanes(&self) -> u32 {
        self.workers.lanes() + self.roles.len() as u32
    }

    /// Reports the lanes: the machine's thread, and the instructions of each stream.
    /// The workers are named after the sort of device, `kind`.
    pub fn describe(&self, plan: &Plan, device: DeviceId, kind: &str, reporter: &Reporter) {
        let names = plan.streams.iter();
        let names = names.map(|stream| format!("instructions of {}", stream.name));
        let threads = self.workers.names(kind);
        for (name, place) in threads.into_iter().chain(names).zip(0_u32..) {
            reporter.send(Record::Lane(Box::new(Lane {
                id: LaneId(self.first_lane.0 + place),
                group: Group::Device,
                device: Some(device),
                role: Role::None,
                name,
                order: 100 + place as i32,
                process: "".into(),
                thread: "".into(),
            })));
        }
    }

    /// An instruction was launched.
    pub fn launch(&self, it: Instruction, reporter: &Reporter) {
        reporter.send(Record::Span(Span {
            id: it.launch,
            lane: LaneId(self.first_lane.0 + self.workers.place(it.stream)),
            name: it.name,
            call: it.call,
            kind: SpanKind::Step,
            state: State::Done,
            enqueued: it.received,
            start: it.begun,
            end: it.launched,
        }));
        let mut state = lock(&self.state);
        state
            .streams
            .entry(it.stream)
            .or_default()
            .push_back((it, None));
    }

    /// Somebody begins to wait for room.
    pub fn wait_for_room(&self, mut wait: RoomWait) {
        let state = &mut *lock(&self.state);
        // What has just ended may have been noted already.
        let flights = state.streams.values().flatten();
        let flights = flights.filter_map(|(it, ended)| Some((it.operation, ended.as_ref()?.0)));
        let ended = state.ended.iter().map(|(span, ended)| (*span, ended.0));
        flights
            .chain(ended)
            .for_each(|(operation, end)| wait.end(operation, end));
        state.room.push(wait);
    }

    /// Whoever waited goes on, having looked for the end of `last` in the end.
    pub fn end_wait_for_room(&self, wait: SpanId, last: Option<SpanId>) {
        let mut state = lock(&self.state);
        if let Some(known) = state.room.iter_mut().find(|it| it.wait == wait) {
            known.finish(last);
        }
    }

    /// Reports what made room for whoever waited for it, where that is known; in the end of all.
    pub fn report_room(&self, reporter: &Reporter, is_end: bool) {
        let mut state = lock(&self.state);
        state.room.retain(|wait| {
            if !is_end && !wait.is_known() {
                return true;
            }
            if let Some(made) = wait.made_by() {
                reporter.send(Record::Dependency(Dependency::new(
                    made,
                    wait.wait,
                    DependencyKind::Synchronization,
                    Basis::Enforced,
                )));
            }
            false
        });
    }

    /// Notes which operations ended.
    pub fn note(&self, records: &[Record]) {
        let mut state = lock(&self.state);
        for record in records {
            if let Record::Span(span) = record
                && is_operation(span.kind)
            {
                state.ended.insert(span.id, (span.end, span.state));
                for wait in &mut state.room {
                    wait.end(span.id, span.end);
                }
            }
        }
    }

    /// Releases what is done, in the order of each stream, and reports it; at the end of a run all that is left.
    pub fn release(&self, shared: &RunState, reporter: &Reporter) {
        let mut guard = lock(&self.state);
        let state = &mut *guard;
        let mut streams: Vec<_> = state.streams.iter_mut().collect();
        streams.sort_unstable_by_key(|(stream, _)| **stream);
        for (stream, flying) in streams {
            for (it, ended) in flying.iter_mut().filter(|(_, ended)| ended.is_none()) {
                *ended = state.ended.remove(&it.operation);
            }
            while let Some((it, Some((finished, end)))) = flying.front().copied() {
                flying.pop_front();
                let done = if self.waits_for_the_device(it.stream) {
                    finished.max(it.launched)
                } else {
                    it.launched
                };
                let last = state.released.entry(*stream).or_default();
                *last = done.max(*last);
                self.report(shared, reporter, &it, [done, finished, *last], end);
            }
        }
    }

    /// Whether an instruction counts as done only once the device has ended it (rule E8).
    fn waits_for_the_device(&self, stream: StreamIndex) -> bool {
        let role = self.roles.get(stream.index()).copied().unwrap_or_default();
        !matches!(
            role,
            workload::StreamRole::Compute | workload::StreamRole::PinnedCompute
        )
    }

    fn report(
        &self,
        shared: &RunState,
        reporter: &Reporter,
        it: &Instruction,
        [done, finished, released]: [Nanos; 3],
        state: State,
    ) {
        reporter.send(Record::Span(Span {
            id: it.life,
            lane: LaneId(self.first_lane.0 + self.workers.lanes() + it.stream.0),
            name: it.name,
            call: it.call,
            kind: SpanKind::Step,
            state,
            enqueued: it.received,
            start: it.dispatched,
            end: released,
        }));
        let why = if self.waits_for_the_device(it.stream) {
            "done for the machine once the device has ended it (rule E8)"
        } else {
            "done for the machine once it is launched, whenever the device ends it (rule E8)"
        };
        let name = |text: &str| shared.names.id(text, reporter);
        for (text, time) in [
            ("launched (ns)", it.launched),
            ("done in the machine (ns)", done),
            ("finished on the device (ns)", finished),
            ("released (ns)", released),
        ] {
            reporter.send(Record::Argument(
                it.life,
                name(text),
                Value::Integer(time.0),
            ));
        }
        reporter.send(Record::Argument(
            it.life,
            name("done"),
            Value::Text(why.into()),
        ));
        let tie = |cause| {
            reporter.send(Record::Dependency(Dependency::new(
                cause,
                it.life,
                DependencyKind::Step,
                Basis::Enforced,
            )));
        };
        tie(it.launch);
        if self.waits_for_the_device(it.stream) {
            tie(it.operation);
        }
    }
}

/// Whether spans of this kind are operations of streams.
const fn is_operation(kind: SpanKind) -> bool {
    !matches!(
        kind,
        SpanKind::Call
            | SpanKind::Synchronize
            | SpanKind::HostWork
            | SpanKind::Compile
            | SpanKind::Scope
            | SpanKind::Step
            | SpanKind::Stall
            | SpanKind::Join
    )
}

//! The opened device: host threads take turns in the order of virtual time.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::cost;
use super::host::{HostState, MockWait};
use super::host_waits::HostWaitEnd;
use super::simulation::Simulation;
use crate::cpu::CpuMemory;
use crate::{
    Activity, Alarm, BackendDevice, BackendError, BufferSide, CacheUse, Caps, CompileError,
    CompileRequest, CompiledPipeline, DeviceBuffers, DeviceCompiler, DeviceLayout, DeviceQueue,
    DeviceRecovery, DeviceState, DeviceTime, DeviceWaiting, Flag, HostIndex, LossReport,
    NativeQuery, PendingAnswer, PreparedLaunch, ReportSink, StreamActivity, Submission, shader,
};
use device::{DeviceStatus, RecordProgress, TerminationCause, lock};
use record::time::Nanos;
use record::{
    BufferIndex, Clock, EventIndex, LossKind, SignalIndex, SpanId, SpanStart, StreamIndex,
};
use workload::{KernelArguments, SyncTarget};

/// The device.
pub struct MockDevice {
    simulation: Mutex<Simulation>,
    /// Whoever looks on waits for this.
    changed: Condvar,
    /// For each host thread, what it waits for its turn by: of a thousand one is woken.
    turns: Vec<Condvar>,
    memory: CpuMemory,
    caps: Caps,
}

impl MockDevice {
    /// Makes the resources.
    ///
    /// # Errors
    /// Buffers do not fit into memory.
    pub fn open(
        layout: &DeviceLayout,
        sink: Box<dyn ReportSink>,
        caps: Caps,
    ) -> Result<Self, BackendError> {
        let simulation = Simulation::new(layout, sink);
        Ok(Self {
            turns: simulation.hosts.iter().map(|_| Condvar::new()).collect(),
            simulation: Mutex::new(simulation),
            changed: Condvar::new(),
            memory: CpuMemory::new(layout)?,
            caps,
        })
    }

    /// Runs a call that does not block, and charges `host` for it.
    fn call<T>(&self, host: HostIndex, length: Nanos, act: impl FnOnce(&mut Simulation) -> T) -> T {
        let mut simulation = lock(&self.simulation);
        let result = act(&mut simulation);
        let drawn = simulation.drawn;
        if let Some(slot) = simulation.hosts.get_mut(host.0) {
            slot.clock += drawn.call(length, host.0, slot.clock);
        }
        result
    }

    /// Lets things happen until it is a host thread's turn, or nothing can happen. Whoever asked for an alarm is
    /// called while the simulation is unlocked, so that it may call the device.
    fn advance<'s>(
        &'s self,
        mut simulation: MutexGuard<'s, Simulation>,
    ) -> MutexGuard<'s, Simulation> {
        while let Some((time, act)) = simulation.advance(&self.memory) {
            // Nobody has the turn meanwhile, and yet nothing stands still.
            simulation.acting += 1;
            drop(simulation);
            act(time);
            simulation = lock(&self.simulation);
            simulation.acting -= 1;
            simulation.wake(time);
        }
        simulation
    }

    /// Something happened: wakes whoever has its turn now.
    fn tell(&self, simulation: &Simulation) {
        self.changed.notify_all();
        let hosts = simulation.hosts.iter().zip(&self.turns);
        let granted = hosts.filter(|(host, _)| host.state == HostState::Granted);
        granted.for_each(|(_, turn)| turn.notify_one());
    }

    /// Wakes everybody, to see what it comes to.
    fn tell_all(&self) {
        self.changed.notify_all();
        self.turns.iter().for_each(Condvar::notify_all);
    }

    /// Waits until it is the turn of `host`.
    fn await_turn<'s>(
        &'s self,
        mut simulation: MutexGuard<'s, Simulation>,
        host: HostIndex,
    ) -> Result<(), BackendError> {
        simulation = self.advance(simulation);
        self.tell(&simulation);
        let Some(turn) = self.turns.get(host.0) else {
            return Ok(());
        };
        loop {
            let is_stopped = simulation.released == Some(HostWaitEnd::Stopped);
            let Some(slot) = simulation.hosts.get_mut(host.0) else {
                return Ok(());
            };
            if is_stopped {
                return Err(BackendError::Stopped);
            }
            if slot.state == HostState::Granted {
                slot.state = HostState::Calling;
                return Ok(());
            }
            let waited = turn.wait(simulation);
            simulation = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn block(
        &self,
        host: HostIndex,
        until: &MockWait,
        timeout: Option<Duration>,
    ) -> Result<(), BackendError> {
        let mut simulation = lock(&self.simulation);
        simulation.may_wait(until)?;
        let generation = simulation.generation;
        let is_met = simulation.is_met(until);
        let drawn = simulation.drawn;
        let Some(slot) = simulation.hosts.get_mut(host.0) else {
            return Ok(());
        };
        if is_met {
            slot.clock += drawn.call(cost::CALL, host.0, slot.clock);
            return simulation.check(until);
        }
        let deadline = timeout.map(|timeout| slot.clock + Nanos::from_duration(timeout));
        slot.state = HostState::Blocked(until.clone(), deadline);
        slot.blocked_count += 1;
        slot.timed_out = false;
        self.await_turn(simulation, host)?;
        let simulation = lock(&self.simulation);
        // Opened anew by now, it is another device than the one that was waited for.
        if until.is_of_device() && simulation.generation != generation {
            return Err(BackendError::Lost(simulation.reason.clone()));
        }
        // A signal that was raised, or a promise that settled, stays so whatever became of the device.
        let is_asked = until.is_of_device() || !simulation.is_met(until);
        if is_asked {
            simulation.may_wait(until)?;
        }
        match simulation.hosts.get(host.0) {
            Some(slot) if slot.timed_out => Err(BackendError::TimedOut),
            _ if is_asked => simulation.check(until),
            _ => Ok(()),
        }
    }
}

impl BackendDevice for MockDevice {
    fn name(&self) -> &'static str {
        "mock"
    }

    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn start(&self) {
        drop(self.advance(lock(&self.simulation)));
    }

    fn stop(&self) {
        let mut simulation = lock(&self.simulation);
        simulation.release(HostWaitEnd::Stopped);
        simulation.give_up(TerminationCause::Stopped, &self.memory);
        drop(simulation);
        self.tell_all();
    }
}

impl DeviceTime for MockDevice {
    fn clock(&self) -> Clock {
        Clock {
            device: lock(&self.simulation).device,
            name: self.caps.clock.to_string(),
            ..Clock::default()
        }
    }

    fn now(&self, host: HostIndex) -> Nanos {
        let simulation = lock(&self.simulation);
        let own = simulation.hosts.get(host.0).map(|host| host.clock);
        own.unwrap_or_else(|| simulation.now())
    }

    fn alarm(&self, time: Nanos, act: Alarm) -> Option<Alarm> {
        lock(&self.simulation).alarms.set(time, act, false);
        None
    }

    fn alarm_while_busy(&self, time: Nanos, act: Alarm) -> Option<Alarm> {
        lock(&self.simulation).alarms.set(time, act, true);
        None
    }

    fn when_done(&self, act: Alarm) -> Option<Alarm> {
        lock(&self.simulation).set_last(act);
        None
    }

    fn when_running(&self, stream: StreamIndex, act: Alarm) -> Option<Alarm> {
        lock(&self.simulation).watch(stream, act);
        None
    }
}

impl DeviceQueue for MockDevice {
    fn make_room(&self, _: HostIndex, _: StreamIndex) {
        // Its queues have no end.
    }

    fn until_ended(&self, host: HostIndex, stream: StreamIndex, ended: u64) {
        let until = MockWait::Streams(SyncTarget::Stream(stream), vec![(stream.index(), ended)]);
        // Where nothing more runs there is nothing to wait for.
        let _ = self.block(host, &until, None);
    }

    fn take_slot(&self, host: HostIndex) -> Result<SpanId, BackendError> {
        let given_back = lock(&self.simulation).slots.take();
        if lock(&self.simulation).is_met(&MockWait::Slot(given_back)) {
            return Ok(SpanId::NONE);
        }
        let taken = self.block(host, &MockWait::Slot(given_back), None);
        let simulation = lock(&self.simulation);
        match taken {
            Ok(()) => Ok(simulation.slots.giver(given_back)),
            Err(error) => {
                // No record will give it back.
                simulation.slots.give_back(SpanId::NONE);
                Err(error)
            }
        }
    }

    fn is_short_of_slots(&self) -> bool {
        lock(&self.simulation).slots.is_short()
    }

    fn abort(&self, host: HostIndex, stream: StreamIndex, by: SpanId) -> Result<(), BackendError> {
        self.call(host, cost::CALL, |simulation| {
            let ended = MockWait::Streams(SyncTarget::Stream(stream), Vec::new());
            simulation.may_wait(&ended)?;
            let hosts = simulation.hosts.get(host.0);
            let now = hosts.map_or(simulation.time, |host| host.clock);
            simulation.abort(stream, now, by);
            simulation.check(&ended)
        })
    }

    fn pending(&self, stream: StreamIndex) -> u64 {
        lock(&self.simulation).pending(stream.index())
    }

    fn is_idle(&self, host: HostIndex, streams: &[StreamIndex]) -> bool {
        self.call(host, cost::CALL, |simulation| {
            let mut streams = streams.iter();
            streams.all(|it| simulation.pending(it.index()) == 0)
        })
    }

    fn calls(&self, stream: StreamIndex) -> u64 {
        lock(&self.simulation).calls(stream.index())
    }

    fn submit(
        &self,
        host: HostIndex,
        stream: StreamIndex,
        submission: Submission,
    ) -> Result<(), BackendError> {
        self.memory.check(&submission.operation)?;
        self.call(host, cost::CALL, |simulation| {
            simulation.push(stream, submission)
        })
    }

    fn pack(
        &self,
        launch: KernelArguments,
        elements: Option<usize>,
    ) -> Result<Arc<PreparedLaunch>, BackendError> {
        let kept = self.memory.pack(&launch, elements)?;
        Ok(Arc::new(PreparedLaunch::new(launch, elements, kept)))
    }

    fn completed(&self, stream: StreamIndex) -> u64 {
        let simulation = lock(&self.simulation);
        let stream = simulation.streams.get(stream.index());
        stream.map_or(0, |stream| stream.completed)
    }
}

impl DeviceWaiting for MockDevice {
    fn turn(&self, host: HostIndex) -> Result<(), BackendError> {
        let mut simulation = lock(&self.simulation);
        if let Some(slot) = simulation.hosts.get_mut(host.0)
            && slot.state == HostState::Calling
        {
            slot.state = HostState::Ready;
            // Its call may have raised a flag that others wait for.
            let now = slot.clock;
            simulation.wake(now);
        }
        self.await_turn(simulation, host)
    }

    fn leave(&self, host: HostIndex) {
        let mut simulation = lock(&self.simulation);
        if let Some(slot) = simulation.hosts.get_mut(host.0) {
            let had_its_turn = slot.has_turn();
            slot.state = HostState::Done;
            let now = slot.clock;
            // Its last call may have raised a flag that others wait for. One that was ended leaves at any time.
            if had_its_turn {
                simulation.wake(now);
            }
        }
        self.tell(&self.advance(simulation));
    }

    fn query(&self, host: HostIndex, event: EventIndex) -> RecordProgress {
        self.call(host, cost::CALL, |simulation| {
            let mark = simulation.latest.get(event.index()).copied().flatten();
            let point = mark.and_then(|mark| simulation.marks.get(mark));
            match point.map(|point| point.progress()).unwrap_or_default() {
                // Its stream comes to it no more (rule A9).
                RecordProgress::Pending
                    if matches!(
                        simulation.cause,
                        Some(TerminationCause::Poisoned | TerminationCause::Lost)
                    ) =>
                {
                    RecordProgress::Failed
                }
                progress => progress,
            }
        })
    }

    fn synchronize(
        &self,
        host: HostIndex,
        target: SyncTarget,
        timeout: Option<Duration>,
    ) -> Result<(), BackendError> {
        let (until, mark, aborts) = {
            let simulation = lock(&self.simulation);
            let aborts = simulation.aborts(target);
            match target {
                SyncTarget::Event(event) => {
                    match simulation.latest.get(event.index()).copied().flatten() {
                        Some(mark) => (MockWait::Mark(event, mark), Some(mark), aborts),
                        None => (MockWait::Streams(target, Vec::new()), None, aborts),
                    }
                }
                SyncTarget::Stream(stream) => {
                    let ends = simulation.ends(Some(stream.index()));
                    (MockWait::Streams(target, ends), None, aborts)
                }
                SyncTarget::Device => (
                    MockWait::Streams(target, simulation.ends(None)),
                    None,
                    aborts,
                ),
            }
        };
        let done = self.block(host, &until, timeout);
        if matches!(
            done,
            Err(BackendError::Stopped | BackendError::Lost(_) | BackendError::TimedOut)
        ) {
            return done;
        }
        let mut simulation = lock(&self.simulation);
        let verdict = simulation.verdict(target, aborts);
        let verdict = verdict.or_else(|| done.is_ok().then(|| simulation.verdict_on(mark?))?);
        verdict.map_or(done, Err)
    }

    fn raise(&self, host: HostIndex, signal: SignalIndex) {
        self.call(host, cost::CALL, |simulation| {
            let now = simulation
                .hosts
                .get(host.0)
                .map(|host| host.clock)
                .unwrap_or_default();
            if let Some(slot) = simulation.signals.get_mut(signal.index()) {
                slot.get_or_insert(now);
            }
            simulation.wake(now);
        });
    }

    fn until_raised(&self, host: HostIndex, signal: SignalIndex) -> Result<(), BackendError> {
        self.block(host, &MockWait::Signal(signal), None)
    }

    fn work(&self, host: HostIndex, length: Nanos) {
        self.call(host, length, |_| ());
    }

    fn until_flag(&self, host: HostIndex, flag: &Flag) -> Result<(), BackendError> {
        self.block(host, &MockWait::Flag(flag.clone()), None)
    }

    fn interrupt(&self) {
        lock(&self.simulation).release(HostWaitEnd::Interrupted);
        self.tell_all();
    }
}

impl DeviceCompiler for MockDevice {
    fn validate(&self, request: &CompileRequest) -> Result<(), CompileError> {
        shader::check(request, &self.caps.limits)
    }

    fn compile(&self, request: &CompileRequest) -> Result<CompiledPipeline, CompileError> {
        shader::check(request, &self.caps.limits)?;
        if lock(&self.simulation).cause.is_some() {
            return Err(CompileError::Lost);
        }
        Ok(CompiledPipeline {
            cache: CacheUse::None,
            driver: cost::compile(request),
        })
    }
}

impl DeviceRecovery for MockDevice {
    fn status(&self) -> DeviceStatus {
        let simulation = lock(&self.simulation);
        match simulation.cause {
            Some(TerminationCause::Poisoned) => DeviceStatus::Poisoned(simulation.reason.clone()),
            Some(TerminationCause::Lost) => DeviceStatus::Lost(simulation.reason.clone()),
            _ => DeviceStatus::Working,
        }
    }

    fn lose(&self, kind: LossKind) -> LossReport {
        let reason = format!("{} on purpose", kind.label());
        let (is_news, time) = lock(&self.simulation).lose(&reason, &self.memory);
        self.tell_all();
        LossReport {
            is_news,
            is_real: false,
            time,
            reason,
            message: String::new(),
            how: "Syncline told the simulation to run nothing more",
        }
    }

    fn drain(&self) -> Result<(), BackendError> {
        // What was queued came to its end when the device was lost.
        Ok(())
    }

    fn reopen(&self) -> Result<(), BackendError> {
        let mut simulation = lock(&self.simulation);
        simulation.reopen();
        self.memory.restore();
        Ok(())
    }

    fn rewind(&self) {
        lock(&self.simulation).rewind();
    }
}

impl DeviceBuffers for MockDevice {
    fn read(&self, buffer: BufferIndex, side: BufferSide) -> Vec<f32> {
        self.memory.read(buffer, side)
    }

    fn write(&self, buffer: BufferIndex, first: usize, values: &[f32]) {
        self.memory.write(buffer, first, values);
    }
}

impl DeviceState for MockDevice {
    fn activity(&self) -> Activity {
        lock(&self.simulation).activity()
    }

    fn wait_idle(&self, timeout: Duration) -> bool {
        let is_idle = || self.activity().streams.iter().all(StreamActivity::is_idle);
        if is_idle() {
            return true;
        }
        let simulation = lock(&self.simulation);
        let woken = self.changed.wait_timeout(simulation, timeout);
        drop(woken.unwrap_or_else(PoisonError::into_inner));
        is_idle()
    }

    fn running(&self, _: Nanos, _: &dyn Fn(SpanId) -> bool, _: &mut dyn FnMut(SpanStart)) {
        // In virtual time an operation is over as soon as it begins.
    }

    fn raw(&self, _: &NativeQuery) -> Option<PendingAnswer> {
        None
    }
}

impl Drop for MockDevice {
    fn drop(&mut self) {
        self.stop();
    }
}

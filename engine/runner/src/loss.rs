//! The loss of a device in the middle of a run: reported once, whoever notices it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::RecoveryMode;
use super::loss_scheduler::ArmedLoss;
use super::recorder::Reporter;
use super::shared::RunState;
use crate::prepare::DEVICE;
use device::{DeviceStatus, lock};
use record::time::Nanos;
use record::{Log, Loss, LossKind, Record, Severity};
use workload::LossBy;

/// Losses of the device's own, in one run, after which it is opened anew. One that goes on losing itself would keep a run
/// from ever ending.
const MOST_RECOVERIES: u32 = 8;

/// Who loses a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossSource {
    /// Whoever runs the workload wants it.
    Outside,
    /// A call of the workload, by its place.
    Call(u32),
    /// It was lost by itself.
    Device,
}

/// What a run knows of the losses of its device.
#[derive(Debug)]
pub struct Losses {
    state: Mutex<LossState>,
    /// Told when a lost device is mended, or will not be.
    mended: Condvar,
    /// Whether whoever noticed a loss reports it, or opens the device anew. Changes while the state is locked.
    is_mending: AtomicBool,
    /// Whether something waits to lose the device; read before every call.
    pub(super) is_armed: AtomicBool,
    /// Whether host threads are to end, so that they can be started again. Changes while the state is locked.
    pub(super) is_replaying: AtomicBool,
    /// Whether a loss has just held the host threads.
    has_paused: AtomicBool,
}

/// The state of a device as the run has reported it.
#[derive(Debug)]
pub(super) struct LossState {
    /// Losses that wait for a call or a compile.
    pub armed: Vec<ArmedLoss>,
    /// Losses that wait for a time or an operation, each of which is looked for elsewhere, with the attempt in which they were
    /// wanted.
    pub awaited: Vec<(u32, ArmedLoss)>,
    /// Losses by a `destroy()` that the device timeline was given and has not come to.
    pub destroying: Vec<ArmedLoss>,
    pub recovery: RecoveryMode,
    pub generation: u32,
    /// How often the workload has begun.
    pub attempt: u32,
    /// Since when it is lost.
    pub lost: Option<Nanos>,
    /// Whether the run goes on although it is lost.
    goes_on: bool,
    /// Who wants the device timeline to destroy it.
    destroyed_by: LossSource,
    /// Whether the device timeline has yet to come to a `destroy()`.
    is_destroying: bool,
    /// Calls of the workload for whose loss it has begun again.
    replayed: BTreeSet<u32>,
    /// How often it was lost by itself.
    own_losses: u32,
}

impl LossState {
    /// The `destroy()` that this wanted is what the device was lost by.
    fn has_come(&mut self, source: LossSource) {
        let mut asked = self.destroying.iter();
        if let Some(place) = asked.position(|it| it.source == source) {
            self.destroying.remove(place);
        }
    }
}

impl Losses {
    /// For a run that does `recovery` when its device is lost.
    pub fn new(recovery: RecoveryMode) -> Self {
        Self {
            state: Mutex::new(LossState {
                armed: Vec::new(),
                awaited: Vec::new(),
                destroying: Vec::new(),
                recovery,
                generation: 1,
                attempt: 1,
                lost: None,
                goes_on: true,
                destroyed_by: LossSource::Outside,
                is_destroying: false,
                replayed: BTreeSet::new(),
                own_losses: 0,
            }),
            mended: Condvar::new(),
            is_mending: AtomicBool::new(false),
            is_armed: AtomicBool::new(false),
            is_replaying: AtomicBool::new(false),
            has_paused: AtomicBool::new(false),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, LossState> {
        lock(&self.state)
    }

    /// Whether something waits to lose the device.
    pub fn is_armed(&self) -> bool {
        self.is_armed.load(Ordering::Relaxed)
    }

    /// Waits until a loss is reported, and a device that is being opened anew is open or could not be.
    pub fn await_mended(&self) {
        if !self.is_mending.load(Ordering::SeqCst) {
            return;
        }
        let mut state = self.state();
        while self.is_mending.load(Ordering::SeqCst) {
            let woken = self.mended.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether the run goes on although the device was lost: it was lost on purpose, or is opened anew.
    pub fn goes_on(&self) -> bool {
        self.state().goes_on
    }

    /// Whether the device is being opened anew, or will be once every host thread has ended.
    pub fn is_recovering(&self) -> bool {
        let _state = self.state();
        self.is_mending.load(Ordering::SeqCst) || self.is_replaying()
    }

    /// Whether a lost device is opened anew, and calls go on with it.
    pub fn resumes(&self) -> bool {
        self.state().recovery == RecoveryMode::Resume
    }

    /// How often the workload has begun: 1 where it was never replayed.
    pub fn attempt(&self) -> u32 {
        self.state().attempt
    }

    /// The device timeline was given a `destroy()`.
    pub fn note_destroy(&self, source: LossSource) {
        let mut state = self.state();
        // The first is the one that the device timeline comes to.
        if !std::mem::replace(&mut state.is_destroying, true) {
            state.destroyed_by = source;
        }
    }

    /// Who wanted the `destroy()` that the device timeline has come to.
    pub fn destroyed_by(&self) -> LossSource {
        self.state().destroyed_by
    }

    /// Whether host threads are to end, because the workload begins again.
    pub fn is_replaying(&self) -> bool {
        self.is_replaying.load(Ordering::SeqCst)
    }

    /// Whether a loss has held the host threads since this was asked last.
    pub fn take_pause(&self) -> bool {
        self.has_paused.swap(false, Ordering::SeqCst)
    }

    /// The workload will not begin again.
    pub fn end_replaying(&self) {
        self.is_replaying.store(false, Ordering::SeqCst);
    }
}

impl LossState {
    /// The workload begins again. What its own calls wanted and what has not come they will want again; what whoever runs it
    /// wants is wanted once, in whichever attempt it comes.
    pub fn begin_attempt(&mut self) {
        self.attempt += 1;
        let is_kept = |loss: &ArmedLoss| !matches!(loss.source, LossSource::Call(_));
        self.armed.retain(is_kept);
        self.awaited.retain(|(_, loss)| is_kept(loss));
    }

    /// What is done about a loss, and why that is not what was asked for, where it is not.
    fn decide(&mut self, source: LossSource) -> (RecoveryMode, Option<String>) {
        match (self.recovery, source) {
            (RecoveryMode::Replay, LossSource::Call(call)) if !self.replayed.insert(call) => {
                let attempt = self.attempt;
                let text = format!(
                    "the workload lost its device by a call of its own again, in attempt {attempt}: for each such call it \
                     is replayed once, so this attempt goes on with the device lost"
                );
                (RecoveryMode::Stay, Some(text))
            }
            (RecoveryMode::Replay | RecoveryMode::Resume, LossSource::Device) => {
                self.own_losses += 1;
                if self.own_losses <= MOST_RECOVERIES {
                    return (self.recovery, None);
                }
                let text = format!(
                    "the device was lost by itself for the {}th time in this run, and is not opened anew again: look for \
                     what loses it, in the log of the driver for example",
                    self.own_losses
                );
                (RecoveryMode::Stay, Some(text))
            }
            (recovery, _) => (recovery, None),
        }
    }
}

impl RunState {
    /// Loses the device on purpose: by its driver now, by its owner when the device timeline has done what it was
    /// given before. Without effect where it is lost already.
    pub fn lose(&self, by: LossBy, source: LossSource, reporter: &Reporter) {
        match &self.timelines {
            Some(timelines) if by == LossBy::Destroy => timelines.destroy(self, None, source),
            _ => {
                self.lose_now(by, source, reporter);
            }
        }
    }

    /// Loses the device now, on purpose. Without effect where it is lost already: then the answer is no.
    pub fn lose_now(&self, by: LossBy, source: LossSource, reporter: &Reporter) -> bool {
        let kind = match by {
            LossBy::Destroy => LossKind::Destroyed,
            LossBy::Driver => LossKind::Unknown,
            LossBy::Trap => LossKind::Trap,
            LossBy::Address => LossKind::Address,
            LossBy::Assertion => LossKind::Assertion,
            LossBy::Hang => LossKind::Hang,
            LossBy::Kill => LossKind::Process,
        };
        let mut state = self.losses.state();
        if state.lost.is_some() {
            return false;
        }
        let report = self.device.lose(kind);
        if !report.is_news {
            return false;
        }
        if by == LossBy::Destroy {
            state.has_come(source);
        }
        let reason = match (report.is_real, report.message.as_str()) {
            (false, _) | (true, "") => format!("injected; {}", report.how),
            (true, message) => format!("{message}; injected: {}", report.how),
        };
        self.report_loss(state, (kind, report.time, reason), source, reporter);
        true
    }

    /// Looks whether the device was lost by itself, and reports it where that is news.
    pub fn note_loss(&self, reporter: &Reporter) {
        // Asked while nobody opens it anew: what was read before that would be taken for another loss.
        let state = self.losses.state();
        let DeviceStatus::Lost(reason) = self.device.status() else {
            return;
        };
        if state.lost.is_none() {
            let time = self.device.lost_at().unwrap_or_else(|| self.now());
            let loss = (LossKind::Unknown, time, reason);
            self.report_loss(state, loss, LossSource::Device, reporter);
        }
    }

    fn report_loss(
        &self,
        mut state: MutexGuard<'_, LossState>,
        (kind, time, reason): (LossKind, Nanos, String),
        source: LossSource,
        reporter: &Reporter,
    ) {
        (state.lost, state.is_destroying) = (Some(time), false);
        let (recovery, why) = state.decide(source);
        state.goes_on = source != LossSource::Device || recovery != RecoveryMode::Stay;
        // Until all of this is done: a device that is opened anew meanwhile would be told of the loss of the one before.
        self.losses.is_mending.store(true, Ordering::SeqCst);
        let generation = state.generation;
        drop(state);
        let log = |text: String| {
            reporter.send(Record::Log(Box::new(Log {
                time,
                severity: Severity::Warning,
                text,
            })));
        };
        log(format!("the device was lost, {}: {reason}", kind.label()));
        reporter.send(Record::Loss(Box::new(Loss {
            device: DEVICE,
            time,
            reason,
            kind,
            generation,
        })));
        if let Some(text) = why {
            log(text);
        }
        if let Some(timelines) = &self.timelines {
            timelines.lost(self, time);
        }
        match recovery {
            RecoveryMode::Stay => {}
            RecoveryMode::Pause => {
                self.gate.pause();
                self.losses.has_paused.store(true, Ordering::SeqCst);
            }
            RecoveryMode::Resume => self.recover_or_fail(reporter),
            RecoveryMode::Replay => self.device.interrupt(),
        }
        let state = self.losses.state();
        if recovery == RecoveryMode::Replay {
            self.losses.is_replaying.store(true, Ordering::SeqCst);
        }
        self.losses.is_mending.store(false, Ordering::SeqCst);
        drop(state);
        self.losses.mended.notify_all();
    }
}

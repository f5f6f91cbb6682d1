//! The loss of a device in the middle of a run: reported once, whoever notices it, and mended where that is wanted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::Recovery;
use super::recorder::Reporter;
use super::shared::Shared;
use crate::backend::Error;
use crate::device::order::{Act, Origin};
use crate::device::{Status, lock};
use crate::record::{self, Log, Loss, LossKind, Record, Severity};
use crate::runner::prepare::DEVICE;
use crate::time::Nanos;
use crate::workload::{Injection, LossBy};

/// What a run knows of the losses of its device.
#[derive(Debug)]
pub struct Losses {
    state: Mutex<State>,
    /// Told when a lost device is mended, or will not be.
    mended: Condvar,
    /// Whether something waits to lose the device; read before every call.
    pub(super) is_armed: AtomicBool,
    /// Whether host threads are to end, so that they can be started again.
    is_replaying: AtomicBool,
    /// Whether a loss has just held the host threads.
    has_paused: AtomicBool,
}

/// The state of a device as the run has reported it.
#[derive(Debug)]
pub(super) struct State {
    /// Losses that wait for a call or a compile.
    pub armed: Vec<Injection>,
    /// Losses that wait for a time or an operation, each of which is looked for elsewhere.
    pub awaited: Vec<Injection>,
    recovery: Recovery,
    generation: u32,
    /// Since when it is lost.
    lost: Option<Nanos>,
    /// Whether whoever noticed the loss opens it anew.
    is_mending: bool,
    was_injected: bool,
}

impl Losses {
    /// For a run that does `recovery` when its device is lost.
    pub fn new(recovery: Recovery) -> Self {
        Self {
            state: Mutex::new(State {
                armed: Vec::new(),
                awaited: Vec::new(),
                recovery,
                generation: 1,
                lost: None,
                is_mending: false,
                was_injected: false,
            }),
            mended: Condvar::new(),
            is_armed: AtomicBool::new(false),
            is_replaying: AtomicBool::new(false),
            has_paused: AtomicBool::new(false),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Whether something waits to lose the device.
    pub fn is_armed(&self) -> bool {
        self.is_armed.load(Ordering::Relaxed)
    }

    /// Waits until a device that is being opened anew is open, or could not be.
    pub fn await_mended(&self) {
        let mut state = self.state();
        while state.is_mending {
            let woken = self.mended.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether the run goes on although the device was lost: it was lost on purpose, or is opened anew.
    pub fn goes_on(&self) -> bool {
        let state = self.state();
        state.was_injected || state.recovery != Recovery::Stay
    }

    /// Whether host threads are to end, because the workload begins again.
    pub fn is_replaying(&self) -> bool {
        self.is_replaying.load(Ordering::SeqCst)
    }

    /// Whether a loss has held the host threads since this was asked last.
    pub fn take_pause(&self) -> bool {
        self.has_paused.swap(false, Ordering::SeqCst)
    }

    /// Host threads have ended and may be started again.
    pub fn end_replaying(&self) {
        self.is_replaying.store(false, Ordering::SeqCst);
    }
}

impl Shared {
    /// Loses the device on purpose: by its driver now, by its owner when the device timeline has done what it was
    /// given before. Without effect where it is lost already.
    pub fn lose(&self, by: LossBy, reporter: &Reporter) {
        match &self.timelines {
            Some(timelines) if by == LossBy::Destroy => timelines.destroy(self, None),
            _ => self.lose_now(by, reporter),
        }
    }

    /// Loses the device now, on purpose. Without effect where it is lost already.
    pub fn lose_now(&self, by: LossBy, reporter: &Reporter) {
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
            return;
        }
        let report = self.device.lose(kind);
        if !report.is_news {
            return;
        }
        state.was_injected = true;
        let reason = match (report.is_real, report.message.as_str()) {
            (false, _) | (true, "") => format!("injected; {}", report.how),
            (true, message) => format!("{message}; injected: {}", report.how),
        };
        self.report_loss(state, kind, report.time, reason, reporter);
    }

    /// Looks whether the device was lost by itself, and reports it where that is news.
    pub fn note_loss(&self, reporter: &Reporter) {
        // Asked while nobody opens it anew: what was read before that would be taken for another loss.
        let state = self.losses.state();
        let Status::Lost(reason) = self.device.status() else {
            return;
        };
        if state.lost.is_none() {
            let time = self.device.lost_at().unwrap_or_else(|| self.now());
            self.report_loss(state, LossKind::Unknown, time, reason, reporter);
        }
    }

    fn report_loss(
        &self,
        mut state: MutexGuard<'_, State>,
        kind: LossKind,
        time: Nanos,
        reason: String,
        reporter: &Reporter,
    ) {
        state.lost = Some(time);
        state.is_mending = matches!(state.recovery, Recovery::Resume | Recovery::Replay);
        let (generation, recovery) = (state.generation, state.recovery);
        drop(state);
        reporter.send(Record::Log(Box::new(Log {
            time,
            severity: Severity::Warning,
            text: format!("the device was lost, {}: {reason}", kind.label()),
        })));
        reporter.send(Record::Loss(Box::new(Loss {
            device: DEVICE,
            time,
            reason,
            kind,
            generation,
        })));
        if let Some(timelines) = &self.timelines {
            timelines.lost(self, time);
        }
        match recovery {
            Recovery::Stay => {}
            Recovery::Pause => {
                self.gate.pause();
                self.losses.has_paused.store(true, Ordering::SeqCst);
            }
            Recovery::Resume | Recovery::Replay => {
                self.recover_or_fail(recovery, reporter);
                self.losses.state().is_mending = false;
                self.losses.mended.notify_all();
            }
        }
    }

    /// Opens a lost device anew, and lets the host threads go on with the calls they are at, or from the first.
    ///
    /// # Errors
    /// The device is not lost, or cannot be opened.
    pub fn recover(&self, how: Recovery, reporter: &Reporter) -> Result<(), Error> {
        let mut state = self.losses.state();
        let Some(lost) = state.lost else {
            return Ok(());
        };
        if how == Recovery::Replay {
            self.losses.is_replaying.store(true, Ordering::SeqCst);
        }
        self.device.reopen()?;
        let time = self.now();
        self.events.forget();
        self.order.push(0, Origin::default(), Act::Restart, &[]);
        self.note_streams();
        if let Some(timelines) = &self.timelines {
            timelines.recovered(self);
        }
        state.generation += 1;
        self.launches.renew();
        state.lost = None;
        reporter.send(Record::Recovery(Box::new(record::Recovery {
            device: DEVICE,
            generation: state.generation,
            lost,
            time,
        })));
        Ok(())
    }

    /// The same, where nobody is there to tell of an error: the run fails of it.
    pub fn recover_or_fail(&self, how: Recovery, reporter: &Reporter) {
        if let Err(error) = self.recover(how, reporter) {
            self.losses.end_replaying();
            self.fail(&format!("the device could not be opened anew: {error}"));
        }
    }
}

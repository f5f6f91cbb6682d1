//! A lost device is opened anew: for host threads that go on with the calls they are at, or to begin with the first.

use std::sync::MutexGuard;
use std::sync::atomic::Ordering;

use super::loss::LossState;
use super::prepare::{self, DEVICE};
use super::recorder::Reporter;
use super::shared::RunState;
use backend::BackendError;
use order::{CallOrigin, SyncOp};
use record::{Record, Recovery};

impl RunState {
    /// Opens a lost device anew, and lets the host threads go on with the calls they are at. Does nothing where it is not
    /// lost, or where the workload is about to begin again.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn recover(&self, reporter: &Reporter) -> Result<(), BackendError> {
        let state = self.losses.state();
        if self.losses.is_replaying() {
            return Ok(());
        }
        self.open_anew(state, true, reporter)
    }

    /// The same, where nobody is there to tell of an error: the run fails of it.
    pub fn recover_or_fail(&self, reporter: &Reporter) {
        if let Err(error) = self.recover(reporter) {
            self.fail(&format!("the device could not be opened anew: {error}"));
        }
    }

    /// Ends the host threads, so that the workload can begin again. Does nothing where the device is not lost.
    pub fn begin_replay(&self) {
        let state = self.losses.state();
        if state.lost.is_some() {
            self.losses.is_replaying.store(true, Ordering::SeqCst);
            drop(state);
            self.device.interrupt();
        }
    }

    /// Makes everything as it was before the first call, once every host thread has ended. Gives the number of the attempt
    /// that is about to begin.
    ///
    /// # Errors
    /// The device cannot be opened.
    pub fn open_for_replay(&self, reporter: &Reporter) -> Result<u32, BackendError> {
        self.device.drain()?;
        // A device is opened anew with the numbers that the host has, and was opened with zeros.
        prepare::clear(&self.plan, self.device.as_ref());
        self.open_anew(self.losses.state(), false, reporter)?;
        prepare::fill(&self.plan, self.device.as_ref());
        Ok(self.losses.attempt())
    }

    fn open_anew(
        &self,
        mut state: MutexGuard<'_, LossState>,
        goes_on: bool,
        reporter: &Reporter,
    ) -> Result<(), BackendError> {
        let Some(lost) = state.lost else {
            return Ok(());
        };
        self.device.reopen()?;
        if goes_on {
            self.report_lost_values(state.generation, reporter);
        }
        let time = self.now();
        self.forget_failure();
        self.forget_submitted();
        self.events.forget();
        self.order
            .push(0, CallOrigin::default(), SyncOp::Restart, &[]);
        self.note_streams();
        if let Some(timelines) = &self.timelines {
            timelines.recovered(self, goes_on);
        }
        state.generation += 1;
        self.launches.renew();
        if !goes_on {
            self.forget();
            self.device.rewind();
            state.begin_attempt();
            // From here on another loss is one of the new attempt.
            self.losses.is_replaying.store(false, Ordering::SeqCst);
        }
        state.lost = None;
        reporter.send(Record::Recovery(Box::new(Recovery {
            device: DEVICE,
            generation: state.generation,
            lost,
            time,
        })));
        Ok(())
    }
}

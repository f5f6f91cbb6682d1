//! The content timeline of a host thread: settles its promises between its calls and while it waits.

use super::Timelines;
use super::state::TimelinesState;
use crate::shared::RunState;
use backend::{BackendError, Flag, HostIndex};
use device::webgpu::Api;
use record::time::Nanos;
use record::{PromiseId, SpanId};
use workload::PromiseIndex;

impl Timelines {
    /// Executes what waits on the content timeline of `host`.
    pub fn drain(&self, shared: &RunState, host: HostIndex) {
        while self.step_content(shared, host) {
            self.charge(shared, host);
        }
    }

    fn step_content(&self, shared: &RunState, host: HostIndex) -> bool {
        let mut state = self.lock();
        let timeline = Self::content(host);
        if !state.model.has_content_step(timeline) {
            return false;
        }
        let start = shared.device.now(host);
        let span = shared.next_span();
        let Some(step) = state.model.step_content(timeline, span) else {
            return false;
        };
        let end = if self.is_virtual {
            start + super::CONTENT_STEP
        } else {
            shared.device.now(host)
        };
        let lane = RunState::host_lane(host);
        self.report_step(shared, &state, &step, span, lane, (start, start, end));
        self.act(shared, &mut state, &step.effects, span, end);
        true
    }

    /// Blocks `host` until the latest promise of this name has settled. Gives the step that settled it.
    ///
    /// # Errors
    /// The run was stopped, or no call has made such a promise.
    pub fn await_promise(
        &self,
        shared: &RunState,
        host: HostIndex,
        name: PromiseIndex,
    ) -> Result<SpanId, BackendError> {
        let named = shared.plan.promises.get(name.index());
        let unknown = || {
            let name = named.map_or("?", |name| name);
            BackendError::Unknown(format!(
                "promise {name}: no call has made it by now; settle it after the call that makes it, and where that is of another host \
                 thread, let that raise a signal first"
            ))
        };
        let promise = self.latest(name).ok_or_else(unknown)?;
        self.until_settled(shared, host, promise)
    }

    /// Blocks `host` until each of its promises has settled, those of `device.lost` excepted. Gives the steps that
    /// settled them while it waited.
    ///
    /// # Errors
    /// The run was stopped.
    pub fn settle_all(
        &self,
        shared: &RunState,
        host: HostIndex,
    ) -> Result<Vec<SpanId>, BackendError> {
        let mut steps = Vec::new();
        while let Some(promise) = self.first_pending(host) {
            steps.push(self.until_settled(shared, host, promise)?);
        }
        self.drain(shared, host);
        Ok(steps)
    }

    fn first_pending(&self, host: HostIndex) -> Option<PromiseId> {
        let state = self.lock();
        let pending = state.promises.iter().position(|given| {
            given.host == host && given.settled.is_none() && given.api != Api::Lost
        });
        pending.map(|place| PromiseId(place as u32))
    }

    fn until_settled(
        &self,
        shared: &RunState,
        host: HostIndex,
        promise: PromiseId,
    ) -> Result<SpanId, BackendError> {
        loop {
            self.drain(shared, host);
            let flag = {
                let mut state = self.lock();
                let Some(given) = state.promises.get(promise.index()) else {
                    return Ok(SpanId::NONE);
                };
                if let Some(step) = given.settled {
                    return Ok(step);
                }
                if given.host == host {
                    wait_for_step(&mut state, host)
                } else {
                    given.flag.clone()
                }
            };
            shared.device.until_flag(host, &flag)?;
        }
    }
}

/// A flag that is raised once there is something to do on the content timeline of `host`.
fn wait_for_step(state: &mut TimelinesState, host: HostIndex) -> Flag {
    let flag = Flag::default();
    if state.model.has_content_step(Timelines::content(host)) {
        // It came since the timeline was drained.
        flag.raise(Nanos::ZERO);
    } else if let Some(waiting) = state.waiting.get_mut(host.0) {
        waiting.push(flag.clone());
    }
    flag
}

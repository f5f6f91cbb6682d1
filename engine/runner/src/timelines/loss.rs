//! The loss of the device, by its owner or its driver, and the generation that follows it.

use super::calls::{CallContext, CreationAnswer};
use super::state::TimelinesState;
use super::{Timelines, WORKERS};
use crate::loss::LossSource;
use crate::shared::RunState;
use backend::{Flag, HostIndex};
use record::time::Nanos;
use record::{CallId, SpanId};
use workload::{LossBy, PipelineIndex};

impl Timelines {
    /// `device.destroy()`, as a call or from outside: maps end at once, and the device is lost when its step has its
    /// turn.
    pub fn destroy(&self, shared: &RunState, asked: Option<&CallContext>, source: LossSource) {
        shared.losses.note_destroy(source);
        let outside = Self::outside(shared.now());
        let asked = asked.unwrap_or(&outside);
        let mut state = self.lock();
        if state.is_closed {
            return;
        }
        let host = Self::content(asked.host);
        let made = state.model.destroy_device(host, asked.span);
        self.act(shared, &mut state, &made.effects, asked.span, asked.time);
        drop(state);
        if asked.span.is_some() {
            self.charge(shared, asked.host);
        }
    }

    /// The device was lost at `time`: everything pending comes out by the table of outcomes. Of no consequence where
    /// the device timeline has lost it before.
    pub fn lost(&self, shared: &RunState, time: Nanos) {
        let mut state = self.lock();
        if state.is_closed {
            return;
        }
        if state.model.loss().is_none() {
            state.lose(SpanId::NONE);
        }
        self.cut_compiles(shared, &mut state, time);
        state.is_loss_told = true;
        Self::release_awaiting(&mut state, time);
        self.kick(shared, &mut state, time);
    }

    /// The device timeline has come to a `destroy()`: the device itself follows.
    pub(super) fn lose_device(&self, shared: &RunState) {
        let source = shared.losses.destroyed_by();
        if !shared.lose_now(LossBy::Destroy, source, &self.reporter) {
            // It was lost by itself a moment before, and nobody may have noticed.
            shared.note_loss(&self.reporter);
        }
    }

    /// A flag that is raised once the device has followed a `destroy()` that was called; none where there is no such call, or
    /// it has.
    pub fn until_destroyed(&self) -> Option<Flag> {
        let mut state = self.lock();
        if state.is_closed || state.is_loss_told || !state.model.is_destroy_called() {
            return None;
        }
        let flag = Flag::default();
        state.awaiting_loss.push(flag.clone());
        Some(flag)
    }

    /// The step that lost the device.
    pub fn lost_by(&self) -> SpanId {
        self.lock().lost_by
    }

    /// Whoever waits for the end of the device goes on.
    pub(super) fn release_awaiting(state: &mut TimelinesState, time: Nanos) {
        for flag in std::mem::take(&mut state.awaiting_loss) {
            flag.raise(time);
        }
    }

    /// The device was opened anew: what the old one still owed comes to its end. Its pipelines are compiled again where
    /// calls go on with them, and not where the workload begins again and makes its own.
    pub fn recovered(&self, shared: &RunState, goes_on: bool) {
        // In one go: a launch that waits for its pipeline would find between the two that nobody has created it.
        let mut state = self.lock();
        if state.is_closed {
            return;
        }
        // Read while nobody else does anything here: what follows comes after all that was done before.
        let time = shared.now();
        // Those that workers took up since the loss have a span as well; no further ones are taken up.
        state.jobs.clear();
        self.cut_compiles(shared, &mut state, time);
        self.end_generation(shared, &mut state, time);
        let requested = state.latest_pipeline.iter().enumerate();
        let requested = requested.filter(|(_, latest)| goes_on && latest.is_some());
        let again: Vec<PipelineIndex> = requested
            .map(|(place, _)| PipelineIndex(place as u32))
            .collect();
        state.workers = vec![None; WORKERS];
        state.device_free = time;
        state.renew();
        let (asked, answer) = (Self::outside(time), CreationAnswer::Promise(None));
        for pipeline in again {
            self.create_in(shared, &mut state, &asked, pipeline, answer);
        }
    }

    /// A call that no host thread makes.
    const fn outside(time: Nanos) -> CallContext {
        CallContext {
            host: HostIndex(0),
            call: CallId::NONE,
            span: SpanId::NONE,
            time,
        }
    }
}

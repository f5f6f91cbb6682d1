//! What waits for the queue: told once everything that streams had been given has ended.

use super::Timelines;
use super::state::{QueueWatch, TimelinesState};
use crate::shared::RunState;
use backend::StreamActivity;
use device::DeviceStatus;
use record::SpanId;
use record::time::Nanos;

/// Whether a stream has something that has not ended.
pub(super) fn is_busy(shared: &RunState) -> bool {
    let activity = shared.device.activity();
    !activity.streams.iter().all(StreamActivity::is_idle)
}

impl Timelines {
    /// Begins to wait for the queue, on behalf of the step `cause`.
    pub(super) fn watch_queue(
        &self,
        shared: &RunState,
        state: &mut TimelinesState,
        point: u64,
        cause: SpanId,
    ) {
        let watch = QueueWatch {
            generation: state.generation,
            point,
            streams: shared.device.activity().streams,
            cause,
        };
        if !self.is_virtual {
            state.watches.push_back(watch);
            self.changed.notify_all();
            return;
        }
        let weak = self.weak();
        shared.device.when_done(Box::new(move |now| {
            if let Some(shared) = weak.upgrade()
                && let Some(timelines) = &shared.timelines
            {
                timelines.queue_ended(&shared, &watch, now);
            }
        }));
    }

    /// What was waited for has come.
    pub(super) fn queue_ended(&self, shared: &RunState, watch: &QueueWatch, time: Nanos) {
        let mut state = self.lock();
        if state.is_closed || state.generation != watch.generation {
            return;
        }
        let time = time.max(state.device_free);
        // What a device that failed was given has ended as well: WebGPU knows no failure but a loss.
        if matches!(shared.device.status(), DeviceStatus::Lost(_)) {
            // It ended because the device did, and not by being done.
            if state.model.loss().is_none() {
                state.lose(watch.cause);
                self.kick(shared, &mut state, time);
            }
            return;
        }
        let effects = state.model.work_completed(watch.point, watch.cause);
        self.act(shared, &mut state, &effects, watch.cause, time);
    }

    /// Whether everything that the streams had been given by then has ended.
    pub(super) fn has_ended(shared: &RunState, watch: &QueueWatch) -> bool {
        let now = shared.device.activity().streams;
        let mut pairs = watch.streams.iter().zip(&now);
        pairs.all(|(then, now)| now.ended >= then.submitted)
    }
}

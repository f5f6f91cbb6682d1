//! The lane of what the driver and whoever measures it took for themselves, where a device tells that.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use super::recorder::Reporter;
use super::shared::RunState;
use device::lock;
use record::time::Nanos;
use record::{CallId, DeviceId, Group, Lane, LaneId, Record, Role, Span, State};

/// The lane, which is there once there is something to show on it.
#[derive(Debug)]
pub struct Overheads {
    lane: LaneId,
    stage: Mutex<OverheadStage>,
    latest: AtomicI64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum OverheadStage {
    #[default]
    Empty,
    Shown,
    /// The run has ended: nothing may be reported any more.
    Over,
}

impl Overheads {
    /// On this lane, which must be the last.
    pub fn new(lane: LaneId) -> Self {
        Self {
            lane,
            stage: Mutex::default(),
            latest: AtomicI64::new(0),
        }
    }

    /// Reports what the device has told since this was called last; what was before the run began is no part of it.
    pub fn report(&self, shared: &RunState, device: DeviceId, reporter: &Reporter) {
        let mut stage = lock(&self.stage);
        if *stage == OverheadStage::Over {
            return;
        }
        for it in shared.device.overheads() {
            if it.ran.end <= Nanos::ZERO {
                continue;
            }
            if *stage == OverheadStage::Empty {
                *stage = OverheadStage::Shown;
                reporter.send(Record::Lane(Box::new(Lane {
                    id: self.lane,
                    group: Group::Device,
                    device: Some(device),
                    role: Role::None,
                    name: "overhead".to_owned(),
                    order: 2_000,
                    process: "".into(),
                    thread: "".into(),
                })));
            }
            let start = it.ran.start.max(Nanos::ZERO);
            self.latest.fetch_max(it.ran.end.0, Ordering::SeqCst);
            reporter.send(Record::Span(Span {
                id: shared.next_span(),
                lane: self.lane,
                name: shared.names.id(it.what, reporter),
                call: CallId::NONE,
                kind: it.kind,
                state: State::Done,
                enqueued: start,
                start,
                end: it.ran.end,
            }));
        }
    }

    /// When the last that was reported ended: handing over what was measured takes time of its own, at the run's end too.
    pub fn latest(&self) -> Nanos {
        Nanos(self.latest.load(Ordering::SeqCst))
    }

    /// The run has ended.
    pub fn close(&self) {
        *lock(&self.stage) = OverheadStage::Over;
    }
}

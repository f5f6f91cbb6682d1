//! WebGPU's timelines in a run: drives the model of the specification with a real device, and reports every step.
//!
//! The device timeline is an actor of its own, and compiles are made by a pool of workers; what settles a promise is
//! done by the host thread that made the call, between its calls and while it waits. On a device whose time is virtual
//! there are no threads: the same steps happen at alarms of the device's clock.

mod calls;
mod close;
mod compile;
mod content;
mod device;
mod launch;
mod loss;
mod native_queries;
mod queue;
mod report;
mod state;
#[cfg(test)]
mod tests;
mod text;
mod threads;

use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, Weak};
use std::thread::JoinHandle;

use self::state::TimelinesState;
use super::recorder::Reporter;
use super::shared::RunState;
use ::device::lock;
use ::device::webgpu;
use backend::HostIndex;
use record::time::Nanos;
use record::{DeviceId, Group, Lane, LaneId, Record, Role};
use workload::Plan;

pub use self::calls::CallContext;
pub use self::launch::LaunchReadiness;

/// Workers that compile pipelines.
const WORKERS: usize = 4;
/// Threads of a device whose time is the host's.
const THREADS: usize = WORKERS + 2;
/// What a step of the device timeline takes in virtual time.
const DEVICE_STEP: Nanos = Nanos(2_000);
/// What settling a promise, or a call of this layer, takes in virtual time.
const CONTENT_STEP: Nanos = Nanos(1_000);

/// The timelines of a run.
pub struct Timelines {
    state: Mutex<TimelinesState>,
    /// Something is to be done for the actor, a worker or the one who watches the queue.
    changed: Condvar,
    reporter: Reporter,
    device: DeviceId,
    first_lane: LaneId,
    is_virtual: bool,
    /// For each host thread, spans inside its call: they follow when the call has been reported, so that whoever draws
    /// them meets the outer one first.
    nested: Vec<Mutex<Vec<Record>>>,
    shared: OnceLock<Weak<RunState>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// Lanes that it has.
pub const LANES: u32 = 1 + WORKERS as u32;

/// Whether a workload has anything to do with promises or pipelines.
pub fn are_needed(plan: &Plan) -> bool {
    !plan.pipelines.is_empty() || !plan.promises.is_empty()
}

impl Timelines {
    /// For a run of `plan` on `device`, before its first call; its lanes are those from `first_lane` on.
    pub fn new(
        plan: &Plan,
        device: DeviceId,
        first_lane: LaneId,
        is_virtual: bool,
        reporter: Reporter,
    ) -> Self {
        Self {
            state: Mutex::new(TimelinesState::new(plan)),
            changed: Condvar::new(),
            reporter,
            device,
            first_lane,
            is_virtual,
            nested: plan.hosts.iter().map(|_| Mutex::default()).collect(),
            shared: OnceLock::new(),
            threads: Mutex::default(),
        }
    }

    /// Reports the lanes.
    pub fn describe(&self) {
        let lane = |place: usize, name: String| {
            self.reporter.send(Record::Lane(Box::new(Lane {
                id: LaneId(self.first_lane.0 + place as u32),
                group: Group::Device,
                device: Some(self.device),
                role: Role::None,
                name,
                order: place as i32,
                process: "".into(),
                thread: "".into(),
            })));
        };
        lane(0, "device timeline".to_owned());
        for worker in 0..WORKERS {
            lane(1 + worker, format!("compile worker {}", worker + 1));
        }
    }

    /// Reports a span on `lane`; on that of a host thread, once its call has been reported.
    fn report_on(&self, lane: LaneId, record: Record) {
        // The lanes of host threads are the first.
        match self.nested.get(lane.index()) {
            Some(nested) => lock(nested).push(record),
            None => self.reporter.send(record),
        }
    }

    /// The call of `host` has been reported to `reporter`: what was done inside it follows, by the same way, so that
    /// it comes out after it.
    pub fn release(&self, host: HostIndex, reporter: &Reporter) {
        if let Some(nested) = self.nested.get(host.0) {
            for record in std::mem::take(&mut *lock(nested)) {
                reporter.send(record);
            }
        }
    }

    /// The lane of the device timeline.
    const fn device_lane(&self) -> LaneId {
        self.first_lane
    }

    /// The lane of a compile worker.
    const fn worker_lane(&self, worker: usize) -> LaneId {
        LaneId(self.first_lane.0 + 1 + worker as u32)
    }

    fn lock(&self) -> MutexGuard<'_, TimelinesState> {
        lock(&self.state)
    }

    /// What the run shares, for those who must not keep it alive.
    fn weak(&self) -> Weak<RunState> {
        self.shared.get().cloned().unwrap_or_default()
    }

    /// The content timeline of a host thread.
    const fn content(host: HostIndex) -> webgpu::ModelTimeline {
        webgpu::ModelTimeline::content(host.0 as u32)
    }
}

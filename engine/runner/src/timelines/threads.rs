//! The threads of a device whose time is the host's: the actor of the device timeline, the compile workers, and the
//! one who looks when the queue has ended what somebody waits for.

use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use super::device::TimelineProgress;
use super::state::{TimelinesState, WaitingPipeline};
use super::{Timelines, WORKERS};
use crate::shared::RunState;
use backend::BackendError;
use device::lock;

/// The place of the actor of the device timeline among the threads; those of the workers follow.
const ACTOR: usize = 0;
/// That of the one who looks at the queue.
const WATCH: usize = WORKERS + 1;
/// Between two looks at the queue.
const LOOK: Duration = Duration::from_micros(200);

impl Timelines {
    /// Begins to work for the run; on a device of virtual time, at alarms alone.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(&self, shared: &Arc<RunState>) -> Result<(), BackendError> {
        let _ = self.shared.set(Arc::downgrade(shared));
        if self.is_virtual {
            return Ok(());
        }
        self.spawn(shared, "device timeline".to_owned(), Self::run_device)?;
        self.spawn(shared, "queue watch".to_owned(), Self::run_watch)?;
        for worker in 0..WORKERS {
            let name = format!("compile worker {}", worker + 1);
            self.spawn(shared, name, move |timelines, shared| {
                timelines.run_worker(shared, worker);
            })?;
        }
        Ok(())
    }

    fn spawn(
        &self,
        shared: &Arc<RunState>,
        name: String,
        run: impl Fn(&Self, &RunState) + Send + 'static,
    ) -> Result<(), BackendError> {
        let shared = Arc::clone(shared);
        let thread = std::thread::Builder::new().name(name);
        let spawned = thread.spawn(move || {
            if let Some(timelines) = &shared.timelines {
                run(timelines, &shared);
            }
        });
        let spawned = spawned.map_err(|error| BackendError::Thread(error.to_string()))?;
        lock(&self.threads).push(spawned);
        Ok(())
    }

    /// Waits until there may be something to do, as the thread `own`.
    fn rest<'s>(
        &'s self,
        mut state: MutexGuard<'s, TimelinesState>,
        own: usize,
    ) -> MutexGuard<'s, TimelinesState> {
        let set = |state: &mut TimelinesState, rests| {
            if let Some(resting) = state.resting.get_mut(own) {
                *resting = rests;
            }
        };
        set(&mut state, true);
        let woken = self.changed.wait(state);
        let mut state = woken.unwrap_or_else(PoisonError::into_inner);
        set(&mut state, false);
        state
    }

    /// Whether nothing here will happen by itself any more, unless streams end what they have. In virtual time what is
    /// due is known to the device.
    pub fn is_at_rest(&self, shared: &RunState) -> bool {
        if self.is_virtual {
            return true;
        }
        let state = self.lock();
        let queue = match state.watches.front() {
            Some(watch) => !Self::has_ended(shared, watch),
            None => state.resting.get(WATCH).copied().unwrap_or_default(),
        };
        let mut others = state.resting.iter().take(WATCH);
        queue
            && state.jobs.is_empty()
            && !state.model.has_device_step()
            && others.all(|rests| *rests)
    }

    /// The actor of the device timeline.
    fn run_device(&self, shared: &RunState) {
        loop {
            match self.step_device(shared, None, &|| shared.now()) {
                TimelineProgress::Compile(waiting) => {
                    self.compile_here(shared, waiting, self.device_lane());
                }
                TimelineProgress::Done => {}
                TimelineProgress::Nothing => {
                    let state = self.lock();
                    if state.is_closed {
                        return;
                    }
                    if !state.model.has_device_step() {
                        drop(self.rest(state, ACTOR));
                    }
                }
            }
        }
    }

    fn run_worker(&self, shared: &RunState, worker: usize) {
        loop {
            let mut state = self.lock();
            let waiting = loop {
                if state.is_closed {
                    return;
                }
                if let Some(waiting) = state.jobs.pop_front() {
                    break waiting;
                }
                state = self.rest(state, ACTOR + 1 + worker);
            };
            drop(state);
            self.compile_here(shared, waiting, self.worker_lane(worker));
        }
    }

    /// Compiles on the calling thread.
    fn compile_here(&self, shared: &RunState, waiting: WaitingPipeline, lane: record::LaneId) {
        let begun = {
            let mut state = self.lock();
            let start = shared.now().max(waiting.since);
            self.begin(shared, &mut state, waiting, lane, start)
        };
        let Some((job, request, fails)) = begun else {
            return;
        };
        let built = std::thread::scope(|scope| {
            if shared.losses.is_armed() {
                // By a thread beside: a loss in the middle of a compile must not wait for it.
                scope.spawn(|| {
                    std::thread::sleep(request.slow / 2);
                    self.lose_while_compiling(shared, &job);
                });
            }
            Self::build(shared, &request, fails).0
        });
        let end = shared.now();
        let mut state = self.lock();
        self.end(shared, &mut state, &job, &built, end);
        drop(state);
        self.changed.notify_all();
    }

    /// Looks whether the queue has ended what somebody waits for, while somebody does.
    fn run_watch(&self, shared: &RunState) {
        loop {
            let mut state = self.lock();
            let watch = loop {
                if state.is_closed {
                    return;
                }
                if let Some(watch) = state.watches.front() {
                    break watch.clone();
                }
                state = self.rest(state, WATCH);
            };
            drop(state);
            if Self::has_ended(shared, &watch) {
                let mut state = self.lock();
                if state
                    .watches
                    .front()
                    .is_some_and(|it| it.point == watch.point)
                {
                    state.watches.pop_front();
                }
                drop(state);
                self.queue_ended(shared, &watch, shared.now());
            } else {
                std::thread::sleep(LOOK);
            }
        }
    }
}

//! Builds the graph in the background: reads the capture a slice of time at a time, and orders what was read on a thread
//! of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Causes;
use super::draft::CausesDraft;
use capture::Capture;
use record::DependencyId;

/// Spans or dependencies read between two looks at the clock.
const STRIDE: usize = 4_096;
/// The same on a thread that nobody waits for: spans are found the quicker the more are asked for at once.
const LONG_STRIDE: usize = 1 << 16;
/// A capture with no more spans and dependencies than this is put in order at once: that takes less than a thread does.
const AT_ONCE: usize = 4_096;
/// Time between two looks at whether all is to be given up.
const BUDGET: Duration = Duration::from_millis(20);
/// The part of the work that reading is, for those who look on.
const READING: f32 = 0.5;

/// The graph in the making. Dropping it cancels what goes on.
#[derive(Default)]
pub struct CausesJob {
    draft: Option<CausesDraft>,
    /// How many spans and dependencies there were when it began: those that come meanwhile are left to the next.
    bounds: Option<[usize; 2]>,
    next_dependency: usize,
    worker: Option<JoinHandle<Option<Causes>>>,
    cancelled: Arc<AtomicBool>,
    causes: Option<Causes>,
}

impl Drop for CausesJob {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

impl CausesJob {
    /// How much is done, from 0 to 1.
    pub fn progress(&self, capture: &Capture) -> f32 {
        if self.causes.is_some() {
            return 1.0;
        }
        let spans = self.draft.as_ref().map_or(0, CausesDraft::spans);
        let all = self.bounds(capture).iter().sum::<usize>().max(1);
        let read = (spans + self.next_dependency) as f32 / all as f32;
        if self.worker.is_some() {
            READING
        } else {
            read.min(1.0) * READING
        }
    }

    fn bounds(&self, capture: &Capture) -> [usize; 2] {
        let now = [capture.span_ids(), capture.dependency_count()];
        self.bounds.unwrap_or(now)
    }

    /// Works for about `budget`, and says whether the graph is there. While it is put in order on another thread, this
    /// answers at once. What the capture gains meanwhile is left out: a graph of an earlier revision says so itself.
    pub fn step(&mut self, capture: &Capture, budget: Duration) -> bool {
        if self.causes.is_some() {
            return true;
        }
        if self.worker.is_some() {
            return self.take_finished();
        }
        if !self.read(capture, STRIDE, budget) {
            return false;
        }
        if self.bounds(capture).iter().sum::<usize>() <= AT_ONCE {
            self.causes = Some(self.order());
            return true;
        }
        let (draft, cancelled) = (self.draft.take(), Arc::clone(&self.cancelled));
        let work = move || draft?.finish(&cancelled);
        let thread = std::thread::Builder::new().name("causes".to_owned());
        match thread.spawn(work) {
            Ok(worker) => self.worker = Some(worker),
            // Without a thread there is no graph; an empty one answers nothing.
            Err(_) => self.causes = Some(Causes::default()),
        }
        false
    }

    /// Takes what the thread made, if it is through.
    fn take_finished(&mut self) -> bool {
        if !self.worker.as_ref().is_some_and(JoinHandle::is_finished) {
            return false;
        }
        let made = self.worker.take().and_then(|worker| worker.join().ok());
        self.causes = Some(made.flatten().unwrap_or_default());
        true
    }

    /// Reads for about `budget`, and says whether all was read.
    fn read(&mut self, capture: &Capture, stride: usize, budget: Duration) -> bool {
        let begun = Instant::now();
        let [spans, dependencies] = self.bounds(capture);
        self.bounds = Some([spans, dependencies]);
        let draft = self.draft.get_or_insert_with(|| CausesDraft::new(capture));
        while draft.spans() < spans {
            let end = spans.min(draft.spans() + stride);
            draft.read_spans(capture, end);
            if begun.elapsed() >= budget {
                return false;
            }
        }
        while self.next_dependency < dependencies {
            let end = dependencies.min(self.next_dependency + stride);
            for id in self.next_dependency..end {
                draft.read_dependency(capture, DependencyId(id as u32));
            }
            self.next_dependency = end;
            if begun.elapsed() >= budget {
                return false;
            }
        }
        true
    }

    /// The graph, once it is there, without the times of spans.
    pub fn finish(mut self) -> Option<Causes> {
        let mut causes = self.causes.take();
        if let Some(causes) = &mut causes {
            causes.forget_times();
        }
        causes
    }

    /// The rest of the work at once, on this thread.
    pub(super) fn finish_now(&mut self, capture: &Capture) -> Causes {
        self.read(capture, LONG_STRIDE, Duration::MAX);
        self.order()
    }

    /// All of the work on this thread; nothing once `cancelled` comes true.
    pub(super) fn run(
        capture: &Capture,
        cancelled: &AtomicBool,
        mut progress: impl FnMut(f32),
    ) -> Option<Causes> {
        let mut job = Self::default();
        while !job.read(capture, LONG_STRIDE, BUDGET) {
            if cancelled.load(Ordering::Relaxed) {
                return None;
            }
            progress(job.progress(capture));
        }
        progress(READING);
        job.draft.take()?.finish(cancelled)
    }

    fn order(&mut self) -> Causes {
        let draft = self.draft.take();
        let made = draft.and_then(|draft| draft.finish(&self.cancelled));
        made.unwrap_or_default()
    }
}

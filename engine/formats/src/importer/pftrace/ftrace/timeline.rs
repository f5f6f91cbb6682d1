//! From what the scheduler did on each core to what each thread was, from when to when.

use super::events::{BY_INTERRUPT, IDLE, ON_CORE, SchedulerEvent, SchedulerEventKind, UNKNOWN};
use super::task_state::KernelVersion;
use crate::importer::fast_hash::QuickMap;
use record::ThreadState;

/// What a thread was for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FtraceState {
    /// From when to when, in nanoseconds of the file.
    pub start: i64,
    pub end: i64,
    pub state: ThreadState,
    /// Where it ran.
    pub core: Option<u16>,
    /// The thread that woke it, or what else did.
    pub waker: i32,
}

/// Whether it was recorded when threads were woken.
pub(super) fn tells_wakings(events: &[SchedulerEvent]) -> bool {
    events.iter().any(|it| it.kind == SchedulerEventKind::Wake)
}

/// What each core runs, and what each thread is.
struct CoreTimelines<F> {
    kernel: KernelVersion,
    /// Whether it is told when threads are woken: else what waits may be ready long before it runs.
    has_wakings: bool,
    cores: QuickMap<u16, i32>,
    threads: QuickMap<i32, FtraceState>,
    take: F,
}

/// Calls `take` with each thread and each of its states, of each thread in order of time. The events are in order of time.
/// What a thread is in the end, it is until the last of them.
pub(super) fn states(
    events: &[SchedulerEvent],
    kernel: KernelVersion,
    take: impl FnMut(i32, FtraceState),
) {
    let mut timelines = CoreTimelines {
        kernel,
        has_wakings: tells_wakings(events),
        cores: QuickMap::default(),
        threads: QuickMap::default(),
        take,
    };
    for event in events {
        timelines.event(event);
    }
    if let Some(last) = events.last() {
        let mut open: Vec<i32> = timelines.threads.keys().copied().collect();
        open.sort_unstable();
        for thread in open {
            timelines.close(thread, last.time);
        }
    }
}

impl<F: FnMut(i32, FtraceState)> CoreTimelines<F> {
    fn event(&mut self, event: &SchedulerEvent) {
        match event.kind {
            SchedulerEventKind::Switch => self.switch(event),
            SchedulerEventKind::Wake => self.wake(event),
            SchedulerEventKind::Lost => self.forget(event.core),
            SchedulerEventKind::Fork => {}
        }
    }

    fn switch(&mut self, event: &SchedulerEvent) {
        let SchedulerEvent { time, core, .. } = *event;
        let known = self.cores.get(&core).copied().unwrap_or(UNKNOWN);
        let before = match event.other {
            ON_CORE => known,
            told => told,
        };
        if known != before {
            // Another one left than the last that got it: something was lost.
            self.forget(core);
        }
        if before > IDLE {
            let ran = self.threads.get(&before);
            if ran.is_some_and(|it| it.state == ThreadState::Running) {
                self.close(before, time);
            } else {
                // It cannot have been what it was last up to now, since it ran.
                self.threads.remove(&before);
            }
            let state = self.kernel.state(event.state);
            let state = state.map(|it| self.as_far_as_told(it));
            if let Some(state) = state {
                self.open(before, time, state);
            }
        }
        self.cores.insert(core, event.thread);
        if event.thread > IDLE {
            self.close(event.thread, time);
            self.open(event.thread, time, ThreadState::Running);
            if let Some(state) = self.threads.get_mut(&event.thread) {
                state.core = Some(core);
            }
        }
    }

    fn wake(&mut self, event: &SchedulerEvent) {
        let SchedulerEvent { time, thread, .. } = *event;
        let state = self.threads.get(&thread).map(|it| it.state);
        // Now and then a thread is woken that runs or is ready already.
        let is_ready = matches!(state, Some(ThreadState::Running | ThreadState::Runnable));
        if thread <= IDLE || is_ready {
            return;
        }
        let waker = match event.other {
            ON_CORE => self.cores.get(&event.core).copied().unwrap_or(UNKNOWN),
            told => told,
        };
        self.close(thread, time);
        self.open(thread, time, ThreadState::Runnable);
        if let Some(state) = self.threads.get_mut(&thread) {
            // A core that has nothing to do wakes nobody by itself.
            state.waker = if waker == IDLE { BY_INTERRUPT } else { waker };
        }
    }

    fn as_far_as_told(&self, state: ThreadState) -> ThreadState {
        match state {
            ThreadState::Blocked | ThreadState::Uninterruptible if !self.has_wakings => {
                ThreadState::OffCpu
            }
            told => told,
        }
    }

    fn open(&mut self, thread: i32, start: i64, state: ThreadState) {
        let state = FtraceState {
            start,
            end: start,
            state,
            core: None,
            waker: UNKNOWN,
        };
        self.threads.insert(thread, state);
    }

    fn close(&mut self, thread: i32, end: i64) {
        if let Some(state) = self.threads.remove(&thread) {
            (self.take)(thread, FtraceState { end, ..state });
        }
    }

    /// What a core ran is not known any more.
    fn forget(&mut self, core: u16) {
        let Some(thread) = self.cores.remove(&core) else {
            return;
        };
        let state = self.threads.get(&thread);
        if state.is_some_and(|it| it.core == Some(core)) {
            self.threads.remove(&thread);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn switch(time: i64, core: u16, (other, state): (i32, u16), thread: i32) -> SchedulerEvent {
        SchedulerEvent {
            time,
            thread,
            other,
            core,
            state,
            kind: SchedulerEventKind::Switch,
        }
    }

    fn wake(time: i64, core: u16, thread: i32, other: i32) -> SchedulerEvent {
        SchedulerEvent {
            time,
            thread,
            other,
            core,
            state: 0,
            kind: SchedulerEventKind::Wake,
        }
    }

    /// Thread, start, end, state, core and waker of each state of a thread.
    fn told(events: &[SchedulerEvent], of: i32) -> Vec<(i64, i64, &'static str, Option<u16>, i32)> {
        let mut found = Vec::new();
        states(events, KernelVersion::default(), |thread, it| {
            if thread == of {
                found.push((it.start, it.end, it.state.label(), it.core, it.waker));
            }
        });
        found
    }

    #[test]
    fn a_thread_is_preempted_blocked_and_woken() {
        let events = [
            switch(0, 0, (IDLE, 0), 7),
            switch(10, 0, (ON_CORE, 0), 8),
            switch(15, 0, (8, 1), 7),
            switch(30, 0, (7, 2), 8),
            wake(40, 1, 7, 9),
            wake(42, 1, 7, 9),
            switch(45, 1, (IDLE, 0), 7),
            switch(50, 1, (7, 16), IDLE),
        ];
        let expected = [
            (0, 10, "running", Some(0), UNKNOWN),
            (10, 15, "runnable", None, UNKNOWN),
            (15, 30, "running", Some(0), UNKNOWN),
            (30, 40, "uninterruptible", None, UNKNOWN),
            (40, 45, "runnable", None, 9),
            (45, 50, "running", Some(1), UNKNOWN),
        ];
        assert_eq!(told(&events, 7), expected);
        assert_eq!(told(&events, IDLE), []);
    }

    #[test]
    fn without_wakings_nobody_knows_when_a_thread_was_ready() {
        let events = [
            switch(0, 0, (IDLE, 0), 7),
            switch(5, 0, (7, 1), IDLE),
            switch(9, 0, (IDLE, 0), 7),
            switch(12, 0, (7, 1), IDLE),
        ];
        let expected = [
            (0, 5, "running", Some(0), UNKNOWN),
            (5, 9, "off-cpu", None, UNKNOWN),
            (9, 12, "running", Some(0), UNKNOWN),
            (12, 12, "off-cpu", None, UNKNOWN),
        ];
        assert_eq!(told(&events, 7), expected);
    }

    #[test]
    fn what_was_lost_is_a_hole() {
        let events = [
            switch(0, 0, (IDLE, 0), 7),
            SchedulerEvent::lost(20, 0),
            switch(20, 0, (8, 1), 9),
            wake(25, 0, 7, ON_CORE),
            switch(30, 0, (9, 1), 7),
            // That 7 left is missing.
            switch(60, 0, (4, 1), 8),
            wake(61, 1, 8, ON_CORE),
            wake(62, 1, 4, ON_CORE),
        ];
        assert_eq!(told(&events, 7), [(25, 30, "runnable", None, 9)]);
        let four = [
            (60, 62, "blocked", None, UNKNOWN),
            (62, 62, "runnable", None, UNKNOWN),
        ];
        assert_eq!(told(&events, 4), four);
    }
}

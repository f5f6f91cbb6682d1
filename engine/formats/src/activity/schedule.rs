//! How threads were scheduled, as far as they have lanes.

use std::collections::VecDeque;

use cuda_recorder::{SwitchInterval, SwitchState};

use super::draft::ActivityDraft;
use super::process::ActivityProcess;
use record::time::Interval;
use record::{Group, NameId, Record, ThreadInterval, ThreadSchedule, ThreadState};

/// States of threads that were told and wait until the window is known, and the flush with which they are looked at.
#[derive(Debug, Default)]
pub(super) struct ActivitySchedule {
    undecided: VecDeque<(u64, u32, Vec<SwitchInterval>)>,
}

impl ActivityProcess {
    /// Takes what a thread was.
    pub(super) fn switched(&mut self, thread: u32, states: Vec<SwitchInterval>) {
        let told = (self.flushes + 2, thread, states);
        self.schedule.undecided.push_back(told);
    }

    /// Keeps what touches the window of what has waited for so many flushes, where the thread has a lane by now.
    pub(super) fn decide_switches(&mut self, flushes: u64, draft: &mut ActivityDraft) {
        let is_due = |(due, ..): &mut (u64, u32, Vec<SwitchInterval>)| *due <= flushes;
        while let Some((_, thread, states)) = self.schedule.undecided.pop_front_if(is_due) {
            let key = (Group::Host, self.place, u64::from(thread), 0);
            let Some(lane) = draft.lanes.known(key) else {
                continue;
            };
            let window = |it: &SwitchInterval| draft.window.touches(it.start, it.end, draft.origin);
            let kept = states.into_iter().filter(window);
            let intervals: Vec<ThreadInterval> = kept.map(|it| interval(it, draft)).collect();
            if !intervals.is_empty() {
                draft.out.push(Record::Schedule(Box::new(ThreadSchedule {
                    lane,
                    intervals,
                })));
            }
        }
    }
}

fn interval(told: SwitchInterval, draft: &ActivityDraft) -> ThreadInterval {
    let (state, core) = match told.state {
        SwitchState::Running(core) => (ThreadState::Running, core),
        SwitchState::Runnable => (ThreadState::Runnable, None),
        SwitchState::OffCpu => (ThreadState::OffCpu, None),
    };
    ThreadInterval {
        interval: Interval::new(draft.time(told.start), draft.time(told.end)),
        state,
        core,
        waker: NameId::NONE,
    }
}

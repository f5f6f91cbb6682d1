//! How the host threads of a run are scheduled, as far as the kernel tells them.

use backend::{ContextSwitches, HostIndex};
use record::{
    EventId, Log, Problem, Record, Severity, SpanId, ThreadInterval, ThreadSchedule, counted,
};

use super::recorder::Reporter;
use super::shared::RunState;

/// Follows how a host thread is scheduled, from that thread.
pub struct HostSchedule(ContextSwitches);

impl HostSchedule {
    /// Begins to follow the calling thread, which is that of `host`. Nothing in virtual time, and where the kernel does not tell,
    /// which the first host thread says.
    pub fn begin(shared: &RunState, host: HostIndex, reporter: &Reporter) -> Option<Self> {
        if shared.device.caps().deterministic {
            return None;
        }
        let now = || shared.device.now(host);
        match ContextSwitches::of_this_thread(now) {
            Ok(switches) => Some(Self(switches)),
            Err(why) => {
                if host.0 == 0 {
                    reporter.send(Record::Log(Box::new(Log {
                        time: now(),
                        severity: Severity::Info,
                        text: format!(
                            "When host threads ran, and when they had no core, is not known: {why}."
                        ),
                    })));
                }
                None
            }
        }
    }

    /// Reports what became of the thread so far, once that is much.
    pub fn report(&mut self, host: HostIndex, reporter: &Reporter) {
        send(self.0.take(), host, reporter);
    }

    /// Reports the rest, and what had no room.
    pub fn end(self, shared: &RunState, host: HostIndex, reporter: &Reporter) {
        let (states, lost) = self.0.finish(shared.device.now(host));
        send(states, host, reporter);
        if lost > 0 {
            let words = "{context switch of a host thread|context switches of a host thread}";
            reporter.send(Record::Problem(Box::new(Problem {
                severity: Severity::DataLoss,
                code: "thread-states-lost".to_owned(),
                text: format!(
                    "{} came in one call, more than there is room for: what the thread was meanwhile is not known.",
                    counted(lost, words)
                ),
                span: SpanId::NONE,
                event: EventId::NONE,
            })));
        }
    }
}

fn send(intervals: Vec<ThreadInterval>, host: HostIndex, reporter: &Reporter) {
    if !intervals.is_empty() {
        let lane = RunState::host_lane(host);
        reporter.send(Record::Schedule(Box::new(ThreadSchedule {
            lane,
            intervals,
        })));
    }
}

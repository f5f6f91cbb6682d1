//! What the scheduler of the system has to do with waits: threads that submitted late because they had no core, or were blocked.

use super::kind::CauseKind;
use super::point::SpanPoint;
use super::reader::CauseReader;
use record::time::{Interval, Nanos};
use record::{LaneId, NameId, SpanId, ThreadState};

/// Less than this is no reason: a switch of threads takes some microseconds.
const LEAST: Nanos = Nanos(10_000);
/// And less than this part of the time in question.
const PART: i64 = 10;

/// What kept a host thread from running while something waited for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadDelay {
    /// The thread.
    pub lane: LaneId,
    /// The time in question.
    pub within: Interval,
    /// How much of it the thread was ready to run, and had no core; zero where that is little.
    pub runnable: Nanos,
    /// How much of it the thread was blocked, in no call of which it is known what for; zero where that is little.
    pub blocked: Nanos,
    /// How much of it the thread had no core, where it is not told whether it was ready; zero where that is little.
    pub off_cpu: Nanos,
    /// What woke it when it had been blocked for longest, where that is told.
    pub waker: Option<NameId>,
}

impl CauseReader<'_> {
    /// What kept the thread that submitted an operation from running while its stream had nothing else to do. Nothing where the
    /// submission was not what the operation began after, or the thread ran meanwhile, or how it was scheduled is not known.
    pub fn late_submission(&self, span: SpanId) -> Option<ThreadDelay> {
        let point = SpanPoint::start(span);
        let call = self.launch(span)?;
        if self.binding(point)?.kind != CauseKind::Launch {
            return None;
        }
        let mut from = None;
        self.candidates(point, |it| {
            if it.kind != CauseKind::Launch {
                from = from.max(Some(it.at));
            }
        });
        let to = self.time(SpanPoint::start(call));
        self.delay(
            self.lane(call),
            Interval {
                start: from?,
                end: to,
            },
        )
    }

    /// What kept a host thread from running in a stretch of time, calls apart that were blocked for something that is known.
    pub fn delay(&self, lane: LaneId, within: Interval) -> Option<ThreadDelay> {
        if within.end <= within.start {
            return None;
        }
        let mut delay = ThreadDelay {
            lane,
            within,
            runnable: Nanos::ZERO,
            blocked: Nanos::ZERO,
            off_cpu: Nanos::ZERO,
            waker: None,
        };
        let known = self.causes.blocked.get(&lane);
        let mut longest = Nanos::ZERO;
        let states = self.capture.thread_states_in(lane, within);
        for (place, state) in states.iter().enumerate() {
            let Some(Interval { start, end }) = state.interval.intersection(within) else {
                continue;
            };
            let blocked = known.map_or(Nanos::ZERO, |it| it.within(start, end));
            let time = end - start - blocked;
            match state.state {
                ThreadState::Running => {}
                ThreadState::Runnable => delay.runnable += end - start,
                ThreadState::OffCpu => delay.off_cpu += time,
                ThreadState::Blocked | ThreadState::Uninterruptible => {
                    delay.blocked += time;
                    if time > longest {
                        longest = time;
                        let next = states.get(place + 1).map(|it| it.waker);
                        delay.waker = next.filter(|it| it.is_some());
                    }
                }
            }
        }
        let least = LEAST.max(Nanos(within.length().0 / PART));
        for time in [&mut delay.runnable, &mut delay.blocked, &mut delay.off_cpu] {
            if *time < least {
                *time = Nanos::ZERO;
            }
        }
        delay.waker = delay.waker.filter(|_| delay.blocked > Nanos::ZERO);
        (delay.runnable + delay.blocked + delay.off_cpu > Nanos::ZERO).then_some(delay)
    }
}

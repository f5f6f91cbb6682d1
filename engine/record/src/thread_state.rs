//! How threads were scheduled: when each ran and on which core, when it was ready and had none, and when it was blocked.

use serde::{Deserialize, Serialize};

use crate::time::{Interval, Nanos};
use crate::{LaneId, NameId, ThreadState};

/// The waker of a thread that no other thread woke, but an interrupt: a timer's, a disk's, a network's.
pub const INTERRUPT: &str = "interrupt";

/// How the thread of a lane was scheduled, some of it. The order in which such records arrive does not matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadSchedule {
    /// The lane of the thread.
    pub lane: LaneId,
    /// What it was, from when to when.
    pub intervals: Vec<ThreadInterval>,
}

/// A stretch of time in which a thread was in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "PlainInterval", into = "PlainInterval")]
pub struct ThreadInterval {
    /// From when to when.
    pub interval: Interval,
    /// The state.
    pub state: ThreadState,
    /// The core it ran on; none in other states, or where that is not told.
    pub core: Option<u32>,
    /// What made it ready to run, such as `render 4711` or `interrupt`; [`NameId::NONE`] where nothing did, or it is not told.
    pub waker: NameId,
}

/// An interval as it is written: start, length, state, core and waker.
type PlainInterval = (i64, i64, ThreadState, Option<u32>, Option<u32>);

impl From<PlainInterval> for ThreadInterval {
    fn from((start, length, state, core, waker): PlainInterval) -> Self {
        Self {
            interval: Interval {
                start: Nanos(start),
                end: Nanos(start.saturating_add(length.max(0))),
            },
            state,
            core,
            waker: waker.map_or(NameId::NONE, NameId),
        }
    }
}

impl From<ThreadInterval> for PlainInterval {
    fn from(it: ThreadInterval) -> Self {
        let Interval { start, end } = it.interval;
        let waker = it.waker.is_some().then_some(it.waker.0);
        let length = end.0.saturating_sub(start.0);
        (start.0, length, it.state, it.core, waker)
    }
}

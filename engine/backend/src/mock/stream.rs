//! A stream in virtual time: its queue and what runs.

use std::collections::VecDeque;

use crate::{BackendError, Submission};
use record::time::{Interval, Nanos};
use record::{CounterId, LaneId};
use workload::FailureMode;

/// A stream in virtual time.
#[derive(Debug)]
pub struct MockStream {
    /// The lane its spans go to.
    pub lane: LaneId,
    /// The counter of its pending operations.
    pub pending: CounterId,
    /// What waits for its turn.
    pub queue: VecDeque<MockQueueItem>,
    /// What runs, and from when to when.
    pub running: Option<(MockQueueItem, Interval)>,
    /// When the last operation ended.
    pub free_at: Nanos,
    /// Operations submitted so far.
    pub submitted: u64,
    /// Operations that ended so far.
    pub ended: u64,
    /// Operations up to the last that was not lost.
    pub completed: u64,
    /// Points that others wait for: reached once so many operations have ended, the sooner first.
    pub points: VecDeque<(u64, usize)>,
    /// What it does after an operation of its own failed.
    pub failure: FailureMode,
    /// What its next synchronisation says (rule A48).
    pub trouble: Option<BackendError>,
    /// Whether it takes no more work until it is aborted.
    pub is_stopped: bool,
    /// How often it was aborted.
    pub aborts: u64,
    /// The ends of functions that the thread of its callbacks was given, by their positions in the list of all records.
    pub called: Vec<usize>,
}

/// An operation in a queue, with the record that it reaches or waits for, by its position in the list of all.
#[derive(Debug)]
pub struct MockQueueItem {
    /// The operation.
    pub submission: Submission,
    /// The record, or for a callback the function that its thread was given.
    pub mark: Option<usize>,
    /// For each node of a graph that records events or waits for some, its record.
    pub nodes: Vec<Option<usize>>,
    /// Which nodes of a graph did what they do to buffers.
    pub performed: Vec<bool>,
    /// Points of other streams that it waits for, by their positions in the list of all records.
    pub points: Vec<usize>,
}

impl MockQueueItem {
    /// An operation, with the record that it reaches or waits for.
    pub const fn new(submission: Submission, mark: Option<usize>) -> Self {
        Self {
            submission,
            mark,
            nodes: Vec::new(),
            performed: Vec::new(),
            points: Vec::new(),
        }
    }
}

impl MockStream {
    /// An empty stream whose spans go to `lane` and whose pending operations `pending` counts.
    pub fn new(lane: LaneId, pending: CounterId, failure: FailureMode) -> Self {
        Self {
            lane,
            pending,
            queue: VecDeque::new(),
            running: None,
            free_at: Nanos::ZERO,
            submitted: 0,
            ended: 0,
            completed: 0,
            points: VecDeque::new(),
            failure,
            trouble: None,
            is_stopped: false,
            aborts: 0,
            called: Vec::new(),
        }
    }
}

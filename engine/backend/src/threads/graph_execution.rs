//! One replay of a graph under way: which nodes can run, and what became of those that did.

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::event_state::EventState;
use super::executor::{EngineTurn, ExecutionError, Executor, StreamTurn};
use super::shared::SharedDevice;
use super::stream::{NodeEventStates, StreamObstacle};
use super::worker::panic_text;
use crate::paced::PacedTimes;
use crate::{ExecutableGraph, Operation, Replay, operation_failure};
use device::{RecordProgress, lock};
use record::SpanId;
use record::time::{Interval, Nanos};

/// How long nobody looks whether a record outside was reached, at most.
pub const LOOK: Duration = Duration::from_millis(1);

/// What became of a node: when it ran, or nothing where it never began; and why it failed.
pub type NodeOutcome = Option<(Interval, Result<(), ExecutionError>)>;

/// One replay of a graph under way.
pub struct GraphExecution {
    graph: Arc<ExecutableGraph>,
    /// The span of the first node.
    first: SpanId,
    stream: usize,
    marks: NodeEventStates,
    board: Mutex<ExecutionProgress>,
    changed: Condvar,
}

struct ExecutionProgress {
    ready: VecDeque<usize>,
    /// For each node, how many that it comes after have not ended.
    missing: Vec<usize>,
    landed: Vec<NodeOutcome>,
    /// What nodes spent their time on that took engines.
    paced: Vec<(usize, PacedTimes)>,
    running: usize,
    /// Nodes whose turn has come and that wait for a record outside, each since when.
    held: Vec<(usize, Nanos)>,
    /// Since when each of those waited that wait no more.
    since: BTreeMap<usize, Nanos>,
    /// Whether a node failed, after which none begins.
    is_void: bool,
}

impl GraphExecution {
    /// Of a graph, for the stream at `stream`, with the records that its nodes reach or wait for.
    pub fn new(replay: &Replay, stream: usize, marks: &NodeEventStates) -> Self {
        let graph = &replay.graph;
        let nodes = &graph.nodes;
        let missing: Vec<usize> = nodes.iter().map(|node| node.before.len()).collect();
        let ready = (0..nodes.len()).filter(|&place| missing.get(place) == Some(&0));
        Self {
            board: Mutex::new(ExecutionProgress {
                ready: ready.collect(),
                landed: vec![None; nodes.len()],
                paced: Vec::new(),
                running: 0,
                held: Vec::new(),
                since: BTreeMap::new(),
                is_void: false,
                missing,
            }),
            graph: Arc::clone(graph),
            first: replay.first,
            stream,
            marks: Arc::clone(marks),
            changed: Condvar::new(),
        }
    }

    /// Whether a node can run now that nobody runs.
    pub fn has_ready(&self) -> bool {
        let board = lock(&self.board);
        let is_settled = |(place, _): &(usize, Nanos)| !self.is_pending(*place);
        !board.ready.is_empty() || board.held.iter().any(is_settled)
    }

    /// Whether a node waits for a record outside.
    pub fn is_held(&self) -> bool {
        !lock(&self.board).held.is_empty()
    }

    /// A node to run at `now`; whoever takes it runs it. Those that wait for a record are put aside until it is settled.
    pub fn take(&self, now: Nanos) -> Option<usize> {
        let mut board = lock(&self.board);
        let mut held = board.held.iter();
        if let Some(found) = held.position(|(place, _)| !self.is_pending(*place)) {
            let (place, since) = board.held.remove(found);
            board.since.insert(place, since);
            board.running += 1;
            return Some(place);
        }
        while let Some(place) = board.ready.pop_front() {
            if self.is_pending(place) {
                board.held.push((place, now));
            } else {
                board.running += 1;
                return Some(place);
            }
        }
        None
    }

    fn mark(&self, place: usize) -> Option<&Arc<EventState>> {
        self.marks.get(place)?.as_ref()
    }

    /// Whether the node at `place` waits for a record that is not settled.
    fn is_pending(&self, place: usize) -> bool {
        let node = self.graph.nodes.get(place);
        let waits = node.is_some_and(|it| matches!(it.operation, Operation::WaitExternal(_)));
        let mark = self.mark(place);
        waits && mark.is_some_and(|mark| mark.progress() == RecordProgress::Pending)
    }

    /// Runs the node at `place`, which was taken.
    pub fn run<E: Executor>(&self, shared: &SharedDevice<E>, place: usize) {
        let since = lock(&self.board).since.remove(&place);
        let start = since.unwrap_or_else(|| shared.now());
        let told = Cell::new(None);
        let result = self.operate(shared, place, &told);
        let (ran, result) = match result {
            Ok(ran) => (ran, Ok(())),
            Err(fault) => (None, Err(fault)),
        };
        let end = shared.now();
        let mut ran = ran.unwrap_or(Interval { start, end });
        if let Some(times) = told.take() {
            ran = times.ran.unwrap_or(Interval { start: end, end });
            lock(&self.board).paced.push((place, times));
        }
        self.land(place, ran, result);
    }

    fn operate<E: Executor>(
        &self,
        shared: &SharedDevice<E>,
        place: usize,
        told: &Cell<Option<PacedTimes>>,
    ) -> Result<Option<Interval>, ExecutionError> {
        if shared.condition.is_over() {
            return Err(ExecutionError::Stopped);
        }
        let Some(node) = self.graph.nodes.get(place) else {
            return Ok(None);
        };
        match node.operation {
            Operation::RecordExternal(_) => {
                let now = shared.now();
                if let Some(mark) = self.mark(place) {
                    mark.reach(now);
                    mark.report_time(now);
                }
                return Ok(Some(Interval {
                    start: now,
                    end: now,
                }));
            }
            Operation::WaitExternal(_) => {
                let mark = self.mark(place);
                let has_failed = mark.is_some_and(|mark| mark.progress() == RecordProgress::Failed);
                if has_failed {
                    return Err(ExecutionError::Failed(
                        operation_failure::FORSAKEN.to_owned(),
                    ));
                }
                return Ok(None);
            }
            // Memory is there from the start: what is freed and allocated is the right to use it.
            Operation::Allocate(_) | Operation::Free(_) => return Ok(None),
            _ => {}
        }
        let turn = StreamTurn {
            stream: self.stream,
            zero: shared.zero(),
            is_void: &|| shared.condition.is_void(),
            is_lost: &|| shared.condition.is_lost(),
            engine: Some(EngineTurn {
                span: SpanId(self.first.0 + place as u32),
                // What runs of a graph is shown as the graph until it ends.
                begin: &|_| (),
                told,
            }),
        };
        let run = || shared.executor.run(&turn, &node.operation);
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(result) => result,
            Err(payload) => Err(ExecutionError::Failed(
                panic_text(payload.as_ref()).to_owned(),
            )),
        }
    }

    fn land(&self, place: usize, ran: Interval, result: Result<(), ExecutionError>) {
        let mut board = lock(&self.board);
        board.running -= 1;
        board.is_void |= result.is_err();
        if let Some(slot) = board.landed.get_mut(place) {
            *slot = Some((ran, result));
        }
        if board.is_void {
            board.ready.clear();
            board.held.clear();
        } else {
            let after = self
                .graph
                .nodes
                .get(place)
                .map(|node| node.after.as_slice());
            for &next in after.unwrap_or_default() {
                let next = next as usize;
                let left = board.missing.get_mut(next).map(|left| {
                    *left = left.saturating_sub(1);
                    *left
                });
                if left == Some(0) {
                    board.ready.push_back(next);
                }
            }
        }
        drop(board);
        self.changed.notify_all();
    }

    /// Runs nodes on this thread until nothing of the flight is left, by whomever; `wake` is called where others could
    /// help, and `hold` is told what the stream waits for where all that is left waits. It waits no more once `gives_up`.
    pub fn complete<E: Executor>(
        &self,
        shared: &SharedDevice<E>,
        wake: &dyn Fn(),
        gives_up: &dyn Fn() -> bool,
        hold: &dyn Fn(Option<StreamObstacle>),
    ) -> Vec<NodeOutcome> {
        loop {
            while let Some(place) = self.take(shared.now()) {
                if self.has_ready() {
                    wake();
                }
                self.run(shared, place);
            }
            if self.is_held() && gives_up() {
                self.give_up(shared.now());
            }
            let mut board = lock(&self.board);
            while board.ready.is_empty() && board.running > 0 && board.held.is_empty() {
                board = self
                    .changed
                    .wait(board)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            if !board.ready.is_empty() {
                continue;
            }
            if board.running > 0 {
                // Whoever runs tells of its end, and nobody of the records.
                drop(self.changed.wait_timeout(board, LOOK));
                continue;
            }
            let Some((place, _)) = board.held.first().copied() else {
                return std::mem::take(&mut board.landed);
            };
            drop(board);
            self.wait_for(place, gives_up, hold);
        }
    }

    /// Waits for the record that the node at `place` waits for, for a moment: another may be reached sooner.
    fn wait_for(
        &self,
        place: usize,
        gives_up: &dyn Fn() -> bool,
        hold: &dyn Fn(Option<StreamObstacle>),
    ) {
        let operation = self.graph.nodes.get(place).map(|node| &node.operation);
        let (Some(mark), Some(Operation::WaitExternal(event))) = (self.mark(place), operation)
        else {
            return;
        };
        hold(Some(StreamObstacle::Event(*event, Arc::clone(mark))));
        let deadline = Instant::now() + LOOK;
        mark.level()
            .wait(EventState::SETTLED, gives_up, Some(deadline));
        hold(None);
    }

    /// What the nodes spent their time on that took engines.
    pub fn take_paced(&self) -> Vec<(usize, PacedTimes)> {
        std::mem::take(&mut lock(&self.board).paced)
    }

    /// What still waits never begins.
    fn give_up(&self, now: Nanos) {
        let held = std::mem::take(&mut lock(&self.board).held);
        lock(&self.board).running += held.len();
        for (place, since) in held {
            let ran = Interval {
                start: since,
                end: now,
            };
            self.land(place, ran, Err(ExecutionError::Stopped));
        }
    }
}

/// Whatever a graph was to record and did not is never reached.
pub fn fail_waiters(graph: &ExecutableGraph, marks: &NodeEventStates) {
    for (node, mark) in graph.nodes.iter().zip(marks.iter()) {
        if let (Operation::RecordExternal(_), Some(mark)) = (&node.operation, mark)
            && mark.progress() == RecordProgress::Pending
        {
            mark.fail();
        }
    }
}

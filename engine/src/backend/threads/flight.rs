//! One replay of a graph under way: which nodes can run, and what became of those that did.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::executor::{Executor, Fault, Turn};
use super::shared::Shared;
use super::worker::panic_text;
use crate::backend::Executable;
use crate::device::lock;
use crate::time::Interval;

/// What became of a node: when it ran, or nothing where it never began; and why it failed.
pub type Landed = Option<(Interval, Result<(), Fault>)>;

/// One replay of a graph under way.
pub struct Flight {
    graph: Arc<Executable>,
    stream: usize,
    board: Mutex<Board>,
    changed: Condvar,
}

struct Board {
    ready: VecDeque<usize>,
    /// For each node, how many that it comes after have not ended.
    missing: Vec<usize>,
    landed: Vec<Landed>,
    running: usize,
    /// Whether a node failed, after which none begins.
    is_void: bool,
}

impl Flight {
    /// Of `graph`, for the stream at `stream`.
    pub fn new(graph: &Arc<Executable>, stream: usize) -> Self {
        let nodes = &graph.nodes;
        let missing: Vec<usize> = nodes.iter().map(|node| node.before.len()).collect();
        let ready = (0..nodes.len()).filter(|&place| missing.get(place) == Some(&0));
        Self {
            board: Mutex::new(Board {
                ready: ready.collect(),
                landed: vec![None; nodes.len()],
                running: 0,
                is_void: false,
                missing,
            }),
            graph: Arc::clone(graph),
            stream,
            changed: Condvar::new(),
        }
    }

    /// Whether a node can run now that nobody runs.
    pub fn has_ready(&self) -> bool {
        !lock(&self.board).ready.is_empty()
    }

    /// A node to run now; whoever takes it runs it.
    pub fn take(&self) -> Option<usize> {
        let mut board = lock(&self.board);
        let place = board.ready.pop_front()?;
        board.running += 1;
        Some(place)
    }

    /// Runs the node at `place`, which was taken.
    pub fn run<E: Executor>(&self, shared: &Shared<E>, place: usize) {
        let start = shared.now();
        let result = self.operate(shared, place);
        let (ran, result) = match result {
            Ok(ran) => (ran, Ok(())),
            Err(fault) => (None, Err(fault)),
        };
        let end = shared.now();
        let ran = ran.unwrap_or(Interval { start, end });
        self.land(place, ran, result);
    }

    fn operate<E: Executor>(
        &self,
        shared: &Shared<E>,
        place: usize,
    ) -> Result<Option<Interval>, Fault> {
        if shared.condition.is_over() {
            return Err(Fault::Stopped);
        }
        let Some(node) = self.graph.nodes.get(place) else {
            return Ok(None);
        };
        let turn = Turn {
            stream: self.stream,
            zero: shared.zero(),
            is_void: &|| shared.condition.is_void(),
            is_lost: &|| shared.condition.is_lost(),
        };
        let run = || shared.executor.run(&turn, &node.operation);
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(result) => result,
            Err(payload) => Err(Fault::Failed(panic_text(payload.as_ref()).to_owned())),
        }
    }

    fn land(&self, place: usize, ran: Interval, result: Result<(), Fault>) {
        let mut board = lock(&self.board);
        board.running -= 1;
        board.is_void |= result.is_err();
        if let Some(slot) = board.landed.get_mut(place) {
            *slot = Some((ran, result));
        }
        if board.is_void {
            board.ready.clear();
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
    /// help.
    pub fn complete<E: Executor>(&self, shared: &Shared<E>, wake: &dyn Fn()) -> Vec<Landed> {
        loop {
            while let Some(place) = self.take() {
                if self.has_ready() {
                    wake();
                }
                self.run(shared, place);
            }
            let mut board = lock(&self.board);
            while board.ready.is_empty() && board.running > 0 {
                board = self
                    .changed
                    .wait(board)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            if board.ready.is_empty() && board.running == 0 {
                return std::mem::take(&mut board.landed);
            }
        }
    }
}

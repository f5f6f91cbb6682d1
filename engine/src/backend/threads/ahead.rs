//! A stream's thread for a device with queues of its own: it gives operations on before those ahead of them have ended,
//! and looks for their ends meanwhile.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::executor::{Executor, Fault, Turn};
use super::flight::Landed;
use super::mark::Mark;
use super::stream::{Item, Obstacle, Stream};
use super::worker::{Worker, panic_text};
use crate::backend::Operation;
use crate::device::{Progress, lock};
use crate::record::State;
use crate::time::{Interval, Nanos};

/// Operations that are given on before the first of them has ended, at most.
const DEPTH: usize = 1024;
/// How often ends are looked for.
const LOOK: Duration = Duration::from_micros(25);

/// What the device below knows a record by, for waits of other streams.
pub type Native = Arc<dyn Any + Send + Sync>;

/// An operation that was given to the device.
pub trait Flying: Send {
    /// What waits of other streams wait for, where it is a record.
    fn native(&self) -> Option<Native>;

    /// When it ran, once it has ended.
    ///
    /// # Errors
    /// Why it did not run to its end.
    fn poll(&mut self, turn: &Turn<'_>) -> Result<Option<Ran>, Fault>;
}

/// When an operation ran that has ended.
pub struct Ran {
    /// It.
    pub interval: Interval,
    /// For a graph, when each of its nodes did.
    pub nodes: Vec<Landed>,
}

/// What is in the air, in order.
type Aloft = VecDeque<(Item, Box<dyn Flying>)>;

impl<E: Executor> Worker<E> {
    /// Runs until the stream is closed.
    pub(super) fn run_ahead(&mut self, stream: &Stream) {
        let (mut items, mut aloft) = (VecDeque::new(), Aloft::new());
        loop {
            if items.is_empty() {
                let patience = (!aloft.is_empty()).then_some(LOOK);
                if !stream.take_for(&mut items, patience) {
                    return self.land_all(stream, &mut aloft);
                }
            }
            self.land(stream, &mut aloft);
            while aloft.len() < DEPTH
                && let Some(item) = items.pop_front()
            {
                if let Err(item) = self.give(stream, item, &mut aloft) {
                    // It is for this thread to do, once all before it has ended.
                    self.land_all(stream, &mut aloft);
                    self.run_item(stream, &item);
                }
            }
            if aloft.len() >= DEPTH {
                std::thread::sleep(LOOK);
            }
        }
    }

    /// Gives an operation to the device; gives it back where this thread has to run it.
    fn give(&mut self, stream: &Stream, item: Item, aloft: &mut Aloft) -> Result<(), Item> {
        let shared = Arc::clone(&self.shared);
        let operation = &item.submission.operation;
        if let (Operation::Wait(event), Some(mark)) = (operation, &item.mark) {
            let obstacle = Obstacle::Event(*event, Arc::clone(mark));
            self.until_given(stream, mark, obstacle, aloft);
        }
        // Read after what it waits for: nothing of a device that is over is given anything.
        if shared.condition.is_over() || stream.trouble.drops(self.ended() + aloft.len() as u64) {
            return Err(item);
        }
        let cause = match (operation, &item.mark) {
            (Operation::Wait(_), Some(mark)) => match mark.progress() {
                Progress::Failed => return Err(item),
                _ => mark.native(),
            },
            _ => None,
        };
        let is_void = || shared.condition.is_void();
        let is_lost = || shared.condition.is_lost();
        let turn = Turn {
            stream: self.place,
            zero: shared.zero(),
            is_void: &is_void,
            is_lost: &is_lost,
        };
        let begin = || shared.executor.begin(&turn, operation, cause.as_ref());
        let given = match catch_unwind(AssertUnwindSafe(begin)) {
            Ok(given) => given,
            Err(payload) => Err(Fault::Failed(panic_text(payload.as_ref()).to_owned())),
        };
        match given {
            Ok(None) => return Err(item),
            Ok(Some(flying)) => {
                if let (Operation::Record(_), Some(mark)) = (operation, &item.mark) {
                    mark.give(flying.native());
                }
                if aloft.is_empty() {
                    stream.begin(&item.submission, shared.now());
                }
                aloft.push_back((item, flying));
            }
            Err(fault) => {
                self.land_all(stream, aloft);
                let now = shared.now();
                stream.begin(&item.submission, now);
                let state = self.state_of(stream, item.submission.span, fault);
                let ran = Interval {
                    start: now,
                    end: shared.now(),
                };
                let outcome = self.settled(ran, state, item.submission.enqueued);
                self.report(stream, &item, outcome);
            }
        }
        Ok(())
    }

    /// Waits until the record that a wait is for was given to the device; what is in the air lands meanwhile.
    fn until_given(&mut self, stream: &Stream, mark: &Mark, obstacle: Obstacle, aloft: &mut Aloft) {
        let shared = Arc::clone(&self.shared);
        let number = self.ended() + aloft.len() as u64;
        let gives_up = || shared.condition.is_over() || stream.trouble.is_aborted(number);
        let mut obstacle = Some(obstacle);
        while !gives_up() && mark.progress() == Progress::Pending {
            if mark.given().wait(1, &gives_up, Some(Instant::now() + LOOK)) {
                break;
            }
            self.land(stream, aloft);
            if aloft.is_empty()
                && let Some(obstacle) = obstacle.take()
            {
                *lock(&stream.hold) = Some(obstacle);
            }
        }
        *lock(&stream.hold) = None;
    }

    /// Reports what has ended.
    fn land(&mut self, stream: &Stream, aloft: &mut Aloft) {
        while let Some((item, flying)) = aloft.front_mut() {
            let Some((ran, state)) = self.look(stream, item, flying.as_mut()) else {
                return;
            };
            let Some((item, _)) = aloft.pop_front() else {
                return;
            };
            self.report(stream, &item, (ran, state));
            if let Some((next, _)) = aloft.front() {
                stream.begin(&next.submission, self.shared.now());
            }
        }
    }

    fn land_all(&mut self, stream: &Stream, aloft: &mut Aloft) {
        self.land(stream, aloft);
        while !aloft.is_empty() {
            std::thread::sleep(LOOK);
            self.land(stream, aloft);
        }
    }

    /// What an operation came to, once it has ended.
    fn look(
        &mut self,
        stream: &Stream,
        item: &Item,
        flying: &mut dyn Flying,
    ) -> Option<(Interval, State)> {
        let enqueued = item.submission.enqueued;
        let mark = match &item.submission.operation {
            Operation::Wait(_) => item.mark.as_deref(),
            _ => None,
        };
        let since = match mark.map(Mark::progress) {
            // What it waited for is reported first, so that its time is known.
            Some(Progress::Pending) if !self.shared.condition.is_lost() => return None,
            Some(Progress::Reached(time)) => time,
            _ => enqueued,
        };
        let shared = Arc::clone(&self.shared);
        let polled = flying.poll(&Turn {
            stream: self.place,
            zero: shared.zero(),
            is_void: &|| shared.condition.is_void(),
            is_lost: &|| shared.condition.is_lost(),
        });
        let (ran, state) = match polled {
            Ok(None) => return None,
            Ok(Some(ran)) => {
                self.landed = ran.nodes;
                let Interval { start, end } = ran.interval;
                let end = end.max(since);
                (Interval { start, end }, State::Done)
            }
            Err(fault) => {
                let now = self.shared.now();
                let state = match self.state_of(stream, item.submission.span, fault) {
                    // What a lost device makes fail is the loss's doing.
                    _ if self.shared.condition.is_lost() => State::Lost,
                    state => state,
                };
                let begun = stream.current().map_or(now, |began| began.start);
                (
                    Interval {
                        start: begun.min(now),
                        end: now,
                    },
                    state,
                )
            }
        };
        Some(self.settled(ran, state, enqueued))
    }

    /// An outcome within what the host knows: nothing runs before it was submitted, before what came before it on its
    /// stream had ended, after now, or after the device was lost.
    fn settled(&mut self, ran: Interval, state: State, enqueued: Nanos) -> (Interval, State) {
        let condition = &self.shared.condition;
        let mut latest = self.shared.now();
        if state == State::Lost && condition.is_lost() {
            latest = condition.lost_at().max(enqueued);
        }
        let earliest = enqueued.max(self.last_end).min(latest);
        let start = ran.start.clamp(earliest, latest);
        let end = ran.end.clamp(start, latest);
        self.last_end = end;
        (Interval { start, end }, state)
    }
}

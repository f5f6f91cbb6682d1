//! The engines of a paced device: one copies to it, one from it, and some compute. Whoever comes first is served first.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::Operation;
use device::lock;
use record::SpanId;

/// How often whoever waits for an engine looks whether it is to give up.
const LOOK: Duration = Duration::from_millis(5);

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacedEngine {
    /// Copies from the host to the device.
    CopyIn,
    /// Copies from the device to the host.
    CopyOut,
    /// Runs kernels and copies within the device; they are numbered from 1, and 0 is any.
    Compute(u32),
}

impl fmt::Display for PacedEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CopyIn => f.write_str("copy-in engine"),
            Self::CopyOut => f.write_str("copy-out engine"),
            Self::Compute(0) => f.write_str("compute slots"),
            Self::Compute(place) => write!(f, "compute slot {place}"),
        }
    }
}

impl PacedEngine {
    /// The engine that an operation takes; none for what takes none.
    pub const fn of(operation: &Operation) -> Option<Self> {
        match operation {
            Operation::Upload(_) => Some(Self::CopyIn),
            Operation::Download(_) => Some(Self::CopyOut),
            Operation::Copy { .. }
            | Operation::Fill { .. }
            | Operation::Launch(_)
            | Operation::Packed(_) => Some(Self::Compute(0)),
            _ => None,
        }
    }
}

/// All engines of a device.
pub struct Engines {
    copy_in: EngineQueue,
    copy_out: EngineQueue,
    compute: EngineQueue,
}

impl Engines {
    /// With so many compute slots.
    pub fn new(slots: u32) -> Self {
        Self {
            copy_in: EngineQueue::new([PacedEngine::CopyIn]),
            copy_out: EngineQueue::new([PacedEngine::CopyOut]),
            compute: EngineQueue::new((1..=slots).map(PacedEngine::Compute)),
        }
    }

    /// Waits for an engine of this sort for the operation that is the span `span`; nothing once `is_over`.
    pub fn take(
        &self,
        engine: PacedEngine,
        span: SpanId,
        is_over: &dyn Fn() -> bool,
    ) -> Option<EngineToken<'_>> {
        let queue = match engine {
            PacedEngine::CopyIn => &self.copy_in,
            PacedEngine::CopyOut => &self.copy_out,
            PacedEngine::Compute(_) => &self.compute,
        };
        queue.take(span, is_over)
    }
}

/// Engines of one sort, and who waits for one.
struct EngineQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

struct QueueState {
    /// Free engines, each with the span that it ran last; the one that has been free longest first.
    free: VecDeque<(PacedEngine, SpanId)>,
    /// Who waits, by number, in order of arrival.
    waiting: VecDeque<u64>,
    arrived: u64,
}

/// The right to run on an engine, until it is dropped.
pub struct EngineToken<'a> {
    queue: &'a EngineQueue,
    span: SpanId,
    /// The engine.
    pub engine: PacedEngine,
    /// Whether it was waited for.
    pub waited: bool,
    /// The span that had it before, where it was waited for.
    pub behind: SpanId,
}

impl EngineQueue {
    fn new(engines: impl IntoIterator<Item = PacedEngine>) -> Self {
        let free = engines.into_iter().map(|engine| (engine, SpanId::NONE));
        Self {
            state: Mutex::new(QueueState {
                free: free.collect(),
                waiting: VecDeque::new(),
                arrived: 0,
            }),
            changed: Condvar::new(),
        }
    }

    fn take(&self, span: SpanId, is_over: &dyn Fn() -> bool) -> Option<EngineToken<'_>> {
        let mut state = lock(&self.state);
        let number = state.arrived;
        state.arrived += 1;
        let mut waits = !state.waiting.is_empty() || state.free.is_empty();
        state.waiting.push_back(number);
        loop {
            if state.waiting.front() == Some(&number)
                && let Some((engine, before)) = state.free.pop_front()
            {
                state.waiting.pop_front();
                let has_more = !state.free.is_empty() && !state.waiting.is_empty();
                drop(state);
                if has_more {
                    self.changed.notify_all();
                }
                return Some(EngineToken {
                    queue: self,
                    span,
                    engine,
                    waited: waits,
                    behind: if waits { before } else { SpanId::NONE },
                });
            }
            if is_over() {
                state.waiting.retain(|other| *other != number);
                drop(state);
                self.changed.notify_all();
                return None;
            }
            waits = true;
            let woken = self.changed.wait_timeout(state, LOOK);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for EngineToken<'_> {
    fn drop(&mut self) {
        lock(&self.queue.state)
            .free
            .push_back((self.engine, self.span));
        self.queue.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

    use super::*;

    #[test]
    fn no_more_run_at_once_than_there_are_and_each_knows_whom_it_came_behind() {
        let engines = Engines::new(2);
        let (now, most) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for thread in 0..6 {
                let (engines, now, most) = (&engines, &now, &most);
                scope.spawn(move || {
                    for round in 0..50 {
                        let span = SpanId(thread * 50 + round);
                        let token = engines
                            .take(PacedEngine::Compute(0), span, &|| false)
                            .unwrap();
                        most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(1, SeqCst);
                        assert_ne!(token.behind, span);
                    }
                });
            }
        });
        assert_eq!(most.load(SeqCst), 2);
        let first = engines
            .take(PacedEngine::CopyIn, SpanId(7), &|| false)
            .unwrap();
        assert_eq!(first.behind, SpanId::NONE);
        assert!(
            engines
                .take(PacedEngine::CopyIn, SpanId(8), &|| true)
                .is_none()
        );
        let other = engines.take(PacedEngine::CopyOut, SpanId(9), &|| false);
        assert_eq!(other.unwrap().engine, PacedEngine::CopyOut);
    }

    #[test]
    fn who_waited_is_told_for_what() {
        let engines = Engines::new(1);
        let token = engines
            .take(PacedEngine::Compute(0), SpanId(1), &|| false)
            .unwrap();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| {
                let token = engines
                    .take(PacedEngine::Compute(0), SpanId(2), &|| false)
                    .unwrap();
                (token.engine.to_string(), token.behind)
            });
            while lock(&engines.compute.state).waiting.is_empty() {
                std::thread::yield_now();
            }
            drop(token);
            let told = waits.join().unwrap();
            assert_eq!(told, ("compute slot 1".to_owned(), SpanId(1)));
        });
    }
}

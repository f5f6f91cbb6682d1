//! A number that only rises, and threads that wait for it to reach a mark.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

use device::lock;

/// A number that only rises. Raising costs two atomic operations while nobody waits.
#[derive(Debug, Default)]
pub struct Watermark {
    value: AtomicU64,
    sleepers: AtomicU32,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Watermark {
    /// The number.
    pub fn get(&self) -> u64 {
        self.value.load(SeqCst)
    }

    /// Raises the number to `value` and wakes those that wait.
    pub fn raise(&self, value: u64) {
        // Sequentially consistent on both sides: either the sleeper sees the value or we see the sleeper.
        self.value.fetch_max(value, SeqCst);
        if self.sleepers.load(SeqCst) > 0 {
            self.poke();
        }
    }

    /// Lets the number begin again; nobody may be waiting.
    pub fn lower(&self) {
        self.value.store(0, SeqCst);
    }

    /// Makes those that wait look again at what makes them give up.
    pub fn poke(&self) {
        drop(lock(&self.lock));
        self.changed.notify_all();
    }

    /// As [`Watermark::wait`], without giving the processor back in between (rule A10).
    pub fn spin(&self, target: u64, abort: &dyn Fn() -> bool, deadline: Option<Instant>) -> bool {
        while self.get() < target {
            if abort() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return false;
            }
            // To others that are ready to run alone, so that a machine with few cores goes on.
            std::thread::yield_now();
        }
        true
    }

    /// Waits until the number is `target` or more; gives up once `abort` holds or `deadline` is past.
    /// Says whether the target was reached.
    pub fn wait(&self, target: u64, abort: &dyn Fn() -> bool, deadline: Option<Instant>) -> bool {
        if self.get() >= target {
            return true;
        }
        self.sleepers.fetch_add(1, SeqCst);
        let mut guard = lock(&self.lock);
        let reached = loop {
            if self.get() >= target {
                break true;
            }
            if abort() {
                break false;
            }
            guard = match deadline {
                None => self
                    .changed
                    .wait(guard)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        break false;
                    }
                    let woken = self.changed.wait_timeout(guard, left);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        };
        drop(guard);
        self.sleepers.fetch_sub(1, SeqCst);
        reached
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn many_waiters_are_released_by_one_raise() {
        let mark = Watermark::default();
        std::thread::scope(|scope| {
            let waiters: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| mark.wait(2, &|| false, None)))
                .collect();
            mark.raise(1);
            mark.raise(2);
            mark.raise(1);
            assert!(waiters.into_iter().all(|waiter| waiter.join().unwrap()));
        });
        assert_eq!(mark.get(), 2);
    }

    #[test]
    fn a_wait_gives_up() {
        assert!(!Watermark::default().spin(1, &|| true, None));
        assert!(Watermark::default().spin(0, &|| true, None));
        let mark = Watermark::default();
        assert!(!mark.wait(1, &|| true, None));
        let soon = Instant::now() + Duration::from_millis(5);
        assert!(!mark.wait(1, &|| false, Some(soon)));
        assert!(Instant::now() >= soon);
    }
}

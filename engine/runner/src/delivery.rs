//! How far what a run reports has come on its way out of this process, for those who must not go on before.
//!
//! A process may be gone at any moment, and with it what it has not handed on. So what a rank does to others comes after
//! what it says of that: whoever looks on knows what was submitted before any other rank can have met it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use device::lock;

/// How often whoever waits looks whether to go on.
const LOOK: Duration = Duration::from_millis(20);

/// How far what a run reports has come. Messages are counted from the first of the process on.
pub struct Delivery {
    /// How often it was asked that everything reported by then be handed on.
    asked: AtomicU64,
    wake: Sender<()>,
    woken: Receiver<()>,
    state: Mutex<DeliveryState>,
    changed: Condvar,
}

#[derive(Default)]
struct DeliveryState {
    /// Messages that have left the process.
    written: u64,
    /// What was asked for so often is in the messages up to this one.
    fetched: VecDeque<(u64, u64)>,
    /// What was asked for so often has left the process.
    delivered: u64,
}

impl Default for Delivery {
    fn default() -> Self {
        let (wake, woken) = bounded(1);
        Self {
            asked: AtomicU64::new(0),
            wake,
            woken,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }
}

impl Delivery {
    /// Everything that the calling thread has reported is to be handed on now. Does not wait for that.
    pub fn ask(&self) {
        self.asked.fetch_add(1, SeqCst);
        // Where it is full, whoever is to be woken will be.
        let _ = self.wake.try_send(());
    }

    /// Waits until everything has left the process for which that was asked by now, or somebody gives up.
    pub fn wait(&self, gives_up: &dyn Fn() -> bool) {
        let asked = self.asked.load(SeqCst);
        let mut state = lock(&self.state);
        while state.delivered < asked && !gives_up() {
            let woken = self.changed.wait_timeout(state, LOOK);
            (state, _) = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Where whoever fetches reports is woken.
    pub const fn woken(&self) -> &Receiver<()> {
        &self.woken
    }

    /// Fetches what was reported, where that was asked for: `fetch` gives the number of the message that has the last of it.
    pub fn fetch(&self, fetch: impl FnOnce() -> u64) {
        let asked = self.asked.load(SeqCst);
        let known = {
            let state = lock(&self.state);
            state.fetched.back().map_or(state.delivered, |it| it.0)
        };
        if asked > known {
            let message = fetch();
            self.note(|state| state.fetched.push_back((asked, message)));
        }
    }

    /// One more message has left the process.
    pub fn note_written(&self) {
        self.note(|state| state.written += 1);
    }

    fn note(&self, change: impl FnOnce(&mut DeliveryState)) {
        let mut state = lock(&self.state);
        change(&mut state);
        let before = state.delivered;
        let written = state.written;
        while let Some((asked, _)) = state.fetched.pop_front_if(|it| it.1 <= written) {
            state.delivered = asked;
        }
        let has_news = state.delivered > before;
        drop(state);
        if has_news {
            self.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_goes_on_once_the_message_has_left() {
        let delivery = Delivery::default();
        let waits = || {
            let looks = std::cell::Cell::new(0);
            delivery.wait(&|| looks.replace(looks.get() + 1) > 0);
            looks.get() > 1
        };
        assert!(!waits(), "nothing was asked for");
        delivery.ask();
        assert!(delivery.woken().try_recv().is_ok());
        assert!(waits(), "nothing was fetched");
        delivery.fetch(|| 2);
        delivery.note_written();
        assert!(waits(), "the first message is another one");
        // What is asked for again is in a later message.
        delivery.ask();
        delivery.fetch(|| 3);
        delivery.fetch(|| panic!("everything was fetched"));
        delivery.note_written();
        assert!(waits(), "the second is not all");
        delivery.note_written();
        assert!(!waits(), "all of it has left");
    }
}

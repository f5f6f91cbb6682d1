//! What happens at a time or once: flags that host threads wait for, and acts that wait for their moment.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use device::lock;
use record::time::Nanos;

/// What is done once a device's time has come to a moment; it is told the time.
pub type Alarm = Box<dyn FnOnce(Nanos) + Send>;

/// Raised once, by anyone, for host threads that wait for it.
#[derive(Clone, Debug, Default)]
pub struct Flag(Arc<FlagState>);

#[derive(Debug, Default)]
struct FlagState {
    raised: Mutex<Option<Nanos>>,
    changed: Condvar,
}

impl Flag {
    /// Raises it for good, at `time`. Only the first raise counts.
    pub fn raise(&self, time: Nanos) {
        lock(&self.0.raised).get_or_insert(time);
        self.0.changed.notify_all();
    }

    /// When it was raised.
    pub fn raised(&self) -> Option<Nanos> {
        *lock(&self.0.raised)
    }

    /// Blocks the calling thread until it is raised, for at most `timeout`, and says whether it is.
    pub fn wait(&self, timeout: Duration) -> bool {
        let raised = lock(&self.0.raised);
        let woken = self
            .0
            .changed
            .wait_timeout_while(raised, timeout, |raised| raised.is_none());
        woken.unwrap_or_else(PoisonError::into_inner).0.is_some()
    }
}

impl PartialEq for Flag {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

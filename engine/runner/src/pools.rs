//! Which events are taken from which pool, and which thread takes the callbacks of which stream.

use record::{EventIndex, StreamIndex};
use std::collections::BTreeMap;
use std::sync::Mutex;

use device::lock;
use workload::{ErrorKind, Plan, PoolIndex, ThreadIndex};

/// Events that are taken from pools. A pool hands out the event that was given back last, so that reuse shows as new
/// generations of few events.
#[derive(Debug, Default)]
pub struct EventPools(Mutex<BTreeMap<PoolIndex, EventPool>>);

#[derive(Debug, Default)]
struct EventPool {
    /// For each name that an event was taken for, the event.
    taken: BTreeMap<EventIndex, EventIndex>,
    /// The next one to hand out is the last.
    free: Vec<EventIndex>,
}

impl EventPools {
    /// Takes an event from `pool` for `name`. Answers which, and how many of the pool are in use now.
    ///
    /// # Errors
    /// [`ErrorKind::AlreadyAcquired`] or [`ErrorKind::PoolEmpty`].
    pub fn take(
        &self,
        plan: &Plan,
        pool: PoolIndex,
        name: EventIndex,
    ) -> Result<(EventIndex, u32), ErrorKind> {
        let planned = plan.pools.get(pool.0 as usize).ok_or(ErrorKind::Unknown)?;
        let first = planned.first.0;
        let mut pools = lock(&self.0);
        let pool = pools.entry(pool).or_insert_with(|| EventPool {
            taken: BTreeMap::new(),
            free: (first..first + planned.count)
                .rev()
                .map(EventIndex)
                .collect(),
        });
        if pool.taken.contains_key(&name) {
            return Err(ErrorKind::AlreadyAcquired);
        }
        let event = pool.free.pop().ok_or(ErrorKind::PoolEmpty)?;
        pool.taken.insert(name, event);
        Ok((event, pool.taken.len() as u32))
    }

    /// Gives the event of `name` back. Answers how many of the pool are in use now; nothing where none was taken.
    pub fn give_back(&self, pool: PoolIndex, name: EventIndex) -> Option<u32> {
        let mut pools = lock(&self.0);
        let pool = pools.get_mut(&pool)?;
        let event = pool.taken.remove(&name)?;
        pool.free.push(event);
        Some(pool.taken.len() as u32)
    }

    /// The event that was taken for `name`.
    pub fn of(&self, name: EventIndex) -> Option<EventIndex> {
        let pools = lock(&self.0);
        pools
            .values()
            .find_map(|pool| pool.taken.get(&name).copied())
    }

    /// Nothing is taken, for a run that begins again.
    pub fn forget(&self) {
        lock(&self.0).clear();
    }
}

/// Which thread takes the callbacks of which stream (rule F15).
#[derive(Debug, Default)]
pub struct Subscriptions(Mutex<BTreeMap<StreamIndex, ThreadIndex>>);

impl Subscriptions {
    /// Lets `thread` take the callbacks of `stream`. Answers who does so already, if anybody.
    pub fn subscribe(&self, thread: ThreadIndex, stream: StreamIndex) -> Option<ThreadIndex> {
        let mut all = lock(&self.0);
        let before = all.get(&stream).copied();
        if before.is_none() {
            all.insert(stream, thread);
        }
        before
    }

    /// Nobody takes the callbacks of `stream` any more.
    pub fn unsubscribe(&self, stream: StreamIndex) {
        lock(&self.0).remove(&stream);
    }

    /// Who takes the callbacks of `stream`.
    pub fn thread(&self, stream: StreamIndex) -> Option<ThreadIndex> {
        lock(&self.0).get(&stream).copied()
    }

    /// Nobody subscribed, for a run that begins again.
    pub fn forget(&self) {
        lock(&self.0).clear();
    }
}

//! Threads that help streams with the branches of graphs: they exist once the first graph forks.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::executor::Executor;
use super::graph_execution::{GraphExecution, LOOK};
use super::shared::SharedDevice;
use crate::SystemThread;
use device::lock;
use record::time::Nanos;

/// Threads that help, at most.
const MOST: usize = 7;

/// The threads that help, and the graphs that they can help with.
#[derive(Default)]
pub struct HelperPool {
    flights: Mutex<OpenExecutions>,
    changed: Condvar,
    count: AtomicUsize,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// The same as the system knows them; nothing where it tells nothing of one.
    known: Mutex<Vec<Option<SystemThread>>>,
}

#[derive(Default)]
struct OpenExecutions {
    open: Vec<Arc<GraphExecution>>,
    is_closed: bool,
}

impl HelperPool {
    /// Lets everybody help with `flight`, whose nodes `shared` runs. Threads that cannot be started do not help.
    pub fn ask<E: Executor>(&self, shared: &Arc<SharedDevice<E>>, flight: &Arc<GraphExecution>) {
        let wanted = shared.executor.caps().width.saturating_sub(1).min(MOST);
        if self.count.load(SeqCst) < wanted {
            self.start(shared, wanted);
        }
        lock(&self.flights).open.push(Arc::clone(flight));
        self.changed.notify_all();
    }

    /// Nobody need help with `flight` any more.
    pub fn leave(&self, flight: &Arc<GraphExecution>) {
        let mut flights = lock(&self.flights);
        flights.open.retain(|open| !Arc::ptr_eq(open, flight));
    }

    /// For how long they were ready to run and had no processor core; nothing where the system does not tell.
    pub fn starved(&self) -> Option<Nanos> {
        let known = lock(&self.known);
        let mut waited = known.iter().map(|it| Some(it.as_ref()?.times()?.waited));
        waited.try_fold(Nanos::ZERO, |sum, it| Some(sum + it?))
    }

    /// Ends the threads, and waits for them.
    pub fn close(&self) {
        lock(&self.flights).is_closed = true;
        self.changed.notify_all();
        let threads = std::mem::take(&mut *lock(&self.threads));
        for thread in threads {
            // What a node panicked of was said by its flight.
            let _ = thread.join();
        }
    }

    fn start<E: Executor>(&self, shared: &Arc<SharedDevice<E>>, wanted: usize) {
        let mut threads = lock(&self.threads);
        while threads.len() < wanted {
            let shared = Arc::clone(shared);
            let thread = std::thread::Builder::new()
                .name(format!("graphs {}", threads.len() + 1))
                .spawn(move || {
                    lock(&shared.crew.known).push(SystemThread::current());
                    shared.crew.help(&shared);
                });
            match thread {
                Ok(thread) => threads.push(thread),
                Err(_) => break,
            }
        }
        self.count.store(wanted, SeqCst);
    }

    fn help<E: Executor>(&self, shared: &SharedDevice<E>) {
        let mut flights = lock(&self.flights);
        while !flights.is_closed {
            let mut open = flights.open.iter();
            let found = open.rfind(|it| it.has_ready()).cloned();
            flights = match found {
                Some(flight) => {
                    drop(flights);
                    while let Some(place) = flight.take(shared.now()) {
                        flight.run(shared, place);
                        self.changed.notify_all();
                    }
                    lock(&self.flights)
                }
                // Nobody tells the crew of records outside.
                None if flights.open.iter().any(|it| it.is_held()) => {
                    let waited = self.changed.wait_timeout(flights, LOOK);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self
                    .changed
                    .wait(flights)
                    .unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// More of a flight may be ready now.
    pub fn wake(&self) {
        // Whoever looks for work has looked before this is locked, or looks after it.
        drop(lock(&self.flights));
        self.changed.notify_all();
    }
}

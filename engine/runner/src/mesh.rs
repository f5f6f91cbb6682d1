//! The sockets between the ranks of a run, and the collective operations over them.
//!
//! Each rank listens on loopback, where only who knows the run's secret is let in; a rank is told its peers by whoever
//! started it. From a rank to each that it sends to leads one link, made when it is first needed, and one thread reads
//! each link into a box from which operations take what is theirs.

mod fault;
mod inbox;
mod link;
mod operation;
mod ring;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::fault::{FAULT_UNMET, unmet_fault};
use self::inbox::MeshInbox;
use self::link::MeshOutlet;
use self::operation::MeshOperation;
use crate::delivery::Delivery;
use backend::{CollectiveInterruption, Communicator, Exchange};
use device::lock;
use record::time::Nanos;
use workload::{CollectiveCall, RankFault};

/// The place of an engine among the ranks of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankAssignment {
    /// Its number.
    pub rank: u32,
    /// How many ranks there are.
    pub ranks: u32,
    /// What every rank of the run knows and nobody else.
    pub secret: String,
}

/// What a collective operation is called by all ranks that make it, and what this one's part in it is.
pub struct CollectiveIdentity {
    /// Equal on all ranks that make it together.
    pub exchange: String,
    /// `all`, or who gives and who takes.
    pub share: &'static str,
    /// How many ranks make it together.
    pub parts: u32,
}

/// By what this machine is told from others: the number of its start, where the system gives one.
pub fn machine() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    boot.map_or_else(|_| "?".to_owned(), |it| it.trim().to_owned())
}

/// The sockets of one rank.
pub struct Mesh {
    seat: RankAssignment,
    timeout: Duration,
    address: SocketAddr,
    peers: OnceLock<Vec<SocketAddr>>,
    outlets: Vec<Mutex<MeshOutlet>>,
    inbox: Arc<MeshInbox>,
    world: AtomicU64,
    pairs: Mutex<HashMap<(u32, u32), u64>>,
    /// Operations that were begun.
    begun: AtomicU64,
    faults: Mutex<Vec<RankFault>>,
    is_slow: AtomicBool,
    is_held: AtomicBool,
    /// What its operations wait for before they meet those of others.
    delivery: OnceLock<Arc<Delivery>>,
}

impl Mesh {
    /// Listens for the other ranks. A rank waits at most `timeout` for another one, and suffers `faults` on its way.
    ///
    /// # Errors
    /// The system gives no socket or no thread.
    pub fn listen(
        seat: RankAssignment,
        timeout: Nanos,
        faults: Vec<RankFault>,
    ) -> io::Result<Arc<Self>> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let inbox = Arc::new(MeshInbox::new(seat.ranks));
        let (taker, own) = (Arc::clone(&inbox), seat.clone());
        std::thread::Builder::new()
            .name("peers".to_owned())
            .spawn(move || link::accept(&listener, &own, &taker))?;
        Ok(Arc::new(Self {
            timeout: timeout.to_duration(),
            address,
            peers: OnceLock::new(),
            outlets: (0..seat.ranks).map(|_| Mutex::default()).collect(),
            inbox,
            world: AtomicU64::new(0),
            pairs: Mutex::default(),
            begun: AtomicU64::new(0),
            faults: Mutex::new(faults),
            is_slow: AtomicBool::new(false),
            is_held: AtomicBool::new(false),
            delivery: OnceLock::new(),
            seat,
        }))
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Which of the ranks it is.
    pub const fn seat(&self) -> &RankAssignment {
        &self.seat
    }

    /// Where the others listen, in the order of the ranks.
    pub fn meet(&self, peers: Vec<SocketAddr>) {
        // They are told once.
        let _ = self.peers.set(peers);
    }

    /// No operation begins before what was reported up to its submission has left the process.
    pub fn wait_for(&self, delivery: &Arc<Delivery>) {
        // It is told once.
        let _ = self.delivery.set(Arc::clone(delivery));
    }

    /// What its operations wait for, where they wait for anything.
    pub fn delivery(&self) -> Option<&Delivery> {
        self.delivery.get().map(AsRef::as_ref)
    }

    /// Another rank's run is over, or its process is: what it has not sent will not come.
    pub fn leave(&self, rank: u32, why: &str) {
        self.inbox.leave(rank, why);
    }

    /// Whether waiting for others costs no patience, because ranks are paused.
    pub fn hold(&self, is_held: bool) {
        self.is_held.store(is_held, Ordering::Relaxed);
    }

    /// Does something to this rank on purpose, now or at its moment.
    pub fn apply_fault(&self, fault: RankFault) {
        lock(&self.faults).push(fault);
        self.look_for_faults(0);
    }

    /// What was to be done to this rank and has not been, because its operation never came.
    pub fn take_unmet(&self) -> Vec<RankFault> {
        std::mem::take(&mut *lock(&self.faults))
    }

    /// Who was refused, and why, since this was asked last.
    pub fn take_refused(&self) -> Vec<String> {
        self.inbox.take_refused()
    }

    /// The number of the next operation of this sort, in the order in which the rank submits them.
    pub fn number(&self, what: CollectiveCall) -> u64 {
        let own = self.seat.rank;
        let pair = match what {
            CollectiveCall::Send { to, .. } => (own, to),
            CollectiveCall::Receive { from, .. } => (from, own),
            _ => return self.world.fetch_add(1, Ordering::Relaxed) + 1,
        };
        let mut pairs = lock(&self.pairs);
        let count = pairs.entry(pair).or_default();
        *count += 1;
        *count
    }

    /// What the operation of this number is called by all ranks.
    pub fn part(&self, what: CollectiveCall, number: u64) -> CollectiveIdentity {
        let own = self.seat.rank;
        let is_root = matches!(what, CollectiveCall::Broadcast { root, .. } if root == own);
        let (exchange, share, parts) = match what {
            CollectiveCall::Send { to, .. } => (format!("send {own}→{to} {number}"), "gives", 2),
            CollectiveCall::Receive { from, .. } => {
                (format!("send {from}→{own} {number}"), "takes", 2)
            }
            CollectiveCall::Broadcast { .. } if is_root => {
                (format!("broadcast {number}"), "gives", self.seat.ranks)
            }
            CollectiveCall::Broadcast { .. } => {
                (format!("broadcast {number}"), "takes", self.seat.ranks)
            }
            _ => (format!("{} {number}", what.word()), "all", self.seat.ranks),
        };
        CollectiveIdentity {
            exchange,
            share,
            parts,
        }
    }

    /// Says goodbye to all others: what was sent arrives, and nothing more comes.
    pub fn close(&self) {
        self.inbox.close();
        // Lets the thread that listens see it.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_millis(200));
        for outlet in &self.outlets {
            lock(outlet).close();
        }
    }
}

impl Drop for Mesh {
    fn drop(&mut self) {
        self.close();
    }
}

impl Communicator for Mesh {
    fn perform(
        &self,
        exchange: &Exchange,
        values: Vec<f32>,
        gives_up: &dyn Fn() -> bool,
    ) -> Result<Vec<f32>, CollectiveInterruption> {
        if let Some(delivery) = self.delivery() {
            delivery.wait(gives_up);
        }
        let begun = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let operation = MeshOperation::new(self, exchange, values.len(), begun, gives_up);
        ring::perform(operation, exchange.what, values)
    }
}

//! An engine in another process, on this machine or at the far end of `ssh`: what tells them apart is its name and
//! its clock.
//!
//! The near end ([`Engine::connect`]) starts a process and speaks with the [worker](serve) in it over its standard
//! input and output, and over nothing else: no port is opened. Where the link drops and the worker lives on, it keeps
//! what it was not told to have arrived, and the near end comes back for it; where the worker is gone, what ran is
//! shown as lost.
//!
//! [`Engine::connect`]: super::Engine::connect

mod attach;
mod clock;
mod connection;
mod last_known;
mod lifetime;
mod link;
mod memory_budget;
mod packet;
mod process;
mod reliable_sender;
mod wire;
mod worker;

pub use attach::attach;
pub(super) use last_known::{GONE, problem};
pub(super) use link::WorkerLink;
pub use link::again_path;
pub use packet::{BackendOffer, PROTOCOL, unix_now};
pub use process::WorkerTarget;
pub(super) use process::ending;
pub use wire::WireError;
pub use worker::{offers, serve};

use serde::{Deserialize, Serialize};

use record::time::Nanos;

/// How the link to an engine in another process is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connection {
    /// What the far end is called.
    pub name: String,
    /// The number of the process on this machine that leads there, as the system counts them; 0 where there is none.
    pub process: u32,
    /// Whether it answers.
    pub state: ConnectionState,
    /// More about that, in a sentence; may be empty.
    pub detail: String,
    /// The latest round trip.
    pub round_trip: Nanos,
    /// By how much the far clock is ahead of this machine's.
    pub ahead: Nanos,
    /// How far `ahead` may be off, either way.
    pub uncertainty: Nanos,
    /// By how much what is on screen is behind what the worker knows.
    pub behind: Nanos,
}

/// Whether an engine in another process answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConnectionState {
    /// It was started and has not answered yet.
    #[default]
    Connecting,
    /// It answers.
    Connected,
    /// The link dropped; it is tried again.
    Dropped,
    /// It is gone; the next run starts another.
    Gone,
}

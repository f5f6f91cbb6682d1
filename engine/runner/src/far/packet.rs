//! What crosses the link between the near end and a worker.

use serde::{Deserialize, Serialize};

use crate::{Control, Message};
use backend::Caps;
use record::time::Nanos;

/// The version of this protocol; both ends must have the same one.
pub const PROTOCOL: u32 = 2;

/// The first frame either way. It is text, so that ends of different versions can read each other's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The protocol's version.
    pub protocol: u32,
    /// The program's version.
    pub version: String,
    /// By what the worker can be found again; the near end says by what it looks for it.
    #[serde(default)]
    pub token: String,
    /// Messages that the near end has received from this worker.
    #[serde(default)]
    pub received: u64,
    /// Whether the worker is to keep what it was not yet told to have arrived, and itself, when the link drops.
    #[serde(default)]
    pub keep: bool,
}

impl Hello {
    /// That of this program.
    pub fn ours() -> Self {
        Self {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..Self::default()
        }
    }

    /// Why the end that said `self` cannot be talked to.
    pub fn mismatch(&self) -> Option<String> {
        let ours = Self::ours();
        (self.protocol != ours.protocol).then(|| {
            // Whatever it says that it is takes no more room than a version does.
            let version = self.version.chars().filter(|it| !it.is_control());
            let version: String = version.take(32).collect();
            format!(
                "the far end is Syncline {} (protocol {}), this is Syncline {} (protocol {}): install the same \
                 version on both",
                version, self.protocol, ours.version, ours.protocol
            )
        })
    }
}

/// From the near end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum UpPacket {
    /// For the engine.
    Control(Control),
    /// What is there to run workloads?
    Ask,
    /// Answer at once, with this.
    Ping(Nanos),
    /// Every message up to this number has arrived.
    Received(u64),
}

/// From the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DownPacket {
    /// The engine's, with its number; counted from 1.
    Message(u64, Message),
    /// What is there to run workloads.
    Offers(Vec<BackendOffer>),
    /// The answer to a ping.
    Pong {
        /// What the ping said.
        sent: Nanos,
        /// The worker's clock, since 1970-01-01 UTC.
        unix: Nanos,
        /// Messages that have not been said to have arrived.
        waiting: u64,
        /// For how long the oldest of them has waited.
        age: Nanos,
    },
}

/// A backend as a machine has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BackendOffer {
    /// Its name.
    pub backend: String,
    /// What it is.
    pub about: String,
    /// Why it cannot be used there, where it cannot.
    pub reason: Option<String>,
    /// Its adapters, the best first: name, and what each can do.
    pub adapters: Vec<(String, Caps)>,
}

/// The time of this machine, since 1970-01-01 UTC.
pub fn unix_now() -> Nanos {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    Nanos(since.as_nanos() as i64)
}

//! Waits that no call asks for: what the legacy default stream imposes, and what automatic synchronisation inserts.

mod automatic;
mod legacy;

use record::StreamIndex;
use std::sync::Mutex;

pub use automatic::{Automatic, Need};
pub use legacy::Legacy;

use order::{Act, Traits};
use workload::{Plan, StreamKind, Synchronization};

/// What decides which waits are inserted. Locked while an operation is submitted with the waits before it, so that
/// no other comes between them.
pub struct Insertions(Mutex<State>);

/// What is known of the submissions so far.
pub struct State {
    /// Of the legacy default stream.
    pub legacy: Legacy,
    /// Of the buffers' last uses.
    pub automatic: Automatic,
}

impl Insertions {
    /// For a plan in which waits may have to be inserted.
    pub fn new(plan: &Plan) -> Option<Self> {
        let has_legacy = plan
            .streams
            .iter()
            .any(|stream| stream.traits.kind == StreamKind::Legacy);
        let is_needed = has_legacy || plan.synchronization != Synchronization::Manual;
        is_needed.then(|| {
            Self(Mutex::new(State {
                legacy: Legacy::new(plan),
                automatic: Automatic::new(plan),
            }))
        })
    }

    /// The streams of a plan as the order of calls knows them; none where none is of a sort that matters.
    pub fn streams(plan: &Plan) -> impl Iterator<Item = Act> {
        let streams = plan.streams.iter().map(|stream| stream.traits);
        let matters = streams.clone().any(|it| it.kind == StreamKind::Legacy);
        let streams = streams.enumerate().filter(move |_| matters);
        streams.map(|(place, it)| {
            let traits = Traits {
                device: 0,
                is_legacy: it.kind == StreamKind::Legacy,
                is_blocking: it.is_blocking,
            };
            Act::Create(StreamIndex(place as u32), traits)
        })
    }

    /// What is known, until the answer is dropped.
    pub fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        device::lock(&self.0)
    }
}

//! Waits that no call asks for: what the legacy default stream imposes, and what automatic synchronisation inserts.

mod automatic;
mod legacy;

use record::StreamIndex;
use std::sync::Mutex;

pub use automatic::{AutomaticInsertion, RequiredWait};
pub use legacy::LegacyInsertion;

use order::{StreamOrderTraits, SyncOp};
use workload::{Plan, StreamKind, Synchronization};

/// What decides which waits are inserted. Locked while an operation is submitted with the waits before it, so that
/// no other comes between them.
pub struct Insertions(Mutex<InsertionState>);

/// What is known of the submissions so far.
pub struct InsertionState {
    /// Of the legacy default stream.
    pub legacy: LegacyInsertion,
    /// Of the buffers' last uses.
    pub automatic: AutomaticInsertion,
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
            Self(Mutex::new(InsertionState {
                legacy: LegacyInsertion::new(plan),
                automatic: AutomaticInsertion::new(plan),
            }))
        })
    }

    /// The streams of a plan as the order of calls knows them; none where none is of a sort that matters.
    pub fn streams(plan: &Plan) -> impl Iterator<Item = SyncOp> {
        let streams = plan.streams.iter().map(|stream| stream.traits);
        let matters = streams.clone().any(|it| it.kind == StreamKind::Legacy);
        let streams = streams.enumerate().filter(move |_| matters);
        streams.map(|(place, it)| {
            let traits = StreamOrderTraits {
                device: 0,
                is_legacy: it.kind == StreamKind::Legacy,
                is_blocking: it.is_blocking,
            };
            SyncOp::Create(StreamIndex(place as u32), traits)
        })
    }

    /// What is known, until the answer is dropped.
    pub fn lock(&self) -> std::sync::MutexGuard<'_, InsertionState> {
        device::lock(&self.0)
    }
}

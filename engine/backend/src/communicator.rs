//! What carries collective operations between ranks: a door that sockets stand behind, and others may.

use std::fmt;
use std::sync::Arc;

use workload::CollectiveCall;

/// Carries collective operations between the ranks of a run. Numbers pass through the host's memory; a library that
/// moves them between devices by itself, as NCCL does, would stand behind this same door, with a way for the device to
/// hand it buffers in place of numbers.
pub trait Communicator: Send + Sync {
    /// Makes this rank's part of a collective operation, and blocks until that is done or `gives_up`. `values` are what
    /// it reads; what it writes is given back. Operations of several streams may come at the same time.
    ///
    /// # Errors
    /// Another rank did not come, is gone, or calls something else.
    fn perform(
        &self,
        exchange: &Exchange,
        values: Vec<f32>,
        gives_up: &dyn Fn() -> bool,
    ) -> Result<Vec<f32>, CollectiveInterruption>;
}

/// Why a collective operation came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CollectiveInterruption {
    /// Nobody waits for it any more.
    Stopped,
    /// It failed, for this reason.
    Failed(String),
}

/// One collective operation.
#[derive(Clone)]
pub struct Exchange {
    /// What the ranks do together.
    pub what: CollectiveCall,
    /// Which of the rank's collective operations it is, or of those between the same two ranks; counted from 1.
    pub number: u64,
    /// What carries it; none where there is one rank alone.
    pub through: Option<Arc<dyn Communicator>>,
}

impl Exchange {
    /// What the operation writes, given what it reads.
    ///
    /// # Errors
    /// As [`Communicator::perform`].
    pub fn perform(
        &self,
        values: Vec<f32>,
        gives_up: &dyn Fn() -> bool,
    ) -> Result<Vec<f32>, CollectiveInterruption> {
        match (&self.through, self.what.partner()) {
            (Some(through), _) => through.perform(self, values, gives_up),
            (None, Some(rank)) => Err(CollectiveInterruption::Failed(format!(
                "there is no rank {rank}: this one runs alone"
            ))),
            (None, None) => Ok(values),
        }
    }
}

impl PartialEq for Exchange {
    fn eq(&self, other: &Self) -> bool {
        self.what == other.what && self.number == other.number
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.what.word(), self.number)
    }
}

//! What runs calls on one kind of device: the contract, and the list of those that keep it.

mod activity;
mod cpu;
mod device;
mod error;
mod layout;
mod mock;

pub use activity::{Activity, Blocker, HostActivity, StreamActivity};
pub use device::{Device, HostIndex, Side};
pub use error::Error;
pub use layout::{Layout, Operation, StreamLayout, Submission};

use crate::record::Record;

/// Every backend, the embedded default first. [`mock`] is here too: it is for tests and golden texts.
///
/// [`mock`]: crate::backend#backends
pub static BACKENDS: &[&dyn Backend] = &[&cpu::Cpu, &mock::Mock];

/// The backend called `name`.
pub fn named(name: &str) -> Option<&'static dyn Backend> {
    BACKENDS.iter().copied().find(|found| found.name() == name)
}

/// Runs calls on one kind of device. Always compiled, and probed at run time.
pub trait Backend: Sync {
    /// One lower-case word, as in `--backend cpu`.
    fn name(&self) -> &'static str;

    /// One sentence that says what it runs on and what its times mean.
    fn about(&self) -> &'static str;

    /// The devices that are here.
    ///
    /// # Errors
    /// Why there is none, in words for the user.
    fn probe(&self) -> Result<Vec<Found>, Error>;

    /// Opens the first device and makes the streams, events, buffers and signals of `layout` on it.
    /// Each thread of the device reports through a sink of its own, which `sinks` makes.
    ///
    /// # Errors
    /// There is no device, or `layout` does not fit it.
    fn open(
        &self,
        layout: &Layout,
        sinks: &dyn Fn() -> Box<dyn Sink>,
    ) -> Result<Box<dyn Device>, Error>;
}

/// A device that a probe found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What people call it.
    pub name: String,
    /// What it can and cannot do.
    pub caps: Caps,
}

/// What a device can and cannot do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Whether operations of different streams can run at the same time.
    pub overlap: bool,
    /// Whether priorities of streams have an effect.
    pub priorities: bool,
    /// Whether every run gives the same records, times included.
    pub deterministic: bool,
    /// Operations that can truly run at the same time.
    pub width: usize,
    /// Where its times come from.
    pub clock: &'static str,
    /// All this in words, for the screen.
    pub detail: String,
}

/// Takes what a backend reports. Each thread owns one.
pub trait Sink: Send {
    /// Takes one record; never blocks for long, never loses it.
    fn report(&mut self, record: Record);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_explained() {
        for (place, backend) in BACKENDS.iter().enumerate() {
            assert!(!backend.about().is_empty());
            let mut others = BACKENDS.iter().skip(place + 1);
            assert!(others.all(|other| other.name() != backend.name()));
        }
        assert_eq!(BACKENDS.first().map(|first| first.name()), Some("cpu"));
    }
}

//! A launch that a device has looked at and keeps ready: run again, nothing of it is looked up again.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use workload::KernelArguments;

/// What a device keeps with a launch.
pub type BackendState = Box<dyn Any + Send + Sync>;

/// A launch that a device keeps ready (`BackendDevice::pack`). Its numbers and buffers never change: a changed launch
/// is packed anew.
pub struct PreparedLaunch {
    /// The kernel, its buffers and its numbers.
    pub launch: KernelArguments,
    /// How many elements it treats, from the first on; none for as many as its buffers have.
    pub elements: Option<usize>,
    /// No other has this number.
    pub number: u64,
    kept: BackendState,
}

impl PreparedLaunch {
    /// For a device that keeps `kept` with it.
    pub fn new(launch: KernelArguments, elements: Option<usize>, kept: BackendState) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            launch,
            elements,
            number: NEXT.fetch_add(1, Relaxed),
            kept,
        }
    }

    /// What the device keeps with it, where that is a `T`.
    pub fn kept<T: 'static>(&self) -> Option<&T> {
        self.kept.downcast_ref()
    }

    /// Whether it does nothing at all (rule D5).
    pub fn is_empty(&self) -> bool {
        self.elements == Some(0)
    }
}

impl PartialEq for PreparedLaunch {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl fmt::Debug for PreparedLaunch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            launch, elements, ..
        } = self;
        write!(f, "packed {launch:?} of {elements:?} elements")
    }
}

//! Recorded launches and graphs: what is made once and launched many times.

use record::BufferIndex;
use std::sync::Arc;

use super::fields::{NumberField, ResourceField};
use super::phase::{AsPlanned, CallPhase};

/// Which argument of a kernel: buffers that are read, buffers that are written, numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentName {
    /// The one of this name.
    Named(Arc<str>),
    /// The one at this place, counted from 0.
    At(usize),
}

/// A value for an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArgumentValue<P: CallPhase = AsPlanned> {
    /// A buffer, as it is now.
    Buffer(P::Of<ResourceField<BufferIndex>>),
    /// A number.
    Number(P::Of<NumberField<f64>>),
}

/// Whose calls a capture forbids that may be unsafe while it is under way (rule A41).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CaptureMode {
    /// Those of every host thread.
    #[default]
    Global,
    /// Those of the host thread that began it.
    ThreadLocal,
    /// Nobody's.
    Relaxed,
}

impl CaptureMode {
    /// Every mode with the word for it in a workload.
    pub const LABELS: &'static [(&'static str, Self)] = &[
        ("global", Self::Global),
        ("thread-local", Self::ThreadLocal),
        ("relaxed", Self::Relaxed),
    ];
}

/// A recorded launch of a [`crate::Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordedIndex(pub u32);

/// A graph of a [`crate::Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GraphIndex(pub u32);

impl RecordedIndex {
    /// The position in the plan's list.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl GraphIndex {
    /// The position in the plan's list.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A recorded launch to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedPlan {
    /// Its name; an array's elements are written `name[0]`, `name[1]`, ….
    pub name: String,
    /// The kernel it is made for without being recorded: no elements, no buffers, zeros (rule D5).
    pub kernel: Option<&'static str>,
}

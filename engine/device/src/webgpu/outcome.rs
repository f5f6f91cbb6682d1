//! What a call or its promise comes to.

use std::fmt;

use super::loss::LossReason;
use workload::ErrorFilter;

/// What a call or its promise comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallOutcome {
    /// The promise resolves with this.
    Resolve(PromiseValue),
    /// The promise rejects with this.
    Reject(PromiseRejection),
    /// The call returns a handle that works.
    Handle,
    /// The call returns a handle to an object that is invalid inside.
    InvalidHandle,
    /// Nothing happens, and nobody is told.
    Nothing,
    /// Whatever the completion gives, as if nothing had happened.
    ByCompletion,
}

/// What a promise resolves with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PromiseValue {
    /// A pipeline; invalid inside where the device was lost, which nobody can tell.
    Pipeline,
    /// Nothing but the fact.
    Undefined,
    /// No error.
    Null,
    /// An error that a scope captured.
    Error(GpuErrorKind),
    /// The messages of a module's compilation.
    Messages,
    /// An empty list of messages.
    NoMessages,
    /// Why the device was lost.
    Lost(LossReason),
    /// A device.
    Device,
    /// A device that is lost already.
    LostDevice,
}

/// What a promise rejects with, or a call throws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PromiseRejection {
    /// `GPUPipelineError` of reason “validation”.
    PipelineValidation,
    /// `GPUPipelineError` of reason “internal”.
    PipelineInternal,
    /// `OperationError`.
    Operation,
    /// `AbortError`.
    Abort,
    /// `TypeError`.
    Type,
    /// `RangeError`.
    Range,
}

/// A kind of error, as error scopes filter them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GpuErrorKind {
    /// `GPUValidationError`.
    Validation,
    /// `GPUOutOfMemoryError`.
    OutOfMemory,
    /// `GPUInternalError`.
    Internal,
}

impl GpuErrorKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Validation, Self::OutOfMemory, Self::Internal];

    /// The word for it, as a filter of a scope is written.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Validation => "validation",
            Self::OutOfMemory => "out-of-memory",
            Self::Internal => "internal",
        }
    }

    /// The kind that is written as `label`.
    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.label() == label)
    }
}

impl From<ErrorFilter> for GpuErrorKind {
    fn from(filter: ErrorFilter) -> Self {
        match filter {
            ErrorFilter::Validation => Self::Validation,
            ErrorFilter::OutOfMemory => Self::OutOfMemory,
            ErrorFilter::Internal => Self::Internal,
        }
    }
}

impl PromiseRejection {
    /// The name of the exception.
    pub const fn label(self) -> &'static str {
        match self {
            Self::PipelineValidation => "GPUPipelineError reason=validation",
            Self::PipelineInternal => "GPUPipelineError reason=internal",
            Self::Operation => "OperationError",
            Self::Abort => "AbortError",
            Self::Type => "TypeError",
            Self::Range => "RangeError",
        }
    }
}

impl fmt::Display for PromiseValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pipeline => f.write_str("pipeline"),
            Self::Undefined => f.write_str("undefined"),
            Self::Null => f.write_str("null"),
            Self::Error(kind) => f.write_str(kind.label()),
            Self::Messages => f.write_str("messages"),
            Self::NoMessages => f.write_str("messages=[]"),
            Self::Lost(kind) => write!(f, "reason={}", kind.label()),
            Self::Device => f.write_str("device"),
            Self::LostDevice => f.write_str("lost device"),
        }
    }
}

impl fmt::Display for CallOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resolve(value) => write!(f, "resolve({value})"),
            Self::Reject(rejection) => write!(f, "reject({})", rejection.label()),
            Self::Handle => f.write_str("handle"),
            Self::InvalidHandle => f.write_str("invalid handle"),
            Self::Nothing => f.write_str("nothing"),
            Self::ByCompletion => f.write_str("by the completion"),
        }
    }
}

//! Why a backend cannot do what it was asked.

use device::LaunchError;
use device::capture::{CaptureError, Violation};
use workload::ErrorKind;

/// Why a backend cannot do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// There is no device of this kind here.
    #[error("no device: {0}")]
    Absent(String),
    /// The buffers do not fit into memory.
    #[error(
        "the buffers need {needed} with their copies on the host, and {available} are free: make \
         them smaller, by a parameter for example"
    )]
    Memory {
        /// What they need, with its unit.
        needed: String,
        /// What is free, with its unit.
        available: String,
    },
    /// A buffer is larger than the device takes.
    #[error(
        "a buffer of {size} bytes is more than this device takes, which is {most}: make it smaller, by a parameter for \
         example, or split it"
    )]
    BufferLimit {
        /// What it needs, in bytes.
        size: u64,
        /// What the device takes, in bytes.
        most: u64,
    },
    /// The device has no memory left.
    #[error(
        "the device has no memory left for the buffers ({0}): make them smaller, or close what else uses it"
    )]
    DeviceMemory(String),
    /// The adapter gave no device, or one that does not work.
    #[error(
        "the adapter gave no device that works: {0}; choose another adapter, or the cpu backend"
    )]
    Refused(String),
    /// The layout has no such stream, event, buffer or signal.
    #[error("there is no {0}")]
    Unknown(String),
    /// A launch does not fit its kernel; nothing was submitted.
    #[error("the launch of {kernel} is wrong: {reason}")]
    Launch {
        /// The kernel's name.
        kernel: String,
        /// Which rule is broken.
        reason: String,
    },
    /// An operation failed before, and the device takes no more work.
    #[error("the device failed and runs nothing more: {0}; run again to start with a fresh one")]
    Poisoned(String),
    /// The device is gone.
    #[error("the device was lost: {0}; run again to open it anew")]
    Lost(String),
    /// The run was stopped while this was pending.
    #[error("stopped before it ended")]
    Stopped,
    /// It took longer than the caller would wait.
    #[error("not reached in time")]
    TimedOut,
    /// A call was refused, or says what failed before; everything is as it was (rule A46).
    #[error("{reason}")]
    Call {
        /// What an error branch of the workload knows it by.
        kind: ErrorKind,
        /// What happened, why, and what to do next.
        reason: String,
    },
    /// The system gives no thread.
    #[error(
        "a thread could not be started ({0}): use fewer streams or host threads, or raise the limits of threads and memory (ulimit -u, ulimit -v)"
    )]
    Thread(String),
}

impl BackendError {
    /// A call that failed in one of the ways that workloads can catch.
    pub fn call(kind: ErrorKind, reason: impl Into<String>) -> Self {
        Self::Call {
            kind,
            reason: reason.into(),
        }
    }

    /// What an error branch of the workload knows it by; none where no branch can take it.
    pub const fn kind(&self) -> Option<ErrorKind> {
        match self {
            Self::Call { kind, .. } => Some(*kind),
            Self::Unknown(_) => Some(ErrorKind::Unknown),
            Self::Launch { .. } => Some(ErrorKind::InvalidLaunch),
            Self::Poisoned(_) => Some(ErrorKind::DeviceFailed),
            Self::Lost(_) => Some(ErrorKind::DeviceLost),
            Self::TimedOut => Some(ErrorKind::TimedOut),
            Self::Memory { .. } | Self::BufferLimit { .. } | Self::DeviceMemory(_) => {
                Some(ErrorKind::OutOfMemory)
            }
            Self::Absent(_) | Self::Refused(_) | Self::Stopped | Self::Thread(_) => None,
        }
    }
}

impl From<CaptureError> for BackendError {
    fn from(error: CaptureError) -> Self {
        let kind = match error.violation {
            Violation::InvalidValue => ErrorKind::InvalidValue,
            Violation::IllegalState => ErrorKind::IllegalState,
            Violation::Unsupported => ErrorKind::CaptureUnsupported,
            Violation::Invalidated => ErrorKind::CaptureInvalidated,
            Violation::Merge => ErrorKind::CaptureMerge,
            Violation::Unmatched => ErrorKind::CaptureUnmatched,
            Violation::Unjoined => ErrorKind::CaptureUnjoined,
            Violation::Isolation => ErrorKind::CaptureIsolation,
            Violation::Implicit => ErrorKind::CaptureImplicit,
            Violation::CapturedEvent => ErrorKind::CapturedEvent,
            Violation::WrongThread => ErrorKind::CaptureWrongThread,
            Violation::Update => ErrorKind::GraphUpdate,
        };
        Self::call(kind, error.to_string())
    }
}

impl From<LaunchError> for BackendError {
    fn from(error: LaunchError) -> Self {
        let kind = match error {
            LaunchError::Stale { .. } => ErrorKind::StaleArgument,
            LaunchError::Beyond { .. } | LaunchError::Missing { .. } => ErrorKind::InvalidLaunch,
            _ => ErrorKind::InvalidArgument,
        };
        Self::call(kind, error.to_string())
    }
}

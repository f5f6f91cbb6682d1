//! The errors of runtimes by their numbers and names, as their headers list them: CUDA's `driver_types.h`, `AscendCL`'s
//! `rt_error_codes.h`.

use std::fmt;

use crate::ErrorKind;

/// A runtime whose calls return numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberedRuntime {
    /// CUDA's runtime, and in most of them its driver too.
    Cuda,
    /// `AscendCL`.
    AscendCl,
}

impl NumberedRuntime {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cuda => "CUDA",
            Self::AscendCl => "AscendCL",
        }
    }

    /// The field of a call in which its errors are shown.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Cuda => "cuda error",
            Self::AscendCl => "ascendcl error",
        }
    }
}

/// An error of a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimeError {
    /// The runtime.
    pub runtime: NumberedRuntime,
    /// What the call returns.
    pub number: u32,
    /// What the header calls it.
    pub name: &'static str,
}

impl fmt::Display for RuntimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.number, self.name)
    }
}

macro_rules! errors {
    ($($runtime:ident { $($number:literal $name:literal)* })*) => {
        /// Every error that some kind stands for.
        const ALL: &[RuntimeError] = &[$($(RuntimeError {
            runtime: NumberedRuntime::$runtime,
            number: $number,
            name: $name,
        },)*)*];
    };
}

errors! {
    Cuda {
        1 "cudaErrorInvalidValue"
        2 "cudaErrorMemoryAllocation"
        400 "cudaErrorInvalidResourceHandle"
        401 "cudaErrorIllegalState"
        600 "cudaErrorNotReady"
        719 "cudaErrorLaunchFailure"
        900 "cudaErrorStreamCaptureUnsupported"
        901 "cudaErrorStreamCaptureInvalidated"
        902 "cudaErrorStreamCaptureMerge"
        903 "cudaErrorStreamCaptureUnmatched"
        904 "cudaErrorStreamCaptureUnjoined"
        905 "cudaErrorStreamCaptureIsolation"
        906 "cudaErrorStreamCaptureImplicit"
        907 "cudaErrorCapturedEvent"
        908 "cudaErrorStreamCaptureWrongThread"
        910 "cudaErrorGraphExecUpdateFailure"
    }
    AscendCl {
        107_000 "ACL_ERROR_RT_PARAM_INVALID"
        107_003 "ACL_ERROR_RT_STREAM_CONTEXT"
        107_006 "ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID"
        107_011 "ACL_ERROR_RT_STREAM_SUBSCRIBE"
        107_015 "ACL_ERROR_RT_STREAM_NO_CB_REG"
        107_017 "ACL_ERROR_RT_INVALID_HANDLE"
        107_019 "ACL_ERROR_RT_WAIT_TIMEOUT"
        107_023 "ACL_ERROR_RT_STREAM_ABORT"
        107_025 "ACL_ERROR_RT_STREAM_UNJOINED"
        107_027 "ACL_ERROR_RT_STREAM_CAPTURED"
        107_028 "ACL_ERROR_RT_EVENT_CAPTURED"
        107_029 "ACL_ERROR_RT_STREAM_NOT_CAPTURED"
        107_030 "ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT"
        107_031 "ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT"
        107_036 "ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED"
        207_001 "ACL_ERROR_RT_MEMORY_ALLOCATION"
        507_006 "ACL_ERROR_RT_EVENT_NOT_COMPLETE"
        507_015 "ACL_ERROR_RT_AICORE_EXCEPTION"
        507_046 "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT"
        507_047 "ACL_ERROR_RT_EVENT_SYNC_TIMEOUT"
        507_903 "ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED"
    }
}

impl RuntimeError {
    /// The error with this number; no two runtimes share one.
    pub(crate) fn of(number: u32) -> Option<&'static Self> {
        ALL.iter().find(|it| it.number == number)
    }

    /// Every error that a branch may name by its number.
    pub(crate) const fn all() -> &'static [Self] {
        ALL
    }
}

/// Which errors of calls are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorMatch {
    /// Every one.
    Any,
    /// Those of these kinds, as they were named.
    Kinds(Vec<ErrorKind>, String),
    /// That there is none.
    Success,
}

impl ErrorMatch {
    /// The word for a call that did not fail.
    pub const SUCCESS: &'static str = "success";

    /// Whether a call that came to this is meant; nothing stands for success.
    pub fn takes(&self, came_to: Option<ErrorKind>) -> bool {
        match (self, came_to) {
            (Self::Any, Some(_)) | (Self::Success, None) => true,
            (Self::Kinds(kinds, _), Some(kind)) => kinds.contains(&kind),
            _ => false,
        }
    }
}

impl fmt::Display for ErrorMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any error"),
            Self::Success => f.write_str(Self::SUCCESS),
            Self::Kinds(_, name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_name_and_every_name_a_kind() {
        let all = ErrorKind::LABELS.iter().map(|it| it.1);
        for (name, kind) in ErrorKind::LABELS {
            assert_eq!(ErrorKind::named(name), [*kind]);
        }
        let used: Vec<u32> = all
            .flat_map(ErrorKind::runtime_errors)
            .map(|it| it.number)
            .collect();
        for error in ALL {
            assert!(used.contains(&error.number), "{error} stands for nothing");
            let same = ALL
                .iter()
                .filter(|it| it.number == error.number || it.name == error.name);
            assert_eq!(same.count(), 1, "{error} stands twice");
            assert_eq!(
                ErrorKind::named(error.name),
                ErrorKind::named(&error.number.to_string())
            );
        }
    }

    #[test]
    fn a_number_may_stand_for_several_kinds() {
        let invalid_handle = ErrorKind::named("400");
        assert!(invalid_handle.contains(&ErrorKind::TimingDisabled));
        assert!(invalid_handle.contains(&ErrorKind::Destroyed));
        assert_eq!(ErrorKind::named("107006"), [ErrorKind::TimingDisabled]);
        assert!(ErrorKind::named("4").is_empty());
    }
}

//! What a call does that a capture forbids: CUDA's names and numbers, and the rules they come from.

macro_rules! violations {
    ($($(#[$doc:meta])* $name:ident = $number:literal $cuda:literal $rule:literal,)*) => {
        /// What a call does that a capture forbids.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Violation {
            $($(#[$doc])* $name,)*
        }

        impl Violation {
            /// Every violation.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// CUDA's number for it.
            pub const fn number(self) -> u32 {
                match self { $(Self::$name => $number,)* }
            }

            /// CUDA's name for it, as its driver API has it.
            pub const fn cuda(self) -> &'static str {
                match self { $(Self::$name => $cuda,)* }
            }

            /// The rules that say so.
            pub const fn rules(self) -> &'static str {
                match self { $(Self::$name => $rule,)* }
            }
        }
    };
}

violations! {
    /// A flag that means nothing here, or memory that is not a graph's.
    InvalidValue = 1 "CUDA_ERROR_INVALID_VALUE" "A42, A44",
    /// A capture is begun where one is, or ended where none is.
    IllegalState = 401 "CUDA_ERROR_ILLEGAL_STATE" "A36",
    /// The call is not possible while a capture is under way.
    Unsupported = 900 "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" "A36, A38, A41",
    /// An earlier call made the capture void.
    Invalidated = 901 "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED" "A38",
    /// Two captures would become one.
    Merge = 902 "CUDA_ERROR_STREAM_CAPTURE_MERGE" "A40",
    /// The capture was begun on another stream.
    Unmatched = 903 "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED" "A36",
    /// A stream that joined was not joined back.
    Unjoined = 904 "CUDA_ERROR_STREAM_CAPTURE_UNJOINED" "A37",
    /// A dependency would cross the border of the capture.
    Isolation = 905 "CUDA_ERROR_STREAM_CAPTURE_ISOLATION" "A40",
    /// The legacy stream would wait for a stream that captures.
    Implicit = 906 "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT" "A38, A39",
    /// The event was last recorded in a capture, so that no work reaches it.
    CapturedEvent = 907 "CUDA_ERROR_CAPTURED_EVENT" "A38",
    /// The capture was begun by another thread.
    WrongThread = 908 "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD" "A36",
    /// A graph that is ready cannot take these nodes.
    Update = 910 "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE" "cuGraphExecUpdate",
}

/// A call that a capture forbids: what it does, and why, and what to do instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text} ({}, {})", violation.cuda(), violation.number())]
pub struct CaptureError {
    /// What it does.
    pub violation: Violation,
    /// What happened, why, and what to do next.
    pub text: String,
}

impl CaptureError {
    /// An error of this sort.
    pub fn new(violation: Violation, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { violation, text }
    }
}

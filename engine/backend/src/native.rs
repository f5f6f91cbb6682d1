//! What the implementation below a backend does when it is asked straight, beside what the specification says.

use record::BufferIndex;
use std::fmt;
use std::time::Duration;

use super::compile::CompileRequest;

/// A call to the implementation below a backend, made on the calling thread. What it comes to is asked of the
/// [`PendingAnswer`] that it gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NativeQuery {
    /// `mapAsync` of the staging copy of a buffer, behind what the queue was given so far.
    Map {
        /// The buffer.
        buffer: BufferIndex,
        /// Whether to read or to write.
        mode: NativeMapMode,
        /// Where it begins, in bytes.
        offset: u64,
        /// How much, in bytes.
        size: u64,
    },
    /// `unmap` of the staging copy of a buffer, where one is mapped or about to be.
    Unmap(BufferIndex),
    /// `onSubmittedWorkDone`.
    WorkDone,
    /// What a scope that is pushed now and popped at once caught.
    Scope {
        /// What the scope catches.
        filter: NativeErrorFilter,
    },
    /// `getCompilationInfo` of a module of this text that is made now.
    Messages(CompileRequest),
    /// The creation of a pipeline on a device that is lost.
    Create(CompileRequest),
    /// `device.lost`.
    Lost,
}

/// What a mapped buffer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NativeMapMode {
    /// `GPUMapMode.READ`.
    Read,
    /// `GPUMapMode.WRITE`.
    Write,
}

/// The kinds of errors that scopes catch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NativeErrorFilter {
    /// A call that breaks a rule.
    Validation,
    /// No memory left.
    OutOfMemory,
    /// The implementation failed at something that is right.
    Internal,
}

impl NativeErrorFilter {
    /// The name of an error of this kind.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Validation => "GPUValidationError",
            Self::OutOfMemory => "GPUOutOfMemoryError",
            Self::Internal => "GPUInternalError",
        }
    }
}

/// What the implementation answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NativeAnswer {
    /// Whether it answered with success. One that has not answered yet has not.
    pub is_ok: bool,
    /// Whether it has not answered yet.
    pub is_pending: bool,
    /// With what, in the words of the specification, where it gives anything.
    pub value: Option<String>,
    /// The error that the call raised besides.
    pub raised: Option<NativeErrorFilter>,
    /// The answer in its own words, such as `map_async: Ok(())`.
    pub text: String,
}

/// The answer to a call that was made: asked for when somebody wants to know how far it has come.
pub struct PendingAnswer(Box<AnswerPoll>);

/// Looks for an answer for so long.
type AnswerPoll = dyn FnMut(Duration) -> Option<NativeAnswer> + Send;

impl PendingAnswer {
    /// One that `look` looks for.
    pub fn new(look: impl FnMut(Duration) -> Option<NativeAnswer> + Send + 'static) -> Self {
        Self(Box::new(look))
    }

    /// One that is there.
    pub fn ready(raw: NativeAnswer) -> Self {
        Self::new(move |_| Some(raw.clone()))
    }

    /// What the call has come to, once it has come to something or `patience` is over; none where nobody can say.
    pub fn wait(&mut self, patience: Duration) -> Option<NativeAnswer> {
        (self.0)(patience)
    }
}

impl fmt::Debug for PendingAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answer")
    }
}

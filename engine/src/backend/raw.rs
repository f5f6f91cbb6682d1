//! What the implementation below a backend answers when it is asked straight, beside what the specification says.

use crate::workload::BufferIndex;

/// A question to the implementation below a backend. It is asked on the calling thread, which blocks for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// What `mapAsync` of the staging copy of a buffer comes to. It is unmapped again.
    Map {
        /// The buffer.
        buffer: BufferIndex,
        /// Whether to read or to write.
        mode: MapMode,
        /// Where it begins, in bytes.
        offset: u64,
        /// How much, in bytes.
        size: u64,
    },
    /// When `onSubmittedWorkDone` resolves.
    WorkDone,
    /// What a scope that is pushed now and popped at once caught, where this error is made between the two.
    Scope {
        /// What the scope catches.
        filter: ErrorFilter,
        /// What is made.
        made: Option<ErrorFilter>,
    },
}

/// What a mapped buffer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapMode {
    /// `GPUMapMode.READ`.
    Read,
    /// `GPUMapMode.WRITE`.
    Write,
}

/// The kinds of errors that scopes catch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorFilter {
    /// A call that breaks a rule.
    Validation,
    /// No memory left.
    OutOfMemory,
    /// The implementation failed at something that is right.
    Internal,
}

/// What the implementation answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw {
    /// Whether it answered with success.
    pub is_ok: bool,
    /// The answer in its own words, such as `Ok(())`.
    pub text: String,
}

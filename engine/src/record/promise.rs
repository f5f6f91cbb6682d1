//! Promises of asynchronous APIs: who made them, and what they came to.

use serde::{Deserialize, Serialize};

use super::{DeviceId, PromiseId, SpanId, Verdict};
use crate::time::Nanos;

/// An asynchronous API was called, and promised an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promise {
    /// Its place in the table of promises.
    pub id: PromiseId,
    /// The API, such as `mapAsync`.
    pub api: String,
    /// What the workload calls it.
    pub name: String,
    /// The device that answers.
    pub device: DeviceId,
    /// The generation of the device, counted from 1.
    pub generation: u32,
    /// The host call that made it.
    pub call: SpanId,
}

/// What a promise came to: each settles exactly once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settlement {
    /// The promise.
    pub promise: PromiseId,
    /// When it settled on the timeline that called.
    pub time: Nanos,
    /// The step that settled it, or [`SpanId::NONE`].
    pub span: SpanId,
    /// Whether it was resolved or rejected.
    pub verdict: Verdict,
    /// With what: `pipeline`, `null`, `empty`, `AbortError`, …
    pub value: String,
    /// Why, in a sentence.
    pub reason: String,
    /// Where the specification says so; may be empty.
    pub anchor: String,
    /// What this implementation did where it differs from the specification; empty where it does not.
    pub actual: String,
}

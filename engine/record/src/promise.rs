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
pub struct PromiseOutcome {
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
    /// What the implementation below did for the same call, in this run.
    #[serde(default)]
    pub observed: ObservedOutcome,
    /// Whether the call that destroyed the device ended it, a moment before the device itself was lost.
    #[serde(default)]
    pub by_destroy: bool,
}

/// What the implementation below did of itself for the same call: seen in this run, and never known from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ObservedOutcome {
    /// There is none below that has such calls.
    #[default]
    Nothing,
    /// It was not asked, or could not be.
    Not,
    /// This, in its own words: what the specification says.
    Same(String),
    /// This, in its own words: other than the specification says.
    Other(String),
}

impl ObservedOutcome {
    /// The words for it on screen; none where there is nothing below.
    pub const fn text(&self) -> &str {
        match self {
            Self::Nothing => "",
            Self::Not => "not observed",
            Self::Same(text) | Self::Other(text) => text.as_str(),
        }
    }

    /// Whether it did as the specification says, where that was seen.
    pub const fn agrees(&self) -> Option<bool> {
        match self {
            Self::Nothing | Self::Not => None,
            Self::Same(_) => Some(true),
            Self::Other(_) => Some(false),
        }
    }
}

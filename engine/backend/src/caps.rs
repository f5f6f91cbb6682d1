//! What a device can and cannot do.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::DeviceLimits;
use record::{CompileTime, LossKind, PaceLaw};

/// What a device can and cannot do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent answers, each true or false"
)]
pub struct Caps {
    /// Whether operations of different streams can run at the same time.
    pub overlap: bool,
    /// Whether all streams share one queue, which then has a lane of its own ([`super::DeviceLayout::queue`]).
    pub queue: bool,
    /// Whether priorities of streams have an effect.
    pub priorities: bool,
    /// Whether every run gives the same records, times included.
    pub deterministic: bool,
    /// Whether it is a processor that acts as a graphics device.
    pub software: bool,
    /// Operations that can truly run at the same time.
    pub width: usize,
    /// Where its times come from.
    pub clock: Cow<'static, str>,
    /// When its pipelines are really compiled.
    pub pipelines: CompileTime,
    /// The kinds of loss that its implementation really has; the others are acted out by Syncline.
    pub losses: Cow<'static, [LossKind]>,
    /// What it has an end of.
    pub limits: DeviceLimits,
    /// Whether the implementation has graphs of its own; where not, Syncline runs the nodes of a replay itself, those of
    /// different branches at the same time where operations of different streams can.
    pub graphs: bool,
    /// The law by which it takes its time, where it is paced.
    #[serde(default)]
    pub paced: Option<PaceLaw>,
    /// All this in words, for the screen.
    pub detail: String,
}

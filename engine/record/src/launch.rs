//! Launches: kernel calls that are recorded once and launched many times, and graphs of calls that are replayed.

use serde::{Deserialize, Serialize};

use super::{DeviceId, LaneId, LaunchChange, LaunchId, LaunchKind, SpanId};
use crate::time::Nanos;

/// Something that is made once and launched many times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Its place in the table of launches.
    pub id: LaunchId,
    /// Its name on screen.
    pub name: String,
    /// A kernel call, or a graph of calls.
    pub kind: LaunchKind,
    /// The device it is for.
    pub device: DeviceId,
}

/// A launch was recorded or changed. It holds all that a launch from now on runs with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchStep {
    /// The launch.
    pub launch: LaunchId,
    /// How often it was changed so far; what is recorded first is revision 1.
    pub revision: u32,
    /// What was done.
    pub change: LaunchChange,
    /// When.
    pub time: Nanos,
    /// The call that did it, or [`SpanId::NONE`].
    pub span: SpanId,
    /// The kernel; empty for a graph.
    pub kernel: String,
    /// How many elements it treats; none for as many as its buffers have.
    pub elements: Option<u64>,
    /// Each argument's name and value: a number, or the buffer's name.
    pub arguments: Vec<(String, String)>,
    /// The nodes of a graph; none for a kernel.
    pub nodes: Vec<LaunchNode>,
    /// What is to be said about it; may be empty.
    pub detail: String,
}

/// A call that was captured into a graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchNode {
    /// What it is called, such as `saxpy`.
    pub name: String,
    /// The lane of the stream that it was captured on.
    pub lane: LaneId,
    /// The host call that was captured.
    pub span: SpanId,
    /// The positions of the nodes that it comes right after.
    pub before: Vec<u32>,
}

/// A launch was launched once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LaunchInstance {
    /// The operation that it came to.
    pub operation: SpanId,
    /// The call.
    pub call: SpanId,
    /// The launch.
    pub launch: LaunchId,
    /// The revision that it ran with.
    pub revision: u32,
}

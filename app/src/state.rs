//! Where the user is: what is visible, chosen and pointed at. Only `apply` changes it.

use std::collections::BTreeSet;

use engine::record::{DependencyId, Group, LaneId, SpanId};
use engine::time::{Interval, Nanos};
use serde::{Deserialize, Serialize};

/// What is visible of the timeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// The visible interval; `None` shows everything and keeps up with new data.
    pub interval: Option<Interval>,
    /// How far the lanes are scrolled down, in points.
    pub scroll: f32,
    /// Groups of lanes that show as one row.
    pub collapsed: BTreeSet<GroupKey>,
    /// Lanes that were moved, in their order on screen; the others follow in the capture's order.
    pub order: Vec<LaneId>,
}

/// A foldable group of lanes: one of the four, and the device it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GroupKey {
    /// Which of the four.
    pub group: Group,
    /// The device's number; `u32::MAX` for groups of no device.
    pub device: u32,
}

/// What was chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// A span.
    pub span: Option<SpanId>,
    /// A dependency.
    pub dependency: Option<DependencyId>,
    /// A range of time.
    pub range: Option<Interval>,
}

/// What is pointed at: written in this frame, read in the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hover {
    /// A span.
    pub span: Option<SpanId>,
    /// A dependency.
    pub dependency: Option<DependencyId>,
    /// The instant under the pointer.
    pub time: Option<Nanos>,
}

//! Ranges of the host as they are drawn beneath the streams of a device: what each launched there, from the first to the last.

use std::sync::Arc;

use engine::analysis::{HostLevel, RangeProjection};
use engine::record::{DeviceId, SpanId};

use super::{DrawnBars, GroupKey};

/// The ranges of one level, projected onto the streams of one device.
#[derive(Clone, Debug)]
pub struct ProjectedLane {
    /// The device; [`DeviceId::NONE`] for streams without one.
    pub device: DeviceId,
    /// The sort of the ranges.
    pub level: HostLevel,
    /// What stands beside it.
    pub name: String,
    /// A bar for each range, and one more for what goes on with it on another thread or later.
    pub bars: DrawnBars,
    /// How many bars would lie deeper than is drawn.
    pub left_out: usize,
    /// The ranges, by span.
    pub ranges: Vec<RangeProjection>,
}

impl ProjectedLane {
    /// The group beneath whose lanes it stands.
    pub const fn group(&self) -> GroupKey {
        GroupKey::of_streams(self.device)
    }

    /// What a range launched there.
    pub fn range(&self, span: SpanId) -> Option<&RangeProjection> {
        let place = self.ranges.binary_search_by_key(&span, |it| it.span).ok()?;
        self.ranges.get(place)
    }
}

/// Every lane of projected ranges, as they stand beneath each device.
#[derive(Clone, Debug, Default)]
pub struct ProjectedLanes {
    lanes: Arc<Vec<ProjectedLane>>,
}

impl PartialEq for ProjectedLanes {
    /// Whether they are the same lanes: none is changed once it is there.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.lanes, &other.lanes) || (self.is_empty() && other.is_empty())
    }
}

impl From<Vec<ProjectedLane>> for ProjectedLanes {
    fn from(lanes: Vec<ProjectedLane>) -> Self {
        Self {
            lanes: Arc::new(lanes),
        }
    }
}

impl ProjectedLanes {
    /// The lanes.
    pub fn all(&self) -> &[ProjectedLane] {
        &self.lanes
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    /// What a range launched on each device that it launched something on.
    pub fn of_range(
        &self,
        span: SpanId,
    ) -> impl Iterator<Item = (&ProjectedLane, &RangeProjection)> {
        let lanes = self.lanes.iter();
        lanes.filter_map(move |lane| Some((lane, lane.range(span)?)))
    }
}

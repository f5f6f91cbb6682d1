//! What each lane of a capture did, in the order on screen.

use std::collections::BTreeMap;

use engine::analysis::{LaneUse, Statistics};
use engine::capture::Capture;
use engine::record::{Lane, LaneId};
use engine::time::Nanos;

/// All lanes of a capture, with what those did that have spans. There may be millions, so what is printed of each is made
/// where it is printed.
pub(super) struct LaneUses<'a> {
    pub capture: &'a Capture,
    order: Vec<LaneId>,
    /// Those with spans are in the same order.
    pub found: Statistics,
    /// How long the operations of each stream were queued, all together.
    pub queued: BTreeMap<LaneId, Nanos>,
}

impl<'a> LaneUses<'a> {
    /// The lanes of a capture that these figures are of.
    pub fn new(capture: &'a Capture, found: Statistics, queued: BTreeMap<LaneId, Nanos>) -> Self {
        Self {
            capture,
            order: capture.lane_order(),
            found,
            queued,
        }
    }

    /// Each lane, and what it did where it has spans.
    pub fn iter(&self) -> impl Iterator<Item = (&'a Lane, Option<&LaneUse>)> {
        let mut used = self.found.lanes.iter().peekable();
        self.order.iter().filter_map(move |&id| {
            let own = used.next_if(|it| it.lane == id);
            Some((self.capture.lane(id)?, own))
        })
    }

    /// How many lanes there are.
    pub fn count(&self) -> usize {
        self.order.len()
    }
}

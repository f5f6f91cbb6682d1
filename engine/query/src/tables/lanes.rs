//! Lanes and devices, and what every other table says of the lane that a row is on.

use super::draft::{TableDraft, int};
use crate::column::{CellValue, TextDraft, TextWords};
use crate::guard::StopReason;
use crate::rows::TableRows;
use crate::schema::TableId;
use crate::source::QuerySource;
use capture::Capture;
use record::{Group, LaneId, Role};

/// What the columns `lane` and `rank` say, by lane.
pub(crate) struct LaneFacts {
    /// The code of each lane's name.
    pub codes: Vec<u32>,
    /// The names.
    pub words: TextWords,
    ranks: Vec<u32>,
    streams: Vec<bool>,
}

impl LaneFacts {
    /// Of every lane.
    pub fn new(capture: &Capture) -> Self {
        let mut words = TextDraft::default();
        let lanes = capture.lanes();
        let told = |lane: LaneId| capture.lane_origin(lane).and_then(|it| it.rank);
        // What bears no rank in a capture of one rank is that rank's too.
        let mut ranks = lanes.iter().filter_map(|it| told(it.id));
        let first = ranks.next();
        let only = first.filter(|first| ranks.all(|it| it == *first));
        Self {
            codes: lanes.iter().map(|it| words.code(&it.name)).collect(),
            ranks: lanes
                .iter()
                .map(|it| told(it.id).or(only).unwrap_or(0))
                .collect(),
            // The queue that streams share shows what they have shown already.
            streams: lanes
                .iter()
                .map(|it| it.group == Group::Streams && it.role != Role::Queue)
                .collect(),
            words: words.into_words(),
        }
    }

    /// The rank of a lane.
    pub fn rank(&self, lane: LaneId) -> u32 {
        self.ranks.get(lane.index()).copied().unwrap_or(0)
    }

    /// The rank of what is on no lane.
    pub fn rank_of_all(&self) -> u32 {
        let first = self.ranks.first().copied().unwrap_or(0);
        if self.ranks.iter().all(|it| *it == first) {
            first
        } else {
            0
        }
    }

    /// Every rank, in order.
    pub fn ranks(&self) -> Vec<u32> {
        let mut ranks = self.ranks.clone();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    /// Whether a lane is a stream's.
    pub fn is_stream(&self, lane: LaneId) -> bool {
        self.streams.get(lane.index()).copied().unwrap_or(false)
    }
}

/// The name of a lane, as a value.
pub(super) fn lane_name(capture: &Capture, lane: LaneId) -> CellValue<'_> {
    let lane = capture.lane(lane);
    lane.map_or(CellValue::Null, |it| CellValue::Text(&it.name))
}

/// An id, as a value.
pub(super) fn id<'a>(number: u32) -> CellValue<'a> {
    CellValue::Integer(i64::from(number))
}

/// The lanes.
pub(super) fn make_lanes(source: &QuerySource) -> Result<TableRows, StopReason> {
    let facts = source.lanes()?;
    let mut draft = TableDraft::of(source, TableId::LANES, None);
    for lane in source.capture.lanes() {
        let values = [
            id(lane.id.0),
            CellValue::Text(lane.group.label()),
            CellValue::Text(lane.role.label()),
            CellValue::Text(&lane.name),
            int(lane.device.map(|it| i64::from(it.0))),
        ];
        draft.row(facts.rank(lane.id), &values)?;
    }
    Ok(draft.finish())
}

/// The devices.
pub(super) fn make_devices(source: &QuerySource) -> Result<TableRows, StopReason> {
    let facts = source.lanes()?;
    let mut draft = TableDraft::of(source, TableId::DEVICES, None);
    for device in source.capture.devices() {
        let lanes = source.capture.lanes().iter();
        let mut own = lanes.filter(|it| it.device == Some(device.id));
        let rank = own.next().map(|it| facts.rank(it.id));
        let placed = device.rank.as_ref().map(|it| it.rank);
        let values = [
            id(device.id.0),
            CellValue::Text(&device.name),
            CellValue::Text(&device.backend),
            CellValue::Text(&device.detail),
        ];
        let rank = placed.or(rank).unwrap_or_else(|| facts.rank_of_all());
        draft.row(rank, &values)?;
    }
    Ok(draft.finish())
}

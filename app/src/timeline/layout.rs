//! Which rows there are and how far down each lies: groups, their lanes, sub-lanes and counters.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use engine::record::{CounterId, Group, LaneId};

use crate::state::GroupKey;

/// How tall the sub-lanes of a lane are together, in points: where there are very many, each is thinner, and a point at
/// least. Far more would be beyond what can be scrolled through, and in the end beyond what a number can tell apart.
const TALLEST: f32 = 20_000.0;

/// The heights of things, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metrics {
    /// The row of a group's name.
    pub header: f32,
    /// A span's bar, which is one sub-lane.
    pub bar: f32,
    /// Between two sub-lanes.
    pub gap: f32,
    /// Above the first sub-lane and below the last one.
    pub pad: f32,
    /// A counter's plot.
    pub plot: f32,
}

impl Metrics {
    /// As usual, or as small as can be read.
    pub const fn new(dense: bool) -> Self {
        if dense {
            Self {
                header: 18.0,
                bar: 12.0,
                gap: 1.0,
                pad: 1.0,
                plot: 24.0,
            }
        } else {
            Self {
                header: 24.0,
                bar: 20.0,
                gap: 2.0,
                pad: 4.0,
                plot: 40.0,
            }
        }
    }
}

/// What a row can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutEntry {
    /// A lane and its number of sub-lanes.
    Lane(LaneId, usize),
    /// A lane that shows again what other lanes show, half as high, and its number of sub-lanes.
    Thin(LaneId, usize),
    /// How the thread of a lane was scheduled, beneath the lane.
    States(LaneId),
    /// A counter.
    Counter(CounterId),
    /// Projected ranges of the host: their place among all such lanes, and its number of sub-lanes.
    Projected(usize, usize),
    /// What is drawn of an answer: its place among all of that, and its number of sub-lanes; none where it is values.
    Answer(usize, usize),
}

impl LayoutEntry {
    /// The lane it shows.
    pub const fn lane(self) -> Option<LaneId> {
        match self {
            Self::Lane(lane, _) | Self::Thin(lane, _) => Some(lane),
            Self::States(_) | Self::Counter(_) | Self::Projected(..) | Self::Answer(..) => None,
        }
    }

    /// The lane that it moves with: the one it shows, or stands beneath.
    const fn beside(self) -> Option<LaneId> {
        match self {
            Self::States(lane) => Some(lane),
            other => other.lane(),
        }
    }

    /// How many sub-lanes it has; none where it is no lane.
    pub const fn depths(self) -> usize {
        match self {
            Self::Lane(_, depths)
            | Self::Thin(_, depths)
            | Self::Projected(_, depths)
            | Self::Answer(_, depths) => depths,
            Self::States(_) | Self::Counter(_) => 0,
        }
    }
}

/// A row of the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutRow {
    /// How far its upper edge lies below the first row's, in points.
    pub y: f32,
    /// In points.
    pub height: f32,
    /// The group it belongs to.
    pub key: GroupKey,
    /// What it shows.
    pub content: RowContent,
}

/// What a row shows.
#[derive(Clone, Debug, PartialEq)]
pub enum RowContent {
    /// The name of a group. When it is collapsed, how busy its members are.
    Group {
        /// Whether its members have no rows of their own.
        collapsed: bool,
        /// Its members, as positions in [`TimelineLayout::entries`].
        members: Range<usize>,
    },
    /// A member.
    Entry(LayoutEntry),
}

/// Every row, from top to bottom.
#[derive(Clone, Debug)]
pub struct TimelineLayout {
    /// The rows.
    pub rows: Vec<LayoutRow>,
    /// The members of all groups, collapsed or not, group by group.
    pub entries: Vec<LayoutEntry>,
    /// The heights it was made with.
    pub metrics: Metrics,
    /// How high the rows are together that stay at the top.
    pub pinned: f32,
    lanes: BTreeMap<LaneId, usize>,
}

impl TimelineLayout {
    /// Lays out `members`, which come in the capture's order with equal groups beside each other.
    /// Lanes of `order` come first in their group, in that order.
    pub fn new(
        members: impl IntoIterator<Item = (GroupKey, LayoutEntry)>,
        collapsed: &BTreeSet<GroupKey>,
        order: &[LaneId],
        metrics: Metrics,
    ) -> Self {
        let moved: BTreeMap<LaneId, usize> = order
            .iter()
            .enumerate()
            .map(|(place, &lane)| (lane, place))
            .collect();
        let mut members: Vec<(GroupKey, LayoutEntry)> = members.into_iter().collect();
        let sorted = members.chunk_by_mut(|a, b| a.0 == b.0);
        // Pinned lanes stand as they were pinned.
        for group in sorted.filter(|group| group.first().is_some_and(|it| it.0 != GroupKey::PINNED))
        {
            group.sort_by_key(|(_, entry)| {
                let place = entry.beside().and_then(|lane| moved.get(&lane));
                place.copied().unwrap_or(usize::MAX)
            });
        }
        let mut layout = Self {
            rows: Vec::with_capacity(members.len() + 8),
            entries: members.iter().map(|&(_, entry)| entry).collect(),
            metrics,
            pinned: 0.0,
            lanes: BTreeMap::new(),
        };
        let mut first = 0;
        for group in members.chunk_by(|a, b| a.0 == b.0) {
            let Some(&(key, _)) = group.first() else {
                continue;
            };
            let range = first..first + group.len();
            first = range.end;
            layout.push_group(key, group, range, collapsed.contains(&key));
            if key == GroupKey::PINNED {
                layout.pinned = layout.height();
            }
        }
        layout
    }

    /// The rows that stay at the top.
    pub fn pinned_rows(&self) -> Range<usize> {
        0..self.rows.partition_point(|row| row.y < self.pinned)
    }

    fn push_group(
        &mut self,
        key: GroupKey,
        group: &[(GroupKey, LayoutEntry)],
        members: Range<usize>,
        collapsed: bool,
    ) {
        let header = self.rows.len();
        let content = RowContent::Group { collapsed, members };
        self.push(key, self.metrics.header, content);
        for &(_, entry) in group {
            let row = if collapsed { header } else { self.rows.len() };
            if let Some(lane) = entry.lane() {
                self.lanes.insert(lane, row);
            }
            if !collapsed {
                self.push(key, self.metrics.height(entry), RowContent::Entry(entry));
            }
        }
    }

    fn push(&mut self, key: GroupKey, height: f32, content: RowContent) {
        let y = self.height();
        self.rows.push(LayoutRow {
            y,
            height,
            key,
            content,
        });
    }

    /// The height of all rows together, in points.
    pub fn height(&self) -> f32 {
        self.rows.last().map_or(0.0, |row| row.y + row.height)
    }

    /// The rows that show between `top` and `bottom`, in points from the first row's upper edge.
    pub fn visible(&self, top: f32, bottom: f32) -> Range<usize> {
        let first = self.rows.partition_point(|row| row.y + row.height <= top);
        let last = self.rows.partition_point(|row| row.y < bottom);
        first..last.max(first)
    }

    /// The row at `y`, in points from the first row's upper edge.
    pub fn row_at(&self, y: f32) -> Option<usize> {
        self.visible(y, y + f32::EPSILON)
            .next()
            .filter(|&row| self.rows.get(row).is_some_and(|row| row.y <= y))
    }

    /// The row of `lane`; that of its group's name where the group is collapsed.
    pub fn row_of(&self, lane: LaneId) -> Option<(usize, &LayoutRow)> {
        let &place = self.lanes.get(&lane)?;
        Some((place, self.rows.get(place)?))
    }

    /// How far to scroll so that the first streams are in sight in a body that is `height` points high: they are what
    /// a capture is looked at for, and the threads above them may fill more than a screen.
    pub fn home(&self, height: f32) -> f32 {
        let is_header = |row: &&LayoutRow| row.key.group == Group::Streams;
        let Some(header) = self.rows.iter().find(is_header) else {
            return 0.0;
        };
        let few = header.height * 4.0;
        if header.y + few <= height {
            return 0.0;
        }
        let most = (self.height() - height).max(0.0);
        let wanted = (header.y - height * 0.4).round().max(0.0);
        if wanted >= most {
            return most;
        }
        let [before, after] = self.edges(wanted);
        let is_nearer = after - wanted <= wanted - before && after <= most;
        if is_nearer { after } else { before }
    }

    /// Where the row or sub-lane begins that a place lies in, and where the next does: nothing is cut there.
    fn edges(&self, y: f32) -> [f32; 2] {
        let place = self.rows.partition_point(|row| row.y <= y);
        let Some(row) = place.checked_sub(1).and_then(|it| self.rows.get(it)) else {
            return [0.0; 2];
        };
        let end = row.y + row.height;
        let RowContent::Entry(entry) = row.content else {
            return [row.y, end];
        };
        let (bar, gap) = self.metrics.sub_lane(entry);
        let (first, each) = (row.y + self.metrics.pad, bar + gap);
        let last = entry.depths().saturating_sub(1) as f32;
        let depth = ((y + gap - first) / each).floor().clamp(0.0, last);
        let edge = first + depth * each - gap;
        [
            if depth < 1.0 { row.y } else { edge },
            if depth < last { edge + each } else { end },
        ]
    }

    /// Where the bars of sub-lane `depth` of `row` lie: the distance of their upper edge from the
    /// first row's, and their height, in points. A collapsed group has one thin bar.
    pub fn bar(&self, row: &LayoutRow, depth: usize) -> (f32, f32) {
        let pad = self.metrics.pad;
        match row.content {
            RowContent::Group { .. } => {
                let height = (row.height / 3.0).round();
                (row.y + ((row.height - height) / 2.0).round(), height)
            }
            RowContent::Entry(entry) => {
                let (bar, gap) = self.metrics.sub_lane(entry);
                (row.y + pad + depth as f32 * (bar + gap), bar)
            }
        }
    }

    /// The sub-lanes of `row` that show between `top` and `bottom`, in points as in [`Self::visible`].
    pub fn depths(&self, row: &LayoutRow, top: f32, bottom: f32) -> Range<usize> {
        let RowContent::Entry(entry) = row.content else {
            return 0..0;
        };
        let count = entry.depths();
        let pad = self.metrics.pad;
        let (bar, gap) = self.metrics.sub_lane(entry);
        let place = |y: f32| ((y - row.y - pad) / (bar + gap)).floor().max(0.0) as usize;
        place(top).min(count)..(place(bottom) + 1).min(count)
    }

    /// The lane before which a lane of `key` comes that is dropped at `y`; none at the group's end.
    pub fn lane_below(&self, key: GroupKey, y: f32) -> Option<LaneId> {
        let rows = self.rows.iter().filter(|row| row.key == key);
        rows.filter(|row| row.y + row.height / 2.0 > y)
            .find_map(|row| match row.content {
                RowContent::Entry(entry) => entry.lane(),
                RowContent::Group { .. } => None,
            })
    }

    /// The edge between rows where a lane of `key` comes to lie that is dropped at `y`, in points.
    pub fn gap_at(&self, key: GroupKey, y: f32) -> f32 {
        let below = self.lane_below(key, y).and_then(|lane| self.row_of(lane));
        let last = || self.rows.iter().rfind(|row| row.key == key);
        below
            .map(|(_, row)| row.y)
            .or_else(|| last().map(|row| row.y + row.height))
            .unwrap_or(0.0)
    }
}

impl Metrics {
    /// The height of the row of `entry`, in points.
    pub fn height(&self, entry: LayoutEntry) -> f32 {
        match entry {
            LayoutEntry::Counter(_) | LayoutEntry::Answer(_, 0) => 2.0 * self.pad + self.plot,
            LayoutEntry::States(_) => (self.bar * 0.4).round(),
            LayoutEntry::Lane(_, depths)
            | LayoutEntry::Thin(_, depths)
            | LayoutEntry::Projected(_, depths)
            | LayoutEntry::Answer(_, depths) => {
                let depths = depths.max(1) as f32;
                let (bar, gap) = self.sub_lane(entry);
                2.0 * self.pad + depths * bar + (depths - 1.0) * gap
            }
        }
    }

    /// The height of a span's bar on the row of `entry`, and of the gap below it, in points.
    pub fn sub_lane(&self, entry: LayoutEntry) -> (f32, f32) {
        let bar = match entry {
            LayoutEntry::Thin(..) => (self.bar / 2.0).round(),
            _ => self.bar,
        };
        let count = entry.depths().max(1) as f32;
        if count * (bar + self.gap) <= TALLEST {
            return (bar, self.gap);
        }
        let both = (TALLEST / count).floor().max(1.0);
        let gap = if both < 3.0 { 0.0 } else { 1.0 };
        (both - gap, gap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: GroupKey = GroupKey {
        group: Group::Host,
        device: u32::MAX,
    };
    const STREAMS: GroupKey = GroupKey {
        group: Group::Streams,
        device: 0,
    };

    fn layout(collapsed: &[GroupKey], order: &[u32]) -> TimelineLayout {
        let members = [
            (HOST, LayoutEntry::Lane(LaneId(0), 1)),
            (STREAMS, LayoutEntry::Lane(LaneId(1), 3)),
            (STREAMS, LayoutEntry::Lane(LaneId(2), 1)),
            (STREAMS, LayoutEntry::Lane(LaneId(3), 1)),
        ];
        let order: Vec<LaneId> = order.iter().map(|&id| LaneId(id)).collect();
        let collapsed = collapsed.iter().copied().collect();
        TimelineLayout::new(members, &collapsed, &order, Metrics::new(false))
    }

    #[test]
    fn rows_follow_each_other_without_a_hole() {
        let layout = layout(&[], &[]);
        assert_eq!(layout.rows.len(), 6);
        for pair in layout.rows.windows(2) {
            assert_eq!(pair[0].y + pair[0].height, pair[1].y);
        }
        let heights: Vec<f32> = layout.rows.iter().map(|row| row.height).collect();
        assert_eq!(heights, [24.0, 28.0, 24.0, 72.0, 28.0, 28.0]);
    }

    #[test]
    fn the_first_streams_are_in_sight_and_nothing_above_them_is_cut() {
        let members = [
            (HOST, LayoutEntry::Lane(LaneId(0), 30)),
            (STREAMS, LayoutEntry::Lane(LaneId(1), 40)),
        ];
        let layout = TimelineLayout::new(members, &BTreeSet::new(), &[], Metrics::new(false));
        let (host, header) = (&layout.rows[1], &layout.rows[2]);
        for height in 100..400 {
            let height = height as f32;
            let home = layout.home(height);
            assert!(home < header.y && header.y + header.height < home + height);
            let uppers = (0..30).map(|depth| layout.bar(host, depth).0);
            let cut = uppers.filter(|upper| *upper < home && home < *upper + 20.0);
            assert_eq!(cut.count(), 0, "{home} of {height}");
        }
    }

    #[test]
    fn a_collapsed_group_is_one_row_that_its_lanes_point_to() {
        let layout = layout(&[STREAMS], &[]);
        assert_eq!(layout.rows.len(), 3);
        assert_eq!(layout.row_of(LaneId(3)).unwrap().0, 2);
        assert_eq!(layout.row_of(LaneId(0)).unwrap().0, 1);
        assert_eq!(layout.row_of(LaneId(9)), None);
    }

    #[test]
    fn moved_lanes_come_first() {
        let layout = layout(&[], &[3, 1]);
        let rows = [3, 1, 2].map(|id| layout.row_of(LaneId(id)).unwrap().0);
        assert_eq!(rows, [3, 4, 5]);
    }

    #[test]
    fn what_is_visible_is_found_by_position() {
        let layout = layout(&[], &[]);
        assert_eq!(layout.visible(0.0, 1000.0), 0..6);
        assert_eq!(layout.visible(24.0, 52.0), 1..2);
        assert_eq!(layout.visible(51.0, 53.0), 1..3);
        assert_eq!(layout.visible(5000.0, 6000.0), 6..6);
        assert_eq!(layout.row_at(77.0), Some(3));
        assert_eq!(layout.row_at(-1.0), None);
        assert_eq!(layout.row_at(5000.0), None);
        let row = &layout.rows[3];
        assert_eq!(layout.depths(row, 0.0, 1000.0), 0..3);
        assert_eq!(layout.depths(row, row.y + 30.0, row.y + 40.0), 1..2);
        assert_eq!(layout.bar(row, 2), (row.y + 48.0, 20.0));
    }

    #[test]
    fn the_first_streams_are_in_sight_whatever_is_above_them() {
        let layout = layout(&[], &[]);
        assert_eq!(layout.home(1000.0), 0.0);
        let home = layout.home(100.0);
        let header = layout.rows[2].y;
        assert!(home > 0.0 && header - home < 50.0 && header >= home);
        let short = TimelineLayout::new([], &BTreeSet::new(), &[], Metrics::new(false));
        assert_eq!(short.home(100.0), 0.0);
    }

    #[test]
    fn a_dropped_lane_finds_its_neighbour() {
        let layout = layout(&[], &[]);
        assert_eq!(layout.lane_below(STREAMS, 0.0), Some(LaneId(1)));
        assert_eq!(layout.lane_below(STREAMS, 150.0), Some(LaneId(2)));
        assert_eq!(layout.lane_below(STREAMS, 900.0), None);
        assert_eq!(layout.lane_below(HOST, 900.0), None);
        assert_eq!(layout.gap_at(STREAMS, 0.0), layout.rows[3].y);
        assert_eq!(layout.gap_at(STREAMS, 900.0), layout.height());
    }

    #[test]
    fn very_many_sub_lanes_are_thin_and_can_all_be_told_apart() {
        let metrics = Metrics::new(false);
        for count in [1, 909, 910, 4_096, 20_000, 400_000] {
            let lanes = [
                LayoutEntry::Lane(LaneId(0), count),
                LayoutEntry::Lane(LaneId(1), 1),
            ];
            let members = lanes.map(|entry| (HOST, entry));
            let layout = TimelineLayout::new(members, &BTreeSet::new(), &[], metrics);
            let row = &layout.rows[1];
            let most = TALLEST.max(count as f32) + 2.0 * metrics.pad;
            assert!(row.height <= most, "{count}: {}", row.height);
            for depth in [0, 1, count / 2, count - 1] {
                let depth = depth.min(count - 1);
                let (y, height) = layout.bar(row, depth);
                let middle = y + height / 2.0;
                assert_eq!(
                    layout.depths(row, middle, middle),
                    depth..depth + 1,
                    "{count}"
                );
            }
            assert!(layout.rows[2].y >= row.y + row.height);
        }
    }
}

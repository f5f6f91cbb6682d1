//! What happened, gathered in few bytes each until the file is whole: it need not be in order of time.

use super::gpu::SliceSyncPoints;
use crate::importer::fast_hash::QuickMap;
use record::SpanKind;

/// Stands for nothing.
pub(super) const NONE: u32 = u32::MAX;
/// Bits that say what happened.
const WHAT: u32 = 3;

/// Something that happened on a track.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrackItem {
    /// When, in nanoseconds of the file.
    pub time: i64,
    /// The track's place, and what happened in the lowest bits.
    track: u32,
    /// Which slice, value or end it is.
    number: u32,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrackItemKind {
    /// A slice begins, by its number.
    Begin(u32),
    /// The innermost slice ends. Arrows are at the place, if there are any.
    End(u32),
    /// The innermost slice of a name and a category ends, by its place among such ends.
    NamedEnd(u32),
    /// A slice without length.
    Instant(u32),
    /// A slice whose end is known when it begins, by its place among those.
    Whole(u32),
    /// A counter has a value, by its place.
    Count(u32),
}

impl TrackItem {
    pub fn track(&self) -> u32 {
        self.track >> WHAT
    }

    pub fn what(&self) -> TrackItemKind {
        let number = self.number;
        match self.track & ((1 << WHAT) - 1) {
            0 => TrackItemKind::Begin(number),
            1 => TrackItemKind::End(number),
            2 => TrackItemKind::Instant(number),
            3 => TrackItemKind::Whole(number),
            4 => TrackItemKind::NamedEnd(number),
            _ => TrackItemKind::Count(number),
        }
    }
}

/// A slice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    /// Its name and its categories, by the numbers of the texts.
    pub name: u32,
    pub category: u32,
    /// Where its arrows are, if it has any.
    pub arrows: u32,
    /// What it is, where its words say so.
    pub kind: Option<SpanKind>,
}

/// The end of a slice that says which it is of.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatedEnd {
    /// The name and the categories, by the numbers of their texts; [`NONE`] where the end has none.
    pub name: u32,
    pub category: u32,
    /// Where its arrows are, if it has any.
    pub arrows: u32,
}

/// The arrows that pass through a slice, and those that end there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SliceFlows<'a> {
    pub through: &'a [u64],
    pub ending: &'a [u64],
}

/// All that happened.
#[derive(Default)]
pub(super) struct TrackItems {
    pub all: Vec<TrackItem>,
    /// By their numbers, which are those of their spans.
    pub slices: Vec<Slice>,
    /// Slices whose end is known, with it.
    pub wholes: Vec<(u32, i64)>,
    /// Ends that say of which slice they are.
    pub named_ends: Vec<StatedEnd>,
    pub values: Vec<f64>,
    /// For each value the sums that it adds to if it is a difference, by their number.
    pub sums: Vec<u32>,
    /// What slices have to do with events of GPUs, by the number of the slice.
    pub points: QuickMap<u32, Box<SliceSyncPoints>>,
    /// Two counts in one number, then as many numbers of arrows.
    arrows: Vec<u64>,
}

impl TrackItems {
    /// Takes something that happened on the track at a place.
    pub fn push(&mut self, time: i64, track: u32, what: TrackItemKind) {
        let (what, number) = match what {
            TrackItemKind::Begin(number) => (0, number),
            TrackItemKind::End(number) => (1, number),
            TrackItemKind::Instant(number) => (2, number),
            TrackItemKind::Whole(number) => (3, number),
            TrackItemKind::NamedEnd(number) => (4, number),
            TrackItemKind::Count(number) => (5, number),
        };
        let track = track << WHAT | what;
        self.all.push(TrackItem {
            time,
            track,
            number,
        });
    }

    /// Takes the end of a slice, with its name and its categories if it bears them, and its arrows.
    pub fn end(
        &mut self,
        (time, track): (i64, u32),
        (name, category): (Option<u32>, Option<u32>),
        flows: SliceFlows<'_>,
    ) {
        let arrows = self.keep(flows);
        let what = if name.is_none() && category.is_none() {
            TrackItemKind::End(arrows)
        } else {
            self.named_ends.push(StatedEnd {
                name: name.unwrap_or(NONE),
                category: category.unwrap_or(NONE),
                arrows,
            });
            TrackItemKind::NamedEnd(self.named_ends.len() as u32 - 1)
        };
        self.push(time, track, what);
    }

    /// Takes the value of a counter; a difference adds to the sum of this number.
    pub fn count(&mut self, (time, track): (i64, u32), value: f64, sum: u32) {
        let number = self.values.len() as u32;
        self.values.push(value);
        self.sums.push(sum);
        self.push(time, track, TrackItemKind::Count(number));
    }

    /// Takes arrows; says where they are.
    pub fn keep(&mut self, flows: SliceFlows<'_>) -> u32 {
        let SliceFlows { through, ending } = flows;
        if through.is_empty() && ending.is_empty() {
            return NONE;
        }
        let place = self.arrows.len() as u32;
        self.arrows
            .push((through.len() as u64) << 32 | ending.len() as u64);
        self.arrows.extend_from_slice(through);
        self.arrows.extend_from_slice(ending);
        place
    }

    /// The arrows at a place.
    pub fn flows(&self, place: u32) -> SliceFlows<'_> {
        let found = || {
            let rest = self.arrows.get(place as usize..)?;
            let (counts, rest) = rest.split_first()?;
            let (through, rest) = rest.split_at_checked((counts >> 32) as usize)?;
            let ending = rest.get(..*counts as u32 as usize)?;
            Some(SliceFlows { through, ending })
        };
        found().unwrap_or_default()
    }

    /// Brings what happened in order of time; what happened at the same time stays as the file has it.
    pub fn sort(&mut self) {
        let all = &mut self.all;
        if !all.is_sorted_by_key(|it| it.time) {
            all.sort_by_key(|it| it.time);
        }
    }

    /// The number of the slice that something is about, unless it ends one.
    pub fn slice_of(&self, item: &TrackItem) -> Option<u32> {
        match item.what() {
            TrackItemKind::Begin(number) | TrackItemKind::Instant(number) => Some(number),
            TrackItemKind::Whole(place) => self.wholes.get(place as usize).map(|it| it.0),
            TrackItemKind::End(_) | TrackItemKind::NamedEnd(_) | TrackItemKind::Count(_) => None,
        }
    }

    /// Takes out what a slice has to do with events of GPUs.
    pub fn points_of(&mut self, slice: u32) -> Option<Box<SliceSyncPoints>> {
        if self.points.is_empty() {
            return None;
        }
        self.points.remove(&slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_comes_back_in_order_of_time() {
        let mut items = TrackItems::default();
        let flows = items.keep(SliceFlows {
            through: &[7, 8],
            ending: &[u64::MAX],
        });
        items.push(20, 3, TrackItemKind::End(flows));
        items.push(10, u32::MAX >> WHAT, TrackItemKind::Begin(0));
        items.count((20, 4), 0.5, 1);
        items.sort();
        let found: Vec<_> = items
            .all
            .iter()
            .map(|it| (it.time, it.track(), it.what()))
            .collect();
        let begin = (10, u32::MAX >> WHAT, TrackItemKind::Begin(0));
        assert_eq!(
            found,
            [
                begin,
                (20, 3, TrackItemKind::End(flows)),
                (20, 4, TrackItemKind::Count(0))
            ]
        );
        let kept = items.flows(flows);
        assert_eq!((kept.through, kept.ending), (&[7, 8][..], &[u64::MAX][..]));
        assert!(items.flows(NONE).through.is_empty());
        assert_eq!(items.keep(SliceFlows::default()), NONE);
        assert_eq!((size_of::<TrackItem>(), size_of::<Slice>()), (16, 16));
    }
}

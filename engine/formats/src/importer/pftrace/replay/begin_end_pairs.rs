//! Which begin belongs to which end, and which slices arrows lead from and to.

use crate::importer::fast_hash::QuickMap;
use crate::importer::pftrace::gpu::SliceMeetings;
use crate::importer::pftrace::items::{NONE, SliceFlows, TrackItemKind, TrackItems};
use crate::importer::pftrace::tracks::PftraceTracks;
use record::SpanId;
use record::time::Nanos;

/// An end by name is that of one of so many slices that are open, as deep as Perfetto nests them.
const DEEPEST: usize = 512;
/// Stands for the end of a slice that has none.
pub(super) const OPEN: i64 = i64::MIN;

/// What is known of slices once all are there.
#[derive(Default)]
pub(super) struct MatchedSlices {
    /// When each slice ends.
    pub ends: Vec<i64>,
    /// From which slice to which each arrow leads.
    pub arrows: Vec<(u32, u32)>,
    pub meetings: SliceMeetings,
    /// Ends without a begin.
    pub alone: u64,
    /// Begins without an end.
    pub left_open: u64,
    /// The slice in which each arrow was seen last.
    seen: QuickMap<u64, u32>,
    /// The innermost slice of each track that has begun, and of each slice the one around it.
    innermost: Vec<u32>,
    around: Vec<u32>,
}

impl MatchedSlices {
    /// Goes through all that happened, which is in order of time.
    pub fn of(
        items: &mut TrackItems,
        tracks: &mut PftraceTracks,
        (origin, unnamed): (i64, u32),
    ) -> Self {
        let mut matched = Self {
            ends: vec![OPEN; items.slices.len()],
            around: vec![NONE; items.slices.len()],
            ..Self::default()
        };
        let all = std::mem::take(&mut items.all);
        for item in &all {
            let track = item.track();
            match item.what() {
                TrackItemKind::Count(_) => {
                    tracks.counter(track);
                }
                TrackItemKind::End(flows) => matched.close(track, item.time, items.flows(flows)),
                TrackItemKind::NamedEnd(place) => {
                    let Some(&end) = items.named_ends.get(place as usize) else {
                        continue;
                    };
                    let flows = end.arrows;
                    // As for Perfetto, a slice without a name has any, and one without a category has none.
                    let fits = |slice: u32| {
                        items.slices.get(slice as usize).is_some_and(|own| {
                            let is_named = [own.name, NONE].contains(&end.name);
                            let is_of_category = [own.category, NONE].contains(&end.category);
                            (is_named || own.name == unnamed) && is_of_category
                        })
                    };
                    if matched.raise(track, fits) {
                        matched.close(track, item.time, items.flows(flows));
                    } else {
                        matched.alone += 1;
                    }
                }
                _ => {
                    let Some(slice) = items.slice_of(item) else {
                        continue;
                    };
                    let end = match item.what() {
                        TrackItemKind::Whole(place) => {
                            items.wholes.get(place as usize).map(|it| it.1)
                        }
                        TrackItemKind::Instant(_) => Some(item.time),
                        _ => None,
                    };
                    match end {
                        Some(end) => matched.put_end(slice, end),
                        None => matched.open(track, slice),
                    }
                    if let Some(facts) = items.slices.get(slice as usize) {
                        tracks.assign_lane(track, facts.name);
                        tracks.note_kind(track, facts.kind);
                        matched.arrow(items.flows(facts.arrows), slice);
                    }
                    if let Some(points) = items.points_of(slice) {
                        let start = Nanos(item.time.saturating_sub(origin));
                        matched.meetings.note(SpanId(slice), start, *points);
                    }
                }
            }
        }
        items.all = all;
        (matched.innermost, matched.around) = (Vec::new(), Vec::new());
        matched.seen = QuickMap::default();
        matched
    }

    /// When a slice ends, if it does.
    pub fn end(&self, slice: u32) -> Option<i64> {
        let end = self.ends.get(slice as usize).copied();
        end.filter(|&end| end != OPEN)
    }

    fn put_end(&mut self, slice: u32, end: i64) {
        if let Some(slot) = self.ends.get_mut(slice as usize) {
            *slot = end;
        }
    }

    fn open(&mut self, track: u32, slice: u32) {
        let track = track as usize;
        if track >= self.innermost.len() {
            self.innermost.resize(track + 1, NONE);
        }
        if let (Some(top), Some(around)) = (
            self.innermost.get_mut(track),
            self.around.get_mut(slice as usize),
        ) {
            *around = std::mem::replace(top, slice);
            self.left_open += 1;
        }
    }

    /// Makes the innermost slice that fits the one that the next end is of; says whether there is one.
    fn raise(&mut self, track: u32, fits: impl Fn(u32) -> bool) -> bool {
        let Some(&top) = self.innermost.get(track as usize) else {
            return false;
        };
        let (mut inner, mut slice) = (NONE, top);
        for _ in 0..DEEPEST {
            if slice == NONE {
                return false;
            }
            let around = self.around.get(slice as usize).copied().unwrap_or(NONE);
            if fits(slice) {
                if inner != NONE {
                    self.link(inner, around);
                    self.link(slice, top);
                    if let Some(innermost) = self.innermost.get_mut(track as usize) {
                        *innermost = slice;
                    }
                }
                return true;
            }
            (inner, slice) = (slice, around);
        }
        false
    }

    /// Says which slice is around another.
    fn link(&mut self, slice: u32, around: u32) {
        if let Some(link) = self.around.get_mut(slice as usize) {
            *link = around;
        }
    }

    /// Ends the innermost slice of a track.
    fn close(&mut self, track: u32, time: i64, flows: SliceFlows<'_>) {
        let top = self.innermost.get_mut(track as usize);
        let Some(top) = top.filter(|top| **top != NONE) else {
            self.alone += 1;
            return;
        };
        let slice = *top;
        *top = self.around.get(slice as usize).copied().unwrap_or(NONE);
        self.left_open -= 1;
        self.put_end(slice, time);
        self.arrow(flows, slice);
    }

    /// Ties a slice to the one in which each of its arrows was seen last.
    fn arrow(&mut self, flows: SliceFlows<'_>, effect: u32) {
        for flow in flows.through.iter().chain(flows.ending) {
            if let Some(cause) = self.seen.insert(*flow, effect)
                && cause != effect
            {
                self.arrows.push((cause, effect));
            }
        }
        for flow in flows.ending {
            self.seen.remove(flow);
        }
    }
}

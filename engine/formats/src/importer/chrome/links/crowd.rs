//! Devices of very many streams: what ended last of all that was launched before an instant, without a look at each.

use super::order::Stream;
use crate::importer::chrome::work::Operation;

/// The streams and the work of a device, in the order of their launches.
#[derive(Default)]
pub(super) struct Crowd {
    /// When the first work of each stream was launched.
    firsts: Vec<(i64, Stream)>,
    /// For each piece of work when it was launched, and the place of what ends last of all up to it.
    last: Vec<(i64, u32)>,
}

impl Crowd {
    /// Takes the first launch of each stream, and the places of all work, in any order.
    pub fn new(mut firsts: Vec<(i64, Stream)>, mut places: Vec<u32>, all: &[Operation]) -> Self {
        firsts.sort_unstable();
        let launched = |place: u32| all.get(place as usize).map_or(i64::MAX, |it| it.launched);
        let end = |place: u32| all.get(place as usize).map_or(i64::MIN, |it| it.end);
        places.sort_by_key(|place| launched(*place));
        let mut latest = None;
        let last = places.into_iter().map(|place| {
            if latest.is_none_or(|latest| end(place) >= end(latest)) {
                latest = Some(place);
            }
            (launched(place), latest.unwrap_or(place))
        });
        let last = last.collect();
        Self { firsts, last }
    }

    /// The streams on which something was launched before an instant.
    pub fn streams(&self, instant: i64) -> &[(i64, Stream)] {
        let count = self.firsts.partition_point(|(first, _)| *first < instant);
        self.firsts.get(..count).unwrap_or_default()
    }

    /// The place of what ends last of all that was launched before an instant.
    pub fn last(&self, instant: i64) -> Option<u32> {
        let count = self
            .last
            .partition_point(|(launched, _)| *launched < instant);
        let (_, place) = self.last.get(count.checked_sub(1)?)?;
        Some(*place)
    }
}

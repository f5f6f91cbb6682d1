//! Devices of very many streams: what ended last of all that was launched before an instant, without a look at each.

use super::order::ChromeStream;
use crate::importer::chrome::work::ChromeOperation;

/// Of more streams than this, a call that waits for all is tied to the one that ended last.
pub(super) const MANY: usize = 64;

/// What a call waits for that waits for a device of many streams.
pub(super) enum WaitedFor {
    /// The last work of each of these.
    Streams(Vec<ChromeStream>),
    /// The work at this place.
    Last(Option<u32>),
}

/// The streams and the work of a device, in the order of their launches.
#[derive(Default)]
pub(super) struct DeviceStreams {
    /// When the first work of each stream was launched.
    firsts: Vec<(i64, ChromeStream)>,
    /// For each piece of work when it was launched, and the place of what ends last of all up to it.
    last: Vec<(i64, u32)>,
}

impl DeviceStreams {
    /// Takes the first launch of each stream, and the places of all work, in any order.
    pub fn new(
        mut firsts: Vec<(i64, ChromeStream)>,
        mut places: Vec<u32>,
        all: &[ChromeOperation],
    ) -> Self {
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

    /// What waits for all that was launched before an instant.
    pub fn waited_for(&self, instant: i64) -> WaitedFor {
        let count = self.firsts.partition_point(|(first, _)| *first < instant);
        // Before anything is made of each: there may be as many calls as streams.
        if count > MANY {
            return WaitedFor::Last(self.last(instant));
        }
        let streams = self.firsts.get(..count).unwrap_or_default().iter();
        let mut streams: Vec<ChromeStream> = streams.map(looked_at).collect();
        streams.sort_unstable();
        WaitedFor::Streams(streams)
    }

    /// The place of what ends last of all that was launched before an instant.
    fn last(&self, instant: i64) -> Option<u32> {
        let count = self
            .last
            .partition_point(|(launched, _)| *launched < instant);
        let (_, place) = self.last.get(count.checked_sub(1)?)?;
        Some(*place)
    }
}

fn looked_at(first: &(i64, ChromeStream)) -> ChromeStream {
    #[cfg(test)]
    tests::LOOKED_AT.set(tests::LOOKED_AT.get() + 1);
    first.1
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// How many streams were looked at one by one.
        pub(super) static LOOKED_AT: Cell<u64> = const { Cell::new(0) };
    }

    /// How many are looked at where something is launched on that many streams, and a call waits for all after each.
    fn looked_at(streams: i64) -> u64 {
        let firsts = (0..streams).map(|it| (it * 10, ChromeStream::default()));
        let crowd = DeviceStreams::new(firsts.collect(), Vec::new(), &[]);
        LOOKED_AT.set(0);
        for it in 0..streams {
            crowd.waited_for(it * 10 + 5);
        }
        LOOKED_AT.get()
    }

    #[test]
    fn calls_that_wait_for_very_many_streams_look_at_few() {
        let most: u64 = (1..=MANY as u64).sum();
        assert_eq!(looked_at(100), most);
        assert_eq!(looked_at(10_000), most);
    }
}

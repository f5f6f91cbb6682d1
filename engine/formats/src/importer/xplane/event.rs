//! Reads an event where it lies in its line: when, what, and what its stats say beyond values to show.

use super::plane::{NamedEvent, PlaneFacts};
use super::stat::{RawStat, RawValue, StatKey};
use crate::importer::chrome::ChromeTexts;
use crate::perfetto::view::each_field;
use record::FieldValue;

/// Picoseconds in a nanosecond.
const PICOS: i64 = 1_000;

/// An event as it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct XEventView {
    /// What it is called, by the number of its plane.
    pub name: u64,
    /// Picoseconds after its line begins.
    offset: i64,
    duration: i64,
    /// How often it happened, where it is a sum over many and has no time.
    pub occurrences: Option<u64>,
    /// Fields that the format does not have.
    pub unknown: u64,
}

impl XEventView {
    /// Reads an event, and hands each of its stats to `stat`. Nothing where the bytes are no event.
    pub fn of<'a>(
        bytes: &'a [u8],
        mut stat: impl FnMut(RawStat<'a>) -> Option<()>,
    ) -> Option<Self> {
        let mut event = Self::default();
        each_field(bytes, |field, wire| {
            match field {
                1 => event.name = wire.varint()?,
                2 => event.offset = wire.varint()? as i64,
                3 => event.duration = wire.varint()? as i64,
                4 => {
                    let found = RawStat::of(wire.bytes()?)?;
                    event.unknown += found.unknown;
                    stat(found)?;
                }
                5 => event.occurrences = Some(wire.varint()?),
                _ => event.unknown += 1,
            }
            Some(())
        })?;
        Some(event)
    }

    /// When it begins and ends, in nanoseconds, on a line that begins at `start`. Both are rounded, so that what lies in
    /// each other does so still.
    pub fn interval(&self, start: i64) -> (i64, i64) {
        let end = self.offset.saturating_add(self.duration);
        (
            start.saturating_add(nanos(self.offset)),
            start.saturating_add(nanos(end)),
        )
    }

    /// Whether it ends beyond the last time that can be written, in picoseconds of its line or in nanoseconds.
    pub fn is_beyond(&self, start: i64) -> bool {
        let last = self.offset.saturating_add(self.duration) == i64::MAX;
        last || self.interval(start).1 == i64::MAX
    }

    /// Whether its times are no whole nanoseconds.
    pub fn is_finer(&self) -> bool {
        self.offset % PICOS != 0 || self.duration % PICOS != 0
    }
}

/// Picoseconds as the nearest nanosecond.
const fn nanos(picos: i64) -> i64 {
    let (whole, rest) = (picos.div_euclid(PICOS), picos.rem_euclid(PICOS));
    whole + (rest >= PICOS / 2) as i64
}

/// What the stats of an event say beyond values to show.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says that one stat is there"
)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EventMeaning {
    pub producer: (Option<u64>, u64),
    pub consumer: (Option<u64>, u64),
    pub correlation: Option<u64>,
    pub run: Option<u64>,
    pub device: Option<i64>,
    pub global_device: Option<i64>,
    pub program: Option<i64>,
    /// The order in which a thread came to a rendezvous.
    pub id: Option<i64>,
    /// The key of a rendezvous, among others, by the number of the text.
    pub key: Option<u32>,
    pub is_operation: bool,
    pub is_step: bool,
    pub meets: bool,
    pub copies: bool,
    pub fills: bool,
}

/// What one event after the other says. One of these serves all, so that none has to reserve.
#[derive(Default)]
pub(super) struct EventReader {
    /// The fields to show: names and texts by their numbers.
    pub fields: Vec<(u32, FieldValue)>,
    pub meaning: EventMeaning,
    /// Stats that have a number without a name.
    pub nameless: u64,
}

impl EventReader {
    /// Reads an event of a plane. Nothing where the bytes are none.
    pub fn read(
        &mut self,
        bytes: &[u8],
        plane: &PlaneFacts,
        texts: &mut ChromeTexts,
    ) -> Option<XEventView> {
        self.fields.clear();
        self.meaning = EventMeaning::default();
        let event = XEventView::of(bytes, |stat| {
            self.stat(stat, plane, texts);
            Some(())
        })?;
        if let Some(named) = plane.event(event.name) {
            self.common(named);
        }
        Some(event)
    }

    /// Adds what all events of the name say.
    fn common(&mut self, named: &NamedEvent) {
        for &(name, key, value) in &named.fields {
            if !self.fields.iter().any(|(known, _)| *known == name) {
                self.fields.push((name, value));
                self.understand(key, value, None);
            }
        }
    }

    fn stat(&mut self, stat: RawStat<'_>, plane: &PlaneFacts, texts: &mut ChromeTexts) {
        let Some((name, key)) = plane.stats.get(stat.name) else {
            self.nameless += 1;
            return;
        };
        if key.is_link() {
            self.link(key, stat.value);
            return;
        }
        let Some(value) = plane.stats.plain(stat.value, texts) else {
            return;
        };
        self.fields.push((name, value));
        self.understand(key, value, stat.value.bits());
        if key == StatKey::Copy
            && let FieldValue::Text(details) = value
            && let Some(bytes) = size_of_copy(texts.text(details))
        {
            self.fields
                .push((texts.add("bytes"), FieldValue::Integer(bytes)));
        }
    }

    fn link(&mut self, key: StatKey, value: RawValue<'_>) {
        let (Some(bits), meaning) = (value.bits(), &mut self.meaning) else {
            return;
        };
        match key {
            StatKey::ProducerType => meaning.producer.1 = bits,
            StatKey::Producer => meaning.producer.0 = Some(bits),
            StatKey::ConsumerType => meaning.consumer.1 = bits,
            _ => meaning.consumer.0 = Some(bits),
        }
    }

    fn understand(&mut self, key: StatKey, value: FieldValue, bits: Option<u64>) {
        let meaning = &mut self.meaning;
        let whole = match value {
            FieldValue::Integer(whole) => Some(whole),
            _ => bits.map(|bits| bits as i64),
        };
        let bits = bits.or(whole.map(|it| it as u64));
        match key {
            // Nothing is tied by the number 0.
            StatKey::Correlation => meaning.correlation = bits.filter(|it| *it != 0),
            StatKey::Run => meaning.run = bits,
            StatKey::Device => meaning.device = whole,
            StatKey::GlobalDevice => meaning.global_device = whole,
            StatKey::Program => meaning.program = whole,
            StatKey::Id => meaning.id = whole,
            StatKey::Operation => meaning.is_operation = true,
            StatKey::Step => meaning.is_step = true,
            StatKey::Threads => meaning.meets = true,
            StatKey::Copy => meaning.copies = true,
            StatKey::Fill => meaning.fills = true,
            StatKey::Name => {
                if let FieldValue::Text(text) = value {
                    meaning.key = Some(text);
                }
            }
            _ => {}
        }
    }
}

/// How many bytes a copy moves, by details such as `kind_src:pinned kind_dst:device size:4096 dest:0 async:1`.
fn size_of_copy(details: &str) -> Option<i64> {
    let mut words = details.split_ascii_whitespace();
    words.find_map(|word| word.strip_prefix("size:")?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picoseconds_are_the_nearest_nanosecond() {
        let event = |offset, duration| XEventView {
            offset,
            duration,
            ..XEventView::default()
        };
        assert_eq!(event(1_499, 2).interval(10), (11, 12));
        assert_eq!(event(1_500, 0).interval(10), (12, 12));
        assert_eq!(event(-1_500, 3_000).interval(0), (-1, 2));
        assert!(event(0, 1).is_finer() && !event(5_000, 7_000).is_finer());
        let all = event(i64::MAX, i64::MAX).interval(i64::MAX);
        assert_eq!(all, (i64::MAX, i64::MAX));
        // 2⁶³ − 1 picoseconds are 106 days, and no length.
        assert!(event(0, i64::MAX).is_beyond(0) && event(i64::MAX, 5).is_beyond(0));
        assert!(!event(7_000, 2_000).is_beyond(0));
    }

    #[test]
    fn details_of_copies_say_their_size() {
        assert_eq!(size_of_copy("size:4 dest:1 async:1"), Some(4));
        assert_eq!(size_of_copy("kind_src:pinned size:99 dest:0"), Some(99));
        assert_eq!(size_of_copy("num_bytes:12"), None);
    }
}

//! Counters whose values events of other tracks carry along: how much memory there was when a slice began, for one.

use super::items::{TrackItemKind, TrackItems};
use super::other_tools::ForeignFile;
use crate::perfetto::proto::TrackEventDefaults;
use crate::perfetto::view::WireValue;

/// The tracks that extra values are of: the first value is of the first track, and so on.
#[derive(Clone, Debug, Default)]
pub(super) struct ExtraTracks {
    /// Of values that are whole numbers (`extra_counter_track_uuids`).
    whole: Vec<u64>,
    /// Of values that are real numbers (`extra_double_counter_track_uuids`).
    real: Vec<u64>,
}

impl ExtraTracks {
    /// Those that events of a writer leave out; nothing where they leave out none.
    pub fn of(defaults: &TrackEventDefaults) -> Option<Self> {
        let tracks = Self {
            whole: defaults.extra_counter_track_uuids.clone(),
            real: defaults.extra_double_counter_track_uuids.clone(),
        };
        (!tracks.whole.is_empty() || !tracks.real.is_empty()).then_some(tracks)
    }
}

/// What an event says of extra counters. One of these serves all events.
#[derive(Default)]
pub(super) struct ExtraCounters {
    tracks: ExtraTracks,
    whole: Vec<f64>,
    real: Vec<f64>,
}

impl ExtraCounters {
    /// Forgets those of the event before.
    pub fn clear(&mut self) {
        self.tracks.whole.clear();
        self.tracks.real.clear();
        self.whole.clear();
        self.real.clear();
    }

    /// Reads one of the four fields of an event. Nothing where the bytes are no such field.
    pub fn take(&mut self, field: u32, wire: WireValue<'_>) -> Option<()> {
        match field {
            12 => wire.varints(|value| self.whole.push(value as i64 as f64)),
            31 => wire.varints(|track| self.tracks.whole.push(track)),
            45 => wire.varints(|track| self.tracks.real.push(track)),
            46 => wire.fixeds(|value| self.real.push(f64::from_bits(value))),
            _ => Some(()),
        }
    }

    fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.real.is_empty()
    }
}

impl ForeignFile {
    /// Keeps the values of extra counters of the event under way: of the tracks that it names, or else its writer's defaults, as
    /// Perfetto's `TrackEventTokenizer::AddExtraCounterValues` has it.
    pub(super) fn extra_counters(&mut self, sequence: u32, time: i64) {
        if self.lists.extra.is_empty() {
            return;
        }
        let extra = std::mem::take(&mut self.lists.extra);
        let defaults = self.sequences.get(&sequence).and_then(|it| it.extra());
        let defaults = defaults.cloned().unwrap_or_default();
        let or = |own: &[u64], default: &[u64]| {
            let tracks = if own.is_empty() { default } else { own };
            tracks.to_vec()
        };
        let kinds = [
            (or(&extra.tracks.whole, &defaults.whole), &extra.whole),
            (or(&extra.tracks.real, &defaults.real), &extra.real),
        ];
        for (tracks, values) in kinds {
            for (&uuid, &value) in tracks.iter().zip(values) {
                let track = self.tracks.place(uuid);
                self.count((sequence, time, track), value);
            }
            self.tally.trackless += values.len().saturating_sub(tracks.len()) as u64;
        }
        self.lists.extra = extra;
    }

    /// Keeps the value of a track's counter, told by a writer.
    pub(super) fn count(&mut self, (sequence, time, track): (u32, i64, u32), value: f64) {
        let writer = self.sequences.entry(sequence).or_default();
        if writer.sums == 0 {
            self.sums += 1;
            writer.sums = self.sums;
        }
        self.items.count((time, track), value, writer.sums);
    }

    /// Makes sums of the samples that are differences. They add up as their writer told them, as in Perfetto: it may tell of an
    /// instant later than of what came after that, and counts on all the same.
    pub(super) fn add_up(&mut self) {
        let TrackItems {
            all, values, sums, ..
        } = &mut self.items;
        for item in &*all {
            if let TrackItemKind::Count(place) = item.what()
                && let Some(value) = values.get_mut(place as usize)
            {
                let sum = sums.get(place as usize).copied().unwrap_or_default();
                *value = self.tracks.value(item.track(), *value, sum);
            }
        }
        *sums = Vec::new();
    }
}

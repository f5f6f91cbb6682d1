//! Counts what of a file could not be read, and says so in the capture.

use super::plane::{MOST_LINES, MOST_PLANES};
use crate::importer::{Receipt, RecordSink};
use record::{Severity, counted};

/// Fields of names and stats that the format does not have, and texts that are not UTF-8.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OddFields {
    pub unknown: u64,
    pub bad_texts: u64,
}

impl OddFields {
    /// Counts a text that is not UTF-8.
    pub fn mind(&mut self, text: &[u8]) {
        self.bad_texts += u64::from(std::str::from_utf8(text).is_err());
    }
}

/// What of a file could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SpaceDamage {
    /// Messages that make no sense, their bytes, and where the first of them begins.
    parts: u64,
    bytes: u64,
    first: Option<u64>,
    /// Fields of numbers that the format does not have, and where the first of them is.
    unknown: (u64, Option<u64>),
    /// Texts that are not UTF-8.
    pub bad_texts: u64,
    /// Complaints of the profiler and names of hosts beyond those that are kept.
    pub untold: u64,
    /// Planes and lines beyond those that are read, and their events.
    pub beyond: (u64, u64),
    /// From where on nothing could be read, and how many bytes that is.
    rest: Option<(u64, u64)>,
}

impl SpaceDamage {
    /// `bytes` at byte `at` make no sense.
    pub fn part(&mut self, at: u64, bytes: u64) {
        self.parts += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        self.first.get_or_insert(at);
    }

    /// `count` fields that end at byte `at`, or begin there, have numbers that the format does not have.
    pub fn unknown(&mut self, at: u64, count: u64) {
        self.unknown.0 += count;
        self.unknown.1.get_or_insert(at);
    }

    /// What is odd in a plane that ends at byte `at`.
    pub fn odd(&mut self, at: u64, odd: OddFields) {
        self.bad_texts += odd.bad_texts;
        if odd.unknown > 0 {
            self.unknown(at, odd.unknown);
        }
    }

    /// Nothing could be read from byte `at` on, which is `left` bytes.
    pub fn rest(&mut self, at: u64, left: u64) {
        self.rest = Some((at, left));
    }

    /// Takes what another look at the same file could not read.
    pub fn add(&mut self, other: &Self) {
        self.parts += other.parts;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.first = self.first.into_iter().chain(other.first).min();
        self.unknown.0 += other.unknown.0;
        self.unknown.1 = self.unknown.1.into_iter().chain(other.unknown.1).min();
        self.bad_texts += other.bad_texts;
        self.untold += other.untold;
        self.beyond.0 += other.beyond.0;
        self.beyond.1 += other.beyond.1;
        self.rest = self.rest.or(other.rest);
    }

    #[cfg(test)]
    pub fn left(&self) -> Option<(u64, u64)> {
        self.rest
    }

    #[cfg(test)]
    pub fn count(&self) -> u64 {
        self.parts
    }

    #[cfg(test)]
    pub fn unknowns(&self) -> u64 {
        self.unknown.0
    }

    /// Says what is missing.
    pub fn tell(&self, sink: &mut RecordSink<'_>, receipt: &mut Receipt) {
        let mut say = |code: &str, text: String| {
            sink.complain(Severity::DataLoss, code, text.clone());
            receipt.note(text);
        };
        if let Some((at, left)) = self.rest {
            say(
                "cut-short",
                format!(
                    "The file breaks off, or is damaged, at byte {at}: the last {left} bytes were left out, and names \
                     that stand behind the spans may be among them. If it was copied, copy it again."
                ),
            );
        }
        if let Some(first) = self.first {
            say(
                "damaged",
                format!(
                    "{} at byte {first}: {} left out. If it was copied, copy it again.",
                    counted(
                        self.parts,
                        "{part of the file is damaged,|parts of the file are damaged, the first}"
                    ),
                    counted(self.bytes, "{byte was|bytes were}")
                ),
            );
        }
        if let (count, Some(first)) = self.unknown {
            let words =
                "{field is|fields are} of a number that the format does not have, near byte";
            say(
                "unknown-field",
                format!(
                    "{} {first}{}: left out. The file is damaged, or of a newer version of the format.",
                    counted(count, words),
                    if count == 1 { "" } else { " the first" }
                ),
            );
        }
        if self.beyond.0 > 0 {
            let words = "{plane or line was|planes and lines were}";
            let planes = counted(self.beyond.0, words);
            let events = counted(self.beyond.1, "{event|events}");
            say(
                "planes-cropped",
                format!(
                    "{planes} left out, with {events}: the first {MOST_PLANES} planes and {MOST_LINES} lines are kept."
                ),
            );
        }
        receipt.note_counts([(
            self.untold,
            "{more note of the profiler or name of a host is|more notes of the profiler and names of hosts are} not told",
        )]);
        receipt.dropped += self.parts + self.unknown.0 + self.beyond.1;
        receipt.repair("texts that are not UTF-8", self.bad_texts);
        receipt.repair("cut short", u64::from(self.rest.is_some()));
    }
}

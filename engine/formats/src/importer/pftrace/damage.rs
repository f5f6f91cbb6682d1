//! Counts what of a file could not be read, and says so in the capture.

use crate::importer::{Receipt, RecordSink};
use record::{Severity, counted};

/// What of a file could not be read.
#[derive(Debug, Default)]
pub(super) struct PacketDamage {
    /// Packets that make no sense, their bytes, and where the first of them begins.
    packets: u64,
    bytes: u64,
    first: Option<u64>,
    /// Packets that can be read and say nothing that can be understood.
    senseless: u64,
    /// Packets that hold more than is decoded of one, and their bytes.
    crowded: (u64, u64),
    /// From where on nothing could be read, and how many bytes that is.
    rest: Option<(u64, u64)>,
    /// Packets that the end of the file counts and that nobody found.
    missing: u64,
    /// Whether the file is to have an end, and has none.
    has_no_end: bool,
}

impl PacketDamage {
    /// A packet that is no message.
    pub fn packet(&mut self, at: u64, bytes: u64) {
        self.packets += 1;
        self.bytes += bytes;
        self.first.get_or_insert(at);
    }

    /// A packet that is a message and says nothing that can be understood.
    pub fn senseless(&mut self) {
        self.senseless += 1;
    }

    /// A packet that holds more than is decoded of one.
    pub fn crowded(&mut self, bytes: u64) {
        self.crowded.0 += 1;
        self.crowded.1 += bytes;
    }

    /// Nothing could be read from byte `at` on, which is `left` bytes.
    pub fn rest(&mut self, at: u64, left: u64) {
        self.rest = Some((at, left));
    }

    /// The end of the file says that `said` packets stand before it, and `taken` were taken.
    pub fn compare(&mut self, said: u64, taken: u64) {
        self.missing = said.saturating_sub(taken.saturating_add(self.packets + self.crowded.0));
    }

    /// The file is to have an end, and has none.
    pub fn no_end(&mut self) {
        self.has_no_end = true;
    }

    /// Says what is missing.
    pub fn tell(&self, sink: &mut RecordSink<'_>, receipt: &mut Receipt) {
        let mut say = |code: &str, text: String| {
            sink.complain(Severity::DataLoss, code, text.clone());
            receipt.notes.push(text);
        };
        if let Some((at, left)) = self.rest {
            say(
                "cut-short",
                format!(
                    "The file breaks off inside a packet, or is damaged, at byte {at}: the last {left} bytes were \
                     left out. If it was copied, copy it again."
                ),
            );
        }
        if let Some(first) = self.first {
            say(
                "damaged",
                format!(
                    "{} at byte {first}: {} left out. If it was copied, copy it again.",
                    counted(
                        self.packets,
                        "{packet of the file is damaged,|packets of the file are damaged, the first}"
                    ),
                    counted(self.bytes, "{byte was|bytes were}")
                ),
            );
        }
        if self.senseless > 0 {
            say(
                "senseless",
                counted(
                    self.senseless,
                    "{packet of the file refers to what it does not hold, or lacks what it needs, and was|packets of the file \
                     refer to what it does not hold, or lack what they need, and were} left out. If it was copied, copy it \
                     again.",
                ),
            );
        }
        let (crowded, bytes) = self.crowded;
        if crowded > 0 {
            say(
                "packets-crowded",
                format!(
                    "{}, {bytes} bytes in all: more messages or bytes than are read of one packet. Programs write none of a \
                     megabyte, so the file is damaged, or made to fill memory.",
                    counted(crowded, "{packet was left out|packets were left out}"),
                ),
            );
        }
        if self.missing > 0 {
            say(
                "packets-missing",
                counted(
                    self.missing,
                    "{packet that the end of the file counts is not in it: it was|packets that the end of the file counts are not \
                     in it: they were} cut out or damaged. If it was copied, copy it again.",
                ),
            );
        }
        // What broke off inside a packet has said so.
        let is_cut = self.has_no_end && self.rest.is_none();
        if is_cut {
            say(
                "no-end-of-file",
                "The file has no end: the program that wrote it was stopped or still writes, or its last part was cut off. \
                 What is in it was read. If it was copied, copy it again."
                    .to_owned(),
            );
        }
        let dropped = self.packets + self.senseless + crowded;
        receipt.dropped = (receipt.dropped).saturating_add(dropped.saturating_add(self.missing));
        receipt.repair("cut short", u64::from(self.rest.is_some() || is_cut));
    }
}

//! Counts what has to be said about a file.

use super::scan::MOST_ARGUMENTS;
use crate::importer::{Receipt, RecordSink};
use record::time::Nanos;
use record::{Severity, counted};

/// What has to be said about a file.
#[derive(Debug, Default)]
pub(super) struct ChromeTally {
    /// Events that were understood.
    pub events: u64,
    pub text_times: u64,
    pub negative: u64,
    pub impossible: u64,
    pub no_length: u64,
    /// Events without a time, or with one farther than can be written.
    pub no_time: u64,
    pub bad_times: u64,
    /// Events with more arguments than are kept.
    pub cropped: u64,
    pub ends: u64,
    /// Ends that are of none of the spans that are open there.
    pub strays: u64,
    pub open: u64,
    pub unordered: u64,
    pub bad_text: u64,
    /// Operations that start before their launch, and by how much at most.
    pub early: (u64, Nanos),
    /// Operations of which the launch is not in the file, though others have theirs.
    pub unlaunched: u64,
    /// Whether flows tie the parts of collective operations, as in files that Syncline wrote.
    pub told_collectives: bool,
    pub loose_flows: u64,
    /// Flows from launches to work that correlation numbers tell as well.
    pub launch_flows: u64,
    /// Events that hold samples of a profile of the processor.
    pub samples: u64,
    /// Events of allocators that do not say how many bytes.
    pub sizeless: u64,
    pub objects: u64,
    pub unknown: u64,
    /// Whole files where events are due.
    pub lists: u64,
    pub unlisted: u64,
    /// Stretches that make no sense, their bytes, and where the first begins.
    pub damaged: (u64, u64, u64),
    /// Events that the file counts and that are not in it.
    pub missing: u64,
}

impl ChromeTally {
    /// Counts damage.
    pub fn damage(&mut self, at: u64, length: u64) {
        let (count, bytes, first) = &mut self.damaged;
        if *count == 0 {
            *first = at;
        }
        *count += 1;
        *bytes += length;
    }

    /// The file says that it has so many events: what is neither understood nor damaged is missing.
    pub fn compare(&mut self, said: Option<u64>) {
        let found = self.events.saturating_add(self.damaged.0);
        self.missing = said.map_or(0, |said| said.saturating_sub(found));
    }

    /// Says it all: what was mended, as problems where something is missing, and as notes.
    pub fn tell(&self, receipt: &mut Receipt, sink: &mut RecordSink<'_>) {
        receipt.events = self.events;
        let repairs = [
            ("times written as texts", self.text_times),
            ("negative durations", self.negative),
            ("durations that cannot be true", self.impossible),
            ("no duration", self.no_length),
            ("times that are missing or cannot be true", self.no_time),
            ("times that are no numbers", self.bad_times),
            ("ends without a begin", self.ends),
            ("ends of no open span", self.strays),
            ("begins without an end", self.open),
            ("begins and ends out of order", self.unordered),
            ("texts that are not UTF-8", self.bad_text),
            ("work that starts before its launch", self.early.0),
            ("flows without a partner", self.loose_flows),
        ];
        for (cause, count) in repairs {
            receipt.repair(cause, count);
        }
        self.tell_damage(receipt, sink);
        self.tell_losses(receipt, sink);
        let said = [
            (
                self.open,
                "no-end",
                "{span has a beginning and no end; it is|spans have a beginning and no end; they are} drawn up to the end of the \
                 capture",
            ),
            (
                self.ends,
                "no-begin",
                "{end has no beginning; it|ends have no beginning; each} is drawn as an instant",
            ),
            (
                self.strays,
                "stray-end",
                "{end is of none of the spans that are open there, by its name; it ends|ends are of none of the spans that are open \
                 there, by their names; they end} nothing",
            ),
            (
                self.impossible,
                "impossible-duration",
                "{span has a duration longer than a century; it is|spans have a duration longer than a century; they are} drawn without",
            ),
            (
                self.no_time,
                "far-time",
                "{event has no time, or one that cannot be true; it is|events have no time, or one that cannot be true; they are} \
                 drawn at the beginning",
            ),
        ];
        for (count, code, words) in said {
            if count > 0 {
                let text = format!("{}.", counted(count, words));
                receipt.complain(sink, (Severity::Warning, code), text);
            }
        }
        receipt.remark_early(self.early);
        let notes = [
            (
                self.unlaunched,
                "{operation of the GPU has|operations of the GPU have} no call in the file that launched {it|them}",
            ),
            (
                self.samples,
                "{event (ProfileChunk or another) holds samples of what the processor ran; it is drawn as an instant, and the \
                 functions in it|events (ProfileChunk and others) hold samples of what the processor ran; they are drawn as \
                 instants, and the functions in them} are not read",
            ),
            (
                self.sizeless,
                "{event of an allocator does|events of allocators do} not say how many bytes, and {is|are} not counted",
            ),
            (
                self.launch_flows,
                "{flow repeats|flows repeat} what correlation ids say",
            ),
            (
                self.objects,
                "{event tells|events tell} of objects, memory or clocks, which have no place on a timeline",
            ),
            (
                self.unlisted,
                "{event of metadata says|events of metadata say} nothing that is shown",
            ),
        ];
        receipt.note_counts(notes);
    }

    fn tell_damage(&self, receipt: &mut Receipt, sink: &mut RecordSink<'_>) {
        let (damaged, bytes, first) = self.damaged;
        if damaged > 0 {
            receipt.dropped = receipt.dropped.saturating_add(damaged);
            let text = format!(
                "{} at byte {first}: {} left out. If it was copied, copy it again.",
                counted(
                    damaged,
                    "{stretch of the file makes no sense,|stretches of the file make no sense, the first}"
                ),
                counted(bytes, "{byte was|bytes were}")
            );
            receipt.complain(sink, (Severity::DataLoss, "damaged"), text);
        }
    }

    /// Says which events are not in the file, or not read.
    fn tell_cropped(&self, receipt: &mut Receipt, sink: &mut RecordSink<'_>) {
        if self.cropped > 0 {
            receipt.dropped = receipt.dropped.saturating_add(self.cropped);
            let words = "{event has too many arguments|events have too many arguments}";
            let events = counted(self.cropped, words);
            let text = format!("{events}; the first {MOST_ARGUMENTS} of each are kept.");
            receipt.complain(sink, (Severity::DataLoss, "arguments-cropped"), text);
        }
    }

    fn tell_losses(&self, receipt: &mut Receipt, sink: &mut RecordSink<'_>) {
        if self.lists > 0 {
            // How many events they have is not known.
            receipt.dropped = receipt.dropped.saturating_add(self.lists);
            let words = "{other trace stands inside the list of events, which has no end before it, and is|other traces stand \
                         inside the list of events, which has no end before them, and are} not read. Cut the file in two \
                         where “traceEvents” comes again, and open both together.";
            let text = counted(self.lists, words);
            receipt.complain(sink, (Severity::Warning, "second-trace"), text);
        }
        self.tell_cropped(receipt, sink);
        if self.unknown > 0 {
            receipt.dropped = receipt.dropped.saturating_add(self.unknown);
            let words = "{event has no phase, or one that the format does not know, and is|events have no phase, or one that the format \
                         does not know, and are} not shown.";
            let text = counted(self.unknown, words);
            receipt.complain(sink, (Severity::Warning, "unknown-phase"), text);
        }
        if self.missing > 0 {
            receipt.dropped = receipt.dropped.saturating_add(self.missing);
            let words = "{event that the end of the file counts is not in it: it was|events that the end of the file counts are \
                         not in it: they were} cut out or damaged. If the file was copied, copy it again.";
            let text = counted(self.missing, words);
            receipt.complain(sink, (Severity::DataLoss, "events-missing"), text);
        }
    }
}

//! What became of all that a file held.

use super::RecordSink;
use record::time::Nanos;
use record::{Basis, Dependency, Record, Severity, counted};

/// So many notes are kept of a file, and one that says that there are more.
const MOST_NOTES: usize = 10_000;

/// What a file is made of, and what [`Receipt::events`] counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReceiptUnit {
    /// Events of a list.
    #[default]
    Event,
    /// Rows of tables.
    Row,
    /// Packets of Perfetto.
    Packet,
    /// Records of CUPTI.
    Record,
}

impl ReceiptUnit {
    /// The word for so many of them.
    #[must_use]
    pub const fn label(self, count: u64) -> &'static str {
        match (self, count) {
            (Self::Event, 1) => "event",
            (Self::Event, _) => "events",
            (Self::Row, 1) => "row",
            (Self::Row, _) => "rows",
            (Self::Packet, 1) => "packet",
            (Self::Packet, _) => "packets",
            (Self::Record, 1) => "record",
            (Self::Record, _) => "records",
        }
    }
}

/// What became of all that a file held: so much was read, so much of it mended, and nothing left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// What the file itself counts and was understood: its events, rows or packets.
    pub events: u64,
    /// Which of those.
    pub unit: ReceiptUnit,
    /// Records of Syncline's own that this became, several for some events.
    pub read: u64,
    /// How many of the file's facts had to be mended, each of them marked or counted by a problem.
    pub repaired: u64,
    /// The same by cause, in the order in which the causes are told; they add up to `repaired`.
    pub repairs: Vec<(String, u64)>,
    /// How many records were concluded rather than read, those of a saved capture when it was made.
    pub inferred: u64,
    /// How many of the file's facts are not in the capture: 0 but for damaged files, of which packets make no sense or records
    /// contradict each other.
    pub dropped: u64,
    /// What a reader should know, a sentence each; above all what the format does not hold.
    pub notes: Vec<String>,
    /// Whether the reader tied the parts of collective operations itself, by groups and numbers that its records hold packed.
    pub(crate) knows_collectives: bool,
}

impl Receipt {
    /// Counts `count` facts that were mended for a cause such as `negative times`.
    pub fn repair(&mut self, cause: &str, count: u64) {
        if count == 0 {
            return;
        }
        // A file of ours may say any number.
        self.repaired = self.repaired.saturating_add(count);
        match self.repairs.iter_mut().find(|(known, _)| known == cause) {
            Some((_, sum)) => *sum = sum.saturating_add(count),
            None => self.repairs.push((cause.to_owned(), count)),
        }
    }

    /// Says that operations start before the calls that submitted them, and by how much at most.
    pub(super) fn remark_early(&mut self, (count, most): (u64, Nanos)) {
        if count > 0 {
            let started = counted(count, "{operation starts|operations start} up to");
            let (them, they_are) = if count == 1 {
                ("it", "It is")
            } else {
                ("them", "They are")
            };
            self.note(format!(
                "{started} {most} before the call that submitted {them}: the clock of the device, as the file has it, is \
                 not that of the host. {they_are} drawn where the file has {them}, without a time in the queue."
            ));
        }
    }

    /// Says that values of counters are no numbers, and are not shown.
    pub(super) fn without_numbers(&mut self, count: u64, sink: &mut RecordSink<'_>) {
        self.repair("values of counters that are no numbers", count);
        if count > 0 {
            let words = "{value of a counter is no number and is|values of counters are no numbers and are} not shown.";
            self.complain(
                sink,
                (Severity::Warning, "no-number"),
                counted(count, words),
            );
        }
    }

    /// Says that spans have times that cannot be true.
    pub(super) fn with_far_times(&mut self, count: u64, sink: &mut RecordSink<'_>) {
        self.repair("times that cannot be true", count);
        if count > 0 {
            let words = "{span begins or ends|spans begin or end} more than a century from where the capture's time begins, or \
                         after the last time that the format can tell, which cannot be true.";
            self.complain(sink, (Severity::Warning, "far-time"), counted(count, words));
        }
    }

    /// Adds a sentence for each count but zero. Its words are those of [`counted`], without the point at the end.
    pub(super) fn note_counts<'a>(&mut self, said: impl IntoIterator<Item = (u64, &'a str)>) {
        for (count, words) in said {
            if count > 0 {
                self.note(format!("{}.", counted(count, words)));
            }
        }
    }

    /// Adds a sentence that is also a problem of the capture.
    pub(super) fn complain(
        &mut self,
        sink: &mut RecordSink<'_>,
        (severity, code): (Severity, &'static str),
        text: String,
    ) {
        sink.complain(severity, code, text.clone());
        self.notes.push(text);
    }

    /// Takes what a saved capture says of the file that it was made of; gives back every other record.
    pub(super) fn keep(&mut self, record: Record) -> Option<Record> {
        match record {
            Record::Note(text) => self.notes.push(text.into()),
            Record::FileRepair(repair) => {
                self.repaired = self.repaired.saturating_add(repair.count);
                self.repairs.push((repair.cause.into(), repair.count));
            }
            other => return Some(other),
        }
        None
    }

    /// Counts a dependency of a saved capture: what was concluded when it was made is concluded still.
    pub(super) fn read_back(&mut self, dependency: &Dependency) {
        self.inferred += u64::from(dependency.basis == Basis::Inferred);
    }

    /// Adds a sentence.
    pub fn note(&mut self, text: impl Into<String>) {
        if self.notes.len() < MOST_NOTES {
            self.notes.push(text.into());
        } else if self.notes.len() == MOST_NOTES {
            self.notes
                .push("There are more notes, which are not told.".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_says_any_number_of_repairs_is_counted_on() {
        let mut receipt = Receipt::default();
        receipt.repair("negative times", u64::MAX);
        receipt.repair("negative times", 2);
        assert_eq!(receipt.repaired, u64::MAX);
        assert_eq!(receipt.repairs, [("negative times".to_owned(), u64::MAX)]);
    }
}

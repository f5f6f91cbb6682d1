//! What could not be read of a database, or not as it was written: told once a table, with the first row of it.

use std::collections::BTreeMap;

use crate::importer::{Receipt, RecordSink};
use record::{Severity, counted};

/// Where and why a table could not be read further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::importer) struct TableFault {
    pub table: String,
    /// The first row that could not be read, counted from 1.
    pub row: u64,
    pub why: String,
}

impl TableFault {
    fn tell(self, sink: &mut RecordSink<'_>, receipt: &mut Receipt) {
        let Self { table, row, why } = self;
        let text = format!(
            "Table {table} could be read up to row {}; row {row} and what follows is lost: {why}. Export the file anew if you \
             can.",
            row.saturating_sub(1)
        );
        sink.complain(Severity::DataLoss, "table-damaged", text.clone());
        // How many rows followed nobody can tell any more.
        receipt.dropped += 1;
        receipt.note(text);
    }
}

/// Rows of one table of which the same has to be said.
#[derive(Clone, Copy, Debug)]
struct OddRows {
    first: u64,
    count: u64,
}

/// Everything that has to be said, by table.
#[derive(Debug, Default)]
pub(in crate::importer) struct TableProblems {
    faults: Vec<TableFault>,
    unplaced: BTreeMap<String, OddRows>,
    mended: BTreeMap<String, u64>,
}

impl TableProblems {
    /// Tables that could not be read to their end.
    pub fn faults(&mut self, faults: Vec<TableFault>) {
        self.faults.extend(faults);
    }

    /// A row says neither when nor where.
    pub fn unplaced(&mut self, table: &str, row: u64) {
        match self.unplaced.get_mut(table) {
            Some(odd) => odd.count += 1,
            None => drop(self.unplaced.insert(
                table.to_owned(),
                OddRows {
                    first: row,
                    count: 1,
                },
            )),
        }
    }

    /// Cells that were of another type than the format says.
    pub fn mended(&mut self, table: &str, count: u64) {
        if count > 0 {
            *self.mended.entry(table.to_owned()).or_default() += count;
        }
    }

    /// Says it all, in problems of the capture and in the receipt.
    pub fn tell(self, sink: &mut RecordSink<'_>, receipt: &mut Receipt) {
        for fault in self.faults {
            fault.tell(sink, receipt);
        }
        for (table, OddRows { first, count }) in self.unplaced {
            let words = format!(
                "{{row of table {table} has no time that can be read and is not shown; it|rows of table {table} have no time \
                 that can be read and are not shown; the first}} is row {first}."
            );
            let text = counted(count, &words);
            receipt.dropped += count;
            receipt.complain(sink, (Severity::DataLoss, "rows-without-time"), text);
        }
        for (table, count) in self.mended {
            let words = format!(
                "{{cell of table {table} is of another type than it|cells of table {table} are of another type than they}} \
                 should be."
            );
            let text = counted(count, &words);
            sink.complain(Severity::Info, "cells-of-other-type", text);
            receipt.repair("cells of another type", count);
        }
    }
}

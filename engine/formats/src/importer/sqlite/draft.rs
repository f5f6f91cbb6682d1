//! The capture that a database is made into, as far as it has come.

use super::{SqliteDevices, SqliteLanes, SqliteNames, TableProblems};
use crate::importer::{ImportError, Receipt, RecordSink};
use record::time::Nanos;
use record::{
    CallId, Dependency, LaneId, NameId, Record, Severity, Span, SpanId, SpanKind, State, Value,
    counted,
};

/// An operation of a stream, in the file's own time.
#[derive(Clone, Copy, Debug)]
pub(in crate::importer) struct SqliteSpan {
    pub lane: LaneId,
    pub name: NameId,
    pub kind: SpanKind,
    pub state: State,
    /// When it was handed to its stream, where that is known.
    pub enqueued: Option<i64>,
    pub start: i64,
    pub end: i64,
}

/// The capture as far as it has come, and what the receipt will say.
pub(in crate::importer) struct SqliteDraft<'a, 's> {
    pub sink: &'a mut RecordSink<'s>,
    pub names: SqliteNames,
    pub lanes: SqliteLanes,
    pub devices: SqliteDevices,
    pub troubles: TableProblems,
    pub receipt: Receipt,
    /// The file's time at capture time zero.
    pub zero: i64,
    /// Rows of host threads that have a start and no end.
    pub unended: u64,
    /// Values of counters that are no numbers.
    pub no_numbers: u64,
    spans: u32,
    backwards: u64,
    /// Operations that start before they were submitted, and by how much at most.
    early: (u64, Nanos),
}

impl<'a, 's> SqliteDraft<'a, 's> {
    pub fn new(sink: &'a mut RecordSink<'s>) -> Self {
        Self {
            sink,
            names: SqliteNames::default(),
            lanes: SqliteLanes::default(),
            devices: SqliteDevices::default(),
            troubles: TableProblems::default(),
            receipt: Receipt::default(),
            zero: 0,
            unended: 0,
            no_numbers: 0,
            spans: 0,
            backwards: 0,
            early: (0, Nanos::ZERO),
        }
    }

    /// The number of a text.
    pub fn name(&mut self, text: &str) -> NameId {
        self.names.id(text, self.sink)
    }

    /// The file's time as capture time.
    pub fn time(&self, time: i64) -> Nanos {
        Nanos(time.saturating_sub(self.zero))
    }

    /// The number of the next span.
    pub fn next_span(&mut self) -> SpanId {
        self.spans += 1;
        SpanId(self.spans - 1)
    }

    /// Takes an operation of a stream.
    pub fn ran(&mut self, ran: SqliteSpan) -> SpanId {
        let id = self.next_span();
        self.put(id, ran);
        id
    }

    /// The same for one that has a number.
    pub fn put(&mut self, id: SpanId, ran: SqliteSpan) {
        let enqueued = ran.enqueued.unwrap_or(ran.start);
        self.backwards += u64::from(ran.end < ran.start);
        if enqueued > ran.start {
            let by = Nanos(enqueued.saturating_sub(ran.start));
            self.early = (self.early.0 + 1, self.early.1.max(by));
        }
        self.sink.push(Record::Span(Span {
            id,
            lane: ran.lane,
            name: ran.name,
            call: CallId::NONE,
            kind: ran.kind,
            state: ran.state,
            enqueued: self.time(enqueued),
            start: self.time(ran.start),
            end: self.time(ran.end),
        }));
    }

    /// Adds a field to a span.
    pub fn argument(&mut self, span: SpanId, name: NameId, value: Value) {
        self.sink.push(Record::Argument(span, name, value));
    }

    /// The same for a field whose name has no number yet.
    pub fn field(&mut self, span: SpanId, name: &str, value: Value) {
        let name = self.name(name);
        self.argument(span, name, value);
    }

    /// Says that a table has not these columns, which it should have.
    pub fn without_columns(&mut self, table: &str, lacking: &[&str]) {
        let text = format!(
            "Table {table} has no {} {}, which every such file has: what stands there is lost. Export the file anew.",
            if lacking.len() == 1 {
                "column"
            } else {
                "columns"
            },
            lacking.join(", ")
        );
        let kind = (Severity::DataLoss, "no-column");
        self.receipt.complain(self.sink, kind, text);
        self.receipt.dropped += 1;
    }

    /// Ties a cause to its effect.
    pub fn depends(&mut self, dependency: Dependency) {
        self.sink.push(Record::Dependency(dependency));
    }

    /// Says all that has to be said in the end.
    pub fn finish(mut self) -> Result<Receipt, ImportError> {
        self.lanes.finish(self.sink);
        self.receipt.repair("ends before it starts", self.backwards);
        self.receipt.repair("begins without an end", self.unended);
        if self.unended > 0 {
            let words = "{span has a beginning and no end; it is|spans have a beginning and no end; they are} shown as still \
                         running.";
            let text = counted(self.unended, words);
            let kind = (Severity::Warning, "no-end");
            self.receipt.complain(self.sink, kind, text);
        }
        self.receipt
            .repair("enqueued after it started", self.early.0);
        self.receipt.remark_early(self.early);
        self.receipt.without_numbers(self.no_numbers, self.sink);
        self.troubles.tell(self.sink, &mut self.receipt);
        self.sink.send()?;
        Ok(self.receipt)
    }
}

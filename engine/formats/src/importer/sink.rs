//! Where an importer's records go: batches, with how far reading has come, until the reader cancels.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use super::memory_limit::{MemoryLimit, exceeded};
use super::source::ReadMeter;
use super::{ImportError, Source};
use record::time::Nanos;
use record::{EventId, Problem, Record, Severity, SpanId, counted};

/// How many records go over at once.
const BATCH: usize = 8192;
/// How many records are taken between two looks at the memory.
const LOOK: u64 = 1024;
/// So many problems of a file are told one by one.
const MOST_PROBLEMS: u64 = 10_000;
/// How many bytes are read at most between two batches, so that progress shows and cancelling works.
const STRIDE: u64 = 1 << 20;

/// Records of a file, and how far reading has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportBatch {
    /// The records; may be none.
    pub records: Vec<Record>,
    /// Bytes read so far, of a packed file as it lies there packed.
    pub read: u64,
    /// Bytes of the whole file, in the same sense.
    pub total: u64,
}

/// A century in nanoseconds. No capture is as long, and one that counts from 1970 is not as far from its zero.
const CENTURY: i64 = 100 * 31_557_600 * 1_000_000_000;

/// Whether a span begins or ends at a time that cannot be true.
fn is_far(record: &Record) -> bool {
    let is_beyond = |time: Nanos| time.0.unsigned_abs() > CENTURY.unsigned_abs();
    match record {
        Record::Span(span) => is_beyond(span.start) || is_beyond(span.end),
        _ => false,
    }
}

/// The last instant that a span may have: an interval ends behind its last.
const LAST: Nanos = Nanos(i64::MAX - 1);

/// A record with times that an interval can hold.
fn bounded(mut record: Record) -> Record {
    if let Record::Span(span) = &mut record {
        span.start = span.start.min(LAST);
        span.end = span.end.min(LAST);
    }
    record
}

/// Gathers records into batches.
pub struct RecordSink<'a> {
    out: &'a mut dyn FnMut(ImportBatch) -> ControlFlow<()>,
    records: Vec<Record>,
    /// Bytes read of the file as it lies there.
    read: u64,
    /// How far the source's reader has come, and how far it had come when the last batch was sent: of a packed file that counts
    /// what it holds.
    reached: u64,
    sent: u64,
    total: u64,
    count: u64,
    /// Spans whose times cannot be true.
    far: u64,
    /// The reader wants no more, and has yet to be told that here.
    cancelled: bool,
    /// How much memory reading may take, and whether it took more.
    limit: MemoryLimit,
    exceeded: bool,
    /// How many records there were at the last look.
    looked: u64,
    /// How many problems were told.
    problems: u64,
    path: PathBuf,
    /// Where progress is counted in a packed file: what is read there is not what is read here.
    meter: Option<Arc<ReadMeter>>,
}

impl<'a> RecordSink<'a> {
    /// What stands for the end of a file where nobody counted its bytes.
    pub const WHOLE: u64 = u64::MAX;

    /// A sink for what `source` holds.
    pub fn new(source: &Source, out: &'a mut dyn FnMut(ImportBatch) -> ControlFlow<()>) -> Self {
        Self {
            out,
            records: Vec::new(),
            read: 0,
            reached: 0,
            sent: 0,
            total: source.length(),
            count: 0,
            far: 0,
            cancelled: false,
            limit: MemoryLimit::new(),
            exceeded: false,
            looked: 0,
            problems: 0,
            path: source.path().to_owned(),
            meter: source.packed().map(|_| source.meter()),
        }
    }

    /// Takes a record; none any more once reading is to end.
    pub fn push(&mut self, record: Record) {
        if self.cancelled {
            return;
        }
        self.count += match &record {
            Record::Fields(fields) => u64::from(fields.count),
            _ => 1,
        };
        self.far += u64::from(is_far(&record));
        self.records.push(bounded(record));
        if self.count.saturating_sub(self.looked) >= LOOK {
            self.look();
        }
        self.ease();
    }

    /// Takes several records, as [`RecordSink::push`] takes one.
    pub fn extend(&mut self, records: Vec<Record>) {
        if self.cancelled {
            return;
        }
        self.count += records.len() as u64;
        self.far += records.iter().filter(|it| is_far(it)).count() as u64;
        self.records.extend(records.into_iter().map(bounded));
        self.ease();
    }

    /// How many bytes the file holds as far as it was read: of a packed one that is more than its length.
    fn holds(&self) -> u64 {
        self.total.max(self.reached)
    }

    /// Looks whether reading takes too much memory; then nothing is taken any more, and the next batch ends it.
    fn look(&mut self) {
        self.looked = self.count;
        self.exceeded |= self.limit.is_exceeded(self.holds());
        if self.exceeded {
            self.cancelled = true;
            self.records.clear();
        }
    }

    /// Sends what has gathered where that is much, so that memory stays small between two calls of
    /// [`Sink::advance`], which then tells whether the reader cancelled.
    fn ease(&mut self) {
        if self.records.len() >= BATCH * 2 && self.send().is_err() {
            self.cancelled = true;
        }
    }

    /// Takes a problem of the file as a whole. Beyond ten thousand they only count.
    pub fn complain(&mut self, severity: Severity, code: &str, text: String) {
        self.problems += 1;
        if self.problems <= MOST_PROBLEMS {
            self.problem(severity, code, text);
        }
    }

    /// Says how many problems were not told, where there are too many.
    pub(super) fn tell_rest(&mut self) {
        let rest = self.problems.saturating_sub(MOST_PROBLEMS);
        if rest > 0 {
            let text = counted(rest, "{more problem is|more problems are} not told.");
            self.problem(Severity::Warning, "problems-cropped", text);
        }
    }

    fn problem(&mut self, severity: Severity, code: &str, text: String) {
        self.push(Record::Problem(Box::new(Problem {
            severity,
            code: code.to_owned(),
            text,
            span: SpanId::NONE,
            event: EventId::NONE,
        })));
    }

    /// Counts spans whose times cannot be true, though nothing of it is seen in them any more.
    pub fn add_far(&mut self, count: u64) {
        self.far += count;
    }

    /// How many spans have times that cannot be true.
    pub fn far(&self) -> u64 {
        self.far
    }

    /// How many records it took.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Says that the file was read up to byte `read` of what the source's reader gave, or [`RecordSink::WHOLE`], and sends what has gathered
    /// once that is enough.
    ///
    /// # Errors
    /// [`ImportError::Cancelled`] where the reader wants no more.
    pub fn advance(&mut self, read: u64) -> Result<(), ImportError> {
        let read = if read == Self::WHOLE {
            self.reached
        } else {
            read
        };
        self.reached = read;
        self.read = match &self.meter {
            Some(meter) => meter.read().min(self.total),
            None => read.min(self.total),
        };
        if self.cancelled || self.records.len() >= BATCH || read.saturating_sub(self.sent) >= STRIDE
        {
            self.send()
        } else {
            Ok(())
        }
    }

    /// Sends what has gathered.
    ///
    /// # Errors
    /// [`ImportError::Cancelled`] where the reader wants no more.
    pub fn send(&mut self) -> Result<(), ImportError> {
        self.sent = self.reached;
        self.look();
        if self.exceeded {
            return Err(exceeded(&self.path, self.holds()));
        }
        if self.cancelled {
            self.records.clear();
            return Err(ImportError::Cancelled);
        }
        // The next batch will be about as long, and growing towards that would copy it several times.
        let room = self.records.len().min(BATCH * 4);
        let batch = ImportBatch {
            records: std::mem::replace(&mut self.records, Vec::with_capacity(room)),
            read: self.read,
            total: self.total,
        };
        match (self.out)(batch) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(ImportError::Cancelled),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use prost::Message as _;

    use super::*;
    use crate::importer::open_source;
    use crate::perfetto::proto::{TracePacket, TrackEvent, event_type};

    /// What the limit is measured by is what was read, also where nobody counts any more.
    #[test]
    fn the_end_of_a_file_is_no_more_than_was_read_of_it() {
        let source = Source::from_bytes("a.json", b"[{}]".to_vec()).unwrap();
        let mut take = |_| ControlFlow::Continue(());
        let mut sink = RecordSink::new(&source, &mut take);
        sink.advance(7).unwrap();
        sink.advance(RecordSink::WHOLE).unwrap();
        assert_eq!((sink.holds(), sink.read), (7, 4));
    }

    /// An importer may go on for a while before it is told that its reader wants no more.
    #[test]
    fn nothing_gathers_once_reading_is_to_end() {
        let source = Source::from_bytes("a.json", b"[{}]".to_vec()).unwrap();
        let mut take = |_| ControlFlow::Break(());
        let mut sink = RecordSink::new(&source, &mut take);
        for number in 0..BATCH * 4 {
            sink.complain(Severity::Info, "a", number.to_string());
            sink.push(Record::End(Box::default()));
        }
        assert!(sink.records.is_empty(), "{}", sink.records.len());
        assert!(matches!(sink.send(), Err(ImportError::Cancelled)));
    }

    /// However well a file is packed, a batch holds many records: whoever takes them does something for each.
    #[test]
    fn a_packed_file_comes_in_no_more_batches_than_one_that_is_not() {
        let mut plain = Vec::new();
        for time in 0..5_000 {
            let packet = TracePacket {
                timestamp: Some(time),
                track_event: Some(TrackEvent {
                    r#type: Some(event_type::INSTANT),
                    name: Some("step".to_owned()),
                    ..TrackEvent::default()
                }),
                ..TracePacket::default()
            };
            plain.push(10);
            packet.encode_length_delimited(&mut plain).unwrap();
        }
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&plain).unwrap();
        let archive = encoder.finish().unwrap();
        assert!(archive.len() * 4 < plain.len());
        let batches = |bytes: Vec<u8>| {
            let source = Source::from_bytes("a.pftrace", bytes).unwrap();
            let mut count = 0;
            let mut take = |_| {
                count += 1;
                ControlFlow::Continue(())
            };
            open_source(&source, &mut take).unwrap();
            count
        };
        let (whole, packed) = (batches(plain), batches(archive));
        assert!(packed <= whole + 2, "{packed} batches instead of {whole}");
    }
}

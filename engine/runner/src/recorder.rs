//! Takes records from every thread in batches, and never loses one.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use crossbeam_channel::{Receiver, Sender, bounded};

use backend::ReportSink;
use device::lock;
use record::Record;

/// Records after which a thread hands its batch on.
const BATCH: usize = 1024;
/// Batches between the threads and the collector.
const CHANNEL: usize = 64;

/// Takes records from every thread. Each has a batch of its own, which it hands on when it is full and
/// which the collector fetches a few dozen times a second otherwise.
pub struct Recorder {
    batches: Mutex<Vec<Arc<Mutex<ReportBatch>>>>,
    channel: Sender<Vec<Record>>,
    full: Receiver<Vec<Record>>,
    /// Where all threads share one batch, so that the order of records is the order of their making.
    shared: Option<Arc<Mutex<ReportBatch>>>,
    /// Names, which go out before whatever may refer to them.
    names: Arc<Mutex<ReportBatch>>,
    taken: AtomicU64,
}

#[derive(Debug, Default)]
struct ReportBatch {
    records: Vec<Record>,
    given: u64,
}

impl Recorder {
    /// With `in_order`, records come out in the order in which they were reported, for threads that take turns.
    pub fn new(in_order: bool) -> Self {
        let (channel, full) = bounded(CHANNEL);
        let shared = in_order.then(Arc::<Mutex<ReportBatch>>::default);
        let names = shared.clone().unwrap_or_default();
        Self {
            batches: Mutex::new(vec![Arc::clone(&names)]),
            channel,
            full,
            shared,
            names,
            taken: AtomicU64::new(0),
        }
    }

    /// A place for one thread to report to.
    pub fn reporter(&self) -> Reporter {
        let batch = self.shared.clone().unwrap_or_else(|| {
            let batch = Arc::<Mutex<ReportBatch>>::default();
            lock(&self.batches).push(Arc::clone(&batch));
            batch
        });
        Reporter {
            batch,
            names: Arc::clone(&self.names),
            channel: self.channel.clone(),
        }
    }

    /// Records that were reported so far.
    pub fn reported_count(&self) -> u64 {
        lock(&self.batches)
            .iter()
            .map(|batch| lock(batch).given)
            .sum()
    }

    /// Records that were fetched so far.
    pub fn taken(&self) -> u64 {
        self.taken.load(Relaxed)
    }

    /// Batches that are full, as they come. Whoever takes one must pass it to [`Recorder::take`].
    pub const fn full(&self) -> &Receiver<Vec<Record>> {
        &self.full
    }

    /// Counts a batch as fetched and hands its records to `collect`, with the names that they may refer to before them.
    pub fn take(&self, records: Vec<Record>, collect: &mut dyn FnMut(Vec<Record>)) {
        let names = match self.shared {
            Some(_) => Vec::new(),
            None => std::mem::take(&mut lock(&self.names).records),
        };
        for records in [names, records] {
            if !records.is_empty() {
                self.taken.fetch_add(records.len() as u64, Relaxed);
                collect(records);
            }
        }
    }

    /// Fetches everything that was reported before this call.
    pub fn sweep(&self, collect: &mut dyn FnMut(Vec<Record>)) {
        let batches = lock(&self.batches).clone();
        for batch in batches {
            let mut batch = lock(&batch);
            // What the thread handed on comes first, and while it is locked it hands nothing on.
            let full: Vec<_> = self.full.try_iter().collect();
            let rest = std::mem::take(&mut batch.records);
            drop(batch);
            for records in full {
                self.take(records, collect);
            }
            self.take(rest, collect);
        }
    }
}

/// Where one thread reports to.
#[derive(Clone)]
pub struct Reporter {
    batch: Arc<Mutex<ReportBatch>>,
    names: Arc<Mutex<ReportBatch>>,
    channel: Sender<Vec<Record>>,
}

impl Reporter {
    /// Reports a record.
    pub fn send(&self, record: Record) {
        let is_name = matches!(record, Record::Name(..)) && !Arc::ptr_eq(&self.names, &self.batch);
        let mut batch = lock(if is_name { &self.names } else { &self.batch });
        batch.given += 1;
        batch.records.push(record);
        if !is_name && batch.records.len().is_multiple_of(BATCH) {
            let fresh = Vec::with_capacity(BATCH);
            let records = std::mem::replace(&mut batch.records, fresh);
            if let Err(error) = self.channel.try_send(records) {
                // The collector is behind: keep the batch, and try again when it has grown by as much.
                batch.records = error.into_inner();
            }
        }
    }
}

impl ReportSink for Reporter {
    fn report(&mut self, record: Record) {
        self.send(record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{NameId, SpanId, Value};

    fn fact(id: u32) -> Record {
        Record::Argument(SpanId(id), NameId(0), Value::Integer(0))
    }

    #[test]
    fn many_threads_against_a_slow_collector_lose_nothing() {
        const EACH: u32 = 200_000;
        let recorder = Recorder::new(false);
        let mut seen = vec![0_u32; 4];
        std::thread::scope(|scope| {
            for thread in 0..4_u32 {
                let reporter = recorder.reporter();
                scope.spawn(move || (0..EACH).for_each(|k| reporter.send(fact(thread * EACH + k))));
            }
            let mut collect = |records: Vec<Record>| {
                for record in records {
                    let Record::Argument(id, ..) = record else {
                        unreachable!("only arguments")
                    };
                    let (thread, k) = ((id.0 / EACH) as usize, id.0 % EACH);
                    assert_eq!(seen[thread], k, "the records of a thread stay in order");
                    seen[thread] += 1;
                }
            };
            while recorder.taken() < u64::from(EACH) * 4 {
                std::thread::sleep(std::time::Duration::from_millis(3));
                recorder.sweep(&mut collect);
            }
        });
        assert_eq!(seen, [EACH; 4]);
        assert_eq!(recorder.reported_count(), recorder.taken());
    }

    #[test]
    fn a_name_comes_before_what_another_thread_says_of_it() {
        let recorder = Recorder::new(false);
        // Swept after the other, and its batch is never full.
        let (user, author) = (recorder.reporter(), recorder.reporter());
        author.send(Record::Name(NameId(0), "saxpy".into()));
        (0..BATCH as u32).for_each(|id| user.send(fact(id)));
        let mut order = Vec::new();
        let mut collect = |records: Vec<Record>| {
            order.extend(records.iter().map(|it| matches!(it, Record::Name(..))));
        };
        let full = recorder.full().try_recv().unwrap();
        recorder.take(full, &mut collect);
        author.send(Record::Name(NameId(1), "copy".into()));
        user.send(fact(0));
        recorder.sweep(&mut collect);
        let names: Vec<_> = (0..order.len()).filter(|&at| order[at]).collect();
        assert_eq!(names, [0, BATCH + 1]);
        assert_eq!(recorder.reported_count(), recorder.taken());
    }
}

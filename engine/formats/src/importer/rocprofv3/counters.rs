//! What was counted while kernels ran: a field of the kernel, and a series over time.

use std::collections::{BTreeMap, HashMap};

use super::row::CounterCollection;
use super::{Rocprofv3Reader, facts::Rocprofv3Facts};
use crate::importer::sqlite::SqliteDraft;
use record::{Counter, CounterId, Record, Sample, SpanId, Value};

/// A counter by process and the file's own number.
type CounterKey = (u32, i64);

/// The series of every counter.
#[derive(Debug, Default)]
pub(super) struct Rocprofv3Counters {
    ids: HashMap<CounterKey, CounterId>,
    samples: BTreeMap<(CounterId, i64), f64>,
}

impl Rocprofv3Counters {
    /// A counter had a value while a kernel ran.
    fn add(
        &mut self,
        own: CounterKey,
        (start, end): (i64, i64),
        value: f64,
        facts: &Rocprofv3Facts,
        draft: &mut SqliteDraft<'_, '_>,
    ) {
        let next = CounterId(self.ids.len() as u32);
        let id = *self.ids.entry(own).or_insert(next);
        if id == next {
            draft.sink.push(Record::Counter(Box::new(Counter {
                id,
                name: facts.counter(own.0, own.1),
                unit: String::new(),
                device: None,
            })));
        }
        *self.samples.entry((id, start)).or_default() += value;
        // Kernels may follow each other at once.
        self.samples.entry((id, end)).or_default();
    }

    /// Hands over every series in order of time.
    pub fn finish(&mut self, draft: &mut SqliteDraft<'_, '_>) {
        for ((counter, time), value) in std::mem::take(&mut self.samples) {
            let time = draft.time(time);
            draft.sink.push(Record::Sample(Sample {
                counter,
                time,
                value,
            }));
        }
    }
}

impl Rocprofv3Reader<'_, '_> {
    /// Takes what was counted while one kernel ran: parts of one counter add up.
    pub(super) fn count(
        &mut self,
        process: u32,
        collection: &CounterCollection,
        spans: &HashMap<(u32, i64), SpanId>,
    ) {
        let row = &collection.dispatch_data;
        let mut sums: BTreeMap<i64, f64> = BTreeMap::new();
        for counted in &collection.records {
            *sums.entry(counted.counter_id.or_zero()).or_default() += counted.value;
        }
        let dispatch = row.dispatch_info.as_ref().map(|it| it.dispatch_id);
        let span = dispatch.and_then(|id| spans.get(&(process, id.or_zero())).copied());
        for (counter, value) in sums {
            if let Some(span) = span {
                let name = self.facts.counter(process, counter);
                self.draft.field(span, &name, Value::Number(value));
            } else {
                self.unread.stray();
            }
            if let Some((start, end)) = row.times() {
                let own = (process, counter);
                self.counters
                    .add(own, (start, end), value, &self.facts, &mut self.draft);
            }
        }
    }
}

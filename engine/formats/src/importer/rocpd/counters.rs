//! Counters: those that were read now and then, and those that were read for a kernel.

use std::collections::HashMap;

use super::RocpdReader;
use super::facts::ProcessNumber;
use super::host::process;
use super::tables::{RocpdCountRow, RocpdSampleRow};
use record::{Counter, CounterId, Record, Sample, Value};

/// When events of counters were, and the counters that were met.
#[derive(Debug, Default)]
pub(super) struct RocpdCounters {
    times: HashMap<ProcessNumber, i64>,
    ids: HashMap<ProcessNumber, CounterId>,
}

impl RocpdReader<'_, '_> {
    /// Counters were read at an instant.
    pub(super) fn sample(&mut self, row: RocpdSampleRow) {
        if let (Some(event), Some(time)) = (row.event, row.time) {
            let times = &mut self.dialect.counters.times;
            times.insert((self.owner, event), time);
        }
    }

    /// A value of a counter: at an instant, or for a kernel as a whole.
    pub(super) fn count(&mut self, row: RocpdCountRow) {
        let (event, counter) = ((self.owner, row.event), (self.owner, row.counter));
        let Some(value) = row.value.filter(|it| it.is_finite()) else {
            self.draft.no_numbers += 1;
            return;
        };
        if let Some(&time) = self.dialect.counters.times.get(&event) {
            let counter = self.counter(counter);
            let time = self.draft.time(time);
            self.draft.sink.push(Record::Sample(Sample {
                counter,
                time,
                value,
            }));
        } else if let Some(&span) = self.dialect.dispatched.get(&event) {
            let name = self
                .dialect
                .facts
                .counters
                .get(&counter)
                .map_or("counter", |it| it.name.as_str());
            let name = self.draft.names.id(name, self.draft.sink);
            self.draft.argument(span, name, Value::Number(value));
        } else {
            self.dialect.strays += 1;
        }
    }

    fn counter(&mut self, own: ProcessNumber) -> CounterId {
        if let Some(id) = self.dialect.counters.ids.get(&own) {
            return *id;
        }
        let id = CounterId(self.dialect.counters.ids.len() as u32);
        self.dialect.counters.ids.insert(own, id);
        let counted = self
            .dialect
            .facts
            .counters
            .get(&own)
            .cloned()
            .unwrap_or_default();
        let agent = self.dialect.facts.agent((own.0, counted.agent)).cloned();
        let device = agent.filter(|it| it.is_gpu).map(|agent| {
            let key = process(own.0, counted.agent);
            let devices = &mut self.draft.devices;
            devices.id(key, "hip", self.draft.sink, || (agent.name, agent.detail))
        });
        self.draft.sink.push(Record::Counter(Box::new(Counter {
            id,
            name: counted.name,
            unit: counted.unit,
            device,
        })));
        id
    }
}

//! Counters: those that were read now and then, and those that were read for a kernel.

use std::collections::HashMap;

use super::super::sqlite::Row;
use super::Reading;
use super::facts::Own;
use super::host::process;
use super::part::Part;
use record::{Counter, CounterId, Record, Sample, Value};

/// When events of counters were, and the counters that were met.
#[derive(Debug, Default)]
pub(super) struct Counters {
    times: HashMap<Own, i64>,
    ids: HashMap<Own, CounterId>,
}

impl Counters {
    /// Counters were read at an instant.
    pub fn sample(&mut self, owner: i64, row: Row<'_>) {
        if let (Some(event), Some(time)) = (row.integer(0), row.integer(1)) {
            self.times.insert((owner, event), time);
        }
    }
}

impl Reading<'_, '_> {
    /// A value of a counter: at an instant, or for a kernel as a whole.
    pub(super) fn count(&mut self, part: &Part, row: Row<'_>) {
        let event = (part.owner, row.or_zero(0));
        let counter = (part.owner, row.or_zero(1));
        let Some(value) = row.number(2) else {
            return self.draft.troubles.unplaced(&part.query.table, row.number);
        };
        if let Some(&time) = self.counters.times.get(&event) {
            let counter = self.counter(counter);
            let time = self.draft.time(time);
            self.draft.sink.push(Record::Sample(Sample {
                counter,
                time,
                value,
            }));
        } else if let Some(&span) = self.dispatched.get(&event) {
            let name = self
                .facts
                .counters
                .get(&counter)
                .map_or("counter", |it| it.name.as_str());
            let name = self.draft.names.id(name, self.draft.sink);
            self.draft.argument(span, name, Value::Number(value));
        } else {
            self.strays += 1;
        }
    }

    fn counter(&mut self, own: Own) -> CounterId {
        if let Some(id) = self.counters.ids.get(&own) {
            return *id;
        }
        let id = CounterId(self.counters.ids.len() as u32);
        self.counters.ids.insert(own, id);
        let counted = self.facts.counters.get(&own).cloned().unwrap_or_default();
        let agent = self.facts.agent((own.0, counted.agent)).cloned();
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

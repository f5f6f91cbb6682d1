//! What was measured of devices meanwhile, such as their clocks and temperatures.

use super::super::sqlite::Row;
use super::Reading;
use super::part::Part;
use record::{Counter, CounterId, Record, Sample};

impl Reading<'_, '_> {
    pub(super) fn monitor(&mut self, part: &Part, row: Row<'_>) {
        let (Some(time), Some(value)) = (row.integer(0), row.number(4)) else {
            return self.draft.troubles.unplaced(&part.query.table, row.number);
        };
        let text = |at: usize| row.text(at).unwrap_or_default();
        let name = format!("{} {} {}", text(1), row.or_zero(2), text(3));
        let next = CounterId(self.counters.len() as u32);
        let counter = *self.counters.entry(name.clone()).or_insert(next);
        if counter == next {
            self.draft.sink.push(Record::Counter(Box::new(Counter {
                id: counter,
                name,
                unit: String::new(),
                device: None,
            })));
        }
        let time = self.draft.time(time);
        self.draft.sink.push(Record::Sample(Sample {
            counter,
            time,
            value,
        }));
    }
}

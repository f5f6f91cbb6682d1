//! What was measured of the NPU meanwhile.

use super::super::sqlite::Row;
use super::Reading;
use super::part::{Part, Series};
use record::{Counter, CounterId, Record, Sample};

impl Reading<'_, '_> {
    pub(super) fn sample(&mut self, part: &Part, series: &Series, row: Row<'_>) {
        let (Some(time), Some(value)) = (row.integer(0), row.number(1)) else {
            return self.draft.troubles.unplaced(&part.query.table, row.number);
        };
        let device = row.or_zero(2);
        let which = row
            .integer(3)
            .map(|number| format!(" {} {number}", series.by));
        let sort = row
            .integer(4)
            .and_then(|id| self.strings.text(id))
            .map(|text| format!(", {text}"));
        let name = format!(
            "{}{}{}",
            series.name,
            which.unwrap_or_default(),
            sort.unwrap_or_default()
        );
        let key = format!("{name} of {device}");
        let next = CounterId(self.counters.len() as u32);
        let counter = *self.counters.entry(key).or_insert(next);
        if counter == next {
            let device = self.device(device);
            self.draft.sink.push(Record::Counter(Box::new(Counter {
                id: counter,
                name,
                unit: series.unit.to_owned(),
                device: Some(device),
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

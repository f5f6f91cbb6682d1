//! What was measured of devices meanwhile, such as their clocks and temperatures.

use super::super::sqlite::UntimedRow;
use super::RpdReader;
use super::tables::RpdMonitorRow;
use record::{Counter, CounterId, Record, Sample};

impl RpdReader<'_, '_> {
    pub(super) fn monitor(&mut self, row: RpdMonitorRow<'_>) -> Result<(), UntimedRow> {
        let time = row.time.ok_or(UntimedRow)?;
        // The format writes texts, which need not be numbers.
        let value = row.value.and_then(|it| it.trim().parse::<f64>().ok());
        let Some(value) = value.filter(|it| it.is_finite()) else {
            self.draft.no_numbers += 1;
            return Ok(());
        };
        let name = format!("{} {} {}", row.device_sort, row.device, row.measured);
        let counters = &mut self.dialect.counters;
        let next = CounterId(counters.len() as u32);
        let counter = *counters.entry(name.clone()).or_insert(next);
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
        Ok(())
    }
}

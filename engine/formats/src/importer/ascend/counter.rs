//! What was measured of the NPU meanwhile.

use super::super::sqlite::UntimedRow;
use super::AscendReader;
use super::tables::{CacheRow, FrequencyRow, HbmRow, NpuMemoryRow};
use record::{Counter, CounterId, Record, Sample};

/// A counter that a table holds: its name, its unit, and what there may be several of.
#[derive(Clone, Copy, Debug)]
pub(super) struct CounterSeries(pub &'static str, pub &'static str, pub &'static str);

const FREQUENCY: CounterSeries = CounterSeries("AI core frequency", "MHz", "");
const BANDWIDTH: CounterSeries = CounterSeries("HBM bandwidth", "B/s", "HBM");
const CACHE: CounterSeries = CounterSeries("LLC throughput", "B/s", "LLC");
const MEMORY: CounterSeries = CounterSeries("NPU memory", "bytes", "");

impl AscendReader<'_, '_> {
    pub(super) fn frequency(&mut self, row: FrequencyRow) -> Result<(), UntimedRow> {
        let at = (row.time, row.device);
        self.sample(FREQUENCY, at, row.value, (None, None))
    }

    pub(super) fn memory_bandwidth(&mut self, row: HbmRow) -> Result<(), UntimedRow> {
        let at = (row.time, row.device);
        self.sample(BANDWIDTH, at, row.value, (row.number, row.sort))
    }

    pub(super) fn cache_throughput(&mut self, row: CacheRow) -> Result<(), UntimedRow> {
        let at = (row.time, row.device);
        self.sample(CACHE, at, row.value, (row.number, row.sort))
    }

    pub(super) fn memory(&mut self, row: NpuMemoryRow) -> Result<(), UntimedRow> {
        let at = (row.time, row.device);
        self.sample(MEMORY, at, row.value, (None, row.sort))
    }

    /// A value of a series: of which of several it is, and of what sort, is told by a number and a text of the file.
    pub(super) fn sample(
        &mut self,
        CounterSeries(name, unit, of): CounterSeries,
        (time, device): (Option<i64>, i64),
        value: Option<f64>,
        (number, sort): (Option<i64>, Option<i64>),
    ) -> Result<(), UntimedRow> {
        let time = time.ok_or(UntimedRow)?;
        let Some(value) = value.filter(|it| it.is_finite()) else {
            self.draft.no_numbers += 1;
            return Ok(());
        };
        let counter = self.counter((name, unit, of), device, (number, sort));
        let time = self.draft.time(time);
        self.draft.sink.push(Record::Sample(Sample {
            counter,
            time,
            value,
        }));
        Ok(())
    }

    /// The number of a counter, which is told where it is new.
    fn counter(
        &mut self,
        (name, unit, of): (&str, &str, &str),
        device: i64,
        (number, sort): (Option<i64>, Option<i64>),
    ) -> CounterId {
        let which = number.map(|number| format!(" {of} {number}"));
        let sort = sort.and_then(|id| self.dialect.strings.text(id));
        let sort = sort.map(|text| format!(", {text}"));
        let name = format!(
            "{name}{}{}",
            which.unwrap_or_default(),
            sort.unwrap_or_default()
        );
        let key = format!("{name} of {device}");
        let counters = &mut self.dialect.counters;
        let next = CounterId(counters.len() as u32);
        let counter = *counters.entry(key).or_insert(next);
        if counter == next {
            let device = self.device(device);
            self.draft.sink.push(Record::Counter(Box::new(Counter {
                id: counter,
                name,
                unit: unit.to_owned(),
                device: Some(device),
            })));
        }
        counter
    }
}

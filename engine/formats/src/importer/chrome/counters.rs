//! Counters: each field of an event of the phase `C` is a series of its own, and so is what the events of an allocator tell of a
//! device.

use super::build::ParsedEvent;
use super::lanes::program;
use super::rows::ChromeRows;
use super::scan::{ArgumentPayload, RowToken, flag, words};
use super::texts::ChromeTexts;
use crate::importer::RecordSink;
use crate::importer::counter_titles::{CounterTitle, told_apart};
use crate::importer::crop::{cropped, head};
use crate::importer::key_index::KeyIndex;
use record::time::Nanos;
use record::{Counter, CounterId, Record, Sample, TorchDevice};

/// What makes a series.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum SeriesKey {
    /// A field of events: their process, their name, their number and the field.
    Field(RowToken, u32, u64, u32),
    /// Memory of a device, as an allocator of a process tells it.
    Memory(RowToken, TorchDevice, MemorySeries),
}

/// What an allocator tells of a device.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum MemorySeries {
    /// What is allocated.
    Allocated,
    /// What the allocator has of the device.
    Reserved,
    /// What was allocated since the file began, where it has no totals.
    SinceStart,
}

impl MemorySeries {
    const fn title(self) -> &'static str {
        match self {
            Self::Allocated => "Memory allocated",
            Self::Reserved => "Memory reserved",
            Self::SinceStart => "Memory allocated since the start",
        }
    }
}

/// Every series.
#[derive(Default)]
pub(super) struct ChromeCounters {
    known: KeyIndex,
    waiting: Vec<(CounterId, i64, f64)>,
    made: Vec<SeriesKey>,
    /// Changes of memory of which the file says no totals: they are added up once all are known, since a file is not in order.
    changes: Vec<(CounterId, i64, i64)>,
    /// Values that are no numbers.
    pub no_numbers: u64,
}

impl ChromeCounters {
    /// Takes an event.
    pub fn take(
        &mut self,
        told: ParsedEvent<'_>,
        time: i64,
        rows: &ChromeRows,
        texts: &ChromeTexts,
        sink: &mut RecordSink<'_>,
    ) {
        let event = told.event;
        let row = rows.global(told.scanner, event.row);
        let process = rows.get(row).map_or(RowToken::None, |it| it.row.0);
        let name = texts.global(told.scanner, event.name);
        let number = if event.flags & flag::ID != 0 {
            event.id
        } else {
            0
        };
        for argument in told.arguments {
            let field = texts.global(told.scanner, argument.key);
            let value = match argument.payload {
                ArgumentPayload::Text(text) => {
                    texts.text(texts.global(told.scanner, text)).parse().ok()
                }
                other => other.number(texts.table()),
            };
            let Some(value) = value.filter(|it: &f64| it.is_finite()) else {
                self.no_numbers += 1;
                continue;
            };
            let key = SeriesKey::Field(process, name, number, field);
            let id = self.series(key, rows, texts, sink);
            self.waiting.push((id, time, value));
        }
    }

    /// Takes an event of an allocator: the totals that it says, or else what it adds. False where it does not say how many bytes.
    pub fn take_memory(
        &mut self,
        told: ParsedEvent<'_>,
        time: i64,
        rows: &ChromeRows,
        texts: &ChromeTexts,
        sink: &mut RecordSink<'_>,
    ) -> bool {
        let row = rows.global(told.scanner, told.event.row);
        let process = rows.get(row).map_or(RowToken::None, |it| it.row.0);
        let field = |word: u32| {
            let mut all = told.arguments.iter();
            let found = all.find(|it| texts.global(told.scanner, it.key) == word)?;
            found.payload.integer(texts.table())
        };
        let Some(bytes) = field(words::BYTES) else {
            return false;
        };
        let device = TorchDevice {
            kind: field(words::DEVICE_TYPE).unwrap_or(TorchDevice::CPU.kind),
            number: field(words::DEVICE_ID).unwrap_or(TorchDevice::CPU.number),
        };
        let mut of = |series| {
            self.series(
                SeriesKey::Memory(process, device, series),
                rows,
                texts,
                sink,
            )
        };
        let totals = [
            (words::TOTAL_ALLOCATED, MemorySeries::Allocated),
            (words::TOTAL_RESERVED, MemorySeries::Reserved),
        ];
        let mut found = Vec::new();
        for (word, series) in totals {
            if let Some(total) = field(word) {
                found.push((of(series), time, total as f64));
            }
        }
        if found.is_empty() {
            let series = of(MemorySeries::SinceStart);
            self.changes.push((series, time, bytes));
        }
        self.waiting.extend(found);
        true
    }

    /// The number of a series, which is told where it is new.
    fn series(
        &mut self,
        key: SeriesKey,
        rows: &ChromeRows,
        texts: &ChromeTexts,
        sink: &mut RecordSink<'_>,
    ) -> CounterId {
        let (made, next) = (&self.made, self.made.len());
        let known = |it: u32| made.get(it as usize).copied();
        let id = CounterId(self.known.place(&key, next, known));
        if id.index() == next {
            self.made.push(key);
            sink.push(record(id, title(key, rows, texts), unit(key, texts)));
        }
        id
    }

    /// Adds up the changes of memory of which the file says no totals, and hands them over.
    pub fn add_up(&mut self, origin: i64, sink: &mut RecordSink<'_>) {
        // Those of one instant keep the file's order.
        self.changes
            .sort_by_key(|(counter, time, _)| (*counter, *time));
        let mut sum: (Option<CounterId>, i64) = (None, 0);
        for (counter, time, bytes) in self.changes.drain(..) {
            if sum.0 != Some(counter) {
                sum = (Some(counter), 0);
            }
            sum.1 = sum.1.saturating_add(bytes);
            self.waiting.push((counter, time, sum.1 as f64));
        }
        self.hand_over(origin, sink);
    }

    /// Hands over the samples that wait, as instants of the capture.
    pub fn hand_over(&mut self, origin: i64, sink: &mut RecordSink<'_>) {
        for (counter, time, value) in self.waiting.drain(..) {
            let time = Nanos(time) - Nanos(origin);
            sink.push(Record::Sample(Sample {
                counter,
                time,
                value,
            }));
        }
    }

    /// Names all series again, now that the processes have their names.
    pub fn finish(&self, rows: &ChromeRows, texts: &ChromeTexts, sink: &mut RecordSink<'_>) {
        let of = |at: usize| self.made.get(at).map(|key| title(*key, rows, texts));
        let mut told = told_apart(self.made.len(), |at| of(at).unwrap_or_default());
        for (place, key) in (0..).zip(&self.made) {
            let mut title = title(*key, rows, texts);
            title.name = told.remove(&place).unwrap_or(title.name);
            sink.push(record(CounterId(place), title, unit(*key, texts)));
        }
    }
}

fn record(id: CounterId, title: CounterTitle, unit: &str) -> Record {
    let CounterTitle { name, device, .. } = title;
    Record::Counter(Box::new(Counter {
        id,
        name,
        unit: unit.to_owned(),
        device,
    }))
}

/// A field's name and its unit: in brackets behind it is how Ascend's tools write it.
fn parted(field: &str) -> (&str, &str) {
    let parts = field.strip_suffix(')').and_then(|it| it.split_once('('));
    parts.unwrap_or((field, ""))
}

/// The unit of a series.
fn unit(key: SeriesKey, texts: &ChromeTexts) -> &str {
    match key {
        SeriesKey::Field(_, _, _, field) => parted(texts.text(field)).1,
        SeriesKey::Memory(..) => "bytes",
    }
}

/// What a series is called.
fn title(key: SeriesKey, rows: &ChromeRows, texts: &ChromeTexts) -> CounterTitle {
    let (process, name, number, field) = match key {
        SeriesKey::Field(process, name, number, field) => (process, name, number, field),
        SeriesKey::Memory(process, device, series) => {
            let own = rows.processes.get(RowToken::Number(device.number));
            return CounterTitle {
                name: format!("{} · {device}", series.title()),
                device: own.filter(|_| !device.is_cpu()).and_then(|it| it.device),
                process: cropped(texts.shown(process)),
                thread: String::new(),
            };
        }
    };
    let (name, (field, _)) = (head(texts.text(name)), parted(head(texts.text(field))));
    let same = name.eq_ignore_ascii_case(field) || field == "value" || name.ends_with(field);
    let mut shown = if same {
        name.to_owned()
    } else {
        format!("{name} · {field}")
    };
    if number != 0 {
        shown = format!("{shown} {number}");
    }
    let facts = rows.processes.get(process);
    let of = facts
        .and_then(|it| it.name)
        .map(|it| head(texts.text(it)).trim());
    if let Some(of) = of.filter(|it| !it.is_empty() && !shown.contains(it)) {
        shown = format!("{} · {shown}", program(of));
    }
    CounterTitle {
        name: shown,
        device: facts.and_then(|it| it.device),
        process: cropped(texts.shown(process)),
        thread: String::new(),
    }
}

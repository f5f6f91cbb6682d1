//! Counters: each field of an event of the phase `C` is a series of its own.

use super::build::ParsedEvent;
use super::lanes::program;
use super::rows::ChromeRows;
use super::scan::{ArgumentPayload, RowToken, flag};
use super::texts::ChromeTexts;
use crate::importer::RecordSink;
use crate::importer::counter_titles::{CounterTitle, told_apart};
use crate::importer::crop::{cropped, head};
use crate::importer::key_index::KeyIndex;
use record::time::Nanos;
use record::{Counter, CounterId, Record, Sample};

/// What makes a series: its process, its name, its number and its field.
type SeriesKey = (RowToken, u32, u64, u32);

/// Every series.
#[derive(Default)]
pub(super) struct ChromeCounters {
    known: KeyIndex,
    waiting: Vec<(CounterId, i64, f64)>,
    made: Vec<SeriesKey>,
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
            let key = (process, name, number, field);
            let (made, next) = (&self.made, self.made.len());
            let known = |it: u32| made.get(it as usize).copied();
            let id = CounterId(self.known.place(&key, next, known));
            if id.index() == next {
                self.made.push(key);
                sink.push(record(id, title(key, rows, texts), unit(key, texts)));
            }
            self.waiting.push((id, time, value));
        }
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
fn unit((_, _, _, field): SeriesKey, texts: &ChromeTexts) -> &str {
    parted(texts.text(field)).1
}

/// What a series is called.
fn title(key: SeriesKey, rows: &ChromeRows, texts: &ChromeTexts) -> CounterTitle {
    let (process, name, number, field) = key;
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

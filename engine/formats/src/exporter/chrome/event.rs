//! The events of Chrome's trace JSON: metadata, complete events, flows, counters and instants.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, Write};

use serde_json::{Value, json};

use super::arguments::EventArguments;
use super::nest::LaneNesting;
use super::process;
use crate::exporter::csv;
use crate::perfetto::fact::to_json;
use crate::perfetto::json::{HEADER_START, RECORD, key};
use capture::{Capture, Repair};
use record::time::{Interval, Nanos};
use record::{
    Counter, CounterId, Dependency, DeviceId, Group, LaneId, NameId, Record, Sample, Span, SpanId,
    SpanKind, SpanStart, State,
};

/// Writes events one after the other.
pub(super) struct ChromeEventWriter<'a> {
    capture: &'a Capture,
    origin: Nanos,
    output: &'a mut dyn Write,
    /// Events that were written.
    pub count: u64,
    /// The place of each lane from top to bottom.
    order: BTreeMap<LaneId, usize>,
    named: BTreeSet<(LaneId, u16)>,
    /// The row of each span that is not on the first of its lane: flows must name it.
    places: BTreeMap<SpanId, u16>,
    /// The first name of each text.
    names: HashMap<&'a str, NameId>,
    /// The arguments of the span that comes next.
    arguments: EventArguments,
    /// The number of the next flow.
    flows: u64,
    /// Counters that share their process and name with another.
    doubles: BTreeSet<CounterId>,
}

impl<'a> ChromeEventWriter<'a> {
    pub fn new(capture: &'a Capture, origin: Nanos, output: &'a mut dyn Write) -> Self {
        Self {
            capture,
            origin,
            output,
            count: 0,
            order: (capture.lane_order().into_iter().zip(0..)).collect(),
            named: BTreeSet::new(),
            places: BTreeMap::new(),
            names: first_names(capture),
            arguments: EventArguments::default(),
            flows: 0,
            doubles: doubles(capture.counters()),
        }
    }

    /// What the file says of itself, once more.
    pub fn header(&mut self, about: &Value) -> io::Result<()> {
        self.write(&format!(
            "{HEADER_START},\"pid\":0,\"tid\":0,\"args\":{about}}}"
        ))
    }

    /// Names and sorts processes and threads.
    pub fn lanes(&mut self) -> io::Result<()> {
        let capture = self.capture;
        let mut devices: BTreeMap<Option<DeviceId>, &str> = BTreeMap::new();
        for lane in capture.lanes() {
            let labels = process::labels(lane.group);
            let known = devices.entry(lane.device).or_insert(labels);
            *known = labels.max(known);
        }
        for (sort, (device, labels)) in devices.into_iter().enumerate() {
            let pid = process::of_device(device);
            let name = process::name(capture, device);
            self.metadata(pid, 0, "process_name", &json!({ "name": name }))?;
            self.metadata(pid, 0, "process_labels", &json!({ "labels": labels }))?;
            self.metadata(pid, 0, "process_sort_index", &json!({ "sort_index": sort }))?;
        }
        for lane in capture.lane_order() {
            self.thread(lane, 0)?;
        }
        Ok(())
    }

    /// Finds the row of each span that does not nest with those before it, and names those rows.
    pub fn rows(&mut self) -> io::Result<()> {
        let all = Interval {
            start: Nanos::MIN,
            end: Nanos::MAX,
        };
        for lane in self.capture.lane_order() {
            let mut nest = LaneNesting::default();
            for placed in self.capture.spans_by_start(lane, all) {
                let row = nest.place(placed.interval());
                if row > 0 {
                    self.places.insert(placed.span.id, row);
                    self.thread(lane, row)?;
                }
            }
        }
        Ok(())
    }

    fn thread(&mut self, id: LaneId, row: u16) -> io::Result<()> {
        let Some(lane) = self.capture.lane(id) else {
            return Ok(());
        };
        if !self.named.insert((id, row)) {
            return Ok(());
        }
        let (pid, tid) = process::of_lane(self.capture, id, row);
        let place = self.order.get(&id).copied().unwrap_or(0);
        let name = process::row_name(lane, row);
        self.metadata(pid, tid, "thread_name", &json!({ "name": name }))?;
        let sort = place * 1000 + usize::from(row);
        self.metadata(
            pid,
            tid,
            "thread_sort_index",
            &json!({ "sort_index": sort }),
        )
    }

    /// Writes a record: as an event that viewers draw where there is one, else as metadata.
    pub fn record(&mut self, record: &Record) -> io::Result<()> {
        match record {
            Record::Argument(_, name, value) => {
                self.arguments.plain(self.capture.name(*name), value);
                Ok(())
            }
            Record::Span(span) => self.span(span),
            Record::Began(began) => self.began(began),
            Record::Dependency(dependency) => self.dependency(dependency),
            Record::Sample(sample) => self.sample(sample),
            other => self.fact(other),
        }
    }

    /// A record that has no place on a timeline.
    fn fact(&mut self, record: &Record) -> io::Result<()> {
        let (text, numbers) = to_json(record)?;
        let numbers: Vec<String> = numbers.iter().map(f64::to_string).collect();
        let beside = if numbers.is_empty() {
            String::new()
        } else {
            format!(",\"{}\":\"{}\"", key::NUMBERS, numbers.join(" "))
        };
        self.write(&format!(
            "{{\"ph\":\"M\",\"name\":\"{RECORD}\",\"pid\":0,\"tid\":0,\"args\":{{\"{}\":{text}{beside}}}}}",
            key::RECORD
        ))
    }

    /// A span as a complete event, on a row of its lane where it nests.
    fn span(&mut self, span: &Span) -> io::Result<()> {
        let row = self.places.get(&span.id).copied().unwrap_or(0);
        let kind = self.category(span);
        let mut args = std::mem::take(&mut self.arguments);
        args.own(key::ID, span.id.0);
        self.tell_name(&mut args, span.name);
        if span.call.is_some() {
            args.own(key::CALL, span.call.0);
        }
        if kind != span.kind.label() {
            args.own(key::KIND, span.kind.label());
        }
        if span.state != State::Done {
            args.own(key::STATE, span.state.label());
        }
        args.queued(key::QUEUED, span.start, span.enqueued);
        let repair = self
            .capture
            .span(span.id)
            .map_or(Repair::None, |it| it.repair);
        if repair != Repair::None {
            args.own(key::REPAIR, repair.label());
        }
        let length = span.end.0.wrapping_sub(span.start.0);
        if length < 0 {
            args.own(key::LENGTH, length);
        }
        self.tell_far(&mut args, span.start);
        let (pid, tid) = process::of_lane(self.capture, span.lane, row);
        let name = self.capture.name(span.name);
        let start = self.micros(span.start);
        let length = decimal(Nanos(length.max(0)));
        self.write(&format!(
            "{{\"ph\":\"X\",\"cat\":\"{kind}\",\"name\":{},\"pid\":{pid},\"tid\":{tid},\"ts\":{start},\
             \"dur\":{length},\"args\":{}}}",
            json!(name),
            args.object()
        ))
    }

    /// A reader finds names by their text, which gives the first of several.
    fn tell_name(&self, args: &mut EventArguments, name: NameId) {
        if self.names.get(self.capture.name(name)) != Some(&name) {
            args.own(key::NAME, name.0);
        }
    }

    /// Times that are farther from the file's first than can be written are said besides.
    fn tell_far(&self, args: &mut EventArguments, start: Nanos) {
        if start.0.checked_sub(self.origin.0).is_none() {
            args.own(key::START, start.0);
        }
    }

    /// What an event is, in the words of `PyTorch` where it has one, so that its tools know work of streams.
    fn category(&self, span: &Span) -> &'static str {
        let lane = self.capture.lane(span.lane);
        let streams = lane.is_some_and(|lane| lane.group == Group::Streams);
        match span.kind {
            SpanKind::Upload | SpanKind::Download | SpanKind::Copy if streams => "gpu_memcpy",
            SpanKind::Fill if streams => "gpu_memset",
            kind => kind.label(),
        }
    }

    /// What still runs: a beginning without an end.
    fn began(&mut self, began: &SpanStart) -> io::Result<()> {
        let (pid, tid) = process::of_lane(self.capture, began.lane, 0);
        let name = self.capture.name(began.name);
        let start = self.micros(began.start);
        let mut args = std::mem::take(&mut self.arguments);
        args.own(key::ID, began.id.0);
        self.tell_name(&mut args, began.name);
        args.queued(key::QUEUED, began.start, began.enqueued);
        self.tell_far(&mut args, began.start);
        let kind = began.kind.label();
        self.write(&format!(
            "{{\"ph\":\"B\",\"cat\":\"{kind}\",\"name\":{},\"pid\":{pid},\"tid\":{tid},\"ts\":{start},\
             \"args\":{}}}",
            json!(name),
            args.object()
        ))
    }

    /// A dependency as a flow from inside its cause to inside its effect. One that has no two spans is metadata.
    fn dependency(&mut self, dependency: &Dependency) -> io::Result<()> {
        let capture = self.capture;
        let (cause, effect) = (
            capture.span(dependency.cause),
            capture.span(dependency.effect),
        );
        let (Some(cause), Some(effect)) = (cause, effect) else {
            return self.fact(&Record::Dependency(*dependency));
        };
        if dependency.cause == dependency.effect {
            return self.fact(&Record::Dependency(*dependency));
        }
        let (from, to) = (cause.span, effect.span);
        // A viewer binds each end to the span around it. What blocks began before its cause, so the arrow ends there
        // just before it does.
        let blocks = matches!(
            to.kind,
            SpanKind::Synchronize
                | SpanKind::EventWait
                | SpanKind::Hold
                | SpanKind::Join
                | SpanKind::Callback
        ) || to.start < from.start;
        let arrival = if blocks {
            to.start.max(to.end - Nanos(1))
        } else {
            to.start
        };
        let mut args = EventArguments::default();
        args.own(key::CAUSE, dependency.cause.0);
        args.own(key::EFFECT, dependency.effect.0);
        args.own(key::BASIS, dependency.basis.label());
        if dependency.event.is_some() {
            args.own(key::EVENT, dependency.event.0);
            let event = capture.events().get(dependency.event.index());
            args.own(
                key::EVENT_NAME,
                event.map_or("?", |it| capture.name(it.name)),
            );
        }
        if dependency.generation != 0 {
            args.own(key::GENERATION, dependency.generation);
        }
        // Both are categories to a viewer.
        let (name, basis) = (dependency.kind.label(), dependency.basis.label());
        let args = args.object();
        let id = self.flows;
        self.flows += 1;
        for (phase, span, time) in [("s", from, from.start), ("f", to, arrival)] {
            let row = self.places.get(&span.id).copied().unwrap_or(0);
            let (pid, tid) = process::of_lane(capture, span.lane, row);
            let ends = if phase == "f" { ",\"bp\":\"e\"" } else { "" };
            let time = self.micros(time);
            self.write(&format!(
                "{{\"ph\":\"{phase}\",\"cat\":\"{name},{basis}\",\"name\":\"{name}\",\"id\":{id},\"pid\":{pid},\"tid\":{tid},\
                 \"ts\":{time}{ends},\"args\":{args}}}"
            ))?;
        }
        Ok(())
    }

    /// The value of a counter from an instant on.
    fn sample(&mut self, sample: &Sample) -> io::Result<()> {
        let capture = self.capture;
        let counter = capture.counters().get(sample.counter.index());
        let Some(counter) = counter.filter(|it| it.id == sample.counter) else {
            return self.fact(&Record::Sample(*sample));
        };
        if sample.time.0.checked_sub(self.origin.0).is_none() || !sample.value.is_finite() {
            return self.fact(&Record::Sample(*sample));
        }
        let pid = process::of_device(counter.device);
        let unit = if counter.unit.is_empty() {
            "value"
        } else {
            &counter.unit
        };
        let value = csv::json(&record::Value::Number(sample.value));
        let time = self.micros(sample.time);
        let id = if self.doubles.contains(&counter.id) {
            format!(",\"id\":{}", counter.id.0)
        } else {
            String::new()
        };
        self.write(&format!(
            "{{\"ph\":\"C\",\"name\":{}{id},\"pid\":{pid},\"tid\":0,\"ts\":{time},\"args\":{}}}",
            json!(counter.name),
            json!({ unit: value })
        ))
    }

    /// Losses of devices, as instants across all lanes.
    pub fn marks(&mut self) -> io::Result<()> {
        for loss in self.capture.losses() {
            let pid = process::of_device(Some(loss.device));
            let time = self.micros(loss.time);
            let name = json!(format!("device lost: {}", loss.reason));
            self.write(&format!(
                "{{\"ph\":\"i\",\"s\":\"g\",\"name\":{name},\"pid\":{pid},\"tid\":0,\"ts\":{time}}}"
            ))?;
        }
        Ok(())
    }

    fn metadata(&mut self, pid: i64, tid: i64, what: &str, args: &Value) -> io::Result<()> {
        self.write(&format!(
            "{{\"ph\":\"M\",\"name\":\"{what}\",\"pid\":{pid},\"tid\":{tid},\"args\":{args}}}"
        ))
    }

    fn micros(&self, time: Nanos) -> String {
        decimal(time - self.origin)
    }

    fn write(&mut self, event: &str) -> io::Result<()> {
        let between: &[u8] = if self.count == 0 { b"\n" } else { b",\n" };
        self.count += 1;
        self.output.write_all(between)?;
        self.output.write_all(event.as_bytes())
    }
}

/// The first name of each text.
fn first_names(capture: &Capture) -> HashMap<&str, NameId> {
    let mut names = HashMap::new();
    for name in (0..capture.name_count() as u32).map(NameId) {
        names.entry(capture.name(name)).or_insert(name);
    }
    names
}

/// Those of which another has the same process and name.
fn doubles(counters: &[Counter]) -> BTreeSet<CounterId> {
    let mut known: BTreeMap<(Option<DeviceId>, &str), CounterId> = BTreeMap::new();
    let mut doubles = BTreeSet::new();
    for counter in counters {
        let first = known
            .entry((counter.device, &counter.name))
            .or_insert(counter.id);
        if *first != counter.id {
            doubles.extend([*first, counter.id]);
        }
    }
    doubles
}

/// Microseconds with every nanosecond, as a decimal that no binary number stands between.
fn decimal(time: Nanos) -> String {
    let sign = if time.0 < 0 { "-" } else { "" };
    let nanos = time.0.unsigned_abs();
    let (whole, part) = (nanos / 1000, nanos % 1000);
    if part == 0 {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{part:03}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nanosecond_is_written() {
        assert_eq!(
            decimal(Nanos(1_700_000_000_000_000_001)),
            "1700000000000000.001"
        );
        assert_eq!(decimal(Nanos(-1_050)), "-1.050");
        assert_eq!(decimal(Nanos(2_000)), "2");
    }
}

//! The events of Chrome's trace JSON: metadata, complete events, flows, counters and instants.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::process;
use crate::capture::{Capture, PlacedSpan, Repair};
use crate::exporter::csv;
use crate::record::{Began, DependencyId, DeviceId, Group, LaneId, Span, SpanId, SpanKind};
use crate::time::Nanos;

/// Writes events one after the other.
pub(super) struct Events<'a> {
    capture: &'a Capture,
    origin: Nanos,
    output: &'a mut dyn Write,
    is_first: bool,
    /// The place of each lane from top to bottom.
    order: BTreeMap<LaneId, usize>,
    named: BTreeSet<(LaneId, u16)>,
    /// The row of each span that is not on the first of its lane: flows must name it.
    places: BTreeMap<SpanId, u16>,
}

impl<'a> Events<'a> {
    pub fn new(capture: &'a Capture, origin: Nanos, output: &'a mut dyn Write) -> Self {
        Self {
            capture,
            origin,
            output,
            is_first: true,
            order: (capture.lane_order().into_iter().zip(0..)).collect(),
            named: BTreeSet::new(),
            places: BTreeMap::new(),
        }
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

    /// A span as a complete event, on a row of its lane where it nests.
    pub fn span(&mut self, placed: &PlacedSpan, row: u16) -> io::Result<()> {
        let span = placed.span;
        if row > 0 {
            self.places.insert(span.id, row);
            self.thread(span.lane, row)?;
        }
        let mut args = self.arguments(span.id);
        let queued = placed.queued();
        if queued > Nanos::ZERO {
            args.insert("queued_ns".into(), queued.0.into());
        }
        if span.state != crate::record::State::Done {
            args.insert("state".into(), span.state.label().into());
        }
        if placed.repair != Repair::None {
            args.insert("repair".into(), placed.repair.label().into());
        }
        let (pid, tid) = process::of_lane(self.capture, span.lane, row);
        let name = self.capture.name(span.name);
        let start = self.micros(span.start);
        let length = decimal(span.end - span.start);
        let kind = self.category(&span);
        self.write(&format!(
            "{{\"ph\":\"X\",\"cat\":\"{kind}\",\"name\":{},\"pid\":{pid},\"tid\":{tid},\"ts\":{start},\
             \"dur\":{length},\"args\":{}}}",
            json!(name),
            Value::Object(args)
        ))
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
    pub fn began(&mut self, began: &Began) -> io::Result<()> {
        let (pid, tid) = process::of_lane(self.capture, began.lane, 0);
        let name = self.capture.name(began.name);
        let start = self.micros(began.start);
        let args = Value::Object(self.arguments(began.id));
        let kind = began.kind.label();
        self.write(&format!(
            "{{\"ph\":\"B\",\"cat\":\"{kind}\",\"name\":{},\"pid\":{pid},\"tid\":{tid},\"ts\":{start},\
             \"args\":{args}}}",
            json!(name)
        ))
    }

    /// A dependency as a flow from inside its cause to inside its effect.
    pub fn dependency(&mut self, id: DependencyId) -> io::Result<()> {
        let capture = self.capture;
        let Some(dependency) = capture.dependency(id) else {
            return Ok(());
        };
        let (Some(cause), Some(effect)) = (
            capture.span(dependency.cause),
            capture.span(dependency.effect),
        ) else {
            return Ok(());
        };
        let (from, to) = (cause.span, effect.span);
        // A viewer binds each end to the span around it. What blocks began before its cause, so the arrow ends there
        // just before it does.
        let blocks = matches!(
            to.kind,
            SpanKind::Synchronize | SpanKind::EventWait | SpanKind::Hold | SpanKind::Join
        ) || to.start < from.start;
        let arrival = if blocks {
            to.start.max(to.end - Nanos(1))
        } else {
            to.start
        };
        let event = capture.events().get(dependency.event.index());
        let event = event.map(|event| capture.name(event.name));
        let args = json!({ "basis": dependency.basis.label(), "event": event, "generation": dependency.generation });
        // Both are categories to a viewer, and Syncline reads them back.
        let (name, basis) = (dependency.kind.label(), dependency.basis.label());
        for (phase, span, time) in [("s", from, from.start), ("f", to, arrival)] {
            let row = self.places.get(&span.id).copied().unwrap_or(0);
            let (pid, tid) = process::of_lane(capture, span.lane, row);
            let ends = if phase == "f" { ",\"bp\":\"e\"" } else { "" };
            let time = self.micros(time);
            self.write(&format!(
                "{{\"ph\":\"{phase}\",\"cat\":\"{name},{basis}\",\"name\":\"{name}\",\"id\":{},\"pid\":{pid},\"tid\":{tid},\
                 \"ts\":{time}{ends},\"args\":{args}}}",
                id.0
            ))?;
        }
        Ok(())
    }

    /// Counters, sample by sample.
    pub fn counters(&mut self) -> io::Result<()> {
        let capture = self.capture;
        for counter in capture.counters() {
            let pid = process::of_device(counter.device);
            let unit = if counter.unit.is_empty() {
                "value"
            } else {
                &counter.unit
            };
            let samples = capture.samples(counter.id);
            for (&time, &value) in samples.times().iter().zip(samples.values()) {
                let value = csv::json(&crate::record::Value::Number(value));
                let time = self.micros(time);
                self.write(&format!(
                    "{{\"ph\":\"C\",\"name\":{},\"pid\":{pid},\"tid\":0,\"ts\":{time},\"args\":{}}}",
                    json!(counter.name),
                    json!({ unit: value })
                ))?;
            }
        }
        Ok(())
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

    fn arguments(&self, span: SpanId) -> Map<String, Value> {
        let mut fields = Map::new();
        for (name, value) in self.capture.arguments(span) {
            let mut name = name.to_owned();
            // A second field of a name is kept as well.
            while fields.contains_key(&name) {
                name.push('\'');
            }
            fields.insert(name, csv::json(&value));
        }
        fields
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
        let between: &[u8] = if self.is_first { b"\n" } else { b",\n" };
        self.is_first = false;
        self.output.write_all(between)?;
        self.output.write_all(event.as_bytes())
    }
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

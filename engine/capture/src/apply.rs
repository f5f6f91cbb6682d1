//! The one door: a record goes in, and the table it belongs to grows.

use std::sync::atomic::{AtomicU64, Ordering};

use super::table::{RowRule, SpanRefusal};
use super::{Capture, PlainOrigin, Samples, column, names};
use record::time::{Interval, Nanos};
use record::{
    Counter, Dependency, Device, EventId, EventStep, Fields, Group, Lane, LaneId, LaneOrigin, Loss,
    NameId, Problem, Record, Recovery, Sample, Severity, ShortText, Span, SpanId, SpanKind,
    SpanStart, ThreadSchedule, Value, counted,
};

/// Rows that a table of names, lanes, devices, events, calls or counters may be asked to skip. Beyond that the
/// file is damaged.
const FAR: usize = 1 << 20;

/// How far ahead of the spans known a field's span may be: importers hand over spans in order of time, and what is
/// said of them as it comes.
const FAR_SPAN: usize = 1 << 24;

/// So many records that are not kept are named each.
const MOST_NAMED: u64 = 100;

impl Capture {
    /// An empty capture.
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self {
            instance: NEXT.fetch_add(1, Ordering::Relaxed),
            ..Self::default()
        }
    }

    /// Takes records, in any order. What cannot be kept as it is becomes a [`Problem`], never silence.
    pub fn apply(&mut self, records: impl IntoIterator<Item = Record>) {
        let mut changed = false;
        for record in records {
            changed = true;
            self.take(record);
        }
        let lanes = &self.lanes;
        let is_stream = |it: &Lane| it.group == Group::Streams;
        self.spans
            .nest(|lane| !lanes.get(lane.index()).is_some_and(is_stream));
        self.spans.update_forests();
        self.order_thread_states();
        self.revision += u64::from(changed);
    }

    fn take(&mut self, record: Record) {
        match record {
            Record::Span(span) => self.take_span(&span),
            Record::Dependency(dependency) => self.take_dependency(&dependency),
            Record::Argument(span, name, value) => self.take_argument(span, name, value),
            Record::Fields(fields) => self.take_fields(*fields),
            Record::Began(began) => self.take_began(began),
            Record::Sample(sample) => self.take_sample(sample),
            Record::Schedule(schedule) => self.take_schedule(*schedule),
            Record::Name(id, text) => self.take_name(id.index(), &text),
            Record::Lane(lane) => {
                self.shared_names.take();
                self.put("lane", lane.id.index(), *lane, |capture| &mut capture.lanes);
            }
            Record::LaneOrigin(origin) => self.take_origin(origin),
            Record::Device(device) => {
                self.put("device", device.id.index(), *device, |capture| {
                    &mut capture.devices
                });
            }
            Record::Event(event) => self.put("event", event.id.index(), event, |capture| {
                &mut capture.events
            }),
            Record::EventStep(step) => self.take_event_step(step),
            Record::Call(call) => {
                self.put("call", call.id.index(), call, |capture| &mut capture.calls);
            }
            Record::BufferUse(used) => self.buffer_uses.push(used),
            Record::Counter(counter) => {
                self.put("counter", counter.id.index(), *counter, |capture| {
                    &mut capture.counters
                });
            }
            Record::Loss(loss) => {
                self.reach(loss.time, loss.time);
                // Several threads report, and each in batches of its own.
                let when = |it: &Loss| (it.time, it.generation);
                let place = self.losses.partition_point(|it| when(it) <= when(&loss));
                self.losses.insert(place, *loss);
            }
            Record::Recovery(recovery) => {
                self.reach(recovery.time, recovery.time);
                let when = |it: &Recovery| (it.time, it.generation);
                let place = self
                    .recoveries
                    .partition_point(|it| when(it) <= when(&recovery));
                self.recoveries.insert(place, *recovery);
            }
            Record::Pipeline(pipeline) => self.take_pipeline(*pipeline),
            Record::PipelineStep(step) => self.take_pipeline_step(*step),
            Record::Promise(promise) => self.take_promise(*promise),
            Record::Settlement(settlement) => self.take_settlement(*settlement),
            Record::Launch(launch) => self.take_launch(*launch),
            Record::LaunchStep(step) => self.take_launch_step(*step),
            Record::Relaunch(relaunch) => self.take_relaunch(relaunch),
            Record::Run(run) => self.run = Some(*run),
            Record::Clock(clock) => self.clocks.push(*clock),
            Record::Problem(problem) => self.problems.push(*problem),
            Record::Finding(finding) => self.take_finding(*finding),
            Record::Search(search) => self.searches.push(*search),
            Record::Expectation(expectation) => self.expectations.push(*expectation),
            Record::Log(log) => self.log.push(*log),
            Record::Note(text) => self.notes.push(text),
            Record::Bookmark(bookmark) => self.bookmarks.push(*bookmark),
            Record::FileRepair(repair) => self.file_repairs.push(*repair),
            Record::End(end) => self.end = Some(*end),
            // It is for the near end of a link, which hands nothing of it on.
            Record::Submitted(_) => {}
        }
    }

    fn take_span(&mut self, span: &Span) {
        let began = (!self.open.is_empty()).then(|| self.open.remove(&span.id));
        if let Some(began) = began.flatten() {
            self.spans.end(&began, span.end);
        }
        self.has_graphs |= span.kind == SpanKind::Graph;
        let graph = self.graph_of(span);
        self.graphs_with_nodes.extend(graph);
        let rule = match self.lanes.get(span.lane.index()) {
            Some(lane) if lane.group == Group::Streams && graph.is_some() => RowRule::Any,
            Some(lane) if lane.group == Group::Streams => RowRule::OneAtATime,
            // A file may say behind its spans what a lane is; those of streams come in their order.
            Some(_) | None => RowRule::Nested,
        };
        match self.spans.insert(span, rule) {
            // A stub stands where something lies that is not in the capture.
            Ok(()) if span.kind == SpanKind::Stub => {}
            Ok(()) => self.reach(span.start.min(span.enqueued), span.end.max(span.start)),
            Err(refusal) => self.refuse_span(span, refusal),
        }
    }

    /// The graph on its lane that a span is a node of: nodes run at the same time where nothing orders them. A graph is
    /// reported before its nodes.
    fn graph_of(&self, span: &Span) -> Option<SpanId> {
        if !self.has_graphs {
            return None;
        }
        let at = Interval {
            start: span.start,
            end: span.end.max(Nanos(span.start.0.saturating_add(1))),
        };
        let contains = |it: &Span| {
            it.kind == SpanKind::Graph
                && it.id != span.id
                && it.start <= span.start
                && span.end <= it.end
        };
        let around = self.spans.spans_in(span.lane, 0, at);
        let mut around = around.map(|placed| placed.span);
        around.find(contains).map(|graph| graph.id)
    }

    fn refuse_span(&mut self, span: &Span, refusal: SpanRefusal) {
        let name = self.name(span.name).to_owned();
        let (why, next) = match refusal {
            SpanRefusal::Duplicate => ("another span has its number", "The first one is kept."),
            SpanRefusal::Far => (
                "its number is far beyond every other",
                "The file is damaged there.",
            ),
            SpanRefusal::NoLane => (
                "its file has more threads and streams than a capture does",
                "Those that came first are kept.",
            ),
            SpanRefusal::Deep => (
                "so many spans of its lane run at once that there is no row for one more",
                "A lane has 2,097,152.",
            ),
        };
        self.complain(
            "span-refused",
            format!("Span {} ({name}) was left out: {why}. {next}", span.id.0),
            span.id,
        );
    }

    fn take_origin(&mut self, origin: LaneOrigin) {
        let plain = PlainOrigin::new(origin);
        self.put("lane", origin.lane.index(), plain, |capture| {
            &mut capture.lane_origins
        });
    }

    fn take_began(&mut self, began: SpanStart) {
        if self.spans.get(began.id).is_none() {
            self.reach(began.start.min(began.enqueued), began.start);
            let before = self.open.insert(began.id, began);
            if before.is_some_and(|it| (it.lane, it.start) == (began.lane, began.start)) {
                return;
            }
            if let Some(before) = before {
                self.spans.end(&before, before.start);
            }
            self.spans.begin(&began);
        }
    }

    fn take_dependency(&mut self, dependency: &Dependency) {
        if !self.dependencies.push(dependency, self.spans.ids()) {
            let text = format!(
                "A dependency from span {} to span {} was left out: one of them is far beyond every span. The \
                 file is damaged there.",
                dependency.cause.0, dependency.effect.0
            );
            self.complain("dependency-refused", text, SpanId::NONE);
        }
    }

    fn take_argument(&mut self, span: SpanId, name: NameId, value: Value) {
        if span.index() > self.spans.ids() + FAR_SPAN {
            let text = format!(
                "A field of span {} was left out: no span has a number near it.",
                span.0
            );
            return self.complain("argument-refused", text, SpanId::NONE);
        }
        self.arguments.push(span, name, value);
    }

    fn take_fields(&mut self, fields: Fields) {
        let end = fields.range().end;
        if end as usize > self.spans.ids() + FAR_SPAN {
            let text = format!(
                "{} fields of spans up to {end} were left out: no span has a number near it.",
                fields.count
            );
            self.refused += u64::from(fields.count).saturating_sub(1);
            return self.complain("argument-refused", text, SpanId::NONE);
        }
        self.arguments.push_packed(fields);
    }

    fn take_event_step(&mut self, step: EventStep) {
        let index = step.event.index();
        let len = self.event_steps.len();
        if index > len + FAR {
            return self.refuse_far("step of an event", index, len);
        }
        if index >= len {
            self.event_steps.resize_with(index + 1, Vec::new);
        }
        if let Some(steps) = self.event_steps.get_mut(index) {
            // Several threads report, and each in batches of its own.
            let place = steps.partition_point(|it| *it <= step);
            steps.insert(place, step);
        }
    }

    fn take_sample(&mut self, sample: Sample) {
        let index = sample.counter.index();
        if index > self.samples.len() + FAR {
            let text = format!(
                "A sample of counter {index} was left out: no counter has a number near it."
            );
            return self.complain("sample-refused", text, SpanId::NONE);
        }
        if index >= self.samples.len() {
            self.samples.resize_with(index + 1, Samples::default);
        }
        if let Some(samples) = self.samples.get_mut(index) {
            samples.push(sample.time, sample.value);
        }
        self.reach(sample.time, sample.time);
    }

    fn take_schedule(&mut self, schedule: ThreadSchedule) {
        let ThreadSchedule { lane, intervals } = schedule;
        if lane.index() > self.lanes.len() + FAR {
            let text = format!(
                "States of a thread were left out: no lane has a number near {}. The file is damaged there.",
                lane.0
            );
            return self.complain("thread-states-refused", text, SpanId::NONE);
        }
        for it in &intervals {
            self.reach(it.interval.start, it.interval.end);
        }
        self.thread_states.push(lane, intervals);
    }

    fn order_thread_states(&mut self) {
        let cut = self.thread_states.put_in_order();
        if cut == 0 {
            return;
        }
        let words = "{state of a thread overlaps|states of threads overlap}";
        let text = format!(
            "{} the next of the same thread, and ends where that begins.",
            counted(cut, words)
        );
        self.problems.push(Problem {
            severity: Severity::Warning,
            code: "thread-states-overlap".to_owned(),
            text,
            span: SpanId::NONE,
            event: EventId::NONE,
        });
    }

    /// Puts a row at its position in a table, filling the gap before it with rows that say nothing.
    pub(super) fn put<T: Placeholder>(
        &mut self,
        what: &str,
        index: usize,
        row: T,
        table: impl Fn(&mut Self) -> &mut Vec<T>,
    ) {
        let rows = table(self);
        let len = rows.len();
        if index > len + FAR {
            return self.refuse_far(what, index, len);
        }
        while rows.len() <= index {
            let filler = T::filler(rows.len() as u32);
            column::push(rows, filler);
        }
        if let Some(slot) = rows.get_mut(index) {
            *slot = row;
        }
    }

    fn refuse_far(&mut self, what: &str, index: usize, len: usize) {
        let text =
            format!("A {what} was left out: its number {index} is far beyond the {len} known.");
        self.complain("row-refused", text, SpanId::NONE);
    }

    fn take_name(&mut self, index: usize, text: &str) {
        let len = self.names.len();
        if index > len + FAR {
            self.refuse_far("name", index, len);
        } else if !self.names.put(index, text) {
            let text = format!(
                "Name {index} was left out: it and the {} before it are longer than 4 GB.",
                index % names::PAGE
            );
            self.complain("row-refused", text, SpanId::NONE);
        }
    }

    /// Says of a record that it is not kept. A damaged file may have millions: they are all counted, and the first ones named.
    fn complain(&mut self, code: &str, text: String, span: SpanId) {
        self.refused += 1;
        if self.refused > MOST_NAMED {
            return;
        }
        let problem = Problem {
            severity: Severity::DataLoss,
            code: code.to_owned(),
            text,
            span,
            event: EventId::NONE,
        };
        self.problems.push(problem);
    }

    pub(super) fn reach(&mut self, start: Nanos, end: Nanos) {
        let interval = Interval { start, end };
        self.extent = Some(
            self.extent
                .map_or(interval, |extent| extent.union(interval)),
        );
    }
}

/// A row that stands in a table until the record for its number arrives.
pub(super) trait Placeholder {
    fn filler(index: u32) -> Self;
}

impl Placeholder for Lane {
    fn filler(index: u32) -> Self {
        Self {
            id: LaneId(index),
            group: Group::Streams,
            device: None,
            role: record::Role::None,
            name: format!("lane {index}"),
            order: i32::MAX,
            process: ShortText::default(),
            thread: ShortText::default(),
        }
    }
}

impl Placeholder for PlainOrigin {
    fn filler(_: u32) -> Self {
        Self::default()
    }
}

impl Placeholder for Device {
    fn filler(index: u32) -> Self {
        let id = record::DeviceId(index);
        Self {
            id,
            name: format!("device {index}"),
            backend: String::new(),
            detail: String::new(),
            rank: None,
            paced: None,
        }
    }
}

impl Placeholder for record::Event {
    fn filler(index: u32) -> Self {
        Self {
            id: EventId(index),
            name: NameId::NONE,
            timing: false,
            options: NameId::NONE,
        }
    }
}

impl Placeholder for record::SourceCall {
    fn filler(index: u32) -> Self {
        Self {
            id: record::CallId(index),
            line: 0,
            name: NameId::NONE,
        }
    }
}

impl Placeholder for Counter {
    fn filler(index: u32) -> Self {
        let id = record::CounterId(index);
        Self {
            id,
            name: format!("counter {index}"),
            unit: String::new(),
            device: None,
        }
    }
}

//! What can be asked of a capture. Nothing here changes it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::{Capture, FoldedSpan, PlacedSpan, Samples, fold, natural_sort};
use record::time::{Interval, Nanos};
use record::{
    Bookmark, BufferUse, Clock, Counter, CounterId, Dependency, DependencyId, Device, DeviceId,
    Event, EventId, EventStep, Expectation, FieldValue, FileRepair, Lane, LaneId, LaneOrigin, Log,
    Loss, NameId, Problem, Recovery, Run, RunEnd, Severity, SourceCall, SpanId, SpanStart,
    ThreadInterval, Value,
};

impl Capture {
    /// How many records it was given and could not keep, such as spans of a number that another has.
    pub const fn refused(&self) -> u64 {
        self.refused
    }

    /// How many facts of its files are not in it: those that importers left out, and the records that it refused.
    pub const fn dropped(&self) -> u64 {
        self.left_out.saturating_add(self.refused)
    }

    /// Whether it lacks data of its files, such as the rest of one that was cut short; its problems say what.
    pub fn has_data_loss(&self) -> bool {
        let mut problems = self.problems().iter();
        self.dropped() > 0 || problems.any(|it| it.severity == Severity::DataLoss)
    }

    /// Counts facts of a file that its importer left out.
    pub const fn leave_out(&mut self, facts: u64) {
        self.left_out = self.left_out.saturating_add(facts);
    }

    /// A number that no other capture of this process has but its clones: what is remembered of one holds for no other.
    pub fn instance(&self) -> u64 {
        self.instance
    }

    /// A number that changes with every [`Capture::apply`] that took a record, and that no other capture has but clones of this
    /// one: what is remembered of one holds for no other.
    pub fn revision(&self) -> u64 {
        // So many batches no capture ever takes.
        (self.instance << 40) + self.revision
    }

    /// From the first instant to the last that any span, sample or loss names; stubs lie wherever what they stand for does.
    pub fn extent(&self) -> Option<Interval> {
        self.extent
    }

    /// What was run, or which file was opened.
    pub fn run(&self) -> Option<&Run> {
        self.run.as_ref()
    }

    /// How the run ended; nothing while it goes on, or where the file breaks off.
    pub fn end(&self) -> Option<&RunEnd> {
        self.end.as_ref()
    }

    /// The text of a name; `?` where it has not arrived.
    pub fn name(&self, id: NameId) -> &str {
        self.names.get(id.index()).unwrap_or("?")
    }

    /// How many names there are; their ids are `0..name_count()`.
    pub fn name_count(&self) -> usize {
        self.names.len()
    }

    /// The devices, by id.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// The lanes, by id.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// One lane.
    pub fn lane(&self, id: LaneId) -> Option<&Lane> {
        self.lanes.get(id.index())
    }

    /// What a lane is where it comes from; nothing where that is not told.
    pub fn lane_origin(&self, id: LaneId) -> Option<LaneOrigin> {
        self.lane_origins.get(id.index())?.of(id)
    }

    /// What a lane is called where lanes of all devices stand together: its name, and its device's where a lane of another
    /// device has the same; `?` where there is none.
    pub fn lane_title(&self, id: LaneId) -> Cow<'_, str> {
        let Some(lane) = self.lane(id) else {
            return Cow::Borrowed("?");
        };
        let device = lane.device.and_then(|id| self.devices.get(id.index()));
        let Some(device) = device.filter(|_| self.devices.len() > 1) else {
            return Cow::Borrowed(&lane.name);
        };
        if self.shared_names().contains(&lane.name) {
            // Of several files both begin with the rank.
            let told = lane.name.split_once(" · ").and_then(|(rank, _)| {
                let rest = device.name.strip_prefix(rank)?;
                rest.strip_prefix(" · ")
            });
            let device = told.unwrap_or(&device.name);
            Cow::Owned(format!("{} · {device}", lane.name))
        } else {
            Cow::Borrowed(&lane.name)
        }
    }

    /// Names that lanes of different devices have.
    fn shared_names(&self) -> &BTreeSet<String> {
        self.shared_names.get_or_init(|| {
            let mut first: HashMap<&str, Option<DeviceId>> = HashMap::new();
            // Only lanes with a device are told apart by it: a host thread that shares the name has none to add.
            let with_device = self.lanes.iter().filter(|lane| lane.device.is_some());
            let shared = with_device.filter(|lane| {
                let device = *first.entry(&lane.name).or_insert(lane.device);
                device != lane.device
            });
            shared.map(|lane| lane.name.clone()).collect()
        })
    }

    /// The lanes from top to bottom: by group, name of the device, role, order, and then id.
    pub fn lane_order(&self) -> Vec<LaneId> {
        let mut lanes: Vec<&Lane> = self.lanes.iter().collect();
        // Devices are numbered as they come, and a file may tell of the second one first.
        let mut devices: Vec<_> = self.devices.iter().collect();
        devices.sort_by_cached_key(|device| (natural_sort::key(&device.name), device.id));
        let devices: BTreeMap<_, _> = devices
            .iter()
            .zip(1_u32..)
            .map(|(it, at)| (it.id, at))
            .collect();
        lanes.sort_by_key(|lane| {
            // Streams keep the order of their declaration inside a role, so that a reader finds them as written.
            (
                lane.group,
                lane.device.and_then(|device| devices.get(&device)),
                lane.device,
                lane.role,
                lane.order,
                lane.id,
            )
        });
        lanes.into_iter().map(|lane| lane.id).collect()
    }

    /// The GPU synchronisation points, by id.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Which buffers the calls use, in the order of their records; empty where the capture does not tell.
    pub fn buffer_uses(&self) -> &[BufferUse] {
        &self.buffer_uses
    }

    /// What was done to an event, in order; nothing where the capture does not tell.
    pub fn event_steps(&self, event: EventId) -> &[EventStep] {
        let steps = self.event_steps.get(event.index());
        steps.map_or(&[], Vec::as_slice)
    }

    /// The dependencies that events carry.
    pub fn event_dependencies(&self) -> impl Iterator<Item = Dependency> {
        self.dependencies.carried()
    }

    /// The host calls of the workload, by id.
    pub fn calls(&self) -> &[SourceCall] {
        &self.calls
    }

    /// The counters, by id.
    pub fn counters(&self) -> &[Counter] {
        &self.counters
    }

    /// The samples of a counter.
    pub fn samples(&self, id: CounterId) -> &Samples {
        self.samples.get(id.index()).unwrap_or(&self.no_samples)
    }

    /// How many spans ran to their end.
    pub fn span_count(&self) -> usize {
        self.spans.len()
    }

    /// One more than the highest number of a span that arrived.
    pub fn span_ids(&self) -> usize {
        self.spans.ids()
    }

    /// A span by its number; nothing where it has not arrived, or still runs.
    pub fn span(&self, id: SpanId) -> Option<PlacedSpan> {
        self.spans.get(id)
    }

    /// Every span that ran to its end, by number.
    pub fn spans(&self) -> impl Iterator<Item = PlacedSpan> {
        self.spans.numbered(0..self.spans.ids() as u32)
    }

    /// Those of them with these numbers.
    pub fn spans_numbered(&self, ids: Range<u32>) -> impl Iterator<Item = PlacedSpan> {
        self.spans.numbered(ids)
    }

    /// The lane of a span, without looking for the rest of it.
    pub fn span_lane(&self, id: SpanId) -> Option<LaneId> {
        self.spans.lane_of(id)
    }

    /// Operations that have begun and not yet ended, by number.
    pub fn open(&self) -> impl Iterator<Item = &SpanStart> {
        self.open.values()
    }

    /// The sub-lane that an operation keeps while it runs, where spans of its lane nest.
    pub fn running_depth(&self, lane: LaneId, id: SpanId) -> Option<u32> {
        self.spans.running_depth(lane, id)
    }

    /// The operation of a number, if it has begun and not yet ended.
    pub fn running(&self, id: SpanId) -> Option<&SpanStart> {
        self.open.get(&id)
    }

    /// How many sub-lanes a lane has: 1, or more where its spans overlap.
    pub fn depth(&self, lane: LaneId) -> usize {
        self.spans.depth(lane).max(1)
    }

    /// Whether a span is a graph whose nodes are spans of their own: it is around them, and no work beside theirs.
    pub fn has_nodes(&self, span: SpanId) -> bool {
        !self.graphs_with_nodes.is_empty() && self.graphs_with_nodes.contains(&span)
    }

    /// The spans of a lane that overlap `interval`, by sub-lane and then by start.
    pub fn spans_in(&self, lane: LaneId, interval: Interval) -> impl Iterator<Item = PlacedSpan> {
        (0..self.spans.depth(lane))
            .flat_map(move |depth| self.spans.spans_in(lane, depth, interval))
    }

    /// The spans of one sub-lane that overlap `interval`, by start.
    pub fn spans_of(
        &self,
        lane: LaneId,
        depth: usize,
        interval: Interval,
    ) -> impl Iterator<Item = PlacedSpan> {
        self.spans.spans_in(lane, depth, interval)
    }

    /// Calls `emit` with what one sub-lane looks like in `view`, from left to right: spans of at least `column`
    /// alone, shorter ones folded by the column they start in.
    ///
    /// A column is the largest power of two of nanoseconds that is not above `column`. The cost depends on the
    /// number of columns in view, not on the number of spans.
    pub fn fold(
        &self,
        lane: LaneId,
        depth: usize,
        view: Interval,
        column: Nanos,
        emit: &mut impl FnMut(FoldedSpan),
    ) {
        if let Some(row) = self.spans.row(lane, depth) {
            fold::fold(row, self.spans.chunks(), view, column, emit);
        }
    }

    /// The next span of the same sub-lane.
    pub fn next_span(&self, id: SpanId) -> Option<SpanId> {
        self.spans.neighbour(id, true)
    }

    /// The span before it on the same sub-lane.
    pub fn previous_span(&self, id: SpanId) -> Option<SpanId> {
        self.spans.neighbour(id, false)
    }

    /// How many dependencies there are; their ids are `0..dependency_count()`.
    pub fn dependency_count(&self) -> usize {
        self.dependencies.len()
    }

    /// A dependency by its number. Its spans may not have arrived yet.
    pub fn dependency(&self, id: DependencyId) -> Option<Dependency> {
        self.dependencies.get(id)
    }

    /// The dependencies that held a span back, the latest to arrive first.
    pub fn causes(&self, effect: SpanId) -> impl Iterator<Item = DependencyId> {
        self.dependencies.causes(effect)
    }

    /// The dependencies by which a span held others back, the latest to arrive first.
    pub fn effects(&self, cause: SpanId) -> impl Iterator<Item = DependencyId> {
        self.dependencies.effects(cause)
    }

    /// The dependencies between records of events of which the time was taken.
    pub fn measured(&self) -> &[DependencyId] {
        self.dependencies.measured()
    }

    /// Further fields of a span, each with its name, in the order in which they arrived.
    pub fn arguments(&self, span: SpanId) -> impl Iterator<Item = (&str, Value)> {
        self.argument_ids(span)
            .map(|(name, value)| (self.name(name), value))
    }

    /// Further fields of a span, each with its name's number.
    pub fn argument_ids(&self, span: SpanId) -> impl Iterator<Item = (NameId, Value)> {
        self.arguments.of(span)
    }

    /// Further fields of all spans, by the spans' numbers, those of one in the order in which they arrived; texts by their
    /// number, see [`argument_text`](Self::argument_text). It is quicker than to ask for those of each span.
    pub fn all_arguments(&self, take: impl FnMut(SpanId, NameId, FieldValue)) {
        self.arguments.all(take);
    }

    /// A text of fields, by its number, which equal ones share; `?` where there is none.
    pub fn argument_text(&self, number: u32) -> &str {
        self.arguments.text(number).unwrap_or("?")
    }

    /// How many texts fields have; their numbers are `0..argument_text_count()`.
    pub fn argument_text_count(&self) -> usize {
        self.arguments.text_count()
    }

    /// What is known to be wrong or missing in the data.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// What the workload expected, and whether it held.
    pub fn expectations(&self) -> &[Expectation] {
        &self.expectations
    }

    /// What a reader should know of the files that it was read from, a sentence each.
    pub fn notes(&self) -> &[Box<str>] {
        &self.notes
    }

    /// The places that somebody marked in the files that it was read from, in the order of the files.
    pub fn bookmarks(&self) -> &[Bookmark] {
        &self.bookmarks
    }

    /// What was mended in the files that it was read from, by cause.
    pub fn file_repairs(&self) -> &[FileRepair] {
        &self.file_repairs
    }

    /// The log.
    pub fn log(&self) -> &[Log] {
        &self.log
    }

    /// Losses of devices.
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Lost devices that were opened anew.
    pub fn recoveries(&self) -> &[Recovery] {
        &self.recoveries
    }

    /// How clocks were converted.
    pub fn clocks(&self) -> &[Clock] {
        &self.clocks
    }

    /// The lanes of which is known how their threads were scheduled, by number.
    pub fn scheduled_lanes(&self) -> impl Iterator<Item = LaneId> {
        self.thread_states.lanes()
    }

    /// How the thread of a lane was scheduled, in order of time; empty where that is not known. No two overlap.
    pub fn thread_states(&self, lane: LaneId) -> &[ThreadInterval] {
        self.thread_states.of(lane)
    }

    /// Those of its states that overlap `interval`, or lie in it without any length.
    pub fn thread_states_in(&self, lane: LaneId, interval: Interval) -> &[ThreadInterval] {
        self.thread_states.within(lane, interval)
    }

    /// Bytes held by the tables of spans.
    pub fn span_bytes(&self) -> usize {
        self.spans.heap_bytes()
    }

    /// Bytes held by all tables that grow with the file together.
    pub fn bytes(&self) -> usize {
        let tables = self.tables_in_bytes();
        tables.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Bytes held by each table that grows with the file, the spans' first.
    pub fn tables_in_bytes(&self) -> [(&'static str, usize); 6] {
        let samples: usize = self.samples.iter().map(Samples::heap_bytes).sum();
        [
            ("spans", self.span_bytes()),
            ("dependencies", self.dependencies.heap_bytes()),
            ("arguments", self.arguments.heap_bytes()),
            ("names", self.names.heap_bytes()),
            ("samples", samples),
            ("thread states", self.thread_states.heap_bytes()),
        ]
    }
}

//! The records that make a piece of a capture, with numbers of their own.

mod history;

use std::collections::BTreeSet;

use super::new_numbers::{SpanNumbers, TableNumbers};
use super::selection::{PieceSelection, is_wanted, spans};
use super::stub;
use super::{CapturePiece, PieceCounts, PieceRequest};
use crate::exporter::records::unrepaired;
use capture::Capture;
use record::time::{Interval, Nanos};
use record::{
    Bookmark, BufferUse, CallId, Counter, CounterId, Dependency, Event, EventId, Lane, LaneId,
    LaneOrigin, NameId, Record, Sample, SourceCall, Span, SpanId, SpanStart, ThreadInterval,
    ThreadSchedule,
};

/// So many records are handed over at once.
const BATCH: usize = 4_096;

/// Makes the piece that was selected.
pub(super) fn write(
    (capture, bookmarks): (&Capture, &[Bookmark]),
    request: &PieceRequest,
    selection: &PieceSelection,
) -> CapturePiece {
    let mut numbers: Vec<u32> = spans(capture, request).map(|it| it.span.id.0).collect();
    numbers.extend(selection.running.iter().map(|it| it.id.0));
    numbers.extend(selection.stubs.keys().map(|it| it.0));
    let mut writer = PieceWriter {
        capture,
        bookmarks,
        request,
        selection,
        piece: Capture::new(),
        batch: Vec::with_capacity(BATCH),
        spans: SpanNumbers::new(numbers),
        names: TableNumbers::default(),
        lanes: TableNumbers::default(),
        counters: TableNumbers::default(),
        events: TableNumbers::default(),
        calls: TableNumbers::default(),
        samples: 0,
    };
    writer.put_tables();
    writer.put_dependencies();
    writer.put_samples();
    writer.put_schedules();
    writer.put_spans();
    writer.put_buffer_uses();
    writer.put_pipelines();
    writer.put_promises();
    writer.put_event_steps();
    writer.put_launches();
    writer.put_remarks();
    writer.finish()
}

/// A name: one of the whole capture, or one that it need not have.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum PieceName {
    Known(NameId),
    Own(&'static str),
}

/// A piece in the making.
struct PieceWriter<'a> {
    capture: &'a Capture,
    bookmarks: &'a [Bookmark],
    request: &'a PieceRequest,
    selection: &'a PieceSelection,
    piece: Capture,
    batch: Vec<Record>,
    spans: SpanNumbers,
    names: TableNumbers<PieceName>,
    lanes: TableNumbers<LaneId>,
    counters: TableNumbers<CounterId>,
    events: TableNumbers<EventId>,
    calls: TableNumbers<CallId>,
    samples: u64,
}

impl PieceWriter<'_> {
    fn put(&mut self, record: Record) {
        self.batch.push(record);
        if self.batch.len() >= BATCH {
            self.piece.apply(self.batch.drain(..));
        }
    }

    /// The number of a name, which is told once it is asked for.
    fn name(&mut self, name: NameId) -> NameId {
        if name.is_some() {
            self.piece_name(PieceName::Known(name))
        } else {
            NameId::NONE
        }
    }

    fn piece_name(&mut self, name: PieceName) -> NameId {
        let (number, is_new) = self.names.number(name);
        if is_new {
            let text = match name {
                PieceName::Known(id) => self.capture.name(id),
                PieceName::Own(text) => text,
            };
            self.put(Record::Name(NameId(number), text.into()));
        }
        NameId(number)
    }

    /// The number of an event, which is told once it is asked for.
    fn event(&mut self, event: EventId) -> EventId {
        let Some(known) = self.capture.events().get(event.index()).copied() else {
            return EventId::NONE;
        };
        let (number, is_new) = self.events.number(event);
        let id = EventId(number);
        if is_new {
            let name = self.name(known.name);
            let options = self.name(known.options);
            self.put(Record::Event(Event {
                id,
                name,
                options,
                ..known
            }));
        }
        id
    }

    /// The number of a call of the source, which is told once it is asked for.
    fn call(&mut self, call: CallId) -> CallId {
        let Some(known) = self.capture.calls().get(call.index()).copied() else {
            return CallId::NONE;
        };
        let (number, is_new) = self.calls.number(call);
        let id = CallId(number);
        if is_new {
            let name = self.name(known.name);
            self.put(Record::Call(SourceCall { id, name, ..known }));
        }
        id
    }

    /// The number of a span; none where it is not in the piece.
    fn span(&self, span: SpanId) -> SpanId {
        self.spans.of(span.0).map_or(SpanId::NONE, SpanId)
    }

    fn lane(&self, lane: LaneId) -> LaneId {
        self.lanes.known(lane).map_or(LaneId::NONE, LaneId)
    }

    fn put_tables(&mut self) {
        let capture = self.capture;
        if let Some(run) = capture.run() {
            self.put(Record::Run(Box::new(run.clone())));
        }
        for device in capture.devices() {
            self.put(Record::Device(Box::new(device.clone())));
        }
        for clock in capture.clocks() {
            self.put(Record::Clock(Box::new(clock.clone())));
        }
        let used = self.used_lanes();
        for lane in capture.lanes().iter().filter(|it| used.contains(&it.id)) {
            let id = LaneId(self.lanes.number(lane.id).0);
            let of = lane.id;
            self.put(Record::Lane(Box::new(Lane { id, ..lane.clone() })));
            if let Some(origin) = capture.lane_origin(of) {
                self.put(Record::LaneOrigin(LaneOrigin { lane: id, ..origin }));
            }
        }
    }

    /// Adds lanes of other devices that are called as one that is used: explanations tell those apart by their devices.
    fn add_alike(&self, used: &mut BTreeSet<LaneId>) {
        let capture = self.capture;
        let is_shared = |it: &&Lane| *capture.lane_title(it.id) != *it.name;
        let names: BTreeSet<&str> = used
            .iter()
            .filter_map(|it| capture.lane(*it))
            .filter(is_shared)
            .map(|it| &*it.name)
            .collect();
        let alike = capture
            .lanes()
            .iter()
            .filter(|it| names.contains(&*it.name));
        used.extend(alike.map(|it| it.id));
    }

    /// The lanes of whatever is kept, in order.
    fn used_lanes(&self) -> BTreeSet<LaneId> {
        let capture = self.capture;
        let stubs = self.selection.stubs.keys();
        let stubs = stubs.filter_map(|id| Some(capture.span(*id)?.span.lane));
        let running = self.selection.running.iter().map(|it| it.lane);
        let mut lanes: BTreeSet<LaneId> = stubs.chain(running).collect();
        let scheduled = capture.scheduled_lanes();
        lanes.extend(scheduled.filter(|it| {
            let stretch = self.request.stretch(capture);
            is_wanted(self.request, *it) && !capture.thread_states_in(*it, stretch).is_empty()
        }));
        let mut last = LaneId::NONE;
        for placed in spans(capture, self.request) {
            if placed.span.lane != last {
                last = placed.span.lane;
                lanes.insert(last);
            }
        }
        self.add_alike(&mut lanes);
        lanes
    }

    fn put_dependencies(&mut self) {
        let selection = self.selection;
        for id in &selection.dependencies {
            if let Some(known) = self.capture.dependency(*id) {
                let event = self.event(known.event);
                let [cause, effect] = [known.cause, known.effect].map(|it| self.span(it));
                self.put(Record::Dependency(Dependency {
                    cause,
                    effect,
                    event,
                    ..known
                }));
            }
        }
    }

    /// The samples of the stretch. What held at its start is told for its start.
    fn put_samples(&mut self) {
        let capture = self.capture;
        let lanes = self.request.lanes.as_ref();
        let stretch = self.request.stretch(capture);
        let wanted = |it: &&Counter| lanes.is_none_or(|lanes| lanes.counters.contains(&it.id));
        for counter in capture.counters().iter().filter(wanted) {
            let id = CounterId(self.counters.number(counter.id).0);
            self.put(Record::Counter(Box::new(Counter {
                id,
                ..counter.clone()
            })));
            for (time, value) in samples(capture, counter.id, stretch) {
                self.samples += 1;
                self.put(Record::Sample(Sample {
                    counter: id,
                    time,
                    value,
                }));
            }
        }
    }

    /// How threads were scheduled within the stretch.
    fn put_schedules(&mut self) {
        let capture = self.capture;
        let stretch = self.request.stretch(capture);
        for of in capture.scheduled_lanes() {
            let lane = self.lane(of);
            if !lane.is_some() {
                continue;
            }
            let mut intervals = Vec::new();
            for state in capture.thread_states_in(of, stretch) {
                if let Some(interval) = state.interval.intersection(stretch) {
                    let waker = self.name(state.waker);
                    intervals.push(ThreadInterval {
                        interval,
                        waker,
                        ..*state
                    });
                }
            }
            self.put(Record::Schedule(Box::new(ThreadSchedule {
                lane,
                intervals,
            })));
        }
    }

    fn put_spans(&mut self) {
        let (capture, request, selection) = (self.capture, self.request, self.selection);
        for placed in spans(capture, request) {
            self.put_span(&unrepaired(&placed), placed.span.id);
        }
        for began in &selection.running {
            let name = self.name(began.name);
            let (id, lane) = (self.span(began.id), self.lane(began.lane));
            self.put_arguments(began.id);
            self.put(Record::Began(SpanStart {
                id,
                lane,
                name,
                ..*began
            }));
        }
        for (id, role) in &selection.stubs {
            if let Some(placed) = capture.span(*id) {
                let stub = stub::stub(capture, &placed, *role);
                let told = stub::fields(&placed.span);
                for (field, value) in told {
                    let name = self.piece_name(PieceName::Own(field));
                    self.put(Record::Argument(self.span(*id), name, value));
                }
                self.put_span(&stub, *id);
            }
        }
    }

    fn put_span(&mut self, span: &Span, of: SpanId) {
        let (name, call) = (self.name(span.name), self.call(span.call));
        let (id, lane) = (self.span(of), self.lane(span.lane));
        self.put_arguments(of);
        self.put(Record::Span(Span {
            id,
            lane,
            name,
            call,
            ..*span
        }));
    }

    fn put_arguments(&mut self, of: SpanId) {
        let capture = self.capture;
        // What a stub stands for has no fields here, as it is not here.
        let is_stub = self.selection.stubs.contains_key(&of);
        let is_kept = !is_stub || capture.span(of).is_some_and(|it| it.is_stub());
        for (name, value) in capture.argument_ids(of).filter(|_| is_kept) {
            let name = self.name(name);
            self.put(Record::Argument(self.span(of), name, value));
        }
    }

    fn put_buffer_uses(&mut self) {
        let capture = self.capture;
        for known in capture.buffer_uses() {
            if let Some(call) = self.calls.known(known.call) {
                let buffer = self.name(known.buffer);
                self.put(Record::BufferUse(BufferUse {
                    call: CallId(call),
                    buffer,
                    ..*known
                }));
            }
        }
    }

    fn finish(mut self) -> CapturePiece {
        let (capture, selection) = (self.capture, self.selection);
        let all = capture.counters().iter();
        let all = all.map(|it| capture.samples(it.id).times().len() as u64);
        let counts = PieceCounts {
            spans: [selection.count, capture.span_count() as u64],
            dependencies: [
                selection.dependencies.len() as u64,
                capture.dependency_count() as u64,
            ],
            lanes: [u64::from(self.lanes.len()), capture.lanes().len() as u64],
            samples: [self.samples, all.sum()],
            stubs: selection.stubs.len() as u64,
        };
        self.put(Record::Note(counts.note(self.request).into()));
        self.piece.apply(self.batch.drain(..));
        CapturePiece {
            capture: self.piece,
            counts,
        }
    }
}

/// The samples of a counter in a stretch; what held at its start first, where that is told.
fn samples(
    capture: &Capture,
    counter: CounterId,
    stretch: Interval,
) -> impl Iterator<Item = (Nanos, f64)> {
    let samples = capture.samples(counter);
    let (times, values) = (samples.times(), samples.values());
    let from = times.partition_point(|it| *it < stretch.start);
    let to = times.partition_point(|it| *it < stretch.end);
    let is_told = times.get(from).is_some_and(|it| *it == stretch.start);
    let held = from.checked_sub(1).and_then(|before| values.get(before));
    let held = held.filter(|_| !is_told).map(|it| (stretch.start, *it));
    let rest = times.iter().zip(values).take(to).skip(from);
    held.into_iter()
        .chain(rest.map(|(time, value)| (*time, *value)))
}

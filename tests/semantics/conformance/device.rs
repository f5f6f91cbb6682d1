//! What the workload language cannot say, straight on an opened device: elapsed time, release, drops mid-flight.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::backend::{
    Backend, BackendDevice, BackendError, BufferSide, DeviceLayout, EventLayout, HostIndex,
    Operation, PaceLayout, ReportSink, StreamLayout, Submission,
};
use engine::device::{
    DeviceStatus, ElapsedError, EventError, EventStatus, EventTable, RecordProgress, elapsed,
};
use engine::record::{
    BufferIndex, CallId, CounterId, DeviceId, EventIndex, LaneId, LossKind, NameId, Record,
    SignalIndex, Span, SpanId, State, StreamIndex,
};
use engine::time::Nanos;
use engine::workload::{Kernel, KernelArguments, StreamRole, SyncTarget};

use super::backends;

const HOST: HostIndex = HostIndex(0);
const A: StreamIndex = StreamIndex(0);
const B: StreamIndex = StreamIndex(1);
const E: EventIndex = EventIndex(0);
const F: EventIndex = EventIndex(1);
const GO: SignalIndex = SignalIndex(0);
const X: BufferIndex = BufferIndex(0);

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<Record>>>);

impl ReportSink for Kept {
    fn report(&mut self, record: Record) {
        self.0.lock().unwrap().push(record);
    }
}

impl Kept {
    fn spans(&self) -> Vec<Span> {
        let records = self.0.lock().unwrap();
        let spans = records.iter().filter_map(|record| match record {
            Record::Span(span) => Some(*span),
            _ => None,
        });
        let mut spans: Vec<Span> = spans.collect();
        spans.sort_by_key(|span| span.id);
        spans
    }
}

struct Bench {
    device: Box<dyn BackendDevice>,
    kept: Kept,
    next: u32,
}

impl Bench {
    fn open(backend: &dyn Backend) -> Self {
        let stream = |lane: u32| StreamLayout {
            name: lane.to_string(),
            lane: LaneId(lane),
            pending: CounterId(lane),
            role: StreamRole::Compute,
            priority: 0,
            failure: engine::workload::FailureMode::Stop,
            traits: engine::workload::StreamTraits::default(),
        };
        let layout = DeviceLayout {
            device: DeviceId(0),
            streams: vec![stream(0), stream(1)],
            events: vec![EventLayout::default(); 2],
            buffers: vec![64, 64],
            signals: 1,
            hosts: 1,
            pace: PaceLayout {
                setting: super::BRISK,
                ..PaceLayout::default()
            },
            ..DeviceLayout::default()
        };
        let kept = Kept::default();
        let device = backend.open(&layout, &|| Box::new(kept.clone())).unwrap();
        device.start();
        let mut bench = Self {
            device,
            kept,
            next: 0,
        };
        bench.call();
        bench
    }

    /// The host thread's turn, before each call.
    fn call(&mut self) -> &dyn BackendDevice {
        self.device.turn(HOST).unwrap();
        self.device.as_ref()
    }

    fn try_submit(
        &mut self,
        stream: StreamIndex,
        operation: Operation,
    ) -> Result<(), BackendError> {
        let span = SpanId(self.next);
        let enqueued = self.call().now(HOST);
        let submission = Submission {
            span,
            queue: SpanId::NONE,
            name: NameId(0),
            call: CallId::NONE,
            enqueued,
            operation,
        };
        self.device.submit(HOST, stream, submission)?;
        self.next += 1;
        Ok(())
    }

    fn submit(&mut self, stream: StreamIndex, operation: Operation) {
        self.try_submit(stream, operation).unwrap();
    }

    fn status(&mut self, event: EventIndex) -> EventStatus {
        EventStatus {
            device: DeviceId(0),
            timing: true,
            progress: self.call().query(HOST, event),
        }
    }

    fn elapsed(&mut self) -> Result<Nanos, ElapsedError> {
        elapsed(self.status(E), self.status(F))
    }

    fn synchronize(&mut self, target: SyncTarget) {
        self.call().synchronize(HOST, target, None).unwrap();
    }
}

fn spin(micros: f64) -> Operation {
    Operation::Launch(Box::new(KernelArguments {
        kernel: Kernel::find("spin").unwrap(),
        reads: Vec::new(),
        writes: Vec::new(),
        parameters: vec![micros],
    }))
}

#[test]
fn elapsed_time_and_its_errors() {
    for backend in backends() {
        let mut bench = Bench::open(backend);
        assert_eq!(bench.elapsed(), Err(ElapsedError::NotRecorded), "A14");
        bench.submit(A, Operation::Record(E));
        assert_eq!(bench.elapsed(), Err(ElapsedError::NotRecorded), "A14");
        bench.submit(A, spin(200.0));
        bench.submit(A, Operation::Hold(GO));
        bench.submit(A, Operation::Record(F));
        bench.synchronize(SyncTarget::Event(E));
        assert_eq!(
            bench.elapsed(),
            Err(ElapsedError::NotReady),
            "A16, and A18: it never waits"
        );
        bench.call().raise(HOST, GO);
        bench.synchronize(SyncTarget::Device);
        let first = bench.elapsed().unwrap();
        let spans = bench.kept.spans();
        let kernel = spans[1].end - spans[1].start;
        assert!(
            first >= kernel,
            "A19: {first} is less than the kernel's {kernel}"
        );
        // A21: recorded anew, an event has a new time; A20: the wrong way round is negative.
        bench.submit(A, Operation::Record(E));
        bench.synchronize(SyncTarget::Device);
        let second = bench.elapsed().unwrap();
        assert!(second <= Nanos::ZERO && second < first);
        let other = EventStatus {
            device: DeviceId(1),
            ..bench.status(F)
        };
        assert_eq!(
            elapsed(bench.status(E), other),
            Err(ElapsedError::OtherDevice),
            "A20"
        );
        let untimed = EventStatus {
            timing: false,
            ..bench.status(F)
        };
        assert_eq!(
            elapsed(bench.status(E), untimed),
            Err(ElapsedError::TimingDisabled),
            "A15"
        );
    }
}

#[test]
fn a_released_event_keeps_the_waits_that_were_submitted() {
    for backend in backends() {
        let mut bench = Bench::open(backend);
        let events = EventTable::new(2);
        bench.submit(A, Operation::Hold(GO));
        bench.submit(A, Operation::Record(E));
        events.record(E, A, SpanId(1), |_| ()).unwrap();
        bench.submit(B, Operation::Wait(E));
        bench.submit(B, spin(10.0));
        // A11: does not block, although the record is pending; a second time is an error.
        events.release(E).unwrap();
        assert_eq!(events.release(E), Err(EventError::Released(0)));
        bench.call().raise(HOST, GO);
        bench.synchronize(SyncTarget::Device);
        // Whoever waits learns of an end at once, and a span is reported when its time is known.
        assert!(bench.device.wait_idle(Duration::from_secs(5)));
        let spans = bench.kept.spans();
        assert!(spans[1].end <= spans[2].end && spans[2].end <= spans[3].start);
    }
}

#[test]
fn a_synchronisation_gives_up_in_time() {
    for backend in backends() {
        let mut bench = Bench::open(backend);
        bench.submit(A, Operation::Hold(GO));
        bench.submit(A, Operation::Record(E));
        for target in [
            SyncTarget::Stream(A),
            SyncTarget::Device,
            SyncTarget::Event(E),
        ] {
            let soon = Some(Duration::from_millis(5));
            let result = bench.call().synchronize(HOST, target, soon);
            assert_eq!(result, Err(BackendError::TimedOut), "{target:?}");
        }
        bench.synchronize(SyncTarget::Stream(B));
        bench.call().raise(HOST, GO);
        bench.synchronize(SyncTarget::Device);
    }
}

#[test]
fn dropped_in_mid_flight_every_operation_comes_to_something() {
    for backend in backends() {
        let mut bench = Bench::open(backend);
        bench.submit(A, spin(3000.0));
        bench.submit(A, Operation::Hold(GO));
        bench.submit(A, Operation::Record(E));
        bench.submit(B, Operation::Wait(E));
        for _ in 0..100 {
            bench.submit(
                B,
                Operation::Fill {
                    buffer: X,
                    value: 1.0,
                },
            );
        }
        let kept = bench.kept.clone();
        drop(bench);
        let spans = kept.spans();
        assert_eq!(spans.len(), 104, "A27: {}", backend.name());
        assert!(spans[1..].iter().all(|span| span.state == State::Cancelled));
    }
}

#[test]
fn a_lost_device_takes_everything_pending_with_it() {
    for backend in backends() {
        let name = backend.name();
        let mut bench = Bench::open(backend);
        bench.submit(A, Operation::Record(E));
        bench.synchronize(SyncTarget::Stream(A));
        bench.submit(A, spin(5_000_000.0));
        bench.submit(A, Operation::Record(F));
        bench.submit(B, Operation::Wait(F));
        bench.submit(B, Operation::Hold(GO));
        let before = bench.call().now(HOST);
        let report = bench.call().lose(LossKind::Destroyed);
        assert!(report.is_news && report.time >= before, "{name}");
        let status = bench.call().status();
        assert_eq!(status, DeviceStatus::Lost(report.reason.clone()), "{name}");
        assert!(!bench.call().lose(LossKind::Unknown).is_news);
        assert_eq!(
            bench.call().status(),
            status,
            "the first cause stays: {name}"
        );
        let refused = bench.call().synchronize(HOST, SyncTarget::Device, None);
        assert!(
            matches!(refused, Err(BackendError::Lost(_))),
            "{name}: {refused:?}"
        );
        bench.submit(B, Operation::Record(E));
        assert!(bench.device.wait_idle(Duration::from_secs(30)), "{name}");
        let kept = bench.kept.clone();
        drop(bench);
        let ends: Vec<State> = kept.spans().iter().map(|span| span.state).collect();
        assert_eq!(ends[0], State::Done, "{name}");
        assert_eq!(ends[1..], [State::Lost; 5], "{name}");
        let spans = kept.spans();
        assert!(
            spans[1].end <= report.time,
            "what ran ends with the device: {name}"
        );
    }
}

#[test]
fn what_a_device_does_not_have_is_refused_and_the_rest_goes_on() {
    for backend in backends() {
        let mut bench = Bench::open(backend);
        let nowhere = bench.try_submit(StreamIndex(9), Operation::Hold(GO));
        assert!(matches!(nowhere, Err(BackendError::Unknown(_))));
        let nothing = bench.try_submit(A, Operation::Record(EventIndex(9)));
        assert!(matches!(nothing, Err(BackendError::Unknown(_))));
        let wrong = bench.try_submit(A, spin(-1.0));
        assert!(matches!(wrong, Err(BackendError::Launch { .. })));
        // Rule A46: such errors are of the call alone.
        bench.submit(
            A,
            Operation::Fill {
                buffer: X,
                value: 3.0,
            },
        );
        bench.synchronize(SyncTarget::Stream(A));
        assert_eq!(bench.device.read(X, BufferSide::Device), [3.0; 64]);
        assert_eq!(bench.call().query(HOST, E), RecordProgress::NotRecorded);
    }
}

//! What becomes of a run when Syncline itself fails: on a host thread, or on the engine thread.

use std::panic::resume_unwind;
use std::time::Duration;

use super::*;
use crate::prepare::prepare_on;
use backend::{
    self, Activity, Backend, BackendDevice, BackendError, BufferSide, Caps, CompileError,
    CompileRequest, CompiledPipeline, DeviceBuffers, DeviceCompiler, DeviceLayout, DeviceQueue,
    DeviceRecovery, DeviceState, DeviceTime, DeviceWaiting, Flag, HostIndex, LossReport,
    NativeQuery, PendingAnswer, PreparedLaunch, ProbedDevice, ReportSink, Submission,
};
use device::{DeviceStatus, RecordProgress};
use record::time::Nanos;
use record::{
    BufferIndex, Clock, EventIndex, LossKind, RunOutcome, SignalIndex, SpanId, SpanStart, State,
    StreamIndex,
};
use workload::{KernelArguments, SyncTarget};

/// Where the device fails.
#[derive(Clone, Copy, PartialEq)]
enum FailurePoint {
    /// On the host thread that submits the third operation.
    Submit,
    /// On the engine thread, when it looks for a stall.
    Look,
}

struct FaultyBackend(FailurePoint);

struct FaultyDevice(FailurePoint, Box<dyn BackendDevice>);

impl Backend for FaultyBackend {
    fn name(&self) -> &'static str {
        "faulty"
    }

    fn about(&self) -> &'static str {
        "fails on purpose"
    }

    fn probe(&self) -> Result<Vec<ProbedDevice>, BackendError> {
        backend::find_backend("cpu").unwrap().probe()
    }

    fn open(
        &self,
        layout: &DeviceLayout,
        sinks: &dyn Fn() -> Box<dyn ReportSink>,
    ) -> Result<Box<dyn BackendDevice>, BackendError> {
        let device = backend::find_backend("cpu").unwrap().open(layout, sinks)?;
        Ok(Box::new(FaultyDevice(self.0, device)))
    }
}

impl BackendDevice for FaultyDevice {
    fn name(&self) -> &str {
        self.1.name()
    }

    fn caps(&self) -> &Caps {
        self.1.caps()
    }

    fn start(&self) {
        self.1.start();
    }

    fn stop(&self) {
        self.1.stop();
    }
}

impl DeviceTime for FaultyDevice {
    fn clock(&self) -> Clock {
        self.1.clock()
    }

    fn now(&self, host: HostIndex) -> Nanos {
        self.1.now(host)
    }
}

impl DeviceQueue for FaultyDevice {
    fn submit(
        &self,
        h: HostIndex,
        s: StreamIndex,
        submission: Submission,
    ) -> Result<(), BackendError> {
        if self.0 == FailurePoint::Submit && submission.span.0 >= 4 {
            // As a panic, without the noise of its message.
            resume_unwind(Box::new("planted"));
        }
        self.1.submit(h, s, submission)
    }

    fn pack(
        &self,
        launch: KernelArguments,
        elements: Option<usize>,
    ) -> Result<Arc<PreparedLaunch>, BackendError> {
        self.1.pack(launch, elements)
    }

    fn completed(&self, s: StreamIndex) -> u64 {
        self.1.completed(s)
    }

    fn make_room(&self, host: HostIndex, stream: StreamIndex) {
        self.1.make_room(host, stream);
    }

    fn take_slot(&self, host: HostIndex) -> Result<SpanId, BackendError> {
        self.1.take_slot(host)
    }

    fn until_ended(&self, host: HostIndex, stream: StreamIndex, ended: u64) {
        self.1.until_ended(host, stream, ended);
    }

    fn is_short_of_slots(&self) -> bool {
        self.1.is_short_of_slots()
    }

    fn abort(&self, host: HostIndex, stream: StreamIndex, by: SpanId) -> Result<(), BackendError> {
        self.1.abort(host, stream, by)
    }

    fn pending(&self, stream: StreamIndex) -> u64 {
        self.1.pending(stream)
    }

    fn is_idle(&self, host: HostIndex, streams: &[StreamIndex]) -> bool {
        self.1.is_idle(host, streams)
    }

    fn calls(&self, stream: StreamIndex) -> u64 {
        self.1.calls(stream)
    }
}

impl DeviceWaiting for FaultyDevice {
    fn interrupt(&self) {
        self.1.interrupt();
    }

    fn until_flag(&self, h: HostIndex, flag: &Flag) -> Result<(), BackendError> {
        self.1.until_flag(h, flag)
    }

    fn turn(&self, host: HostIndex) -> Result<(), BackendError> {
        self.1.turn(host)
    }

    fn leave(&self, host: HostIndex) {
        self.1.leave(host);
    }

    fn query(&self, host: HostIndex, event: EventIndex) -> RecordProgress {
        self.1.query(host, event)
    }

    fn synchronize(
        &self,
        host: HostIndex,
        target: SyncTarget,
        timeout: Option<Duration>,
    ) -> Result<(), BackendError> {
        self.1.synchronize(host, target, timeout)
    }

    fn raise(&self, host: HostIndex, signal: SignalIndex) {
        self.1.raise(host, signal);
    }

    fn until_raised(&self, host: HostIndex, signal: SignalIndex) -> Result<(), BackendError> {
        self.1.until_raised(host, signal)
    }

    fn work(&self, host: HostIndex, length: Nanos) {
        self.1.work(host, length);
    }
}

impl DeviceCompiler for FaultyDevice {
    fn validate(&self, request: &CompileRequest) -> Result<(), CompileError> {
        self.1.validate(request)
    }

    fn compile(&self, request: &CompileRequest) -> Result<CompiledPipeline, CompileError> {
        self.1.compile(request)
    }
}

impl DeviceRecovery for FaultyDevice {
    fn reopen(&self) -> Result<(), BackendError> {
        self.1.reopen()
    }

    fn drain(&self) -> Result<(), BackendError> {
        self.1.drain()
    }

    fn rewind(&self) {
        self.1.rewind();
    }

    fn lose(&self, kind: LossKind) -> LossReport {
        self.1.lose(kind)
    }

    fn status(&self) -> DeviceStatus {
        self.1.status()
    }
}

impl DeviceBuffers for FaultyDevice {
    fn read(&self, buffer: BufferIndex, side: BufferSide) -> Vec<f32> {
        self.1.read(buffer, side)
    }

    fn write(&self, buffer: BufferIndex, first: usize, values: &[f32]) {
        self.1.write(buffer, first, values);
    }
}

impl DeviceState for FaultyDevice {
    fn activity(&self) -> Activity {
        if self.0 == FailurePoint::Look {
            resume_unwind(Box::new("planted"));
        }
        self.1.activity()
    }

    fn raw(&self, question: &NativeQuery) -> Option<PendingAnswer> {
        self.1.raw(question)
    }

    fn wait_idle(&self, timeout: Duration) -> bool {
        self.1.wait_idle(timeout)
    }

    fn running(
        &self,
        age: Nanos,
        known: &dyn Fn(SpanId) -> bool,
        report: &mut dyn FnMut(SpanStart),
    ) {
        self.1.running(age, known, report);
    }
}

const SOURCE: &str = r#"
    stream "a"; buffer "x" f32=16; signal "go"
    host "main" {
        hold "go" on="a"
        repeat 5 { fill "x" value=1 on="a" }
        await "go"
    }
    host "late" { work micros=20000000; signal "go" }"#;

/// The records of a run that fails at `place`; all of them must have arrived.
fn records_of(place: FailurePoint) -> Vec<Record> {
    let (outbox, messages) = Outbox::new(Box::new(|| ()));
    let (_controls, inbox) = bounded(1);
    let mut worker = EngineWorker {
        inbox,
        outbox: Arc::new(outbox),
        is_closing: Arc::default(),
        runs: 0,
        placed: None,
        delivery: Arc::default(),
        own: None,
    };
    let request = RunRequest {
        name: "case".to_owned(),
        source: SOURCE.to_owned(),
        ..RunRequest::default()
    };
    let prepared = prepare_on(&FaultyBackend(place), &request).unwrap();
    assert!(worker.conduct(&request, prepared).is_none());
    let mut records = Vec::new();
    let mut is_finished = false;
    for message in messages.try_iter() {
        match message {
            Message::Batch(batch) => records.extend(batch),
            Message::Finished { lost, .. } => {
                assert_eq!(lost, 0);
                is_finished = true;
            }
            _ => {}
        }
    }
    assert!(is_finished);
    records
}

fn check(records: &[Record], code: &str, part: &str) {
    let Some(Record::End(end)) = records.last() else {
        unreachable!("the last record is the end")
    };
    assert_eq!(end.records, records.len() as u64);
    let RunOutcome::Failed(reason) = &end.outcome else {
        unreachable!("{:?} is no failure", end.outcome)
    };
    assert!(
        reason.contains(part) && reason.contains("planted"),
        "{reason}"
    );
    let problem = records.iter().find_map(|record| match record {
        Record::Problem(problem) if problem.code == code => Some(problem),
        _ => None,
    });
    assert!(problem.unwrap().text.contains("report it"));
    // What had been submitted is there, the hold at least, and came to something.
    let cancelled = records.iter().filter(|record| match record {
        Record::Span(span) => span.state == State::Cancelled,
        _ => false,
    });
    assert!(cancelled.count() >= 1);
}

#[test]
fn a_panic_on_a_host_thread_ends_the_run_and_says_where() {
    let records = records_of(FailurePoint::Submit);
    check(&records, "host-panic", "host main, line 5");
}

#[test]
fn a_panic_on_the_engine_thread_ends_the_run_and_keeps_what_was_recorded() {
    let records = records_of(FailurePoint::Look);
    check(&records, "engine-panic", "Syncline itself failed");
}

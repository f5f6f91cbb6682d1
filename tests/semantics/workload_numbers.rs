//! The numbers that bundled workloads compute, on every backend that opens, against formulas and plain loops.

use std::sync::atomic::{AtomicU32, Ordering};

use engine::backend::{
    BACKENDS, BackendDevice, BufferSide, DeviceLayout, EventLayout, HostIndex, Operation,
    PaceLayout, ReportSink, StreamLayout, Submission,
};
use engine::record::{
    BufferIndex, CallId, CounterId, DeviceId, LaneId, NameId, Record, SpanId, StreamIndex,
};
use engine::workload::{
    Bounds, Call, DataCall, Document, EventCall, ExpectationKind, HostCall, Plan, StreamCall,
    SyncTarget, bundled, compare,
};

use crate::semantics::conformance::BRISK;

struct Silence;

impl ReportSink for Silence {
    fn report(&mut self, _: Record) {}
}

fn layout(plan: &Plan) -> DeviceLayout {
    let stream = |(place, stream): (usize, &engine::workload::StreamPlan)| StreamLayout {
        name: stream.name.clone(),
        lane: LaneId(place as u32),
        pending: CounterId(place as u32),
        role: stream.role,
        priority: stream.priority,
        failure: stream.failure,
        traits: engine::workload::StreamTraits::default(),
    };
    DeviceLayout {
        device: DeviceId(0),
        streams: plan.streams.iter().enumerate().map(stream).collect(),
        events: vec![EventLayout::default(); plan.events.len()],
        buffers: plan.buffers.iter().map(|buffer| buffer.len).collect(),
        signals: plan.signals.len(),
        hosts: plan.hosts.len(),
        pace: PaceLayout {
            setting: BRISK,
            ..PaceLayout::default()
        },
        ..DeviceLayout::default()
    }
}

/// What a call submits, and where.
fn operation(call: &Call) -> Option<(StreamIndex, Operation)> {
    Some(match call.clone() {
        Call::Data(DataCall::Upload { buffer, stream }) => (stream, Operation::Upload(buffer)),
        Call::Data(DataCall::Download { buffer, stream }) => (stream, Operation::Download(buffer)),
        Call::Data(DataCall::Copy { from, to, stream }) => (stream, Operation::Copy { from, to }),
        Call::Data(DataCall::Fill {
            buffer,
            value,
            stream,
        }) => (stream, Operation::Fill { buffer, value }),
        Call::Data(DataCall::Launch { stream, kernel, .. }) => {
            (stream, Operation::Launch(Box::new(kernel)))
        }
        Call::Event(EventCall::Record { event, stream, .. }) => (stream, Operation::Record(event)),
        Call::Event(EventCall::Wait { event, stream, .. }) => (stream, Operation::Wait(event)),
        Call::Stream(StreamCall::Hold { signal, stream }) => (stream, Operation::Hold(signal)),
        Call::Stream(StreamCall::HostFunction { length, stream, .. }) => {
            (stream, Operation::HostFunction(length))
        }
        _ => return None,
    })
}

fn make(call: &Call, host: HostIndex, device: &dyn BackendDevice, spans: &AtomicU32) {
    if let Some((stream, operation)) = operation(call) {
        let submission = Submission {
            span: SpanId(spans.fetch_add(1, Ordering::Relaxed)),
            queue: SpanId::NONE,
            name: NameId(0),
            call: CallId(0),
            enqueued: device.now(host),
            operation,
        };
        return device.submit(host, stream, submission).unwrap();
    }
    match call {
        Call::Event(EventCall::Synchronize { event, .. }) => {
            device
                .synchronize(host, SyncTarget::Event(*event), None)
                .unwrap();
        }
        Call::Stream(StreamCall::Synchronize { stream, .. }) => {
            device
                .synchronize(host, SyncTarget::Stream(*stream), None)
                .unwrap();
        }
        Call::Stream(StreamCall::SynchronizeDevice { .. }) => {
            device.synchronize(host, SyncTarget::Device, None).unwrap();
        }
        Call::Event(EventCall::Query { event, .. }) => drop(device.query(host, *event)),
        Call::Host(HostCall::Signal { signal }) => device.raise(host, *signal),
        Call::Host(HostCall::Await { signal }) => device.until_raised(host, *signal).unwrap(),
        Call::Host(HostCall::Work { length }) => device.work(host, *length),
        Call::Host(HostCall::HostWrite { buffer, value }) => {
            let len = device.read(*buffer, BufferSide::Host).len();
            device.write(*buffer, 0, &vec![*value; len]);
        }
        // What pipelines and promises come to, and what the host looks at, changes no number.
        Call::Gpu(_)
        | Call::Host(
            HostCall::HostRead { .. } | HostCall::LastError { .. } | HostCall::PeekLastError { .. },
        ) => {}
        other => panic!("{other:?} is not submitted"),
    }
}

/// Runs a plan to its end on a new device.
fn run(plan: &Plan, backend: &str) -> Box<dyn BackendDevice> {
    let backend = engine::backend::find_backend(backend).unwrap();
    let device = backend.open(&layout(plan), &|| Box::new(Silence)).unwrap();
    for (place, buffer) in plan.buffers.iter().enumerate() {
        let values: Vec<f32> = (0..buffer.len).map(|k| buffer.init.at(k) as f32).collect();
        device.write(BufferIndex(place as u32), 0, &values);
    }
    device.start();
    let spans = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for host in 0..plan.hosts.len() {
            let (device, spans) = (&*device, &spans);
            scope.spawn(move || {
                for placed in plan.calls(host) {
                    device.turn(HostIndex(host)).unwrap();
                    make(&placed.call, HostIndex(host), device, spans);
                }
                device.leave(HostIndex(host));
            });
        }
    });
    device
}

/// What is wrong with the numbers of a run.
fn complaints(plan: &Plan, device: &dyn BackendDevice) -> Vec<String> {
    let mut complaints = Vec::new();
    for expectation in &plan.expectations {
        match &expectation.kind {
            ExpectationKind::Each { buffers, tolerance } => {
                for (buffer, formula) in buffers {
                    let values = device.read(*buffer, BufferSide::Host);
                    if let Err(wrong) = compare(&values, formula, *tolerance) {
                        complaints.push(format!("{}: {wrong:?}", expectation.text));
                    }
                }
            }
            ExpectationKind::Sum { buffers, bounds } => {
                let values = buffers
                    .iter()
                    .flat_map(|buffer| device.read(*buffer, BufferSide::Host));
                let sum: f64 = values.map(f64::from).sum();
                if !bounds.contain(sum) {
                    complaints.push(format!("{}: {sum} is not in {bounds:?}", expectation.text));
                }
            }
            _ => {}
        }
    }
    complaints
}

fn opened() -> Vec<&'static str> {
    let all = BACKENDS.iter().filter(|it| !it.ends_processes());
    let names = all.filter(|backend| match backend.probe() {
        Ok(_) => true,
        Err(reason) => {
            eprintln!("{}: skipped, {reason}", backend.name());
            false
        }
    });
    names.map(|backend| backend.name()).collect()
}

/// Whether something between the calls and the device orders them: here nothing is.
fn needs_a_runner(plan: &Plan) -> bool {
    let is_inserted = plan.synchronization != engine::workload::Synchronization::Manual;
    let mut calls = (0..plan.hosts.len()).flat_map(|host| plan.calls(host));
    is_inserted || calls.any(|placed| !is_plain(&placed.call))
}

/// Whether a device does by itself what a call asks for.
fn is_plain(call: &Call) -> bool {
    match call {
        Call::Rank(_) | Call::Data(DataCall::Allocate { .. } | DataCall::Free { .. }) => false,
        Call::Data(_) | Call::Host(_) | Call::Launch(_) | Call::Gpu(_) => true,
        Call::Event(call) => match call {
            EventCall::Record { is_external, .. } => !is_external,
            EventCall::Wait {
                is_external,
                timeout,
                ..
            } => !is_external && timeout.is_none(),
            EventCall::Synchronize { timeout, .. } => timeout.is_none(),
            EventCall::Query { is_strict, .. } => !is_strict,
            _ => false,
        },
        Call::Stream(call) => match call {
            StreamCall::Hold { .. } => true,
            StreamCall::HostFunction {
                is_blocking,
                panics,
                ..
            } => is_blocking.is_none() && !panics,
            StreamCall::Synchronize { timeout, .. } | StreamCall::SynchronizeDevice { timeout } => {
                timeout.is_none()
            }
            _ => false,
        },
    }
}

#[test]
fn bundled_workloads_compute_what_they_expect() {
    for backend in opened() {
        for workload in bundled() {
            let plan = Document::parse(workload.name, workload.source)
                .unwrap()
                .plan(&[])
                .unwrap();
            // What is recorded or captured is submitted by the runner alone, which `workloads` runs on every backend.
            if needs_a_runner(&plan) || !plan.recorded.is_empty() || !plan.graphs.is_empty() {
                continue;
            }
            let started = std::time::Instant::now();
            let found = complaints(&plan, &*run(&plan, backend));
            eprintln!("{backend} {}: {:?}", workload.name, started.elapsed());
            if workload.name == "missing-wait" {
                assert_eq!(
                    found.len(),
                    1,
                    "{backend}: the fault of {} does not show",
                    workload.name
                );
            } else {
                assert!(found.is_empty(), "{backend} {}: {found:#?}", workload.name);
            }
        }
    }
}

#[test]
fn the_missing_wait_is_mended_as_its_text_says() {
    let workload = bundled()
        .iter()
        .find(|workload| workload.name == "missing-wait")
        .unwrap();
    let mended = workload
        .source
        .replace("// record", "record")
        .replace("// wait", "wait");
    assert_ne!(mended, workload.source);
    let plan = Document::parse("mended", &mended)
        .unwrap()
        .plan(&[])
        .unwrap();
    for backend in opened() {
        assert_eq!(
            complaints(&plan, &*run(&plan, backend)),
            Vec::<String>::new()
        );
    }
}

/// Sizes that no power of two divides show what is wrong at edges.
#[test]
fn odd_sizes_compute_as_well() {
    for (name, parameters) in [
        (
            "tile-matmul",
            vec![("tile", 9.0), ("tiles", 3.0), ("streams", 2.0)],
        ),
        ("reduction-tree", vec![("n", 1027.0), ("micros", 0.0)]),
        ("histogram", vec![("bins", 7.0), ("each", 3.0)]),
        ("heat", vec![("side", 17.0), ("steps", 5.0)]),
        (
            "double-buffer",
            vec![("n", 65_537.0), ("parts", 3.0), ("work", 500.0)],
        ),
    ] {
        let workload = bundled()
            .iter()
            .find(|workload| workload.name == name)
            .unwrap();
        let overrides: Vec<(String, f64)> = parameters
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect();
        let plan = Document::parse(name, workload.source)
            .unwrap()
            .plan(&overrides)
            .unwrap();
        for backend in opened() {
            assert_eq!(
                complaints(&plan, &*run(&plan, backend)),
                Vec::<String>::new(),
                "{backend} {name}"
            );
        }
    }
}

/// The positions after the steps of `n-body`, by the formula of the kernel in 64 bits.
fn orbits(start: &[f32], steps: usize, dt: f64) -> Vec<f64> {
    let mut position: Vec<f64> = start.iter().copied().map(f64::from).collect();
    let mut velocity = vec![0.0; position.len()];
    for _ in 0..steps {
        for (body, speed) in velocity.chunks_mut(4).enumerate() {
            for other in position.chunks(4) {
                let offset: Vec<f64> = (0..3)
                    .map(|axis| other[axis] - position[4 * body + axis])
                    .collect();
                let distance = offset.iter().map(|d| d * d).sum::<f64>() + 0.1 * 0.1;
                for axis in 0..3 {
                    speed[axis] += dt * other[3] * offset[axis] / (distance * distance.sqrt());
                }
            }
        }
        for (place, speed) in position.iter_mut().zip(&velocity) {
            *place += dt * speed;
        }
    }
    position
}

#[test]
fn bodies_move_as_a_plain_loop_moves_them() {
    let workload = bundled()
        .iter()
        .find(|workload| workload.name == "n-body")
        .unwrap();
    let overrides = [("bodies".to_owned(), 50.0), ("steps".to_owned(), 20.0)];
    let plan = Document::parse("n-body", workload.source)
        .unwrap()
        .plan(&overrides)
        .unwrap();
    let start: Vec<f32> = (0..200)
        .map(|k| plan.buffers[0].init.at(k) as f32)
        .collect();
    let wanted = orbits(&start, 20, 0.01);
    assert!(
        start
            .iter()
            .zip(&wanted)
            .any(|(from, to)| (f64::from(*from) - to).abs() > 1e-3),
        "nothing moved"
    );
    for backend in opened() {
        let found = run(&plan, backend).read(BufferIndex(0), BufferSide::Host);
        for (k, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
            let near = Bounds::around(*wanted, 1e-5);
            assert!(
                near.contain(f64::from(*found)),
                "{backend}: element {k} is {found}, not {wanted}"
            );
        }
    }
}

//! What the wgpu backend alone can show: limits, adapters side by side, compiles, and losses without end.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::backend::{
    Backend, BackendDevice, BackendError, BufferSide, CacheUse, CompileError, CompileRequest,
    DeviceLayout, ENTRY, HostIndex, NativeMapMode, NativeQuery, Operation, ReportSink,
    StreamLayout, Submission, find_backend, kernel_shader,
};
use engine::device::DeviceStatus;
use engine::record::{
    BufferIndex, CallId, CounterId, DeviceId, LaneId, LossKind, NameId, PipelineKind, Record, Span,
    SpanId, State, StreamIndex,
};
use engine::workload::{Kernel, KernelArguments, StreamRole, SyncTarget};

const HOST: HostIndex = HostIndex(0);

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<Span>>>);

impl ReportSink for Kept {
    fn report(&mut self, record: Record) {
        if let Record::Span(span) = record {
            self.0.lock().unwrap().push(span);
        }
    }
}

/// The backend, or nothing where it does not open; the conformance tests print why.
fn backend() -> Option<&'static dyn Backend> {
    let found = find_backend("wgpu").unwrap();
    found.probe().is_ok().then_some(found)
}

fn layout(streams: u32, buffers: Vec<usize>) -> DeviceLayout {
    let stream = |lane: u32| StreamLayout {
        name: lane.to_string(),
        lane: LaneId(lane),
        pending: CounterId(lane),
        role: StreamRole::Compute,
        priority: 0,
        failure: engine::workload::FailureMode::Stop,
        traits: engine::workload::StreamTraits::default(),
    };
    DeviceLayout {
        device: DeviceId(0),
        streams: (0..streams).map(stream).collect(),
        buffers,
        hosts: 1,
        ..DeviceLayout::default()
    }
}

fn open(layout: &DeviceLayout, kept: &Kept) -> Box<dyn BackendDevice> {
    let device = backend().unwrap();
    let device = device.open(layout, &|| Box::new(kept.clone())).unwrap();
    device.start();
    device
}

fn submit(device: &dyn BackendDevice, stream: u32, id: u32, operation: Operation) {
    let submission = Submission {
        span: SpanId(id),
        queue: SpanId::NONE,
        name: NameId(0),
        call: CallId::NONE,
        enqueued: device.now(HOST),
        operation,
    };
    device
        .submit(HOST, StreamIndex(stream), submission)
        .unwrap();
}

fn launch(kernel: &'static str, reads: &[u32], writes: &[u32], parameters: &[f64]) -> Operation {
    let buffers = |all: &[u32]| all.iter().copied().map(BufferIndex).collect();
    Operation::Launch(Box::new(KernelArguments {
        kernel: Kernel::find(kernel).unwrap(),
        reads: buffers(reads),
        writes: buffers(writes),
        parameters: parameters.to_vec(),
    }))
}

fn fill(buffer: u32, value: f32) -> Operation {
    let buffer = BufferIndex(buffer);
    Operation::Fill { buffer, value }
}

fn request(shader: &str, kind: PipelineKind) -> CompileRequest {
    CompileRequest {
        shader: shader.into(),
        entry: String::new(),
        kind,
        cache: true,
        slow: Duration::ZERO,
    }
}

#[test]
fn more_workgroups_than_a_side_takes_are_dispatched_all_the_same() {
    let Some(_) = backend() else { return };
    let many = 65_536 * 256 + 256;
    let kept = Kept::default();
    let device = open(&layout(1, vec![many, 64]), &kept);
    submit(&*device, 0, 0, fill(0, 1.0));
    submit(&*device, 0, 1, launch("scale", &[0], &[0], &[0.5, 0.0]));
    submit(&*device, 0, 2, launch("reduce", &[0], &[1], &[]));
    submit(&*device, 0, 3, Operation::Download(BufferIndex(1)));
    device.synchronize(HOST, SyncTarget::Device, None).unwrap();
    let sums = device.read(BufferIndex(1), BufferSide::Host);
    assert_eq!(sums, [many as f32 / 64.0 * 0.5; 64]);
    // One sum of all takes more turns of a loop than a software driver makes.
    let whole = layout(1, vec![many, 1]);
    let whole = open(&whole, &kept);
    let submission = Submission {
        span: SpanId(4),
        queue: SpanId::NONE,
        name: NameId(0),
        call: CallId::NONE,
        enqueued: whole.now(HOST),
        operation: launch("reduce", &[0], &[1], &[]),
    };
    let answer = whole.submit(HOST, StreamIndex(0), submission);
    assert_eq!(answer.is_err(), whole.caps().software, "{answer:?}");
}

#[test]
fn a_spin_lasts_longer_the_longer_it_is_told_to() {
    let Some(_) = backend() else { return };
    let kept = Kept::default();
    let device = open(&layout(1, Vec::new()), &kept);
    // How fast the device spins is measured when it is opened, beside whatever else runs then: what holds is the ratio.
    for micros in [300.0; 5].into_iter().chain([30_000.0]) {
        submit(&*device, 0, 0, launch("spin", &[], &[], &[micros]));
    }
    device.synchronize(HOST, SyncTarget::Device, None).unwrap();
    let spans = kept.0.lock().unwrap();
    let lengths: Vec<i64> = spans.iter().map(|it| (it.end - it.start).0).collect();
    eprintln!("spins of 300 µs and one of 30000 µs took {lengths:?} ns");
    let (long, short) = lengths.split_last().unwrap();
    assert!(*long > 10 * short.iter().min().unwrap(), "{lengths:?}");
}

#[test]
fn what_is_too_large_or_not_there_is_refused_in_words() {
    let Some(wgpu) = backend() else { return };
    let sink = || -> Box<dyn ReportSink> { Box::new(Kept::default()) };
    let most = wgpu.probe().unwrap()[0].caps.limits.buffer_bytes;
    let large = layout(1, vec![most as usize / 4 + 1]);
    let refused = wgpu.open(&large, &sink).err();
    assert!(
        matches!(refused, Some(BackendError::BufferLimit { .. })),
        "{refused:?}"
    );
    let mut nowhere = layout(1, Vec::new());
    nowhere.adapter = "no such adapter".to_owned();
    let refused = wgpu.open(&nowhere, &sink).err();
    assert!(
        matches!(refused, Some(BackendError::Absent(_))),
        "{refused:?}"
    );
    nowhere.adapter = "0".to_owned();
    wgpu.open(&nowhere, &sink).unwrap();
}

#[test]
fn two_devices_of_one_adapter_live_and_die_apart() {
    let Some(_) = backend() else { return };
    let kept = Kept::default();
    let (one, other) = (layout(1, vec![4]), layout(1, vec![4]));
    let (one, other) = (open(&one, &kept), open(&other, &kept));
    let report = one.lose(LossKind::Unknown);
    assert!(report.is_news && report.is_real == one.caps().losses.contains(&LossKind::Unknown));
    assert!(matches!(one.status(), DeviceStatus::Lost(_)));
    submit(&*other, 0, 0, fill(0, 2.0));
    other.synchronize(HOST, SyncTarget::Device, None).unwrap();
    assert_eq!(other.read(BufferIndex(0), BufferSide::Device), [2.0; 4]);
    assert_eq!(other.status(), DeviceStatus::Working);
}

#[test]
fn pipelines_are_compiled_kept_and_refused_with_their_messages() {
    let Some(_) = backend() else { return };
    let device = open(&layout(1, vec![4, 4]), &Kept::default());
    let saxpy = request(kernel_shader("saxpy").unwrap(), PipelineKind::Compute);
    let saxpy = CompileRequest {
        entry: ENTRY.to_owned(),
        ..saxpy
    };
    assert_eq!(device.compile(&saxpy).unwrap().cache, CacheUse::Miss);
    assert_eq!(device.compile(&saxpy).unwrap().cache, CacheUse::Hit);
    let triangle = "@vertex fn corner(@builtin(vertex_index) k: u32) -> @builtin(position) vec4f {
            return vec4f(f32(k), 0.0, 0.0, 1.0);
        }
        @fragment fn paint() -> @location(0) vec4f { return vec4f(1.0); }";
    let mut triangle = request(triangle, PipelineKind::Render);
    triangle.cache = false;
    assert_eq!(device.compile(&triangle).unwrap().cache, CacheUse::None);
    let wrong = "@compute @workgroup_size(1)\nfn main() { let x: i32 = 1.5f; }";
    let wrong = device.compile(&request(wrong, PipelineKind::Compute));
    let Err(CompileError::Validation { messages }) = wrong else {
        panic!("{wrong:?}");
    };
    assert_eq!(messages[0].line, 2, "{messages:?}");
    let twice = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(0) @binding(0) var<storage, read_write> b: array<u32>;
        @compute @workgroup_size(1) fn main() { a[0] = b[0]; }";
    let twice = device.compile(&request(twice, PipelineKind::Compute));
    assert!(
        matches!(twice, Err(CompileError::Validation { .. })),
        "{twice:?}"
    );
    // Scopes of several threads do not see each other's errors.
    std::thread::scope(|scope| {
        for place in 0..8 {
            let (device, saxpy) = (&device, &saxpy);
            scope.spawn(move || {
                let shader = format!("{}\n// {place}", saxpy.shader);
                let answer = device.compile(&CompileRequest {
                    shader: if place % 2 == 0 {
                        shader.into()
                    } else {
                        "fn f(".into()
                    },
                    ..saxpy.clone()
                });
                assert_eq!(answer.is_ok(), place % 2 == 0, "{answer:?}");
            });
        }
    });
    device.lose(LossKind::Destroyed);
    assert_eq!(device.compile(&saxpy), Err(CompileError::Lost));
}

#[test]
fn wgpu_itself_is_asked_before_and_after_a_loss() {
    let Some(_) = backend() else { return };
    let patience = Duration::from_secs(20);
    for kind in [LossKind::Destroyed, LossKind::Unknown] {
        let device = open(&layout(1, vec![4]), &Kept::default());
        let ask = |question: NativeQuery| device.raw(&question).unwrap();
        let map = || {
            ask(NativeQuery::Map {
                buffer: BufferIndex(0),
                mode: NativeMapMode::Read,
                offset: 0,
                size: 16,
            })
        };
        let mut first = map();
        assert!(first.wait(patience).unwrap().is_ok, "{first:?}");
        // Mapped already: refused at once, and the first stays as it was.
        assert!(!map().wait(Duration::ZERO).unwrap().is_ok);
        assert!(first.wait(Duration::ZERO).unwrap().is_ok);
        ask(NativeQuery::Unmap(BufferIndex(0)));
        // Behind spins the map is pending when it is unmapped, unless this thread was kept from its core for as long as they
        // take: then more of them, until it is.
        let given_up = Instant::now() + patience;
        let is_refused = (1..u32::MAX)
            .take_while(|_| Instant::now() < given_up)
            .any(|count| {
                for _ in 0..count {
                    submit(&*device, 0, 0, launch("spin", &[], &[], &[20_000.0]));
                }
                // The thread of the stream hands the first to the queue.
                std::thread::sleep(Duration::from_millis(5));
                let mut pending = map();
                ask(NativeQuery::Unmap(BufferIndex(0)));
                !pending.wait(patience).unwrap().is_ok
            });
        assert!(is_refused, "unmapped");
        assert!(ask(NativeQuery::WorkDone).wait(patience).unwrap().is_ok);
        let mut lost = ask(NativeQuery::Lost);
        assert!(!lost.wait(Duration::ZERO).unwrap().is_ok);
        device.lose(kind);
        assert!(!map().wait(patience).unwrap().is_ok);
        let called = ask(NativeQuery::WorkDone).wait(patience).unwrap();
        assert_eq!(called.text, "on_submitted_work_done: called");
        let told = lost.wait(patience).unwrap();
        let expected = match kind {
            LossKind::Destroyed => "destroyed",
            _ => "unknown",
        };
        // A device that cannot be made to report a loss is destroyed below, and says so.
        let is_made = told.value.as_deref() == Some("destroyed");
        assert!(
            told.value.as_deref() == Some(expected) || is_made,
            "{told:?}"
        );
    }
}

/// Kibibytes of memory that this process holds.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4)
}

#[test]
fn two_hundred_losses_at_random_moments_leave_nothing_behind() {
    const LOSSES: u32 = 200;
    const ALONE: &str = "SYNCLINE_TEST_ALONE";
    let Some(_) = backend() else { return };
    if std::env::var_os(ALONE).is_none() {
        // In a process of its own: what it holds is what these losses left.
        let name = "window::graphics::two_hundred_losses_at_random_moments_leave_nothing_behind";
        let alone = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name, "--nocapture"])
            .env(ALONE, "1")
            .status();
        assert!(alone.unwrap().success(), "see above");
        return;
    }
    let kept = Kept::default();
    let device = open(&layout(3, vec![4096, 4096]), &kept);
    let mut random = 7_u64;
    let mut next = |most: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 33) % most
    };
    let (mut id, mut early) = (0, None);
    for loss in 0..LOSSES {
        for _ in 0..30 {
            let stream = next(3) as u32;
            let operation = match next(6) {
                0 => Operation::Upload(BufferIndex(0)),
                1 => Operation::Download(BufferIndex(1)),
                2 => fill(1, 1.0),
                3 => launch("saxpy", &[0], &[1], &[2.0]),
                4 => launch("spin", &[], &[], &[100.0]),
                _ => launch("scale", &[0], &[0], &[1.0, 1.0]),
            };
            submit(&*device, stream, id, operation);
            id += 1;
        }
        std::thread::sleep(Duration::from_micros(next(3_000)));
        let kind = if loss % 2 == 0 {
            LossKind::Unknown
        } else {
            LossKind::Destroyed
        };
        assert!(device.lose(kind).is_news, "loss {loss}");
        assert!(matches!(device.status(), DeviceStatus::Lost(_)));
        device.reopen().unwrap();
        assert_eq!(device.status(), DeviceStatus::Working);
        if loss == LOSSES / 4 {
            early = resident();
        }
    }
    let late = resident();
    // Alive after all of it, and the numbers are right.
    submit(&*device, 0, id, fill(1, 5.0));
    device.synchronize(HOST, SyncTarget::Device, None).unwrap();
    assert_eq!(device.read(BufferIndex(1), BufferSide::Device), [5.0; 4096]);
    drop(device);
    let mut spans = kept.0.lock().unwrap().clone();
    spans.sort_by_key(|span| span.id);
    let ids: Vec<u32> = spans.iter().map(|span| span.id.0).collect();
    assert_eq!(ids, (0..=id).collect::<Vec<_>>(), "each came to one end");
    let lost = spans
        .iter()
        .filter(|span| span.state == State::Lost)
        .count();
    let done = spans
        .iter()
        .filter(|span| span.state == State::Done)
        .count();
    eprintln!("{LOSSES} losses: {done} operations done, {lost} lost; {early:?} KiB, then {late:?}");
    assert_eq!(lost + done, spans.len());
    assert!(lost > 0 && done > 0);
    if let (Some(early), Some(late)) = (early, late) {
        assert!(
            late < early + 64 * 1024,
            "memory grew from {early} to {late} KiB"
        );
    }
}

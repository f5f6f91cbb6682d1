//! The same numbers as on the processor, for every kernel, launched, packed and replayed.

use engine::backend::{
    BufferSide, DeviceLayout, HostIndex, Operation, ReportSink, StreamLayout, Submission,
    find_backend,
};
use engine::record::{BufferIndex, CallId, CounterId, LaneId, NameId, Record, SpanId, StreamIndex};
use engine::time::Nanos;
use engine::workload::{
    FailureMode, KERNELS, Kernel, KernelArguments, StreamRole, StreamTraits, SyncTarget,
};

use crate::semantics::conformance::backends;

struct Nowhere;

impl ReportSink for Nowhere {
    fn report(&mut self, _: Record) {}
}

/// Lengths of the buffers that a kernel reads and writes, and numbers that are not those it has by itself.
fn shape(kernel: &Kernel) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
    match kernel.name {
        "matmul" => (
            vec![35 * 19, 19 * 51],
            vec![35 * 51],
            vec![35.0, 51.0, 19.0, 1.0],
        ),
        "reduce" => (vec![6000], vec![6], vec![]),
        "stencil" => (vec![37 * 21], vec![37 * 21], vec![37.0, 0.2]),
        "histogram" => (vec![5000], vec![1500], vec![-0.5, 0.75]),
        "nbody" => (vec![64 * 4], vec![64 * 4; 2], vec![0.02, 0.2]),
        "spin" => (vec![], vec![], vec![50.0]),
        "saxpy" => (vec![3001], vec![3001], vec![1.5]),
        "scale" => (vec![3001], vec![3001], vec![-2.5, 0.5]),
        "add" => (vec![3001, 3001], vec![3001], vec![]),
        "scan" => (vec![3001], vec![3001], vec![]),
        other => panic!("{other} has no shape here"),
    }
}

/// Numbers without a pattern, between −1 and 1.
fn noise(len: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).max(1);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as f32 / u32::MAX as f32 * 2.0 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

/// What a kernel writes on a backend, launched twice: as a call, and packed.
fn numbers(kernel: &'static Kernel, backend: &str) -> Vec<Vec<f32>> {
    let (reads, writes, parameters) = shape(kernel);
    let lens: Vec<usize> = reads.iter().chain(&writes).copied().collect();
    let layout = DeviceLayout {
        buffers: lens.clone(),
        hosts: 1,
        streams: vec![StreamLayout {
            name: "s".to_owned(),
            lane: LaneId(0),
            pending: CounterId::NONE,
            role: StreamRole::Compute,
            priority: 0,
            failure: FailureMode::default(),
            traits: StreamTraits::default(),
        }],
        ..DeviceLayout::default()
    };
    let device = find_backend(backend)
        .unwrap()
        .open(&layout, &|| Box::new(Nowhere))
        .unwrap();
    device.start();
    let all: Vec<BufferIndex> = (0..lens.len() as u32).map(BufferIndex).collect();
    for (index, len) in all.iter().zip(&lens) {
        device.write(*index, 0, &noise(*len, 7 + index.0));
    }
    let launch = KernelArguments {
        kernel,
        reads: all[..reads.len()].to_vec(),
        writes: all[reads.len()..].to_vec(),
        parameters,
    };
    let packed = device.pack(launch.clone(), None).unwrap();
    let uploads = all.iter().map(|index| Operation::Upload(*index));
    let kernels = [
        Operation::Launch(Box::new(launch)),
        Operation::Packed(packed),
    ];
    let downloads = all.iter().map(|index| Operation::Download(*index));
    for (span, operation) in uploads.chain(kernels).chain(downloads).enumerate() {
        let submission = Submission {
            span: SpanId(span as u32),
            queue: SpanId::NONE,
            name: NameId(0),
            call: CallId::NONE,
            enqueued: Nanos::ZERO,
            operation,
        };
        device
            .submit(HostIndex(0), StreamIndex(0), submission)
            .unwrap();
    }
    device
        .synchronize(HostIndex(0), SyncTarget::Device, None)
        .unwrap();
    let on_device = all
        .iter()
        .map(|index| device.read(*index, BufferSide::Device));
    let on_host: Vec<Vec<f32>> = all
        .iter()
        .map(|it| device.read(*it, BufferSide::Host))
        .collect();
    assert_eq!(on_device.collect::<Vec<_>>(), on_host);
    on_host
}

#[test]
fn every_kernel_computes_what_the_processor_does() {
    if !backends().iter().any(|backend| backend.name() == "cuda") {
        return;
    }
    for kernel in KERNELS.iter().filter(|kernel| kernel.name != "trap") {
        let (expected, found) = (numbers(kernel, "cpu"), numbers(kernel, "cuda"));
        for (expected, found) in expected.iter().zip(&found) {
            assert_eq!(expected.len(), found.len());
            for (place, (expected, found)) in expected.iter().zip(found).enumerate() {
                let scale = expected.abs().max(1.0);
                assert!(
                    (expected - found).abs() <= 2e-5 * scale,
                    "{} at {place}: {found}, not {expected}",
                    kernel.name
                );
            }
        }
    }
}

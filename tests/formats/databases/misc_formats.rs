//! What small databases of rocprofv3, rocmProfileData, nvprof and Ascend open as, arrow by arrow.

use super::rows_read::{arguments, arrows, lanes, open};
use super::{ascend, nvprof, rocpd, rpd};

fn sorted<const N: usize>(expected: [&str; N]) -> Vec<String> {
    let mut expected = expected.map(str::to_owned).to_vec();
    expected.sort();
    expected
}

/// Streams and events are addresses there: which stream an address is, launches on it prove.
#[test]
fn rocpd_ties_waits_by_address() {
    let (capture, receipt) = open("a.db", rocpd::sample());
    let expected = [
        "event inferred: Stream 1: MEMORY_COPY_HOST_TO_DEVICE 25..140 -> Stream 2: transpose(int*) 150..250",
        "submission enforced: transpose 51: hipLaunchKernel 70..90 -> Stream 2: transpose(int*) 150..250",
        "submission enforced: transpose 51: hipMemcpyAsync 0..20 -> Stream 1: MEMORY_COPY_HOST_TO_DEVICE 25..140",
        "synchronization enforced: Stream 1: MEMORY_COPY_HOST_TO_DEVICE 25..140 -> transpose 51: hipDeviceSynchronize \
         310..400",
        "synchronization enforced: Stream 2: transpose(int*) 150..250 -> transpose 51: hipDeviceSynchronize 310..400",
        "synchronization enforced: Stream 2: transpose(int*) 150..250 -> transpose 51: hipStreamSynchronize 100..300",
    ];
    assert_eq!(arrows(&capture), sorted(expected));
    let expected = [
        "host none: transpose 51",
        "streams compute: Stream 2",
        "streams host-to-device: Stream 1",
    ];
    assert_eq!(lanes(&capture), expected);
    let kernel = [
        "grid=64×1×1",
        "workgroup=8×8×1",
        "local memory (bytes)=2048",
        "dispatch=1",
        "SQ_WAVES=64",
    ];
    let found = arguments(&capture, "transpose(int*)");
    assert!(
        kernel
            .iter()
            .all(|it| found.iter().any(|found| found == it)),
        "{found:?}"
    );
    let power = &capture.counters()[0];
    assert_eq!(
        (power.name.as_str(), power.unit.as_str()),
        ("device_power", "W")
    );
    assert_eq!(capture.samples(power.id).values(), [250.5]);
    assert!(
        receipt
            .notes
            .iter()
            .any(|it| it.contains("1 value or field belongs")),
        "{receipt:?}"
    );
}

#[test]
fn rpd_ties_operations_to_calls() {
    let (capture, receipt) = open("a.rpd", rpd::sample());
    let expected = [
        "submission enforced: Thread 51: hipLaunchKernel 40..60 -> Queue 1: gemm(float*) 100..200",
        "submission enforced: Thread 51: hipMemcpyAsync 10..30 -> Queue 0: CopyHostToDevice 35..90",
        "synchronization enforced: Queue 0: CopyHostToDevice 35..90 -> Thread 52: hipDeviceSynchronize 220..230",
        "synchronization enforced: Queue 1: gemm(float*) 100..200 -> Thread 51: hipStreamSynchronize 80..210",
        "synchronization enforced: Queue 1: gemm(float*) 100..200 -> Thread 52: hipDeviceSynchronize 220..230",
    ];
    assert_eq!(arrows(&capture), sorted(expected));
    let scope = capture
        .spans()
        .find(|it| capture.name(it.span.name) == "forward")
        .unwrap();
    assert_eq!(
        scope.depth, 0,
        "a range of the program lies around its calls"
    );
    assert_eq!(capture.counters()[0].name, "gpu 0 sclk");
    let said = receipt.notes.join("\n");
    assert!(
        said.contains("1 operation of the GPU has no call"),
        "{said}"
    );
    assert!(said.contains("cannot be known"), "{said}");
}

#[test]
fn nvprof_ties_waits_by_the_last_record() {
    let (capture, receipt) = open("a.prof", nvprof::sample());
    let expected = [
        "event inferred: Stream 15: Memcpy HtoD 35..150 -> Stream 14: void gemm<8>(float*) 160..260",
        "submission enforced: Thread 4294967289: cudaLaunchKernel 80..100 -> Stream 14: void gemm<8>(float*) 160..260",
        "submission enforced: Thread 4294967289: cudaMemcpyAsync 10..30 -> Stream 15: Memcpy HtoD 35..150",
        "synchronization enforced: Stream 14: void gemm<8>(float*) 160..260 -> Thread 4294967289: cudaDeviceSynchronize 110..310",
        "synchronization enforced: Stream 15: Memcpy HtoD 35..150 -> Thread 4294967289: cudaDeviceSynchronize \
         110..310",
    ];
    assert_eq!(arrows(&capture), sorted(expected));
    assert_eq!(capture.devices()[0].name, "Tesla (0)");
    let lost = capture
        .problems()
        .iter()
        .find(|it| it.code == "rows-without-time")
        .unwrap();
    assert!(
        lost.text.contains("CONCURRENT_KERNEL") && lost.text.contains("row 2"),
        "{}",
        lost.text
    );
    assert_eq!(receipt.dropped, 1);
}

/// No file of Ascend says which event a wait is for: every such arrow is marked as concluded.
#[test]
fn ascend_waits_are_inferred_from_times() {
    let (capture, receipt) = open("a.db", ascend::sample());
    let found = arrows(&capture);
    let expected = [
        "event inferred: Stream 2: EVENT_RECORD 3210..3230 -> Stream 4: EVENT_WAIT 450..3400",
        "flow enforced: Thread 51: aten::add 450..550 -> Stream 4: Add 3500..4200",
        "flow enforced: Thread 52: Enqueue 100..110 -> Thread 51: Dequeue@Add 190..220",
        "submission enforced: Thread 51: aclrtRecordEvent 300..310 -> Stream 2: EVENT_RECORD 3210..3230",
        "submission enforced: Thread 51: aclrtStreamWaitEvent 400..410 -> Stream 4: EVENT_WAIT 450..3400",
        "submission enforced: Thread 51: launch 200..210 -> Stream 2: MEMCPY_ASYNC 250..3200",
        "submission enforced: Thread 51: launch 500..510 -> Collective operations: hcom_allReduce_0 4250..4450",
        "submission enforced: Thread 51: launch 500..510 -> Stream 4: Add 3500..4200",
        "synchronization enforced: Stream 2: EVENT_RECORD 3210..3230 -> Thread 51: aclrtSynchronizeDevice 600..8200",
        "synchronization enforced: Stream 4: Add 3500..4200 -> Thread 51: aclrtSynchronizeDevice 600..8200",
    ];
    assert_eq!(found, sorted(expected));
    assert_eq!(receipt.inferred, 1);
    let said = receipt.notes.join("\n");
    for words in [
        "1 wait for an event is tied",
        "1 call waits for a stream",
        "1 task of the NPU has no call",
        "1 wait for a notification",
        "TASK_PMU_INFO (1 row)",
    ] {
        assert!(said.contains(words), "{said} does not say: {words}");
    }
    assert_eq!(
        capture.samples(capture.counters()[0].id).values(),
        [1800.0, 1650.0]
    );
    assert!(
        capture
            .clocks()
            .iter()
            .any(|it| it.offset.0 == 1_700_000_000_000_000_800)
    );
}

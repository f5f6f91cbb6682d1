//! What a process would write that copies, computes and waits: the facts of it, and the bytes.

use cuda_recorder::{
    ActivityKind, CuptiApi, CuptiContext, CuptiCopy, CuptiDevice, CuptiEvent, CuptiKernel,
    CuptiLocation, CuptiMemory, CuptiOverhead, CuptiRecord, CuptiSync, CuptiTimes, Fact,
    FactWriter, ListeningCounts, ListeningFact, MemoryStep, OverheadKind, ProcessFact, SyncKind,
};

/// When the capture began.
const ORIGIN: u64 = 1_000_000_000;
/// The process, and its only thread.
const PROCESS: u32 = 77;

/// The process and how CUPTI is listened to.
pub fn front() -> Vec<Fact> {
    let process = ProcessFact {
        process: PROCESS,
        parent: 1,
        command: vec!["/usr/bin/train".to_owned(), "--fast".to_owned()],
        at: ORIGIN + 500,
        unix: 1_700_000_000_000_000_500,
        origin: ORIGIN,
        ..ProcessFact::default()
    };
    let kinds = ActivityKind::ALL
        .iter()
        .map(|kind| (kind.words().to_owned(), 0));
    let ear = ListeningFact {
        version: 130_001,
        path: "/lib/libcupti.so.13".to_owned(),
        kinds: kinds.collect(),
    };
    vec![
        Fact::Process(Box::new(process)),
        Fact::Listening(Box::new(ear)),
        Fact::Thread {
            thread: PROCESS,
            name: "train".to_owned(),
        },
    ]
}

const fn times(start: u64, end: u64) -> CuptiTimes {
    CuptiTimes {
        start: ORIGIN + start,
        end: ORIGIN + end,
    }
}

const fn place(stream: u32) -> CuptiLocation {
    CuptiLocation {
        device: 0,
        context: 1,
        stream,
    }
}

fn api(correlation: u32, name: &str, start: u64, end: u64) -> CuptiRecord {
    CuptiRecord::Api(CuptiApi {
        is_runtime: false,
        function: 1,
        name: name.to_owned(),
        times: times(start, end),
        process: PROCESS,
        thread: PROCESS,
        correlation,
        result: 0,
    })
}

fn kernel(correlation: u32, stream: u32, start: u64, end: u64) -> CuptiRecord {
    CuptiRecord::Kernel(Box::new(CuptiKernel {
        name: "gemm".to_owned(),
        times: times(start, end),
        place: place(stream),
        correlation,
        grid: [4, 1, 1],
        block: [128, 1, 1],
        shared_static: 0,
        shared_dynamic: 1024,
        registers: 32,
        graph: 0,
        graph_node: 0,
        priority: None,
    }))
}

fn sync(kind: SyncKind, correlation: u32, stream: Option<u32>, event: Option<u32>) -> CuptiSync {
    CuptiSync {
        kind,
        times: times(u64::from(correlation) * 10, u64::from(correlation) * 10 + 5),
        correlation,
        context: 1,
        stream,
        event,
        sync: None,
    }
}

/// A copy and a kernel on stream 13, a kernel on stream 14 that waits for them, and a host that waits for that; numbers of
/// the event's record are there where `is_tied`.
pub fn activities(is_tied: bool) -> Vec<CuptiRecord> {
    let tie = is_tied.then_some(9);
    let mut wait = sync(SyncKind::StreamWaitEvent, 4, Some(14), Some(3));
    wait.sync = tie;
    vec![
        CuptiRecord::Device(CuptiDevice {
            device: 0,
            name: "NVIDIA H200".to_owned(),
            capability: [9, 0],
            memory: 141_000_000_000,
            processors: 132,
        }),
        CuptiRecord::Context(CuptiContext {
            context: 1,
            device: 0,
            default_stream: 7,
        }),
        api(1, "cuMemcpyHtoDAsync_v2", 10, 15),
        CuptiRecord::Copy(CuptiCopy {
            way: 1,
            from: 2,
            to: 3,
            bytes: 4096,
            times: times(100, 200),
            place: place(13),
            peer: None,
            correlation: 1,
            graph: 0,
            graph_node: 0,
        }),
        api(2, "cuLaunchKernel", 20, 25),
        kernel(2, 13, 200, 300),
        api(3, "cuEventRecord", 30, 35),
        CuptiRecord::Event(CuptiEvent {
            correlation: 3,
            context: 1,
            stream: 13,
            event: 3,
            at: None,
            sync: tie,
        }),
        api(4, "cuStreamWaitEvent", 40, 45),
        CuptiRecord::Sync(wait),
        api(5, "cuLaunchKernel", 50, 55),
        kernel(5, 14, 310, 400),
        api(6, "cuStreamSynchronize", 60, 410),
        CuptiRecord::Sync(sync(SyncKind::StreamSynchronize, 6, Some(14), None)),
        api(7, "cuMemAlloc_v2", 420, 425),
        CuptiRecord::Memory(CuptiMemory {
            at: ORIGIN + 422,
            ..memory()
        }),
        CuptiRecord::Overhead(CuptiOverhead {
            kind: OverheadKind::LazyLoading,
            times: times(21, 24),
            process: Some(PROCESS),
            thread: Some(PROCESS),
            correlation: 2,
        }),
    ]
}

fn memory() -> CuptiMemory {
    CuptiMemory {
        step: MemoryStep::Allocate,
        at: 0,
        address: 4096,
        bytes: 1 << 20,
        place: place(0),
        is_async: false,
        correlation: 7,
    }
}

/// The whole file.
pub fn bytes() -> Vec<u8> {
    written(&[front(), vec![Fact::Records(activities(true))], back()].concat())
}

/// The end of a file.
pub fn back() -> Vec<Fact> {
    let counts = ListeningCounts {
        at: ORIGIN + 500_000,
        records: activities(true).len() as u64,
        flushes: 2,
        taking: 1000,
        ..ListeningCounts::default()
    };
    vec![Fact::Counts(counts), Fact::End(counts)]
}

pub fn written(facts: &[Fact]) -> Vec<u8> {
    let mut writer = FactWriter::new(Vec::new()).unwrap();
    for fact in facts {
        writer.append(fact).unwrap();
    }
    writer.into_inner()
}

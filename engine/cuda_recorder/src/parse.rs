//! Makes plain data of one record of CUPTI's. A record is as long as its layout says at least; what only newer versions
//! have is there where it is longer.

use super::layout::{
    RecordBytes, RecordField, api, compilation, context, copy, correlation, device, event, graph,
    kernel, memory, overhead, peer_copy, set, stream, sync,
};
use super::record::{
    CompilationKind, CuptiApi, CuptiCompilation, CuptiContext, CuptiCopy, CuptiDevice, CuptiEvent,
    CuptiGraph, CuptiKernel, CuptiLocation, CuptiMemory, CuptiMemset, CuptiOverhead, CuptiRecord,
    CuptiStream, CuptiStreamKind, CuptiSync, CuptiTimes, MemoryStep, OverheadKind, SyncKind,
};

/// Where a record has no stream or no event (`CUPTI_SYNCHRONIZATION_INVALID_VALUE`).
const NONE: u32 = u32::MAX;
/// An overhead that is of a thread (`CUPTI_ACTIVITY_OBJECT_THREAD`).
const THREAD: u32 = 2;

fn times(it: RecordBytes<'_>, start: RecordField<u64>, end: RecordField<u64>) -> CuptiTimes {
    CuptiTimes {
        start: it.get(start),
        end: it.get(end),
    }
}

fn place(
    it: RecordBytes<'_>,
    device: RecordField<u32>,
    context: RecordField<u32>,
    stream: RecordField<u32>,
) -> CuptiLocation {
    CuptiLocation {
        device: it.get(device),
        context: it.get(context),
        stream: it.get(stream),
    }
}

fn some(number: u32) -> Option<u32> {
    (number != NONE).then_some(number)
}

/// Which record of an event is meant, where that is told: never 0, nor what stands for none in either width.
fn which(it: RecordBytes<'_>, field: RecordField<u64>) -> Option<u64> {
    let told = it.newer(field)?;
    (![0, u64::from(NONE), u64::MAX].contains(&told)).then_some(told)
}

/// A kernel, called `name`.
pub fn kernel(it: RecordBytes<'_>, name: String) -> CuptiKernel {
    CuptiKernel {
        name,
        times: times(it, kernel::START, kernel::END),
        place: place(it, kernel::DEVICE, kernel::CONTEXT, kernel::STREAM),
        correlation: it.get(kernel::CORRELATION),
        grid: [kernel::GRID_X, kernel::GRID_Y, kernel::GRID_Z].map(|field| it.get(field)),
        block: [kernel::BLOCK_X, kernel::BLOCK_Y, kernel::BLOCK_Z].map(|field| it.get(field)),
        shared_static: it.get(kernel::SHARED_STATIC),
        shared_dynamic: it.get(kernel::SHARED_DYNAMIC),
        registers: it.get(kernel::REGISTERS),
        graph: it.get(kernel::GRAPH),
        graph_node: it.get(kernel::GRAPH_NODE),
        priority: it.newer(kernel::PRIORITY),
    }
}

/// A copy.
pub fn copy(it: RecordBytes<'_>) -> CuptiCopy {
    CuptiCopy {
        way: it.get(copy::WAY),
        from: it.get(copy::FROM),
        to: it.get(copy::TO),
        bytes: it.get(copy::BYTES),
        times: times(it, copy::START, copy::END),
        place: place(it, copy::DEVICE, copy::CONTEXT, copy::STREAM),
        peer: None,
        correlation: it.get(copy::CORRELATION),
        graph: it.get(copy::GRAPH),
        graph_node: it.get(copy::GRAPH_NODE),
    }
}

/// A copy between devices.
pub fn peer_copy(it: RecordBytes<'_>) -> CuptiCopy {
    CuptiCopy {
        way: it.get(peer_copy::WAY),
        from: it.get(peer_copy::FROM),
        to: it.get(peer_copy::TO),
        bytes: it.get(peer_copy::BYTES),
        times: times(it, peer_copy::START, peer_copy::END),
        place: place(it, peer_copy::DEVICE, peer_copy::CONTEXT, peer_copy::STREAM),
        peer: Some(it.get(peer_copy::TO_DEVICE)),
        correlation: it.get(peer_copy::CORRELATION),
        graph: it.get(peer_copy::GRAPH),
        graph_node: it.get(peer_copy::GRAPH_NODE),
    }
}

/// Memory that was set.
pub fn set(it: RecordBytes<'_>) -> CuptiMemset {
    CuptiMemset {
        value: it.get(set::VALUE),
        bytes: it.get(set::BYTES),
        times: times(it, set::START, set::END),
        place: place(it, set::DEVICE, set::CONTEXT, set::STREAM),
        correlation: it.get(set::CORRELATION),
        graph: it.get(set::GRAPH),
        graph_node: it.get(set::GRAPH_NODE),
    }
}

/// A synchronisation.
pub fn sync(it: RecordBytes<'_>) -> CuptiSync {
    CuptiSync {
        kind: match it.get(sync::KIND) {
            1 => SyncKind::EventSynchronize,
            2 => SyncKind::StreamWaitEvent,
            3 => SyncKind::StreamSynchronize,
            4 => SyncKind::ContextSynchronize,
            other => SyncKind::Other(other),
        },
        times: times(it, sync::START, sync::END),
        correlation: it.get(sync::CORRELATION),
        context: it.get(sync::CONTEXT),
        stream: some(it.get(sync::STREAM)),
        event: some(it.get(sync::EVENT)),
        sync: which(it, sync::SYNC),
    }
}

/// A record of an event.
pub fn event(it: RecordBytes<'_>) -> CuptiEvent {
    CuptiEvent {
        correlation: it.get(event::CORRELATION),
        context: it.get(event::CONTEXT),
        stream: it.get(event::STREAM),
        event: it.get(event::EVENT),
        at: it.newer(event::AT).filter(|at| *at != 0),
        sync: which(it, event::SYNC),
    }
}

/// A call; `name` gives that of a function by its number.
pub fn api(it: RecordBytes<'_>, is_runtime: bool, name: &dyn Fn(bool, u32) -> String) -> CuptiApi {
    let function = it.get(api::FUNCTION);
    CuptiApi {
        is_runtime,
        function,
        name: name(is_runtime, function),
        times: times(it, api::START, api::END),
        process: it.get(api::PROCESS),
        thread: it.get(api::THREAD),
        correlation: it.get(api::CORRELATION),
        result: it.get(api::RESULT),
    }
}

/// Time that the driver or CUPTI took.
pub fn overhead(it: RecordBytes<'_>) -> CuptiOverhead {
    let is_of_thread = it.get(overhead::OBJECT) == THREAD;
    let told = |field| is_of_thread.then(|| it.get(field));
    CuptiOverhead {
        kind: match it.get(overhead::KIND) {
            1 => OverheadKind::Compiler,
            0x1_0000 => OverheadKind::Flush,
            0x2_0000 => OverheadKind::Instrumentation,
            0x3_0000 => OverheadKind::Resource,
            0x4_0000 => OverheadKind::ModuleLoading,
            0x5_0000 => OverheadKind::LazyLoading,
            0x6_0000 => OverheadKind::CommandBufferFull,
            0x7_0000 => OverheadKind::BufferRequest,
            other => OverheadKind::Other(other),
        },
        times: times(it, overhead::START, overhead::END),
        process: told(overhead::PROCESS),
        thread: told(overhead::THREAD),
        correlation: it.get(overhead::CORRELATION),
    }
}

/// A compilation.
pub fn compilation(it: RecordBytes<'_>) -> CuptiCompilation {
    CuptiCompilation {
        kind: match it.get(compilation::STEP) {
            1 => CompilationKind::CacheLoad,
            2 => CompilationKind::CacheStore,
            3 => CompilationKind::Compile,
            other => CompilationKind::Other(other),
        },
        times: times(it, compilation::START, compilation::END),
        device: it.get(compilation::DEVICE),
        correlation: it.get(compilation::CORRELATION),
        process: it.newer(compilation::PROCESS),
        thread: it.newer(compilation::THREAD),
    }
}

/// A graph as a whole.
pub fn graph(it: RecordBytes<'_>) -> CuptiGraph {
    CuptiGraph {
        correlation: it.get(graph::CORRELATION),
        times: times(it, graph::START, graph::END),
        place: place(it, graph::DEVICE, graph::CONTEXT, graph::STREAM),
        graph: it.get(graph::GRAPH),
    }
}

/// Memory that was allocated or freed.
pub fn memory(it: RecordBytes<'_>) -> CuptiMemory {
    CuptiMemory {
        step: match it.get(memory::STEP) {
            1 => MemoryStep::Allocate,
            2 => MemoryStep::Free,
            other => MemoryStep::Other(other),
        },
        at: it.get(memory::AT),
        address: it.get(memory::ADDRESS),
        bytes: it.get(memory::BYTES),
        place: place(it, memory::DEVICE, memory::CONTEXT, memory::STREAM),
        is_async: it.get(memory::IS_ASYNC) != 0,
        correlation: it.get(memory::CORRELATION),
    }
}

/// A context.
pub fn context(it: RecordBytes<'_>) -> CuptiContext {
    CuptiContext {
        context: it.get(context::CONTEXT),
        device: it.get(context::DEVICE),
        default_stream: u32::from(it.get(context::DEFAULT_STREAM)),
    }
}

/// A stream.
pub fn stream(it: RecordBytes<'_>) -> CuptiStream {
    CuptiStream {
        context: it.get(stream::CONTEXT),
        stream: it.get(stream::STREAM),
        priority: it.get(stream::PRIORITY),
        sort: match it.get(stream::SORT) {
            1 => CuptiStreamKind::Blocking,
            2 => CuptiStreamKind::NonBlocking,
            3 => CuptiStreamKind::Default,
            other => CuptiStreamKind::Other(other),
        },
        correlation: it.get(stream::CORRELATION),
    }
}

/// A device; `text` reads its name.
pub fn device(it: RecordBytes<'_>, text: &dyn Fn(u64) -> String) -> CuptiDevice {
    CuptiDevice {
        device: it.get(device::DEVICE),
        name: text(it.get(device::NAME)),
        capability: [it.get(device::MAJOR), it.get(device::MINOR)],
        memory: it.get(device::MEMORY),
        processors: it.get(device::PROCESSORS),
    }
}

/// What the program says belongs to a call.
pub fn correlation(it: RecordBytes<'_>) -> CuptiRecord {
    CuptiRecord::Correlation {
        external: it.get(correlation::EXTERNAL),
        correlation: it.get(correlation::CORRELATION),
    }
}

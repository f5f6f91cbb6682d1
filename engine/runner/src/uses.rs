//! What the calls of a workload declare: which buffers each operation reads and writes, on the device and on the host.

use backend::Operation;
use order::{DeclaredUse, SyncOp};
use record::{BufferIndex, StreamIndex};

/// A buffer on the device, as the order of calls counts them: a buffer and its copy on the host are two.
pub const fn on_device(buffer: BufferIndex) -> BufferIndex {
    BufferIndex(buffer.0 * 2)
}

/// A buffer's copy on the host.
pub const fn on_host(buffer: BufferIndex) -> BufferIndex {
    BufferIndex(buffer.0 * 2 + 1)
}

/// The buffer of the plan, and whether this one is its copy on the host.
pub const fn named(buffer: BufferIndex) -> (BufferIndex, bool) {
    (BufferIndex(buffer.0 / 2), !buffer.0.is_multiple_of(2))
}

/// The buffer of the plan that this one is on the device; none where it is a copy on the host.
pub const fn of_plan(buffer: BufferIndex) -> Option<BufferIndex> {
    if buffer.0.is_multiple_of(2) {
        Some(BufferIndex(buffer.0 / 2))
    } else {
        None
    }
}

/// What an operation does to the order, and what it uses.
pub fn act(operation: &Operation, stream: StreamIndex, uses: &mut Vec<DeclaredUse>) -> SyncOp {
    uses.clear();
    match operation {
        Operation::Upload(buffer) => {
            uses.extend([DeclaredUse::read(on_host(*buffer)), DeclaredUse::write(on_device(*buffer))]);
        }
        Operation::Download(buffer) => {
            uses.extend([DeclaredUse::read(on_device(*buffer)), DeclaredUse::write(on_host(*buffer))]);
        }
        Operation::Copy { from, to } => {
            uses.extend([DeclaredUse::read(on_device(*from)), DeclaredUse::write(on_device(*to))]);
        }
        Operation::Fill { buffer, .. } => uses.push(DeclaredUse::write(on_device(*buffer))),
        Operation::Launch(launch) => {
            uses.extend(launch.reads.iter().map(|&it| DeclaredUse::read(on_device(it))));
            uses.extend(launch.writes.iter().map(|&it| DeclaredUse::write(on_device(it))));
        }
        Operation::Allocate(buffer) => {
            return SyncOp::Allocate(on_device(*buffer), Some(stream), None);
        }
        Operation::Free(buffer) => return SyncOp::Free(on_device(*buffer), Some(stream)),
        // Where its stream goes on once it has given up it enforces nothing.
        Operation::WaitFor(event, _) => return SyncOp::Attempt(*event, stream),
        Operation::HostFunction(_)
        | Operation::Join(_)
        | Operation::Panic(_)
        | Operation::Callback(_)
        // What a graph records and waits for is told with its replay.
        | Operation::RecordExternal(_)
        | Operation::WaitExternal(_) => {}
        Operation::Collective(exchange) => {
            let (read, written) = exchange.what.buffers();
            uses.extend(read.map(|it| DeclaredUse::read(on_device(it))));
            uses.extend(written.map(|it| DeclaredUse::write(on_device(it))));
        }
        Operation::Reset(event) => return SyncOp::Reset(*event, stream),
        Operation::Packed(packed) => {
            let launch = &packed.launch;
            uses.extend(launch.reads.iter().map(|&it| DeclaredUse::read(on_device(it))));
            uses.extend(launch.writes.iter().map(|&it| DeclaredUse::write(on_device(it))));
        }
        Operation::Replay(replay) => uses.extend_from_slice(&replay.graph.uses),
        Operation::Record(event) => return SyncOp::Record(*event, stream),
        Operation::Wait(event) => return SyncOp::Wait(*event, stream),
        Operation::Hold(signal) => return SyncOp::Hold(*signal, stream),
    }
    SyncOp::Work(stream)
}

//! Streams as threads of the host, for devices that cannot make a stream wait: each runs its operations in order, one
//! after the other, and keeps records, waits and holds itself.

mod ahead;
mod condition;
mod crew;
mod device;
mod exchange;
mod executor;
mod flight;
mod host;
mod late;
mod mark;
mod replay;
mod room;
mod shared;
mod slots;
mod stream;
mod trouble;
mod watermark;
mod worker;

pub use ahead::{InFlight, NativeEvent, OperationTiming, PendingTimestamp};
pub use device::ThreadedDevice;
pub use executor::{
    ExecutionError, Executor, ExecutorBuffers, ExecutorCompiler, ExecutorQueue, ExecutorRecovery,
    ExecutorTimes, LossOutcome, StreamTurn, TimeOrigin,
};
pub use flight::NodeOutcome;
pub use room::check_threads;
pub use slots::EventSlots;
pub use trouble::{aborted, failed_record};
pub use worker::panic_text;

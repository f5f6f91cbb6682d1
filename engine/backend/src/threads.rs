//! Streams as threads of the host, for devices that cannot make a stream wait: each runs its operations in order, one
//! after the other, and keeps records, waits and holds itself.

mod async_submit;
mod condition;
mod deferred_timestamps;
mod device;
mod event_slots;
mod event_state;
mod exchange;
mod executor;
mod graph_execution;
mod helper_pool;
mod host;
mod pace;
mod replay;
mod shared;
mod stream;
mod stream_error;
mod thread_limit;
mod watermark;
mod worker;

pub use async_submit::{InFlight, NativeEvent, OperationTiming, PendingTimestamp};
pub use device::ThreadedDevice;
pub use event_slots::EventSlots;
#[cfg(test)]
pub use executor::EngineTurn;
pub use executor::{
    ExecutionError, Executor, ExecutorBuffers, ExecutorCompiler, ExecutorQueue, ExecutorRecovery,
    ExecutorTimes, LossOutcome, StreamTurn, TimeOrigin,
};
pub use graph_execution::NodeOutcome;
pub use stream_error::{aborted, failed_record};
pub use thread_limit::{check_processes, check_threads};
pub use worker::panic_text;

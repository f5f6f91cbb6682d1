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

pub use ahead::{Flying, Later, Native, Ran};
pub use device::ThreadedDevice;
pub use executor::{
    Downfall, Executor, ExecutorBuffers, ExecutorCompiler, ExecutorQueue, ExecutorRecovery,
    ExecutorTimes, Fault, Turn, Zero,
};
pub use flight::Landed;
pub use room::check_threads;
pub use slots::Slots;
pub use trouble::{aborted, failed_record};
pub use worker::panic_text;

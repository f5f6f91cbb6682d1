//! What is true on every backend: events and their generations, elapsed time, and what failure does.

mod elapsed;
mod event;
mod lock;
mod status;

pub use elapsed::{ElapsedError, EventStatus, Progress, elapsed};
pub use event::{EventError, Events, Recorded};
pub(crate) use lock::lock;
pub use status::{Cause, Stage, Status, outcome};

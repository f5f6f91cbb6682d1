//! What CUPTI told of programs, and what they called of NVTX, as records: used while they run, once they have ended, and for
//! files that were kept.
//!
//! CUPTI gives activities in no order. An [`ActivityConverter`] takes them as they come, hands over every span at once,
//! and ties spans as soon as both ends are known: an operation to the call that launched it by the number that they
//! share, a wait to what it waited for by the number of the event's record, or by the order of calls where there is
//! none.

mod carry;
mod converter;
mod copies;
mod device;
mod draft;
mod event;
mod host;
mod lane;
mod memory;
mod nvtx;
mod overhead;
mod process;
mod purpose;
mod ring;
mod schedule;
mod symbol;
mod tally;
mod wait;
mod window;
mod work;

pub use carry::ActivityCarry;
pub use converter::{ActivityConverter, ResolveMode};
pub use copies::copy;
pub use purpose::{WorkCounts, WorkKind};
pub use ring::{RingExcess, RingLimit};
pub use symbol::readable;
pub use tally::{ActivitySummary, ProcessSummary};
pub use window::{CaptureWindow, RangeFilter};

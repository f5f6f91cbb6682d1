//! When an operation's turn comes in virtual time, and what it does then.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::cost;
use super::point::PointState;
use super::stream::MockQueueItem;
use crate::Operation;
use crate::cpu::CpuMemory;
use crate::threads::{ExecutionError, panic_text};
use crate::work_flow::AtOnce;
use record::time::Nanos;

/// Runs what an operation does to buffers. Time is virtual, so what only takes time is skipped.
pub fn perform(memory: &CpuMemory, operation: &Operation) -> Result<(), String> {
    match operation {
        Operation::HostFunction(_) | Operation::Panic(_) => return Ok(()),
        Operation::Launch(launch) if launch.kernel.name == "spin" => return Ok(()),
        Operation::Packed(packed) if packed.launch.kernel.name == "spin" => return Ok(()),
        _ => {}
    }
    match catch_unwind(AssertUnwindSafe(|| {
        memory.perform(operation, &AtOnce(&|| false))
    })) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(ExecutionError::Failed(reason) | ExecutionError::Lost(reason))) => Err(reason),
        Ok(Err(ExecutionError::Stopped)) => Err("stopped in its middle".to_owned()),
        Err(payload) => Err(panic_text(payload.as_ref()).to_owned()),
    }
}

/// When a stream comes to an operation.
pub fn ready_at(free_at: Nanos, item: &MockQueueItem) -> Nanos {
    free_at.max(item.submission.enqueued + cost::LATENCY)
}

/// From when on nothing holds an operation back; none while that is not known.
pub fn held_until(
    item: &MockQueueItem,
    marks: &[PointState],
    signals: &[Option<Nanos>],
) -> Option<Nanos> {
    match item.submission.operation {
        Operation::Join(_) => {
            let mut latest = Nanos::MIN;
            for point in &item.points {
                latest = latest.max(marks.get(*point)?.decided_at()?);
            }
            Some(latest)
        }
        // A wait, or a callback that blocks and was called: what will never be reached holds back until that is known.
        Operation::Wait(_) | Operation::WaitFor(..) | Operation::Callback(_) => {
            match item.mark.and_then(|mark| marks.get(mark)) {
                Some(point) => point.decided_at(),
                None => Some(Nanos::MIN),
            }
        }
        Operation::Hold(signal) => signals
            .get(signal.index())
            .copied()
            .unwrap_or(Some(Nanos::MIN)),
        _ => Some(Nanos::MIN),
    }
}

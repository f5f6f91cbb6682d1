//! The state of a device, and what its failure makes of everything that was pending.

use record::State;

/// Whether a device can still run work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeviceStatus {
    /// It runs work.
    #[default]
    Working,
    /// An operation failed, for this reason: nothing that was not running by then will run (rule A47).
    Poisoned(String),
    /// The device is gone, for this reason.
    Lost(String),
}

/// What ended the work of a device early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminationCause {
    /// Somebody stopped the run.
    Stopped,
    /// An operation failed.
    Poisoned,
    /// The device was lost.
    Lost,
}

/// How far something had come by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationStage {
    /// An operation that waits for its turn.
    Queued,
    /// An operation at the head of its stream, held back by an event or a signal.
    Held,
    /// An operation that runs.
    Running,
    /// A host call that blocks.
    Blocking,
}

/// What becomes of something pending. What runs on a poisoned device or in a stopped run runs to its
/// end; the operation that failed is [`State::Failed`] itself; waiters are released, never left hanging.
pub const fn outcome(cause: TerminationCause, stage: OperationStage) -> State {
    match (cause, stage) {
        (TerminationCause::Lost, _) => State::Lost,
        (_, OperationStage::Running) => State::Done,
        (TerminationCause::Poisoned, OperationStage::Blocking) => State::Failed,
        (TerminationCause::Stopped | TerminationCause::Poisoned, _) => State::Cancelled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table() {
        let stages = [
            OperationStage::Queued,
            OperationStage::Held,
            OperationStage::Running,
            OperationStage::Blocking,
        ];
        let row = |cause| stages.map(|stage| outcome(cause, stage));
        let (cancelled, done, failed) = (State::Cancelled, State::Done, State::Failed);
        assert_eq!(
            row(TerminationCause::Stopped),
            [cancelled, cancelled, done, cancelled]
        );
        assert_eq!(
            row(TerminationCause::Poisoned),
            [cancelled, cancelled, done, failed]
        );
        assert_eq!(row(TerminationCause::Lost), [State::Lost; 4]);
    }
}

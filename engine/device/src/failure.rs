//! What becomes of a stream after an operation of its own did not come to a good end (rules F8, F13, F14).

use workload::FailureMode;

/// What happened to an operation of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationFailure {
    /// It ran and failed.
    Failed,
    /// It waited for an event longer than it was given (rule F8).
    TimedOut,
    /// It waited for a record that was dropped or failed, and will never be reached.
    Orphaned,
}

/// What follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureConsequence {
    /// The next operation of the stream runs.
    GoesOn,
    /// What is queued on this stream is dropped, and what is submitted to it, until it is aborted.
    StreamStops,
    /// Nothing more runs on any stream of the device.
    DeviceStops,
}

/// What follows from a mishap on a stream of this mode. An orphaned wait is nobody's failure: its own stream alone
/// cannot go on, and is given free by an abort, as `AscendCL` asks for. Nothing hangs.
pub const fn consequence(mode: FailureMode, mishap: OperationFailure) -> FailureConsequence {
    match (mode, mishap) {
        (FailureMode::Continue, _) => FailureConsequence::GoesOn,
        (FailureMode::Stop, OperationFailure::Orphaned) => FailureConsequence::StreamStops,
        (FailureMode::Stop, OperationFailure::Failed | OperationFailure::TimedOut) => {
            FailureConsequence::DeviceStops
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table() {
        use FailureConsequence::{DeviceStops, GoesOn, StreamStops};
        let mishaps = [
            OperationFailure::Failed,
            OperationFailure::TimedOut,
            OperationFailure::Orphaned,
        ];
        let row = |mode| mishaps.map(|mishap| consequence(mode, mishap));
        assert_eq!(row(FailureMode::Continue), [GoesOn; 3]);
        assert_eq!(
            row(FailureMode::Stop),
            [DeviceStops, DeviceStops, StreamStops]
        );
    }
}

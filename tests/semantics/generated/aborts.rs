//! What an abort drops for certain: what stands, directly or not, for a signal that is raised after it.

use super::submitted::ModelOperation;
use super::text::{GeneratedCall, GeneratedWorkload, PlacedCall, share_legacy};

/// Notes of each operation which abort drops it for certain. Of one host thread alone: where there are several, it is
/// chance whether a signal comes first.
pub fn drop_what_stands(
    workload: &GeneratedWorkload,
    calls: &[PlacedCall],
    operations: &mut [ModelOperation],
) {
    if calls.iter().any(|it| it.host > 0) {
        return;
    }
    for (place, placed) in calls.iter().enumerate() {
        let GeneratedCall::Abort(stream) = placed.call else {
            continue;
        };
        let stands = what_stands(workload, calls, operations, place);
        let own = operations.iter_mut().zip(stands);
        for (operation, _) in own.filter(|(it, stands)| *stands && it.stream == stream) {
            operation.dropped_by = Some(place);
        }
    }
}

/// For each operation whether it stands for a signal that is not raised by the calls before a place.
fn what_stands(
    workload: &GeneratedWorkload,
    calls: &[PlacedCall],
    operations: &[ModelOperation],
    until: usize,
) -> Vec<bool> {
    let is_raised = |signal| {
        calls[..until]
            .iter()
            .any(|it| it.call == GeneratedCall::Signal(signal))
    };
    let mut stands: Vec<bool> = Vec::new();
    for (place, operation) in operations.iter().enumerate() {
        let is_live = operation.call < until && operation.dropped_by.is_none();
        let is_first = match calls[operation.call].call {
            GeneratedCall::Hold(signal, _) => !is_raised(signal),
            _ => false,
        };
        let mut earlier = operations[..place].iter().zip(&stands);
        let is_behind = earlier
            .any(|(it, stands)| *stands && is_awaited(workload, calls, it, operation, operations));
        stands.push(is_live && (is_first || is_behind));
    }
    stands
}

/// Whether an operation waits for an earlier one.
fn is_awaited(
    workload: &GeneratedWorkload,
    calls: &[PlacedCall],
    earlier: &ModelOperation,
    operation: &ModelOperation,
    operations: &[ModelOperation],
) -> bool {
    if earlier.stream == operation.stream
        || share_legacy(workload, earlier.stream, operation.stream)
    {
        return true;
    }
    match calls[operation.call].call {
        GeneratedCall::Wait(event, _) => {
            let is_record = |it: &&ModelOperation| matches!(calls[it.call].call, GeneratedCall::Record(of, _) if of == event);
            let mut before = operations.iter().filter(|it| it.call < operation.call);
            before.rfind(is_record).map(|it| it.call) == Some(earlier.call)
        }
        GeneratedCall::Join(..) => earlier.call == operation.call,
        _ => false,
    }
}

//! Losses stand in the order in which they happened, whichever thread reports first.

use super::super::*;
use record::time::Nanos;
use record::{DeviceId, LossKind, Record};

#[test]
fn losses_and_recoveries_stand_in_the_order_in_which_they_happened() {
    let loss = |generation: u32, time: i64| {
        Record::Loss(Box::new(Loss {
            device: DeviceId(0),
            time: Nanos(time),
            reason: String::new(),
            kind: LossKind::Unknown,
            generation,
        }))
    };
    let recovery = |generation: u32, time: i64| {
        Record::Recovery(Box::new(Recovery {
            device: DeviceId(0),
            generation,
            lost: Nanos(time - 1),
            time: Nanos(time),
        }))
    };
    let mut capture = Capture::new();
    capture.apply([loss(2, 50), recovery(4, 95), loss(3, 90), recovery(2, 20)]);
    capture.apply([loss(1, 10), recovery(3, 60)]);
    let losses: Vec<u32> = capture.losses().iter().map(|it| it.generation).collect();
    let recoveries = capture.recoveries().iter().map(|it| it.generation);
    assert_eq!(losses, [1, 2, 3]);
    assert_eq!(recoveries.collect::<Vec<_>>(), [2, 3, 4]);
}

//! What lanes are called where those of all devices stand together.

use super::*;
use record::{Device, DeviceId, Group, Lane, Role};

#[test]
fn lanes_of_one_name_are_told_apart_by_their_devices() {
    let mut capture = Capture::new();
    let device = |id, name: &str| {
        Record::Device(Box::new(Device {
            id: DeviceId(id),
            name: name.to_owned(),
            backend: String::new(),
            detail: String::new(),
            rank: None,
            paced: None,
        }))
    };
    let lane = |id, device, name: &str| {
        Record::Lane(Box::new(Lane {
            id: LaneId(id),
            group: Group::Streams,
            device,
            role: Role::None,
            name: name.to_owned(),
            order: 0,
            process: "".into(),
            thread: "".into(),
        }))
    };
    let (left, right) = (Some(DeviceId(0)), Some(DeviceId(1)));
    capture.apply([device(0, "left"), lane(0, left, "stream 7")]);
    assert_eq!(capture.lane_title(LaneId(0)), "stream 7");
    capture.apply([
        device(1, "right"),
        lane(1, right, "stream 7"),
        lane(2, right, "stream 8"),
        lane(3, None, "stream 7"),
    ]);
    let title = |id| capture.lane_title(LaneId(id)).into_owned();
    assert_eq!(
        [title(0), title(1), title(2), title(3), title(9)],
        [
            "stream 7 · left",
            "stream 7 · right",
            "stream 8",
            "stream 7",
            "?"
        ]
    );
    // Several files were merged, and all is called by its rank.
    let merged = [
        ("rank 1 · left", "rank 1 · stream 7"),
        ("rank 1 · right", "rank 1 · stream 7"),
    ];
    let mut capture = Capture::new();
    for (id, (of, name)) in (0..).zip(merged) {
        capture.apply([device(id, of), lane(id, Some(DeviceId(id)), name)]);
    }
    assert_eq!(capture.lane_title(LaneId(1)), "rank 1 · stream 7 · right");
}

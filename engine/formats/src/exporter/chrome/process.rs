//! Devices as processes and lanes as threads, numbered and sorted as Chrome wants them.

use crate::perfetto::json::ROWS;
use capture::Capture;
use record::{DeviceId, Group, Lane, LaneId};

/// The process of what belongs to no device.
pub(super) const HOST: i64 = 0;

/// The number of a device's process.
pub(super) fn of_device(device: Option<DeviceId>) -> i64 {
    device.map_or(HOST, |device| i64::from(device.0) + 1)
}

/// The process and the thread of a row of a lane.
pub(super) fn of_lane(capture: &Capture, lane: LaneId, row: u16) -> (i64, i64) {
    let device = capture.lane(lane).and_then(|lane| lane.device);
    let thread = (i64::from(lane.0) + 1) * ROWS + i64::from(row).min(ROWS - 1);
    (of_device(device), thread)
}

/// What a process is called.
pub(super) fn name(capture: &Capture, device: Option<DeviceId>) -> String {
    let Some(device) = device else {
        return "host".to_owned();
    };
    let known = capture.devices().get(device.index());
    known.map_or_else(|| format!("device {}", device.0), |it| it.name.clone())
}

/// What a row of a lane is called.
pub(super) fn row_name(lane: &Lane, row: u16) -> String {
    if row == 0 {
        lane.name.clone()
    } else {
        format!("{} ({})", lane.name, row + 1)
    }
}

/// The category under which viewers list a lane's group.
pub(super) fn labels(group: Group) -> &'static str {
    match group {
        Group::Host => "CPU",
        Group::Device | Group::Streams | Group::Counters => "GPU",
    }
}

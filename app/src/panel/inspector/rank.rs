//! Where the rank of a span is placed, and how well its clock is known.

use eframe::egui::Ui;
use engine::record::{Device, LaneId};
use engine::time::Nanos;

use crate::panel::Scene;
use crate::panel::widgets::{field, section};
use crate::text;

/// What a rank's device says first of itself.
const PLACED: &str = "parallel id ";

/// The device of the rank that a lane is of.
fn device_of<'a>(scene: &Scene<'a>, lane: LaneId) -> Option<&'a Device> {
    let capture = scene.capture;
    let lane = capture.lane(lane)?;
    // A host thread has no device; its name begins as that of its rank's device does.
    let rank = lane.name.split(" · ").next()?;
    let is_of = |device: &&Device| match lane.device {
        Some(id) => device.id == id,
        None => device.name.split(" · ").next() == Some(rank),
    };
    let mut devices = capture.devices().iter().filter(is_of);
    devices.find(|device| device.detail.starts_with(PLACED))
}

/// Shows the parallel id, the machine and the device of a lane's rank, where it has one.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, lane: LaneId) {
    let Some(device) = device_of(scene, lane) else {
        return;
    };
    let theme = scene.theme;
    section(ui, theme, "Rank");
    let placed = device.detail.split(" · ").next().unwrap_or_default();
    let (id, place) = placed.split_once(": ").unwrap_or((placed, ""));
    field(ui, theme, "parallel id", id.trim_start_matches(PLACED));
    let (machine, number) = place.split_once(", ").unwrap_or((place, ""));
    field(ui, theme, "machine", machine.trim_start_matches("machine "));
    field(ui, theme, "device", number.trim_start_matches("device "));
    let mut clocks = scene.capture.clocks().iter();
    let clock = clocks.find(|clock| clock.device == device.id && clock.name.starts_with("unix"));
    if let Some(clock) = clock {
        let known = match clock.uncertainty {
            Nanos::ZERO => "exactly: it is this machine's".to_owned(),
            known => format!("± {}", text::duration(known)),
        };
        field(ui, theme, "its clock is known to", &known);
    }
    let log = scene.capture.log().iter();
    let mut maps = log.filter(|line| line.text.contains("→rank "));
    if let Some(map) = maps.next() {
        for line in map
            .text
            .split(": ")
            .skip(1)
            .collect::<Vec<_>>()
            .join(": ")
            .split("; ")
        {
            let (machine, devices) = line.split_once(": ").unwrap_or((line, ""));
            field(ui, theme, machine, devices);
        }
    }
}

//! Where the rank of a span is placed, and how well its clock is known.

use std::collections::BTreeMap;

use eframe::egui::Ui;
use engine::record::{Device, LaneId, RankPlace};
use engine::time::Nanos;

use crate::panel::Scene;
use crate::panel::widgets::{field, section};
use crate::text;

/// The device of the rank that a lane is of.
fn device_of<'a>(scene: &Scene<'a>, lane: LaneId) -> Option<(&'a Device, &'a RankPlace)> {
    let capture = scene.capture;
    let rank = capture.lane_origin(lane).and_then(|it| it.rank);
    let own = capture.lane(lane)?.device;
    let placed = |device: &'a Device| Some((device, device.rank.as_ref()?));
    let mut ranks = capture.devices().iter().filter_map(placed);
    // A host thread has no device, but a rank.
    ranks.find(|(device, place)| match own {
        Some(id) => device.id == id,
        None => Some(place.rank) == rank,
    })
}

/// Shows the parallel id, the machine and the device of a lane's rank, where it has one.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, lane: LaneId) {
    let Some((device, place)) = device_of(scene, lane) else {
        return;
    };
    let theme = scene.theme;
    section(ui, theme, "Rank");
    let id = format!("{} of {}", place.rank, place.count);
    field(ui, theme, "parallel id", &id);
    field(ui, theme, "machine", &machine(place));
    field(ui, theme, "device", &place.device.to_string());
    let mut clocks = scene.capture.clocks().iter();
    let clock = clocks.find(|clock| clock.device == device.id && clock.is_unix);
    if let Some(clock) = clock {
        let known = match clock.uncertainty {
            Nanos::ZERO => "exactly: it is this machine's".to_owned(),
            known => format!("± {}", text::duration(known)),
        };
        field(ui, theme, "its clock is known to", &known);
    }
    let mut machines: BTreeMap<u32, (String, Vec<String>)> = BTreeMap::new();
    let places = scene.capture.devices().iter();
    for place in places.filter_map(|it| it.rank.as_ref()) {
        let empty = || (machine(place), Vec::new());
        let (_, devices) = machines.entry(place.machine).or_insert_with(empty);
        devices.push(format!("{}→rank {}", place.device, place.rank));
    }
    for (name, devices) in machines.into_values() {
        field(ui, theme, &format!("machine {name}"), &devices.join(", "));
    }
}

/// `0 (here)`.
fn machine(place: &RankPlace) -> String {
    format!("{} ({})", place.machine, place.machine_name)
}

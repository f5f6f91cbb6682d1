//! The law of a paced device, as sliders.

use eframe::egui::Ui;
use engine::record::{PaceDial, PaceSetting};
use engine::workload::{Document, Parameter};

use super::backend_choice::is_paced;
use super::parameters::slider;
use super::widgets::section;
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;

/// The law of a paced device, as sliders; the workload may say how they stand before they are moved.
pub struct PacePanel;

impl Panel for PacePanel {
    fn id(&self) -> &'static str {
        "pace"
    }

    fn title(&self) -> &'static str {
        "Pace"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::PartOf("about")
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let document = scene.status.checked.document.as_ref();
        let document = document.filter(|_| scene.workload().is_some());
        let own = document.map(Document::pace);
        if let Some(own) = own.filter(|_| is_paced(&scene.status.backends, &scene.state.settings)) {
            section(ui, scene.theme, "Pace");
            dials(ui, scene, own, actions);
        }
    }
}

fn dials(ui: &mut Ui, scene: &Scene<'_>, own: PaceSetting, actions: &mut Vec<Action>) {
    for dial in PaceDial::ALL {
        let as_parameter = Parameter {
            name: dial.name.to_owned(),
            default: own.get(dial.name).unwrap_or(dial.default),
            min: dial.min,
            max: dial.max,
            about: dial.about.to_owned(),
            line: 0,
        };
        let value = scene.state.settings.paced.get(dial.name);
        let set = |value| Action::SetDial(dial.name, value);
        ui.scope(|ui| slider(ui, scene, &as_parameter, (value, &set), actions));
    }
}

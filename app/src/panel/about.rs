//! What the chosen workload is about.

use eframe::egui::{Align, Label, Layout, RichText, Ui};
use engine::workload::Document;

use super::widgets::brief;
use super::workloads::badge;
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::theme::{GRID, SMALL};

/// What the chosen workload is about, readable at once.
pub struct AboutCard;

impl Panel for AboutCard {
    fn id(&self) -> &'static str {
        "about"
    }

    fn title(&self) -> &'static str {
        "About"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn is_idle(&self, scene: &Scene<'_>) -> bool {
        scene.workload().is_none()
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, _actions: &mut Vec<Action>) {
        let theme = scene.theme;
        let Some(text) = scene.workload() else {
            let words = "What the chosen workload shows stands here; choose one in the list";
            return super::hint(ui, theme, words);
        };
        ui.horizontal(|ui| {
            let badge = badge(scene, &text.name);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if let Some((words, colour)) = badge {
                    ui.label(RichText::new(words).size(SMALL).color(colour));
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    ui.add(Label::new(RichText::new(&text.title).strong()).truncate());
                });
            });
        });
        ui.add_space(GRID);
        let about = scene.status.checked.document.as_ref().map(Document::about);
        let words = match about {
            Some("") => "`about \"...\"` in its text says here what it shows",
            Some(about) => about,
            None => "Its text has errors; the tab Source shows them",
        };
        brief(ui, RichText::new(words).color(theme.weak));
    }
}

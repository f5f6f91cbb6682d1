//! The parts of the window: bars, panels on three sides, the timeline in the middle, and what lies above it.

use eframe::egui::{
    Align, Button, CentralPanel, Context, Frame, Id, Layout, Margin, Panel as Side, ProgressBar,
    RichText, ScrollArea, Ui, Window,
};

use super::App;
use crate::action::{Action, Command};
use crate::panel::{Panel, PanelPosition, Scene};
use crate::state::{Notice, Switch};
use crate::theme::{GRID, Theme};
use crate::timeline::Picture;

impl App {
    /// Draws the whole window, and gives back what the user wants.
    pub(super) fn layout(&mut self, ui: &mut Ui) -> Vec<Action> {
        let mut actions = Vec::new();
        // The scene borrows what nothing below changes; the panels and the timeline are taken apart from it.
        let Self {
            capture,
            state,
            status,
            timeline,
            panels,
            search,
            ..
        } = self;
        let theme = Theme::of(state.settings.theme == crate::state::ThemeChoice::Dark);
        let scene = Scene {
            capture,
            state,
            theme,
            status,
        };
        super::bars::top(ui, &scene, search, &mut actions);
        super::bars::status(ui, &scene);
        let on = |switch| state.settings.is_on(switch);
        if on(Switch::Left) {
            let side = Side::left("left")
                .default_size(232.0)
                .size_range(160.0..=420.0);
            // The scroll bar lies beside what is scrolled, not on it.
            let bar = Margin {
                right: 4,
                ..frame(theme, 14).inner_margin
            };
            let frame = frame(theme, 14).inner_margin(bar);
            side.frame(frame).show(ui, |ui| {
                stack(ui, &scene, panels, PanelPosition::Left, &mut actions);
            });
        }
        if on(Switch::Right) {
            let side = Side::right("right")
                .default_size(272.0)
                .size_range(200.0..=560.0);
            side.frame(frame(theme, 14)).show(ui, |ui| {
                stack(ui, &scene, panels, PanelPosition::Right, &mut actions);
            });
        }
        if on(Switch::Bottom) {
            let side = Side::bottom("bottom")
                .default_size(280.0)
                .size_range(96.0..=640.0)
                .resizable(true);
            side.frame(frame(theme, 16)).show(ui, |ui| {
                ui.set_min_height(ui.available_height());
                tabs(ui, &scene, panels, &mut actions);
            });
        }
        let ground = Frame::new().fill(theme.canvas);
        CentralPanel::no_frame().frame(ground).show(ui, |ui| {
            job(ui, &scene, &mut actions);
            notice(ui, &scene, &mut actions);
            let picture = Picture {
                capture,
                state,
                theme,
                causes: scene.reader(),
                path: scene.path(),
                can_lose: !scene.status.is_document,
            };
            timeline.ui(ui, &picture, &mut actions);
        });
        windows(ui.ctx(), &scene, panels, &mut actions);
        actions
    }
}

fn frame(theme: &Theme, side: i8) -> Frame {
    Frame::new().fill(theme.panel).inner_margin(Margin {
        left: side,
        right: side,
        top: 4,
        bottom: 8,
    })
}

/// Every panel of a place, one below the other. Right, the last one has the rest of the height to itself.
fn stack(
    ui: &mut Ui,
    scene: &Scene<'_>,
    panels: &mut [Box<dyn Panel>],
    place: PanelPosition,
    actions: &mut Vec<Action>,
) {
    let own = panels.iter_mut().filter(|panel| panel.place() == place);
    if place == PanelPosition::Right {
        for panel in own {
            ui.push_id(panel.id(), |ui| panel.ui(ui, scene, actions));
        }
        return;
    }
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.set_max_width(ui.available_width() - 10.0);
        for panel in own {
            ui.push_id(panel.id(), |ui| panel.ui(ui, scene, actions));
        }
    });
}

/// The tabs of the bottom and the open one.
fn tabs(ui: &mut Ui, scene: &Scene<'_>, panels: &mut [Box<dyn Panel>], actions: &mut Vec<Action>) {
    let theme = scene.theme;
    let open = |panel: &dyn Panel| panel.id() == scene.state.settings.tab;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0 * GRID;
        for panel in panels
            .iter()
            .filter(|panel| panel.place() == PanelPosition::Bottom)
        {
            let chosen = open(panel.as_ref());
            let count = panel
                .count(scene)
                .map_or_else(String::new, |count| format!(" {count}"));
            let words = RichText::new(format!("{}{count}", panel.title()));
            let words = if chosen {
                words.color(theme.text).strong()
            } else {
                words.color(theme.weak)
            };
            let response = ui.add(Button::new(words).frame(false).min_size([0.0, 28.0].into()));
            if chosen {
                let line = response.rect.with_min_y(response.rect.bottom() - 2.0);
                ui.painter().rect_filled(line, 1, theme.accent);
            }
            if response.clicked() {
                actions.push(Action::OpenTab(panel.id()));
            }
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let hide =
                ui.add(Button::new(RichText::new("▼").small().color(theme.weak)).frame(false));
            if hide
                .on_hover_text(format!("Hide ({})", Command::Bottom.key()))
                .clicked()
            {
                actions.push(Command::Bottom.into());
            }
        });
    });
    ui.add_space(2.0 * GRID);
    if let Some(panel) = panels
        .iter_mut()
        .find(|panel| panel.place() == PanelPosition::Bottom && open(panel.as_ref()))
    {
        ui.push_id(panel.id(), |ui| panel.ui(ui, scene, actions));
    }
}

/// What is under way, with its progress and a way to stop it.
fn job(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let Some(job) = &scene.status.job else {
        return;
    };
    strip(ui, scene.theme.hovered, |ui| {
        ui.label(&job.label);
        match job.progress {
            Some(share) => {
                ui.add(
                    ProgressBar::new(share)
                        .desired_width(200.0)
                        .desired_height(6.0)
                        .fill(scene.theme.accent),
                );
            }
            None => {
                ui.spinner();
            }
        }
        if ui.button("Cancel").clicked() {
            actions.push(Action::Cancel);
        }
    });
}

/// What the user should know, until it is put away.
fn notice(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let Some(Notice { is_error, text }) = &scene.state.notice else {
        return;
    };
    let theme = scene.theme;
    let (sign, colour) = if *is_error {
        ("×", theme.bad)
    } else {
        ("•", theme.accent)
    };
    strip(ui, theme.hovered, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = ui.add(Button::new("×").frame(false));
            if close
                .on_hover_text(format!("Put away ({})", Command::Clear.key()))
                .clicked()
            {
                actions.push(Action::Notify(None));
            }
            ui.with_layout(
                Layout::left_to_right(Align::Center).with_main_wrap(true),
                |ui| {
                    ui.label(RichText::new(sign).color(colour));
                    ui.label(RichText::new(text).color(theme.text));
                },
            );
        });
    });
}

fn strip(ui: &mut Ui, fill: eframe::egui::Color32, contents: impl FnOnce(&mut Ui)) {
    let frame = Frame::new()
        .fill(fill)
        .inner_margin(Margin::symmetric(12, 6));
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal(contents);
    });
}

/// The panels that have windows of their own, while they are asked for.
fn windows(
    context: &Context,
    scene: &Scene<'_>,
    panels: &mut [Box<dyn Panel>],
    actions: &mut Vec<Action>,
) {
    let Some(window) = scene.state.window else {
        return;
    };
    for panel in panels
        .iter_mut()
        .filter(|panel| panel.place() == PanelPosition::Window(window))
    {
        let mut open = true;
        Window::new(panel.title())
            .id(Id::unique(panel.id()))
            .open(&mut open)
            .collapsible(false)
            .resizable(false)
            .default_size([760.0, 560.0])
            .anchor(eframe::egui::Align2::CENTER_CENTER, [0.0, 0.0])
            .show(context, |ui| panel.ui(ui, scene, actions));
        if !open {
            actions.push(Command::Clear.into());
        }
    }
}

//! The parts of the window: bars, panels on three sides, the timeline in the middle, and what lies above it.

mod captures;
mod dock;
mod playback;

use eframe::egui::{
    Align, Button, CentralPanel, Context, Frame, Id, Label, Layout, Margin, Panel as Side,
    ProgressBar, RichText, Sense, Ui, UiBuilder, Window, containers::PanelState, util::IdTypeMap,
};

use engine::runner::WindowStatus;

use super::App;
use crate::action::{Action, Command};
use crate::panel::{Panel, PanelPosition, Scene, is_low, sign_button};
use crate::state::{DockSide, Notice, OverlayWindow};
use crate::text;
use crate::theme::Theme;
use crate::timeline::{PendingContent, Picture, theme_of};
use dock::DockRooms;

/// Width of a window below which its sides are narrow, in points.
const NARROW: f32 = 1100.0;
/// Bytes of a notice that is long.
const LONG: usize = 160;

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
            reference,
            fleet_panel,
            ..
        } = self;
        let theme = theme_of(state);
        let scene = Scene {
            capture,
            state,
            theme,
            status,
        };
        super::bars::top(ui, &scene, search, &mut actions);
        super::bars::status(ui, &scene);
        let mut rooms = DockRooms::new(ui.available_size());
        let is_dataset = state.fleet.is_shown();
        // Of a dataset there is no span to inspect.
        for side in DockSide::ALL.into_iter().filter(|_| !is_dataset) {
            docked(ui, &scene, (panels, side), (&mut rooms, &mut actions));
        }
        let ground = Frame::new().fill(theme.canvas);
        CentralPanel::no_frame().frame(ground).show(ui, |ui| {
            let middle = ui.max_rect();
            captures::tabs(ui, &scene, &mut actions);
            job(ui, &scene, &mut actions);
            notice(ui, &scene, &mut actions);
            if is_dataset {
                return fleet_panel.ui(ui, &scene, &mut actions);
            }
            captures::changed_files(ui, &scene, &mut actions);
            captures::other_picture(ui, &scene, &mut actions);
            playback::show(ui, &scene, &mut actions);
            let names = timeline.areas().names.width();
            reference.ui(ui, &scene, names, &mut actions);
            let picture = Picture {
                capture,
                state,
                theme,
                causes: scene.reader(),
                path: scene.path(),
                can_lose: scene.is_of_chosen(),
                pending: pending(&scene),
                matches: Some(&scene.status.found.matches),
            };
            timeline.ui(ui, &picture, &mut actions);
            rooms.drop(ui, &scene, middle, &mut actions);
        });
        windows(ui.ctx(), &scene, panels, &mut actions);
        if actions.contains(&Command::ResetPanels.into()) {
            // How wide and how high they were dragged.
            ui.data_mut(IdTypeMap::remove_by_type::<PanelState>);
        }
        actions
    }
}

/// Shows the panels of a side, unless it is hidden or has nothing to show, which leaves its room to the timeline.
fn docked(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (panels, side): (&mut [Box<dyn Panel>], DockSide),
    (rooms, actions): (&mut DockRooms, &mut Vec<Action>),
) {
    let settings = &scene.state.settings;
    if !settings.is_on(side.switch()) || !dock::has_panels(side, scene, panels) {
        return;
    }
    let has_lesson = scene.state.lesson.is_some() && settings.docks.side_of("lesson") == side;
    // Whatever the panels were dragged to, the timeline keeps the most of a small window.
    let whole = rooms.whole;
    let (least, part) = match side {
        // A lesson has more to say than a list or a span.
        _ if has_lesson => (280.0, 0.36),
        DockSide::Left => (160.0, 0.24),
        DockSide::Right | DockSide::Bottom => (180.0, 0.26),
    };
    let widths = least..=(whole.x * part).clamp(least, 560.0);
    // A large window may have more of it than a small one.
    let highest = (whole.y * 0.55).max(whole.y - 260.0);
    let heights = 96.0..=highest.max(96.0);
    // What a small window cuts off comes back with a larger one: each has sizes of its own.
    let id = |name: &'static str, is_small: bool| Id::unique((name, is_small));
    let (is_narrow, is_low) = (whole.x < NARROW, is_low(ui));
    let room = match side {
        DockSide::Left => Side::left(id("left", is_narrow))
            .default_size(240.0)
            .size_range(widths),
        DockSide::Right => Side::right(id("right", is_narrow))
            .default_size(272.0)
            .size_range(widths),
        DockSide::Bottom => Side::bottom(id("bottom", is_low))
            .default_size(280.0_f32.min((whole.y * 0.46).max(96.0)))
            .size_range(heights)
            .resizable(true),
    };
    let frame = Frame::new().fill(scene.theme.panel).inner_margin(Margin {
        left: dock::MARGIN,
        right: dock::MARGIN,
        top: 4,
        bottom: 8,
    });
    let shown = room.frame(frame).show(ui, |ui| {
        contained(ui, |ui| {
            let dragged = dock::show(ui, scene, (panels, side), actions);
            rooms.dragged = dragged.map(|tab| (tab, side)).or(rooms.dragged);
        });
    });
    rooms.shown.push((side, shown.response.rect));
}

/// Shows contents in all the room that there is and no more: what is wider is cut, and makes no panel grow.
fn contained(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    let room = ui.available_rect_before_wrap();
    let mut inner = ui.new_child(UiBuilder::new().max_rect(room));
    inner.shrink_clip_rect(room);
    contents(&mut inner);
    ui.allocate_rect(room, Sense::hover());
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
        let is_read = scene.reading().is_some() && job.progress.is_some_and(|it| it >= 0.99);
        let words = match job.progress {
            Some(_) if is_read => "read; putting spans in order".to_owned(),
            Some(share) => format!("{} · {}", text::percent(f64::from(share)), job.rate),
            None => job.rate.clone(),
        };
        ui.label(RichText::new(words).color(scene.theme.weak));
        if ui.button("Cancel").clicked() {
            actions.push(Action::Cancel);
        }
    });
}

/// What is to come into the timeline.
fn pending<'a>(scene: &Scene<'a>) -> Option<PendingContent<'a>> {
    let is_paused = scene.status.window == Some(WindowStatus::Closed);
    let reading = scene.reading().map(PendingContent::File);
    reading.or(is_paused.then_some(PendingContent::Program))
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
            let close = Button::new("×").frame(false);
            if sign_button(ui, close, "Dismiss", &Command::Clear.key()).clicked() {
                actions.push(Action::Notify(None));
            }
            let has_offer = !is_error && offers_lesson(scene);
            // In a low window a long text, or a row for a button, would leave no room for lanes.
            let is_brief = is_low(ui) && (has_offer || text.len() > LONG);
            if has_offer && is_brief {
                offer(ui, theme, actions);
            }
            let row = Layout::left_to_right(Align::Center).with_main_wrap(!is_brief);
            ui.with_layout(row, |ui| {
                if is_brief {
                    let words = RichText::new(format!("{sign} {text}"));
                    ui.add(Label::new(words.color(theme.text)).truncate());
                    return;
                }
                ui.label(RichText::new(sign).color(colour));
                ui.label(RichText::new(text).color(theme.text));
                if has_offer {
                    offer(ui, theme, actions);
                }
            });
        });
    });
}

/// The way from the first picture to the first lesson.
fn offer(ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    let words = RichText::new("Take the first lesson").color(theme.accent);
    if ui.button(words).clicked() {
        actions.push(Command::NextLesson.into());
    }
}

/// Whether somebody is here who has read nothing yet.
fn offers_lesson(scene: &Scene<'_>) -> bool {
    let state = scene.state;
    !state.settings.greeted
        && !scene.status.is_document
        && state.lesson.is_none()
        && state.settings.passed_lessons.is_empty()
}

/// A line above the timeline, on a ground of its own.
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
        if window == OverlayWindow::Palette {
            Window::new(panel.title())
                .id(Id::unique(panel.id()))
                .title_bar(false)
                .resizable(false)
                .fixed_size([560.0, 400.0])
                .anchor(eframe::egui::Align2::CENTER_TOP, [0.0, 48.0])
                .show(context, |ui| panel.ui(ui, scene, actions));
            continue;
        }
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

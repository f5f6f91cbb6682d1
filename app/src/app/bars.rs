//! The bar at the top, with menus and what runs, and the bar at the bottom, with how things are.

mod device;
mod document;
mod icon;
mod keeping;
mod losing;
mod menus;
mod synchronization;

use eframe::egui::{
    Align, Button, Color32, ComboBox, Frame, Label, Layout, Margin, Panel as Side, Response,
    RichText, Role, Ui, WidgetInfo,
};
use engine::analysis::pace;
use engine::record::PACE_NOT_KEPT;
use engine::runner::Phase;

use crate::action::{Action, Command};
use crate::panel::{NameSearch, Scene, state_of};
use crate::text;
use crate::theme::{GRID, Theme};
use icon::Icon;

/// How fast host threads may make calls, in calls a second.
const PACES: &[(Option<f64>, &str)] = &[
    (None, "full speed"),
    (Some(1_000.0), "1000 calls/s"),
    (Some(100.0), "100 calls/s"),
    (Some(10.0), "10 calls/s"),
    (Some(1.0), "1 call/s"),
];

/// Width of the rest of the bar in which there is room for the speed, in points.
const SPEED_ROOM: f32 = 400.0;

/// Said wherever the speed of calls is chosen.
const SLOWED: &str = "How fast host threads make calls. Slower calls change the result: the device waits for them, and less \
    of it overlaps";

/// Width of the rest of the bar in which there is room for what holds calls, in points.
const HOLD_ROOM: f32 = 560.0;

/// How fast host threads make calls, as a menu of its own.
fn speed_menu(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    ui.menu_button("Speed of calls", |ui| {
        for (pace, name) in PACES {
            let chosen = *pace == scene.state.settings.pace;
            if ui.selectable_label(chosen, *name).clicked() {
                actions.push(Action::SetPace(*pace));
                ui.close();
            }
        }
    });
}

/// Menus, the workload and its backend, run, pause, step, stop, speed and search.
pub fn top(ui: &mut Ui, scene: &Scene<'_>, search: &mut NameSearch, actions: &mut Vec<Action>) {
    let frame = Frame::new()
        .fill(scene.theme.panel)
        .inner_margin(Margin::symmetric(12, 6));
    Side::top("top").frame(frame).show(ui, |ui| {
        ui.horizontal(|ui| {
            menus::show(ui, scene, actions);
            ui.add_space(4.0 * GRID);
            if scene.status.is_document {
                document::show(ui, scene, actions);
            } else {
                transport(ui, scene, actions);
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                // A dataset has no spans that could be searched.
                if !scene.state.fleet.is_shown() {
                    search.ui(ui, scene, actions);
                }
            });
        });
    });
}

/// The workload and what it runs on, and what can be done to its run.
fn transport(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    device::show(ui, scene, actions);
    ui.add_space(2.0 * GRID);
    buttons(ui, scene, actions);
    // What is recorded can be stopped, and more or less of it be kept.
    if scene.status.program.is_some() {
        keeping::show(ui, scene, actions);
    } else {
        ui.add_space(2.0 * GRID);
        speed(ui, scene, actions);
        synchronization::show(ui, scene, actions);
        losing::show(ui, scene, actions);
    }
}

/// Run, pause, step, stop and hold.
fn buttons(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.x = GRID;
    let phase = scene.status.phase;
    let is_recorded = scene.status.program.is_some();
    let runs = phase == Phase::Running && !is_recorded;
    let idle = phase == Phase::Idle;
    let chosen = scene.state.documents.text();
    let unfit = chosen.is_some_and(|text| scene.status.fit.reason(&text.name).is_some());
    let can_run = scene.status.checked.errors.is_empty() && !unfit && !is_recorded;
    let go = if phase == Phase::Paused || scene.state.is_paused {
        Command::RunOrPause
    } else {
        Command::Rerun
    };
    for (icon, command, enabled) in [
        (Icon::Run, go, can_run),
        (Icon::Pause, Command::RunOrPause, runs),
        (
            Icon::Step,
            Command::Step,
            can_run && phase != Phase::Stopping,
        ),
        (Icon::Stop, Command::Stop, !idle),
    ] {
        if control(ui, icon, command, enabled).clicked() {
            actions.push(command.into());
        }
    }
    // A narrow bar leaves it to the menu.
    if !is_recorded && ui.available_width() >= HOLD_ROOM {
        hold(ui, phase, actions);
    }
}

/// What holds the host threads before their next call.
fn hold(ui: &mut Ui, phase: Phase, actions: &mut Vec<Action>) {
    let command = Command::HoldCalls;
    let (label, help) = command.entry().map_or(("", ""), |it| (it.label, it.help));
    let button = Button::new(label).selected(phase == Phase::Paused);
    let is_possible = matches!(phase, Phase::Running | Phase::Paused);
    let response = ui.add_enabled(is_possible, button);
    if response.clicked() {
        actions.push(command.into());
    }
    let words = format!("{label} ({})\n{help}", command.key());
    response.on_hover_text(&words).on_disabled_hover_text(words);
}

fn control(ui: &mut Ui, icon: Icon, command: Command, enabled: bool) -> Response {
    let entry = command.entry();
    let (label, help) = entry.map_or(("", ""), |entry| (entry.label, entry.help));
    let button = Button::new("").min_size([32.0, 24.0].into());
    let response = ui.add_enabled(enabled, button);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, enabled, label));
    let colour = ui.style().interact(&response).fg_stroke.color;
    let colour = if enabled {
        colour
    } else {
        ui.visuals().disable(colour)
    };
    icon.paint(ui.painter(), response.rect.center(), colour);
    response
        .on_hover_text(format!("{label} ({})\n{help}", command.key()))
        .on_disabled_hover_text(format!("{label} ({})", command.key()))
}

/// How fast host threads make calls.
fn speed(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    // A narrow bar leaves it to the menu.
    if ui.available_width() < SPEED_ROOM {
        return;
    }
    let chosen = scene.state.settings.pace;
    let shown = PACES
        .iter()
        .find(|(pace, _)| *pace == chosen)
        .map_or("custom", |(_, name)| name);
    let combo = ComboBox::from_id_salt("speed")
        .selected_text(shown)
        .width(96.0);
    let response = combo.show_ui(ui, |ui| {
        for (pace, name) in PACES {
            if ui.selectable_label(*pace == chosen, *name).clicked() {
                actions.push(Action::SetPace(*pace));
            }
        }
    });
    response.response.on_hover_text(SLOWED);
}

/// Live or not, how much there is, what was lost; the cursor's time, the range's length, the cost of a frame.
pub fn status(ui: &mut Ui, scene: &Scene<'_>) {
    let theme = scene.theme;
    let frame = Frame::new()
        .fill(theme.panel)
        .inner_margin(Margin::symmetric(14, 4));
    Side::bottom("status").frame(frame).show(ui, |ui| {
        ui.horizontal(|ui| {
            // What has the room to itself comes first: the rest is cut where there is none.
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.label(RichText::new(pointer(scene)).monospace().color(theme.weak));
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    told(ui, scene);
                });
            });
        });
    });
}

/// What the run or the capture is, and what to know of it.
fn told(ui: &mut Ui, scene: &Scene<'_>) {
    let theme = scene.theme;
    let (sign, words, colour) = if scene.is_lost() {
        ("×", "device lost", theme.bad)
    } else {
        doing(scene)
    };
    ui.label(
        RichText::new(format!("{sign} {words}"))
            .color(colour)
            .strong(),
    );
    let colour = if scene.status.lost > 0 {
        theme.bad
    } else {
        theme.weak
    };
    if let Some(connection) = &scene.status.connection {
        let (sign, words, colour) = state_of(connection, theme);
        let place = ui.label(RichText::new(format!("{sign} {words}")).color(colour));
        if !connection.detail.is_empty() {
            place.on_hover_text(&connection.detail);
        }
    }
    ui.add(Label::new(RichText::new(amounts(scene)).color(colour)).truncate());
    paced(ui, scene);
    slowed(ui, scene);
    device::fallback(ui, scene);
}

/// The law of a paced run, and whether it was kept: its times are about that law alone.
fn paced(ui: &mut Ui, scene: &Scene<'_>) {
    let Some(law) = pace::law(scene.capture) else {
        return;
    };
    let mut problems = scene.capture.problems().iter();
    let broken = problems.find(|it| it.code == PACE_NOT_KEPT);
    let (words, colour, help) = match broken {
        Some(problem) => (
            format!("! CPU, paced: {law} · pace not kept"),
            scene.theme.warning,
            problem.text.as_str(),
        ),
        None => (
            format!("CPU, paced: {law}"),
            scene.theme.weak,
            "Every operation really ran, and was held by timers to this law: its times are about the law, and not about this \
             machine or any other",
        ),
    };
    ui.add(Label::new(RichText::new(words).color(colour)).truncate())
        .on_hover_text(help);
}

/// That host threads are slowed down, or were in the run on screen.
fn slowed(ui: &mut Ui, scene: &Scene<'_>) {
    let is_over = scene.status.phase == Phase::Idle;
    if let Some(words) = scene.status.slowed().filter(|_| is_over) {
        let told = RichText::new("! host was slowed down").color(scene.theme.warning);
        ui.label(told).on_hover_text(words);
    }
    let chosen = scene.state.settings.pace;
    let name = PACES.iter().find(|(pace, _)| *pace == chosen);
    if let (Phase::Running | Phase::Paused, Some((Some(_), name))) = (scene.status.phase, name) {
        let words = RichText::new(format!("! host slowed to {name}")).color(scene.theme.warning);
        ui.label(words).on_hover_text(SLOWED);
    }
}

fn doing(scene: &Scene<'_>) -> (&'static str, &'static str, Color32) {
    let theme: &Theme = scene.theme;
    let status = scene.status;
    if status.loading.is_some() {
        return ("●", "reading", theme.accent);
    }
    if status.opened.is_some() {
        return ("○", "opened", theme.weak);
    }
    match status.phase {
        Phase::Running if scene.state.is_paused => {
            ("●", "view paused; the run goes on", theme.warning)
        }
        Phase::Running => ("●", "live", theme.good),
        Phase::Paused => ("●", "calls held", theme.warning),
        Phase::Stopping if status.program.is_some() => (
            "●",
            "stopping; Stop again ends it more firmly",
            theme.warning,
        ),
        Phase::Stopping => ("●", "stopping", theme.warning),
        Phase::Idle if scene.capture.run().is_none() && scene.capture.span_count() == 0 => {
            ("○", "nothing on screen yet", theme.weak)
        }
        Phase::Idle => ("○", "ended", theme.weak),
    }
}

fn amounts(scene: &Scene<'_>) -> String {
    let capture = scene.capture;
    if capture.lanes().is_empty() {
        return String::new();
    }
    let mut words = vec![
        text::counted(capture.lanes().len() as u64, "lane"),
        text::counted(capture.span_count() as u64, "span"),
        text::counted(capture.dependency_count() as u64, "dependency"),
    ];
    // A file drops none.
    if scene.status.opened.is_none() || scene.status.lost > 0 {
        words.push(format!(
            "{} dropped",
            text::counted(scene.status.lost, "record")
        ));
    }
    words.join(" · ")
}

fn pointer(scene: &Scene<'_>) -> String {
    let mut words = Vec::new();
    if let Some(time) = scene.state.hover.time {
        words.push(format!("t {}", text::duration(time)));
    }
    if let Some(arrows) = &scene.status.arrows {
        words.push(arrows.to_string());
    }
    if let Some(range) = scene.state.selection.range {
        words.push(format!("Δ {}", text::duration(range.length())));
    }
    if let Some(measure) = &scene.status.measure {
        let spans = text::counted(measure.spans as u64, "span");
        words.push(format!("{spans}, {} in all", text::duration(measure.sum)));
    }
    if !scene.status.frame.is_zero() {
        let frame = scene.status.frame.as_secs_f64() * 1e3;
        words.push(format!("{frame:.1} ms a frame"));
    }
    words.join("   ")
}

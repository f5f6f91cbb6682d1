//! The button that loses the device, its menu, and the buttons that bring the device back.

use eframe::egui::containers::menu::{MenuButton, MenuConfig};
use eframe::egui::{
    Button, CornerRadius, DragAndDrop, DragValue, PopupCloseBehavior, Response, RichText, Sense,
    Ui, pos2,
};
use engine::runner::RecoveryMode;
use engine::time::Nanos;
use engine::workload::{FaultKind, FaultMoment, LossBy, LossMoment, RankFault};

use crate::action::{Action, Command};
use crate::panel::{Scene, Sign, loss_words};
use crate::theme::{GRID, mixed};
use crate::timeline::NewLoss;

/// The narrowest rest of the bar in which the button has its name, in points.
const ROOMY: f32 = 420.0;

/// What may happen once a device was lost on purpose.
const AFTER: &[(RecoveryMode, &str, &str)] = &[
    (
        RecoveryMode::Pause,
        "Hold the calls",
        "Hold the host threads, and wait until you recover or go on",
    ),
    (
        RecoveryMode::Stay,
        "Go on without the device",
        "What is called from then on comes to what the specification says of a lost device",
    ),
    (
        RecoveryMode::Resume,
        "Recover and go on",
        "Open the device anew and go on with the call that comes next",
    ),
    (
        RecoveryMode::Replay,
        "Recover and replay",
        "Open the device anew and begin again with the first call",
    ),
];

/// The button and its menu; after a loss, the buttons that recover.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    ui.add_space(2.0 * GRID);
    let is_roomy = ui.available_width() > ROOMY;
    let response = button(ui, scene, is_roomy, actions);
    if response.drag_started() {
        DragAndDrop::set_payload(ui.ctx(), NewLoss);
    }
    if scene.is_lost() {
        back(ui, scene, Command::Recover, "Recover", actions);
        back(ui, scene, Command::Replay, "Replay", actions);
    }
}

fn button(ui: &mut Ui, scene: &Scene<'_>, is_roomy: bool, actions: &mut Vec<Action>) -> Response {
    let theme = scene.theme;
    let armed = scene.state.armed().len();
    let words = match (is_roomy, armed) {
        (true, 0) => String::from("      Lose device"),
        (true, armed) => format!("      Lose device · {armed}"),
        (false, 0) => String::from("      "),
        (false, armed) => format!("      {armed}"),
    };
    let button = Button::new(RichText::new(words).color(theme.bad))
        .fill(mixed(theme.bad, theme.panel, 0.16))
        .corner_radius(CornerRadius::same(4))
        .sense(Sense::click_and_drag())
        .min_size([28.0, 24.0].into());
    // Choosing how leaves the menu open to choose when.
    let stays = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let menu_button = MenuButton::from_button(button).config(stays);
    let (response, _) = menu_button.ui(ui, |ui| {
        ui.set_min_width(240.0);
        menu(ui, scene, actions);
    });
    let at = pos2(response.rect.left() + 14.0, response.rect.center().y);
    Sign::Bolt.paint(ui.painter(), at, theme.bad);
    response.widget_info(|| {
        let role = eframe::egui::Role::Button;
        eframe::egui::WidgetInfo::labeled(role, true, "Lose device")
    });
    response.on_hover_text(format!(
        "Lose the device ({}), or choose when in the menu. Drag the button onto the timeline to lose the device at \
         that time of the next run",
        Command::LoseDevice.key()
    ))
}

fn menu(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let loss = &scene.state.loss;
    for (by, words) in [
        (LossBy::Driver, "As a driver reports it"),
        (LossBy::Destroy, "As a call of destroy()"),
        (LossBy::Trap, "By a kernel that traps"),
        (LossBy::Address, "By a kernel that uses a wrong address"),
        (LossBy::Assertion, "By an assertion of a kernel"),
        (LossBy::Hang, "By a kernel that never ends"),
        (LossBy::Kill, "By the end of its process"),
    ] {
        if ui.radio(loss.by == by, words).clicked() {
            actions.push(Action::LoseBy(by));
        }
    }
    if let Some(adapter) = scene.status.adapter(&scene.state.settings) {
        let words = acted(loss.by, &adapter.caps.losses);
        ui.label(RichText::new(words).small().color(scene.theme.weak));
    }
    ui.separator();
    let reason = scene.why_not_lose();
    let now = Button::new("Now").shortcut_text(Command::LoseDevice.key());
    let now = ui.add_enabled(reason.is_none(), now);
    if now.clicked() {
        actions.push(Command::LoseDevice.into());
        ui.close();
    }
    now.on_disabled_hover_text(reason.unwrap_or_default());
    rank_fault_menu(ui, scene, actions);
    let checked = &scene.status.checked;
    let pipelines = ("While a pipeline compiles", "pipeline");
    name_menu(
        ui,
        pipelines,
        (&checked.pipelines, LossMoment::Pipeline),
        actions,
    );
    let streams = ("While a stream runs", "stream");
    name_menu(ui, streams, (&checked.streams, LossMoment::Stream), actions);
    ui.menu_button("At a time of the next run", |ui| at_time(ui, actions));
    ui.separator();
    ui.label(
        RichText::new("Once it is lost")
            .small()
            .color(scene.theme.weak),
    );
    for (how, words, help) in AFTER {
        let choice = ui.radio(loss.recovery == *how, *words);
        if choice.on_hover_text(*help).clicked() {
            actions.push(Action::SetRecovery(*how));
        }
    }
    armed(ui, scene, actions);
}

/// What can be done to a rank, and what it is called.
const HARM: &[(FaultKind, &str)] = &[
    (FaultKind::Kill, "Kill"),
    (FaultKind::Stop, "Stop (SIGSTOP)"),
    (FaultKind::Slow, "Slow it down"),
];

/// Ranks of the run under way, and what can be done to each; nothing where there are none.
fn rank_fault_menu(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let devices = scene.capture.devices().iter();
    let ranks = devices.filter(|device| device.rank.is_some());
    let ranks = ranks.count() as u32;
    if ranks < 2 || scene.why_not_lose().is_some() {
        return;
    }
    ui.menu_button("A rank", |ui| {
        for rank in 0..ranks {
            ui.menu_button(format!("rank {rank}"), |ui| {
                for (kind, words) in HARM {
                    if ui.button(*words).clicked() {
                        let fault = RankFault {
                            kind: *kind,
                            rank,
                            at: FaultMoment::Now,
                        };
                        actions.push(Action::Hurt(fault));
                        ui.close();
                    }
                }
            });
        }
    });
}

/// Whether the implementation below really loses its device in this way.
fn acted(by: LossBy, real: &[engine::record::LossKind]) -> &'static str {
    let kind = match by {
        LossBy::Driver => engine::record::LossKind::Unknown,
        LossBy::Destroy => engine::record::LossKind::Destroyed,
        LossBy::Trap => engine::record::LossKind::Trap,
        LossBy::Address => engine::record::LossKind::Address,
        LossBy::Assertion => engine::record::LossKind::Assertion,
        LossBy::Hang => engine::record::LossKind::Hang,
        LossBy::Kill => engine::record::LossKind::Process,
    };
    if real.contains(&kind) {
        "this device can be lost in this way"
    } else {
        "this device cannot be lost in this way: Syncline simulates it"
    }
}

/// A menu of the workload's names; greyed out with the reason where there are none.
fn name_menu(
    ui: &mut Ui,
    (title, what): (&str, &str),
    (names, moment): (&[String], fn(String) -> LossMoment),
    actions: &mut Vec<Action>,
) {
    let shown = ui.add_enabled_ui(!names.is_empty(), |ui| {
        ui.menu_button(title, |ui| {
            eframe::egui::ScrollArea::vertical()
                .max_height(320.0)
                .show(ui, |ui| {
                    for name in names {
                        if ui.button(name).clicked() {
                            actions.push(Action::Lose(moment(name.clone())));
                            ui.close();
                        }
                    }
                });
        })
        .response
    });
    let reason = format!("The chosen workload names no {what}");
    shown.inner.on_disabled_hover_text(reason);
}

/// A field for a time, which is kept by the window while the menu is open.
fn at_time(ui: &mut Ui, actions: &mut Vec<Action>) {
    let id = ui.scope_id().with("time of a loss");
    let mut micros: f64 = ui.data(|data| data.get_temp(id)).unwrap_or(500.0);
    ui.horizontal(|ui| {
        let field = DragValue::new(&mut micros)
            .range(0.0..=60e6)
            .speed(10.0)
            .suffix(" µs");
        ui.add(field);
        if ui.button("Add").clicked() {
            let time = Nanos((micros * 1e3).round() as i64);
            actions.push(Action::Lose(LossMoment::Time(time)));
            ui.close();
        }
    });
    ui.data_mut(|data| data.insert_temp(id, micros));
}

/// The losses that wait for their moment, each with a way to forget it.
fn armed(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let armed = scene.state.armed();
    if armed.is_empty() {
        return;
    }
    ui.separator();
    ui.label(
        RichText::new("Every run of this workload from now on")
            .small()
            .color(scene.theme.weak),
    );
    for (at, injection) in armed.iter().enumerate() {
        let entry = ui.button(format!("×  {}", loss_words(injection)));
        if entry.on_hover_text("Remove it").clicked() {
            actions.push(Action::Disarm(at));
        }
    }
}

/// A button that recovers; greyed out with the reason where nothing can be recovered.
fn back(ui: &mut Ui, scene: &Scene<'_>, command: Command, words: &str, actions: &mut Vec<Action>) {
    let reason = scene.why_not_recover();
    let button = Button::new(RichText::new(words).color(scene.theme.good));
    let response = ui.add_enabled(reason.is_none(), button);
    if response.clicked() {
        actions.push(command.into());
    }
    let help = command.entry().map_or("", |entry| entry.help);
    response
        .on_hover_text(format!("{help} ({})", command.key()))
        .on_disabled_hover_text(reason.unwrap_or_default());
}

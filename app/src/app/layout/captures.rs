//! Which captures are open, as tabs above the timeline, and a line that says so where the one on screen is not of the chosen
//! workload.

use eframe::egui::{
    Button, CornerRadius, Frame, Id, Margin, Rect, RichText, ScrollArea, Sense, Ui, pos2,
};
use engine::runner::Phase;

use super::strip;
use crate::action::{Action, Command};
use crate::panel::{Scene, TabLabel, has_other_values};
use crate::text;
use crate::theme::GRID;

/// Characters of a tab's name that are shown.
const SHOWN: usize = 28;

/// The tabs, where more than one capture is open.
pub fn tabs(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let labels = &scene.status.tabs;
    if labels.len() < 2 {
        return;
    }
    let frame = Frame::new()
        .fill(scene.theme.panel)
        .inner_margin(Margin::symmetric(8, 2));
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ScrollArea::horizontal().id_salt("captures").show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 0.0;
                for (place, label) in labels.iter().enumerate() {
                    tab(ui, scene, (place, label), actions);
                }
            });
        });
    });
}

fn tab(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (place, label): (usize, &TabLabel),
    actions: &mut Vec<Action>,
) {
    let theme = scene.theme;
    let is_shown = place == scene.status.tab;
    let runs = label.is_run && scene.status.phase != Phase::Idle;
    let name = text::shorten(&label.name, SHOWN);
    let name = if runs { format!("● {name}") } else { name };
    let colour = if is_shown { theme.text } else { theme.weak };
    let words = RichText::new(name).color(colour);
    let show = ui.add(Button::selectable(false, words).min_size([0.0, 26.0].into()));
    let kind = if label.is_dataset {
        "A dataset of many ranks"
    } else if label.is_run {
        "The run of this window"
    } else {
        "An opened capture"
    };
    let hint = format!(
        "{}\n{kind}. {} and {} go from one to the next",
        label.name,
        Command::NextTab.key(),
        Command::PreviousTab.key()
    );
    let close = ui.add(Button::new(RichText::new("×").color(theme.weak)).frame(false));
    close.widget_info(|| {
        let words = format!("Close {}", label.name);
        eframe::egui::WidgetInfo::labeled(eframe::egui::Role::Button, true, words)
    });
    if is_shown {
        let both = show.rect.union(close.rect);
        let seen = ui.data_mut(|data| {
            let now = (place, scene.status.tabs.len());
            data.get_temp_mut_or_default::<Option<(usize, usize)>>(Id::unique("tab seen"))
                .replace(now)
                == Some(now)
        });
        // Another tab comes into sight once; then the user may scroll.
        if !seen {
            ui.scroll_to_rect(both, None);
        }
        let line = Rect::from_min_max(pos2(both.left(), both.bottom() - 2.0), both.right_bottom());
        ui.painter()
            .rect_filled(line, CornerRadius::same(1), theme.accent);
    }
    ui.add_space(3.0 * GRID);
    let middle = ui.interact(show.rect, show.id.with("middle"), Sense::hover());
    let is_closed = close
        .on_hover_text(format!("Close ({})", Command::CloseTab.key()))
        .clicked();
    if is_closed || middle.middle_clicked() {
        actions.push(Action::CloseTab(place));
    } else if show.on_hover_text(hint).clicked() {
        actions.push(Action::ShowTab(place));
    }
}

/// Says that the files on screen have changed since they were read, and offers to read them again.
pub fn changed_files(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let files = &scene.status.files;
    if files.is_followed || files.is_read_again || !files.have_changed() {
        return;
    }
    let theme = scene.theme;
    strip(ui, theme.hovered, |ui| {
        ui.spacing_mut().item_spacing.x = GRID;
        let name = scene.status.opened.as_deref().unwrap_or_default();
        ui.label(RichText::new(text::shorten(name, SHOWN)).strong());
        let words = if scene.status.parts.len() > 1 {
            "have changed since they were read"
        } else {
            "has changed since it was read"
        };
        ui.label(RichText::new(words).color(theme.weak));
        ui.add_space(2.0 * GRID);
        let reload = ui.button(format!("Reload ({})", Command::Reload.key()));
        if reload.clicked() {
            actions.push(Command::Reload.into());
        }
        if ui.button("Reload whenever it changes").clicked() {
            actions.push(Command::ReloadChanged.into());
        }
    });
}

/// Says that what is on screen is not of the chosen workload or of the chosen values, and leads to either.
pub fn other_picture(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    // A program that is recorded has nothing to do with the chosen workload.
    if scene.status.program.is_some() {
        return;
    }
    let (Some(shown), Some(chosen)) = (scene.other_picture(), scene.workload()) else {
        return other_values(ui, scene, actions);
    };
    let theme = scene.theme;
    let is_idle = scene.status.phase == Phase::Idle;
    strip(ui, theme.hovered, |ui| {
        ui.spacing_mut().item_spacing.x = GRID;
        let words = if is_idle {
            "On screen:"
        } else {
            "On screen, and running:"
        };
        ui.label(RichText::new(words).color(theme.weak));
        ui.label(RichText::new(text::shorten(shown, SHOWN)).strong());
        ui.label(RichText::new(" · chosen:").color(theme.weak));
        ui.label(RichText::new(text::shorten(&chosen.title, SHOWN)).strong());
        ui.add_space(2.0 * GRID);
        let run = ui.button(format!("Run {} ({})", chosen.title, Command::Rerun.key()));
        if run.clicked() {
            actions.push(Command::Rerun.into());
        }
        if ui
            .button(format!("Back to {}", text::shorten(shown, SHOWN)))
            .clicked()
        {
            actions.push(Action::ChooseShown);
        }
    });
}

/// Says that what is on screen ran with other values than those that are chosen now.
fn other_values(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    // What an opened capture ran with has nothing to do with the values that are chosen.
    let is_of_run = scene.workload().is_some() && scene.status.phase == Phase::Idle;
    if !is_of_run || !has_other_values(scene) {
        return;
    }
    let theme = scene.theme;
    strip(ui, theme.hovered, |ui| {
        ui.spacing_mut().item_spacing.x = GRID;
        let words = "Parameters changed: what is on screen ran with the former ones";
        ui.label(RichText::new(words).color(theme.weak));
        ui.add_space(2.0 * GRID);
        let run = ui.button(format!("Run with these values ({})", Command::Rerun.key()));
        if run.clicked() {
            actions.push(Command::Rerun.into());
        }
    });
}

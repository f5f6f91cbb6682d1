//! The head of a dataset: the run, which ranks are there, what answered, and what goes on.

use eframe::egui::{Align, Button, ComboBox, Label, Layout, RichText, Spinner, Ui};
use engine::dataset::rank_list;
use engine::fleet::RunCoverage;
use engine::time::Nanos;

use super::engine_choice::{EngineChoice, engine_to_ask};
use super::fleet_words::measure_help;
use crate::action::{Action, FleetAction};
use crate::panel::Scene;
use crate::text::{self, measure_words};

/// Letters of a list of ranks that are shown; all of it stands under the pointer.
const LISTED: usize = 60;

/// Shows it.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, engines: &mut EngineChoice, actions: &mut Vec<Action>) {
    let status = &scene.status.fleet;
    let run = status.run(&scene.state.fleet);
    ui.horizontal_wrapped(|ui| {
        if let Some(run) = run {
            run_choice(ui, scene, run, actions);
            ranks(ui, scene, run);
        }
        engines.ui(ui, scene, actions);
        if let Some(running) = &status.running {
            ui.add(Spinner::new().size(12.0));
            ui.label(running.words());
            ui.label(RichText::new(running.progress()).color(scene.theme.weak));
            if ui.button("Cancel").clicked() {
                actions.push(Action::Fleet(FleetAction::Stop));
            }
        } else {
            answered(ui, scene);
            let again = ui.add_enabled(scene.state.fleet.is_shown(), Button::new("Read again"));
            if again
                .on_hover_text("Read which ranks the dataset has, and ask it again")
                .clicked()
            {
                actions.push(Action::Fleet(FleetAction::Refresh));
            }
        }
    });
    if let Some(run) = run {
        gaps(ui, scene, run);
    }
}

fn run_choice(ui: &mut Ui, scene: &Scene<'_>, run: &RunCoverage, actions: &mut Vec<Action>) {
    let runs = scene
        .status
        .fleet
        .dataset
        .as_ref()
        .map_or(&[][..], |it| it.runs());
    let label = ui.label(RichText::new("Run").color(scene.theme.weak));
    if runs.len() < 2 {
        ui.label(RichText::new(run.name.to_string()).strong());
        return;
    }
    let combo = ComboBox::from_id_salt("fleet run").selected_text(run.name.to_string());
    let shown = combo.show_ui(ui, |ui| {
        for other in runs {
            let name = other.name.to_string();
            if ui.selectable_label(other.name == run.name, &name).clicked() {
                actions.push(Action::Fleet(FleetAction::ChooseRun(name)));
            }
        }
    });
    shown.response.labelled_by(label.id);
}

/// How many ranks are complete, of how many.
fn ranks(ui: &mut Ui, scene: &Scene<'_>, run: &RunCoverage) {
    let all = run.complete.len() + run.missing.len() + run.unfinished.len() + run.unreadable.len();
    let complete = text::count(run.complete.len() as u64);
    let words = if run.complete.len() == all {
        text::counted(all as u64, "rank")
    } else {
        format!("{complete} of {}", text::counted(all as u64, "rank"))
    };
    ui.label(words)
        .on_hover_text("Ranks whose conversion is complete, of all up to the highest");
    let status = &scene.status.fleet;
    if let Some(picture) = status.picture.as_ref().filter(|_| status.error.is_none()) {
        let steps = text::counted(picture.steps.len() as u64, "step");
        ui.label(RichText::new(format!("· {steps}")).color(scene.theme.weak));
    }
}

/// Which ranks are not in the picture, and why.
fn gaps(ui: &mut Ui, scene: &Scene<'_>, run: &RunCoverage) {
    let parts = [
        (
            "Missing",
            &run.missing,
            "Nothing of these ranks is in the dataset: convert their captures",
        ),
        (
            "Not finished",
            &run.unfinished,
            "The conversion of these ranks was stopped; convert them again. They are left out",
        ),
        (
            "Could not be read",
            &run.unreadable,
            "The captures of these ranks could not be read; `syncline dataset check` says why",
        ),
        (
            "Read in part",
            &run.with_data_loss,
            "A part of the captures of these ranks could not be read, such as the end of one that was cut short; they count as \
             far as they could. `syncline info` on such a file says what it lacks",
        ),
    ];
    let told = parts.into_iter().filter(|it| !it.1.is_empty());
    let told: Vec<_> = told.collect();
    if told.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        for (what, which, help) in told {
            let all = rank_list(which);
            let words = format!("! {what}: {}", text::shorten(&all, LISTED));
            let label = Label::new(RichText::new(words).color(scene.theme.warning));
            ui.add(label).on_hover_text(format!(
                "{}: {all}\n{help}",
                text::counted(which.len() as u64, "rank")
            ));
        }
    });
}

/// What answered, and how long that took.
fn answered(ui: &mut Ui, scene: &Scene<'_>) {
    let status = &scene.status.fleet;
    let Some(picture) = status.picture.as_ref().filter(|_| status.error.is_none()) else {
        return;
    };
    if !picture.time.is_zero() {
        let time = text::duration(Nanos::from_duration(picture.time));
        let chosen = &scene.state.settings.fleet_engine;
        let asked = engine_to_ask(&status.engines, chosen);
        // The choice beside it says which one.
        let words = if picture.engine.starts_with(asked.title()) {
            format!("answered in {time}")
        } else {
            format!("{} answered in {time}", picture.engine)
        };
        ui.label(RichText::new(words).color(scene.theme.weak));
    }
}

/// What the colours say, as a choice.
pub fn measure_choice(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let Some(picture) = &scene.status.fleet.picture else {
        return;
    };
    let chosen = &scene.state.fleet.measure;
    let shown = picture.measures.iter().find(|it| it.measure == *chosen);
    let Some(shown) = shown.or(picture.measures.first()) else {
        return;
    };
    ui.horizontal(|ui| {
        let label = ui.label(RichText::new("Colour").color(scene.theme.weak));
        let combo = ComboBox::from_id_salt("fleet measure")
            .selected_text(measure_words(&shown.measure))
            .width(200.0);
        let choice = combo.show_ui(ui, |ui| {
            for grid in &picture.measures {
                let is_shown = grid.measure == shown.measure;
                let label = ui.selectable_label(is_shown, measure_words(&grid.measure));
                if label.on_hover_text(measure_help(&grid.measure)).clicked() {
                    actions.push(Action::Fleet(FleetAction::Measure(grid.measure.clone())));
                }
            }
        });
        choice.response.labelled_by(label.id);
        let help = RichText::new(measure_help(&shown.measure)).color(scene.theme.weak);
        let is_part = scene.state.fleet.rows.is_some() || scene.state.fleet.columns.is_some();
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if is_part
                && ui
                    .button("Show all")
                    .on_hover_text("All ranks and steps (0)")
                    .clicked()
            {
                actions.push(Action::Fleet(FleetAction::Show(None, None)));
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(Label::new(help).truncate());
            });
        });
    });
}

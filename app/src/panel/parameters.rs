//! The chosen workload's parameters, as sliders.

use eframe::egui::{Align, Button, Label, Layout, RichText, Role, Slider, Stroke, Ui, WidgetInfo};
use engine::analysis::pace;
use engine::record::PaceSetting;
use engine::workload::{Injection, LossMoment, Parameter};

use super::backend_choice::is_paced;
use super::widgets::{Sign, hint, is_low, section};
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::text;
use crate::theme::{GRID, SMALL};

/// The chosen workload's parameters, as sliders.
pub struct ParametersPanel;

/// A slider is logarithmic where its largest value is at least this many times its smallest.
const WIDE: f64 = 500.0;
/// How many times as far as its value the slider of a parameter without bounds goes, and how far any such slider goes.
const FAR: f64 = 10.0;
const FARTHEST: f64 = f64::MAX / 4.0;

impl Panel for ParametersPanel {
    fn id(&self) -> &'static str {
        "parameters"
    }

    fn title(&self) -> &'static str {
        "Parameters"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::PartOf("about")
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        armed(ui, scene, actions);
        section(ui, scene.theme, "Parameters");
        if scene.workload().is_none() {
            let words = "Choose a workload in the list to change its parameters";
            return hint(ui, scene.theme, words);
        }
        let Some(document) = &scene.status.checked.document else {
            hint(
                ui,
                scene.theme,
                "Sliders appear when the text has no errors",
            );
            return;
        };
        if document.parameters().is_empty() {
            hint(
                ui,
                scene.theme,
                "This workload has no parameters; `param \"n\" 1024` in its text adds one",
            );
        }
        let moved = scene.state.documents.overrides();
        for parameter in document.parameters() {
            let found = moved.iter().find(|(name, _)| *name == parameter.name);
            let value = found.map(|(_, value)| *value);
            let set = |value| Action::SetParameter(parameter.name.clone(), value);
            ui.scope(|ui| slider(ui, scene, parameter, (value, &set), actions));
        }
    }
}

/// Whether the run on screen is of the chosen workload with other values than those that are chosen now.
pub fn has_other_values(scene: &Scene<'_>) -> bool {
    let Some(document) = &scene.status.checked.document else {
        return false;
    };
    let is_paced = is_paced(&scene.status.backends, &scene.state.settings);
    let moved = scene.state.documents.overrides();
    is_paced && is_paced_otherwise(scene) || differs(scene, document.parameters(), &moved)
}

/// The losses that wait for the workload's next run, each with a way to forget it.
fn armed(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let armed = scene.state.armed();
    if armed.is_empty() {
        return;
    }
    section(ui, scene.theme, "Losses of each run");
    for (at, injection) in armed.iter().enumerate() {
        ui.horizontal(|ui| {
            Sign::Bolt.ui(ui, scene.theme.bad);
            let words = loss_words(injection);
            let remove = ui.add(Button::new("×").frame(false));
            remove.widget_info(|| {
                WidgetInfo::labeled(Role::Button, true, format!("Remove: {words}"))
            });
            if remove.on_hover_text("Remove this loss").clicked() {
                actions.push(Action::Disarm(at));
            }
            ui.add(Label::new(words).wrap());
        });
    }
}

/// A loss that waits for its moment, in words.
pub fn loss_words(injection: &Injection) -> String {
    let by = injection.by.label();
    match &injection.at {
        LossMoment::Now => by.to_owned(),
        LossMoment::Label(name) => format!("{by} at the call {name}"),
        LossMoment::Line(line) => format!("{by} at line {line}"),
        LossMoment::Time(time) => format!("{by} at {}", text::duration(*time)),
        LossMoment::Pipeline(name) => format!("{by} while {name} compiles"),
        LossMoment::Stream(name) => format!("{by} while {name} runs"),
    }
}

/// Whether the run on screen is of a paced device whose law is another.
fn is_paced_otherwise(scene: &Scene<'_>) -> bool {
    let Some(law) = pace::law(scene.capture).filter(|_| scene.status.is_live) else {
        return false;
    };
    let wanted = scene.state.settings.paced;
    // What is not set here the workload may say.
    let of_run = PaceSetting {
        rate: Some(law.bytes_per_second / (1_u64 << 30) as f64),
        slots: Some(f64::from(law.slots)),
        stretch: Some(law.stretch),
    };
    wanted.or(of_run).law() != law
}

/// Whether the run on screen is of this workload with other values.
fn differs(scene: &Scene<'_>, parameters: &[Parameter], moved: &[(String, f64)]) -> bool {
    let Some(run) = scene.capture.run() else {
        return false;
    };
    let documents = &scene.state.documents;
    if documents.text().is_none_or(|text| text.name != run.name) {
        return false;
    }
    parameters.iter().any(|parameter| {
        let of = |values: &[(String, f64)]| {
            let mut values = values.iter();
            values
                .find(|(name, _)| *name == parameter.name)
                .map(|(_, value)| *value)
        };
        let wanted = of(moved).unwrap_or(parameter.default);
        of(&run.parameters).is_some_and(|value| value != wanted)
    })
}

/// From where to where a slider goes: of a parameter without bounds ten times as far as it is from zero.
fn bounds(parameter: &Parameter) -> (f64, f64) {
    let far = (parameter.default.abs() * FAR).clamp(FAR, FARTHEST);
    let (least, most) = if parameter.default < 0.0 {
        (-far, far)
    } else {
        (0.0, far)
    };
    let or = |bound: f64, other: f64| if bound.is_finite() { bound } else { other };
    let (min, max) = (or(parameter.min, least), or(parameter.max, most));
    // Where one bound is given, the other may lie on its wrong side.
    (min.min(max), max.max(min))
}

/// A value as a slider, under its name and its help; a double click takes it back.
pub fn slider(
    ui: &mut Ui,
    scene: &Scene<'_>,
    parameter: &Parameter,
    (moved, set): (Option<f64>, &dyn Fn(Option<f64>) -> Action),
    actions: &mut Vec<Action>,
) {
    let mut value = moved.unwrap_or(parameter.default);
    ui.spacing_mut().interact_size.y = 4.0 * GRID;
    ui.spacing_mut().item_spacing.y = 2.0;
    let name = ui.horizontal(|ui| {
        let name = ui.add(Label::new(RichText::new(&parameter.name).monospace()).selectable(false));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let colour = if moved.is_some() {
                scene.theme.accent
            } else {
                scene.theme.weak
            };
            let shown = RichText::new(text::number(value)).monospace().color(colour);
            ui.add(Label::new(shown).selectable(false));
        });
        name
    });
    // A low window has no room for it: the pointer is told.
    let is_told = is_low(ui);
    if !parameter.about.is_empty() && !is_told {
        let help = RichText::new(&parameter.about).size(SMALL);
        ui.add(
            Label::new(help.color(scene.theme.weak))
                .wrap()
                .selectable(false),
        );
    }
    let own = [parameter.default, parameter.min, parameter.max].into_iter();
    let whole = own
        .filter(|value| value.is_finite())
        .all(|value| value.fract() == 0.0);
    ui.spacing_mut().slider_width = ui.available_width();
    ui.spacing_mut().interact_size.y = 14.0;
    let accent = scene.theme.accent;
    let visuals = ui.visuals_mut();
    visuals.selection.bg_fill = accent;
    for state in [
        &mut visuals.widgets.inactive,
        &mut visuals.widgets.hovered,
        &mut visuals.widgets.active,
    ] {
        state.fg_stroke = Stroke::new(2.0, accent);
    }
    let (min, max) = bounds(parameter);
    let mut slider = Slider::new(&mut value, min..=max)
        .show_value(false)
        .logarithmic(min > 0.0 && max / min >= WIDE);
    if whole {
        slider = slider.step_by(1.0);
    }
    let response = ui.add(slider).labelled_by(name.inner.id);
    let limits = format!(
        "From {} to {}; double-click for {}",
        text::number(min),
        text::number(max),
        text::number(parameter.default)
    );
    let help = Some(parameter.about.as_str()).filter(|it| is_told && !it.is_empty());
    let told = help.map_or_else(|| limits.clone(), |help| format!("{help}\n\n{limits}"));
    let response = response.on_hover_text(told);
    if response.double_clicked() {
        actions.push(set(None));
    } else if response.changed() {
        actions.push(set(Some(value)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slider_has_two_ends_whatever_bounds_are_given() {
        let of = |default, min, max| {
            bounds(&Parameter {
                name: "n".to_owned(),
                default,
                min,
                max,
                about: String::new(),
                line: 1,
            })
        };
        let none = (f64::NEG_INFINITY, f64::INFINITY);
        assert_eq!(of(4.0, 1.0, 9.0), (1.0, 9.0));
        assert_eq!(of(4.0, none.0, none.1), (0.0, 40.0));
        assert_eq!(of(0.0, none.0, none.1), (0.0, 10.0));
        assert_eq!(of(-4.0, none.0, none.1), (-40.0, 40.0));
        assert_eq!(of(500.0, 400.0, none.1), (400.0, 5_000.0));
        for value in [f64::MAX, f64::MIN, 1e300] {
            let (min, max) = of(value, none.0, none.1);
            assert!((max - min).is_finite() && min < max);
            assert!(value.abs() > 1e301 || (min..=max).contains(&value));
        }
    }
}

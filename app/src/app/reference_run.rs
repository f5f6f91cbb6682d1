//! The run of a lesson's reference solution, below the learner's own and at the same scale.

use std::task::Poll;

use eframe::egui::{Context, Frame, Margin, Panel as Side, RichText, Ui};
use engine::capture::Capture;
use engine::lesson::LessonError;
use engine::time::Interval;

use crate::action::Action;
use crate::background::BackgroundAnswer;
use crate::panel::{Scene, hint};
use crate::state::{AppState, Settings, Switch, TakenLesson, View, ViewChange};
use crate::theme::{GRID, SMALL};
use crate::timeline::{Picture, Timeline};

/// A run, or why there is none.
type ReferenceResult = Result<Capture, LessonError>;

/// The run of a lesson's reference solution, while it is looked at.
#[derive(Default)]
pub(super) struct ReferenceRun {
    /// The id of the lesson, and the backend.
    of: Option<(String, String)>,
    answer: Option<BackgroundAnswer<ReferenceResult>>,
    capture: Option<ReferenceResult>,
    timeline: Timeline,
    /// Whether both are still to be brought into view.
    is_new: bool,
}

/// The lesson whose solution is looked at.
fn looked_at(state: &AppState) -> Option<&TakenLesson> {
    let taken = state.lesson.as_ref()?;
    taken.shows_solution.then_some(taken)
}

impl ReferenceRun {
    /// Begins a run where the solution is looked at, and takes what came of it.
    pub fn advance(&mut self, state: &AppState, backend: &str, context: &Context) {
        let wanted = looked_at(state).map(|it| (it.id.clone(), backend.to_owned()));
        if wanted != self.of {
            *self = Self {
                of: wanted,
                ..Self::default()
            };
            self.begin(state, context);
        }
        if let Some(answer) = &self.answer {
            match answer.poll() {
                Poll::Pending => return,
                Poll::Ready(Some(run)) => (self.capture, self.is_new) = (Some(run), true),
                Poll::Ready(None) => {
                    let text = "it could not be run; close other programs, and show it again";
                    self.capture = Some(Err(LessonError::NotHere(text.to_owned())));
                }
            }
            self.answer = None;
        }
    }

    fn begin(&mut self, state: &AppState, context: &Context) {
        let (Some((_, backend)), Some(lesson)) = (
            self.of.clone(),
            looked_at(state).and_then(TakenLesson::lesson),
        ) else {
            return;
        };
        let run = move || lesson.reference(&backend);
        self.answer = Some(BackgroundAnswer::new("reference", Some(context), run));
    }

    /// Shows it in the lower part of `ui`, and leaves the rest to the learner's own run, whose column of names is `names`
    /// points wide. What moves its view moves that of the other.
    pub fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, names: f32, actions: &mut Vec<Action>) {
        if self.of.is_none() {
            return;
        }
        let whole = ui.available_height();
        let ground = Frame::new().fill(scene.theme.canvas);
        let side = Side::bottom("reference run")
            .resizable(true)
            .default_size((whole * 0.5).round())
            .size_range(100.0..=(whole - 100.0).max(100.0));
        side.frame(ground).show(ui, |ui| {
            // It keeps its height while there is less to show.
            ui.set_min_height(ui.available_height());
            heading(ui, scene, scene.tr("Reference solution, at the same scale"));
            match &self.capture {
                None => {
                    hint(ui, scene.theme, scene.tr("The reference solution runs…"));
                }
                Some(Err(why)) => hint(ui, scene.theme, &why.to_string()),
                Some(Ok(_)) => self.picture(ui, scene, names, actions),
            }
        });
        heading(ui, scene, scene.tr("Your run"));
    }

    fn picture(&mut self, ui: &mut Ui, scene: &Scene<'_>, names: f32, actions: &mut Vec<Action>) {
        let Some(Ok(capture)) = &self.capture else {
            return;
        };
        let own = scene.capture.extent();
        if std::mem::take(&mut self.is_new) {
            actions.extend(show_both(own, capture.extent()));
        }
        let state = look(&scene.state.settings, scene.state.view.shown(own));
        let picture = Picture {
            capture,
            state: &state,
            theme: scene.theme,
            causes: None,
            path: &[],
            can_lose: false,
            pending: None,
            matches: None,
        };
        self.timeline.lie_below(names);
        let mut wanted = Vec::new();
        ui.push_id("reference", |ui| {
            self.timeline.ui(ui, &picture, &mut wanted);
        });
        wanted.retain(|it| matches!(it, Action::Show(..)));
        actions.append(&mut wanted);
    }
}

/// Brings all of two captures into view.
fn show_both(own: Option<Interval>, other: Option<Interval>) -> Option<Action> {
    let both = own.into_iter().chain(other);
    let all = both.reduce(Interval::union)?;
    let shown = View::default().shown(Some(all));
    Some(Action::Show(Some(shown), ViewChange::Jump))
}

/// The look of a timeline that shows `interval`, and of which nothing is chosen or pointed at.
fn look(settings: &Settings, interval: Interval) -> AppState {
    let mut own = Settings {
        theme: settings.theme,
        switches: settings.switches.clone(),
        ..Settings::default()
    };
    own.switches.insert(Switch::ReduceMotion);
    let view = View {
        interval: Some(interval),
        ..View::default()
    };
    AppState {
        settings: own,
        view,
        ..AppState::default()
    }
}

fn heading(ui: &mut Ui, scene: &Scene<'_>, words: &str) {
    let margin = Margin {
        left: (3.0 * GRID) as i8,
        top: GRID as i8,
        ..Margin::ZERO
    };
    Frame::new().inner_margin(margin).show(ui, |ui| {
        let words = RichText::new(words.to_uppercase()).size(SMALL).strong();
        ui.label(words.color(scene.theme.weak));
    });
}

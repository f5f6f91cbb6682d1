//! The lesson that is taken, in five steps: predict, run, look, change, why.

mod other_device;

use std::cmp::Ordering;

use eframe::egui::{
    Align, Button, CentralPanel, CollapsingHeader, Direction, Frame, Label, Layout, Panel as Side,
    RichText, ScrollArea, Ui, Vec2,
};
use engine::lesson::{Lesson, LessonKind, Prediction, TextLanguage};
use engine::runner::Phase;

use super::guide::{GuideBlock, TextFace, TextLine, read_blocks};
use super::widgets::{card, section, sign_button};
use super::{Panel, PanelPosition, Scene};
use crate::action::{Action, Command, LessonAction};
use crate::state::{LessonStep, TakenLesson, course};
use crate::theme::{BODY, GRID, HEADING, SMALL, Theme};

/// The lesson that is taken.
#[derive(Default)]
pub struct LessonCard {
    /// The id of the lesson whose text was read last, in which language, and that text.
    read: ((String, TextLanguage), Vec<GuideBlock>),
}

impl Panel for LessonCard {
    fn id(&self) -> &'static str {
        "lesson"
    }

    fn title(&self) -> &'static str {
        "Lesson"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn is_idle(&self, scene: &Scene<'_>) -> bool {
        scene.state.lesson.is_none()
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let Some(taken) = &scene.state.lesson else {
            let words = scene.tr("Take a lesson in the list on the left: its task stands here");
            return super::hint(ui, scene.theme, words);
        };
        let Some(lesson) = taken.lesson() else { return };
        let key = (lesson.id.clone(), scene.language());
        if self.read.0 != key {
            let blocks = read_blocks(scene.said(&lesson.text));
            self.read = (key, blocks);
        }
        // What is to be done next is in sight, however long the text.
        let bottom = Side::bottom("lesson button").resizable(false);
        bottom.frame(Frame::new()).show(ui, |ui| {
            ui.add_space(GRID);
            big_button(ui, scene, (taken, lesson), actions);
            ui.add_space(2.0 * GRID);
        });
        let rest = CentralPanel::no_frame().frame(Frame::new());
        rest.show(ui, |ui| {
            let area = ScrollArea::vertical().auto_shrink(false);
            area.id_salt(&lesson.id).show(ui, |ui| {
                ui.set_max_width(ui.available_width() - 10.0);
                head(ui, scene, lesson, actions);
                self.steps(ui, scene, (taken, lesson), actions);
            });
        });
    }
}

impl LessonCard {
    /// The five steps, and what there is to read and to do in the one at hand.
    fn steps(
        &self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        (taken, lesson): (&TakenLesson, &Lesson),
        actions: &mut Vec<Action>,
    ) {
        let theme = scene.theme;
        steps(ui, scene, taken, lesson.kind);
        ui.add_space(GRID);
        // The first heading is the lesson's own title.
        let blocks = self.read.1.iter();
        let blocks = blocks.filter(|it| !matches!(it, GuideBlock::Heading(1, _)));
        if taken.step <= LessonStep::Run {
            blocks.for_each(|block| draw(ui, theme, block));
        } else {
            CollapsingHeader::new(scene.tr("What the lesson is about")).show(ui, |ui| {
                blocks.for_each(|block| draw(ui, theme, block));
            });
            ui.add_space(GRID);
        }
        match taken.step {
            LessonStep::Predict => predict(ui, scene, (taken, lesson), actions),
            LessonStep::Run => {}
            LessonStep::Look => look(ui, scene, taken, lesson),
            LessonStep::Change => change(ui, scene, (taken, lesson), actions),
            LessonStep::Why => why(ui, scene, (taken, lesson), actions),
        }
        ui.add_space(2.0 * GRID);
    }
}

/// Which lesson it is, and a way to put it away.
fn head(ui: &mut Ui, scene: &Scene<'_>, lesson: &Lesson, actions: &mut Vec<Action>) {
    let theme = scene.theme;
    let all = course().map_or(&[][..], |it| &it.lessons);
    let place = all.iter().position(|it| it.id == lesson.id).unwrap_or(0) + 1;
    ui.horizontal(|ui| {
        let words = scene.tr("LESSON {place} OF {all}");
        let words = words.replace("{place}", &place.to_string());
        let words = words.replace("{all}", &all.len().to_string());
        let words = RichText::new(words).size(SMALL).strong().color(theme.weak);
        ui.add(Label::new(words).selectable(false));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let leave = Button::new("×").frame(false);
            if sign_button(ui, leave, scene.tr("Close the lesson"), "").clicked() {
                actions.push(Action::Lesson(LessonAction::Leave));
            }
        });
    });
    ui.add(Label::new(RichText::new(scene.said(&lesson.title)).size(HEADING)).wrap());
    ui.add_space(GRID);
}

/// The five steps, the one at hand lit.
fn steps(ui: &mut Ui, scene: &Scene<'_>, taken: &TakenLesson, kind: LessonKind) {
    let theme = scene.theme;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0 * GRID;
        for (place, step) in LessonStep::ALL.into_iter().enumerate() {
            let colour = match step.cmp(&taken.step) {
                Ordering::Equal => theme.accent,
                Ordering::Less => theme.good,
                Ordering::Greater => theme.weak,
            };
            let words = format!("{} {}", place + 1, scene.tr(step.label(kind)));
            let words = RichText::new(words).size(SMALL).color(colour);
            let words = if step == taken.step {
                words.strong()
            } else {
                words
            };
            ui.add(Label::new(words).selectable(false));
        }
    });
}

/// A part of a lesson's text.
fn draw(ui: &mut Ui, theme: &Theme, block: &GuideBlock) {
    match block {
        GuideBlock::Heading(_, text) => section(ui, theme, &plain(text)),
        GuideBlock::Paragraph(text) => {
            line(ui, text);
            ui.add_space(2.0 * GRID);
        }
        GuideBlock::Item(text) => {
            ui.horizontal_top(|ui| {
                ui.label(RichText::new("•").color(theme.weak));
                line(ui, text);
            });
        }
        GuideBlock::Code(lines) => {
            card(ui, theme.well, |ui| {
                ui.label(RichText::new(lines).monospace().size(BODY - 1.0));
            });
            ui.add_space(2.0 * GRID);
        }
        GuideBlock::Table(rows) => {
            for row in rows {
                let cells: Vec<String> = row.iter().map(plain).collect();
                ui.add(Label::new(cells.join("  ")).wrap());
            }
        }
    }
}

fn plain(line: &TextLine) -> String {
    line.iter().map(|run| run.text.as_str()).collect()
}

fn line(ui: &mut Ui, text: &TextLine) {
    ui.scope(|ui| {
        ui.spacing_mut().interact_size.y = 0.0;
        ui.spacing_mut().item_spacing = Vec2::ZERO;
        ui.horizontal_wrapped(|ui| {
            for run in text {
                let words = RichText::new(&run.text);
                ui.label(match run.face {
                    TextFace::Plain => words,
                    TextFace::Emphasis => words.strong(),
                    TextFace::Code => words.monospace().size(BODY - 1.0),
                });
            }
        });
    });
}

fn predict(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (taken, lesson): (&TakenLesson, &Lesson),
    actions: &mut Vec<Action>,
) {
    let Some(prediction) = &lesson.prediction else {
        return;
    };
    section(ui, scene.theme, scene.tr("What do you expect?"));
    ui.add(Label::new(RichText::new(scene.said(&prediction.ask)).strong()).wrap());
    ui.add_space(GRID);
    let rows = Layout::top_down_justified(Align::LEFT);
    ui.with_layout(rows, |ui| {
        for option in &prediction.options {
            let is_chosen = taken.predicted.as_deref() == Some(option.id.as_str());
            let button = Button::new(scene.said(&option.says))
                .wrap()
                .selected(is_chosen);
            if ui.add(button).clicked() {
                let answer = LessonAction::Predict(option.id.clone());
                actions.push(Action::Lesson(answer));
            }
        }
    });
}

fn answer<'a>(scene: &Scene<'_>, prediction: &'a Prediction, id: &str) -> &'a str {
    let option = prediction.options.iter().find(|it| it.id == id);
    option.map_or("", |it| scene.said(&it.says))
}

/// What was predicted beside what was measured.
fn look(ui: &mut Ui, scene: &Scene<'_>, taken: &TakenLesson, lesson: &Lesson) {
    let theme = scene.theme;
    let Some(prediction) = &lesson.prediction else {
        return;
    };
    section(ui, theme, scene.tr("What you expected"));
    let predicted = taken.predicted.as_deref().unwrap_or_default();
    ui.add(Label::new(answer(scene, prediction, predicted)).wrap());
    section(ui, theme, scene.tr("What happens"));
    let is_right = taken.predicted.as_deref() == Some(prediction.answer.as_str());
    if is_right {
        ui.label(RichText::new(scene.tr("Correct.")).color(theme.good));
    } else {
        let words = answer(scene, prediction, &prediction.answer);
        ui.add(Label::new(RichText::new(words).color(theme.warning)).wrap());
    }
    match &taken.shown {
        Some(shown) if shown.passed != Some(false) && !shown.says.is_empty() => {
            ui.add(Label::new(&shown.says).wrap());
        }
        Some(shown) if shown.passed == Some(false) => {
            let words = scene.tr("This run did not show it: run it again, or on another device.");
            ui.add(Label::new(RichText::new(words).color(theme.weak)).wrap());
        }
        None if prediction.shown.is_some() => {
            ui.label(RichText::new(scene.tr("it is being measured…")).color(theme.weak));
        }
        _ => {}
    }
}

/// The task, what was said of the last attempt, and hints.
fn change(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (taken, lesson): (&TakenLesson, &Lesson),
    actions: &mut Vec<Action>,
) {
    let theme = scene.theme;
    section(ui, theme, scene.tr("Your task"));
    ui.add(Label::new(RichText::new(scene.said(&lesson.task)).strong()).wrap());
    let how = match lesson.kind {
        LessonKind::Edit => {
            scene.tr("Change the text in the tab Source. Shaded lines stay as they are.")
        }
        LessonKind::Click => scene.tr("Click the span in the timeline, and check it."),
    };
    ui.add(Label::new(RichText::new(how).color(theme.weak)).wrap());
    if let Some(verdict) = &taken.verdict {
        ui.add_space(GRID);
        let (title, colour) = match verdict.passed {
            Some(false) => (scene.tr("Not yet"), theme.bad),
            _ => (scene.tr("Not judged"), theme.warning),
        };
        card(ui, theme.well, |ui| {
            ui.set_width(ui.available_width());
            let line = scene.tr(", line {line}");
            let place = verdict
                .line
                .map(|it| line.replace("{line}", &it.to_string()));
            let place = place.unwrap_or_default();
            ui.label(
                RichText::new(format!("{title}{place}"))
                    .color(colour)
                    .strong(),
            );
            ui.add(Label::new(&verdict.says).wrap());
        });
    }
    for hint in lesson.hints.iter().take(taken.hints) {
        ui.add_space(GRID);
        ui.horizontal_top(|ui| {
            ui.label(RichText::new("•").color(theme.accent));
            ui.add(Label::new(scene.said(hint)).wrap());
        });
    }
    let left = lesson.hints.len().saturating_sub(taken.hints);
    if left > 0 {
        ui.add_space(GRID);
        let words = match left {
            1 => scene.tr("The last hint").to_owned(),
            left => {
                let words = scene.tr("A hint ({left} left)");
                words.replace("{left}", &left.to_string())
            }
        };
        if ui.button(words).clicked() {
            actions.push(Action::Lesson(LessonAction::Hint));
        }
    }
}

/// What was learned, once the check has passed.
fn why(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (taken, lesson): (&TakenLesson, &Lesson),
    actions: &mut Vec<Action>,
) {
    let theme = scene.theme;
    section(ui, theme, scene.tr("Passed"));
    ui.add(Label::new(RichText::new(scene.said(&lesson.learned)).color(theme.good)).wrap());
    for (title, text) in [
        (scene.tr("Look at"), &lesson.look_at),
        (scene.tr("To think about"), &lesson.question),
    ] {
        if !scene.said(text).is_empty() {
            section(ui, theme, title);
            ui.add(Label::new(scene.said(text)).wrap());
        }
    }
    if !lesson.words.is_empty() {
        section(ui, theme, scene.tr("In other systems' words"));
        for (system, calls) in &lesson.words {
            ui.horizontal_top(|ui| {
                ui.label(RichText::new(system).color(theme.weak));
                ui.add(Label::new(RichText::new(calls).monospace().size(BODY - 1.0)).wrap());
            });
        }
    }
    other_device::show(ui, scene, lesson, actions);
    let Some(solution) = lesson.solutions.first().filter(|it| !it.is_empty()) else {
        return;
    };
    ui.add_space(GRID);
    let shows = taken.shows_solution;
    let words = if shows {
        scene.tr("Hide the reference solution")
    } else {
        scene.tr("Show a reference solution and its run")
    };
    if ui.button(words).clicked() {
        actions.push(Action::Lesson(LessonAction::ShowSolution(!shows)));
    }
    if shows {
        card(ui, theme.well, |ui| {
            ui.set_width(ui.available_width());
            let words = RichText::new(solution.trim()).monospace().size(SMALL);
            ui.add(Label::new(words).wrap());
        });
    }
}

/// The one thing to do next.
fn big_button(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (taken, lesson): (&TakenLesson, &Lesson),
    actions: &mut Vec<Action>,
) {
    let theme = scene.theme;
    let is_running = scene.status.phase != Phase::Idle;
    let words = match taken.step {
        LessonStep::Run if is_running => scene.tr("It runs…"),
        LessonStep::Predict if taken.predicted.is_none() => scene.tr("Choose an answer above"),
        LessonStep::Predict | LessonStep::Run => scene.tr("Run it"),
        LessonStep::Look => scene.tr("To the task"),
        LessonStep::Change if taken.is_checking => scene.tr("It is checked…"),
        LessonStep::Change => match lesson.kind {
            LessonKind::Edit => scene.tr("Run and check"),
            LessonKind::Click => scene.tr("Check this span"),
        },
        LessonStep::Why => scene.tr("Next lesson"),
    };
    let is_on = taken.can_go_on() && !(taken.step == LessonStep::Run && is_running);
    let (fill, ink) = if is_on {
        (theme.accent, theme.ink(theme.accent))
    } else {
        (theme.hovered, theme.weak)
    };
    let words = RichText::new(words).strong().color(ink);
    let size = Vec2::new(ui.available_width(), 8.0 * GRID);
    let button = Button::new(words).fill(fill).min_size(size);
    let middle = Layout::centered_and_justified(Direction::TopDown);
    let pressed = ui.allocate_ui_with_layout(size, middle, |ui| ui.add_enabled(is_on, button));
    let pressed = pressed.inner;
    let key = Command::LessonStep.key();
    if pressed
        .on_hover_text(
            scene
                .tr("{key}, also while you type")
                .replace("{key}", &key),
        )
        .clicked()
    {
        actions.push(Command::LessonStep.into());
    }
}

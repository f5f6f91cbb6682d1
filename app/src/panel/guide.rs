//! The window of guides: how Syncline is used, and what other systems call things.

mod blocks;

pub use blocks::{GuideBlock, TextFace, TextLine, read as read_blocks};

use eframe::egui::{Align, Label, Layout, RichText, ScrollArea, Sense, Separator, Ui, Vec2, vec2};
use engine::workload::{Guide, GuideTopic, bundled, guides};

use self::blocks::TextRun;
use super::widgets::{card, link, section, toggle};
use super::{Panel, PanelPosition, Scene};
use crate::action::{Action, LessonAction};
use crate::state::{OverlayWindow, course};
use crate::theme::{BODY, GRID};

/// How wide the list of guides is.
const LIST: f32 = 160.0;

/// The window of guides.
#[derive(Default)]
pub struct GuidesWindow {
    /// The guide that was read last, by its place.
    read: Option<usize>,
    blocks: Vec<GuideBlock>,
}

/// How wide the columns of a table are, as parts of the whole.
fn columns(count: usize) -> &'static [f32] {
    match count {
        2 => &[0.3, 0.7],
        3 => &[0.28, 0.3, 0.42],
        _ => &[0.36, 0.34, 0.1, 0.2],
    }
}

impl Panel for GuidesWindow {
    fn id(&self) -> &'static str {
        "guides"
    }

    fn title(&self) -> &'static str {
        "Guides"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Window(OverlayWindow::Guides)
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let shown = guides().iter().position(|it| it.name == scene.state.guide);
        let shown = shown.unwrap_or(0);
        let mut chosen = shown;
        ui.horizontal_top(|ui| {
            ui.vertical(|ui| {
                ui.set_width(LIST);
                list(ui, scene, &mut chosen);
            });
            ui.add_space(GRID);
            let Some(guide) = guides().get(shown) else {
                return;
            };
            if self.read.replace(shown) != Some(shown) {
                self.blocks = blocks::read(guide.source);
            }
            ui.vertical(|ui| {
                if let Some(followed) = self.text(ui, scene, guide, actions) {
                    chosen = followed;
                }
            });
        });
        if let Some(guide) = guides().get(chosen).filter(|_| chosen != shown) {
            actions.push(Action::OpenGuide(guide.name));
        }
    }
}

impl GuidesWindow {
    /// Draws a guide; answers which one a link in it leads to, where one was followed.
    fn text(
        &self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        guide: &Guide,
        actions: &mut Vec<Action>,
    ) -> Option<usize> {
        let mut followed = None;
        let area = ScrollArea::vertical().auto_shrink(false);
        area.id_salt(guide.name).show(ui, |ui| {
            let mut draw = |ui: &mut Ui, line: &TextLine| {
                followed = followed.or(wrapped(ui, scene, line, actions));
            };
            for block in &self.blocks {
                match block {
                    GuideBlock::Heading(1, line) => {
                        ui.heading(words(line));
                        ui.add_space(GRID);
                    }
                    GuideBlock::Heading(_, line) => section(ui, scene.theme, &words(line)),
                    GuideBlock::Paragraph(line) => {
                        draw(ui, line);
                        ui.add_space(2.0 * GRID);
                    }
                    GuideBlock::Item(line) => {
                        ui.horizontal_top(|ui| {
                            ui.label(RichText::new("•").color(scene.theme.weak));
                            draw(ui, line);
                        });
                    }
                    GuideBlock::Code(lines) => {
                        card(ui, scene.theme.well, |ui| {
                            ui.label(RichText::new(lines).monospace().size(BODY - 1.0));
                        });
                        ui.add_space(2.0 * GRID);
                    }
                    GuideBlock::Table(rows) => table(ui, scene, rows, &mut draw),
                }
            }
        });
        followed
    }
}

/// The guides to choose from.
fn list(ui: &mut Ui, scene: &Scene<'_>, chosen: &mut usize) {
    ScrollArea::vertical().id_salt("list").show(ui, |ui| {
        for (topic, title) in [
            (GuideTopic::Use, "Using Syncline"),
            (GuideTopic::System, "Coming from"),
        ] {
            section(ui, scene.theme, title);
            let of_topic = guides().iter().enumerate();
            for (at, guide) in of_topic.filter(|(_, it)| it.topic == topic) {
                if toggle(ui, scene.theme, at == *chosen, guide.title).clicked() {
                    *chosen = at;
                }
            }
        }
    });
}

fn table(
    ui: &mut Ui,
    scene: &Scene<'_>,
    rows: &[Vec<TextLine>],
    draw: &mut impl FnMut(&mut Ui, &TextLine),
) {
    let width = ui.available_width() - 4.0 * GRID;
    for (at, row) in rows.iter().enumerate() {
        ui.horizontal_top(|ui| {
            for (cell, part) in row.iter().zip(columns(row.len())) {
                let layout = Layout::top_down(Align::LEFT);
                ui.allocate_ui_with_layout(vec2(width * part, 0.0), layout, |ui| {
                    ui.set_width(width * part - 3.0 * GRID);
                    if at == 0 {
                        ui.label(RichText::new(words(cell)).color(scene.theme.weak));
                    } else {
                        draw(ui, cell);
                    }
                });
            }
        });
        ui.add(Separator::default().spacing(GRID));
    }
}

/// A line that breaks where the room ends. Names of bundled workloads in it run them; a link to another guide that was
/// followed is the answer.
fn wrapped(
    ui: &mut Ui,
    scene: &Scene<'_>,
    line: &TextLine,
    actions: &mut Vec<Action>,
) -> Option<usize> {
    // A row is as high as this when it begins, so what follows is said before the row.
    ui.scope(|ui| {
        ui.spacing_mut().interact_size.y = 0.0;
        ui.spacing_mut().item_spacing = Vec2::ZERO;
        wrapped_runs(ui, scene, line, actions)
    })
    .inner
}

fn wrapped_runs(
    ui: &mut Ui,
    scene: &Scene<'_>,
    line: &TextLine,
    actions: &mut Vec<Action>,
) -> Option<usize> {
    let mut followed = None;
    ui.horizontal_wrapped(|ui| {
        for run in line {
            if run.link.contains("://") {
                ui.hyperlink_to(&run.text, &run.link);
            } else if let Some(at) = guide_of(&run.link) {
                if link(ui, &run.text, scene.theme.accent).clicked() {
                    followed = Some(at);
                }
            } else {
                piece(ui, scene, run, actions);
            }
        }
    });
    followed
}

/// The guide whose file a link names.
fn guide_of(link: &str) -> Option<usize> {
    let name = link.strip_suffix(".md")?;
    guides().iter().position(|guide| guide.name == name)
}

fn piece(ui: &mut Ui, scene: &Scene<'_>, run: &TextRun, actions: &mut Vec<Action>) {
    let theme = scene.theme;
    let text = RichText::new(&run.text);
    match run.face {
        TextFace::Plain => ui.label(text),
        TextFace::Emphasis => ui.label(text.strong()),
        TextFace::Code => {
            let text = text.monospace().size(BODY - 1.0);
            let Some((hint, opened)) = named(&run.text) else {
                ui.label(text);
                return;
            };
            let label = Label::new(text.color(theme.accent)).sense(Sense::click());
            let response = ui
                .add(label.selectable(false))
                .on_hover_cursor(eframe::egui::CursorIcon::PointingHand)
                .on_hover_text(hint);
            if response.clicked() {
                actions.push(opened);
            }
            response
        }
    };
}

/// What a name in a guide opens, and what is said of that: a bundled workload, or a lesson. The bundled workloads are the first of
/// all.
fn named(name: &str) -> Option<(&'static str, Action)> {
    let mut workloads = bundled().iter();
    if let Some(at) = workloads.position(|workload| workload.name == name) {
        return Some(("Run this workload", Action::Run(at)));
    }
    let lesson = course()?.lesson(name).ok()?;
    let take = Action::Lesson(LessonAction::Take(lesson.id.clone()));
    Some(("Take this lesson", take))
}

fn words(line: &TextLine) -> String {
    line.iter().map(|run| run.text.as_str()).collect()
}

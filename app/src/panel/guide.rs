//! The window for people who know another system: what it calls things, and what they are called here.

mod blocks;

use eframe::egui::{Align, Label, Layout, RichText, ScrollArea, Sense, Separator, Ui, vec2};
use engine::workload::{Guide, bundled, guides};

use self::blocks::{Block, Face, Line, Run};
use super::widgets::{section, toggle};
use super::{Panel, Place, Scene};
use crate::action::Action;
use crate::state::Window;
use crate::theme::{BODY, GRID};

/// The window for people who know another system.
#[derive(Default)]
pub struct Coming {
    chosen: usize,
    /// The chosen guide, read.
    blocks: Vec<Block>,
}

/// How wide the columns of a table are, as parts of the whole.
fn columns(count: usize) -> &'static [f32] {
    match count {
        2 => &[0.3, 0.7],
        _ => &[0.28, 0.3, 0.42],
    }
}

impl Panel for Coming {
    fn id(&self) -> &'static str {
        "guides"
    }

    fn title(&self) -> &'static str {
        "Coming from another system"
    }

    fn place(&self) -> Place {
        Place::Window(Window::Guides)
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        ui.horizontal(|ui| {
            for (at, guide) in guides().iter().enumerate() {
                if toggle(ui, scene.theme, at == self.chosen, guide.title).clicked() {
                    self.chosen = at;
                    self.blocks.clear();
                }
            }
        });
        ui.add_space(GRID);
        let Some(guide) = guides().get(self.chosen) else {
            return;
        };
        if self.blocks.is_empty() {
            self.blocks = blocks::read(guide.source);
        }
        self.text(ui, scene, guide, actions);
    }
}

impl Coming {
    fn text(&self, ui: &mut Ui, scene: &Scene<'_>, guide: &Guide, actions: &mut Vec<Action>) {
        let area = ScrollArea::vertical().auto_shrink(false);
        area.id_salt(guide.name).show(ui, |ui| {
            for block in &self.blocks {
                match block {
                    // The title is written on the tab above.
                    Block::Heading(1, _) => {}
                    Block::Heading(_, line) => section(ui, scene.theme, &words(line)),
                    Block::Paragraph(line) => {
                        wrapped(ui, scene, line, actions);
                        ui.add_space(2.0 * GRID);
                    }
                    Block::Item(line) => {
                        ui.horizontal_top(|ui| {
                            ui.label(RichText::new("•").color(scene.theme.weak));
                            wrapped(ui, scene, line, actions);
                        });
                    }
                    Block::Table(rows) => table(ui, scene, rows, actions),
                }
            }
        });
    }
}

fn table(ui: &mut Ui, scene: &Scene<'_>, rows: &[Vec<Line>], actions: &mut Vec<Action>) {
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
                        wrapped(ui, scene, cell, actions);
                    }
                });
            }
        });
        ui.add(Separator::default().spacing(GRID));
    }
}

/// A line that breaks where the room ends; names of bundled workloads in it can be followed.
fn wrapped(ui: &mut Ui, scene: &Scene<'_>, line: &Line, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.spacing_mut().interact_size.y = 4.0 * GRID;
        for run in line {
            piece(ui, scene, run, actions);
        }
    });
}

fn piece(ui: &mut Ui, scene: &Scene<'_>, run: &Run, actions: &mut Vec<Action>) {
    let theme = scene.theme;
    let text = RichText::new(&run.text);
    match run.face {
        Face::Plain => ui.label(text),
        Face::Emphasis => ui.label(text.strong()),
        Face::Code => {
            let text = text.monospace().size(BODY - 1.0);
            match workload(&run.text) {
                None => ui.label(text),
                Some(at) => {
                    let label = Label::new(text.color(theme.accent)).sense(Sense::click());
                    let response = ui
                        .add(label.selectable(false))
                        .on_hover_cursor(eframe::egui::CursorIcon::PointingHand)
                        .on_hover_text("Run this workload");
                    if response.clicked() {
                        actions.push(Action::Run(at));
                    }
                    response
                }
            }
        }
    };
}

/// The position of the bundled workload called `name`; the bundled ones are the first of all.
fn workload(name: &str) -> Option<usize> {
    bundled().iter().position(|workload| workload.name == name)
}

fn words(line: &Line) -> String {
    line.iter().map(|run| run.text.as_str()).collect()
}

//! The menu of tables: what each is, and its columns with what they mean.

use eframe::egui::collapsing_header::CollapsingState;
use eframe::egui::{Button, RichText, ScrollArea, Ui};
use engine::query::{SqlColumn, SqlTable, TABLES};

use super::menus::{WIDTH, list_height, menu_with_fields};
use crate::action::Action;
use crate::panel::Scene;
use crate::theme::{GRID, SMALL};

/// Shows it; answers with the name that was clicked.
pub fn tables(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) -> Option<&'static str> {
    let mut chosen = None;
    let button = menu_with_fields(ui, "Tables", |ui| {
        ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 8.0 * GRID));
        if ui.link("All about tables: the guide SQL").clicked() {
            actions.push(Action::OpenGuide("sql"));
            ui.close();
        }
        ui.add_space(GRID);
        let area = ScrollArea::vertical().max_height(list_height(ui));
        area.auto_shrink([false, true]).show(ui, |ui| {
            for table in TABLES {
                chosen = entry(ui, scene, table).or(chosen);
            }
        });
    });
    button.on_hover_text("The tables and their columns; a click writes a name at the cursor");
    chosen
}

/// Shows a table, and its columns where it is unfolded.
fn entry(ui: &mut Ui, scene: &Scene<'_>, table: &'static SqlTable) -> Option<&'static str> {
    let mut chosen = None;
    let id = ui.scope_id().with(("table", table.name));
    let fold = CollapsingState::load_with_default_open(ui.ctx(), id, false);
    let head = fold.show_header(ui, |ui| {
        let name = RichText::new(table.name)
            .monospace()
            .color(scene.theme.good);
        if ui.add(Button::new(name).frame(false)).clicked() {
            chosen = Some(table.name);
        }
    });
    head.body(|ui| {
        for column in table.columns {
            if row(ui, scene, column) {
                chosen = Some(column.name);
            }
        }
    });
    let about = RichText::new(bare(table.about)).size(SMALL);
    ui.label(about.color(scene.theme.weak));
    ui.add_space(GRID);
    chosen
}

/// Shows a column; says whether it was clicked.
fn row(ui: &mut Ui, scene: &Scene<'_>, column: &SqlColumn) -> bool {
    ui.horizontal_wrapped(|ui| {
        let name = RichText::new(column.name).monospace();
        let name = ui.add(Button::new(name).frame(false));
        let about = RichText::new(bare(column.about)).size(SMALL);
        ui.label(about.color(scene.theme.weak));
        name.on_hover_text(column.holds.label()).clicked()
    })
    .inner
}

/// A sentence without the signs that set code apart in the guide.
fn bare(about: &str) -> String {
    about.replace('`', "")
}

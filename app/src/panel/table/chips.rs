//! The bar above a table: a chip for each state, a field to filter by, and a note.

use std::collections::BTreeSet;

use eframe::egui::{
    Align, Color32, CornerRadius, FontId, Id, Label, Layout, RichText, Role as WidgetRole, Sense,
    TextEdit, Ui, Vec2, WidgetInfo, pos2,
};

use crate::panel::Scene;
use crate::panel::widgets::Sign;
use crate::text;
use crate::theme::{BODY, GRID};

/// A button that shows or hides the rows of one state.
pub(super) struct FilterChip<T> {
    /// The state.
    pub value: T,
    /// Its word.
    pub words: &'static str,
    /// Its sign where it has one, and the colour of that.
    pub sign: Option<(Sign, Color32)>,
    /// How many rows are in it.
    pub count: usize,
    /// Whether they are shown.
    pub is_on: bool,
}

/// Shows the chips, the field and the note; says which chip was clicked.
pub(super) fn bar<T: Copy>(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (what, note): (&str, &str),
    chips: &[FilterChip<T>],
    filter: &mut String,
) -> Option<T> {
    let mut clicked = None;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = GRID;
        for chip in chips {
            if show(ui, scene, chip) {
                clicked = Some(chip.value);
            }
        }
        ui.add_space(2.0 * GRID);
        let id = Id::unique(("filter", what));
        let field = TextEdit::singleline(filter)
            .id(id)
            .hint_text("Filter")
            .desired_width(140.0);
        ui.add(field);
        let label = format!("Filter {what}");
        ui.ctx()
            .accesskit_node_builder(id, |node| node.set_label(label));
        if !note.is_empty() {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let words = RichText::new(note).color(scene.theme.weak);
                ui.add(Label::new(words).truncate()).on_hover_text(note);
            });
        }
    });
    ui.add_space(GRID);
    clicked
}

fn show<T>(ui: &mut Ui, scene: &Scene<'_>, chip: &FilterChip<T>) -> bool {
    let theme = scene.theme;
    let words = format!("{} {}", chip.words, text::count(chip.count as u64));
    let ink = if chip.is_on { theme.text } else { theme.weak };
    let font = FontId::proportional(BODY);
    let galley = ui.painter().layout_no_wrap(words.clone(), font, ink);
    let before = if chip.sign.is_some() { 6.0 } else { 2.0 } * GRID;
    let size = Vec2::new(before + galley.size().x + 2.0 * GRID, 6.0 * GRID);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::selected(WidgetRole::Button, true, chip.is_on, &words));
    let fill = match (chip.is_on, response.hovered()) {
        (true, _) => theme.chosen,
        (false, true) => theme.hovered,
        (false, false) => theme.panel,
    };
    let painter = ui.painter();
    painter.rect_filled(rect, CornerRadius::same(4), fill);
    if let Some((sign, colour)) = chip.sign {
        let colour = if chip.is_on { colour } else { theme.weak };
        let middle = pos2(rect.left() + 3.0 * GRID, rect.center().y);
        sign.paint(painter, middle, colour);
    }
    let at = pos2(
        rect.left() + before,
        rect.center().y - galley.size().y / 2.0,
    );
    painter.galley(at, galley, ink);
    let way = if chip.is_on { "Hide" } else { "Show" };
    let clicked = response.clicked();
    response.on_hover_text(format!("{way} what is {}", chip.words));
    clicked
}

/// Hides the rows of the state whose chip was clicked, or shows them again.
pub(super) fn flip<T: Ord>(hidden: &mut BTreeSet<T>, clicked: Option<T>) {
    if let Some(state) = clicked
        && !hidden.remove(&state)
    {
        hidden.insert(state);
    }
}

/// Whether a row whose words are `words` has every word of `wanted`; both are in lower case.
pub(super) fn kept(words: &str, wanted: &str) -> bool {
    wanted.split_whitespace().all(|word| words.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_kept_that_has_every_word() {
        assert!(kept("saxpy worker 2 ready", "ready sax"));
        assert!(!kept("saxpy worker 2 ready", "ready lost"));
        assert!(kept("anything", "  "));
    }
}

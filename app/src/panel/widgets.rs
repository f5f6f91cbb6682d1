//! Pieces that panels share: headings, rows of a name and a value, links, cards and hints.

mod sign;

pub use sign::Sign;

use eframe::egui::{
    Align, Color32, CornerRadius, Frame, Label, Layout, Margin, Response, RichText, Sense, Ui, Vec2,
};

use engine::analysis::Piece;
use engine::record::SpanId;

use crate::text;
use crate::theme::{GRID, SMALL, Theme};

/// Letters of a name in a sentence, at most: those of kernels may be pages long.
const NAME: usize = 80;

/// A quiet heading above a part of a panel.
pub fn section(ui: &mut Ui, theme: &Theme, title: &str) {
    ui.add_space(2.0 * GRID);
    let text = RichText::new(title.to_uppercase())
        .size(SMALL)
        .color(theme.weak)
        .strong();
    ui.add(Label::new(text).selectable(false));
    ui.add_space(GRID);
}

/// What would fill a panel that has nothing to show.
pub fn hint(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.add_space(GRID);
    ui.label(RichText::new(text).color(theme.weak));
}

/// A name on the left and its value on the right, the value's digits under one another.
pub fn field(ui: &mut Ui, theme: &Theme, name: &str, value: &str) -> Response {
    compact(ui);
    ui.horizontal(|ui| {
        ui.add(Label::new(RichText::new(name).color(theme.weak)).selectable(false));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add(Label::new(RichText::new(value).monospace()).truncate())
        })
        .inner
    })
    .inner
}

/// A sentence, of which the spans can be followed: the one that was clicked.
pub fn pieces(ui: &mut Ui, theme: &Theme, said: &[Piece]) -> Option<SpanId> {
    // A row is as high as this when it begins, so what follows is said in a scope of its own and before the row.
    ui.scope(|ui| {
        ui.spacing_mut().interact_size.y = 0.0;
        ui.spacing_mut().item_spacing = Vec2::ZERO;
        pieces_ui(ui, theme, said)
    })
    .inner
}

fn pieces_ui(ui: &mut Ui, theme: &Theme, said: &[Piece]) -> Option<SpanId> {
    let mut clicked = None;
    ui.horizontal_wrapped(|ui| {
        let ends_in_link = matches!(said.last(), Some(Piece::Span(..)));
        for (place, piece) in said.iter().enumerate() {
            let mut words = text::piece(piece);
            // The end of the sentence goes with its last word: alone it might begin a line.
            if place + 1 == said.len() && !ends_in_link {
                words.push('.');
            }
            match piece {
                Piece::Text(_) => {
                    ui.label(words);
                }
                Piece::Time(_) | Piece::Share(_) => {
                    ui.label(RichText::new(words).strong());
                }
                Piece::Span(span, _) => {
                    let words = RichText::new(text::shorten(&words, NAME)).color(theme.accent);
                    if ui.link(words).clicked() {
                        clicked = Some(*span);
                    }
                }
            }
        }
        if ends_in_link {
            ui.label(".");
        }
    });
    clicked
}

/// Rows from here on are as high as their text.
pub fn compact(ui: &mut Ui) {
    ui.spacing_mut().interact_size.y = 4.0 * GRID;
}

/// A text that can be followed.
pub fn link(ui: &mut Ui, text: &str, colour: Color32) -> Response {
    let label = Label::new(RichText::new(text).color(colour)).truncate();
    let response = ui.add(label.sense(Sense::click()).selectable(false));
    response.on_hover_cursor(eframe::egui::CursorIcon::PointingHand)
}

/// Contents on a ground of their own.
pub fn card<R>(ui: &mut Ui, fill: Color32, contents: impl FnOnce(&mut Ui) -> R) -> R {
    Frame::new()
        .fill(fill)
        .corner_radius(CornerRadius::same(6))
        .inner_margin(Margin::symmetric(10, 8))
        .show(ui, contents)
        .inner
}

/// A button that stays lit while what it stands for is on.
pub fn toggle(ui: &mut Ui, theme: &Theme, on: bool, text: &str) -> Response {
    let colour = if on { theme.text } else { theme.weak };
    ui.selectable_label(on, RichText::new(text).color(colour))
}

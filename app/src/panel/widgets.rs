//! Pieces that panels share: headings, rows of a name and a value, links, cards and hints.

mod sign;
mod sign_button;

pub use sign::Sign;
pub use sign_button::sign_button;

use eframe::egui::{
    Align, Color32, CornerRadius, Frame, Label, Layout, Margin, Response, RichText,
    Role as WidgetRole, Sense, TextStyle, Ui, Vec2, WidgetInfo,
};

use engine::analysis::SentencePiece;
use engine::record::SpanId;

use super::Scene;
use crate::action::Command;
use crate::text;
use crate::theme::{GRID, SMALL, Theme};

/// Height of a window below which what is long has one line, in points.
const LOW: f32 = 600.0;

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

/// What is said where there is no span: what would be here, and how to have something run or kept; of an opened file that there
/// is nothing to come.
pub fn without_spans(scene: &Scene<'_>, what: &str) -> String {
    if scene.reading().is_some() {
        return format!("{what} here when the file has been read");
    }
    if scene.status.program.is_some() {
        return format!("{what} here when something of the program is kept");
    }
    if scene.is_of_chosen() {
        let key = Command::Rerun.key();
        format!("{what} here when something has run: {key} runs the chosen workload")
    } else {
        "The file that was opened has no spans; the tab Receipt says what was read".to_owned()
    }
}

/// Says first that the host was slowed down, where it was: what follows is of that.
pub fn slowed(ui: &mut Ui, scene: &Scene<'_>) {
    if let Some(words) = scene.status.slowed() {
        let words = RichText::new(format!("! {words}")).color(scene.theme.warning);
        ui.add(Label::new(words).wrap());
    }
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
pub fn pieces(ui: &mut Ui, theme: &Theme, said: &[SentencePiece]) -> Option<SpanId> {
    // A row is as high as this when it begins, so what follows is said in a scope of its own and before the row.
    ui.scope(|ui| {
        ui.spacing_mut().interact_size.y = 0.0;
        ui.spacing_mut().item_spacing = Vec2::ZERO;
        pieces_ui(ui, theme, said)
    })
    .inner
}

fn pieces_ui(ui: &mut Ui, theme: &Theme, said: &[SentencePiece]) -> Option<SpanId> {
    let mut clicked = None;
    ui.horizontal_wrapped(|ui| {
        let ends_in_link = matches!(said.last(), Some(SentencePiece::Span(..)));
        for (place, piece) in said.iter().enumerate() {
            let mut words = text::piece(piece);
            // The end of the sentence goes with its last word: alone it might begin a line.
            if place + 1 == said.len() && !ends_in_link {
                words.push('.');
            }
            let before = place.checked_sub(1).and_then(|it| said.get(it));
            match piece {
                SentencePiece::Text(text) => {
                    let has_begun = before.is_some_and(is_number);
                    let words = words.get(if has_begun { mark(text).len() } else { 0 }..);
                    let words = without_indent(ui, words.unwrap_or_default());
                    // An empty text at the end of a row would put what follows at the beginning of that row.
                    if !words.is_empty() {
                        ui.label(words);
                    }
                }
                SentencePiece::Time(_) | SentencePiece::Share(_) => {
                    // A line may break at a thin space, and a unit alone might begin one.
                    words = words.replace(text::THIN, "\u{a0}");
                    // A comma alone might begin a line.
                    if let Some(SentencePiece::Text(next)) = said.get(place + 1) {
                        words.push_str(mark(next));
                    }
                    ui.label(RichText::new(words).strong());
                }
                SentencePiece::Span(span, name) => {
                    // A name without spaces that is wider than the row has no place to break at.
                    let words = shortened(ui, &words, ui.available_width()).unwrap_or(words);
                    let is_whole = words == *name;
                    let mut link = ui.link(RichText::new(words).color(theme.accent));
                    if !is_whole {
                        link = link.on_hover_text(name);
                    }
                    if link.clicked() {
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

const fn is_number(piece: &SentencePiece) -> bool {
    matches!(piece, SentencePiece::Time(_) | SentencePiece::Share(_))
}

/// The marks of punctuation that a text begins with.
fn mark(text: &str) -> &str {
    let rest = text.trim_start_matches([',', ';', ':', '.', ')']);
    text.get(..text.len() - rest.len()).unwrap_or_default()
}

/// Words that go on in a row; where not even the first has room there, without the space before it: that would begin the
/// next row.
fn without_indent<'a>(ui: &Ui, words: &'a str) -> &'a str {
    let rest = words.trim_start();
    let first = rest.split(' ').next().unwrap_or_default();
    // Where the word has room and the space before it has none, the row breaks at the space; without a word there is nothing
    // to break before.
    let needed = if first.is_empty() { words } else { first };
    if has_room(ui, needed) { words } else { rest }
}

/// How wide a text is in a row of its own, in points.
pub fn width(ui: &Ui, words: &str) -> f32 {
    let font = TextStyle::Body.resolve(ui.style());
    let colour = ui.visuals().text_color();
    ui.fonts_mut(|fonts| {
        fonts
            .layout_no_wrap(words.to_owned(), font, colour)
            .size()
            .x
    })
}

/// Whether there is room for a text in what is left of a row.
pub fn has_room(ui: &Ui, words: &str) -> bool {
    width(ui, words) <= ui.available_size_before_wrap().x
}

/// The first of several ways to say something for which there is room in a row, or else the last, cut.
pub fn fitting(ui: &mut Ui, theme: &Theme, ways: &[String]) {
    let fits = ways.iter().find(|it| has_room(ui, it));
    if let Some(words) = fits.or(ways.last()) {
        ui.add(Label::new(RichText::new(words).color(theme.weak)).truncate());
    }
}

/// A text without so much of its middle that it has room in `points`: names differ at their ends more often than in between.
pub fn shortened(ui: &Ui, words: &str, points: f32) -> Option<String> {
    if width(ui, words) <= points {
        return None;
    }
    let (mut fits, mut over) = (1, words.chars().count());
    while fits + 1 < over {
        let middle = usize::midpoint(fits, over);
        if width(ui, &text::shorten(words, middle)) <= points {
            fits = middle;
        } else {
            over = middle;
        }
    }
    Some(text::shorten(words, fits))
}

/// Whether the window is so low that what is long gets one line of it.
pub fn is_low(ui: &Ui) -> bool {
    ui.ctx().content_rect().height() < LOW
}

/// A text over as many lines as it needs, or over one in a low window, and then whole for the pointer.
pub fn brief(ui: &mut Ui, text: RichText) {
    let label = Label::new(text).selectable(false);
    ui.add(if is_low(ui) {
        label.truncate()
    } else {
        label.wrap()
    });
}

/// Rows from here on are as high as their text.
pub fn compact(ui: &mut Ui) {
    ui.spacing_mut().interact_size.y = 4.0 * GRID;
}

/// A text that can be followed; without its middle where there is no room for it, and then whole for the pointer.
pub fn link(ui: &mut Ui, text: &str, colour: Color32) -> Response {
    let short = shortened(ui, text, ui.available_width());
    let shown = short.as_deref().unwrap_or(text);
    let label = Label::new(RichText::new(shown).color(colour)).truncate();
    let response = ui.add(label.sense(Sense::click()).selectable(false));
    let response = response.on_hover_cursor(eframe::egui::CursorIcon::PointingHand);
    if short.is_some() {
        // A screen reader has the room.
        response.widget_info(|| WidgetInfo::labeled(WidgetRole::Link, ui.is_enabled(), text));
        response.on_hover_text(text)
    } else {
        response
    }
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

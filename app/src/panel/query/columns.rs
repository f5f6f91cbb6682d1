//! How wide the columns of an answer are: as their texts need it, as the room allows, or as somebody has dragged them.

use eframe::egui::{FontId, Id, Ui};
use egui_table::{Column, HeaderRow, Table, TableState};

use super::answer::AnsweredQuestion;
use super::cells::shown;
use crate::theme::{GRID, MONO};

/// The fewest letters of a column.
const FEWEST: usize = 5;
/// A column gets so many letters in any case, and more only where the others leave room.
const AT_ONCE: usize = 24;
/// The most letters that a column grows to by itself.
const MOST: usize = 240;
/// No column is made narrower, in points.
const NARROWEST: f32 = 36.0;
/// What the bar takes that scrolls the rows, in points.
const BAR: f32 = 12.0;
/// Height of the titles, in points.
pub const TITLES: f32 = 22.0;
/// A width that differs by no more than this, in points, was not dragged.
const SAME: f32 = 0.5;

/// How wide the columns of an answer are.
#[derive(Default)]
pub struct ColumnWidths {
    /// The names of the columns.
    names: Vec<String>,
    /// Letters that each would need for its texts to be whole.
    letters: Vec<usize>,
    /// The widths that were given to them, in points; nothing for one that was dragged since.
    given: Vec<Option<f32>>,
    /// Whether they are to be given anew.
    is_new: bool,
}

/// The id of a column, by its place.
fn id(place: usize) -> Id {
    Id::unique(("column of the answer", place))
}

impl ColumnWidths {
    /// Turns to an answer; columns of the same names keep the widths that they were dragged to.
    pub fn turn_to(&mut self, answer: &AnsweredQuestion) {
        let letters = answer.columns.iter().enumerate().map(|(at, name)| {
            let cells = answer.rows.iter().filter_map(|row| row.get(at));
            let letters = cells.map(|it| shown(it.as_ref()).chars().count()).max();
            // The sign of the order stands behind the name.
            let most = letters.unwrap_or(0).max(name.chars().count() + 2);
            most.clamp(FEWEST, MOST)
        });
        self.letters = letters.collect();
        self.is_new = true;
        if self.names != answer.columns {
            self.names.clone_from(&answer.columns);
            self.given.clear();
        }
    }

    /// The table with its columns; they are given their widths where the answer or the room is another one.
    pub fn fit(&mut self, ui: &Ui, answer: &AnsweredQuestion) -> Table {
        let table = Table::new().id_salt(("answer", &self.names));
        let key = table.get_id(ui);
        let whole = ui.available_width();
        let mut state = TableState::load(ui.ctx(), key).unwrap_or_default();
        if self.is_new || state.parent_width != Some(whole) {
            let letter = ui.fonts_mut(|fonts| fonts.glyph_width(&FontId::monospace(MONO), '0'));
            let widths = self.widths(letter, whole - BAR);
            let widths = widths.into_iter().enumerate();
            self.given = widths
                .map(|(at, width)| {
                    let now = state.col_widths.get(&id(at)).copied();
                    if self.is_dragged(at, now) {
                        return None;
                    }
                    state.col_widths.insert(id(at), width);
                    Some(width)
                })
                .collect();
            self.is_new = false;
            state.parent_width = Some(whole);
            state.store(ui.ctx(), key);
        }
        let column = |at| {
            Column::new(NARROWEST)
                .range(NARROWEST..=f32::INFINITY)
                .id(id(at))
        };
        table
            .columns((0..answer.columns.len()).map(column).collect::<Vec<_>>())
            .headers([HeaderRow::new(TITLES)])
    }

    /// Whether somebody has given a column the width that it has now.
    fn is_dragged(&self, at: usize, now: Option<f32>) -> bool {
        match (self.given.get(at), now) {
            (Some(Some(given)), Some(now)) => (given - now).abs() > SAME,
            (Some(None), Some(_)) => true,
            _ => false,
        }
    }

    /// The width of each column: enough for its texts where they are short, and of the room that is left as much as the long ones
    /// still need.
    fn widths(&self, letter: f32, room: f32) -> Vec<f32> {
        let points = |letters: usize| (letters as f32 + 0.5) * letter + 4.0 * GRID;
        let least = |letters: &usize| points((*letters).min(AT_ONCE));
        let used: f32 = self.letters.iter().map(least).sum();
        let wanted: f32 = self.letters.iter().map(|it| points(*it)).sum();
        let left = (room - used).clamp(0.0, wanted - used);
        let share = if wanted > used {
            left / (wanted - used)
        } else {
            0.0
        };
        let width = |it: &usize| least(it) + share * (points(*it) - least(it));
        self.letters.iter().map(|it| width(it).floor()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_get_what_the_others_leave() {
        let of = |letters: &[usize]| ColumnWidths {
            letters: letters.to_vec(),
            ..ColumnWidths::default()
        };
        let narrow = of(&[6, 100]).widths(8.0, 300.0);
        assert_eq!(narrow, [68.0, 232.0]);
        let least = of(&[6, 100]).widths(8.0, 200.0);
        assert_eq!(least, [68.0, 212.0]);
        let wide = of(&[6, 100]).widths(8.0, 680.0);
        assert_eq!(wide, [68.0, 612.0]);
        let widest = of(&[6, 100]).widths(8.0, 5_000.0);
        assert_eq!(widest, [68.0, 820.0]);
    }
}

//! A table that sorts by its columns, which can be made wider and scrolled, and draws only what is in view.

mod chips;
mod filtered;
mod order;
mod view;

pub use filtered::{ChipState, FilteredTable, TableLine, TableRevision};
pub use order::{SortOrder, sorted};
pub use view::show;

use super::widgets::Sign;

/// The least width of a column that takes what the others leave, in points.
const LEAST: f32 = 110.0;

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct TableColumn {
    /// What stands above it.
    pub title: &'static str,
    /// What it tells, for the pointer.
    pub help: &'static str,
    /// Its width in points as long as nobody changes it, or the least where it takes what the others leave.
    pub width: f32,
    /// Whether it takes what the others leave.
    pub takes_rest: bool,
    /// Whether its values are numbers, written to the right.
    pub is_number: bool,
    /// What its numbers count.
    pub unit: ColumnUnit,
}

/// What the numbers of a column count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnUnit {
    /// Things.
    #[default]
    Count,
    /// Nanoseconds.
    Nanoseconds,
    /// Millionths of a whole, which are told as a percentage.
    Share,
}

impl ColumnUnit {
    /// What stands behind a column's title where its numbers are plain.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Count => "",
            Self::Nanoseconds => " (ns)",
            Self::Share => " (%)",
        }
    }

    /// A number as programs read it.
    pub fn plain(self, number: i64) -> String {
        match self {
            Self::Count | Self::Nanoseconds => number.to_string(),
            Self::Share => format!("{:.4}", number as f64 / 1e4),
        }
    }
}

impl TableColumn {
    /// A column of text.
    pub const fn text(title: &'static str, help: &'static str, width: f32) -> Self {
        Self {
            title,
            help,
            width,
            takes_rest: false,
            is_number: false,
            unit: ColumnUnit::Count,
        }
    }

    /// A column of times in nanoseconds.
    pub const fn time(title: &'static str, help: &'static str, width: f32) -> Self {
        Self {
            unit: ColumnUnit::Nanoseconds,
            ..Self::number(title, help, width)
        }
    }

    /// A column of shares in millionths.
    pub const fn share(title: &'static str, help: &'static str, width: f32) -> Self {
        Self {
            unit: ColumnUnit::Share,
            ..Self::number(title, help, width)
        }
    }

    /// A column of text that takes what the others leave.
    pub const fn wide(title: &'static str, help: &'static str) -> Self {
        Self {
            takes_rest: true,
            ..Self::text(title, help, LEAST)
        }
    }

    /// A column of numbers.
    pub const fn number(title: &'static str, help: &'static str, width: f32) -> Self {
        Self {
            is_number: true,
            ..Self::text(title, help, width)
        }
    }
}

/// How important a cell is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellEmphasis {
    /// As other text.
    #[default]
    Plain,
    /// Of less interest.
    Weak,
    /// It can be followed.
    Link,
    /// It went wrong.
    Bad,
}

/// A cell.
#[derive(Clone, Debug, Default)]
pub struct TableCell {
    /// What it says.
    pub text: String,
    /// What it is sorted by before its text; cells without come last.
    pub rank: Option<i64>,
    /// How important it is.
    pub ink: CellEmphasis,
    /// A sign in front of it, and its colour.
    pub sign: Option<(Sign, eframe::egui::Color32)>,
}

impl TableCell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// A quiet text.
    pub fn weak(text: impl Into<String>) -> Self {
        Self {
            ink: CellEmphasis::Weak,
            ..Self::text(text)
        }
    }

    /// A number as it is written; nothing where there is none.
    pub fn number(value: Option<i64>, write: impl Fn(i64) -> String) -> Self {
        Self {
            rank: value,
            ..Self::text(value.map_or_else(String::new, write))
        }
    }
}

/// Which row, and which column of it, was clicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableClick {
    /// The position of the row among those that were given.
    pub row: usize,
    /// The position of the column.
    pub column: usize,
}

//! The question that runs, the answer, and the questions before it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::query::{SqlError, SqlWatch, StopReason};
use engine::record::Value;
use engine::time::Nanos;
use serde::{Deserialize, Serialize};

use crate::text;

/// So many questions are kept.
pub const PAST: usize = 50;
/// So many rows are shown.
pub const MOST_ROWS: u64 = 10_000;

/// What was asked of captures since the window was opened.
#[derive(Debug, Default)]
pub struct AskedQuestions {
    /// The question that is answered now.
    pub running: Option<RunningQuestion>,
    /// The last answer.
    pub answer: Option<Arc<AnsweredQuestion>>,
    /// Those that were asked, the last first.
    pub past: VecDeque<PastQuestion>,
}

/// A question that is answered now.
#[derive(Debug)]
pub struct RunningQuestion {
    /// It.
    pub sql: String,
    /// Since when.
    pub began: Instant,
    /// How far it is.
    pub watch: Arc<SqlWatch>,
}

impl RunningQuestion {
    /// How far it is, in words.
    pub fn words(&self) -> String {
        let time = text::duration(Nanos::from_duration(self.began.elapsed()));
        match self.watch.concluded() {
            Some(share) => format!("{time}, finding causes: {:.0} %", share * 100.0),
            None => format!("{time}, {} read", text::counted(self.watch.rows(), "row")),
        }
    }
}

/// A question and its answer.
#[derive(Debug, Default)]
pub struct AnsweredQuestion {
    /// The question.
    pub sql: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, at most [`MOST_ROWS`]. What is nothing is NULL.
    pub rows: Vec<Vec<Option<Value>>>,
    /// Why there are no more, where there might be.
    pub cut: Option<StopReason>,
    /// How long it took; zero where that is not to be seen.
    pub time: Duration,
    /// Why there is no answer.
    pub error: Option<SqlError>,
    /// The places of the columns that hold ids of spans.
    pub span_columns: Vec<usize>,
}

impl AnsweredQuestion {
    /// The place of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|it| it == name)
    }

    /// The places of the columns whose cells lead to spans, the one that a row as a whole leads to first.
    pub fn span_columns(&self) -> &[usize] {
        &self.span_columns
    }

    /// Puts the column first that a row as a whole leads to: `span_id` before `id`, and any other after these.
    #[must_use]
    pub fn with_span_columns(mut self, mut places: Vec<usize>) -> Self {
        let rank = |place: &usize| match self.columns.get(*place).map(String::as_str) {
            Some("span_id") => 0,
            Some("id") => 1,
            _ => 2,
        };
        places.sort_by_key(|place| (rank(place), *place));
        self.span_columns = places;
        self
    }

    /// Which of the rows are there, where there might be more: `first 10 000 rows`. It goes with whatever is drawn of them.
    pub fn shown_part(&self) -> Option<String> {
        self.cut?;
        let rows = self.rows.len() as u64;
        Some(format!("first {}", text::counted(rows, "row")))
    }

    /// What was cut off, in words.
    pub fn cut_words(&self) -> Option<String> {
        Some(match self.cut? {
            StopReason::Rows(most) => {
                format!("the first {} of more; ask for fewer", text::count(most))
            }
            StopReason::Time(time) => format!("ended after {} s, its limit", time.as_secs()),
            StopReason::Memory(most) => {
                format!("ended when it held {} MB, its limit", most / 1_000_000)
            }
            StopReason::Cancelled => "stopped; there may be more".to_owned(),
        })
    }
}

/// A question that was asked before. The list of these stays from one start of the program to the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastQuestion {
    /// It.
    pub sql: String,
    /// How long it took.
    pub time: Duration,
    /// How many rows there were; nothing where it was wrong.
    pub rows: Option<u64>,
}

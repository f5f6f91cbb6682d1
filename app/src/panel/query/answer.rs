//! The question that runs, the answer, and the questions before it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::query::{SqlError, SqlWatch, StopReason};
use engine::record::Value;
use engine::time::Nanos;

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
}

impl AnsweredQuestion {
    /// The place of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|it| it == name)
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

/// A question that was asked before.
#[derive(Clone, Debug)]
pub struct PastQuestion {
    /// It.
    pub sql: String,
    /// How long it took.
    pub time: Duration,
    /// How many rows there were; nothing where it was wrong.
    pub rows: Option<u64>,
}

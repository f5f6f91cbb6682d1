//! A question in SQL, asked of the capture on screen by a thread of its own.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use eframe::egui::{Context, Id};
use engine::capture::Capture;
use engine::query::{
    FileLanes, QuerySource, SqlError, SqlLimits, SqlSummary, SqlWatch, ask, row_bytes,
};

use crate::background::BackgroundAnswer;
use crate::panel::{AnsweredQuestion, AppStatus, MOST_ROWS, PAST, PastQuestion, RunningQuestion};

/// How often it is looked how far it is.
const LOOK: Duration = Duration::from_millis(100);

/// The window saves what it keeps each half minute while frames are drawn. One so much later has it saved while nobody moves.
const SAVED: Duration = Duration::from_secs(31);

/// A thread that answers.
struct AskingThread {
    answered: BackgroundAnswer<AnsweredQuestion>,
    watch: Arc<SqlWatch>,
}

impl Drop for AskingThread {
    fn drop(&mut self) {
        self.watch.cancel();
    }
}

/// Asks, one question at a time. Tables that were made for one are kept for the next, while the capture rests.
#[derive(Default)]
pub(super) struct QuestionJob {
    source: Option<Arc<QuerySource>>,
    thread: Option<AskingThread>,
    /// Whether the questions of earlier starts of the program are listed.
    has_past: bool,
}

/// What the list of questions is known by among all that the window keeps from one start to the next.
fn kept() -> Id {
    Id::unique("questions that were asked")
}

/// Lists the questions that were asked before the program was started.
fn recall(status: &mut AppStatus, context: &Context) {
    let past: Option<VecDeque<PastQuestion>> = context.data_mut(|data| data.get_persisted(kept()));
    let known = &mut status.asked.past;
    for question in past.into_iter().flatten() {
        if known.len() < PAST && known.iter().all(|it| it.sql != question.sql) {
            known.push_back(question);
        }
    }
}

/// Keeps the list of questions for the next start of the program.
fn keep(status: &AppStatus, context: &Context) {
    let past = status.asked.past.clone();
    context.data_mut(|data| data.insert_persisted(kept(), past));
    context.request_repaint_after(SAVED);
}

impl QuestionJob {
    /// Begins to answer a question; one that is answered is given up.
    pub fn begin(
        &mut self,
        sql: String,
        (capture, path, files): (&Arc<Capture>, Option<String>, Vec<FileLanes>),
        status: &mut AppStatus,
        context: Option<&Context>,
    ) {
        // What grows takes no record while anybody shares it.
        if status.grows() {
            return;
        }
        self.thread = None;
        if let Some(given_up) = status.asked.running.take() {
            note(
                PastQuestion {
                    time: given_up.began.elapsed(),
                    sql: given_up.sql,
                    rows: None,
                },
                status,
            );
        }
        let kept = self.source.take();
        let kept = kept.filter(|it| it.is_of(capture));
        let source = kept.unwrap_or_else(|| {
            Arc::new(QuerySource::new(Arc::clone(capture), path).with_files(files))
        });
        if let Some(made) = &status.why.conclusions {
            source.conclude(made);
        }
        self.source = Some(Arc::clone(&source));
        let watch = Arc::new(SqlWatch::default());
        let (watched, asked) = (Arc::clone(&watch), sql.clone());
        let work = move || answer(&source, asked, &watched);
        let answered = BackgroundAnswer::new("query", context, work);
        status.asked.running = Some(RunningQuestion {
            sql,
            began: Instant::now(),
            watch: Arc::clone(&watch),
        });
        self.thread = Some(AskingThread { answered, watch });
    }

    /// Gives up what is answered, and forgets the tables.
    pub fn forget(&mut self, status: &mut AppStatus) {
        self.source = None;
        self.thread = None;
        status.asked.running = None;
    }

    /// Ends the question that is answered; what it has found is shown.
    pub fn stop(&self) {
        if let Some(thread) = &self.thread {
            thread.watch.cancel();
        }
    }

    /// Takes the answer once it is there. Of a capture that grows nothing is kept: it takes records only while nobody shares it.
    pub fn advance(&mut self, (status, is_timed): (&mut AppStatus, bool), context: &Context) {
        if !self.has_past {
            self.has_past = true;
            recall(status, context);
        }
        if status.grows() {
            self.forget(status);
        }
        let Some(thread) = &self.thread else { return };
        let answer = match thread.answered.poll() {
            Poll::Pending => return context.request_repaint_after(LOOK),
            Poll::Ready(answer) => answer,
        };
        self.thread = None;
        let asked = status.asked.running.take();
        if let Some(mut answer) = answer.or_else(|| asked.map(|it| unanswered(it.sql))) {
            if !is_timed {
                answer.time = Duration::ZERO;
            }
            take(answer, status);
            keep(status, context);
        }
    }
}

/// What is shown where the thread had no answer.
fn unanswered(sql: String) -> AnsweredQuestion {
    let text = "no thread could be started to answer it; close other programs, and ask again";
    AnsweredQuestion {
        sql,
        error: Some(SqlError::new(text)),
        ..AnsweredQuestion::default()
    }
}

fn take(answer: AnsweredQuestion, status: &mut AppStatus) {
    let asked = PastQuestion {
        sql: answer.sql.clone(),
        time: answer.time,
        rows: answer.error.is_none().then_some(answer.rows.len() as u64),
    };
    note(asked, status);
    status.asked.answer = Some(Arc::new(answer));
}

/// Puts a question on top of the list of those that were asked, once.
fn note(asked: PastQuestion, status: &mut AppStatus) {
    let past = &mut status.asked.past;
    past.retain(|it| it.sql != asked.sql);
    past.push_front(asked);
    past.truncate(PAST);
}

fn answer(source: &Arc<QuerySource>, sql: String, watch: &Arc<SqlWatch>) -> AnsweredQuestion {
    let limits = SqlLimits {
        rows: MOST_ROWS,
        ..SqlLimits::default()
    };
    let mut rows = Vec::new();
    let found = ask(source, &sql, (limits, watch), &mut |_, row| {
        watch.hold(row_bytes(&row));
        rows.push(row);
        ControlFlow::Continue(())
    });
    let (summary, error) = match found {
        Ok(summary) => (summary, None),
        Err(error) => (SqlSummary::default(), Some(error)),
    };
    let answer = AnsweredQuestion {
        sql,
        columns: summary.columns,
        rows,
        cut: summary.cut,
        time: summary.time,
        error,
        span_columns: Vec::new(),
    };
    answer.with_span_columns(summary.span_columns)
}

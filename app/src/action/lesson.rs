//! What the user can want of lessons.

use engine::record::SpanId;

use crate::state::LessonVerdict;

/// What the user wants of lessons, and what became of that.
#[derive(Clone, Debug, PartialEq)]
pub enum LessonAction {
    /// Take the lesson of this id, from its beginning.
    Take(String),
    /// Close the lesson; its text stays open.
    Leave,
    /// Predict the answer of this id.
    Predict(String),
    /// Go on with the next step: what the big button does.
    GoOn,
    /// Take the lesson that comes next.
    Next,
    /// Show one more hint.
    Hint,
    /// Show the solution, or no longer.
    ShowSolution(bool),
    /// The text of the lesson has run.
    Ran,
    /// What was predicted was measured.
    Shown(LessonVerdict),
    /// The text, or the span that was clicked, was checked; the span is one to look at.
    Checked(LessonVerdict, Option<SpanId>),
    /// Forget which lessons were passed.
    Reset,
    /// Remember again what was forgotten.
    UndoReset,
}

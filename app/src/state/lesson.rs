//! The lesson that is taken, and how far it has come.

use std::sync::LazyLock;

use engine::lesson::{Course, Lesson, LessonKind};
use engine::record::SpanId;

/// The course that comes with the program; nothing where a file of it is wrong, which a test finds.
pub fn course() -> Option<&'static Course> {
    static COURSE: LazyLock<Option<Course>> = LazyLock::new(|| Course::bundled().ok());
    COURSE.as_ref()
}

/// The name under which a lesson's text is open.
pub fn text_name(id: &str) -> String {
    format!("lesson-{id}")
}

/// A step of a lesson, each with one thing to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LessonStep {
    /// Say what a run will show.
    #[default]
    Predict,
    /// Run the text.
    Run,
    /// Compare what was said with what was measured.
    Look,
    /// Change the text, or click a span, and have it checked.
    Change,
    /// Read why that is so.
    Why,
}

impl LessonStep {
    /// Every step, in order.
    pub const ALL: [Self; 5] = [
        Self::Predict,
        Self::Run,
        Self::Look,
        Self::Change,
        Self::Why,
    ];

    /// What it is called; the fourth is another one where a span is clicked.
    pub const fn label(self, kind: LessonKind) -> &'static str {
        match (self, kind) {
            (Self::Predict, _) => "predict",
            (Self::Run, _) => "run",
            (Self::Look, _) => "look",
            (Self::Change, LessonKind::Edit) => "change",
            (Self::Change, LessonKind::Click) => "click",
            (Self::Why, _) => "why",
        }
    }
}

/// What was said of a text that was checked, or of what was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonVerdict {
    /// Whether it passed; nothing where it could not be judged here.
    pub passed: Option<bool>,
    /// The sentence that goes with it.
    pub says: String,
    /// The line that it is about, where it is about one.
    pub line: Option<usize>,
    /// The labels of two operations, of which the first should come before the second and does not.
    pub unordered: Option<(String, String)>,
    /// Two such operations of the run on screen.
    pub missing: Option<(SpanId, SpanId)>,
}

/// A lesson that is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenLesson {
    /// Its id.
    pub id: String,
    /// Its state.
    pub step: LessonStep,
    /// The id of the answer that was predicted.
    pub predicted: Option<String>,
    /// What was measured of that; nothing while it is not known.
    pub shown: Option<LessonVerdict>,
    /// Hints that were asked for.
    pub hints: usize,
    /// What the last check said, until the text is changed.
    pub verdict: Option<LessonVerdict>,
    /// Whether a run under way is one that is to be checked.
    pub is_checking: bool,
    /// Whether the solution is shown.
    pub shows_solution: bool,
}

impl TakenLesson {
    /// At its beginning.
    pub fn begin(lesson: &Lesson) -> Self {
        Self {
            id: lesson.id.clone(),
            step: if lesson.prediction.is_some() {
                LessonStep::Predict
            } else {
                LessonStep::Run
            },
            ..Self::default()
        }
    }

    /// The lesson itself.
    pub fn lesson(&self) -> Option<&'static Lesson> {
        course()?.lesson(&self.id).ok()
    }

    /// Whether the big button has something to do.
    pub fn can_go_on(&self) -> bool {
        !self.is_checking && (self.step != LessonStep::Predict || self.predicted.is_some())
    }
}

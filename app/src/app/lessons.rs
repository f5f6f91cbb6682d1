//! Lessons in the window: runs of their texts, and checks by a thread of its own.

use std::task::Poll;

use eframe::egui::Context;
use engine::analysis::causes::CauseReader;
use engine::capture::{Capture, PlacedSpan};
use engine::lesson::{Lesson, LessonError, LessonKind, TextLanguage};
use engine::record::{CALL_LABEL, SpanId, SpanKind, Value};

use super::App;
use crate::action::{Action, LessonAction};
use crate::background::BackgroundAnswer;
use crate::state::{LessonStep, LessonVerdict, OverlayWindow, TakenLesson, text_name};

/// Causes are followed through so many waits and records.
const MOST_WAITS: usize = 32;

/// A run that came to its end.
enum EndedRun {
    /// The workload of this name has run.
    Ran(String),
    /// What was to run was refused.
    Refused,
}

/// A check, or a measurement of what was predicted, under way.
#[derive(Default)]
pub(super) struct LessonJob {
    answers: Option<BackgroundAnswer<LessonAction>>,
    /// The id of the lesson that was taken when it was last listened for them.
    of: Option<String>,
    /// What has just run, or been refused.
    ended: Option<EndedRun>,
}

impl LessonJob {
    /// Has a thread find an answer; one that is looked for is given up.
    fn begin(
        &mut self,
        context: Option<&Context>,
        work: impl FnOnce() -> LessonAction + Send + 'static,
    ) {
        self.answers = Some(BackgroundAnswer::new("lesson", context, work));
    }

    /// The workload of this name has run.
    pub fn ran(&mut self, name: &str) {
        self.ended = Some(EndedRun::Ran(name.to_owned()));
    }

    /// What was to run was refused.
    pub fn refused(&mut self) {
        self.ended = Some(EndedRun::Refused);
    }

    /// The answer, once it is there.
    fn take(&mut self) -> Option<LessonAction> {
        let answer = match self.answers.as_ref()?.poll() {
            Poll::Pending => return None,
            Poll::Ready(Some(answer)) => answer,
            Poll::Ready(None) => {
                let text = "the check did not finish; close other programs, and check again";
                LessonAction::Checked(unjudged(text), None)
            }
        };
        self.answers = None;
        Some(answer)
    }
}

fn unjudged(why: impl Into<String>) -> LessonVerdict {
    LessonVerdict {
        says: why.into(),
        ..LessonVerdict::default()
    }
}

impl App {
    /// Takes what was found of the lesson's text.
    pub(super) fn hear_lesson(&mut self, context: &Context) {
        // An answer for a lesson that was left is of no use, and is none for the one that is taken now.
        let taken = self.state.lesson.as_ref().map(|it| it.id.clone());
        if self.lesson_job.of != taken {
            self.lesson_job.answers = None;
            self.lesson_job.of = taken;
        }
        if let Some(ended) = self.lesson_job.ended.take() {
            self.lesson_ran(&ended, context);
        }
        let Some(answer) = self.lesson_job.take() else {
            return;
        };
        // That a lesson was passed is kept whatever becomes of the window.
        self.saves_now |=
            matches!(&answer, LessonAction::Checked(it, _) if it.passed == Some(true));
        let answer = match answer {
            LessonAction::Checked(mut verdict, _) if verdict.passed == Some(false) => {
                let labels = verdict.unordered.as_ref();
                verdict.missing = labels.and_then(|it| missing_order(&self.capture, it));
                let effect = verdict.missing.map(|(_, effect)| effect);
                let span = effect.or_else(|| raced(&self.capture));
                LessonAction::Checked(verdict, span)
            }
            other => other,
        };
        self.act(vec![Action::Lesson(answer)], Some(context));
    }

    /// Has the chosen text checked, or the span that is selected.
    pub(super) fn check_lesson(&mut self, context: Option<&Context>) {
        let Some(lesson) = self.state.lesson.as_ref().and_then(TakenLesson::lesson) else {
            return;
        };
        if lesson.kind == LessonKind::Click {
            let verdict = self.clicked(lesson);
            self.saves_now |= verdict.passed == Some(true);
            let span = self.state.selection.span;
            let checked = LessonAction::Checked(verdict, span);
            return self.act(vec![Action::Lesson(checked)], context);
        }
        // What cannot run is told at once; anything else is seen to run before it is judged.
        if self.status.checked.errors.is_empty() && self.link.is_some() {
            self.run(false);
            // No lesson connects anywhere: a text that would is refused by the check, and nobody is asked.
            if self.state.window != Some(OverlayWindow::Consent) {
                return;
            }
            self.state.window = None;
        }
        self.judge_lesson(context);
    }

    /// A run has ended, or was refused: where it was of the lesson's text, what comes next.
    fn lesson_ran(&mut self, ended: &EndedRun, context: &Context) {
        let is_meant = |id: &str| match ended {
            EndedRun::Ran(name) => *name == text_name(id),
            EndedRun::Refused => true,
        };
        let Some(taken) = self.state.lesson.as_ref().filter(|it| is_meant(&it.id)) else {
            return;
        };
        let (step, is_checking) = (taken.step, taken.is_checking);
        let Some(lesson) = taken.lesson() else { return };
        if is_checking {
            self.judge_lesson(Some(context));
        } else if step == LessonStep::Run && matches!(ended, EndedRun::Ran(_)) {
            self.act(vec![Action::Lesson(LessonAction::Ran)], Some(context));
            if lesson.prediction.is_some() {
                let backend = self.status.backend(&self.state.settings).to_owned();
                let language = self.state.language();
                self.lesson_job
                    .begin(Some(context), move || shown(lesson, &backend, language));
            }
        }
    }

    fn judge_lesson(&mut self, context: Option<&Context>) {
        let taken = self.state.lesson.as_ref();
        let Some(lesson) = taken.and_then(TakenLesson::lesson) else {
            return;
        };
        let name = text_name(&lesson.id);
        let mut texts = self.state.documents.texts.iter();
        let text = texts.find(|it| it.name == name);
        let text = text.map(|it| it.source.clone()).unwrap_or_default();
        let backend = self.status.backend(&self.state.settings).to_owned();
        let language = self.state.language();
        self.lesson_job.begin(context, move || {
            LessonAction::Checked(judged(lesson, &text, &backend, language), None)
        });
    }

    /// Whether the span that is selected is the cause that was asked for.
    fn clicked(&self, lesson: &Lesson) -> LessonVerdict {
        let Some((of, otherwise)) = &lesson.answer else {
            return unjudged("this lesson asks for no span");
        };
        let Some(selected) = self.state.selection.span else {
            return unjudged(
                "no span is selected: click one, or reach it with the keys . and , and [",
            );
        };
        let Some(reader) = self.scene().reader() else {
            return unjudged("the causes are still being read; check again in a moment");
        };
        match last_cause(&self.capture, reader, of) {
            None => unjudged(format!(
                "no span is labelled {of} here: run the lesson's text first"
            )),
            Some(cause) if cause == selected => LessonVerdict {
                passed: Some(true),
                ..LessonVerdict::default()
            },
            Some(_) => LessonVerdict {
                passed: Some(false),
                says: otherwise.get(self.state.language()).to_owned(),
                ..LessonVerdict::default()
            },
        }
    }
}

/// What a run shows of the prediction.
fn shown(lesson: &Lesson, backend: &str, language: TextLanguage) -> LessonAction {
    LessonAction::Shown(match lesson.predicted(backend) {
        Ok(Some(shown)) => LessonVerdict {
            passed: Some(shown.holds),
            says: shown.says.get(language).to_owned(),
            ..LessonVerdict::default()
        },
        Ok(None) => LessonVerdict::default(),
        Err(error) => unjudged(error.to_string()),
    })
}

fn judged(lesson: &Lesson, text: &str, backend: &str, language: TextLanguage) -> LessonVerdict {
    match lesson.judge(text, backend) {
        Ok(judgement) => LessonVerdict {
            passed: Some(judgement.passed),
            says: judgement.says.get(language).to_owned(),
            line: judgement.line,
            unordered: judgement.unordered,
            missing: None,
        },
        Err(LessonError::NotHere(why)) => unjudged(format!(
            "{why}; choose another device at the top of the window, such as mock"
        )),
        Err(error) => unjudged(error.to_string()),
    }
}

/// The second of two uses of a buffer that nothing orders, of the first race: what to look at.
pub fn raced(capture: &Capture) -> Option<SpanId> {
    let mut findings = capture.findings().iter();
    let race = findings.find(|it| it.code == "race")?;
    race.spans.last().copied()
}

/// Two operations with these labels, of which the first should come before the second and does not.
fn missing_order(
    capture: &Capture,
    (first, second): &(String, String),
) -> Option<(SpanId, SpanId)> {
    let [causes, effects] = [first, second].map(|label| {
        let mut all: Vec<_> = labelled(capture, label).collect();
        all.sort_by_key(|it| it.span.start);
        all
    });
    // The first that came too early, or else the first: that it came in time was luck.
    let pairs = || causes.iter().zip(&effects);
    let early = pairs().find(|(cause, effect)| effect.span.start < cause.span.end);
    let (cause, effect) = early.or_else(|| pairs().next())?;
    Some((cause.span.id, effect.span.id))
}

/// The operations with this label.
fn labelled<'a>(capture: &'a Capture, label: &'a str) -> impl Iterator<Item = PlacedSpan> + 'a {
    let is_labelled = |placed: &PlacedSpan| {
        let mut arguments = capture.arguments(placed.span.id);
        arguments.any(|(name, value)| {
            name == CALL_LABEL && matches!(value, Value::Text(text) if *text == *label)
        })
    };
    let operations = capture.spans().filter(|it| !is_passed(it.span.kind));
    operations.filter(is_labelled)
}

/// The operation that the latest span with this label came after last: what was waited for, and no wait or record on the
/// way to it.
pub fn last_cause(capture: &Capture, reader: CauseReader<'_>, label: &str) -> Option<SpanId> {
    let operations = labelled(capture, label);
    let mut at = operations.max_by_key(|it| it.span.start)?.span.id;
    for _ in 0..MOST_WAITS {
        at = reader.cause_of(at)?;
        if capture.span(at).is_none_or(|it| !is_passed(it.span.kind)) {
            break;
        }
    }
    Some(at)
}

/// Whether a span only orders others.
const fn is_passed(kind: SpanKind) -> bool {
    matches!(
        kind,
        SpanKind::EventRecord
            | SpanKind::EventWait
            | SpanKind::Join
            | SpanKind::Hold
            | SpanKind::Callback
            | SpanKind::Call
            | SpanKind::Synchronize
    )
}

//! Actions that are about lessons.

use engine::lesson::LessonKind;

use super::documents;
use crate::action::{AppRequest, LessonAction};
use crate::state::{AppState, LessonStep, TakenLesson, WorkloadText, course, text_name};

/// Applies what is wanted of lessons.
pub fn apply(state: &mut AppState, action: LessonAction) -> Option<AppRequest> {
    match action {
        LessonAction::Take(id) => take(state, &id),
        LessonAction::Next => {
            let id = next(state)?;
            take(state, &id);
        }
        LessonAction::Leave => state.lesson = None,
        LessonAction::GoOn => return go_on(state),
        LessonAction::Reset => {
            state.forgotten_lessons = std::mem::take(&mut state.settings.passed_lessons);
        }
        LessonAction::UndoReset => {
            let forgotten = std::mem::take(&mut state.forgotten_lessons);
            state.settings.passed_lessons.extend(forgotten);
        }
        other => of_taken(state, other),
    }
    None
}

/// What is about the lesson that is taken.
fn of_taken(state: &mut AppState, action: LessonAction) {
    let Some(taken) = &mut state.lesson else {
        return;
    };
    match action {
        LessonAction::Predict(answer) => taken.predicted = Some(answer),
        LessonAction::Hint => taken.hints += 1,
        LessonAction::ShowSolution(on) => taken.shows_solution = on,
        LessonAction::Ran if taken.step <= LessonStep::Run => {
            taken.step = LessonStep::Look;
        }
        LessonAction::Shown(verdict) => taken.shown = Some(verdict),
        LessonAction::Checked(verdict, span) => {
            taken.is_checking = false;
            if verdict.passed == Some(true) {
                taken.step = LessonStep::Why;
                state.settings.passed_lessons.insert(taken.id.clone());
            }
            taken.verdict = Some(verdict);
            if span.is_some() {
                state.selection.span = span;
            }
        }
        _ => {}
    }
}

/// The lesson after the one that is taken; without one, the first that was not passed.
fn next(state: &AppState) -> Option<String> {
    let lessons = &course()?.lessons;
    let is_open = |id: &str| !state.settings.passed_lessons.contains(id);
    let taken = state.lesson.as_ref();
    let here = taken.and_then(|taken| lessons.iter().position(|it| it.id == taken.id));
    let next = match here {
        Some(here) => lessons.get(here + 1),
        None => lessons.iter().find(|it| is_open(&it.id)),
    };
    next.or_else(|| lessons.first()).map(|it| it.id.clone())
}

fn take(state: &mut AppState, id: &str) {
    let Some(lesson) = course().and_then(|it| it.lesson(id).ok()) else {
        return;
    };
    state.lesson = Some(TakenLesson::begin(lesson));
    // Its card would be behind the guides.
    state.window = None;
    state.settings.open_tab("lesson");
    // Who comes back finds the text as it was left.
    let name = text_name(id);
    let mut texts = state.documents.texts.iter();
    if let Some(place) = texts.position(|it| it.name == name) {
        return documents::choose(state, place);
    }
    let text = WorkloadText {
        name,
        title: lesson.title.get(state.language()).to_owned(),
        source: lesson.start().to_owned(),
        saved: lesson.start().to_owned(),
        ..WorkloadText::default()
    };
    documents::adopt(state, text);
}

fn go_on(state: &mut AppState) -> Option<AppRequest> {
    let taken = state.lesson.as_mut().filter(|it| it.can_go_on())?;
    let lesson = taken.lesson()?;
    let name = text_name(&taken.id);
    let step = taken.step;
    match step {
        LessonStep::Predict | LessonStep::Run => taken.step = LessonStep::Run,
        LessonStep::Look => {
            taken.step = LessonStep::Change;
            if lesson.kind == LessonKind::Edit {
                state.settings.open_tab("source");
            }
            return None;
        }
        LessonStep::Change => {
            taken.is_checking = true;
            taken.verdict = None;
        }
        LessonStep::Why => {
            let id = next(state)?;
            take(state, &id);
            return None;
        }
    }
    // Whatever was chosen meanwhile, it is the lesson's text that runs.
    let mut texts = state.documents.texts.iter();
    if let Some(place) = texts.position(|it| it.name == name) {
        documents::choose(state, place);
    }
    Some(match step {
        LessonStep::Change => AppRequest::CheckLesson,
        _ => AppRequest::Run,
    })
}

/// A text that was changed was not checked.
pub fn edited(state: &mut AppState) {
    let name = state.documents.text().map(|it| it.name.clone());
    if let Some(taken) = &mut state.lesson
        && name == Some(text_name(&taken.id))
    {
        taken.verdict = None;
    }
}

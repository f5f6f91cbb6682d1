//! What each sort of action does to the state.

use std::path::PathBuf;

use engine::record::{Dependency, DependencyId, Group, Lane, LaneId, Record, Role, Span, SpanId};
use engine::time::{Interval, Nanos};

use super::*;
use crate::action::{COMMANDS, Menu};
use crate::state::{Documents, Hover, WorkloadText};

fn capture() -> Capture {
    let mut capture = Capture::new();
    capture.apply([Record::Lane(Box::new(Lane {
        id: LaneId(0),
        group: Group::Streams,
        device: None,
        role: Role::Compute,
        name: String::from("compute"),
        order: 0,
        process: "".into(),
        thread: "".into(),
    }))]);
    for at in 0..4_u32 {
        let start = Nanos(i64::from(at) * 1_000);
        capture.apply([Record::Span(Span {
            id: SpanId(at),
            lane: LaneId(0),
            name: engine::record::NameId(0),
            call: engine::record::CallId::NONE,
            kind: engine::record::SpanKind::Kernel,
            state: engine::record::State::Done,
            enqueued: start,
            start,
            end: start + Nanos(500),
        })]);
    }
    for (cause, effect) in [(0, 2), (1, 2), (2, 3)] {
        capture.apply([Record::Dependency(Dependency {
            cause: SpanId(cause),
            effect: SpanId(effect),
            kind: engine::record::DependencyKind::Event,
            basis: engine::record::Basis::Enforced,
            event: engine::record::EventId::NONE,
            generation: 0,
        })]);
    }
    capture
}

fn run(state: &mut AppState, actions: impl IntoIterator<Item = Action>) -> Option<AppRequest> {
    let capture = capture();
    actions
        .into_iter()
        .fold(None, |_, action| apply(state, &capture, action))
}

fn between(start: i64, end: i64) -> Interval {
    Interval::new(Nanos(start), Nanos(end))
}

#[test]
fn runs_of_pans_are_one_step_back() {
    let mut state = AppState::default();
    run(
        &mut state,
        [Action::Show(Some(between(0, 1_000)), ViewChange::Jump)],
    );
    run(
        &mut state,
        (1..9).map(|at| Action::Show(Some(between(at, 1_000 + at)), ViewChange::Pan)),
    );
    run(&mut state, [Command::Undo.into()]);
    assert_eq!(state.view.interval, Some(between(0, 1_000)));
    run(&mut state, [Command::Undo.into()]);
    assert_eq!(state.view.interval, None);
    run(
        &mut state,
        [
            Command::Redo.into(),
            Command::Redo.into(),
            Command::Redo.into(),
        ],
    );
    assert_eq!(state.view.interval, Some(between(8, 1_008)));
}

#[test]
fn a_new_view_forgets_what_was_undone_and_the_past_is_bounded() {
    let mut state = AppState::default();
    run(
        &mut state,
        (0..500).map(|at| Action::Show(Some(between(at, at + 100)), ViewChange::Jump)),
    );
    assert_eq!(state.history.past.len(), 200);
    run(
        &mut state,
        [
            Command::Undo.into(),
            Action::Show(Some(between(7, 77)), ViewChange::Jump),
            Command::Redo.into(),
        ],
    );
    assert_eq!(state.view.interval, Some(between(7, 77)));
}

#[test]
fn zooming_keeps_what_is_under_the_pointer() {
    let mut state = AppState::default();
    run(
        &mut state,
        [Action::Show(Some(between(0, 1_000)), ViewChange::Jump)],
    );
    state.hover = Hover {
        time: Some(Nanos(250)),
        ..Hover::default()
    };
    run(&mut state, [Command::ZoomIn.into()]);
    let shown = state.view.interval.unwrap();
    let share = (250 - shown.start.0) as f64 / shown.length().0 as f64;
    assert!(
        (share - 0.25).abs() < 0.01 && shown.length() < Nanos(1_000),
        "{shown:?}"
    );
    for _ in 0..200 {
        run(&mut state, [Command::ZoomIn.into()]);
    }
    assert!(state.view.interval.unwrap().length() >= Nanos(10));
    for _ in 0..200 {
        run(&mut state, [Command::ZoomOut.into()]);
    }
    assert!(state.view.interval.unwrap().length() <= Nanos(4 * 3_500));
}

#[test]
fn panning_lets_go_of_live_data_and_stops_where_data_ends() {
    let mut state = AppState::default();
    run(
        &mut state,
        [
            Action::Show(Some(between(0, 1_000)), ViewChange::Jump),
            Command::Follow.into(),
        ],
    );
    keep_up(&mut state, &capture());
    assert_eq!(state.view.interval, Some(between(2_550, 3_550)));
    run(&mut state, [Command::PanLeft.into()]);
    assert!(!state.follow);
    for _ in 0..100 {
        run(&mut state, [Command::PanLeft.into()]);
    }
    assert!(state.view.interval.unwrap().end > Nanos::ZERO);
}

#[test]
fn focus_zooms_to_the_selection_and_then_shows_everything() {
    let mut state = AppState::default();
    run(
        &mut state,
        [Action::Select(Some(SpanId(2))), Command::Focus.into()],
    );
    assert_eq!(state.view.interval, Some(between(1_875, 2_625)));
    run(&mut state, [Command::Focus.into()]);
    assert_eq!(state.view.interval, None);
}

#[test]
fn focus_on_a_dependency_or_on_several_spans_shows_them_all() {
    let capture = capture();
    let mut state = AppState::default();
    let dependency = DependencyId(2);
    let found = capture.dependency(dependency).unwrap();
    let both = [found.cause, found.effect].map(|id| capture.span(id).unwrap().interval());
    let select = Action::SelectDependency(dependency);
    run(&mut state, [select, Command::Focus.into()]);
    let shown = state.view.interval.unwrap();
    for interval in both {
        assert_eq!(shown.intersection(interval), Some(interval));
    }
    let all = capture.extent().unwrap();
    let several = [SpanId(1), SpanId(2)];
    state.selection.group = several.into();
    state.selection.span = Some(SpanId(2));
    state.selection.dependency = None;
    run(&mut state, [Command::Focus.into()]);
    let shown = state.view.interval.unwrap();
    for id in several {
        let interval = capture.span(id).unwrap().interval();
        assert_eq!(shown.intersection(interval), Some(interval));
        assert!(shown.length() < all.length());
    }
}

#[test]
fn keys_go_along_the_lane_and_the_dependencies() {
    let mut state = AppState::default();
    run(&mut state, [Command::NextSpan.into()]);
    assert_eq!(state.selection.span, Some(SpanId(0)));
    run(
        &mut state,
        [Command::NextSpan.into(), Command::NextSpan.into()],
    );
    assert_eq!(state.selection.span, Some(SpanId(2)));
    for (command, forward) in [(Command::Cause, false), (Command::Effect, true)] {
        let asked = run(&mut state, [command.into()]);
        assert_eq!(asked, Some(AppRequest::Follow { forward }));
    }
    run(
        &mut state,
        [
            Action::SelectDependency(DependencyId(2)),
            Command::Effect.into(),
        ],
    );
    assert_eq!(state.selection.span, Some(SpanId(3)), "the arrow's own end");
    run(&mut state, [Command::PreviousSpan.into()]);
    assert_eq!(state.selection.span, Some(SpanId(2)));
}

#[test]
fn revealing_moves_the_view_only_when_it_must() {
    let mut state = AppState::default();
    run(
        &mut state,
        [
            Action::Show(Some(between(0, 800)), ViewChange::Jump),
            Action::Reveal(SpanId(0)),
        ],
    );
    assert_eq!(state.view.interval, Some(between(0, 800)));
    run(&mut state, [Action::Reveal(SpanId(3))]);
    assert_eq!(state.view.interval, Some(between(2_850, 3_650)));
}

#[test]
fn a_range_is_marked_and_widened() {
    let mut state = AppState::default();
    run(
        &mut state,
        [Action::Select(Some(SpanId(0))), Command::MarkRange.into()],
    );
    assert_eq!(state.selection.range, Some(between(0, 500)));
    run(
        &mut state,
        [Action::Select(Some(SpanId(2))), Command::WidenRange.into()],
    );
    assert_eq!(state.selection.range, Some(between(0, 2_500)));
    run(&mut state, [Command::MarkRange.into()]);
    assert_eq!(state.selection.range, Some(between(2_000, 2_500)));
}

#[test]
fn escape_closes_one_thing_at_a_time() {
    let mut state = AppState::default();
    run(
        &mut state,
        [
            Action::Select(Some(SpanId(1))),
            Action::Search(String::from("x")),
            Command::Help.into(),
        ],
    );
    run(&mut state, [Command::Clear.into()]);
    assert!(state.window.is_none() && state.search == "x");
    run(&mut state, [Command::Clear.into()]);
    assert!(state.search.is_empty() && state.selection.span.is_some());
    run(&mut state, [Command::Clear.into()]);
    assert_eq!(state.selection, Selection::default());
}

fn text(name: &str) -> WorkloadText {
    WorkloadText {
        name: name.to_owned(),
        source: String::from("a"),
        saved: String::from("a"),
        ..WorkloadText::default()
    }
}

#[test]
fn an_edited_bundled_workload_is_saved_as_another() {
    let mut state = AppState {
        documents: Documents {
            texts: vec![text("one")],
            bundled: 1,
            ..Documents::default()
        },
        ..AppState::default()
    };
    run(&mut state, [Action::Edit(String::from("b"))]);
    assert!(state.documents.text().unwrap().is_dirty());
    run(&mut state, [Action::Saved(PathBuf::from("/tmp/mine.kdl"))]);
    assert_eq!(
        (state.documents.texts.len(), state.documents.chosen),
        (2, 1)
    );
    assert_eq!(state.documents.texts[0].source, "a");
    assert_eq!(state.documents.texts[1].source, "b");
    assert!(!state.documents.text().unwrap().is_dirty());
    assert_eq!(state.settings.recent, [PathBuf::from("/tmp/mine.kdl")]);
}

#[test]
fn parameters_are_kept_for_each_workload() {
    let mut state = AppState {
        documents: Documents {
            texts: vec![text("one"), text("two")],
            bundled: 2,
            ..Documents::default()
        },
        ..AppState::default()
    };
    run(
        &mut state,
        [
            Action::SetParameter(String::from("n"), Some(4.0)),
            Action::Choose(1),
        ],
    );
    assert!(state.documents.overrides().is_empty());
    assert_eq!(run(&mut state, [Action::Run(0)]), Some(AppRequest::Run));
    assert_eq!(state.documents.overrides(), [(String::from("n"), 4.0)]);
    run(&mut state, [Action::SetParameter(String::from("n"), None)]);
    assert!(state.documents.overrides().is_empty());
}

#[test]
fn recent_files_are_listed_once_the_latest_first() {
    let mut state = AppState::default();
    let paths = (0..12)
        .chain([3])
        .map(|at| Action::Remember(PathBuf::from(format!("/{at}"))));
    run(&mut state, paths);
    assert_eq!(state.settings.recent.len(), 8);
    assert_eq!(state.settings.recent[0], PathBuf::from("/3"));
    assert_eq!(
        state
            .settings
            .recent
            .iter()
            .filter(|path| path.ends_with("3"))
            .count(),
        1
    );
}

#[test]
fn another_capture_takes_the_note_away_and_leaves_the_error() {
    let mut state = AppState::default();
    for (is_error, stays) in [(false, false), (true, true)] {
        let text = String::from("x");
        let notice = crate::state::Notice { is_error, text };
        run(&mut state, [Action::Notify(Some(notice)), Action::Renew]);
        assert_eq!(state.notice.is_some(), stays);
    }
}

#[test]
fn a_newcomer_is_greeted_until_the_line_is_put_away() {
    for away in [Action::Notify(None), Command::Clear.into()] {
        let mut state = AppState::default();
        run(&mut state, [away.clone()]);
        assert!(!state.settings.greeted);
        let text = String::from("x");
        let line = crate::state::Notice {
            is_error: false,
            text,
        };
        run(&mut state, [Action::Notify(Some(line)), away]);
        assert!(state.settings.greeted && state.notice.is_none());
    }
}

#[test]
fn colours_say_one_thing_at_a_time() {
    let mut state = AppState::default();
    let by = |state: &AppState| {
        let settings = &state.settings;
        [Switch::ColourByKind, Switch::ColourByName].map(|it| settings.is_on(it))
    };
    assert_eq!(by(&state), [false, false]);
    run(&mut state, [Command::ColourByName.into()]);
    assert_eq!(by(&state), [false, true]);
    run(&mut state, [Command::ColourByKind.into()]);
    assert_eq!(by(&state), [true, false]);
    run(&mut state, [Command::ColourByKind.into()]);
    assert_eq!(by(&state), [false, false]);
}

/// What none of the groups of commands takes would do nothing without a word.
#[test]
fn every_command_about_files_asks_for_something() {
    let of_files = COMMANDS.iter().filter(|it| it.menu == Menu::File);
    for entry in of_files.filter(|it| it.command != Command::Record) {
        let mut state = AppState::default();
        let asked = apply(&mut state, &Capture::new(), entry.command.into());
        assert!(asked.is_some(), "{}", entry.label);
    }
}

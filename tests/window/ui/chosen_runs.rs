//! What is on screen is a run of the chosen workload: that of another one is kept, and comes back with it.

use app::action::{Action, Command};
use app::state::ThemeChoice;
use egui_kittest::kittest::Queryable as _;
use engine::record::SpanId;
use engine::runner::{Message, Phase};

use super::interaction::until;
use super::{SETTLED, Window, records};

const SIZE: [f32; 2] = [1280.0, 800.0];

fn window() -> Window {
    Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer")
}

fn choose(window: &mut Window, name: &str) {
    let texts = &window.harness.state().scene().state.documents.texts;
    let place = texts.iter().position(|it| it.name == name).unwrap();
    act(window, Action::Choose(place));
}

fn act(window: &mut Window, action: Action) {
    window.harness.state_mut().act(vec![action], None);
    window.harness.run();
}

/// What ran, the number of its spans, and the selected one.
fn shown(window: &Window) -> (Option<String>, usize, Option<SpanId>) {
    let scene = window.harness.state().scene();
    let run = scene.capture.run().map(|run| run.name.clone());
    let selected = scene.state.selection.span;
    (run, scene.capture.span_count(), selected)
}

#[test]
fn each_workload_has_its_own_run_and_selection() {
    let mut window = window();
    act(&mut window, Action::Select(Some(SpanId(7))));
    let first = shown(&window);
    assert!(first.1 > 10, "{first:?}");
    choose(&mut window, "diamond");
    assert_eq!(shown(&window), (None, 0, None));
    window
        .harness
        .get_by_label_contains("nothing on screen yet");
    window.answer(records("diamond"));
    let second = shown(&window);
    assert_eq!(second.0.as_deref(), Some("diamond"));
    for _ in 0..2 {
        choose(&mut window, "double-buffer");
        assert_eq!(shown(&window), first);
        choose(&mut window, "diamond");
        assert_eq!(shown(&window), second);
    }
    // Another that never ran shows nothing in between.
    choose(&mut window, "fork-join");
    choose(&mut window, "double-buffer");
    assert_eq!(shown(&window), first);
}

#[test]
fn a_run_whose_tab_was_closed_comes_back_with_its_workload() {
    let mut window = window();
    let first = shown(&window);
    act(&mut window, Command::CloseTab.into());
    assert_eq!(shown(&window).1, 0);
    choose(&mut window, "double-buffer");
    assert_eq!(shown(&window), first);
}

/// What was measured while the host was slowed down says so when it is over, and only there.
#[test]
fn a_slowed_host_is_not_forgotten() {
    let mut window = window();
    let told = "The host was slowed down to 10 calls a second";
    let says = |window: &Window| {
        let found = window.harness.query_all_by_label_contains(told);
        found.count() > 0
    };
    act(&mut window, Action::OpenTab("overview"));
    assert!(!says(&window));
    act(&mut window, Action::SetPace(Some(10.0)));
    assert!(!says(&window), "what is on screen ran at full speed");
    window.answer(records("double-buffer"));
    assert!(says(&window));
    act(&mut window, Action::SetPace(None));
    assert!(says(&window));
    choose(&mut window, "diamond");
    assert!(!says(&window));
}

/// Figures of one run are never told of another.
#[test]
fn statistics_are_of_the_run_on_screen() {
    let mut window = window();
    act(&mut window, Action::OpenTab("statistics"));
    let says = |window: &Window| {
        let found = window.harness.query_all_by_label_contains("In view · ");
        found.count() > 0
    };
    until(&mut window, says);
    choose(&mut window, "diamond");
    assert!(!says(&window));
    window.answer(records("diamond"));
    // A run that has ended is summed up first.
    act(&mut window, Action::OpenTab("statistics"));
    until(&mut window, says);
}

/// Records of a run have one place to go to.
#[test]
fn a_run_under_way_stays_on_screen() {
    let mut window = window();
    let first = shown(&window);
    window.engine.send(Message::Phase(Phase::Running)).unwrap();
    window.harness.run();
    choose(&mut window, "diamond");
    assert_eq!(shown(&window), first);
    window.engine.send(Message::Phase(Phase::Idle)).unwrap();
    window.harness.run();
    assert_eq!(shown(&window), first);
    act(&mut window, Command::Rerun.into());
    assert_eq!(shown(&window).0, None, "the next run has the screen");
    choose(&mut window, "double-buffer");
    assert_eq!(shown(&window), first);
}

/// What a small window cuts off comes back with a larger one.
#[test]
fn the_sides_are_as_wide_as_before_a_window_was_small() {
    let mut window = window();
    let width = |window: &Window| window.harness.state().timeline_areas().whole.width();
    let before = width(&window);
    for size in [[800.0, 500.0], SIZE] {
        window.harness.set_size(size.into());
        window.harness.run_steps(SETTLED);
    }
    assert!((width(&window) - before).abs() < 1.0, "{before}");
}

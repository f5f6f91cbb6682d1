//! What the window selects once a run has ended.

use app::action::Action;
use app::state::ThemeChoice;
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use engine::record::{DependencyKind, SpanId, SpanKind};
use engine::runner::{Message, Phase};

use super::{Window, records};

const SIZE: [f32; 2] = [1280.0, 800.0];

fn selected(window: &Window) -> Option<SpanId> {
    window.harness.state().scene().state.selection.span
}

/// After each run, and not only after the first of a start.
#[test]
fn the_wait_that_tells_most_is_selected_after_every_run() {
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    for workload in ["double-buffer", "fork-join", "double-buffer"] {
        window.answer(records(workload));
        let scene = window.harness.state().scene();
        let wait = scene.capture.span(selected(&window).unwrap()).unwrap();
        assert_eq!(wait.span.kind, SpanKind::EventWait, "{workload}");
        let mut causes = scene.capture.causes(wait.span.id);
        let is_event = causes.any(|id| {
            let dependency = scene.capture.dependency(id);
            dependency.is_some_and(|it| it.kind == DependencyKind::Event)
        });
        assert!(is_event && wait.span.end > wait.span.start, "{workload}");
    }
}

/// What a newcomer sees: the run, its telling wait, a line on that, and the way to the first lesson.
#[test]
fn the_first_start_looks_as_it_should() {
    let mut results = SnapshotResults::new();
    for (theme, name) in [
        (ThemeChoice::Dark, "first-start-dark"),
        (ThemeChoice::Light, "first-start-light"),
    ] {
        let mut window = Window::first_start(SIZE, theme);
        window.answer(records("double-buffer"));
        window
            .harness
            .get_by_label_contains("is a wait: copy waited");
        window.harness.get_by_label("Take the first lesson");
        results.add(window.harness.try_snapshot(name));
    }
    // Who was greeted once is not again, and another run greets nobody.
    let mut window = Window::first_start(SIZE, ThemeChoice::Dark);
    window.answer(records("double-buffer"));
    window.harness.get_by_label("Take the first lesson").click();
    window.harness.run_steps(4);
    assert!(window.harness.state().scene().state.settings.greeted);
}

#[test]
fn what_should_have_waited_is_selected_where_there_is_a_race() {
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    window.answer(records("missing-wait"));
    let scene = window.harness.state().scene();
    let mut findings = scene.capture.findings().iter();
    let race = findings.find(|it| it.code == "race").unwrap();
    assert_eq!(selected(&window), race.spans.get(1).copied());
    // The program names the upload first, and the kernel reads what it writes.
    let kernel = scene.capture.span(race.spans[1]).unwrap();
    assert_eq!(kernel.span.kind, SpanKind::Kernel);
}

#[test]
fn what_the_user_selects_meanwhile_stays() {
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    let all = records("double-buffer");
    let end = all.len() - 1;
    let (most, rest) = all.split_at(end);
    let began = [
        Message::Started { run: 1 },
        Message::Phase(Phase::Running),
        Message::Batch(most.to_vec()),
    ];
    for message in began {
        window.engine.send(message).unwrap();
    }
    window.harness.run_steps(4);
    let first = window.harness.state().scene().capture.spans().next();
    let own = first.unwrap().span.id;
    window
        .harness
        .state_mut()
        .act(vec![Action::Select(Some(own))], None);
    let ends = [
        Message::Batch(rest.to_vec()),
        Message::Phase(Phase::Idle),
        Message::Finished { run: 1, lost: 0 },
    ];
    for message in ends {
        window.engine.send(message).unwrap();
    }
    window.harness.run();
    assert_eq!(selected(&window), Some(own));
}

//! Pictures of roles and automatic waits, of a machine's instructions, and of the memory lane.

use app::action::Action;
use app::state::{Switch, ThemeChoice};
use egui_kittest::SnapshotResults;
use engine::record::DependencyKind;

use super::Window;

const SIZE: [f32; 2] = [900.0, 600.0];

/// A window in which a workload ran; an inserted wait is selected where there is one.
fn window(theme: ThemeChoice, workload: &str) -> Window {
    let mut window = Window::with_run(SIZE, theme, workload);
    let app = window.harness.state_mut();
    let capture = app.scene().capture;
    let ties = capture.spans().flat_map(|it| {
        let causes = capture.causes(it.span.id);
        causes.filter_map(|id| capture.dependency(id))
    });
    let inserted = ties.filter(|tie| tie.kind == DependencyKind::Automatic);
    let last = inserted.map(|tie| tie.effect).max();
    let hide = [Switch::Left, Switch::Bottom].map(|it| Action::Set(it, false));
    app.act(Vec::from(hide), None);
    app.act(vec![Action::Select(last)], None);
    window.harness.run();
    window
}

#[test]
fn roles_waits_instructions_and_memory_look_as_they_should() {
    let mut results = SnapshotResults::new();
    for (theme, workload, name) in [
        (ThemeChoice::Dark, "automatic-waits", "automatic-waits-dark"),
        (ThemeChoice::Light, "instructions", "instructions-light"),
        (ThemeChoice::Dark, "stream-ordered-memory", "memory-dark"),
    ] {
        let mut window = window(theme, workload);
        results.add(window.harness.try_snapshot(name));
    }
}

//! The pictures of the README: a storm of pipelines, and a loss with recovery, both run in virtual time.

use app::action::Action;
use app::state::{ThemeChoice, Topic};
use egui_kittest::SnapshotResults;
use engine::record::{PipelineId, PipelineState};

use super::Window;

const SIZE: [f32; 2] = [1280.0, 800.0];

/// A window in which `workload` ran, with this tab open.
fn window(workload: &str, theme: ThemeChoice, tab: &'static str) -> Window {
    let mut window = Window::with_run(SIZE, theme, workload);
    let actions = vec![Action::OpenTab(tab)];
    window.harness.state_mut().act(actions, None);
    window.harness.run();
    window
}

#[test]
fn a_storm_of_pipelines_looks_as_it_should() {
    let mut results = SnapshotResults::new();
    for (theme, name) in [
        (ThemeChoice::Dark, "pipelines-dark"),
        (ThemeChoice::Light, "pipelines-light"),
    ] {
        let mut window = window("compile-storm", theme, "pipelines");
        let pipelines = window.harness.state().scene().capture.pipelines();
        let compiled = pipelines.iter().filter(|stages| {
            stages.compile_time().is_some() && stages.state() == PipelineState::Ready
        });
        let middle: Option<PipelineId> = compiled.map(|stages| stages.pipeline.id).nth(17);
        let topic = Topic::Pipeline(middle.expect("the storm compiles more than that"));
        let actions = vec![Action::SelectTopic(topic)];
        window.harness.state_mut().act(actions, None);
        window.harness.run();
        results.add(window.harness.try_snapshot(name));
    }
}

#[test]
fn a_loss_with_recovery_looks_as_it_should() {
    let mut results = SnapshotResults::new();
    for (theme, name) in [
        (ThemeChoice::Dark, "loss-dark"),
        (ThemeChoice::Light, "loss-light"),
    ] {
        let mut window = window("loss-and-recovery", theme, "promises");
        let scene = window.harness.state().scene();
        assert_eq!(scene.capture.losses().len(), 1);
        assert_eq!(scene.capture.recoveries().len(), 1);
        let actions = vec![Action::SelectTopic(Topic::Loss(0))];
        window.harness.state_mut().act(actions, None);
        window.harness.run();
        results.add(window.harness.try_snapshot(name));
    }
}

//! What a screen reader finds on the timeline: a list a lane, an item a span, and which span is selected.

use app::action::Action;
use app::state::ThemeChoice;
use eframe::egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _, by};
use engine::record::{SpanId, SpanKind};

use super::Window;

fn labels(window: &Window, role: Role) -> Vec<String> {
    let nodes = window.harness.query_all(by().role(role));
    nodes.filter_map(|it| it.accesskit_node().label()).collect()
}

/// The spans in view of a run whose names are the lanes' own are told from the capture, and not from what was painted.
#[test]
fn every_span_in_view_is_an_item_of_its_lane_and_can_be_chosen() {
    let mut window = Window::with_run([1280.0, 800.0], ThemeChoice::Dark, "fork-join");
    window.harness.run_steps(4);
    let (expected, kernel) = {
        let capture = window.harness.state().scene().capture;
        let kernels = capture
            .spans()
            .filter(|it| it.span.kind == SpanKind::Kernel);
        let name = |id: SpanId| {
            let placed = capture.span(id).unwrap();
            capture.name(placed.span.name).to_owned()
        };
        let all: Vec<(SpanId, String)> = kernels.map(|it| (it.span.id, name(it.span.id))).collect();
        (all.clone(), all[0].clone())
    };
    let items = labels(&window, Role::ListItem);
    for (_, name) in &expected {
        let told = format!("{name}, kernel, ");
        let own = expected.iter().filter(|it| it.1 == *name).count();
        let found = items.iter().filter(|it| it.starts_with(&told)).count();
        assert_eq!(found, own, "{name} in {items:?}");
    }
    let lists = labels(&window, Role::List);
    assert!(lists.iter().any(|it| it.contains("in view")), "{lists:?}");

    let told = format!("{}, kernel, ", kernel.1);
    let all = window.harness.query_all(by().role(Role::ListItem));
    let item = all.into_iter().find(|it| {
        let label = it.accesskit_node().label();
        label.is_some_and(|it| it.starts_with(&told))
    });
    item.unwrap().click_accesskit();
    window.harness.run_steps(4);
    let selected = window.harness.state().scene().state.selection.span;
    assert!(
        expected
            .iter()
            .any(|it| Some(it.0) == selected && it.1 == kernel.1)
    );
    let status = labels(&window, Role::Status);
    let said = format!("Selected: {}, kernel, ", kernel.1);
    assert!(status.iter().any(|it| it.starts_with(&said)), "{status:?}");

    window
        .harness
        .state_mut()
        .act(vec![Action::Select(None)], None);
    window.harness.run_steps(4);
    let status = labels(&window, Role::Status);
    assert!(
        status.contains(&"No span is selected".to_owned()),
        "{status:?}"
    );
}

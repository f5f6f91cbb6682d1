//! What colours of spans say, and the line that tells it.

use std::collections::BTreeSet;

use app::action::{Action, Command};
use app::state::{Switch, ThemeChoice, ViewChange};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use engine::record::{Role, SpanKind, Value};
use engine::time::Interval;

use super::Window;
use super::opened_captures::{THEMES, opened};
use super::recorded_fixtures::{kineto, ranks};

const SIZE: [f32; 2] = [1280.0, 800.0];

fn act(window: &mut Window, action: Action) {
    window.harness.state_mut().act(vec![action], None);
    window.harness.run();
}

/// What the legend says, from its heading on.
fn legend(window: &Window) -> (String, BTreeSet<String>) {
    let node = window.harness.get_by_label_contains("Colour: ");
    let words = node.accesskit_node().value().unwrap();
    let words = words.strip_prefix("Colour: ").unwrap();
    let (heading, labels) = words.split_once(": ").unwrap();
    let labels = labels.split(", ").map(str::to_owned).collect();
    (heading.to_owned(), labels)
}

/// The capture says which kinds and roles there are, apart from the timeline.
#[test]
fn the_legend_names_what_is_in_view_and_no_more() {
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer");
    let (heading, labels) = legend(&window);
    assert_eq!(heading, "what a stream is for");
    for role in [Role::Compute, Role::HostToDevice, Role::DeviceToHost] {
        assert!(labels.contains(role.label()), "{role:?}: {labels:?}");
    }
    act(&mut window, Command::ColourByKind.into());
    let capture = window.harness.state().scene().capture;
    let kinds = |within: Interval| -> BTreeSet<String> {
        let spans = capture.spans().filter(|it| it.interval().overlaps(within));
        let lanes = |it| {
            capture
                .lane(it)
                .is_some_and(|lane| lane.role != Role::Queue)
        };
        let spans = spans.filter(|it| lanes(it.span.lane));
        spans.map(|it| it.span.kind.label().to_owned()).collect()
    };
    let whole = capture.extent().unwrap();
    assert_eq!(legend(&window), ("kind".to_owned(), kinds(whole)));
    let download = capture
        .spans()
        .find(|it| it.span.kind == SpanKind::Download && it.interval().length().0 > 1_000);
    let inside = download.unwrap().interval();
    let (third, expected) = (inside.length().0 / 3, kinds);
    let view = Interval::new(
        inside.start + engine::time::Nanos(third),
        inside.end - engine::time::Nanos(third),
    );
    let expected = expected(view);
    act(&mut window, Action::Show(Some(view), ViewChange::Jump));
    assert_eq!(legend(&window).1, expected);
    act(&mut window, Action::Set(Switch::Legend, false));
    assert!(window.harness.query_by_label_contains("Colour: ").is_none());
}

#[test]
fn spans_are_coloured_by_a_field_and_the_legend_names_its_values() {
    let mut pictures = SnapshotResults::new();
    for (theme, name) in THEMES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rank0.json");
        std::fs::write(&path, kineto(&ranks(8)[0], 0, 8)).unwrap();
        let mut window = opened(theme, [1280.0, 560.0], vec![path]);
        for menu in ["View", "Colours"] {
            window.harness.get_by_label_contains(menu).click();
            window.harness.run();
        }
        window
            .harness
            .get_by_label_contains("Colour by field")
            .click();
        window.harness.run();
        window.harness.get_by_label("stream").click();
        window.harness.run();
        let (heading, labels) = legend(&window);
        let capture = window.harness.state().scene().capture;
        let mut values: BTreeSet<String> = BTreeSet::new();
        for placed in capture.spans() {
            let mut fields = capture.arguments(placed.span.id);
            values.insert(match fields.find(|it| it.0 == "stream") {
                Some((_, Value::Integer(value))) => value.to_string(),
                Some(other) => panic!("{other:?}"),
                None => "without it".to_owned(),
            });
        }
        assert!(values.len() > 2, "{values:?}");
        assert_eq!((heading.as_str(), labels), ("stream", values));
        pictures.add(
            window
                .harness
                .try_snapshot(format!("coloured-by-field-{name}")),
        );
        // Another choice of colours ends it.
        act(&mut window, Command::ColourByName.into());
        assert_eq!(legend(&window).0, "name");
    }
}

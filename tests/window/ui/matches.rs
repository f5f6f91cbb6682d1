//! The search lists its matches, and goes to one without losing the zoom.

use app::action::Action;
use app::state::{ThemeChoice, ViewChange};
use egui_kittest::kittest::Queryable as _;
use engine::record::SpanKind;
use engine::time::{Interval, Nanos};

use super::Window;

const SIZE: [f32; 2] = [1280.0, 800.0];

fn search(window: &mut Window, text: &str) -> usize {
    let act = vec![Action::Search(text.to_owned())];
    window.harness.state_mut().act(act, None);
    window.harness.run_steps(3);
    window.harness.state().scene().status.found.count
}

/// Counted by a walk over every span.
fn counted(window: &Window, wanted: impl Fn(&engine::capture::PlacedSpan, &str) -> bool) -> usize {
    let capture = window.harness.state().scene().capture;
    let matches = capture
        .spans()
        .filter(|it| wanted(it, capture.name(it.span.name)));
    matches.count()
}

#[test]
fn spans_are_found_by_name_kind_lane_and_length() {
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer");
    let capture = window.harness.state().scene().capture;
    let copy = capture
        .lanes()
        .iter()
        .find(|lane| lane.name == "copy")
        .unwrap()
        .id;
    let of_kind = counted(&window, |it, _| it.span.kind == SpanKind::Upload);
    assert_eq!(search(&mut window, "kind:upload"), of_kind);
    let of_lane = counted(&window, |it, name| {
        it.span.lane == copy && name.contains("wait")
    });
    assert_eq!(search(&mut window, "wait lane:copy"), of_lane);
    let long = |it: &engine::capture::PlacedSpan| it.interval().length() > Nanos::from_micros(100);
    let of_length = counted(&window, |it, _| long(it));
    assert_eq!(search(&mut window, ">100us"), of_length);
    assert!(of_kind > 0 && of_lane > 0 && of_length > 0);
    assert_eq!(search(&mut window, "kind:upload kind:download"), 0);
}

#[test]
fn a_match_of_the_list_is_gone_to_at_the_same_zoom() {
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer");
    let count = search(&mut window, "upload x");
    let extent = window.harness.state().scene().capture.extent().unwrap();
    let zoomed = Interval::new(extent.start, extent.start + Nanos(extent.length().0 / 20));
    let act = vec![
        Action::Show(Some(zoomed), ViewChange::Jump),
        Action::OpenTab("matches"),
    ];
    window.harness.state_mut().act(act, None);
    window.harness.run();
    let rows: Vec<_> = window
        .harness
        .query_all_by_label_contains("upload x")
        .collect();
    assert!(rows.len() >= count.min(4), "{} rows", rows.len());
    drop(rows);
    // The latest match first, which lies outside the view.
    for _ in 0..2 {
        window.harness.get_by_label("start").click();
        window.harness.run();
    }
    let rows = window.harness.get_all_by_label_contains(" · upload · copy");
    rows.into_iter().next().unwrap().click();
    window.harness.run();
    let scene = window.harness.state().scene();
    let chosen = scene
        .capture
        .span(scene.state.selection.span.unwrap())
        .unwrap();
    assert!(scene.capture.name(chosen.span.name).starts_with("upload x"));
    let shown = scene.state.view.interval.unwrap();
    assert_eq!(shown.length(), zoomed.length());
    assert!(shown.contains(chosen.span.start));
}

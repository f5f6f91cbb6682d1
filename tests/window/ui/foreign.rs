//! Pictures of captures that tools without a GPU made: JAX over four devices, and Chromium.

use app::action::Action;
use app::state::{GroupKey, Switch, ThemeChoice, ViewChange};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use engine::record::{DependencyId, DependencyKind, Group, SpanId};
use engine::time::{Interval, Nanos};

use super::Window;
use super::opened_captures::{THEMES, effect, opened, select};
use crate::formats::real;
use crate::house::root;

/// A part of a collective operation, on a stream, that waited longest for the last to come.
fn on_stream(window: &Window) -> SpanId {
    let capture = window.harness.state().scene().capture;
    let ids = (0..capture.dependency_count() as u32).map(DependencyId);
    let ties = ids.filter_map(|id| capture.dependency(id));
    let parts = ties
        .filter(|it| it.kind == DependencyKind::Collective)
        .filter_map(|it| {
            let (last, part) = (capture.span(it.cause)?.span, capture.span(it.effect)?.span);
            let lane = capture.lane(part.lane)?;
            (lane.group == Group::Streams).then_some((last.start - part.start, it.effect))
        });
    parts.max().expect("no collective operation").1
}

/// Shows what happened around a span, so far before and after it, in microseconds.
fn show_around(window: &mut Window, start: Nanos, (before, after): (i64, i64)) {
    let (before, after) = (Nanos::from_micros(before), Nanos::from_micros(after));
    let range = Interval::new(start - before, start + after);
    let app = window.harness.state_mut();
    app.act(vec![Action::Show(Some(range), ViewChange::Jump)], None);
    window.harness.run();
}

/// Four devices meet for a sum; an operation that waited for the last to come is chosen.
#[test]
fn jax_over_four_devices_shows_who_came_last() {
    let path = root().join("tests/data/captures/jax-devices.xplane.pb.gz");
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = opened(theme, [1200.0, 760.0], vec![path.clone()]);
        let hosts = GroupKey {
            group: Group::Host,
            device: u32::MAX,
        };
        let fold = vec![Action::Collapse(hosts)];
        window.harness.state_mut().act(fold, None);
        let held = on_stream(&window);
        let capture = window.harness.state().scene().capture;
        let streams = capture
            .lanes()
            .iter()
            .filter(|it| it.group == Group::Streams);
        assert_eq!(streams.count(), 4);
        let start = capture.span(held).unwrap().span.start;
        select(&mut window, held, true);
        show_around(&mut window, start, (1_200, 5_600));
        let name = format!("opened-jax-{suffix}");
        results.add(window.harness.try_snapshot(name));
    }
}

/// A capture of nothing but ranges has no overview, and is not called unfinished.
#[test]
fn an_opened_capture_of_ranges_says_that_they_have_no_causes() {
    let path = root().join("tests/data/captures/flow-phases.pftrace");
    let mut window = opened(ThemeChoice::Dark, [1200.0, 760.0], vec![path]);
    let open = [
        Action::Set(Switch::Bottom, true),
        Action::OpenTab("overview"),
    ];
    window.harness.state_mut().act(open.to_vec(), None);
    window.harness.run();
    let words = "ranges that programs name have no causes";
    assert_eq!(window.harness.query_all_by_label_contains(words).count(), 1);
}

/// Threads of several processes and asynchronous lanes, none of them a stream.
#[test]
fn chromium_shows_processes_and_no_streams() {
    let Some(path) = real::path("fresh/chromium.pftrace.gz") else {
        return;
    };
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = opened(theme, [1200.0, 760.0], vec![path.clone()]);
        let target = effect(&window, DependencyKind::Flow, 0.03);
        let capture = window.harness.state().scene().capture;
        assert!(capture.lanes().iter().all(|it| it.group == Group::Host));
        let start = capture.span(target).unwrap().span.start;
        select(&mut window, target, false);
        show_around(&mut window, start, (10_000, 30_000));
        let name = format!("opened-chromium-{suffix}");
        results.add(window.harness.try_snapshot(name));
    }
}

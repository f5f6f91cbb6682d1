//! A capture that is played again: its head, its speed, its range, and its edges.

use app::action::{Action, Command};
use app::state::{Playback, ThemeChoice, ViewChange};
use eframe::egui::Key;
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use engine::time::{Interval, Nanos};

use super::Window;
use super::opened_captures::{THEMES, opened};
use super::recorded_fixtures::{kineto, ranks};

const SIZE: [f32; 2] = [1200.0, 460.0];

fn window(theme: ThemeChoice) -> Window {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("train.json");
    std::fs::write(&path, kineto(&ranks(1)[0], 0, 1)).unwrap();
    opened(theme, SIZE, vec![path])
}

fn play(window: &Window) -> Playback {
    window.harness.state().scene().state.playback.unwrap()
}

fn act(window: &mut Window, action: Action) {
    window.harness.state_mut().act(vec![action], None);
}

#[test]
fn space_plays_an_opened_capture_and_holds_it() {
    let mut window = window(ThemeChoice::Dark);
    window.harness.key_press(Key::Space);
    window.harness.run_steps(2);
    let begun = play(&window);
    assert!(begun.is_playing);
    window.harness.run_steps(8);
    assert!(play(&window).at > begun.at);
    window.harness.key_press(Key::Space);
    window.harness.run_steps(2);
    let held = play(&window);
    window.harness.run_steps(4);
    assert!(!held.is_playing && play(&window) == held);
    assert!(
        window.asked().is_empty(),
        "playing asks nothing of the engine"
    );
    act(&mut window, Action::SetPlayback(None));
    window.harness.run();
    assert!(window.harness.query_by_label("Pause").is_none());
}

#[test]
fn a_range_is_played_over_and_over() {
    let mut window = window(ThemeChoice::Dark);
    let range = Interval::new(Nanos::from_micros(100), Nanos::from_micros(300));
    act(&mut window, Action::SelectRange(Some(range)));
    act(&mut window, Command::Play.into());
    let looped = Playback {
        is_looped: true,
        at: range.end - Nanos(1),
        slower: 1,
        ..play(&window)
    };
    act(&mut window, Action::SetPlayback(Some(looped)));
    window.harness.run_steps(1);
    let again = play(&window);
    assert!(again.is_playing && range.contains(again.at), "{again:?}");
    let once = Playback {
        is_looped: false,
        ..looped
    };
    act(&mut window, Action::SetPlayback(Some(once)));
    window.harness.run_steps(1);
    assert_eq!(
        (play(&window).at, play(&window).is_playing),
        (range.end, false)
    );
}

/// The edges are those of the spans, each once, forth and back.
#[test]
fn the_head_goes_from_edge_to_edge() {
    let mut window = window(ThemeChoice::Dark);
    let mut edges: Vec<Nanos> = {
        let capture = window.harness.state().scene().capture;
        let spans = capture.spans().map(|it| it.interval());
        spans.flat_map(|it| [it.start, it.end]).collect()
    };
    edges.sort_unstable();
    edges.dedup();
    let first = window
        .harness
        .state()
        .scene()
        .capture
        .extent()
        .unwrap()
        .start;
    let expected: Vec<Nanos> = edges.into_iter().filter(|it| *it > first).collect();
    let mut gone = Vec::new();
    for _ in 0..expected.len() {
        act(&mut window, Command::NextEdge.into());
        gone.push(play(&window).at);
        let scene = window.harness.state().scene();
        let span = scene
            .state
            .selection
            .span
            .and_then(|id| scene.capture.span(id));
        let Interval { start, end } = span.unwrap().interval();
        assert!([start, end].contains(&play(&window).at));
    }
    assert_eq!(gone, expected);
    for edge in expected.iter().rev().skip(1) {
        act(&mut window, Command::PreviousEdge.into());
        assert_eq!(play(&window).at, *edge);
    }
}

#[test]
fn the_view_goes_with_the_head() {
    let mut window = window(ThemeChoice::Dark);
    let view = Interval::new(Nanos::from_micros(10), Nanos::from_micros(60));
    act(&mut window, Action::Show(Some(view), ViewChange::Jump));
    act(&mut window, Command::Play.into());
    let far = Playback {
        at: Nanos::from_micros(400),
        ..play(&window)
    };
    act(&mut window, Action::SetPlayback(Some(far)));
    let shown = window.harness.state().scene().state.view.interval.unwrap();
    assert!(shown.contains(far.at));
    assert_eq!(shown.length(), view.length());
}

#[test]
fn playing_looks_as_it_should() {
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = window(theme);
        act(&mut window, Command::Play.into());
        let held = Playback {
            at: Nanos::from_micros(520),
            is_playing: false,
            ..play(&window)
        };
        act(&mut window, Action::SetPlayback(Some(held)));
        window.harness.run();
        results.add(window.harness.try_snapshot(format!("playback-{suffix}")));
    }
}

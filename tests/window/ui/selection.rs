//! Several spans chosen together: by clicks, along a lane, under a band, and what they come to.

use app::action::Action;
use app::state::{ThemeChoice, ViewChange};
use eframe::egui::{Event, Modifiers, PointerButton, Pos2, pos2};
use egui_kittest::kittest::Queryable as _;
use engine::record::SpanId;
use engine::time::{Interval, Nanos};

use super::Window;

const SIZE: [f32; 2] = [1280.0, 800.0];

/// A window in which the lane `copy` alone is shown, with its first spans in view.
fn window() -> (Window, Vec<SpanId>) {
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer");
    let (lane, spans, interval) = {
        let capture = window.harness.state().scene().capture;
        let mut lanes = capture.lanes().iter();
        let lane = lanes.find(|it| it.name == "compute").unwrap().id;
        let long = capture
            .spans()
            .filter(|it| it.span.lane == lane && it.depth == 0);
        let mut long: Vec<_> = long
            .filter(|it| it.interval().length() > Nanos(500_000))
            .collect();
        long.sort_by_key(|it| it.span.start);
        let spans: Vec<SpanId> = long.iter().map(|it| it.span.id).collect();
        let end = long[4].span.end;
        (
            lane,
            spans,
            Interval::new(long[0].span.start - Nanos(1_000), end),
        )
    };
    let act = vec![
        Action::ShowOnly(vec![lane]),
        Action::Show(Some(interval), ViewChange::Jump),
    ];
    window.harness.state_mut().act(act, None);
    window.harness.run();
    (window, spans)
}

/// Where the middle of a span is on screen: its lane is the only one, below the name of its group.
fn middle(window: &Window, span: SpanId) -> Pos2 {
    let scene = window.harness.state().scene();
    let body = window.harness.state().timeline_areas().body;
    let shown = scene.state.view.interval.unwrap();
    let placed = scene.capture.span(span).unwrap().interval();
    let middle = placed.start.0 + placed.length().0 / 2 - shown.start.0;
    let share = middle as f32 / shown.length().0 as f32;
    pos2(body.left() + share * body.width(), body.top() + 38.0)
}

fn press(window: &mut Window, (from, to): (Pos2, Pos2), modifiers: Modifiers) {
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers,
    };
    window.harness.event(Event::ModifiersChanged(modifiers));
    window.harness.event(Event::PointerMoved(from));
    window.harness.step();
    window.harness.event(button(from, true));
    window.harness.step();
    if from != to {
        for step in 1_u8..=4 {
            let at = from + (to - from) * (f32::from(step) / 4.0);
            window.harness.event(Event::PointerMoved(at));
            window.harness.step();
        }
    }
    window.harness.event(button(to, false));
    window.harness.step();
    window
        .harness
        .event(Event::ModifiersChanged(Modifiers::NONE));
    window.harness.run();
}

fn chosen(window: &Window) -> Vec<SpanId> {
    let selection = &window.harness.state().scene().state.selection;
    selection.group.iter().copied().collect()
}

#[test]
fn spans_are_chosen_one_by_one_and_along_their_lane() {
    let (mut window, spans) = window();
    let [first, second, third] = [spans[0], spans[1], spans[2]];
    let at = |window: &Window, span| {
        let at = middle(window, span);
        (at, at)
    };
    let place = at(&window, first);
    press(&mut window, place, Modifiers::NONE);
    assert!(chosen(&window).is_empty());
    let place = at(&window, third);
    press(&mut window, place, Modifiers::COMMAND);
    let mut both = vec![first, third];
    both.sort_unstable();
    assert_eq!(chosen(&window), both);
    press(&mut window, place, Modifiers::COMMAND);
    assert!(chosen(&window).is_empty(), "chosen once more, it is not");

    let place = at(&window, first);
    press(&mut window, place, Modifiers::NONE);
    let place = at(&window, third);
    press(&mut window, place, Modifiers::SHIFT);
    let all = chosen(&window);
    assert!([first, second, third].iter().all(|span| all.contains(span)));
}

#[test]
fn a_band_chooses_what_lies_under_it_and_its_figures_are_told() {
    let (mut window, spans) = window();
    let (from, to) = (middle(&window, spans[0]), middle(&window, spans[2]));
    let (from, to) = (
        from - eframe::egui::vec2(0.0, 8.0),
        to + eframe::egui::vec2(0.0, 8.0),
    );
    press(&mut window, (from, to), Modifiers::SHIFT);
    let all = chosen(&window);
    assert!(spans[..3].iter().all(|span| all.contains(span)), "{all:?}");
    let sum: i64 = {
        let capture = window.harness.state().scene().capture;
        let lengths = all
            .iter()
            .map(|span| capture.span(*span).unwrap().interval().length().0);
        lengths.sum()
    };
    let act = vec![Action::OpenTab("selection")];
    window.harness.state_mut().act(act, None);
    window.harness.run();
    let words = format!(
        "{} spans · {} added up",
        all.len(),
        app::text::duration(Nanos(sum))
    );
    window.harness.get_by_label_contains(&words);
    let act = vec![Action::Select(None)];
    window.harness.state_mut().act(act, None);
    window.harness.run();
    assert!(chosen(&window).is_empty());
}

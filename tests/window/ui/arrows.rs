//! Arrows on the timeline: the menu of one, and all of them at once.

use app::action::Command;
use app::state::ThemeChoice;
use eframe::egui::{Event, PointerButton, Pos2, pos2};
use egui_kittest::kittest::Queryable as _;

use super::{SETTLED, Window, click, records};

/// A window with all arrows of a run.
fn window() -> Window {
    let mut window = Window::new([1280.0, 800.0], ThemeChoice::Dark);
    window.answer(records("double-buffer"));
    window
}

/// A place on which the pointer is on an arrow of the span that is selected.
fn on_an_arrow(window: &mut Window) -> Pos2 {
    let body = window.harness.state().timeline_areas().body;
    let mut y = body.top();
    while y < body.bottom() {
        let mut x = body.left();
        while x < body.right() {
            let at = pos2(x, y);
            window.harness.event(Event::PointerMoved(at));
            window.harness.run_steps(2);
            let scene = window.harness.state().scene();
            if scene.state.hover.dependency.is_some() && scene.state.hover.span.is_none() {
                return at;
            }
            x += 60.0;
        }
        y += 3.0;
    }
    panic!("no arrow is on screen");
}

#[test]
fn the_menu_of_an_arrow_leads_to_its_ends() {
    let mut window = window();
    let at = on_an_arrow(&mut window);
    let scene = window.harness.state().scene();
    let id = scene.state.hover.dependency.unwrap();
    let dependency = scene.capture.dependency(id).unwrap();
    click(&mut window, at, PointerButton::Secondary);
    for entry in ["Go to its effect", "Select it", "Copy as text"] {
        window.harness.get_by_label(entry);
    }
    window.harness.get_by_label("Go to its cause").click();
    window.harness.run();
    let selection = &window.harness.state().scene().state.selection;
    assert_eq!(selection.span, Some(dependency.cause));
}

/// They are told of in the status bar, and go when they are turned off.
#[test]
fn all_arrows_are_counted_and_few_lines_stand_for_many() {
    let mut window = window();
    let arrows = |window: &Window| window.harness.state().scene().status.arrows;
    assert_eq!(arrows(&window), None);
    let toggle = |window: &mut Window| {
        let all = vec![Command::AllArrows.into()];
        window.harness.state_mut().act(all, None);
        window.harness.run();
    };
    toggle(&mut window);
    let found = arrows(&window).unwrap();
    assert!(
        found.arrows > 20 && found.lines <= found.arrows,
        "{found:?}"
    );
    window.harness.get_by_label_contains(&found.to_string());
    // A narrow window has room for fewer lines.
    window.harness.set_size([800.0, 500.0].into());
    window.harness.run_steps(SETTLED);
    let narrow = arrows(&window).unwrap();
    assert!(narrow.lines < found.lines, "{narrow:?}, {found:?}");
    toggle(&mut window);
    assert_eq!(arrows(&window), None);
}

/// *Hold calls* is a button of its own: it holds the host threads, and lets them go on.
#[test]
fn calls_are_held_by_their_own_button() {
    use engine::runner::{Control, Message, Phase};
    let mut window = Window::new([1440.0, 800.0], ThemeChoice::Dark);
    window.engine.send(Message::Phase(Phase::Running)).unwrap();
    window.harness.run();
    window.harness.get_by_label("Hold calls").click();
    window.harness.run();
    assert_eq!(window.asked(), [Control::Pause]);
    window.engine.send(Message::Phase(Phase::Paused)).unwrap();
    window.harness.run();
    window.harness.get_by_label("Hold calls").click();
    window.harness.run();
    assert_eq!(window.asked(), [Control::Resume]);
}

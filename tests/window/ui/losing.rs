//! Losing a device and bringing it back: what the button, its menu, the keys and the markers ask for.

use app::action::{Action, Command};
use app::state::{ThemeChoice, Topic};
use eframe::egui::{Event, Key, Modifiers, PointerButton, Pos2, Role, pos2};
use egui_kittest::kittest::Queryable as _;
use engine::record::Record;
use engine::runner::{Control, Message, Phase, RecoveryMode, RunRequest};
use engine::time::Nanos;
use engine::workload::{Injection, LossBy, LossMoment};

use super::{Window, pipeline_load};

const SIZE: [f32; 2] = [1280.0, 800.0];

fn window() -> Window {
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    window.answer(pipeline_load::records(8));
    window
}

fn phase(window: &mut Window, phase: Phase) {
    window.engine.send(Message::Phase(phase)).unwrap();
    window.harness.run();
}

fn driver(at: LossMoment) -> Injection {
    let by = LossBy::Driver;
    Injection { by, at }
}

/// A run that lost its device and was not recovered.
fn lost(window: &mut Window) {
    let is_kept = |record: &Record| !matches!(record, Record::Recovery(_) | Record::End(_));
    let records = pipeline_load::records(8).into_iter().filter(is_kept);
    window.engine.send(Message::Started { run: 2 }).unwrap();
    window
        .engine
        .send(Message::Batch(records.collect()))
        .unwrap();
    phase(window, Phase::Paused);
}

/// Presses the primary button at `from`, goes to `to` in steps, and lets go.
fn drag(window: &mut Window, from: Pos2, to: Pos2) {
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.harness.event(Event::PointerMoved(from));
    window.harness.step();
    window.harness.event(button(from, true));
    window.harness.step();
    for step in 1_u8..=4 {
        let at = from + (to - from) * (f32::from(step) / 4.0);
        window.harness.event(Event::PointerMoved(at));
        window.harness.step();
    }
    window.harness.event(button(to, false));
    window.harness.step();
    window.harness.run();
}

fn click(window: &mut Window, at: Pos2) {
    for pressed in [true, false] {
        window.harness.event(Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
        window.harness.step();
    }
    window.harness.run();
}

fn armed(window: &Window) -> Vec<Injection> {
    window.harness.state().scene().state.armed().to_vec()
}

fn request(asked: Vec<Control>) -> RunRequest {
    let run = asked.into_iter().find_map(|control| match control {
        Control::Run(request) => Some(*request),
        _ => None,
    });
    run.unwrap()
}

#[test]
fn a_key_loses_the_device_of_a_run_and_holds_it() {
    let mut window = window();
    window.harness.key_press(Key::K);
    window.harness.run();
    assert!(window.asked().is_empty());
    window.harness.get_by_label_contains("Nothing runs");
    phase(&mut window, Phase::Running);
    window.harness.key_press(Key::K);
    window.harness.run();
    let expected = [Control::Pause, Control::Lose(driver(LossMoment::Now))];
    assert_eq!(window.asked(), expected);
}

#[test]
fn the_menu_says_how_and_when() {
    let mut window = window();
    phase(&mut window, Phase::Running);
    window.harness.get_by_label("Lose device").click();
    window.harness.run();
    window
        .harness
        .get_by_label("As a call of destroy()")
        .click();
    window.harness.run();
    window
        .harness
        .get_by_label("Go on without the device")
        .click();
    window.harness.run();
    window.harness.get_by_label("While a stream runs").click();
    window.harness.run();
    window
        .harness
        .get_by_role_and_label(Role::Button, "copy")
        .click();
    window.harness.run();
    let injection = Injection {
        by: LossBy::Destroy,
        at: LossMoment::Stream("copy".to_owned()),
    };
    assert_eq!(window.asked(), [Control::Lose(injection.clone())]);
    window.harness.key_press(Key::F5);
    window.harness.run();
    let request = request(window.asked());
    assert_eq!(request.lose, [injection]);
    assert_eq!(request.recovery, RecoveryMode::Stay);
}

#[test]
fn the_button_is_dragged_to_a_time_of_the_next_run() {
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer");
    let from = window.harness.get_by_label("Lose device").rect().center();
    drag(&mut window, from, pos2(700.0, 200.0));
    let [
        Injection {
            by: LossBy::Driver,
            at: LossMoment::Time(time),
        },
    ] = armed(&window)[..]
    else {
        panic!("{:?}", armed(&window))
    };
    assert!(time > Nanos::ZERO);
    assert!(
        window.asked().is_empty(),
        "the run that is over suffers nothing"
    );
    let actions = vec![Command::Rerun.into()];
    window.harness.state_mut().act(actions, None);
    let asked = request(window.asked());
    assert_eq!(
        (asked.lose, asked.recovery),
        (armed(&window), RecoveryMode::Pause)
    );
}

#[test]
fn a_marker_is_moved_and_thrown_away() {
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer");
    let time = LossMoment::Time(Nanos(400_000));
    window
        .harness
        .state_mut()
        .act(vec![Action::Lose(time)], None);
    window.harness.run();
    let scene = window.harness.state().scene();
    let shown = scene.state.view.shown(scene.capture.extent());
    let share = (400_000 - shown.start.0) as f32 / shown.length().0 as f32;
    let names = window.harness.state().timeline_areas().names.right();
    let whole = window.harness.state().timeline_areas().ruler;
    let x = names + share * whole.width();
    let y = whole.bottom() - 9.0;
    drag(&mut window, pos2(x, y), pos2(x + 100.0, y));
    let [
        Injection {
            at: LossMoment::Time(moved),
            ..
        },
    ] = armed(&window)[..]
    else {
        panic!("{:?}", armed(&window))
    };
    assert!(moved > Nanos(450_000), "{moved}");
    drag(&mut window, pos2(x + 100.0, y), pos2(x + 100.0, 10.0));
    assert!(armed(&window).is_empty());
}

#[test]
fn a_lost_device_is_recovered_by_button_and_key() {
    let mut window = window();
    assert!(window.harness.query_by_label("Recover").is_none());
    lost(&mut window);
    window.harness.get_by_label("Recover").click();
    window.harness.run();
    window.harness.key_press_modifiers(Modifiers::SHIFT, Key::U);
    window.harness.run();
    let expected = [RecoveryMode::Resume, RecoveryMode::Replay].map(Control::Recover);
    assert_eq!(window.asked(), expected);
    phase(&mut window, Phase::Idle);
    window.harness.key_press(Key::U);
    window.harness.run();
    assert!(window.asked().is_empty());
    window
        .harness
        .get_by_label_contains("This run went on without its device");
}

#[test]
fn a_fault_tells_of_itself_when_it_is_clicked() {
    let mut window = window();
    let scene = window.harness.state().scene();
    let shown = scene.state.view.shown(scene.capture.extent());
    let share = (pipeline_load::LOST * 1_000 - shown.start.0) as f32 / shown.length().0 as f32;
    let ruler = window.harness.state().timeline_areas().ruler;
    let at = pos2(
        ruler.left() + share * ruler.width() - 30.0,
        ruler.center().y,
    );
    window.harness.event(Event::PointerMoved(at));
    window.harness.run();
    click(&mut window, at);
    let topic = window.harness.state().scene().state.selection.topic;
    assert_eq!(topic, Some(Topic::Loss(0)));
}

/// What waits for a stream of one workload is not asked of another, which has no such stream.
#[test]
fn a_loss_that_is_armed_belongs_to_its_workload_and_is_removed_beside_its_parameters() {
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer");
    let moment = LossMoment::Stream("compute".to_owned());
    let arm = vec![Action::Lose(moment.clone())];
    window.harness.state_mut().act(arm, None);
    window.asked();
    window.harness.get_by_label("Diamond").click();
    window.harness.run();
    assert!(armed(&window).is_empty());
    window.harness.key_press(Key::F5);
    window.harness.run();
    assert!(request(window.asked()).lose.is_empty());

    window.harness.get_by_label("Double buffer").click();
    window.harness.run();
    window.harness.key_press(Key::F5);
    window.harness.run();
    assert_eq!(request(window.asked()).lose, [driver(moment)]);
    window.harness.get_by_label_contains("Remove: ").click();
    window.harness.run();
    assert!(armed(&window).is_empty());
}

/// What is to be done once the device is lost is done when it is lost by the key, too.
#[test]
fn what_was_chosen_for_a_loss_follows_the_key() {
    let mut window = window();
    phase(&mut window, Phase::Running);
    let choose = vec![Action::SetRecovery(RecoveryMode::Replay)];
    window.harness.state_mut().act(choose, None);
    window.harness.key_press(Key::K);
    window.harness.run();
    let expected = [
        Control::Pause,
        Control::Lose(driver(LossMoment::Now)),
        Control::Recover(RecoveryMode::Replay),
    ];
    assert_eq!(window.asked(), expected);
}

#[test]
fn the_bar_says_that_the_device_is_lost() {
    let mut window = window();
    assert!(
        window
            .harness
            .query_by_label_contains("device lost")
            .is_none()
    );
    lost(&mut window);
    window.harness.get_by_label("× device lost");
}

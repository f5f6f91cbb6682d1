//! Recording a program from the window: what the menu asks for, and what the bar says meanwhile.

use app::action::{Action, Command};
use app::state::ThemeChoice;
use eframe::egui::{Key, Role};
use egui_kittest::kittest::Queryable as _;
use engine::activity::{CaptureWindow, RingLimit};
use engine::record::{EventId, Problem, Record, Severity, SpanId};
use engine::runner::{
    Control, KeptCapture, Message, Phase, SAVE_FAILED, WindowControl, WindowStatus,
};

use super::{Window, records};

fn open() -> Window {
    let mut window = Window::new([1280.0, 800.0], ThemeChoice::Dark);
    window.asked();
    window.harness.get_by_label("File").click();
    window.harness.run();
    window
        .harness
        .get_by_label_contains("Record a program…")
        .click();
    window.harness.run();
    window
}

/// Writes a command line into the window's field.
fn write(window: &mut Window, line: &str) {
    let fields = window.harness.get_all_by_role(Role::TextInput);
    let field = fields.last().expect("the window's own comes last");
    field.focus();
    field.type_text(line);
    window.harness.run();
}

/// The command lines that the engine was asked to record.
fn commands(window: &Window) -> Vec<Vec<String>> {
    let asked = window.asked().into_iter();
    let recorded = asked.filter_map(|control| match control {
        Control::Record(request) => {
            assert!(request.is_live && request.save.is_none());
            assert_eq!(request.window, CaptureWindow::Whole);
            let words = request.command.iter();
            Some(words.map(|it| it.to_string_lossy().into_owned()).collect())
        }
        _ => None,
    });
    recorded.collect()
}

#[test]
fn the_menu_records_what_a_command_line_says() {
    let mut window = open();
    write(&mut window, "python 'my train.py");
    window
        .harness
        .get_by_label_contains("a quotation mark is open");
    window.harness.get_by_label("Record").click();
    window.harness.run();
    assert!(commands(&window).is_empty());
    write(&mut window, "' --steps 3");
    window.harness.get_by_label("Record").click();
    window.harness.run();
    let words = ["python", "my train.py", "--steps", "3"].map(str::to_owned);
    assert_eq!(commands(&window), [words.to_vec()]);
    // Once more from the list.
    window
        .harness
        .state_mut()
        .act(vec![Action::Command(Command::Record)], None);
    window.harness.run();
    window
        .harness
        .get_by_role_and_label(Role::Button, "python 'my train.py' --steps 3")
        .click();
    window.harness.run();
    assert_eq!(commands(&window), [words.to_vec()]);
}

#[test]
fn while_a_program_is_recorded_the_bar_says_so_and_it_can_be_stopped() {
    let mut window = open();
    write(&mut window, "./app");
    window.harness.key_press(Key::Enter);
    window.harness.run();
    assert_eq!(commands(&window), [[String::from("./app")]]);
    for message in [
        Message::Started { run: 1 },
        Message::Phase(Phase::Running),
        Message::Batch(records("double-buffer")),
    ] {
        window.engine.send(message).unwrap();
    }
    window.harness.run();
    window.harness.get_by_label("recording");
    window.harness.get_by_label("app");
    assert!(window.harness.query_by_label("Lose device").is_none());
    window.harness.key_press(Key::X);
    window.harness.run();
    assert_eq!(window.asked(), [Control::Stop]);
    let stopping = Message::Phase(Phase::Stopping);
    window.engine.send(stopping).unwrap();
    window.harness.run();
    window
        .harness
        .get_by_label_contains("Stop again ends it more firmly");
    window.engine.send(Message::Exited(130)).unwrap();
    window
        .engine
        .send(Message::Finished { run: 1, lost: 0 })
        .unwrap();
    window.harness.run();
    assert!(window.harness.query_by_label("recording").is_none());
    window.harness.get_by_label("Lose device");
}

#[test]
fn what_cannot_be_recorded_is_said_and_over() {
    let mut window = open();
    write(&mut window, "./nothing");
    window.harness.key_press(Key::Enter);
    window.harness.run();
    window.harness.get_by_label("recording");
    let reason = "there is no program “./nothing”; check its name, or give its path";
    let refused = Message::Refused(reason.to_owned());
    window.engine.send(refused).unwrap();
    window.harness.run();
    window.harness.get_by_label_contains("there is no program");
    assert!(window.harness.query_by_label("recording").is_none());
}

#[test]
fn what_could_not_be_saved_is_said_at_once() {
    let mut window = open();
    write(&mut window, "./app");
    window.harness.key_press(Key::Enter);
    window.harness.run();
    let unsaved = Record::Problem(Box::new(Problem {
        severity: Severity::DataLoss,
        code: SAVE_FAILED.to_owned(),
        text: "out.pftrace ends early, because it could not be written: no space".to_owned(),
        span: SpanId::NONE,
        event: EventId::NONE,
    }));
    for message in [
        Message::Started { run: 1 },
        Message::Batch(records("double-buffer")),
        Message::Batch(vec![unsaved]),
    ] {
        window.engine.send(message).unwrap();
    }
    window.harness.run();
    window
        .harness
        .get_by_label_contains("out.pftrace ends early");
    assert!(window.harness.state().scene().status.is_unsaved);
    // The next run is another file's.
    window.engine.send(Message::Started { run: 2 }).unwrap();
    window.harness.run();
    assert!(!window.harness.state().scene().status.is_unsaved);
}

/// Starts to record with a choice of what is kept, and answers with what the engine was asked for.
fn recorded_with(choice: &str) -> (Window, CaptureWindow) {
    let mut window = open();
    window.harness.get_by_label(choice).click();
    window.harness.run();
    write(&mut window, "./app");
    window.harness.get_by_label("Record").click();
    window.harness.run();
    let asked = window.asked();
    let [Control::Record(request)] = &asked[..] else {
        panic!("{asked:?}")
    };
    let wanted = request.window.clone();
    for message in [
        Message::Started { run: 1 },
        Message::Phase(Phase::Running),
        Message::Batch(records("double-buffer")),
    ] {
        window.engine.send(message).unwrap();
    }
    window.harness.run();
    (window, wanted)
}

#[test]
fn a_program_that_starts_paused_is_started_and_stopped_in_the_bar() {
    let (mut window, wanted) = recorded_with("Start paused");
    assert_eq!(wanted, CaptureWindow::Switched);
    for (status, button, control) in [
        (WindowStatus::Closed, "Start keeping", WindowControl::Start),
        (WindowStatus::Open, "Stop keeping", WindowControl::Stop),
    ] {
        window.engine.send(Message::Window(status)).unwrap();
        window.harness.run();
        window.harness.get_by_label(button).click();
        window.harness.run();
        assert_eq!(window.asked(), [Control::Window(control)]);
    }
    window
        .engine
        .send(Message::Finished { run: 1, lost: 0 })
        .unwrap();
    window.harness.run();
    assert!(window.harness.query_by_label("Stop keeping").is_none());
}

#[test]
fn what_is_kept_of_the_last_is_a_tab_of_its_own_and_the_program_goes_on() {
    let (mut window, wanted) = recorded_with("Keep the last");
    let limit = RingLimit::new(10_000_000_000, RingLimit::USUAL).unwrap();
    assert_eq!(wanted, CaptureWindow::Last(limit));
    let last = WindowStatus::Last(limit.nanos);
    window.engine.send(Message::Window(last)).unwrap();
    window.harness.run();
    window.harness.get_by_label_contains("the last 10.0");
    window.harness.get_by_label("Keep now").click();
    window.harness.run();
    assert_eq!(window.asked(), [Control::Window(WindowControl::Keep)]);
    let keeping = WindowStatus::Keeping(limit.nanos);
    window.engine.send(Message::Window(keeping)).unwrap();
    window.harness.run();
    window.harness.get_by_label_contains("keeping the last");
    let kept = KeptCapture {
        name: "app, kept 1".to_owned(),
        path: Some("/tmp/out-1.pftrace".into()),
        error: None,
        records: records("double-buffer"),
    };
    for message in [Message::Kept(Box::new(kept)), Message::Window(last)] {
        window.engine.send(message).unwrap();
    }
    window.harness.run();
    let scene = window.harness.state().scene();
    assert_eq!(scene.status.opened.as_deref(), Some("app, kept 1"));
    assert_eq!((scene.status.tabs.len(), scene.status.tab), (2, 1));
    assert!(scene.capture.span_count() > 0);
    window
        .harness
        .get_by_label_contains("kept as /tmp/out-1.pftrace");
    // What goes on is in the tab of the run.
    let before = window.harness.state().scene().capture.span_count();
    window.engine.send(Message::Batch(Vec::new())).unwrap();
    window.harness.run();
    assert_eq!(window.harness.state().scene().capture.span_count(), before);
    window
        .harness
        .state_mut()
        .act(vec![Action::ShowTab(0)], None);
    window.harness.run();
    window.harness.get_by_label("Keep now");
    window.harness.get_by_label("recording");
}

#[test]
fn what_could_not_be_done_is_said_and_the_program_goes_on() {
    let (mut window, _) = recorded_with("Start paused");
    let notice = "this recording was started and stopped 2048 times".to_owned();
    window.engine.send(Message::Notice(notice)).unwrap();
    window.harness.run();
    window.harness.get_by_label_contains("2048 times");
    window.harness.get_by_label("recording");
}

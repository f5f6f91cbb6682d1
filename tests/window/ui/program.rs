//! Recording a program from the window: what the menu asks for, and what the bar says meanwhile.

use app::action::{Action, Command};
use app::state::ThemeChoice;
use eframe::egui::{Key, Role};
use egui_kittest::kittest::Queryable as _;
use engine::record::{EventId, Problem, Record, Severity, SpanId};
use engine::runner::{Control, Message, Phase, SAVE_FAILED};

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

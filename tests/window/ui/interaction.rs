//! What clicks, keys and typing do.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use app::action::{Action, COMMANDS, Command, Menu};
use app::panel::RunVerdict;
use app::state::ThemeChoice;
use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::{Queryable as _, by};
use engine::record::Record;
use engine::runner::{Control, Message, Phase};

use super::{SETTLED, Window, longest_wait, records};

const SIZE: [f32; 2] = [1200.0, 760.0];

fn window() -> Window {
    Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer")
}

fn runs(asked: &[Control]) -> Vec<&str> {
    let runs = asked.iter().filter_map(|control| match control {
        Control::Run(request) => Some(request.name.as_str()),
        _ => None,
    });
    runs.collect()
}

#[test]
fn a_workload_is_chosen_by_a_click_and_run_by_the_button() {
    let mut window = window();
    window.harness.get_by_label("Diamond").click();
    window.harness.run();
    let scene = window.harness.state().scene();
    assert_eq!(scene.state.documents.text().unwrap().name, "diamond");
    assert_eq!(scene.capture.span_count(), 0, "it has not run yet");
    assert!(window.asked().is_empty());
    window
        .harness
        .get_all_by_label("Run")
        .last()
        .unwrap()
        .click();
    window.harness.run();
    assert_eq!(runs(&window.asked()), ["diamond"]);
}

#[test]
fn a_group_folds_and_the_chosen_workload_stays_in_sight() {
    // So high that no group has to be scrolled to.
    let size = [1200.0, 1400.0];
    let mut window = Window::with_run(size, ThemeChoice::Dark, "double-buffer");
    let is_listed = |window: &Window, name| window.harness.query_by_label(name).is_some();
    assert!(!is_listed(&window, "Event pool"));
    for folded in ["FIRST STEPS", "EVENTS"] {
        window.harness.get_by_label(folded).click();
        window.harness.run();
    }
    assert!(is_listed(&window, "Event pool") && !is_listed(&window, "Diamond"));
    // What is unfolded above it moves it down.
    is_in_sight(&window, "Double buffer");
    // Chosen elsewhere, such as by the palette, it is listed although its group is folded.
    let diamond = window.harness.state().scene().state.documents.clone();
    let diamond = diamond.texts.iter().position(|it| it.name == "diamond");
    let choose = vec![Action::Choose(diamond.unwrap())];
    window.harness.state_mut().act(choose, None);
    window.harness.run();
    assert!(!is_listed(&window, "Two streams"));
    is_in_sight(&window, "Diamond");
    window.harness.set_size(SIZE.into());
    window.harness.run();
    for name in ["Heat", "N-body"] {
        let texts = window.harness.state().scene().state.documents.clone().texts;
        let place = texts.iter().position(|it| it.title == name).unwrap();
        let choose = vec![Action::Choose(place)];
        window.harness.state_mut().act(choose, None);
        window.harness.run();
        is_in_sight(&window, name);
    }
    // However small the window becomes.
    window.harness.set_size([900.0, 560.0].into());
    window.harness.run_steps(SETTLED);
    is_in_sight(&window, "N-body");
}

/// Whether the row of a workload is seen in the list above the tab About.
fn is_in_sight(window: &Window, name: &str) {
    let row = by().role(Role::Button).label(name);
    let row = window.harness.get(row).rect();
    let about = window.harness.get_by_label("About").rect();
    assert!(row.bottom() < about.top(), "{row:?} lies above {about:?}");
}

#[test]
fn a_parameter_that_was_moved_goes_with_the_run() {
    let mut window = window();
    let parameter = window
        .harness
        .state()
        .scene()
        .status
        .checked
        .document
        .as_ref()
        .unwrap()
        .parameters()[1]
        .clone();
    let value = parameter.min + 1.0;
    let app = window.harness.state_mut();
    app.act(
        vec![
            Action::SetParameter(parameter.name.clone(), Some(value)),
            Command::Rerun.into(),
        ],
        None,
    );
    let asked = window.asked();
    let Some(Control::Run(request)) = asked.first() else {
        panic!("{asked:?}")
    };
    assert_eq!(request.parameters, [(parameter.name, value)]);
}

/// A picture that is of other values than those that are chosen says so, until it is run or they are put back.
#[test]
fn a_parameter_that_was_moved_says_that_the_picture_is_older() {
    let mut window = window();
    let words = "Run with these values (F5)";
    let is_said = |window: &Window| window.harness.query_by_label(words).is_some();
    assert!(!is_said(&window));
    let moved = |value| vec![Action::SetParameter("work".to_owned(), value)];
    window.harness.state_mut().act(moved(Some(5_000.0)), None);
    window.harness.run();
    assert!(is_said(&window));
    window.harness.state_mut().act(moved(None), None);
    window.harness.run();
    assert!(!is_said(&window));
    window.harness.state_mut().act(moved(Some(6_000.0)), None);
    window.harness.run();
    window.harness.get_by_label(words).click();
    window.harness.run();
    assert_eq!(runs(&window.asked()), ["double-buffer"]);
}

#[test]
fn keys_pause_step_and_stop_what_runs() {
    let mut window = window();
    window.harness.key_press(Key::Space);
    window.harness.run();
    assert_eq!(runs(&window.asked()), ["double-buffer"]);
    window.engine.send(Message::Phase(Phase::Running)).unwrap();
    window.harness.run();
    for key in [Key::Y, Key::N, Key::X] {
        window.harness.key_press(key);
        window.harness.run();
    }
    assert_eq!(
        window.asked(),
        [Control::Pause, Control::Step, Control::Stop]
    );
    window.engine.send(Message::Phase(Phase::Paused)).unwrap();
    window.harness.run();
    window.harness.key_press(Key::Space);
    window.harness.run();
    assert_eq!(window.asked(), [Control::Resume]);
}

/// What goes on is not shown while the view is paused, and nothing of it is lost.
#[test]
fn a_paused_view_stays_as_it_is_and_catches_up() {
    let mut window = window();
    let records = records("diamond");
    let (first, rest) = records.split_at(records.len() / 2);
    let batch = |records: &[Record]| Message::Batch(records.to_vec());
    for message in [
        Message::Started { run: 2 },
        Message::Phase(Phase::Running),
        batch(first),
    ] {
        window.engine.send(message).unwrap();
    }
    let spans = |window: &Window| window.harness.state().scene().capture.span_count();
    let wanted = first
        .iter()
        .filter(|it| matches!(it, Record::Span(_)))
        .count();
    until(&mut window, |window| spans(window) == wanted);
    window.harness.key_press(Key::Space);
    window.harness.run();
    assert!(
        window.asked().is_empty(),
        "a paused view is no matter of the run"
    );
    window
        .harness
        .get_by_label_contains("view paused; the run goes on");
    window.engine.send(batch(rest)).unwrap();
    window.engine.send(Message::Phase(Phase::Idle)).unwrap();
    window
        .engine
        .send(Message::Finished { run: 2, lost: 0 })
        .unwrap();
    for _ in 0..5 {
        window.harness.step();
    }
    assert_eq!(spans(&window), wanted);
    window.harness.key_press(Key::Space);
    window.harness.run();
    let all = records.iter().filter(|it| matches!(it, Record::Span(_)));
    let all = all.count();
    until(&mut window, |window| spans(window) == all);
    window.harness.get_by_label("○ ended");
    // Who stops it wants to see that.
    window.engine.send(Message::Phase(Phase::Running)).unwrap();
    window.harness.run();
    window.harness.key_press(Key::Space);
    window.harness.run();
    assert!(window.harness.state().scene().state.is_paused);
    window.harness.key_press(Key::X);
    window.harness.run();
    assert!(!window.harness.state().scene().state.is_paused);
    assert_eq!(window.asked(), [Control::Stop]);
}

#[test]
fn keys_move_the_view_unless_a_field_has_the_cursor() {
    let mut window = window();
    let shown = |window: &Window| window.harness.state().scene().state.view.interval;
    window.harness.key_press(Key::W);
    window.harness.run();
    let zoomed = shown(&window);
    assert!(zoomed.is_some());
    window.harness.key_press(Key::Slash);
    window.harness.run();
    window.harness.get_by_label("Search spans").type_text("wd");
    window.harness.key_press(Key::W);
    window.harness.run();
    assert_eq!(shown(&window), zoomed);
    assert_eq!(window.harness.state().scene().state.search, "wd");
}

#[test]
fn a_search_goes_to_its_matches() {
    let mut window = window();
    window.harness.key_press(Key::Slash);
    window.harness.run();
    window
        .harness
        .get_by_label("Search spans")
        .type_text("upload");
    window.harness.run();
    window.harness.key_press(Key::Enter);
    window.harness.run();
    let name = |window: &Window| {
        let scene = window.harness.state().scene();
        let chosen = scene.state.selection.span.unwrap();
        (
            chosen,
            scene
                .capture
                .name(scene.capture.span(chosen).unwrap().span.name)
                .to_owned(),
        )
    };
    let first = name(&window);
    assert!(first.1.starts_with("upload"), "{first:?}");
    window.harness.key_press(Key::Enter);
    window.harness.run();
    assert_ne!(name(&window).0, first.0);
    window
        .harness
        .key_press_modifiers(Modifiers::SHIFT, Key::Enter);
    window.harness.run();
    assert_eq!(name(&window), first);
}

#[test]
fn the_inspector_leads_from_a_wait_to_its_cause() {
    let mut window = window();
    let wait = longest_wait(window.harness.state());
    window
        .harness
        .state_mut()
        .act(vec![Action::Select(Some(wait))], None);
    window.harness.run();
    window.harness.key_press(Key::OpenBracket);
    window.harness.run();
    let scene = window.harness.state().scene();
    let cause = scene.state.selection.span.unwrap();
    let causes = scene
        .capture
        .causes(wait)
        .filter_map(|id| scene.capture.dependency(id));
    assert!(causes.map(|tie| tie.cause).any(|id| id == cause));
}

#[test]
fn every_menu_has_every_command_of_its_table() {
    let inner = Menu::ALL.map(|menu| menu.inner().iter().map(move |it| [menu, *it]));
    let all = Menu::ALL.map(|menu| [menu, menu]).into_iter();
    for [menu, own] in all.chain(inner.into_iter().flatten()) {
        let mut window = window();
        let mut named = window.harness.get_all_by_label(menu.label());
        named.next().unwrap().click();
        drop(named);
        window.harness.run();
        if own != menu {
            window.harness.get_by_label_contains(own.label()).click();
            window.harness.run();
        }
        for entry in COMMANDS.iter().filter(|entry| entry.menu == own) {
            let found = window
                .harness
                .query_all_by_label_contains(entry.label)
                .count();
            assert!(found > 0, "{} is missing in {}", entry.label, own.label());
        }
    }
}

#[test]
fn the_help_lists_every_key() {
    let mut window = window();
    window.harness.key_press(Key::Questionmark);
    window.harness.run();
    for entry in COMMANDS.iter().filter(|entry| !entry.keys.is_empty()) {
        assert!(
            window.harness.query_by_label(entry.help).is_some(),
            "{} is missing",
            entry.help
        );
    }
    window.harness.key_press(Key::Escape);
    window.harness.run();
    assert!(window.harness.state().scene().state.window.is_none());
}

#[test]
fn a_mistake_in_the_text_is_told_while_typing() {
    let mut window = window();
    window
        .harness
        .state_mut()
        .act(vec![Action::OpenTab("source")], None);
    window.harness.run();
    window.harness.get_by_label("Workload text").focus();
    window.harness.run();
    let editor = window.harness.get_by_label("Workload text");
    editor.type_text("\nlunch \"x\"\n");
    window.harness.run();
    let scene = window.harness.state().scene();
    assert!(scene.state.documents.text().unwrap().is_dirty());
    assert!(!scene.status.checked.errors.is_empty());
    let told = scene.status.checked.errors[0].message.clone();
    assert!(
        window.harness.query_by_label_contains(&told).is_some(),
        "{told}"
    );
    window.harness.get_by_label("Revert").click();
    window.harness.run();
    assert!(
        window
            .harness
            .state()
            .scene()
            .status
            .checked
            .errors
            .is_empty()
    );
}

#[test]
fn what_cannot_run_leaves_the_capture_on_screen() {
    let mut window = window();
    let spans = window.harness.state().scene().capture.span_count();
    window
        .engine
        .send(Message::Refused(
            "the buffer is larger than the memory".to_owned(),
        ))
        .unwrap();
    window.harness.run();
    assert_eq!(window.harness.state().scene().capture.span_count(), spans);
    window
        .harness
        .get_by_label_contains("larger than the memory");
    window.harness.key_press(Key::Escape);
    window.harness.run();
    assert!(
        window
            .harness
            .query_by_label_contains("larger than the memory")
            .is_none()
    );
}

/// Runs frames until `done`, for a minute at most: other tests take the processor, too.
pub fn until(window: &mut Window, done: impl Fn(&Window) -> bool) {
    let end = Instant::now() + Duration::from_mins(1);
    while !done(window) {
        let told = window.harness.state().scene().state.notice.as_ref();
        assert!(Instant::now() < end, "nothing came of it: {told:?}");
        std::thread::sleep(Duration::from_millis(5));
        window.harness.step();
    }
}

#[test]
fn what_cannot_be_opened_leaves_the_capture_on_screen() {
    let mut window = window();
    let spans = window.harness.state().scene().capture.span_count();
    let folder = tempfile::tempdir().unwrap();
    let no_capture = folder.path().join("no-capture");
    std::fs::write(&no_capture, "hello").unwrap();
    let bad = [
        PathBuf::from("/no/such/file.pftrace"),
        folder.path().to_path_buf(),
        no_capture,
        folder.path().join("no.kdl"),
    ];
    for path in bad {
        window.harness.state_mut().act(
            vec![Action::Notify(None), Action::OpenFile(path.clone())],
            None,
        );
        until(&mut window, |window| {
            window.harness.state().scene().state.notice.is_some()
        });
        let scene = window.harness.state().scene();
        let notice = scene.state.notice.clone().unwrap();
        assert!(
            notice.is_error && notice.text.contains(path.to_str().unwrap()),
            "{notice:?}"
        );
        assert!(scene.status.job.is_none());
        assert_eq!(scene.capture.span_count(), spans);
    }
}

#[test]
fn a_workload_file_is_opened_and_run() {
    let mut window = window();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.kdl");
    let source = engine::workload::bundled()[0].source;
    std::fs::write(&path, source).unwrap();
    window
        .harness
        .state_mut()
        .act(vec![Action::OpenFile(path.clone())], None);
    until(&mut window, |window| {
        window.harness.state().scene().status.job.is_none()
    });
    assert_eq!(runs(&window.asked()), ["mine.kdl"]);
    assert_eq!(window.harness.state().scene().state.settings.recent, [path]);
}

#[test]
fn how_a_run_went_is_shown_at_its_workload() {
    let mut window = window();
    let found = window.harness.state().scene().capture.expectations().len();
    let verdict = |window: &Window| {
        window
            .harness
            .state()
            .scene()
            .status
            .verdicts
            .get("double-buffer")
            .cloned()
    };
    let passed = |held, not_judged| Some(RunVerdict::Passed { held, not_judged });
    assert_eq!(verdict(&window), passed(found, 0));
    let mut faulty = records("double-buffer");
    for record in &mut faulty {
        if let engine::record::Record::Expectation(expectation) = record {
            expectation.holds = Some(false);
        }
    }
    window.answer(faulty.clone());
    assert_eq!(verdict(&window), Some(RunVerdict::Missed(found)));
    for record in &mut faulty {
        if let engine::record::Record::Expectation(expectation) = record {
            expectation.holds = None;
            expectation.found = "0, not judged: no core".to_owned();
        }
    }
    window.answer(faulty.clone());
    assert_eq!(verdict(&window), passed(0, found));
    assert!(
        window
            .harness
            .query_all_by_label_contains("no core")
            .count()
            >= found
    );
    for record in &mut faulty {
        if let engine::record::Record::End(end) = record {
            end.outcome = engine::record::RunOutcome::Stopped;
        }
    }
    window.answer(faulty);
    assert_eq!(verdict(&window), Some(RunVerdict::Stopped));
    window.harness.get_by_label_contains("Not checked");
}

/// The picture of a run under way is never called by the name of another workload that was chosen meanwhile.
#[test]
fn the_picture_keeps_its_name_when_another_workload_is_chosen() {
    let mut window = window();
    window.engine.send(Message::Phase(Phase::Running)).unwrap();
    window.harness.run();
    window.harness.get_by_label("Diamond").click();
    window.harness.run();
    window
        .harness
        .get_by_label_contains("On screen, and running:");
    window.harness.get_by_label("Run Diamond (F5)");
    window.harness.get_by_label("Back to double-buffer").click();
    window.harness.run();
    let scene = window.harness.state().scene();
    assert_eq!(scene.state.documents.text().unwrap().name, "double-buffer");
    assert!(window.harness.query_by_label("Run Diamond (F5)").is_none());
}

#[test]
fn an_idle_window_asks_for_no_frame() {
    let mut window = window();
    window.harness.run();
    let output = window.harness.output();
    let wait = output
        .viewport_output
        .values()
        .map(|viewport| viewport.repaint_delay)
        .min()
        .unwrap();
    assert!(
        wait > Duration::from_secs(1),
        "the next frame is due in {wait:?}"
    );
}

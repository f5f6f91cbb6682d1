//! Lessons in the window: the five steps of one that is edited and of one that is clicked, and their pictures.

use app::action::{Action, Command, LessonAction};
use app::state::{LessonStep, TakenLesson, ThemeChoice};
use eframe::egui::{Key, Modifiers, Pos2};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use engine::lesson::{Course, TextLanguage};
use engine::record::SpanId;
use engine::runner::far::BackendOffer;
use engine::runner::{Control, Message, Phase, run};

use super::Window;
use super::interaction::until;

const SIZE: [f32; 2] = [1280.0, 800.0];
const THEMES: [(ThemeChoice, &str); 2] =
    [(ThemeChoice::Dark, "dark"), (ThemeChoice::Light, "light")];

fn act(window: &mut Window, action: Action) {
    window.harness.state_mut().act(vec![action], None);
    window.harness.run_steps(3);
}

fn window(theme: ThemeChoice) -> Window {
    let mut window = Window::with_run(SIZE, theme, "double-buffer");
    let mock = Action::SetDevice("mock".to_owned(), String::new());
    act(&mut window, mock);
    window
}

fn taken(window: &Window) -> TakenLesson {
    let scene = window.harness.state().scene();
    scene.state.lesson.clone().unwrap()
}

fn passed(window: &Window) -> Vec<String> {
    let settings = &window.harness.state().scene().state.settings;
    settings.passed_lessons.iter().cloned().collect()
}

fn solution(id: &str) -> String {
    let course = Course::bundled().unwrap();
    course.lesson(id).unwrap().solutions[0].clone()
}

/// Runs what the window asked for, as its engine would.
fn run_asked(window: &mut Window) {
    let asked = window.asked().into_iter();
    let mut requests = asked.filter_map(|control| match control {
        Control::Run(request) => Some(*request),
        _ => None,
    });
    let request = requests.next().expect("a run was asked for");
    let mut all = Vec::new();
    run(request, |records| all.extend(records)).unwrap();
    let messages = [
        Message::Started { run: 1 },
        Message::Phase(Phase::Running),
        Message::Batch(all),
        Message::Phase(Phase::Idle),
        Message::Finished { run: 1, lost: 0 },
    ];
    for message in messages {
        window.engine.send(message).unwrap();
    }
    until(window, |window| window.engine.is_empty());
    window.harness.run_steps(3);
}

/// Answers the prediction, has the text run, and goes on to the task.
fn come_to_the_task(window: &mut Window, id: &str) {
    act(window, Action::Lesson(LessonAction::Take(id.to_owned())));
    let course = Course::bundled().unwrap();
    let prediction = course.lesson(id).unwrap().prediction.clone().unwrap();
    let answer = LessonAction::Predict(prediction.answer);
    act(window, Action::Lesson(answer));
    act(window, Command::LessonStep.into());
    run_asked(window);
    until(window, |window| {
        let taken = taken(window);
        taken.step == LessonStep::Look && taken.shown.is_some()
    });
    act(window, Command::LessonStep.into());
    assert_eq!(taken(window).step, LessonStep::Change);
}

/// Has what is there now checked.
fn check(window: &mut Window) {
    act(window, Command::LessonStep.into());
    assert!(taken(window).is_checking);
    run_asked(window);
    until(window, |window| taken(window).verdict.is_some());
    window.harness.run_steps(3);
}

fn edit(window: &mut Window, source: &str) {
    act(window, Action::Edit(source.to_owned()));
}

fn go_on_by_key(window: &mut Window) {
    let modifiers = Modifiers::COMMAND;
    window.harness.key_press_modifiers(modifiers, Key::Enter);
    window.harness.run_steps(3);
}

fn click(window: &mut Window, words: &str) {
    // As a screen reader does: what is scrolled out of sight can be pressed as well.
    window.harness.get_by_label(words).click_accesskit();
    window.harness.run_steps(3);
}

#[test]
fn a_lesson_leads_from_a_prediction_to_what_was_learned() {
    let mut window = window(ThemeChoice::Dark);
    click(&mut window, "1 The host runs ahead");
    // Nothing runs before something was predicted.
    go_on_by_key(&mut window);
    assert!(window.asked().is_empty());
    assert_eq!(taken(&window).step, LessonStep::Predict);
    click(&mut window, "about four");
    click(&mut window, "Run it");
    run_asked(&mut window);
    until(&mut window, |window| taken(window).shown.is_some());
    window.harness.run_steps(3);
    // The wrong answer stands beside the right one, and beside what was measured.
    window.harness.get_by_label("about four");
    window.harness.get_by_label("none, or at most one");
    assert_eq!(taken(&window).shown.unwrap().passed, Some(true));
    click(&mut window, "To the task");
    let settings = &window.harness.state().scene().state.settings;
    assert_eq!(settings.docks.bottom.tab, "source", "the text is in sight");

    check(&mut window);
    let verdict = taken(&window).verdict.unwrap();
    assert_eq!(verdict.passed, Some(false));
    let says = &verdict.says;
    assert!(says.contains("blocked more than once"), "{says}");
    assert_eq!(taken(&window).step, LessonStep::Change);
    assert!(passed(&window).is_empty());
    click(&mut window, "A hint (3 left)");
    assert_eq!(taken(&window).hints, 1);
}

#[test]
fn a_text_that_is_no_workload_is_told_at_its_line_and_one_that_passes_leads_on() {
    let mut window = window(ThemeChoice::Dark);
    come_to_the_task(&mut window, "run-ahead");
    let solution = solution("run-ahead");
    edit(
        &mut window,
        &solution.replace("download \"y\"", "fetch \"y\""),
    );
    act(&mut window, Command::LessonStep.into());
    until(&mut window, |window| taken(window).verdict.is_some());
    assert!(window.asked().is_empty(), "nothing runs");
    let mut lines = solution.lines();
    let line = lines.position(|it| it.contains("download")).unwrap() + 1;
    assert_eq!(taken(&window).verdict.unwrap().line, Some(line));

    edit(&mut window, &solution);
    assert_eq!(
        taken(&window).verdict,
        None,
        "that was said of another text"
    );
    check(&mut window);
    assert_eq!(taken(&window).step, LessonStep::Why);
    assert_eq!(passed(&window), ["run-ahead"]);
    click(&mut window, "Show a reference solution and its run");
    assert!(taken(&window).shows_solution);
    go_on_by_key(&mut window);
    assert_eq!(taken(&window).id, Course::bundled().unwrap().lessons[1].id);
    assert_eq!(taken(&window).step, LessonStep::Predict);
}

/// Where a text is painted, from the top.
fn places(window: &Window, words: &str) -> Vec<Pos2> {
    let all = window.painted().into_iter().filter(|it| it.0 == words);
    let mut found: Vec<Pos2> = all.map(|it| it.1.left_top()).collect();
    found.sort_by(|a, b| a.y.total_cmp(&b.y));
    found
}

/// Passes a lesson, and looks at its solution beside the own one.
fn compare(window: &mut Window, id: &str) {
    come_to_the_task(window, id);
    edit(window, &solution(id));
    check(window);
    click(window, "Show a reference solution and its run");
    until(window, |window| places(window, "main").len() == 2);
    window.harness.run_steps(6);
}

#[test]
fn the_reference_runs_below_ones_own_at_the_same_scale() {
    let mut window = window(ThemeChoice::Dark);
    compare(&mut window, "first-wait");
    let heads = ["YOUR RUN", "REFERENCE SOLUTION, AT THE SAME SCALE"];
    let [own, reference] = heads.map(|it| places(&window, it)[0].y);
    assert!(own < reference);
    for zoomed in [false, true] {
        if zoomed {
            act(&mut window, Command::ZoomIn.into());
            window.harness.run();
        }
        let ticks = window.painted().into_iter().map(|it| it.0);
        let ticks =
            ticks.filter(|it| it.ends_with('s') && it.starts_with(|it: char| it.is_ascii_digit()));
        let pairs = ticks.filter_map(|it| match places(&window, &it)[..] {
            [above, below] if above.y < reference && below.y > reference => {
                Some((above.x, below.x))
            }
            _ => None,
        });
        let pairs: Vec<(f32, f32)> = pairs.collect();
        assert!(pairs.len() >= 4, "{zoomed}: {pairs:?}");
        assert!(pairs.iter().all(|(a, b)| (a - b).abs() < 0.6), "{pairs:?}");
    }
    click(&mut window, "Hide the reference solution");
    assert!(places(&window, "YOUR RUN").is_empty());
}

#[test]
fn a_passed_text_runs_on_another_device() {
    let mut window = window(ThemeChoice::Dark);
    let offers = ["cpu", "paced", "wgpu"].map(|name| {
        let backend = engine::backend::BACKENDS
            .iter()
            .find(|it| it.name() == name);
        let adapters = backend.unwrap().probe().unwrap_or_default().into_iter();
        BackendOffer {
            backend: name.to_owned(),
            about: String::new(),
            reason: (name == "wgpu").then(|| "no driver".to_owned()),
            adapters: adapters.map(|it| (it.name, it.caps)).collect(),
        }
    });
    window
        .engine
        .send(Message::Offers(offers.to_vec()))
        .unwrap();
    until(&mut window, |window| {
        !window.harness.state().scene().status.backends.is_empty()
    });
    act(
        &mut window,
        Action::SetDevice("cpu".to_owned(), String::new()),
    );
    come_to_the_task(&mut window, "first-wait");
    edit(&mut window, &solution("first-wait"));
    check(&mut window);
    window.harness.get_by_label("What cpu does");
    assert!(window.harness.query_by_label("Run it on cpu").is_none());
    click(&mut window, "Run it on paced");
    run_asked(&mut window);
    let scene = window.harness.state().scene();
    assert_eq!(scene.capture.run().unwrap().backend, "paced");
    window.harness.get_by_label("What paced does");
    window.harness.get_by_label("Run it on cpu");
    assert_eq!(taken(&window).step, LessonStep::Why);
}

/// As is written beside the button: the key works while the cursor stands in the text, and begins no line there.
#[test]
fn the_key_goes_on_while_the_cursor_is_in_the_text() {
    let mut window = window(ThemeChoice::Dark);
    come_to_the_task(&mut window, "first-wait");
    edit(&mut window, &solution("first-wait"));
    window.harness.run_steps(2);
    window.harness.get_by_label("Workload text").focus();
    window.harness.run_steps(2);
    go_on_by_key(&mut window);
    assert!(taken(&window).is_checking);
    let text = window
        .harness
        .state()
        .scene()
        .state
        .documents
        .text()
        .unwrap()
        .source
        .clone();
    assert_eq!(text, solution("first-wait"));
}

#[test]
fn a_line_that_may_not_change_is_told() {
    let mut window = window(ThemeChoice::Dark);
    come_to_the_task(&mut window, "run-ahead");
    let course = Course::bundled().unwrap();
    let lesson = course.lesson("run-ahead").unwrap();
    let start = lesson.start();
    let changed = start.replace("init=\"k % 4\"", "init=\"k % 5\"");
    let mut lines = changed.lines();
    let line = lines.position(|it| it.contains("k % 5")).unwrap() + 1;
    assert!(lesson.locked_lines(start).contains(&line));
    let free = start.lines().position(|it| it.starts_with("host")).unwrap() + 1;
    assert!(!lesson.locked_lines(start).contains(&free));
    edit(&mut window, &changed);
    check(&mut window);
    let verdict = taken(&window).verdict.unwrap();
    assert_eq!((verdict.passed, verdict.line), (Some(false), Some(line)));
    assert!(
        verdict.says.starts_with("Only host may change"),
        "{}",
        verdict.says
    );
}

#[test]
fn a_race_that_a_check_finds_is_selected() {
    let mut window = window(ThemeChoice::Dark);
    come_to_the_task(&mut window, "first-wait");
    check(&mut window);
    let scene = window.harness.state().scene();
    let selected = scene.state.selection.span.expect("what to look at");
    let selected = scene.capture.span(selected).unwrap().span;
    let name = scene.capture.name(selected.name);
    assert!(name.contains("kernel"), "{name}");
    // What the lesson asks for is drawn as an arrow that is not there yet, whichever of the two ran first.
    let (cause, effect) = taken(&window).verdict.unwrap().missing.unwrap();
    let capture = window.harness.state().scene().capture;
    let name = |span| {
        capture
            .name(capture.span(span).unwrap().span.name)
            .to_owned()
    };
    assert!(name(cause).starts_with("upload"), "{}", name(cause));
    assert!(name(effect).starts_with("kernel"), "{}", name(effect));
    assert_eq!(places(&window, "missing order").len(), 1);
    // Another run is another picture, and a text that was changed was not checked.
    act(&mut window, Command::Rerun.into());
    run_asked(&mut window);
    assert!(places(&window, "missing order").is_empty());
    check(&mut window);
    assert_eq!(places(&window, "missing order").len(), 1);
    edit(&mut window, &solution("first-wait"));
    window.harness.run();
    assert!(places(&window, "missing order").is_empty());
}

/// The shortest and the longest of the branches, by the lengths of the spans alone: the join came after the longest last.
fn branches(window: &Window) -> (SpanId, SpanId) {
    let capture = window.harness.state().scene().capture;
    let is_branch = |name| capture.name(name) == "branch: spin";
    let spins = capture.spans().filter(|it| is_branch(it.span.name));
    let spins = spins.map(|it| (it.interval().length(), it.span.id));
    let mut spins: Vec<_> = spins.collect();
    spins.sort_unstable();
    (spins.first().unwrap().1, spins.last().unwrap().1)
}

#[test]
fn a_lesson_is_answered_by_a_click() {
    let mut window = window(ThemeChoice::Dark);
    come_to_the_task(&mut window, "find-the-cause");
    until(&mut window, |window| {
        let status = window.harness.state().scene().status;
        status.why.causes.is_some()
    });
    act(&mut window, Command::LessonStep.into());
    let verdict = taken(&window).verdict.unwrap();
    assert_eq!(verdict.passed, None, "nothing was clicked");
    let (short, long) = branches(&window);
    act(&mut window, Action::Select(Some(short)));
    act(&mut window, Command::LessonStep.into());
    assert_eq!(taken(&window).verdict.unwrap().passed, Some(false));
    act(&mut window, Action::Select(Some(long)));
    act(&mut window, Command::LessonStep.into());
    assert_eq!(passed(&window), ["find-the-cause"]);
}

#[test]
fn progress_is_reset_and_comes_back() {
    let mut window = window(ThemeChoice::Dark);
    come_to_the_task(&mut window, "run-ahead");
    edit(&mut window, &solution("run-ahead"));
    check(&mut window);
    act(&mut window, Action::Lesson(LessonAction::Leave));
    // What is offered is what was not passed.
    let course = Course::bundled().unwrap();
    let next = course.lessons[1].title.get(TextLanguage::English);
    window.harness.get_by_label(&format!("2 {next}"));
    act(&mut window, Action::Lesson(LessonAction::Reset));
    assert!(passed(&window).is_empty());
    act(&mut window, Action::Lesson(LessonAction::UndoReset));
    assert_eq!(passed(&window), ["run-ahead"]);
}

#[test]
fn lessons_look_as_they_should() {
    let mut results = SnapshotResults::new();
    let concluded = |window: &mut Window| {
        until(window, |window| {
            let status = window.harness.state().scene().status;
            status.why.conclusions.is_some()
        });
        window.harness.run();
    };
    for (theme, suffix) in THEMES {
        let mut window = window(theme);
        let take = LessonAction::Take("first-wait".to_owned());
        act(&mut window, Action::Lesson(take));
        window.harness.run();
        results.add(
            window
                .harness
                .try_snapshot(format!("lesson-predict-{suffix}")),
        );
        come_to_the_task(&mut window, "first-wait");
        check(&mut window);
        concluded(&mut window);
        results.add(
            window
                .harness
                .try_snapshot(format!("lesson-refused-{suffix}")),
        );
        edit(&mut window, &solution("first-wait"));
        check(&mut window);
        concluded(&mut window);
        results.add(
            window
                .harness
                .try_snapshot(format!("lesson-passed-{suffix}")),
        );
        click(&mut window, "Show a reference solution and its run");
        until(&mut window, |window| places(window, "main").len() == 2);
        concluded(&mut window);
        results.add(
            window
                .harness
                .try_snapshot(format!("lesson-reference-{suffix}")),
        );
    }
}

/// The lessons in which a system's calls are named stand in its guide, and a click there takes one.
#[test]
fn a_guide_leads_into_a_lesson() {
    let mut window = window(ThemeChoice::Dark);
    act(&mut window, Action::Command(Command::Guides));
    window.harness.get_by_label("CUDA").click_accesskit();
    window.harness.run_steps(4);
    let names = window.harness.query_all_by_label("run-ahead").count();
    assert_eq!(names, 1);
    window.harness.get_by_label("run-ahead").click_accesskit();
    window.harness.run_steps(4);
    assert_eq!(taken(&window).id, "run-ahead");
    let scene = window.harness.state().scene();
    assert!(scene.state.window.is_none());
}

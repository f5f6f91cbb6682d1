//! A dataset on screen: opened in every way, with its ranks and steps as colours, and back to the capture of a rank.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use app::action::{Action, Command, FleetAction};
use app::state::{FilePurpose, FleetCell, ThemeChoice};
use eframe::egui::accesskit::Role;
use eframe::egui::{Color32, DroppedFile, Key, Modifiers, Pos2, Rect, pos2};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::{Queryable as _, by};
use engine::fleet::{FleetEngine, FleetMeasure, FoundEngine, choose_engine};
use engine::time::{Interval, Nanos};

use super::Window;
use super::interaction::until;
use super::opened_captures::THEMES;
use crate::formats::datasets::ranks_model::{self, LATE, OUTLIER, STEPS};
use crate::formats::questions::syncline;

const SIZE: [f32; 2] = [1280.0, 800.0];
const RANKS: u32 = 64;

/// A dataset of the model, beside the captures that it was converted from.
fn converted(ranks: u32) -> tempfile::TempDir {
    damaged(ranks, |_| ())
}

/// The same of captures to which something happened before.
fn damaged(ranks: u32, harm: impl Fn(&Path)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let captures = folder.path().join("captures");
    fs::create_dir(&captures).unwrap();
    ranks_model::write(&captures, ranks);
    harm(&captures);
    let target = folder.path().join("dataset").display().to_string();
    let from = captures.display().to_string();
    let (code, out, err) = syncline(&["convert", "--to", &target, &from, "--run", "base"]);
    assert_eq!(code, 0, "{out}{err}");
    folder
}

/// The one that no test changes.
static WHOLE: LazyLock<tempfile::TempDir> = LazyLock::new(|| converted(RANKS));

fn whole() -> PathBuf {
    WHOLE.path().join("dataset")
}

fn act(window: &mut Window, actions: Vec<Action>) {
    window.harness.state_mut().act(actions, None);
    window.harness.run_steps(3);
}

fn fleet(window: &mut Window, action: FleetAction) {
    act(window, vec![Action::Fleet(action)]);
}

/// Waits until the dataset was asked.
fn answered(window: &mut Window) {
    until(window, |window| {
        let status = &window.harness.state().scene().status.fleet;
        status.running.is_none() && (status.picture.is_some() || status.error.is_some())
    });
    window.harness.run_steps(3);
}

/// A window that shows a dataset, which SQLite answers.
fn opened(theme: ThemeChoice, dataset: &Path) -> Window {
    let mut window = Window::new(SIZE, theme);
    fleet(&mut window, FleetAction::ChooseEngine(FleetEngine::Sqlite));
    act(
        &mut window,
        vec![Action::OpenFiles(vec![dataset.to_owned()])],
    );
    answered(&mut window);
    window
}

/// Where the cells are.
fn heatmap(window: &Window) -> Rect {
    let found = by().predicate(|node| {
        let label = node.label();
        label.is_some_and(|it| it.starts_with("Heatmap:"))
    });
    window.harness.get(found).rect()
}

/// The middle of a cell of all ranks and steps.
fn place(window: &Window, (rank, step): (u32, i64)) -> Pos2 {
    let rect = heatmap(window);
    let at = |start: f32, length: f32, place: f64, all: f64| {
        start + length * ((place + 0.5) / all) as f32
    };
    pos2(
        at(rect.left(), rect.width(), step as f64, STEPS as f64),
        at(rect.top(), rect.height(), f64::from(rank), f64::from(RANKS)),
    )
}

fn cell(window: &Window) -> Option<(u32, i64)> {
    let chosen = window.harness.state().scene().state.fleet.cell;
    chosen.map(|it| (it.rank, it.step))
}

fn tabs(window: &Window) -> Vec<String> {
    let tabs = window.harness.state().scene().status.tabs.iter();
    tabs.map(|tab| tab.name.clone()).collect()
}

/// How much light a place of the window has, from 0 to 765.
fn light(window: &mut Window, places: &[Pos2]) -> Vec<u32> {
    let image = window.harness.render().unwrap();
    let scale = window.harness.ctx.pixels_per_point();
    let of = |at: &Pos2| {
        let pixel = image.get_pixel((at.x * scale) as u32, (at.y * scale) as u32);
        let colour = Color32::from_rgb(pixel[0], pixel[1], pixel[2]);
        u32::from(colour.r()) + u32::from(colour.g()) + u32::from(colour.b())
    };
    places.iter().map(of).collect()
}

#[derive(Debug)]
struct DroppedFolder(PathBuf);

impl DroppedFile for DroppedFolder {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Err("it is a folder".to_owned())
    }
}

#[test]
fn a_dataset_is_opened_by_its_path_by_a_dropped_folder_and_by_the_menu() {
    let mut window = opened(ThemeChoice::Dark, &whole());
    assert_eq!(tabs(&window), ["Fleet: dataset"]);
    window.harness.get_by_label("64 ranks");
    // One that is open is shown, and not read again.
    act(&mut window, vec![Action::OpenFiles(vec![whole()])]);
    assert_eq!(tabs(&window).len(), 1);

    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer");
    let dropped = Arc::new(DroppedFolder(whole()));
    window.harness.input_mut().dropped_files.push(dropped);
    window.harness.run_steps(2);
    answered(&mut window);
    assert_eq!(tabs(&window), ["Double buffer", "Fleet: dataset"]);
    // The run is as it was, and its commands with it.
    act(&mut window, vec![Action::ShowTab(0)]);
    let scene = window.harness.state().scene();
    assert!(!scene.state.fleet.is_shown() && scene.capture.span_count() > 0);

    let other = converted(1);
    let pick = Action::PickFiles(FilePurpose::OpenDataset, vec![other.path().join("dataset")]);
    act(&mut window, vec![pick]);
    answered(&mut window);
    assert_eq!(tabs(&window).len(), 3);
    // A rank alone has steps, and nobody to compare it with.
    window.harness.get_by_label("1 rank");
    window
        .harness
        .get_by_label_contains("Stragglers are looked for among two ranks");
    window
        .harness
        .get_by_label_contains("Outliers are looked for among four ranks");
    let pick = Action::PickFiles(
        FilePurpose::OpenDataset,
        vec![other.path().join("captures")],
    );
    act(&mut window, vec![pick]);
    let told = window.harness.state().scene().state.notice.clone().unwrap();
    assert!(
        told.is_error && told.text.contains("is no dataset"),
        "{}",
        told.text
    );
}

/// The ranks that stand out most from the ground.
fn strongest(lights: &[u32], is_dark: bool) -> Vec<u32> {
    let most = if is_dark {
        lights.iter().max()
    } else {
        lights.iter().min()
    };
    let ranks = (0..).zip(lights).filter(|it| Some(it.1) == most);
    ranks.map(|it| it.0).collect()
}

/// Of what is measured the greatest value is the darkest in the light theme, and the lightest in the dark one.
#[test]
fn the_rank_that_stands_out_has_the_strongest_colour() {
    for (theme, is_dark) in [(ThemeChoice::Light, false), (ThemeChoice::Dark, true)] {
        let mut window = opened(theme, &whole());
        fleet(&mut window, FleetAction::Measure(FleetMeasure::Idle));
        let row = |window: &Window, step| {
            (0..RANKS)
                .map(|rank| place(window, (rank, step)))
                .collect::<Vec<_>>()
        };
        let places = row(&window, 2);
        let lights = light(&mut window, &places);
        assert_eq!(strongest(&lights, is_dark), [LATE], "{lights:?}");
        fleet(&mut window, FleetAction::Measure(FleetMeasure::StepTime));
        let places = row(&window, OUTLIER.1);
        let lights = light(&mut window, &places);
        assert_eq!(strongest(&lights, is_dark), [OUTLIER.0], "{lights:?}");
    }
}

#[test]
fn a_click_on_a_straggler_or_an_outlier_chooses_its_cell() {
    let mut window = opened(ThemeChoice::Dark, &whole());
    let picture = window
        .harness
        .state()
        .scene()
        .status
        .fleet
        .picture
        .clone()
        .unwrap();
    let [late] = picture.stragglers.as_slice() else {
        panic!("{:?}", picture.stragglers);
    };
    assert_eq!(late.rank, LATE);
    window.harness.get_by_label("STRAGGLERS 1");
    let row = |window: &Window, begin: String| {
        let found = by().role(Role::Button).predicate(move |node| {
            let label = node.label();
            label.is_some_and(|it| it.starts_with(&begin))
        });
        window.harness.get(found).click();
    };
    row(&window, format!("{LATE} · {}", late.times_last));
    window.harness.run_steps(3);
    assert_eq!(cell(&window), Some((LATE, late.worst_step.unwrap())));
    // Zoomed in elsewhere, the cell is scrolled to.
    let (first, count) = (32, 8);
    let range = app::state::GridRange { first, count };
    fleet(&mut window, FleetAction::Show(Some(range), None));
    row(&window, format!("{} · {}", OUTLIER.0, OUTLIER.1));
    window.harness.run_steps(3);
    assert_eq!(cell(&window), Some(OUTLIER));
    let rows = window.harness.state().scene().state.fleet.rows.unwrap();
    assert_eq!((rows.first, rows.count), (OUTLIER.0 as usize, count));
    window
        .harness
        .get_by_label(&format!("Rank {}, step {}", OUTLIER.0, OUTLIER.1));
}

#[test]
fn keys_move_the_cell_and_open_its_capture_and_commands_of_captures_do_nothing() {
    let mut window = opened(ThemeChoice::Dark, &whole());
    let press = |window: &mut Window, key| {
        window.harness.key_press(key);
        window.harness.run_steps(3);
    };
    press(&mut window, Key::ArrowDown);
    assert_eq!(cell(&window), Some((0, 0)));
    for key in [
        Key::ArrowDown,
        Key::ArrowRight,
        Key::ArrowRight,
        Key::ArrowLeft,
    ] {
        press(&mut window, key);
    }
    assert_eq!(cell(&window), Some((1, 1)));
    window
        .harness
        .key_press_modifiers(Modifiers::SHIFT, Key::ArrowDown);
    window.harness.run_steps(3);
    assert_eq!(cell(&window), Some((11, 1)));
    press(&mut window, Key::End);
    assert_eq!(cell(&window), Some((11, STEPS - 1)));
    press(&mut window, Key::Plus);
    let rows = window.harness.state().scene().state.fleet.rows;
    assert!(rows.is_some_and(|it| it.count < 64 && it.first <= 11));
    press(&mut window, Key::Num0);
    assert_eq!(window.harness.state().scene().state.fleet.rows, None);
    let before = window.harness.state().scene().state.clone();
    for command in [
        Command::SaveCapture,
        Command::Play,
        Command::Dense,
        Command::Rerun,
    ] {
        act(&mut window, vec![command.into()]);
    }
    assert_eq!(*window.harness.state().scene().state, before);
    press(&mut window, Key::Enter);
    until(&mut window, |window| {
        window.harness.state().scene().status.parts.len() == 1
    });
    assert_eq!(tabs(&window), ["Fleet: dataset", "rank11.json"]);
    act(&mut window, vec![Action::ShowTab(0)]);
    press(&mut window, Key::Escape);
    assert_eq!(cell(&window), None);
}

/// The range of the capture on screen, once it is there.
fn range(window: &mut Window) -> Interval {
    until(window, |window| {
        let scene = window.harness.state().scene();
        scene.status.parts.len() == 1 && scene.state.selection.range.is_some()
    });
    window
        .harness
        .state()
        .scene()
        .state
        .selection
        .range
        .unwrap()
}

/// The span of the step in the capture on screen that a range is of.
fn is_step(window: &Window, at: Interval, step: i64) -> bool {
    let capture = window.harness.state().scene().capture;
    let wanted = format!("ProfilerStep#{step}");
    let mut spans = capture.spans();
    spans.any(|it| capture.name(it.span.name) == wanted && it.interval() == at)
}

#[test]
fn the_capture_of_a_rank_is_opened_at_the_step() {
    let mut window = opened(ThemeChoice::Dark, &whole());
    let (rank, step) = OUTLIER;
    fleet(
        &mut window,
        FleetAction::Select(Some(FleetCell { rank, step })),
    );
    window
        .harness
        .get_by_label("Open this rank's capture")
        .click();
    window.harness.run_steps(2);
    let found = range(&mut window);
    assert_eq!(found.length(), Nanos(ranks_model::step_time(rank, step)));
    assert!(is_step(&window, found, step));
    let view = window.harness.state().scene().state.view.interval.unwrap();
    assert!(view.start < found.start && view.end > found.end);
    assert_eq!(tabs(&window), ["Fleet: dataset", "rank5.json"]);
}

#[test]
fn a_capture_that_was_moved_is_found_by_its_content() {
    let folder = converted(4);
    let mut window = opened(ThemeChoice::Dark, &folder.path().join("dataset"));
    let moved = folder.path().join("moved/deep");
    fs::create_dir_all(&moved).unwrap();
    fs::rename(
        folder.path().join("captures/rank2.json"),
        moved.join("other.json"),
    )
    .unwrap();
    let (rank, step) = (2, 1);
    fleet(
        &mut window,
        FleetAction::Select(Some(FleetCell { rank, step })),
    );
    window.harness.key_press(Key::Enter);
    until(&mut window, |window| {
        window
            .harness
            .state()
            .scene()
            .status
            .fleet
            .lost_capture
            .is_some()
    });
    window.harness.run_steps(3);
    window
        .harness
        .get_by_label_contains("The capture of rank 2 was not opened");
    window.harness.get_by_label("Choose the folder…");
    let pick = Action::PickFiles(
        FilePurpose::SearchCaptures,
        vec![folder.path().join("moved")],
    );
    act(&mut window, vec![pick]);
    let found = range(&mut window);
    assert!(is_step(&window, found, step));
    assert_eq!(tabs(&window), ["Fleet: dataset", "other.json"]);
    // The folder is kept, and asked for no more.
    let settings = &window.harness.state().scene().state.settings;
    assert_eq!(settings.capture_folder, Some(folder.path().join("moved")));
}

#[test]
fn ranks_that_are_not_there_are_named() {
    let folder = damaged(6, |captures| {
        fs::remove_file(captures.join("rank1.json")).unwrap();
        let cut = captures.join("rank2.json");
        let text = fs::read_to_string(&cut).unwrap();
        fs::write(&cut, &text[..text.len() - 20]).unwrap();
    });
    let dataset = folder.path().join("dataset");
    fs::remove_dir_all(dataset.join("captures/run=base/rank=4")).unwrap();
    let mut window = opened(ThemeChoice::Dark, &dataset);
    window.harness.get_by_label("4 of 6 ranks");
    window.harness.get_by_label("! Missing: 1");
    window.harness.get_by_label("! Not finished: 4");
    window.harness.get_by_label("! Read in part: 2");
    // They have rows all the same, and nothing that could be opened.
    window
        .harness
        .get_by_label_contains("Heatmap: step time of 6 ranks");
    for (rank, words) in [
        (1, "no value: the rank is not in the dataset"),
        (4, "no value: the conversion of the rank was not finished"),
    ] {
        let at = FleetCell { rank, step: 0 };
        fleet(&mut window, FleetAction::Select(Some(at)));
        window.harness.get_by_label(words);
        let open = window.harness.query_by_label("Open this rank's capture");
        assert!(open.is_none());
        window.harness.key_press(Key::Enter);
        window.harness.run_steps(2);
        assert!(
            window
                .harness
                .state()
                .scene()
                .status
                .fleet
                .running
                .is_none()
        );
    }
    // What was damaged since is named.
    let receipt = dataset.join("captures/run=base/rank=0/part-0.parquet");
    fs::write(&receipt, "damaged").unwrap();
    fleet(&mut window, FleetAction::Refresh);
    until(&mut window, |window| {
        window.harness.state().scene().status.fleet.error.is_some()
    });
    window.harness.run_steps(3);
    window.harness.get_by_label_contains("part-0.parquet");
}

/// The address of a cluster is typed as on the command line, and a wrong one is told at once.
#[test]
fn the_address_of_a_cluster_is_typed() {
    let mut window = opened(ThemeChoice::Dark, &whole());
    let engines = |version: Option<&str>| {
        let of = |engine: FleetEngine| FoundEngine {
            engine,
            version: version.map(str::to_owned),
            lacks: None,
        };
        let spark = of(FleetEngine::Spark(None));
        let own = FoundEngine {
            version: Some("3".to_owned()),
            ..of(FleetEngine::Sqlite)
        };
        vec![own, spark]
    };
    let status = |window: &mut Window, version| {
        window.harness.state_mut().know_engines(engines(version));
        window.harness.run_steps(2);
    };
    let open = |window: &mut Window| {
        let found = by()
            .role(Role::ComboBox)
            .predicate(|node| node.value().is_some_and(|it| it.starts_with("SQLite")));
        window.harness.get(found).click();
        window.harness.run_steps(3);
    };
    // Nothing can be typed that nothing here could ask.
    status(&mut window, None);
    open(&mut window);
    assert!(window.harness.query_by_label("Ask it").is_none());
    window.harness.get_by_label_contains("pip install pyspark");
    window.harness.key_press(Key::Escape);
    window.harness.run_steps(3);
    status(&mut window, Some("4"));
    open(&mut window);
    let field = window.harness.get_by_label("A cluster, by its address");
    field.focus();
    field.type_text("host:7077");
    window.harness.run_steps(2);
    window.harness.get_by_label("Ask it").click();
    window.harness.run_steps(3);
    window
        .harness
        .get_by_label_contains("“host:7077” is no engine");
}

#[test]
fn the_quickest_engine_answers_that_is_installed() {
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    act(&mut window, vec![Action::OpenFiles(vec![whole()])]);
    answered(&mut window);
    let status = &window.harness.state().scene().status.fleet;
    let engine = choose_engine(&status.engines);
    assert!(
        status
            .picture
            .as_ref()
            .unwrap()
            .engine
            .starts_with(engine.title())
    );
    // One that is not installed is not asked, whatever was chosen once.
    let chosen = FleetEngine::Spark(Some("spark://nowhere".to_owned()));
    if !status
        .engines
        .iter()
        .any(|it| it.engine.label() == "spark" && it.is_ready())
    {
        fleet(&mut window, FleetAction::ChooseEngine(chosen));
        answered(&mut window);
        let status = &window.harness.state().scene().status.fleet;
        assert!(
            status
                .picture
                .as_ref()
                .unwrap()
                .engine
                .starts_with(engine.title())
        );
    }
}

#[test]
fn a_dataset_looks_as_it_should() {
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = opened(theme, &whole());
        let (rank, step) = OUTLIER;
        fleet(
            &mut window,
            FleetAction::Select(Some(FleetCell { rank, step })),
        );
        window.harness.run_steps(4);
        results.add(window.harness.try_snapshot(format!("fleet-{suffix}")));
    }
}

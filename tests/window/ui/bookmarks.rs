//! Bookmarks: made by a key, a menu and with a note, walked, kept of each capture, and saved in its file.

use std::path::{Path, PathBuf};

use app::action::{Action, BookmarkAction};
use app::state::{FilePurpose, ThemeChoice};
use eframe::egui::{Event, Key, Modifiers, PointerButton, Pos2, pos2};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;
use engine::record::{Bookmark, SpanId};
use engine::time::{Interval, Nanos};

use super::interaction::until;
use super::opened_captures::THEMES;
use super::{Window, click, longest_wait};
use crate::formats::real::open as read;
use crate::house::root;

const SIZE: [f32; 2] = [1280.0, 800.0];

fn act(window: &mut Window, action: Action) {
    window.harness.state_mut().act(vec![action], None);
    // While something is concluded in the background frames are asked for.
    window.harness.run_steps(4);
}

fn press(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.harness.key_press_modifiers(modifiers, key);
    window.harness.run_steps(4);
}

fn list(window: &Window) -> Vec<Bookmark> {
    window.harness.state().scene().state.bookmarks.list.clone()
}

fn note(window: &mut Window, place: usize, text: &str) {
    let note = BookmarkAction::Note(place, text.to_owned());
    act(window, Action::Bookmark(note));
}

fn range(start: i64, end: i64) -> Interval {
    Interval::new(Nanos(start), Nanos(end))
}

#[test]
fn a_key_bookmarks_the_selected_span_and_what_is_typed_is_its_note() {
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer");
    press(&mut window, Modifiers::NONE, Key::Escape);
    press(&mut window, Modifiers::NONE, Key::B);
    assert!(list(&window).is_empty());
    let told = window.harness.state().scene().state.notice.clone();
    assert!(told.unwrap().text.contains("nothing to bookmark"));

    let wait = longest_wait(window.harness.state());
    act(&mut window, Action::Select(Some(wait)));
    press(&mut window, Modifiers::NONE, Key::B);
    window.harness.run();
    window.harness.event(Event::Text("why so long".to_owned()));
    window.harness.run();
    let at = {
        let capture = window.harness.state().scene().capture;
        capture.span(wait).unwrap().interval()
    };
    let wanted = Bookmark {
        at,
        span: wait,
        text: "why so long".to_owned(),
    };
    assert_eq!(list(&window), [wanted]);
    // The cursor stands in the note, which keys of the window do not reach.
    press(&mut window, Modifiers::NONE, Key::B);
    assert_eq!(list(&window).len(), 1);
    press(&mut window, Modifiers::NONE, Key::Enter);
    // The same place is marked once.
    press(&mut window, Modifiers::NONE, Key::B);
    assert_eq!(list(&window).len(), 1);
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.harness.get_by_label("Remove this bookmark").click();
    window.harness.run();
    assert!(list(&window).is_empty());
}

#[test]
fn keys_walk_from_one_bookmark_to_the_next() {
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer");
    let wait = longest_wait(window.harness.state());
    let end = {
        let capture = window.harness.state().scene().capture;
        capture.extent().unwrap().end
    };
    let late = Interval::new(end - Nanos(2_000), end - Nanos(1_000));
    for (at, span) in [(late, SpanId::NONE), (range(0, 0), SpanId::NONE)] {
        let text = String::new();
        let add = BookmarkAction::Add(Bookmark { at, span, text });
        act(&mut window, Action::Bookmark(add));
        press(&mut window, Modifiers::NONE, Key::Enter);
    }
    act(&mut window, Action::Select(Some(wait)));
    press(&mut window, Modifiers::NONE, Key::B);
    press(&mut window, Modifiers::NONE, Key::Enter);
    act(&mut window, Action::Select(None));
    // The wait was made last, and the range lies behind it.
    press(&mut window, Modifiers::NONE, Key::V);
    let scene = window.harness.state().scene();
    assert_eq!(scene.state.selection.range, Some(late));
    let shown = scene.state.view.interval.unwrap();
    assert!(shown.start <= late.start && late.end <= shown.end);
    assert!(shown.length() <= Nanos(1_500));
    press(&mut window, Modifiers::NONE, Key::V);
    assert_eq!(
        window.harness.state().scene().state.bookmarks.visited,
        Some(2)
    );
    press(&mut window, Modifiers::SHIFT, Key::V);
    assert_eq!(
        window.harness.state().scene().state.selection.span,
        Some(wait)
    );
    press(&mut window, Modifiers::SHIFT, Key::V);
    let scene = window.harness.state().scene();
    assert_eq!(scene.state.bookmarks.visited, Some(0));
    assert!(scene.state.view.interval.unwrap().start <= Nanos(0));
}

/// Where an instant is on the ruler.
fn on_ruler(window: &Window, time: Nanos) -> Pos2 {
    let scene = window.harness.state().scene();
    let areas = window.harness.state().timeline_areas();
    let shown = scene.state.view.shown(scene.capture.extent());
    let share = (time - shown.start).0 as f32 / shown.length().0 as f32;
    let x = areas.body.left() + share * areas.body.width();
    pos2(x + 3.0, areas.ruler.bottom() - 4.0)
}

#[test]
fn the_menu_of_the_ruler_bookmarks_an_instant_and_its_flag_goes_there() {
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "double-buffer");
    let middle = {
        let capture = window.harness.state().scene().capture;
        Nanos(capture.extent().unwrap().length().0 / 2)
    };
    let at = on_ruler(&window, middle);
    click(&mut window, at, PointerButton::Secondary);
    window.harness.get_by_label("Bookmark this time").click();
    window.harness.run();
    let [bookmark] = list(&window).try_into().unwrap();
    assert_eq!(bookmark.at.length(), Nanos::ZERO);
    press(&mut window, Modifiers::NONE, Key::Enter);

    let wait = longest_wait(window.harness.state());
    act(&mut window, Action::Select(Some(wait)));
    press(&mut window, Modifiers::NONE, Key::B);
    press(&mut window, Modifiers::NONE, Key::Enter);
    act(&mut window, Action::Select(None));
    let start = {
        let capture = window.harness.state().scene().capture;
        capture.span(wait).unwrap().span.start
    };
    let flag = on_ruler(&window, start);
    click(&mut window, flag, PointerButton::Primary);
    assert_eq!(
        window.harness.state().scene().state.selection.span,
        Some(wait)
    );
    let start = {
        let bookmarks = list(&window);
        let of_wait = bookmarks.iter().find(|it| it.span == wait);
        of_wait.unwrap().at.start
    };
    let flag = on_ruler(&window, start);
    click(&mut window, flag, PointerButton::Secondary);
    window.harness.get_by_label("Remove it").click();
    window.harness.run();
    assert!(list(&window).iter().all(|it| it.span != wait));
    assert_eq!(list(&window).len(), 1);
}

fn open(window: &mut Window, path: &Path) {
    act(window, Action::OpenFile(path.to_owned()));
    until(window, |window| {
        let status = window.harness.state().scene().status;
        !status.parts.is_empty() && status.job.is_none()
    });
    window.harness.run_steps(4);
}

fn steps(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    let file = root().join("tests/data/captures/torch-steps.json.gz");
    std::fs::copy(file, &path).unwrap();
    path
}

/// What was marked is kept of what a capture holds, and goes into the file that it is saved as; there it stays with the file.
#[test]
fn bookmarks_are_kept_of_each_capture_and_saved_in_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let views = folder.path().join("views");
    let keeping = |views: &Path| Window::keeping(SIZE, ThemeChoice::Dark, Some(views.to_owned()));
    let mut window = keeping(&views);
    open(&mut window, &steps(folder.path(), "first.json.gz"));
    act(&mut window, Action::Select(Some(SpanId(3))));
    press(&mut window, Modifiers::NONE, Key::B);
    press(&mut window, Modifiers::NONE, Key::Enter);
    note(&mut window, 0, "slow\u{1b}[31m here");
    let marked = list(&window);
    press(&mut window, Modifiers::COMMAND, Key::W);
    assert!(list(&window).is_empty());

    let mut window = keeping(&views);
    open(&mut window, &steps(folder.path(), "second.json.gz"));
    assert_eq!(list(&window), marked);
    for name in ["saved.pftrace", "saved.json"] {
        let path = folder.path().join(name);
        let purpose = match name {
            "saved.json" => FilePurpose::Export,
            _ => FilePurpose::SaveCapture,
        };
        act(&mut window, Action::PickFiles(purpose, vec![path.clone()]));
        until(&mut window, |window| {
            window.harness.state().scene().status.job.is_none()
        });
        let (capture, _) = read(std::slice::from_ref(&path));
        let places = capture
            .bookmarks()
            .iter()
            .map(|it| (it.at, it.text.clone()));
        let wanted = [(marked[0].at, marked[0].text.clone())];
        assert_eq!(places.collect::<Vec<_>>(), wanted, "{name}");
        // The span that is marked is the same one, whatever its number.
        let span = capture.span(capture.bookmarks()[0].span).unwrap();
        assert_eq!(span.interval(), marked[0].at);
    }
    // Another window, which has kept nothing.
    let mut window = keeping(&folder.path().join("others"));
    open(&mut window, &folder.path().join("saved.pftrace"));
    let [found] = list(&window).try_into().unwrap();
    assert_eq!(found.text, marked[0].text);
    act(&mut window, Action::Bookmark(BookmarkAction::Remove(0)));
    press(&mut window, Modifiers::COMMAND, Key::W);
    // What was removed does not come again out of the file.
    open(&mut window, &folder.path().join("saved.pftrace"));
    assert!(list(&window).is_empty());
}

#[test]
fn pictures_of_bookmarks() {
    let mut results = SnapshotResults::new();
    for (theme, suffix) in THEMES {
        let mut window = Window::with_run(SIZE, theme, "double-buffer");
        let wait = longest_wait(window.harness.state());
        act(&mut window, Action::Select(Some(wait)));
        press(&mut window, Modifiers::NONE, Key::B);
        press(&mut window, Modifiers::NONE, Key::Enter);
        note(
            &mut window,
            0,
            "copy waits for the kernel that reads the same buffer",
        );
        act(&mut window, Action::Select(None));
        let extent = window.harness.state().scene().capture.extent().unwrap();
        let part = |share: i64| Nanos(extent.length().0 / 100 * share);
        for (at, text) in [
            (
                Interval::new(part(62), part(81)),
                "steady: compare with the first rounds",
            ),
            (Interval::new(part(90), part(90)), ""),
        ] {
            let (span, text) = (SpanId::NONE, text.to_owned());
            let add = BookmarkAction::Add(Bookmark { at, span, text });
            act(&mut window, Action::Bookmark(add));
            press(&mut window, Modifiers::NONE, Key::Enter);
        }
        results.add(window.harness.try_snapshot(format!("bookmarks-{suffix}")));
    }
}

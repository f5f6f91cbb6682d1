//! Files that change while they are on screen: what is seen, chosen and pinned in them stays.

use std::fs;
use std::path::{Path, PathBuf};

use app::action::{Action, BookmarkAction, Command};
use app::state::{ThemeChoice, ViewChange};
use egui_kittest::kittest::Queryable as _;
use engine::capture::Capture;
use engine::record::{Bookmark, LaneId, SpanId};
use engine::time::{Interval, Nanos};

use super::Window;
use super::interaction::until;

const SIZE: [f32; 2] = [1200.0, 460.0];

/// A span of a thread, at a millisecond of the file's clock.
type Event = (u32, &'static str, u32);

/// Writes a trace that began at 0, as a tool does that writes a file beside it first.
fn write(path: &Path, events: &[Event]) {
    let event = |(thread, name, at): &Event| {
        format!(
            r#"{{"ph":"X","pid":1,"tid":{thread},"ts":{},"dur":500,"name":"{name}"}}"#,
            at * 1000
        )
    };
    let events: Vec<String> = events.iter().map(event).collect();
    let beside = path.with_extension("part");
    fs::write(&beside, format!("[{}]", events.join(",\n"))).unwrap();
    fs::rename(beside, path).unwrap();
}

fn capture(window: &Window) -> &Capture {
    window.harness.state().scene().capture
}

fn opened(path: PathBuf) -> Window {
    let mut window = Window::new(SIZE, ThemeChoice::Dark);
    act(&mut window, Action::OpenFile(path));
    until(&mut window, |window| {
        !window.harness.state().scene().status.parts.is_empty()
    });
    window
}

fn act(window: &mut Window, action: Action) {
    window.harness.state_mut().act(vec![action], None);
}

fn named(capture: &Capture, name: &str) -> SpanId {
    let found = capture
        .spans()
        .find(|it| capture.name(it.span.name) == name);
    found.unwrap().span.id
}

/// What the user has chosen, by names: the span, those chosen with it, the pinned lanes, and what the bookmarks mark.
fn chosen(window: &Window) -> [Vec<String>; 4] {
    let scene = window.harness.state().scene();
    let (capture, state) = (scene.capture, scene.state);
    let name = |id: &SpanId| {
        let found = capture.span(*id);
        found.map_or_else(
            || "?".to_owned(),
            |it| capture.name(it.span.name).to_owned(),
        )
    };
    let marked = state.bookmarks.list.iter().map(|it| name(&it.span));
    [
        state.selection.span.iter().map(name).collect(),
        state.selection.group.iter().map(name).collect(),
        state
            .view
            .pinned
            .iter()
            .map(|it| capture.lane(*it).unwrap().name.clone())
            .collect(),
        marked.collect(),
    ]
}

#[test]
fn what_was_chosen_in_a_file_is_chosen_once_it_was_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    let first: &[Event] = &[(5, "a", 0), (7, "b", 1), (7, "c", 2), (5, "d", 3)];
    write(&path, first);
    let mut window = opened(path.clone());
    let (b, c) = (named(capture(&window), "b"), named(capture(&window), "c"));
    let lane = capture(&window).span(b).unwrap().span.lane;
    let seen = Interval::new(Nanos(500_000), Nanos(2_700_000));
    for action in [
        Action::Show(Some(seen), ViewChange::Jump),
        Action::PinLane(lane),
        Action::Select(Some(b)),
        Action::SelectAlso(c),
        Action::Bookmark(BookmarkAction::Add(Bookmark {
            at: capture(&window).span(c).unwrap().interval(),
            span: c,
            text: "here".to_owned(),
        })),
    ] {
        act(&mut window, action);
    }
    let mut lanes = capture(&window).lanes().iter().map(|it| it.id);
    let other = lanes.rfind(|it| *it != lane).unwrap();
    act(&mut window, Action::Reorder(vec![lane, other]));
    let (before, order) = (chosen(&window), arranged(&window));
    assert!(!order.is_empty());
    // Another thread comes first, so that every lane and span has another number.
    let second: &[Event] = &[
        (2, "z", 0),
        (2, "y", 4),
        (5, "a", 0),
        (7, "b", 1),
        (7, "c", 2),
    ];
    write(&path, second);
    until(&mut window, |window| {
        let found = window
            .harness
            .query_by_label("has changed since it was read");
        found.is_some()
    });
    assert_eq!(capture(&window).span_count(), first.len(), "nobody asked");
    // The bookmark's note has the keys.
    window.harness.get_by_label_contains("Reload (").click();
    until(&mut window, |window| {
        capture(window).span_count() == second.len()
    });
    assert!(named(capture(&window), "b") != b, "the numbers are others");
    assert_eq!(chosen(&window), before);
    assert_eq!(
        window.harness.state().scene().state.view.interval,
        Some(seen)
    );
    let files = &window.harness.state().scene().status.files;
    assert!(!files.have_changed() && !files.is_read_again);
    // What is no longer there is no longer chosen.
    write(&path, &[(7, "c", 2)]);
    until(&mut window, |window| {
        window.harness.state().scene().status.files.have_changed()
    });
    act(&mut window, Command::Reload.into());
    until(&mut window, |window| capture(window).span_count() == 1);
    let [span, ..] = chosen(&window);
    assert!(span.is_empty());
    // Once it is there again, all is as it was.
    let other: &[Event] = &[(9, "e", 0), (9, "f", 1)];
    for (events, pinned) in [(other, 0), (second, before[2].len())] {
        write(&path, events);
        until(&mut window, |window| {
            window.harness.state().scene().status.files.have_changed()
        });
        act(&mut window, Command::Reload.into());
        until(&mut window, |window| {
            capture(window).span_count() == events.len()
        });
        let [span, _, lanes, _] = chosen(&window);
        assert_eq!((span.len(), lanes.len()), (pinned, pinned), "{lanes:?}");
    }
    assert_eq!(chosen(&window), before);
    assert_eq!(arranged(&window), order);
}

/// The lanes in the order that they were put in, by their threads.
fn arranged(window: &Window) -> Vec<String> {
    let scene = window.harness.state().scene();
    let thread = |id: &LaneId| scene.capture.lane(*id).unwrap().thread.to_string();
    scene.state.view.order.iter().map(thread).collect()
}

#[test]
fn a_file_that_is_followed_grows_on_screen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    write(&path, &[(5, "a", 0)]);
    let mut window = opened(folder.path().to_owned());
    act(&mut window, Command::ReloadChanged.into());
    act(&mut window, Action::Select(Some(SpanId(0))));
    write(&path, &[(5, "a", 0), (5, "b", 1)]);
    until(&mut window, |window| capture(window).span_count() == 2);
    let [span, ..] = chosen(&window);
    assert_eq!(span, ["a"]);
    // A rank more in the folder is one more file of the capture.
    write(&path, &[(5, "a", 0), (5, "b", 1), (5, "c", 2)]);
    write(&folder.path().join("other.json"), &[(6, "d", 0)]);
    until(&mut window, |window| {
        let scene = window.harness.state().scene();
        scene.status.parts.len() == 2 && scene.capture.span_count() == 4
    });
}

#[test]
fn a_file_that_makes_no_sense_for_a_while_leaves_what_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    write(&path, &[(5, "a", 0), (5, "b", 1)]);
    let mut window = opened(path.clone());
    act(&mut window, Command::ReloadChanged.into());
    let (a, lane) = (named(capture(&window), "a"), LaneId(0));
    act(&mut window, Action::Select(Some(a)));
    act(&mut window, Action::PinLane(lane));
    let before = chosen(&window);
    for (text, why) in [
        ("no trace at all", "not a capture"),
        ("[]", "holds nothing"),
    ] {
        fs::write(&path, text).unwrap();
        until(&mut window, |window| {
            notice(window).is_some_and(|it| it.contains(why))
        });
        assert_eq!(capture(&window).span_count(), 2);
        assert_eq!(chosen(&window), before);
    }
    write(&path, &[(5, "a", 0), (5, "b", 1), (5, "c", 2)]);
    until(&mut window, |window| capture(window).span_count() == 3);
    assert_eq!(chosen(&window), before);
    assert_eq!(notice(&window), None);
}

/// The line above the timeline.
fn notice(window: &Window) -> Option<String> {
    let state = window.harness.state().scene().state;
    state.notice.as_ref().map(|it| it.text.clone())
}

#[test]
fn what_was_said_of_a_file_that_breaks_off_goes_once_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    write(&path, &[(5, "a", 0), (5, "b", 1)]);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 20]).unwrap();
    let mut window = opened(path.clone());
    act(&mut window, Command::ReloadChanged.into());
    let said = notice(&window);
    assert!(said.is_some_and(|it| it.contains("breaks off")));
    fs::write(&path, whole).unwrap();
    until(&mut window, |window| capture(window).span_count() == 2);
    assert_eq!(notice(&window), None);
}

#[test]
fn one_rank_twice_in_a_followed_folder_leaves_what_was() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let profile = |rank: u32| {
        format!(
            r#"{{"schemaVersion": 1, "distributedInfo": {{"backend": "nccl", "rank": {rank}, "world_size": 2}}, "traceEvents": [
            {{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 7, "tid": 7, "ts": 10, "dur": 5, "args": {{"External id": 1}}}}]}}"#
        )
    };
    fs::write(at("a.json"), profile(0)).unwrap();
    fs::write(at("b.json"), profile(1)).unwrap();
    let mut window = opened(folder.path().to_owned());
    act(&mut window, Command::ReloadChanged.into());
    // Of the second the name says which rank it is of, so that nothing has to be read.
    for (copy, again) in [("c.json", None), ("rank1-again.json", Some("rank1.json"))] {
        if let Some(first) = again {
            fs::rename(at("b.json"), at(first)).unwrap();
        }
        fs::copy(at(again.unwrap_or("b.json")), at(copy)).unwrap();
        until(&mut window, |window| {
            notice(window).is_some_and(|it| it.contains("two files of rank 1") && it.contains(copy))
        });
        let scene = window.harness.state().scene();
        assert_eq!(scene.status.parts.len(), 2);
        fs::remove_file(at(copy)).unwrap();
        // What else is to be known of the files may be said then.
        let is_refused = |it: &str| it.contains("two files of rank 1");
        until(&mut window, |window| {
            !notice(window).is_some_and(|it| is_refused(&it))
        });
    }
}

#[test]
fn what_a_run_made_has_no_file_to_be_read_again() {
    let mut window = Window::with_run(SIZE, ThemeChoice::Dark, "fork-join");
    let spans = capture(&window).span_count();
    for command in [Command::Reload, Command::ReloadChanged] {
        act(&mut window, Action::Notify(None));
        act(&mut window, command.into());
        let notice = window.harness.state().scene().state.notice.as_ref();
        assert!(notice.is_some_and(|it| it.text.contains("was not read from files")));
    }
    assert_eq!(capture(&window).span_count(), spans);
}

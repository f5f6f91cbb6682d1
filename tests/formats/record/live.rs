//! A program that is recorded while somebody looks on: what an engine says meanwhile.

use std::time::{Duration, Instant};

use engine::activity::{CaptureWindow, RingLimit};
use engine::capture::Capture;
use engine::record::{DependencyKind, RunOutcome};
use engine::runner::{
    Control, Engine, KeptCapture, Message, Phase, ProgramRequest, WindowControl, WindowStatus,
};

use super::{program, ties};
use crate::house::program::stand_in;

/// What an engine said so far.
struct View {
    engine: Engine,
    capture: Capture,
    phases: Vec<Phase>,
    refused: Vec<String>,
    exit: Option<i32>,
    is_finished: bool,
    windows: Vec<WindowStatus>,
    kept: Vec<KeptCapture>,
}

impl View {
    fn of(arguments: &[&str]) -> Self {
        Self::within(arguments, CaptureWindow::Whole)
    }

    fn within(arguments: &[&str], window: CaptureWindow) -> Self {
        // The variable is set for the program alone: tests run side by side.
        let set = format!("SYNCLINE_TEST_CUDA_STAND_IN={}", stand_in().display());
        // A test that a shell started behind its back ignores what Ctrl-C sends, and what it starts would, too.
        let mut command = vec![
            "/usr/bin/env".into(),
            "--default-signal=INT".into(),
            set.into(),
            program().into_os_string(),
        ];
        command.extend(arguments.iter().map(Into::into));
        let engine = Engine::start(Box::new(|| ()));
        engine.send(Control::Record(Box::new(ProgramRequest {
            command,
            is_live: true,
            window,
            ..ProgramRequest::default()
        })));
        Self {
            engine,
            capture: Capture::new(),
            phases: Vec::new(),
            refused: Vec::new(),
            exit: None,
            is_finished: false,
            windows: Vec::new(),
            kept: Vec::new(),
        }
    }

    fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let end = Instant::now() + Duration::from_mins(1);
        while !is_so(self) {
            assert!(Instant::now() < end, "{what}: {:?}", self.refused);
            match self
                .engine
                .messages()
                .recv_timeout(Duration::from_millis(50))
            {
                Ok(Message::Batch(records)) => self.capture.apply(records),
                Ok(Message::Phase(phase)) => self.phases.push(phase),
                Ok(Message::Refused(reason)) => self.refused.push(reason),
                Ok(Message::Started { .. }) => self.capture = Capture::new(),
                Ok(Message::Window(status)) => self.windows.push(status),
                Ok(Message::Kept(kept)) => self.kept.push(*kept),
                Ok(Message::Exited(exit)) => self.exit = Some(exit),
                Ok(Message::Finished { lost, .. }) => {
                    assert_eq!(lost, 0);
                    self.is_finished = true;
                }
                _ => {}
            }
        }
    }
}

#[test]
fn spans_and_ties_are_shown_while_the_program_runs_and_it_can_be_stopped() {
    let mut view = View::of(&["forever"]);
    view.until("spans", |view| view.capture.span_count() > 100);
    view.until("ties", |view| {
        ties(&view.capture, DependencyKind::Event).len() > 10
    });
    assert_eq!(
        (view.phases.as_slice(), view.exit),
        ([Phase::Running].as_slice(), None)
    );
    view.engine.send(Control::Pause);
    view.until("a refusal", |view| !view.refused.is_empty());
    assert!(
        view.refused[0].contains("only stopped"),
        "{:?}",
        view.refused
    );
    view.engine.send(Control::Stop);
    view.until("its end", |view| view.is_finished);
    assert_eq!(view.exit, Some(130));
    assert_eq!(view.capture.end().unwrap().outcome, RunOutcome::Stopped);
}

#[test]
fn what_was_tied_meanwhile_is_what_is_tied_in_the_end() {
    let mut view = View::of(&["work", "30"]);
    view.until("its end", |view| view.is_finished);
    assert_eq!(view.exit, Some(0));
    let events = ties(&view.capture, DependencyKind::Event);
    assert_eq!(events.len(), 30);
    let blocked = ties(&view.capture, DependencyKind::Synchronization);
    assert_eq!(blocked.len(), 30);
}

#[test]
fn an_engine_that_is_dropped_leaves_no_program() {
    let mut view = View::of(&["forever"]);
    view.until("spans", |view| view.capture.span_count() > 100);
    let lane = view
        .capture
        .lanes()
        .iter()
        .find(|lane| lane.name.starts_with("cuda-program "));
    let process: u32 = lane
        .unwrap()
        .name
        .split(' ')
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    let path = format!("/proc/{process}");
    assert!(std::path::Path::new(&path).exists());
    drop(view.engine);
    assert!(!std::path::Path::new(&path).exists());
}

#[test]
fn a_window_that_is_opened_while_somebody_looks_on_shows_what_is_kept() {
    let mut view = View::within(&["forever"], CaptureWindow::Switched);
    view.until("how it is", |view| view.windows == [WindowStatus::Closed]);
    std::thread::sleep(Duration::from_millis(700));
    let send = |view: &View, control| view.engine.send(Control::Window(control));
    send(&view, WindowControl::Start);
    view.until("spans", |view| view.capture.span_count() > 200);
    assert_eq!(view.windows.last(), Some(&WindowStatus::Open));
    send(&view, WindowControl::Stop);
    view.until("its end", |view| {
        view.windows.last() == Some(&WindowStatus::Closed)
    });
    let first = view.capture.spans().map(|it| it.span.start.0).min();
    assert!(first > Some(600_000_000), "{first:?}");
    view.engine.send(Control::Stop);
    view.until("its end", |view| view.is_finished);
    let last = view.capture.spans().map(|it| it.span.start.0).max();
    // What came last may be an instant.
    assert!(last <= view.capture.end().map(|it| it.time.0), "{last:?}");
}

#[test]
fn the_last_is_kept_while_somebody_looks_on_and_in_the_end() {
    let limit = RingLimit::new(400_000_000, RingLimit::SMALLEST).unwrap();
    let mut view = View::within(&["forever"], CaptureWindow::Last(limit));
    view.until("spans", |view| view.capture.span_count() > 2000);
    view.engine.send(Control::Window(WindowControl::Keep));
    view.until("what is kept", |view| !view.kept.is_empty());
    let kept = view.kept.remove(0);
    assert!(kept.path.is_none() && kept.error.is_none());
    let mut capture = Capture::new();
    capture.apply(kept.records);
    let lasted = |capture: &Capture| {
        let starts = capture.spans().map(|it| it.span.start.0);
        let ends = capture.spans().map(|it| it.span.end.0);
        ends.max().unwrap() - starts.min().unwrap()
    };
    let length = lasted(&capture);
    assert!((200_000_000..600_000_000).contains(&length), "{length}");
    // What somebody looks at has all that came.
    let seen = view.capture.span_count();
    assert!(seen > 2000 && seen > capture.span_count());
    view.until("more", |view| view.capture.span_count() > seen + 500);
    view.engine.send(Control::Stop);
    view.until("its end", |view| view.is_finished);
    // In the end what is kept takes its place.
    let length = lasted(&view.capture);
    assert!((100_000_000..700_000_000).contains(&length), "{length}");
    assert_eq!(view.capture.end().unwrap().outcome, RunOutcome::Stopped);
}

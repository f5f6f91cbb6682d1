//! A program that is recorded while somebody looks on: what an engine says meanwhile.

use std::time::{Duration, Instant};

use engine::capture::Capture;
use engine::record::{DependencyKind, RunOutcome};
use engine::runner::{Control, Engine, Message, Phase, ProgramRequest};

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
}

impl View {
    fn of(arguments: &[&str]) -> Self {
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
            ..ProgramRequest::default()
        })));
        Self {
            engine,
            capture: Capture::new(),
            phases: Vec::new(),
            refused: Vec::new(),
            exit: None,
            is_finished: false,
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

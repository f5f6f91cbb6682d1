//! What comes from an engine, put together.

use std::time::{Duration, Instant};

use engine::capture::Capture;
use engine::runner::far::{Connection, ConnectionState, WorkerTarget};
use engine::runner::{Control, Engine, Message, RunRequest};

/// An engine, and all that it said.
pub struct View {
    pub engine: Engine,
    pub capture: Capture,
    pub connection: Connection,
    pub refused: Vec<String>,
    pub finished: usize,
}

impl View {
    /// Of an engine at `target`.
    pub fn of(target: WorkerTarget) -> Self {
        Self::new(Engine::connect(target, Box::new(|| ())))
    }

    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            capture: Capture::new(),
            connection: Connection::default(),
            refused: Vec::new(),
            finished: 0,
        }
    }

    pub fn run(&self, request: RunRequest) {
        self.engine.send(Control::Run(Box::new(request)));
    }

    /// Takes messages until `wanted` holds, at most a minute.
    pub fn until(&mut self, what: &str, wanted: impl Fn(&Self) -> bool) {
        let end = Instant::now() + Duration::from_mins(1);
        while !wanted(self) {
            assert!(
                Instant::now() < end,
                "{what}: not in time; {:?}, {:?}, {} spans",
                self.connection,
                self.refused,
                self.capture.span_count()
            );
            let Ok(message) = self
                .engine
                .messages()
                .recv_timeout(Duration::from_millis(20))
            else {
                continue;
            };
            match message {
                Message::Started { .. } => self.capture = Capture::new(),
                Message::Batch(records) => self.capture.apply(records),
                Message::Refused(reason) => self.refused.push(reason),
                Message::Finished { lost, .. } => {
                    assert_eq!(lost, 0);
                    self.finished += 1;
                }
                Message::Connection(connection) => self.connection = *connection,
                Message::Phase(_)
                | Message::Offers(_)
                | Message::Seated { .. }
                | Message::Exited(_)
                | Message::Window(_)
                | Message::Kept(_)
                | Message::Notice(_) => {}
            }
        }
    }

    pub fn until_finished(&mut self) {
        let finished = self.finished;
        self.until("the run's end", |view| view.finished > finished);
    }

    pub fn until_state(&mut self, state: ConnectionState) {
        self.until(&format!("{state:?}"), |view| view.connection.state == state);
    }
}

//! Other people's engines, by a small program in Python: it is started with a request in JSON and answers line by line.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::env;
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use query::{SqlLimits, SqlWatch, StopReason};
use record::Value;
use serde::{Deserialize, Serialize};

use super::answer::FleetSummary;
use super::ask::AnswerSink;
use super::engine::FleetEngine;
use super::error::FleetError;

/// The program.
const CLIENT: &str = include_str!("client.py");
/// The variable that names the Python to start it with.
const PYTHON: &str = "SYNCLINE_PYTHON";
/// How often a question that runs looks whether it may go on.
const LOOK: Duration = Duration::from_millis(50);
/// Lines of the answer that may wait to be taken.
const WAITING: usize = 64;
/// Lines of what an engine says besides its answer that are kept, and how long each may be.
const KEPT_LINES: usize = 4;
const KEPT_BYTES: usize = 300;

/// A question to an engine.
pub(crate) struct ClientRequest<'a> {
    pub engine: &'a FleetEngine,
    /// The dataset's.
    pub folder: &'a Path,
    /// What declares the tables.
    pub statements: Vec<String>,
    pub questions: &'a [String],
}

/// An engine as Python finds it.
#[derive(Debug, Deserialize)]
pub(crate) struct ListedEngine {
    pub name: String,
    pub version: Option<String>,
    pub lacks: Option<String>,
}

/// The request, as the program reads it.
#[derive(Serialize)]
#[serde(untagged)]
enum RequestLine<'a> {
    List {
        list: bool,
    },
    Ask {
        engine: &'a str,
        at: Option<&'a str>,
        folder: Cow<'a, str>,
        statements: &'a [String],
        questions: &'a [String],
        most_rows: u64,
    },
}

/// A line of the answer.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum AnswerLine {
    Engines {
        engines: Vec<ListedEngine>,
    },
    Engine {
        engine: String,
    },
    Columns {
        columns: Vec<String>,
    },
    Rows {
        rows: Vec<Vec<serde_json::Value>>,
    },
    End {
        end: u64,
        more: bool,
    },
    Error {
        error: String,
        kind: ClientErrorKind,
    },
}

/// What an error is about.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum ClientErrorKind {
    Question,
    Engine,
    Absent,
}

/// The program while it runs. It is ended when nobody waits for it any more.
struct RunningClient {
    child: Child,
    /// While it is open the program knows that somebody waits.
    _input: ChildStdin,
    lines: Receiver<String>,
    said: Arc<Mutex<VecDeque<String>>>,
}

impl Drop for RunningClient {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The engines that Python finds; nothing where there is no Python, or what is started as one does not answer.
pub(crate) fn list() -> Option<Vec<ListedEngine>> {
    let request = RequestLine::List { list: true };
    let running = RunningClient::start(&request).ok()?;
    let line = running.lines.recv_timeout(Duration::from_secs(20));
    match serde_json::from_str(&line.ok()?).ok()? {
        AnswerLine::Engines { engines } => Some(engines),
        _ => None,
    }
}

/// What somebody named as the Python to start engines with.
pub(crate) fn named_python() -> Option<OsString> {
    env::var_os(PYTHON).filter(|it| !it.is_empty())
}

/// The Python to start it with.
pub(crate) fn python() -> OsString {
    named_python().unwrap_or_else(|| if cfg!(windows) { "python" } else { "python3" }.into())
}

impl RunningClient {
    fn start(request: &RequestLine<'_>) -> Result<Self, FleetError> {
        let mut command = Command::new(python());
        command.args(["-c", CLIENT]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // Ctrl-C is for whoever asks, who then ends it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|_absent| FleetError::python())?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(mut input), Some(output), Some(errors)) = pipes else {
            return Err(FleetError::python());
        };
        let mut line = serde_json::to_string(request).unwrap_or_default();
        line.push('\n');
        // One that has ended already says why in what it printed.
        let _ = input.write_all(line.as_bytes());
        let said = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&said);
        let (sender, lines) = bounded(WAITING);
        let named = |name: &str| thread::Builder::new().name(name.to_owned());
        let answers = named("fleet answer").spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            for line in lines {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let noise = named("fleet messages").spawn(move || keep_last(errors, &kept));
        if answers.is_err() || noise.is_err() {
            return Err(FleetError::python());
        }
        Ok(Self {
            child,
            _input: input,
            lines,
            said,
        })
    }

    /// The next line of the answer; nothing where it has ended.
    fn line(&self, limits: &ClientLimits<'_>) -> Result<Option<String>, StopReason> {
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => return Ok(Some(line)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => limits.check()?,
            }
        }
    }

    /// What it said last, besides its answer.
    fn last_words(&self) -> String {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = said.iter().map(String::as_str).collect();
        if lines.is_empty() {
            format!(
                "it ended without a word; is {} a Python 3?",
                python().display()
            )
        } else {
            format!("it ended after saying: {}", lines.join(" / "))
        }
    }
}

/// Keeps the last lines of what an engine says.
fn keep_last(from: impl Read, kept: &Mutex<VecDeque<String>>) {
    for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        let line: String = line.trim().chars().take(KEPT_BYTES).collect();
        if line.is_empty() {
            continue;
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == KEPT_LINES {
            kept.pop_front();
        }
        kept.push_back(line);
    }
}

/// How long it may take.
struct ClientLimits<'a> {
    began: Instant,
    time: Duration,
    /// Bytes of the answer that may be held here.
    memory: u64,
    watch: &'a SqlWatch,
}

impl ClientLimits<'_> {
    fn check(&self) -> Result<(), StopReason> {
        if self.watch.is_cancelled() {
            return Err(StopReason::Cancelled);
        }
        if self.began.elapsed() >= self.time {
            return Err(StopReason::Time(self.time));
        }
        if self.watch.held() > self.memory {
            return Err(StopReason::Memory(self.memory));
        }
        Ok(())
    }
}

/// Starts an engine, asks it, and hands the rows to `take`.
pub(crate) fn ask(
    request: &ClientRequest<'_>,
    (limits, watch): (SqlLimits, &Arc<SqlWatch>),
    take: &mut AnswerSink<'_>,
) -> Result<Vec<FleetSummary>, FleetError> {
    let line = RequestLine::Ask {
        engine: request.engine.label(),
        at: request.engine.address(),
        folder: request.folder.to_string_lossy(),
        statements: &request.statements,
        questions: request.questions,
        most_rows: limits.rows,
    };
    let running = RunningClient::start(&line)?;
    let limits = ClientLimits {
        began: Instant::now(),
        time: limits.time,
        memory: limits.memory,
        watch,
    };
    let mut reader = AnswerReader {
        engine: request.engine,
        summaries: Vec::new(),
        current: FleetSummary::default(),
    };
    while reader.summaries.len() < request.questions.len() {
        let line = running.line(&limits);
        reader.current.answer.time = limits.began.elapsed();
        let cut = match line {
            Ok(None) => {
                return Err(FleetError::Failed {
                    engine: request.engine.clone(),
                    text: running.last_words(),
                });
            }
            Ok(Some(line)) => reader.line(&line, take)?.or_else(|| limits.check().err()),
            Err(reason) => Some(reason),
        };
        if let Some(cut) = cut {
            reader.finish(Some(cut));
            break;
        }
    }
    Ok(reader.summaries)
}

/// An answer on its way.
struct AnswerReader<'a> {
    engine: &'a FleetEngine,
    summaries: Vec<FleetSummary>,
    current: FleetSummary,
}

impl AnswerReader<'_> {
    /// Takes a line in; answers why it is enough, where it is.
    fn line(
        &mut self,
        line: &str,
        take: &mut AnswerSink<'_>,
    ) -> Result<Option<StopReason>, FleetError> {
        let failed = |text: String| FleetError::Failed {
            engine: self.engine.clone(),
            text,
        };
        let line = serde_json::from_str::<AnswerLine>(line);
        match line.map_err(|error| failed(format!("it said what is no answer ({error})")))? {
            AnswerLine::Engine { engine } => self.current.engine = engine,
            AnswerLine::Columns { columns } => self.current.answer.columns = columns,
            AnswerLine::Rows { rows } => return Ok(self.rows(rows, take)),
            AnswerLine::End { end, more } => {
                self.finish(more.then_some(StopReason::Rows(end)));
            }
            AnswerLine::Error { error, kind } => {
                let engine = self.engine.clone();
                return Err(match kind {
                    ClientErrorKind::Question => FleetError::Question {
                        engine,
                        text: error,
                    },
                    ClientErrorKind::Absent => FleetError::Absent {
                        engine,
                        reason: error,
                    },
                    ClientErrorKind::Engine => failed(error),
                });
            }
            AnswerLine::Engines { .. } => {}
        }
        Ok(None)
    }

    fn rows(
        &mut self,
        rows: Vec<Vec<serde_json::Value>>,
        take: &mut AnswerSink<'_>,
    ) -> Option<StopReason> {
        let place = self.summaries.len();
        for row in rows {
            let values = row.into_iter().map(value).collect();
            self.current.answer.rows += 1;
            if take(place, &self.current.answer.columns, values).is_break() {
                return Some(StopReason::Cancelled);
            }
        }
        None
    }

    fn finish(&mut self, cut: Option<StopReason>) {
        let next = FleetSummary {
            engine: self.current.engine.clone(),
            ..FleetSummary::default()
        };
        let mut done = std::mem::replace(&mut self.current, next);
        done.answer.cut = cut;
        self.summaries.push(done);
    }
}

/// A value as rows have it.
fn value(value: serde_json::Value) -> Option<Value> {
    match value {
        serde_json::Value::Null => None,
        serde_json::Value::Bool(value) => Some(Value::Integer(i64::from(value))),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(whole) => Some(Value::Integer(whole)),
            None => number.as_f64().map(Value::Number),
        },
        serde_json::Value::String(text) => Some(Value::Text(text.into())),
        other => Some(Value::Text(other.to_string().into())),
    }
}

//! Facts about the run as a whole: what was run, on which clock, what was expected and how it ended.

use serde::{Deserialize, Serialize};

use super::{DeviceId, EventId, Severity, SpanId};
use crate::time::Nanos;

/// What was run, or which file was opened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Name of the workload or the file.
    pub name: String,
    /// Backend that ran it, or the format it was read from.
    pub backend: String,
    /// The workload as written, in KDL; empty for files of other tools.
    pub source: String,
    /// The value of each parameter for this run.
    pub parameters: Vec<(String, f64)>,
    /// The machine, in words.
    pub machine: String,
    /// Version of the program that wrote it.
    pub version: String,
}

/// How a device's clock was converted to capture time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    /// The device.
    pub device: DeviceId,
    /// The clock's name, such as `CLOCK_MONOTONIC`.
    pub name: String,
    /// The clock's reading at capture time zero, in nanoseconds.
    pub offset: Nanos,
    /// How much it gains on the host's clock, in parts per billion.
    pub drift: f64,
    /// How far a converted time may be off, either way.
    pub uncertainty: Nanos,
    /// Whether it counts from 1970-01-01 UTC, and its offset is the instant of capture time zero by the best that is known.
    #[serde(default)]
    pub is_unix: bool,
}

impl Clock {
    /// What the clock that counts from 1970-01-01 UTC is called. Importers report it, of no device, where a file says when
    /// it was made: files of several ranks are aligned by it.
    pub const UNIX: &str = "unix";

    /// The instant of capture time zero, in nanoseconds since 1970-01-01 UTC.
    pub fn unix(zero: Nanos) -> Self {
        Self {
            device: DeviceId::NONE,
            name: Self::UNIX.to_owned(),
            offset: zero,
            is_unix: true,
            ..Self::default()
        }
    }

    /// Whether it tells the instant of capture time zero. Captures of earlier versions say so by its name alone.
    pub fn tells_zero(&self) -> bool {
        !self.device.is_some() && (self.is_unix || self.name == Self::UNIX)
    }
}

/// The code of the problem that waits of streams do not say what they are for.
pub const WAITS_UNTOLD: &str = "waits-untold";

/// Something known to be wrong or missing in the data itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// A short stable word for its kind, such as `wait-before-record`.
    pub code: String,
    /// What happened, why, and what to do next.
    pub text: String,
    /// The span it is about, or [`SpanId::NONE`].
    pub span: SpanId,
    /// The event it is about, or [`EventId::NONE`].
    pub event: EventId,
}

/// Facts of a file that had to be mended when it was first read, for one cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRepair {
    /// The cause, such as `negative times`.
    pub cause: Box<str>,
    /// How many there were.
    pub count: u64,
}

/// What the workload expected, and whether it held.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectation {
    /// The expectation as written, such as `overlap copy compute at-least 0.3`.
    pub text: String,
    /// Whether it held; nothing where this run could not tell, for the reason in `found`.
    pub holds: Option<bool>,
    /// What was found, such as `0.41`, or why it could not be checked.
    pub found: String,
    /// Line in the workload's source, counted from 1.
    pub line: u32,
}

impl Expectation {
    /// Whether it was found not to hold. One that was not judged is neither missed nor held.
    pub fn is_missed(&self) -> bool {
        self.holds == Some(false)
    }
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    /// When it was written.
    pub time: Nanos,
    /// How bad it is.
    pub severity: Severity,
    /// The line.
    pub text: String,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunOutcome {
    /// Every call returned and every operation ended.
    #[default]
    Finished,
    /// Somebody stopped it.
    Stopped,
    /// It could not go on, for the reason given.
    Failed(String),
}

/// The end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    /// When it ended.
    pub time: Nanos,
    /// How it ended.
    pub outcome: RunOutcome,
    /// Records that were given to the recorder over the whole run, this one included.
    pub records: u64,
}

//! What crosses to the engine and back: plain serialisable data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::far::{BackendOffer, Connection};
use super::mesh::RankAssignment;
use super::program::{KeptCapture, ProgramRequest, WindowControl, WindowStatus};
use record::{PaceSetting, Record};
use workload::{Injection, RankFault, Synchronization};

/// To the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// Run a workload; a run that is under way is stopped first.
    Run(Box<RunRequest>),
    /// Hold every host thread before its next call. What was submitted runs on.
    Pause,
    /// Let the host threads go on.
    Resume,
    /// Make exactly one more call, of the host thread whose turn it is, and pause again.
    Step,
    /// Make no further call, cancel what has not begun, and end the run.
    Stop,
    /// How fast host threads make calls.
    Pace(Pace),
    /// Lose the device, now or at its moment.
    Lose(Injection),
    /// Open a lost device anew, and go on in this way. Host threads that were held go on too.
    Recover(RecoveryMode),
    /// What the parent of ranks tells one of them, or somebody who looks on tells the parent.
    Rank(RankControl),
    /// End the engine.
    Shutdown,
    /// Run a program of somebody else's and record what it does with CUDA; an engine of this machine's does that alone.
    Record(Box<ProgramRequest>),
    /// Start or stop what is kept of the program that is recorded, or write what is.
    Window(WindowControl),
}

/// What has to do with ranks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RankControl {
    /// Where all ranks listen, in their order; the run begins with it.
    Peers(Vec<String>),
    /// Another rank's run is over, or its process is.
    Left {
        /// Its number.
        rank: u32,
        /// Why nothing more comes from it.
        why: String,
    },
    /// Do something to a rank on purpose.
    Fault(RankFault),
}

/// How fast host threads make calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pace {
    /// As fast as they can.
    #[default]
    Full,
    /// At most this many calls a second and host thread.
    CallsPerSecond(f64),
}

/// What to run, and how.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRequest {
    /// The workload's name: a file's name, or that of a bundled workload.
    pub name: String,
    /// The workload as written, in KDL.
    pub source: String,
    /// Values for parameters that shall differ from the file's.
    pub parameters: Vec<(String, f64)>,
    /// The backend's name; empty for the best where it runs.
    pub backend: String,
    /// Which of the backend's adapters: a part of its name, or its position counted from 0; empty for the best.
    #[serde(default)]
    pub adapter: String,
    /// Where to write the capture while it runs.
    pub save: Option<PathBuf>,
    /// Whether to start paused, so that the first call is made by a step.
    pub paused: bool,
    /// How fast host threads make calls.
    pub pace: Pace,
    /// Losses to inject.
    pub lose: Vec<Injection>,
    /// What to do once the device is lost.
    pub recovery: RecoveryMode,
    /// How a paced device is set, where that shall differ from the workload's.
    #[serde(default)]
    pub paced: PaceSetting,
    /// What draws the lengths of operations and calls in virtual time, so that a workload is seen in another of the orders
    /// that it allows, which is the same each time.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Who sees to it that buffers are not used on two streams at once, where that shall differ from the workload's.
    #[serde(default)]
    pub synchronization: Option<Synchronization>,
    /// Which of several ranks the engine is, where it is one.
    #[serde(default)]
    pub seat: Option<RankAssignment>,
    /// What is done to ranks on purpose, besides what the workload says.
    #[serde(default)]
    pub faults: Vec<RankFault>,
    /// Where the machines of the placement are, as `ssh` knows them, where that shall differ from the workload's.
    #[serde(default)]
    pub machines: Vec<(String, String)>,
    /// Addresses in the workload's own text that may be connected to: where a text alone wants it, nothing is.
    #[serde(default)]
    pub allowed: Vec<String>,
    /// Whether operations are reported when they are submitted, too: whoever has the near end of a link tells what
    /// became of them should the process at the far end die.
    #[serde(default)]
    pub reports_submissions: bool,
}

/// What to do once the device is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryMode {
    /// Nothing: host threads go on, and what they submit is lost, as WebGPU has it.
    #[default]
    Stay,
    /// Hold the host threads until somebody says how to go on.
    Pause,
    /// Open the device anew and go on with the calls that the host threads are at.
    Resume,
    /// Open the device anew and begin again with the first call.
    Replay,
}

/// What the engine is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Nothing.
    #[default]
    Idle,
    /// Running calls.
    Running,
    /// Host threads are held before their next call.
    Paused,
    /// No further calls are made; waiting for what is in flight.
    Stopping,
}

/// From the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message {
    /// A run began: everything up to the next `Started` belongs to it.
    Started {
        /// Counts the runs of this engine from 1.
        run: u64,
    },
    /// Facts, in the order in which the recorder took them.
    Batch(Vec<Record>),
    /// The engine does something else now.
    Phase(Phase),
    /// A run could not begin; the capture on screen stays as it was.
    Refused(String),
    /// The run is over and every record has been sent.
    Finished {
        /// The run.
        run: u64,
        /// Records that the recorder was given and did not deliver; 0 unless something is broken.
        lost: u64,
    },
    /// How the link to an engine in another process is.
    Connection(Box<Connection>),
    /// A rank has its device, and listens for the others.
    Seated {
        /// Where.
        address: String,
        /// By what its machine is told from others.
        machine: String,
    },
    /// What the machine of an engine in another process has to run workloads.
    Offers(Vec<BackendOffer>),
    /// A program that was recorded ended, with what a shell calls its exit code.
    Exited(i32),
    /// What is kept of the program that is recorded changed.
    Window(WindowStatus),
    /// The last stretch of time of the program that is recorded was kept, and it goes on.
    Kept(Box<KeptCapture>),
    /// Something could not be done, and what is under way goes on.
    Notice(String),
}

//! The arguments, as clap reads them and explains them.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use engine::activity::{RangeFilter, RingLimit};
use engine::record::PaceSetting;
use engine::runner::RecoveryMode;
use engine::runner::far::WorkerTarget;
use engine::workload::{Injection, RANKS, RankFault, Synchronization};

/// Syncline shows what GPU streams really do.
#[derive(Debug, Parser)]
#[command(
    name = "syncline",
    bin_name = "syncline",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Without a command, Syncline opens its window. Exit codes: 0 all is well, 1 the run failed, an \
                  expectation did not hold, a denied finding was made, the capture could not be saved, or `info` or `convert` could not keep all of a file, 2 the input is wrong, something is missing or the answer cannot be written, 3 a limit of `query` or `fleet` cut the answer off, \
                  130 stopped by Ctrl-C."
)]
pub struct CliArguments {
    /// Captures and workloads to open in the window; a folder stands for the captures in it, - for one on standard input
    pub files: Vec<PathBuf>,
    /// Read them again whenever they change, as files that are being written do
    #[arg(long, requires = "files")]
    pub follow: bool,
    /// Have the desktop open captures, and links to them, which begin with syncline:, with this program, and shells complete it
    #[arg(long, conflicts_with = "files")]
    pub register: bool,
    /// What to do instead
    #[command(subcommand)]
    pub command: Option<CliCommand>,
}

/// What can be done besides opening the window.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Open captures and workloads in the window
    Open {
        /// The files; a folder stands for the captures in it, - for one on standard input
        files: Vec<PathBuf>,
        /// Read them again whenever they change, as files that are being written do
        #[arg(long, requires = "files")]
        follow: bool,
    },
    /// Run a workload without a window, and print what happened
    Run(Box<RunOptions>),
    /// Record what a program and all that it starts do with CUDA and NVTX, and show it
    Record(RecordOptions),
    /// List the workloads that come with the program
    Workloads {
        /// How to print
        #[arg(long, value_enum, default_value_t)]
        format: OutputFormat,
    },
    /// List the lessons on stream synchronisation
    Lessons(super::lessons::LessonsOptions),
    /// Take a lesson, or judge what was written for one
    #[command(subcommand)]
    Lesson(super::lessons::LessonCommand),
    /// Serve an engine over standard input and output, for another Syncline at their other end
    Worker {
        /// Lead to the worker that has this token instead
        #[arg(long, value_name = "TOKEN")]
        attach: Option<String>,
    },
    /// Write what a desktop, shells and `man` know the program by below a folder such as /usr/share, for whoever packs it
    #[command(hide = true)]
    DataFiles {
        /// The folder
        folder: PathBuf,
    },
    /// List what can run workloads here, and why the rest cannot
    Backends {
        /// List what is on another machine, as ssh knows it; `.` asks a process of its own on this one
        #[arg(long, value_name = "USER@HOST[:PROGRAM]", value_parser = WorkerTarget::parse)]
        on: Option<WorkerTarget>,
        /// How to print
        #[arg(long, value_enum, default_value_t)]
        format: OutputFormat,
    },
    /// Print what another system's names are called here, such as CUDA's or WebGPU's
    Guide {
        /// Which one; without it, a list of them
        name: Option<String>,
    },
    /// Read workloads, or the folder of a course of lessons, and say what is wrong with them
    Check {
        /// The files, in KDL, or folders of courses; - is standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Write captures in another format, several of them as one, or as ranks of a dataset
    Convert(Box<super::convert::ConvertOptions>),
    /// Look after a dataset that `convert --to` wrote
    #[command(subcommand)]
    Dataset(super::dataset::DatasetCommand),
    /// Write a workload that does what a capture's streams did
    Extract {
        /// The captures, several of them as one; - is standard input
        #[arg(required = true, value_name = "CAPTURE")]
        files: Vec<PathBuf>,
        /// From when to when, such as 10ms..12.5ms or 300us..; all of it where it is left out
        #[arg(long, value_name = "START..END", allow_hyphen_values = true, value_parser = super::range::parse)]
        range: Option<super::range::TimeRange>,
        /// The file to write
        #[arg(short, long, value_name = "FILE.kdl")]
        output: PathBuf,
    },
    /// Print why operations began, and blocking calls returned, when they did
    Explain(super::causes::ExplainOptions),
    /// Print where the time of each stream went: busy, or idle for a reason
    Idle(super::causes::CauseOptions),
    /// Print what the time was made of from end to start, and how much later each operation could have begun
    CriticalPath(super::causes::CauseOptions),
    /// Print how long the spans of each name took: count, total, self time, mean, median, p95, longest
    Statistics(super::causes::CauseOptions),
    /// Print what ranges of the host launched on streams: NVTX ranges, operators, Python functions
    Project(super::causes::ProjectOptions),
    /// Print what called what on the host, how long that took, and what it launched
    Tree(super::causes::TreeOptions),
    /// Print how much memory allocators had, what was alive at a moment, and who had asked for it
    Memory(Box<super::causes::MemoryOptions>),
    /// Print how host threads were scheduled: running, ready without a core, or blocked, on which core, woken by whom
    Threads(super::causes::ThreadsOptions),
    /// Print how long all would have taken if something was otherwise
    WhatIf(super::causes::WhatIfOptions),
    /// Write what captures come to as one page, or as text for a pull request
    Report(super::report::ReportOptions),
    /// Ask a capture in SQL
    Query(Box<super::query::QueryOptions>),
    /// Ask the captures of many ranks in SQL, on an engine that is installed
    Fleet(Box<super::fleet::FleetOptions>),
    /// Print what a capture holds, and what became of all that its file held
    Info {
        /// The file; several, or those of a folder, are one capture, and - is standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Print what analyses found, all of it in sentences
        #[arg(long)]
        findings: bool,
        /// How to print; JSON always has the findings
        #[arg(long, value_enum, default_value_t)]
        format: OutputFormat,
    },
}

/// What to run, and how.
#[derive(Debug, Args)]
pub struct RunOptions {
    /// A file in KDL, - for standard input, or the name of a workload that comes with the program
    #[arg(value_name = "FILE|NAME")]
    pub workload: String,
    /// What runs it; `syncline backends` lists them. Without it, wgpu where there is a graphics device, else cpu
    #[arg(long)]
    pub backend: Option<String>,
    /// Run it on another machine, as ssh knows it, and show it here: `ssh user@host syncline worker` and nothing else;
    /// `.` runs it in a process of its own on this machine
    #[arg(long, value_name = "USER@HOST[:PROGRAM]", value_parser = WorkerTarget::parse)]
    pub on: Option<WorkerTarget>,
    /// Run it as so many processes, each with a device of its own; its placement says how many where this is left out
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=i64::from(RANKS)))]
    pub ranks: Option<u32>,
    /// Where a machine of the placement is, as ssh knows it; may be given several times
    #[arg(long = "machine", value_name = "NAME=USER@HOST[:PROGRAM]", value_parser = machine)]
    pub machines: Vec<(String, String)>,
    /// Connect to the machines that the workload itself names; without it a file never decides where to connect
    #[arg(long)]
    pub allow_remote: bool,
    /// Do something to a rank: kill:2, stop:0@500us or slow:1@collective:3; may be given several times
    #[arg(long = "fault", value_name = "WHAT:RANK[@MOMENT]")]
    pub faults: Vec<RankFault>,
    /// Which of the backend's adapters: its number, or a part of its name
    #[arg(long, default_value = "", hide_default_value = true)]
    pub adapter: String,
    /// How the backend `paced` takes its time: rate (GiB/s), slots and stretch, or some of these
    #[arg(long, value_name = "rate=1,slots=2,stretch=10", default_value = "", hide_default_value = true, value_parser = pace, long_help = PACE)]
    pub pace: PaceSetting,
    /// On `mock`, draw the lengths of operations and calls by this number: another order that the workload allows, the same
    /// each time
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Lose the device: how, and with @ the moment; may be given several times
    #[arg(long, value_name = "WAY[@MOMENT]", long_help = LOSE)]
    pub lose: Vec<Injection>,
    /// What to do once the device is lost
    #[arg(long, value_enum, default_value_t)]
    pub recover: RecoverOption,
    /// Who orders uses of a buffer on several streams: manual, automatic, least or compared
    #[arg(long, value_name = "HOW", value_parser = synchronization, long_help = SYNC)]
    pub sync: Option<Synchronization>,
    /// Another value for a parameter; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parameter)]
    pub parameters: Vec<(String, f64)>,
    /// Where to write the capture while it runs; what is there is kept until the run has begun
    #[arg(long, value_name = "FILE.pftrace")]
    pub save: Option<PathBuf>,
    /// Print what the analyses found, and what they looked at
    #[arg(long)]
    pub findings: bool,
    /// Fail (exit code 1) where there is a finding of this code, such as `race`; may be given several times
    #[arg(long, value_name = "CODE", value_parser = super::findings::code)]
    pub deny: Vec<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t, long_help = FIELDS)]
    pub format: OutputFormat,
}

/// What to record, and where it goes.
#[derive(Debug, Args)]
#[command(after_help = RECORD)]
pub struct RecordOptions {
    /// Where to write the capture while the program runs; without it, it is only shown
    #[arg(short, long, value_name = "FILE.pftrace")]
    pub output: Option<PathBuf>,
    /// Open the window at once, and see the program run; closing it ends the program
    #[arg(long, conflicts_with = "headless")]
    pub live: bool,
    /// Keep nothing of the first so many seconds, such as 1.5s or 200ms
    #[arg(long, value_name = "TIME", value_parser = super::range::length)]
    pub delay: Option<u64>,
    /// Keep nothing of what comes after so long; the program runs on
    #[arg(long, value_name = "TIME", value_parser = super::range::length)]
    pub duration: Option<u64>,
    /// Keep what lies within ranges of NVTX of this name, all of them or of each thread those of these places, counted from 1
    #[arg(long, value_name = "nvtx:NAME[@DOMAIN][:FIRST..LAST]", conflicts_with_all = ["delay", "duration"], value_parser = RangeFilter::parse)]
    pub range: Option<RangeFilter>,
    /// Keep the last stretch of time before the end alone, such as 10s, in a ring of so many bytes on the disk, 1GB where none are
    /// named
    #[arg(long, value_name = "TIME[,SIZE]", conflicts_with_all = ["delay", "duration", "range"], value_parser = super::range::ring)]
    pub last: Option<RingLimit>,
    /// Keep nothing until somebody starts it: in the window, with --toggle, or by SIGUSR1
    #[arg(long, conflicts_with_all = ["delay", "duration", "range", "last"])]
    pub paused: bool,
    /// Start or stop a recording that began with --paused, or have one with --last write what it keeps: by the number of its
    /// process, or of the program that it records
    #[arg(long, value_name = "PID", exclusive = true, value_parser = process_number)]
    pub toggle: Option<u32>,
    /// Open no window in the end
    #[arg(long)]
    pub headless: bool,
    /// The program and its arguments
    #[arg(
        required_unless_present = "toggle",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND"
    )]
    pub command: Vec<OsString>,
}

/// What is recorded, how, and what that means for the program.
const RECORD: &str = "Every process of the program that uses CUDA, by the runtime or by the driver, is loaded with a library \
    of Syncline's by the driver itself (CUDA_INJECTION64_PATH), and tells what CUPTI knows: kernels, copies, calls, records \
    of events, waits, synchronisation. One that calls NVTX is loaded with it by NVTX's header (NVTX_INJECTION64_PATH), with or \
    without CUDA, and tells its ranges, marks, counters and names. Of a window (--delay, --duration, --range, --paused, \
    --last) what touches it is kept whole, and what lies outside is counted. SIGUSR1 does what --toggle does. The program keeps its standard streams, and Ctrl-C is its own. The exit code is the \
    program's (128 and its signal where one ended it), 1 where it ended well and nothing was recorded or the file could not \
    be written, 2 where it could not begin.";

/// What programs can rely on.
const FIELDS: &str = "How to print. `json` prints one object with the fields name, backend, outcome (finished, stopped, \
    failed or unknown), reason, duration_ns, spans, running, dependencies, lost, streams (each name, role, spans, busy_ns, \
    waiting_ns, queued_ns), overlaps (each first, second, both_ns, of_first, of_second), role_overlaps (the same \
    for roles of streams, each with device), promises (each api, name, outcome, value, settled_ns, reason, anchor, actual, agrees), pipelines (each \
    name, state, is_async, generation, compile_ns, compiles, detail), losses (each kind, generation, reason, time_ns, operations, \
    promises, recovered_after_ns, first_result_after_ns), expectations (each text, holds, which is null where the run could not tell, \
    found, line), problems (each severity, code, text), findings (each code, severity, text, lines, spans, count), \
    looked (each code, name, text), paced (for a paced device its law bytes_per_second, slots and stretch, and how it was kept: \
    operations, late_median_ns, late_most_ns, late_share_p99, late_by_a_tenth, overran, kept), saved (the file, or null), save_error (why it was not saved, or null) and, where a new worker \
    began again, earlier_attempts (each losses and saved). Fields may be added; none is renamed or taken away";

/// The ways and moments of a loss.
const LOSE: &str = "Lose the device on purpose. The way is `destroy`, a call in the order of the calls; `driver`, a \
    loss that the driver reports; `trap`, `address`, `assertion` or `hang`, what a kernel does; or `kill`, the end of the \
    process that drives it. The moment is a time such as 500us or 2ms, pipeline:NAME while it is being compiled, \
    stream:NAME while an operation of it runs, label:NAME or line:NUMBER right before that call; at once without one. \
    May be given several times";

/// Who orders uses of a buffer.
const SYNC: &str = "Who orders uses of a buffer on several streams, where that shall differ from the workload's: \
    `manual` the workload itself, `automatic` a wait for the last stream of each buffer, reads too, `least` waits for \
    conflicts alone, `compared` the least first and then automatic, with a finding on what that cost";

fn synchronization(text: &str) -> Result<Synchronization, String> {
    let known = Synchronization::LABELS.iter();
    let found = known.clone().find(|(label, _)| *label == text);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let labels: Vec<&str> = known.map(|(label, _)| *label).collect();
        format!("write one of {}", labels.join(", "))
    })
}

/// What to do once the device is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RecoverOption {
    /// Go on with the calls, which come to nothing
    #[default]
    No,
    /// Open it anew and go on where the calls are
    Resume,
    /// Open it anew and begin again with the first call
    Replay,
}

impl From<RecoverOption> for RecoveryMode {
    fn from(recover: RecoverOption) -> Self {
        match recover {
            RecoverOption::No => Self::Stay,
            RecoverOption::Resume => Self::Resume,
            RecoverOption::Replay => Self::Replay,
        }
    }
}

/// How to print an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// How a paced device is set.
const PACE: &str = "How the backend `paced` takes its time: `rate`, GiB that each copy engine moves in a second (a kernel \
    takes an element for four bytes); `slots`, kernels and copies within the device that run at the same time; `stretch`, by \
    what every length is multiplied. What is left out is as the workload says, and else rate=1,slots=2,stretch=10";

fn pace(text: &str) -> Result<PaceSetting, String> {
    if text.is_empty() {
        return Ok(PaceSetting::default());
    }
    text.parse()
}

fn process_number(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|it| *it > 0);
    number.ok_or_else(|| {
        "write the number of a process, as `syncline record` says it and `ps` lists it".to_owned()
    })
}

fn machine(text: &str) -> Result<(String, String), String> {
    let (name, place) = text
        .split_once('=')
        .ok_or("write a machine's name, `=` and how ssh knows it, such as right=user@host")?;
    WorkerTarget::parse(place).map_err(|error| error.to_string())?;
    Ok((name.trim().to_owned(), place.to_owned()))
}

fn parameter(text: &str) -> Result<(String, f64), String> {
    let parts = text
        .split_once('=')
        .map(|(name, value)| (name.trim(), value.trim()));
    let Some((name, value)) = parts.filter(|(name, _)| !name.is_empty()) else {
        return Err("write a parameter's name, `=` and a number, such as n=1024".to_owned());
    };
    match value.replace('_', "").parse::<f64>() {
        Ok(number) if number.is_finite() => Ok((name.to_owned(), number)),
        _ => Err(format!("“{value}” is not a number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_is_sound() {
        CliArguments::command().debug_assert();
    }

    #[test]
    fn parameters_are_names_and_numbers() {
        assert_eq!(parameter("n=65_536"), Ok(("n".to_owned(), 65_536.0)));
        assert_eq!(parameter(" rate = 0.5 "), Ok(("rate".to_owned(), 0.5)));
        for wrong in ["n", "=3", "n=", "n=many", "n=inf", "n=NaN"] {
            assert!(parameter(wrong).is_err(), "{wrong}");
        }
    }
}

//! The command line: what can be asked for, and the exit code of the answer.

mod arguments;
mod causes;
mod check;
mod convert;
mod data_files;
mod dataset;
mod details;
mod events;
mod extract;
mod figures;
mod findings;
mod fleet;
mod guide;
mod interrupt;
mod lane_uses;
mod launches;
mod lessons;
mod lists;
mod open_files;
mod plain_text;
mod progress;
mod promises;
mod query;
mod range;
mod receipt;
mod record;
mod report;
mod run;
mod system_libraries;
mod table;
mod window;
mod worker;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write};

use clap::Parser as _;
use engine::runner::far::WorkerTarget;
use engine::runner::{keep_large_blocks_apart, run_apart};

use arguments::{CliArguments, CliCommand};
use plain_text::{PlainOutput, one_line, write_lines};

/// All is well.
pub const FINE: u8 = 0;
/// The run failed, or an expectation did not hold.
pub const FAILED: u8 = 1;
/// What was asked for cannot be done: the input is wrong, or something is missing.
pub const WRONG: u8 = 2;
/// A limit cut off what was asked for.
pub const CUT: u8 = 3;
/// The user stopped it.
pub const STOPPED: u8 = 130;

/// How often Ctrl-C is looked for while nothing arrives.
const LOOK: std::time::Duration = std::time::Duration::from_millis(50);
/// How long whatever only reads and answers has to stop, once Ctrl-C was pressed.
const GRACE: std::time::Duration = std::time::Duration::from_millis(1900);

/// Why there is no answer.
#[derive(Debug)]
enum CliFailure {
    /// What was asked for is wrong; the words say why and what to do.
    Wrong(String),
    /// As [`CliFailure::Wrong`], in several lines: errors of a workload, each with the line that it is in.
    Listed(String),
    /// It could not be written to its file; the words say why.
    Unsaved(String),
    /// Nobody takes the answer.
    Output(io::Error),
    /// The user asked to stop.
    Asked,
}

impl From<io::Error> for CliFailure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Where an answer goes, and whether somebody watches.
struct OutputStreams<'a> {
    /// The answer.
    out: &'a mut dyn Write,
    /// What is wrong.
    err: &'a mut dyn Write,
    /// Whether progress is drawn.
    watched: bool,
    /// Whether Ctrl-C is ours to hear.
    own_process: bool,
}

/// Does what the arguments of this process ask for, and answers with the exit code.
pub fn main() -> u8 {
    keep_large_blocks_apart();
    interrupt::outlive_long_files();
    let (out, err) = (&mut io::BufWriter::new(io::stdout()), &mut io::stderr());
    let streams = &mut OutputStreams {
        out: &mut PlainOutput::new(out),
        err: &mut PlainOutput::new(err),
        watched: io::stderr().is_terminal(),
        own_process: true,
    };
    answer(std::env::args_os(), streams)
}

/// Does what `arguments` ask for, the program's name being the first of them, and answers with the exit code:
/// [`FINE`], [`FAILED`], [`WRONG`], [`CUT`] or [`STOPPED`].
pub fn run(
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let streams = &mut OutputStreams {
        out: &mut PlainOutput::new(out),
        err: &mut PlainOutput::new(err),
        watched: false,
        own_process: false,
    };
    answer(arguments, streams)
}

fn answer(
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    streams: &mut OutputStreams<'_>,
) -> u8 {
    let given: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let done = match CliArguments::try_parse_from(&given) {
        Ok(arguments) => dispatch(&arguments, streams),
        Err(error) => usage(&error, &given, streams),
    };
    // Whoever closes the pipe has seen enough.
    let flushed = streams.out.flush().or_else(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    });
    for place in engine::record::invariant::take_broken() {
        complain(streams, &place);
    }
    match done.and_then(|code| flushed.map(|()| code).map_err(CliFailure::from)) {
        Ok(code) => code,
        // Whoever closes the pipe has seen enough.
        Err(CliFailure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => FINE,
        Err(CliFailure::Output(error)) => {
            complain(
                streams,
                &format!(
                    "the answer cannot be written: {error}; make room there, or write it elsewhere"
                ),
            );
            WRONG
        }
        Err(CliFailure::Wrong(text)) => {
            complain(streams, &text);
            WRONG
        }
        Err(CliFailure::Listed(text)) => {
            // Where even this cannot be written, the exit code remains.
            drop(write_lines(&format!("syncline: {text}"), streams.err));
            WRONG
        }
        Err(CliFailure::Unsaved(text)) => {
            complain(streams, &text);
            FAILED
        }
        Err(CliFailure::Asked) if interrupt::is_terminated() => interrupt::termination(),
        Err(CliFailure::Asked) => STOPPED,
    }
}

fn dispatch(arguments: &CliArguments, streams: &mut OutputStreams<'_>) -> Result<u8, CliFailure> {
    if streams.own_process {
        match arguments.command {
            // They end in good order what they began, and then say what came of it.
            Some(CliCommand::Record(_) | CliCommand::Backends { on: Some(_), .. }) => {
                interrupt::listen(true);
                interrupt::watch(None);
            }
            // It listens while the workload runs.
            Some(CliCommand::Run(_)) => interrupt::watch(None),
            Some(
                CliCommand::Info { .. }
                | CliCommand::Convert(_)
                | CliCommand::Dataset(_)
                | CliCommand::Fleet(_)
                | CliCommand::Extract { .. }
                | CliCommand::Explain(_)
                | CliCommand::Idle(_)
                | CliCommand::CriticalPath(_)
                | CliCommand::Statistics(_)
                | CliCommand::Report(_)
                | CliCommand::Project(_)
                | CliCommand::Tree(_)
                | CliCommand::Memory(_)
                | CliCommand::Threads(_)
                | CliCommand::Query(_)
                | CliCommand::WhatIf(_),
            ) => {
                interrupt::watch(Some(GRACE));
                interrupt::stop_on_termination(GRACE);
            }
            _ => {}
        }
    }
    if streams.own_process
        && !matches!(arguments.command, Some(CliCommand::Worker { .. }))
        && let Ok(here) = WorkerTarget::parse(".")
    {
        run_apart(here);
    }
    match &arguments.command {
        None if arguments.register => data_files::register(streams),
        None => window::open(&arguments.files, arguments.follow),
        Some(CliCommand::Open { files, follow }) => window::open(files, *follow),
        Some(CliCommand::Record(options)) => record::record(options, streams),
        Some(CliCommand::Run(options)) => run::run(options, streams),
        Some(CliCommand::Workloads { format }) => lists::workloads(*format, streams),
        Some(CliCommand::Lessons(options)) => lessons::lessons(options, streams),
        Some(CliCommand::Lesson(command)) => lessons::lesson(command, streams),
        Some(CliCommand::Backends { on, format }) => lists::backends(on.as_ref(), *format, streams),
        Some(CliCommand::Worker { attach }) => worker::worker(attach.as_deref(), streams),
        Some(CliCommand::DataFiles { folder }) => data_files::write_for_package(folder),
        Some(CliCommand::Guide { name }) => guide::guide(name.as_deref(), streams),
        Some(CliCommand::Check { files }) => check::check(files, streams),
        Some(CliCommand::Info {
            files,
            findings,
            format,
        }) => details::details(files, (*format, *findings), streams),
        Some(CliCommand::Explain(options)) => causes::explain(options, streams),
        Some(CliCommand::Idle(options)) => causes::idle(options, streams),
        Some(CliCommand::CriticalPath(options)) => causes::critical_path(options, streams),
        Some(CliCommand::Statistics(options)) => causes::statistics(options, streams),
        Some(CliCommand::Project(options)) => causes::project(options, streams),
        Some(CliCommand::Tree(options)) => causes::tree(options, streams),
        Some(CliCommand::Memory(options)) => causes::memory(options, streams),
        Some(CliCommand::Threads(options)) => causes::threads(options, streams),
        Some(CliCommand::WhatIf(options)) => causes::what_if(options, streams),
        Some(CliCommand::Report(options)) => report::report(options, streams),
        Some(CliCommand::Query(options)) => query::query(options, streams),
        Some(CliCommand::Convert(options)) => convert::convert(options, streams),
        Some(CliCommand::Dataset(command)) => dataset::dataset(command, streams),
        Some(CliCommand::Fleet(options)) => fleet::fleet(options, streams),
        Some(CliCommand::Extract {
            files,
            range,
            output,
        }) => extract::extract(files, *range, output, streams),
    }
}

/// Help and the version are answers; anything else that clap says is a complaint.
fn usage(
    error: &clap::Error,
    given: &[OsString],
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    // Some of the arguments may be names of files: what is wrong with them is said of them as they are shown.
    let shown = given
        .iter()
        .map(|it| one_line(&it.to_string_lossy()).into_owned());
    let again = CliArguments::try_parse_from(shown).err();
    let text = again.map_or_else(|| error.to_string(), |it| it.to_string());
    if error.use_stderr() {
        streams.err.write_all(text.as_bytes())?;
        Ok(WRONG)
    } else {
        streams.out.write_all(text.as_bytes())?;
        Ok(FINE)
    }
}

fn complain(streams: &mut OutputStreams<'_>, text: &str) {
    // Where even this cannot be written, the exit code remains.
    let _ = writeln!(streams.err, "syncline: {text}");
}

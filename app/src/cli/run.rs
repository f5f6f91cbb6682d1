//! Runs a workload without a window, and prints what happened.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crossbeam_channel::RecvTimeoutError;
use engine::backend;
use engine::capture::Capture;
use engine::exporter::refuse_input;
use engine::importer::is_standard_input;
use engine::runner::far::{ConnectionState, WorkerTarget};
use engine::runner::{Control, Engine, Message, Pace, RunRequest, again_path};
use engine::workload::{Document, Placement, bundled, nearest};

use super::arguments::{OutputFormat, RunOptions};
use super::check::STANDARD_INPUT;
use super::figures::{CaptureReport, save_error};
use super::plain_text::joined;
use super::progress::ProgressLine;
use super::promises::EarlierAttemptReport;
use super::{CliFailure, FAILED, FINE, LOOK, OutputStreams, STOPPED, check, interrupt};

/// How long a run has to stop, once Ctrl-C was pressed.
const PATIENCE: Duration = Duration::from_millis(1600);

/// Runs what was asked for and prints its figures.
pub(super) fn run(options: &RunOptions, streams: &mut OutputStreams<'_>) -> Result<u8, CliFailure> {
    let request = request(options)?;
    if let Some(note) = old_name_note(options, &request) {
        writeln!(streams.err, "{note}")?;
    }
    let (name, backend) = (request.name.clone(), request.backend.clone());
    interrupt::listen(true);
    let followed = follow(request, options.on.clone(), streams)?;
    if !followed.was_asked {
        interrupt::listen(false);
    }
    let (capture, was_asked) = (&followed.capture, followed.was_asked);
    if capture.run().is_none() && !was_asked {
        let text = "the engine said that the run ended, and told nothing of it: nothing ran; if it is on another machine, \
                    look whether the same version of Syncline is there";
        return Err(CliFailure::Wrong(text.to_owned()));
    }
    let (saved, earlier) = attempts(&followed, options.save.as_deref());
    let mut figures = CaptureReport::new(capture, followed.lost, saved.as_deref());
    figures.earlier = earlier;
    if capture.run().is_none() {
        // It was over before it said what it was.
        let anywhere = "another machine".to_owned();
        figures.called(
            name,
            if backend.is_empty() {
                anywhere
            } else {
                backend
            },
        );
    }
    let written = match options.format {
        OutputFormat::Text => figures.write_text(streams.out).and_then(|()| {
            if options.findings || !options.deny.is_empty() {
                figures.findings.write_text(streams.out)?;
            }
            Ok(())
        }),
        OutputFormat::Json => figures.write_json(streams.out),
    };
    // Whoever closed the pipe has seen enough, and the run came to what it came to.
    written.or_else(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    })?;
    Ok(match figures.outcome {
        // Whoever wanted a file has none, however the run ended.
        _ if figures.save_error.is_some() => FAILED,
        _ if was_asked => STOPPED,
        "stopped" => STOPPED,
        _ if figures.findings.are_denied(&options.deny) => FAILED,
        _ if figures.passed() => FINE,
        _ => FAILED,
    })
}

/// What to run, with everything that can be wrong about it said before it starts.
fn request(options: &RunOptions) -> Result<RunRequest, CliFailure> {
    let names = || backend::BACKENDS.iter().map(|it| it.name());
    // Another machine has other devices: it chooses by itself.
    let best = || match options.on {
        Some(_) => String::new(),
        None => backend::default_backend().0.name().to_owned(),
    };
    let backend = options.backend.clone().unwrap_or_else(best);
    if !backend.is_empty() && backend::find_backend(&backend).is_none() {
        let hint = nearest(&backend, names()).unwrap_or_default();
        return Err(CliFailure::Wrong(format!(
            "there is no backend “{backend}”; {}",
            or(hint, "`syncline backends` lists them")
        )));
    }
    if let Some(save) = &options.save {
        refuse_input(save, [Path::new(&options.workload)]).map_err(CliFailure::Wrong)?;
    }
    let (name, mut source) = workload(&options.workload).map_err(CliFailure::Wrong)?;
    let mut parameters = options.parameters.clone();
    if let Some(ranks) = options.ranks {
        place(&name, &mut source, ranks, &mut parameters);
    }
    let planned = Document::parse(&name, &source).and_then(|document| {
        rename_old(&document, &mut parameters);
        document.plan(&parameters)
    });
    let plan = planned.map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        CliFailure::Listed(lines.join("\n"))
    })?;
    if let (None, Some((name, _))) = (&plan.placement, options.machines.first()) {
        return Err(CliFailure::Wrong(format!(
            "--machine: {} places nothing on machines, so that there is no “{name}”; --on runs all of it on another one",
            options.workload
        )));
    }
    let remote = plan.placement.iter().flat_map(Placement::remote);
    let allowed = remote.filter(|_| options.allow_remote);
    let allowed = allowed.map(|(_, at)| at.to_string()).collect();
    Ok(RunRequest {
        adapter: options.adapter.clone(),
        name,
        source,
        parameters,
        backend,
        save: options.save.clone(),
        paused: false,
        pace: Pace::Full,
        lose: options.lose.clone(),
        recovery: options.recover.into(),
        synchronization: options.sync,
        paced: options.pace,
        seed: options.seed,
        seat: None,
        faults: options.faults.clone(),
        machines: options.machines.clone(),
        allowed,
        reports_submissions: false,
    })
}

/// What `extract` called its parameter for the host's pauses before, and what it calls it.
const HOST_SCALE: [&str; 2] = ["pace", "host-scale"];

/// Takes a value for a parameter by the name that it had before, unless the workload has one of that name.
fn rename_old(document: &Document, parameters: &mut [(String, f64)]) {
    let [old, new] = HOST_SCALE;
    let has = |name: &str| document.parameters().iter().any(|it| it.name == name);
    if has(old) || !has(new) {
        return;
    }
    for (name, _) in parameters.iter_mut().filter(|(name, _)| name == old) {
        new.clone_into(name);
    }
}

/// What to know of a parameter that is set by the name that it had before.
fn old_name_note(options: &RunOptions, request: &RunRequest) -> Option<String> {
    let [old, new] = HOST_SCALE;
    let is_set = options.parameters.iter().any(|(name, _)| name == old);
    let was_renamed = request.parameters.iter().any(|(name, _)| name == new);
    (is_set && was_renamed).then(|| {
        format!(
            "note: --set {old}= is taken for {new}, as the parameter is called today; --pace sets how a paced device takes \
             its time"
        )
    })
}

/// Has a workload run on so many ranks: one that says where it runs by its number of them, any other on this machine.
fn place(name: &str, source: &mut String, ranks: u32, parameters: &mut Vec<(String, f64)>) {
    let planned = Document::parse(name, source).and_then(|document| document.plan(parameters));
    match planned {
        Ok(plan) if plan.placement.is_none() => {
            // At its end, so that every line keeps its number.
            let _ = writeln!(source, "\nplacement ranks={ranks}");
        }
        Ok(_) => {
            parameters.retain(|(name, _)| name != "ranks");
            parameters.push(("ranks".to_owned(), f64::from(ranks)));
        }
        // What is wrong with it is said when it is read next.
        Err(_) => {}
    }
}

/// The name and the text of a workload: a file's, or one that comes with the program.
fn workload(wanted: &str) -> Result<(String, String), String> {
    let path = Path::new(wanted);
    if let Some(found) = bundled().iter().find(|it| it.name == wanted)
        && !path.is_file()
    {
        return Ok((found.name.to_owned(), found.source.to_owned()));
    }
    if is_standard_input(path) {
        return check::read(path).map(|source| (STANDARD_INPUT.to_owned(), source));
    }
    let is_path = wanted.contains(['/', '\\']) || path.extension().is_some();
    if path.exists() || is_path {
        return check::read(path).map(|source| (wanted.to_owned(), source));
    }
    let hint = nearest(wanted, bundled().iter().map(|it| it.name)).unwrap_or_default();
    Err(format!(
        "there is no file and no workload “{wanted}”; {}",
        or(
            hint,
            "`syncline workloads` lists those that come with the program"
        )
    ))
}

fn or(hint: String, otherwise: &str) -> String {
    if hint.is_empty() {
        otherwise.to_owned()
    } else {
        hint
    }
}

/// Where the last attempt was saved, and what the ones before came to.
fn attempts(
    followed: &FollowedRun,
    save: Option<&Path>,
) -> (Option<PathBuf>, Vec<EarlierAttemptReport>) {
    let path_of = |attempt: usize| {
        save.map(|path| match attempt {
            0 => path.to_owned(),
            again => again_path(path, again as u32),
        })
    };
    let all = followed.earlier.iter().enumerate();
    let earlier = all.map(|(attempt, capture)| {
        let saved = path_of(attempt).filter(|_| save_error(capture).is_none());
        EarlierAttemptReport::new(capture, saved.as_deref())
    });
    (path_of(followed.earlier.len()), earlier.collect())
}

/// What a run came to.
struct FollowedRun {
    /// The capture of the attempt that counts, which is the last.
    capture: Capture,
    /// Those of the attempts before it, after which a new worker began again.
    earlier: Vec<Capture>,
    /// How many records were lost.
    lost: u64,
    /// Whether Ctrl-C ended it.
    was_asked: bool,
}

/// Runs it to its end, here or at `on`.
fn follow(
    request: RunRequest,
    on: Option<WorkerTarget>,
    streams: &mut OutputStreams<'_>,
) -> Result<FollowedRun, CliFailure> {
    let name = request.name.clone();
    let progress = ProgressLine::open_ended(streams.watched);
    let engine = match on {
        Some(target) => Engine::connect(target, Box::new(|| {})),
        None => Engine::start(Box::new(|| {})),
    };
    engine.send(Control::Run(Box::new(request)));
    let (mut capture, mut earlier) = (Capture::new(), Vec::new());
    let mut stopping: Option<Instant> = None;
    let mut state = ConnectionState::default();
    loop {
        match engine.messages().recv_timeout(LOOK) {
            Ok(Message::Batch(records)) => capture.apply(records),
            // Whoever stopped it before it began stopped it.
            Ok(Message::Refused(reason)) if stopping.is_some() => {
                writeln!(streams.err, "syncline: {}", joined(&reason))?;
                return Err(CliFailure::Asked);
            }
            Ok(Message::Refused(reason)) => return Err(CliFailure::Listed(reason)),
            Ok(Message::Finished { lost, .. }) => {
                if let Some(since) = stopping.filter(|_| streams.own_process) {
                    // Whoever stopped a long run does not wait for all that it came to. Its file is written by now.
                    interrupt::end_after(PATIENCE.saturating_sub(since.elapsed()));
                }
                return Ok(FollowedRun {
                    capture,
                    earlier,
                    lost,
                    was_asked: stopping.is_some(),
                });
            }
            Ok(Message::Connection(now)) => {
                if now.state != state && !now.detail.is_empty() {
                    writeln!(
                        streams.err,
                        "syncline: {}: {}",
                        now.name,
                        joined(&now.detail)
                    )?;
                }
                state = now.state;
            }
            // A run that begins again is another capture.
            Ok(Message::Started { .. }) => {
                let before = std::mem::take(&mut capture);
                earlier.extend(Some(before).filter(|it| it.run().is_some()));
            }
            Ok(
                Message::Phase(_)
                | Message::Offers(_)
                | Message::Seated { .. }
                | Message::Exited(_)
                | Message::Window(_)
                | Message::Kept(_)
                | Message::Notice(_),
            )
            | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let text = "the engine ended without a word; this is a fault of Syncline, please report it";
                return Err(CliFailure::Wrong(text.to_owned()));
            }
        }
        progress.spans(&name, capture.span_count());
        match stopping {
            None if interrupt::is_requested() => {
                stopping = Some(Instant::now());
                engine.send(Control::Stop);
            }
            Some(since) if since.elapsed() > PATIENCE && streams.own_process => {
                let text = "it did not stop by itself, and was ended; a file that it wrote opens up to its last packet";
                writeln!(streams.err, "syncline: {text}")?;
                // Workers end with this process, and nothing waits for what hangs.
                std::process::exit(i32::from(STOPPED));
            }
            _ => {}
        }
    }
}

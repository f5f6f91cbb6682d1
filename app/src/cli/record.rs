//! Records a program that uses CUDA or NVTX: runs it with its own streams and signals, says what was recorded, and shows it.

use std::time::{Duration, Instant};

use crossbeam_channel::RecvTimeoutError;
use engine::activity::CaptureWindow;
use engine::capture::Capture;
use engine::record::{RunOutcome, Severity};
use engine::runner::{
    Control, Engine, KeptCapture, Message, ProgramRequest, ToggleOutcome, WindowStatus,
    abandoned_captures, toggle_capture,
};

use super::arguments::RecordOptions;
use super::plain_text::joined;
use super::{CliFailure, FAILED, FINE, LOOK, OutputStreams, STOPPED, interrupt, window};
use crate::app::InitialContent;

/// How long the program has to end, each time that it is told to because Syncline was.
const GRACE: Duration = Duration::from_secs(1);

/// Runs the program, says what was recorded, and shows it where there is a display.
pub(super) fn record(
    options: &RecordOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    if let Some(process) = options.toggle {
        return toggle(process, streams);
    }
    let request = ProgramRequest {
        command: options.command.clone(),
        save: options.output.clone(),
        window: window_of(options),
        is_live: options.live,
    };
    for left in abandoned_captures() {
        writeln!(
            streams.err,
            "syncline: note: {} is of a capture that was ended by force; its files can be opened. Remove it where nobody needs it.",
            left.display()
        )?;
    }
    interrupt::watch_termination();
    interrupt::watch_window();
    if options.live {
        // The window has buttons for it; a script needs the number all the same.
        match &request.window {
            CaptureWindow::Switched => tell_window(WindowStatus::Closed, streams)?,
            CaptureWindow::Last(limit) => tell_window(WindowStatus::Last(limit.nanos), streams)?,
            _ => {}
        }
        let program = InitialContent::Program(Box::new(request));
        let exit = window::open_with(program, Some(interrupt::is_terminated))?;
        // Closed while the program ran, the window stops it, as Ctrl-C does.
        return Ok(exit.map_or(STOPPED, code_of));
    }
    let opens = !options.headless && streams.own_process && window::has_display();
    if !opens && options.output.is_none() {
        let text = "there is no window to show the capture in and no file to write it to; name one with -o FILE.pftrace";
        return Err(CliFailure::Wrong(text.to_owned()));
    }
    let (capture, code) = follow(request, streams)?;
    let has_all = tell(&capture, options, streams)?;
    if interrupt::is_terminated() {
        return Ok(interrupt::termination());
    }
    if opens && capture.span_count() > 0 {
        window::open_with(
            InitialContent::Capture(Box::new(capture)),
            Some(interrupt::is_terminated),
        )?;
    }
    Ok(match (code, has_all) {
        (FINE, false) => FAILED,
        _ => code,
    })
}

/// What part of the program is to be kept.
fn window_of(options: &RecordOptions) -> CaptureWindow {
    if options.paused {
        return CaptureWindow::Switched;
    }
    if let Some(limit) = options.last {
        return CaptureWindow::Last(limit);
    }
    match (&options.range, options.delay, options.duration) {
        (Some(filter), ..) => CaptureWindow::Ranges(filter.clone()),
        (None, None, None) => CaptureWindow::Whole,
        (None, delay, duration) => CaptureWindow::Time {
            delay: delay.unwrap_or(0),
            duration,
        },
    }
}

/// Runs it to its end, and answers with its capture and its exit code.
fn follow(
    request: ProgramRequest,
    streams: &mut OutputStreams<'_>,
) -> Result<(Capture, u8), CliFailure> {
    // What is written here must not come after what the program says.
    streams.out.flush()?;
    interrupt::leave_to_another(true);
    let engine = Engine::start(Box::new(|| {}));
    engine.send(Control::Record(Box::new(request)));
    let (mut capture, mut code) = (Capture::new(), FAILED);
    let mut heard = interrupt::presses();
    let (first, mut told, mut answer) = (heard, None, None);
    while answer.is_none() {
        match engine.messages().recv_timeout(LOOK) {
            Ok(Message::Batch(records)) => capture.apply(records),
            Ok(Message::Exited(exit)) => code = code_of(exit),
            Ok(Message::Window(status)) => tell_window(status, streams)?,
            Ok(Message::Kept(kept)) => tell_kept(&kept, streams)?,
            Ok(Message::Notice(text)) => writeln!(streams.err, "syncline: {}", joined(&text))?,
            Ok(Message::Refused(reason)) => answer = Some(Err(CliFailure::Listed(reason))),
            Ok(Message::Finished { .. }) => answer = Some(Ok(())),
            Err(RecvTimeoutError::Disconnected) => {
                let text = "the engine ended without a word; this is a fault of Syncline, please report it";
                answer = Some(Err(CliFailure::Wrong(text.to_owned())));
            }
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
        }
        let presses = interrupt::presses();
        // The terminal told the program of the first one; who presses again means it.
        if presses > heard && presses > first + 1 {
            engine.send(Control::Stop);
        }
        heard = presses;
        // Each time it is told more firmly.
        if interrupt::is_terminated() && told.is_none_or(|at: Instant| at.elapsed() > GRACE) {
            engine.send(Control::Stop);
            told = Some(Instant::now());
        }
    }
    interrupt::leave_to_another(false);
    answer.unwrap_or(Ok(())).map(|()| (capture, code))
}

/// Has another recording start, stop or keep.
fn toggle(process: u32, streams: &mut OutputStreams<'_>) -> Result<u8, CliFailure> {
    let outcome = toggle_capture(process).map_err(CliFailure::Wrong)?;
    let text = match outcome {
        ToggleOutcome::Started => "started: what happens from now on is kept",
        ToggleOutcome::Stopped => "stopped: nothing is kept until it is started again",
        ToggleOutcome::Kept => {
            "kept: what there was of the last stretch of time is written, and the program goes on"
        }
    };
    writeln!(streams.out, "{text}")?;
    Ok(FINE)
}

/// Says how the window is.
fn tell_window(status: WindowStatus, streams: &mut OutputStreams<'_>) -> Result<(), CliFailure> {
    let process = std::process::id();
    match status {
        WindowStatus::Open => writeln!(streams.err, "syncline: started")?,
        WindowStatus::Closed => writeln!(
            streams.err,
            "syncline: nothing is kept now; syncline record --toggle {process} or kill -USR1 {process} starts and stops it"
        )?,
        WindowStatus::Last(_) => writeln!(
            streams.err,
            "syncline: syncline record --toggle {process} or kill -USR1 {process} keeps what there is, and goes on"
        )?,
        WindowStatus::Keeping(_) => {}
    }
    Ok(())
}

/// Says what became of what was kept meanwhile.
fn tell_kept(kept: &KeptCapture, streams: &mut OutputStreams<'_>) -> Result<(), CliFailure> {
    match (&kept.error, &kept.path) {
        (Some(error), _) => writeln!(streams.err, "syncline: problem: {}", joined(error))?,
        (None, Some(path)) => writeln!(streams.err, "syncline: kept as {}", path.display())?,
        (None, None) => writeln!(
            streams.err,
            "syncline: problem: there is no file to write what is kept to; name one with -o FILE.pftrace"
        )?,
    }
    Ok(())
}

/// The exit code for how a program ended.
fn code_of(exit: i32) -> u8 {
    u8::try_from(exit).unwrap_or(FAILED)
}

/// Says what was recorded and what is missing, and whether that is all that was wanted.
fn tell(
    capture: &Capture,
    options: &RecordOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<bool, CliFailure> {
    for line in capture.log() {
        writeln!(streams.err, "syncline: {}", joined(&line.text))?;
    }
    let (mut has_all, mut is_saved) = (true, true);
    for problem in capture.problems() {
        let code = problem.code.as_str();
        is_saved &= !matches!(code, "save-failed" | "file-kept");
        has_all &= !matches!(
            code,
            "save-failed" | "nothing-recorded" | "record-unwritten"
        );
        let sign = match problem.severity {
            Severity::Info => continue,
            Severity::Warning => "note",
            Severity::Error | Severity::DataLoss => "problem",
        };
        writeln!(streams.err, "syncline: {sign}: {}", joined(&problem.text))?;
    }
    if let (Some(path), true) = (&options.output, is_saved) {
        let mut problems = capture.problems().iter();
        let is_empty = problems.any(|it| it.code.as_str() == "nothing-recorded");
        let what = if is_empty {
            ": only the log, since nothing was recorded"
        } else {
            ""
        };
        writeln!(streams.err, "syncline: saved as {}{what}", path.display())?;
    }
    if let Some(RunOutcome::Failed(why)) = capture.end().map(|end| &end.outcome)
        && has_all
    {
        writeln!(streams.err, "syncline: {}", joined(why))?;
    }
    Ok(has_all)
}

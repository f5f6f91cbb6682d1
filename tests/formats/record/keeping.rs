//! Windows that are opened and closed by hand while a program runs, and the last stretch of time: what is kept is compared with
//! the log that the program writes of itself.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use cuda_recorder::ControlPage;
use engine::record::SpanKind;

use super::nvtx::{assert_nested, build, include, nvtx, said};
use super::{of_kind, open, program};
use crate::house::display::until;
use crate::house::program::{stand_in, syncline};

/// A program that runs until it is told to end, and its recorder.
pub(super) struct KeptProgram {
    folder: tempfile::TempDir,
    recorder: Option<Child>,
}

impl Drop for KeptProgram {
    fn drop(&mut self) {
        if let Some(mut recorder) = self.recorder.take() {
            let _ = recorder.kill();
            let _ = recorder.wait();
            // The program goes on without it.
            for (path, _) in self.segments().into_iter().take(1) {
                signal("-KILL", process_of(&path));
            }
        }
    }
}

/// What the log says of a range: its name, and when it began and ended.
type Logged = (String, u64, u64);

impl KeptProgram {
    /// Records the program of NVTX with some options, and words of its own.
    pub(super) fn start(options: &[&str], words: &[&str]) -> Option<Self> {
        let nvtx = nvtx()?;
        let folder = tempfile::tempdir().unwrap();
        let headers = include(&nvtx.join("nvidia/cu13/include"));
        let program = build(folder.path(), "windows.c", &[&headers], &[]);
        let mut command = Self::command(folder.path(), options);
        command
            .arg(program)
            .arg(folder.path().join("log"))
            .arg(folder.path().join("stop"))
            .args(words);
        Some(Self::spawn(folder, &mut command))
    }

    /// Records the program of CUDA until it is ended.
    fn of_cuda(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Self::command(folder.path(), options);
        command
            .args(["env", "--default-signal=INT"])
            .arg(program())
            .arg("forever")
            .env("SYNCLINE_TEST_CUDA_STAND_IN", stand_in());
        Self::spawn(folder, &mut command)
    }

    fn command(folder: &Path, options: &[&str]) -> Command {
        let mut command = Command::new(syncline());
        command
            .args(["record", "--headless", "-o"])
            .arg(folder.join("out.pftrace"))
            .args(options)
            .arg("--")
            .env("TMPDIR", folder);
        command
    }

    fn spawn(folder: tempfile::TempDir, command: &mut Command) -> Self {
        let recorder = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let running = Self {
            folder,
            recorder: Some(recorder),
        };
        until("the program has begun", || {
            (!running.segments().is_empty()).then_some(())
        });
        running
    }

    pub(super) fn number(&self) -> u32 {
        self.recorder.as_ref().unwrap().id()
    }

    /// The files that the program writes meanwhile, and their lengths.
    pub(super) fn segments(&self) -> Vec<(PathBuf, u64)> {
        let inner = std::fs::read_dir(self.folder.path()).unwrap().flatten();
        let folders = inner.map(|it| it.path()).filter(|it| it.is_dir());
        let files = folders.flat_map(|it| std::fs::read_dir(it).into_iter().flatten().flatten());
        let files = files.map(|it| (it.path(), it.metadata().map_or(0, |it| it.len())));
        files
            .filter(|(path, _)| path.extension().is_some())
            .collect()
    }

    /// The number of the recorded process, by the name of its file.
    pub(super) fn program(&self) -> u32 {
        process_of(&self.segments()[0].0)
    }

    /// How often it was started or stopped so far.
    fn flips(&self) -> usize {
        let folder = self.segments()[0].0.parent().unwrap().to_owned();
        ControlPage::open(&folder).unwrap().flips()
    }

    /// Toggles by a number, and answers with the instants right before and right after, and what was said.
    pub(super) fn toggle(process: u32) -> (u64, u64, String) {
        let before = cuda_recorder::now();
        let output = Command::new(syncline())
            .args(["record", "--toggle", &process.to_string()])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", said(&output));
        // The window opens and closes for all processes at once, a few milliseconds later.
        (before, cuda_recorder::now() + 5_000_000, said(&output))
    }

    /// Tells the program to end, and waits for it.
    pub(super) fn end(&mut self) -> Output {
        std::fs::write(self.folder.path().join("stop"), "").unwrap();
        self.recorder.take().unwrap().wait_with_output().unwrap()
    }

    /// Ends the recorder and with it the program.
    fn terminate(&mut self) -> Output {
        signal("-TERM", self.number());
        self.recorder.take().unwrap().wait_with_output().unwrap()
    }

    pub(super) fn log(&self) -> Vec<Logged> {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap();
        let read = |line: &str| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [name, start, end] = fields[..] else {
                panic!("{line}")
            };
            (
                name.to_owned(),
                start.parse().unwrap(),
                end.parse().unwrap(),
            )
        };
        log.lines().map(read).collect()
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// The number of the process that writes a file.
fn process_of(segment: &Path) -> u32 {
    let name = segment.file_stem().unwrap().to_str().unwrap();
    name.split('-').next().unwrap().parse().unwrap()
}

fn signal(signal: &str, process: u32) {
    let sent = Command::new("kill")
        .args([signal, &process.to_string()])
        .status();
    assert!(sent.unwrap().success());
}

/// The names of what a capture holds.
pub(super) fn names(path: &Path) -> BTreeSet<String> {
    let capture = open(path);
    let names = capture
        .spans()
        .map(|it| capture.name(it.span.name).to_owned());
    let all: Vec<String> = names.collect();
    assert_nested(&capture);
    let unique: BTreeSet<String> = all.iter().cloned().collect();
    assert_eq!(all.len(), unique.len(), "each is there once");
    unique
}

/// What of the log touches a stretch of time for certain, and what may.
pub(super) fn touching(
    log: &[Logged],
    certain: (u64, u64),
    possible: (u64, u64),
) -> [BTreeSet<String>; 2] {
    [certain, possible].map(|(from, to)| {
        let touches = |(_, start, end): &&Logged| *end >= from && *start <= to;
        let names = log.iter().filter(touches).map(|(name, ..)| name.clone());
        names.collect()
    })
}

fn check(kept: &BTreeSet<String>, certain: &BTreeSet<String>, possible: &BTreeSet<String>) {
    let missing: Vec<_> = certain.difference(kept).collect();
    assert!(missing.is_empty(), "missing: {missing:?}");
    let outside: Vec<_> = kept.difference(possible).collect();
    assert!(outside.is_empty(), "outside: {outside:?}");
}

fn assert_said(output: &Output, text: &str) {
    assert!(said(output).contains(text), "{text} in {}", said(output));
}

fn assert_left_out(output: &Output, count: usize) {
    let text = format!("{count} activities, ranges and samples outside of it were left out");
    assert_said(output, &text);
}

pub(super) fn rest(millis: u64) {
    std::thread::sleep(Duration::from_millis(millis));
}

#[test]
fn what_touches_windows_that_are_opened_by_hand_is_kept_and_nothing_else() {
    let Some(mut running) = KeptProgram::start(&["--paused"], &[]) else {
        return;
    };
    rest(300);
    // By the recorder's number, by the program's, and by a signal.
    let first = KeptProgram::toggle(running.number());
    assert!(first.2.contains("started"), "{}", first.2);
    rest(200);
    let second = KeptProgram::toggle(running.program());
    assert!(second.2.contains("stopped"), "{}", second.2);
    rest(300);
    let third = KeptProgram::toggle(running.program());
    rest(200);
    let before = cuda_recorder::now();
    signal("-USR1", running.number());
    until("the signal is obeyed", || {
        (running.flips() == 4).then_some(())
    });
    let fourth = (before, cuda_recorder::now());
    rest(100);
    let output = running.end();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let log = running.log();
    let [mut certain, mut possible] = touching(&log, (first.1, second.0), (first.0, second.1));
    let more = touching(&log, (third.1, fourth.0), (third.0, fourth.1));
    for (all, more) in [&mut certain, &mut possible].into_iter().zip(more) {
        all.extend(more);
    }
    for name in ["outer", "whole", "aside"] {
        assert!(certain.contains(name), "{name} reaches into both");
    }
    let kept = names(&running.path("out.pftrace"));
    check(&kept, &certain, &possible);
    assert!(kept.len() > 40 && kept.len() + 100 < log.len());
    assert_left_out(&output, log.len() - kept.len());
    assert_said(&output, "it was started by hand 2 times");
    assert!(open(&running.path("out.pftrace")).problems().is_empty());
}

/// The range is called by one thread, and what lies in it by another, whose calls are handed over before it is known.
#[test]
fn a_range_of_one_thread_keeps_what_another_calls_meanwhile() {
    let options = ["--range", "nvtx:chosen"];
    let Some(mut running) = KeptProgram::start(&options, &["chosen"]) else {
        return;
    };
    let is_over = |log: &[Logged]| log.iter().any(|(name, ..)| name == "within chosen");
    until("the range is over", || {
        is_over(&running.log()).then_some(())
    });
    rest(300);
    let output = running.end();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let mut log = running.log();
    let within = log.iter().position(|(name, ..)| name == "within chosen");
    let (_, from, to) = log.remove(within.unwrap());
    let chosen = log.iter().find(|(name, ..)| name == "chosen").unwrap();
    let [certain, possible] = touching(&log, (from, to), (chosen.1, chosen.2));
    let kept = names(&running.path("out.pftrace"));
    check(&kept, &certain, &possible);
    assert!(kept.len() > 20 && kept.len() + 100 < log.len());
    assert_left_out(&output, log.len() - kept.len());
}

#[test]
fn a_program_that_is_never_started_to_be_kept_says_so() {
    let Some(mut running) = KeptProgram::start(&["--paused"], &[]) else {
        return;
    };
    rest(100);
    let output = running.end();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_said(&output, "it was to be started by hand, and never was");
}

#[test]
fn the_last_stretch_of_time_is_kept_in_the_end_and_whenever_a_signal_wants_it() {
    let Some(mut running) = KeptProgram::start(&["--last", "800ms"], &[]) else {
        return;
    };
    rest(2000);
    let before = cuda_recorder::now();
    signal("-USR1", running.number());
    let first = running.path("out-1.pftrace");
    until("what is kept is written", || {
        let is_there = std::fs::metadata(&first).is_ok_and(|it| it.len() > 0);
        (is_there && open(&first).end().is_some()).then_some(())
    });
    let written = std::fs::metadata(running.path("out.pftrace")).map_or(0, |it| it.len());
    assert_eq!(written, 0, "that is for the end");
    rest(700);
    let (second_before, second_after, text) = KeptProgram::toggle(running.program());
    assert!(text.contains("kept"), "{text}");
    let output = running.end();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let (log, text) = (running.log(), said(&output));
    let slack = 100_000_000;
    let stretch = |from: u64, to: u64| (from.saturating_sub(800_000_000), to);
    // The recorder looks for a signal a hundred times a second.
    let all = touching(
        &log,
        (before + slack - 800_000_000, before),
        stretch(before, before + slack),
    );
    // What is open then has not been logged yet, and is kept as it is.
    let kept = names(&first);
    check(&kept, &all[0], &all[1]);
    assert!(kept.len() > 100 && kept.contains("outer") && kept.contains("aside"));
    assert!(!kept.contains("step 0"));
    let second = names(&running.path("out-2.pftrace"));
    let all = touching(
        &log,
        (second_after - 800_000_000, second_before),
        stretch(second_before, second_after),
    );
    check(&second, &all[0], &all[1]);
    let end = log.iter().map(|(.., end)| *end).max().unwrap();
    let last = names(&running.path("out.pftrace"));
    let all = touching(
        &log,
        (end - 700_000_000, end),
        (end - 800_000_000, u64::MAX),
    );
    check(&last, &all[0], &all[1]);
    assert!(text.contains("the last 0.8 s before its end"), "{text}");
    assert!(text.contains("kept as "), "{text}");
    assert_left_out(&output, log.len() - last.len());
    let capture = open(&running.path("out.pftrace"));
    assert!(capture.problems().is_empty(), "{:?}", capture.problems());
}

#[test]
fn the_last_of_a_program_that_was_ended_is_counted_from_what_it_did_last() {
    let Some(mut running) = KeptProgram::start(&["--last", "200ms"], &[]) else {
        return;
    };
    rest(1500);
    let output = running.terminate();
    let capture = open(&running.path("out.pftrace"));
    let steps = capture
        .spans()
        .filter(|it| capture.name(it.span.name).starts_with("step "));
    let times: Vec<(i64, i64)> = steps.map(|it| (it.span.start.0, it.span.end.0)).collect();
    let first = times.iter().map(|it| it.0).min().unwrap_or_default();
    let last = times.iter().map(|it| it.1).max().unwrap_or_default();
    assert!(
        (100_000_000..300_000_000).contains(&(last - first)),
        "{first} to {last}: {}",
        said(&output)
    );
}

#[test]
fn a_window_closes_however_fast_a_program_is() {
    let Some(mut running) = KeptProgram::start(&["--paused"], &["fast"]) else {
        return;
    };
    KeptProgram::toggle(running.number());
    rest(500);
    let (_, _, text) = KeptProgram::toggle(running.number());
    assert!(text.contains("stopped"), "{text}");
    assert_eq!(running.flips(), 2);
    running.end();
}

#[test]
fn files_of_processes_do_not_grow_with_the_run() {
    let Some(mut running) = KeptProgram::start(&["--delay", "3600s"], &["fast"]) else {
        return;
    };
    rest(1500);
    let bytes: u64 = running.segments().iter().map(|(_, bytes)| bytes).sum();
    assert!(bytes < 100_000, "nothing of it is wanted: {bytes}");
    let output = running.end();
    assert_said(&output, "outside of it were left out");
    let Some(mut running) = KeptProgram::start(&["--range", "nvtx:never"], &["fast"]) else {
        return;
    };
    until("what was read is gone", || {
        let is_first = |path: &Path| path.to_string_lossy().ends_with("-0-0.syncline-cupti");
        let segments = running.segments();
        let is_there = segments.iter().any(|(path, _)| is_first(path));
        (!segments.is_empty() && !is_there).then_some(())
    });
    running.end();
}

#[test]
fn a_program_whose_recorder_was_killed_writes_no_more() {
    for options in [&[][..], &["--last", "1s,8MB"]] {
        let Some(mut running) = KeptProgram::start(options, &["fast"]) else {
            return;
        };
        let recorder = running.recorder.as_mut().unwrap();
        recorder.kill().unwrap();
        recorder.wait().unwrap();
        let bytes = || -> u64 { running.segments().iter().map(|(_, bytes)| bytes).sum() };
        let mut before = bytes();
        until("nothing is written any more", || {
            // It looks for its recorder four times a second.
            rest(1000);
            let now = bytes();
            (now == std::mem::replace(&mut before, now)).then_some(())
        });
        let is_there = Path::new("/proc").join(running.program().to_string());
        assert!(is_there.exists(), "the program goes on");
    }
}

#[test]
fn programs_of_cuda_are_started_and_stopped_by_hand() {
    let mut running = KeptProgram::of_cuda(&["--paused"]);
    rest(700);
    let opened = KeptProgram::toggle(running.number());
    rest(500);
    let closed = KeptProgram::toggle(running.number());
    rest(700);
    let output = running.terminate();
    let capture = open(&running.path("out.pftrace"));
    let kernels = of_kind(&capture, SpanKind::Kernel);
    let first = kernels.iter().map(|it| it.span.start.0).min().unwrap();
    let last = kernels.iter().map(|it| it.span.end.0).max().unwrap();
    let lasted = (last - first) as u64;
    let certain = (closed.0 - opened.1) / 2;
    let possible = closed.1 - opened.0 + 100_000_000;
    assert!(
        (certain..possible).contains(&lasted),
        "{lasted}: {}",
        said(&output)
    );
    assert!(first > 600_000_000, "{first}");
    assert_said(&output, "it was started by hand 1 time");
    assert!(!capture.devices()[0].name.is_empty());
}

#[test]
fn the_last_of_a_program_of_cuda_knows_its_devices_and_streams() {
    let mut running = KeptProgram::of_cuda(&["--last", "500ms"]);
    rest(2500);
    let output = running.terminate();
    let capture = open(&running.path("out.pftrace"));
    let kernels = of_kind(&capture, SpanKind::Kernel);
    let first = kernels.iter().map(|it| it.span.start.0).min().unwrap();
    let last = kernels.iter().map(|it| it.span.end.0).max().unwrap();
    assert!(
        kernels.len() > 10 && last - first < 700_000_000,
        "{first} to {last}: {}",
        said(&output)
    );
    let plain = KeptProgram::of_cuda(&[]);
    rest(700);
    let mut plain = plain;
    plain.terminate();
    let whole = open(&plain.path("out.pftrace"));
    let devices = |it: &engine::capture::Capture| -> Vec<String> {
        it.devices().iter().map(|it| it.name.clone()).collect()
    };
    assert_eq!(devices(&capture), devices(&whole));
}

#[test]
fn what_cannot_be_toggled_or_kept_is_said_with_what_to_do() {
    let run = |words: &[&str]| {
        let output = Command::new(syncline()).args(words).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        said(&output)
    };
    let own = std::process::id().to_string();
    let text = run(&["record", "--toggle", &own]);
    assert!(text.contains("neither is recorded nor records"), "{text}");
    let text = run(&["record", "--toggle", "4000000000"]);
    assert!(text.contains("there is no process 4000000000"), "{text}");
    let text = run(&["record", "--toggle", &own, "--", "true"]);
    assert!(text.contains("--toggle"), "{text}");
    let text = run(&["record", "--last", "10s,1KB", "--", "true"]);
    assert!(
        text.contains("too small") && text.contains("4 MB"),
        "{text}"
    );
    let text = run(&["record", "--last", "10", "--", "true"]);
    assert!(text.contains("is no length"), "{text}");
    let text = run(&["record", "--last", "1s", "--delay", "1s", "--", "true"]);
    assert!(text.contains("cannot be used with"), "{text}");
    let mut plain = KeptProgram::of_cuda(&[]);
    for number in [plain.number(), plain.program()] {
        let text = run(&["record", "--toggle", &number.to_string()]);
        assert!(
            text.contains("record it with --paused, or with --last"),
            "{text}"
        );
    }
    plain.terminate();
}

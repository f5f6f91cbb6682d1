//! How programs end, and what is left of them.

use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use engine::record::SpanKind;

use super::{Recorded, of_kind, record, recorded, recorder};

#[test]
fn a_program_that_fails_gives_its_exit_code() {
    let recorded = record(&["fail", "5"], &[]);
    assert_eq!(recorded.code(), Some(3), "{}", recorded.said());
    assert_eq!(of_kind(&recorded.capture, SpanKind::Kernel).len(), 10);
}

#[test]
fn what_a_program_did_before_it_ended_without_a_word_is_there() {
    let recorded = record(&["abrupt", "20"], &[]);
    assert_eq!(recorded.code(), Some(7), "{}", recorded.said());
    assert_eq!(recorded.codes(), ["no-end"]);
    assert_eq!(of_kind(&recorded.capture, SpanKind::Kernel).len(), 40);
}

/// Starts to record a program that never ends, and waits until its processes are known and have worked for a while.
#[expect(
    clippy::zombie_processes,
    reason = "a test that fails waits for nothing"
)]
fn start(folder: &Path) -> (Child, u32) {
    let mut command = recorder(folder, &["forever"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    // As a terminal has it: the recorder and the program are one group.
    let child = command.process_group(0).spawn().unwrap();
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        assert!(Instant::now() < until, "the program does not begin");
        std::thread::sleep(Duration::from_millis(20));
        let process = file_in(folder);
        if let Some(process) = process {
            std::thread::sleep(Duration::from_millis(1500));
            return (child, process);
        }
    }
}

/// The process whose file lies in a folder among the temporary ones.
fn file_in(folder: &Path) -> Option<u32> {
    let inner = std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|it| it.path());
    let folders = inner.filter(|path| path.is_dir());
    let files = folders.flat_map(|path| std::fs::read_dir(path).into_iter().flatten().flatten());
    let names = files.map(|it| it.file_name().into_string().unwrap());
    let mut numbers = names.filter_map(|name| name.split('-').next()?.parse().ok());
    numbers.next()
}

fn kill(signal: &str, process: &str) {
    let sent = Command::new("kill").args([signal, "--", process]).status();
    assert!(sent.unwrap().success());
}

fn ended(folder: &Path, child: Child) -> Recorded {
    recorded(folder, child.wait_with_output().unwrap())
}

fn exists(process: u32) -> bool {
    Path::new(&format!("/proc/{process}")).exists()
}

#[test]
fn a_killed_program_leaves_what_it_had_handed_over() {
    let folder = tempfile::tempdir().unwrap();
    let (child, process) = start(folder.path());
    kill("-KILL", &process.to_string());
    let recorded = ended(folder.path(), child);
    assert_eq!(recorded.code(), Some(137), "{}", recorded.said());
    assert!(
        of_kind(&recorded.capture, SpanKind::Kernel).len() > 50,
        "{}",
        recorded.said()
    );
    let codes = recorded.codes();
    assert!(codes.contains(&"no-end"), "{codes:?}");
    assert!(
        codes
            .iter()
            .all(|code| ["no-end", "cut-short"].contains(code)),
        "{codes:?}"
    );
    assert!(recorded.left.is_empty(), "{:?}", recorded.left);
}

#[test]
fn an_interrupt_is_the_programs() {
    let folder = tempfile::tempdir().unwrap();
    let (child, process) = start(folder.path());
    // Ctrl-C in a terminal: to all of the group.
    kill("-INT", &format!("-{}", child.id()));
    let recorded = ended(folder.path(), child);
    assert_eq!(recorded.code(), Some(130), "{}", recorded.said());
    assert!(of_kind(&recorded.capture, SpanKind::Kernel).len() > 50);
    assert!(recorded.said().contains("saved as"), "{}", recorded.said());
    assert!(
        !exists(process) && recorded.left.is_empty(),
        "{:?}",
        recorded.left
    );
}

#[test]
fn a_recorder_that_is_terminated_ends_the_program_and_saves() {
    let folder = tempfile::tempdir().unwrap();
    let (child, process) = start(folder.path());
    kill("-TERM", &child.id().to_string());
    let recorded = ended(folder.path(), child);
    assert_eq!(recorded.code(), Some(143), "{}", recorded.said());
    assert!(of_kind(&recorded.capture, SpanKind::Kernel).len() > 50);
    assert!(recorded.said().contains("saved as"), "{}", recorded.said());
    assert!(
        !exists(process) && recorded.left.is_empty(),
        "{:?}",
        recorded.left
    );
}

#[test]
fn a_recorder_that_is_killed_leaves_a_file_that_opens() {
    let folder = tempfile::tempdir().unwrap();
    let (child, process) = start(folder.path());
    kill("-KILL", &child.id().to_string());
    // It goes on, with nobody to read what it writes, and holds the pipes.
    std::thread::sleep(Duration::from_millis(500));
    kill("-KILL", &process.to_string());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(9));
    let recorded = recorded(folder.path(), output);
    assert!(of_kind(&recorded.capture, SpanKind::Kernel).len() > 50);
    // What the process wrote itself is there too, and opens.
    let kept = std::fs::read_dir(folder.path().join(&recorded.left[0])).unwrap();
    let mut kept = kept.flatten().map(|it| it.path());
    let kept = kept.find(|it| it.extension().is_some());
    let kept = super::open(&kept.unwrap());
    assert!(of_kind(&kept, SpanKind::Kernel).len() > 50);
}

#[test]
fn a_process_that_outlives_the_program_is_recorded_up_to_there() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("{} forever & echo $!; sleep 1", super::program().display());
    let command = recorder(folder.path(), &[]);
    let mut arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    arguments.pop();
    let mut shell = Command::new(command.get_program());
    shell.args(arguments).args(["sh", "-c", &script]);
    let variables = command
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    // It holds the streams that it inherits, and a pipe would not end before it does.
    let said = folder.path().join("said");
    let file = std::fs::File::create(&said).unwrap();
    shell
        .envs(variables)
        .stdout(file.try_clone().unwrap())
        .stderr(file);
    let status = shell.status().unwrap();
    let said = std::fs::read_to_string(&said).unwrap();
    kill("-KILL", said.lines().next().unwrap());
    assert!(status.success(), "{said}");
    assert!(
        said.contains("still runs; it was recorded up to here"),
        "{said}"
    );
    let capture = super::open(&folder.path().join("out.pftrace"));
    assert!(of_kind(&capture, SpanKind::Kernel).len() > 50, "{said}");
}

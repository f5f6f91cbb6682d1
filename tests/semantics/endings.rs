//! Everything ends by itself, with the exit code that is documented, and leaves no process behind: what is killed at any
//! moment, what is lost at any moment, what can never go on, and what no compiler would survive.
#![cfg(unix)]

mod kills;
mod losses;
mod orphans;
mod rank_faults;
mod shaders;
mod stuck;
mod threads;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use engine::backend::{BACKENDS, Backend};

use crate::house::program::syncline;

/// What a process that a test started carries in its environment, with all that it starts.
pub const MARK: &str = "SYNCLINE_TEST_MARK";
/// How long anything may take to end by itself, however busy the machine is.
const PATIENCE: Duration = Duration::from_mins(3);

/// The backends that open here, but for the stand-in of CUDA, whose device another test of this process may have lost.
fn backends() -> impl Iterator<Item = &'static dyn Backend> {
    let all = BACKENDS.iter().copied();
    all.filter(|it| it.name() != "cuda" && it.probe().is_ok())
}

/// How many rounds a test makes: so many, or as many as this variable says.
fn rounds(variable: &str, sample: u64) -> std::ops::Range<u64> {
    let wanted = std::env::var(variable).unwrap_or_default();
    let (count, first) = wanted.split_once('@').unwrap_or((&wanted, "0"));
    let first = first.parse().unwrap_or(0);
    let rounds = first..first + count.parse().unwrap_or(sample);
    eprintln!("{variable}={}@{}", rounds.end - rounds.start, rounds.start);
    rounds
}

/// Numbers that look random and are the same for the same seed.
pub struct Random(u64);

impl Random {
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D)
    }

    /// A number below `end`.
    pub const fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// One of several.
    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// The processes that run and carry this mark.
pub fn marked(mark: &str) -> Vec<String> {
    let wanted = format!("{MARK}={mark}");
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let found = all.filter(|entry| {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        let mut words = environment.split(|byte| *byte == 0);
        words.any(|it| it == wanted.as_bytes())
    });
    let named = |entry: std::fs::DirEntry| {
        let name = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        format!("{}: {name}", entry.file_name().to_string_lossy())
    };
    found.map(named).collect()
}

/// Waits until no process carries this mark.
fn until_none_is_left(mark: &str, what: &str) {
    let until = Instant::now() + PATIENCE;
    loop {
        let left = marked(mark);
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < until, "{what}: {left:?} are left");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Sends a signal to a process.
fn signal(process: u32, name: &str) {
    let sent = Command::new("kill")
        .args([name, "--", &process.to_string()])
        .status();
    assert!(sent.unwrap().success());
}

/// The program with these arguments, in a folder.
fn command(folder: &Path, arguments: &[&str], mark: &str) -> Command {
    let mut command = Command::new(syncline());
    command
        .args(arguments)
        .current_dir(folder)
        .env(MARK, mark)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// All that was printed.
fn said(output: &Output) -> String {
    let all = [output.stdout.clone(), output.stderr.clone()].concat();
    String::from_utf8_lossy(&all).into_owned()
}

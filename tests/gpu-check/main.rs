//! What only a GPU can answer: one check after the other, each in a process of its own and with a limit of its own. Each
//! prints one line; what they leave goes to a folder.
//!
//! `gpu-check FOLDER` makes every check, `gpu-check FOLDER NAME` the one called `NAME`, in this process.
#![expect(clippy::print_stdout, reason = "its lines are what it is for")]

mod checks;
mod driver;
mod report;
mod work;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use checks::{CHECKS, Check};
use report::{FAILED, Report};

/// How long all of them may take together: the machine is lent for ten minutes.
const WHOLE: Duration = Duration::from_secs(560);

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(folder) = arguments.next().map(PathBuf::from) else {
        println!("usage: gpu-check FOLDER [CHECK]");
        return ExitCode::from(2);
    };
    let _ = std::fs::create_dir_all(&folder);
    let Some(name) = arguments.next() else {
        return all(&folder);
    };
    let check = CHECKS.iter().find(|check| *check.name == *name);
    let Some(check) = check else {
        println!("there is no check {}", name.display());
        return ExitCode::from(2);
    };
    let mut report = Report::new(&folder);
    match (check.run)(&mut report) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            report.fact("why", format!("{why:?}"));
            ExitCode::from(FAILED)
        }
    }
}

/// Makes every check for which time is left, in their order.
fn all(folder: &Path) -> ExitCode {
    let begun = Instant::now();
    let mut lines = String::new();
    let mut is_well = true;
    for check in CHECKS {
        let left = WHOLE.saturating_sub(begun.elapsed());
        let verdict = if left < Duration::from_secs(2) {
            "SKIP why=\"no time is left\"".to_owned()
        } else {
            one(folder, check, left)
        };
        is_well &= !verdict.starts_with("FAIL");
        let (word, facts) = verdict.split_once(' ').unwrap_or((&verdict, ""));
        let line = format!("{word} {} {facts}\n", check.name);
        print!("{line}");
        let _ = std::io::stdout().flush();
        lines.push_str(&line);
        // As they come: what is cut off at the end has left what it found.
        let _ = std::fs::write(folder.join("check.log"), &lines);
    }
    ExitCode::from(u8::from(!is_well))
}

/// Makes one check in a process of its own: its verdict, and the facts it told.
fn one(folder: &Path, check: &Check, left: Duration) -> String {
    let limit = Duration::from_secs(check.seconds).min(left);
    let said = folder.join(format!("{}.out", check.name));
    let child = std::env::current_exe().and_then(|own| {
        Command::new(own)
            .arg(folder)
            .arg(check.name)
            .stdin(Stdio::null())
            .stdout(std::fs::File::create(&said)?)
            .spawn()
    });
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return format!("FAIL why=\"it cannot be started: {error}\""),
    };
    let begun = Instant::now();
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if begun.elapsed() < limit => std::thread::sleep(Duration::from_millis(20)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    let facts = std::fs::read_to_string(&said).unwrap_or_default();
    let _ = std::fs::remove_file(&said);
    let facts = facts.split_whitespace().collect::<Vec<_>>().join(" ");
    let seconds = format!("seconds={:.1}", begun.elapsed().as_secs_f64());
    let word = match ended.map(|status| status.code()) {
        Some(Some(0)) if check.is_a_question => "INFO",
        Some(Some(0)) => "PASS",
        Some(_) => "FAIL",
        None => return format!("FAIL {facts} {seconds} why=\"it took longer than {limit:?}\""),
    };
    format!("{word} {facts} {seconds}")
}

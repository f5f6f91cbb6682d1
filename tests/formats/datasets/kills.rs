//! Conversions that are killed at random moments and started again: the rows are those of one that was not.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use app::cli::FINE;

use super::{capture, check, files};
use crate::house::program::syncline as program;
use crate::semantics::endings::Random;

/// How often a conversion is killed.
const KILLS: u32 = 20;
const RANKS: u32 = 18;

fn conversion(target: &Path, captures: &Path) -> Command {
    let mut command = Command::new(program());
    command
        .arg("convert")
        .arg("--to")
        .arg(target)
        .arg(captures.join("w*.json.gz"));
    command.args(["--rank-from", r"w(\d+)\."]);
    command.stdout(Stdio::null());
    command
}

/// What lies in the folders of tables and is no whole file of them.
fn strangers(target: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![target.to_owned()];
    while let Some(next) = folders.pop() {
        let entries = fs::read_dir(&next).into_iter().flatten();
        for path in entries.map(|it| it.unwrap().path()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') {
                folders.push(path);
            } else if next != target && name != "part-0.parquet" {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn a_killed_conversion_that_starts_again_gives_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let sources = ["torch-steps.json.gz", "torch-h100.json.gz"];
    for rank in 0..RANKS {
        let source = capture(sources[rank as usize % 2]);
        fs::copy(source, folder.path().join(format!("w{rank}.json.gz"))).unwrap();
    }
    let whole = folder.path().join("whole");
    // It may have to be built first.
    program();
    let begun = Instant::now();
    assert!(
        conversion(&whole, folder.path())
            .status()
            .unwrap()
            .success()
    );
    let length = begun.elapsed();
    let whole = files(&whole);
    let mut random = Random::new(20);
    let target = folder.path().join("killed");
    let mut ended = 0;
    for round in 0..KILLS {
        // Of what is killed again and again there is something left to do each time.
        if round % 4 == 0 {
            fs::remove_dir_all(&target).unwrap_or_default();
        }
        let mut child = conversion(&target, folder.path()).spawn().unwrap();
        let moment = length.mul_f64((random.below(1_000) as f64) / 1_000.0);
        let until = Instant::now() + moment;
        while Instant::now() < until && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        ended += u32::from(child.try_wait().unwrap().is_some());
        child.kill().unwrap_or_default();
        child.wait().unwrap();
        let others = strangers(&target);
        assert!(others.is_empty(), "{others:?}");
        if round % 4 == 3 {
            assert!(
                conversion(&target, folder.path())
                    .status()
                    .unwrap()
                    .success()
            );
            assert_eq!(files(&target), whole, "after {round} kills");
            let (code, out) = check(&target, &["--ranks", "18"]);
            // What was half written goes with a later conversion; until then it is named.
            let mut rest = out.lines().skip(1);
            assert!(
                code == FINE && rest.all(|it| it.starts_with("unfinished: ")),
                "{out}"
            );
        }
    }
    eprintln!("{ended} of {KILLS} had ended by the moment of their kill");
    // On a machine that is busy a kill may come late; one at least has to come in time.
    assert!(ended < KILLS, "all had ended by themselves");
}

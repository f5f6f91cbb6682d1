//! The whole set of known programs, and fresh ones each time, where the folder of references is at hand: a script of its own
//! makes them, and another compares the answers.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{lines, programs};
use crate::house::root;

/// The folder of references that `SYNCLINE_REFERENCE` names, or that lies beside the project; nothing, and a word why, where
/// it is not there.
fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("SYNCLINE_REFERENCE");
    let folder = named.map_or_else(|| root().join("../shared/reference"), PathBuf::from);
    let has_python = Command::new("python3").arg("--version").output().is_ok();
    if folder.join("check_causes.py").is_file() && has_python {
        return Some(folder);
    }
    eprintln!(
        "skipped: {} or python3 is not there; SYNCLINE_REFERENCE names the folder of references",
        folder.join("check_causes.py").display()
    );
    None
}

/// Answers all questions about the programs in a folder, and complains where the script says that one is wrong.
fn check(script: &Path, of: &Path) {
    let answers = tempfile::tempdir().unwrap();
    for (truth, files) in programs(of) {
        let name = format!("{}.jsonl", truth["case"].as_str().unwrap());
        let mut file = std::fs::File::create(answers.path().join(name)).unwrap();
        for (command, more) in [
            ("explain", &["--all"][..]),
            ("critical-path", &[]),
            ("idle", &[]),
        ] {
            for line in lines(command, &files, more) {
                writeln!(file, "{line}").unwrap();
            }
        }
    }
    let mut check = Command::new("python3");
    check
        .arg(script)
        .arg(of)
        .arg("--answers")
        .arg(answers.path());
    let output = check.args(["--json", "--verbose"]).output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    assert!(told["cases"].as_u64().unwrap() > 0);
    // What would be if something changed is no question of these commands.
    for (what, score) in told["scores"].as_object().unwrap() {
        assert!(
            what == "what-ifs" || score[0] == score[1],
            "{what}: {score} {:#}",
            told["wrong"]
        );
    }
}

#[test]
fn the_whole_set_of_known_programs_is_answered_right() {
    if let Some(folder) = folder() {
        check(
            &folder.join("check_causes.py"),
            &folder.join("causes_cases/cases"),
        );
    }
}

#[test]
fn fresh_programs_are_answered_right() {
    let Some(folder) = folder() else { return };
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seed = (now.unwrap().as_secs() % 1_000_000).to_string();
    eprintln!("seed {seed}");
    let made = tempfile::tempdir().unwrap();
    let mut generator = Command::new("python3");
    generator
        .arg(folder.join("causes_cases/gen_causes.py"))
        .arg(made.path());
    let output = generator
        .args(["--seed", &seed, "--count", "12"])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    check(&folder.join("check_causes.py"), made.path());
}

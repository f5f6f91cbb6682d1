//! Every file in the folder of real captures is counted by some script, or refused with what to do instead.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use engine::importer::{self, ImportError};

use crate::house::root;

/// The tables of counts that other tests hold files to.
const COUNTED: &[&str] = &[
    include_str!("../chrome/counts.tsv"),
    include_str!("../databases/counts.txt"),
    include_str!("../../oracle/pftrace.json"),
    include_str!("../rocprofv3/counts.txt"),
];

/// Files that cannot be opened, by how they end, and what their error has to name.
const REFUSED: &[(&str, &str)] = &[
    (".nsys-rep", "nsys export --type sqlite"),
    (".qdrep", "nsys export --type sqlite"),
    (".tracy", "tracy-csvexport"),
    (".textproto", "traceconv binary"),
];

/// Folders of which a script reads the bytes itself and compares every span: see tests/formats/exact.
const COMPARED: &[&str] = &["fresh", "odd"];

/// The files of those folders that it compares; nothing where there is no Python.
fn compared(folder: &Path) -> Option<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for name in COMPARED {
        let mut script = Command::new("python3");
        script
            .arg(root().join("tests/formats/exact/compare.py"))
            .arg("--list");
        script
            .arg(folder.join(name))
            .env("PYTHONDONTWRITEBYTECODE", "1");
        let output = script.output().ok()?;
        let wrong = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{wrong}");
        let files = String::from_utf8_lossy(&output.stdout);
        all.extend(files.lines().map(|file| format!("{name}/{file}")));
    }
    Some(all)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|it| it != "md") {
            found.push(path);
        }
    }
}

#[test]
fn every_file_is_counted_or_refused_with_a_reason() {
    let Some(index) = super::path("INDEX.md") else {
        return;
    };
    let folder = index.parent().unwrap();
    let mut found = Vec::new();
    files(folder, &mut found);
    let compared = compared(folder);
    let mut wrong = Vec::new();
    for path in found {
        let name = path
            .strip_prefix(folder)
            .unwrap()
            .to_string_lossy()
            .replace('\\', "/");
        if COUNTED.iter().any(|table| table.contains(&name)) {
            continue;
        }
        let is_compared = |all: &BTreeSet<String>| all.contains(&name);
        let in_folder = |it: &&str| name.starts_with(&format!("{it}/"));
        let is_unknown = compared.is_none() && COMPARED.iter().any(in_folder);
        if is_unknown || compared.as_ref().is_some_and(is_compared) {
            continue;
        }
        let said = match importer::open(&path, &mut |_| ControlFlow::Continue(())) {
            Err(error @ ImportError::Refused { .. }) => error.to_string(),
            Err(error) => format!("fails: {error}"),
            Ok(_) => "opens, and no test counts what is in it".to_owned(),
        };
        let mut known = REFUSED.iter().filter(|(end, _)| name.ends_with(end));
        if !known.any(|(_, command)| said.contains(command)) {
            wrong.push(format!("{name} {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

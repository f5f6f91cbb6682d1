//! Every file in the folder of real captures is counted by some script, or refused with what to do instead.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use engine::importer::{self, Error};

/// The tables of counts that other tests hold files to.
const COUNTED: &[&str] = &[
    include_str!("../chrome/counts.tsv"),
    include_str!("../databases/counts.txt"),
    include_str!("../oracle/pftrace.json"),
    include_str!("../rocprofv3/counts.txt"),
];

/// Files that cannot be opened, by how they end, and what their error has to name.
const REFUSED: &[(&str, &str)] = &[
    (".nsys-rep", "nsys export --type sqlite"),
    (".qdrep", "nsys export --type sqlite"),
    (".tracy", "tracy-csvexport"),
    (".textproto", "traceconv binary"),
];

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
        let said = match importer::open(&path, &mut |_| ControlFlow::Continue(())) {
            Err(error @ Error::Refused { .. }) => error.to_string(),
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

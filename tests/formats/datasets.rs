//! Datasets of many captures, asked by engines that know nothing of Syncline, cut off at random moments, and damaged.

mod broken;
pub(super) mod engines;
mod fleet;
mod fleet_refusals;
mod flips;
mod kills;
mod questions;
mod ranks;
pub mod ranks_model;
mod reference;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::formats::questions::syncline;
use crate::house::root;

/// A capture of the tests.
fn capture(name: &str) -> String {
    let path = root().join("tests/data/captures").join(name);
    path.display().to_string()
}

/// The captures of two ranks that worked together.
fn pair() -> [String; 2] {
    ["torch-gloo-rank0.json.gz", "torch-gloo-rank1.json.gz"].map(capture)
}

/// Converts captures into the dataset in `folder`.
fn convert(folder: &Path, more: &[&str]) -> (u8, String, String) {
    let folder = folder.display().to_string();
    syncline(&[&["convert", "--to", &folder], more].concat())
}

/// What `dataset check` says.
fn check(folder: &Path, more: &[&str]) -> (u8, String) {
    let folder = folder.display().to_string();
    let (code, out, err) = syncline(&[&["dataset", "check", &folder], more].concat());
    (code, out + &err)
}

/// The files below a folder that are not hidden, by their paths in it.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.file_name().unwrap().to_string_lossy().starts_with('.') {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

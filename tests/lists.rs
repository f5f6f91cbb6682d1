//! Every entry of every list is unique, documented, and has the files it speaks of.

use std::collections::BTreeSet;

use app::action::COMMANDS;
use engine::backend::BACKENDS;
use engine::workload::{Document, KERNELS, bundled};

use crate::house::{names, report};

/// Complaints about a list of (id, what it says of itself).
fn complaints<'a>(
    list: &str,
    prefix: &str,
    entries: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut complaints = Vec::new();
    for (id, about) in entries {
        if id.is_empty() || id.trim() != id {
            complaints.push(format!("{list}: {prefix}`{id}` is no id"));
        }
        if !seen.insert(id) {
            complaints.push(format!("{list}: {prefix}`{id}` is there twice"));
        }
        if about.trim().len() < 3 {
            complaints.push(format!("{list}: {prefix}`{id}` does not say what it is"));
        }
    }
    if seen.is_empty() {
        complaints.push(format!("{list}: {prefix}it is empty"));
    }
    complaints
}

#[test]
fn kernels_are_unique_and_say_what_they_compute() {
    let mut found = complaints(
        "KERNELS",
        "",
        KERNELS.iter().map(|kernel| (kernel.name, kernel.about)),
    );
    for kernel in KERNELS {
        let buffers = kernel
            .reads
            .iter()
            .chain(kernel.writes)
            .map(|name| (*name, "a buffer"));
        let numbers = kernel
            .parameters
            .iter()
            .map(|(name, _)| (*name, "a number"));
        let prefix = format!("{}: ", kernel.name);
        found.extend(complaints("KERNELS", &prefix, buffers.chain(numbers)));
        if kernel.writes.is_empty() && kernel.name != "spin" {
            found.push(format!("KERNELS: `{}` has no result", kernel.name));
        }
    }
    report(
        "every kernel has its own name and says what it computes:",
        &found,
    );
}

#[test]
fn workloads_are_unique_and_have_their_files() {
    let entries = bundled()
        .iter()
        .map(|workload| (workload.name, workload.title));
    let mut found = complaints("bundled", "", entries);
    let files: BTreeSet<String> = names("assets/workloads", "kdl").into_iter().collect();
    let listed: BTreeSet<String> = bundled()
        .iter()
        .map(|workload| format!("assets/workloads/{}.kdl", workload.name))
        .collect();
    found.extend(
        files
            .symmetric_difference(&listed)
            .map(|path| format!("bundled: {path}")),
    );
    for workload in bundled() {
        match Document::parse(workload.name, workload.source) {
            Ok(document) if document.about().len() < 20 => {
                found.push(format!(
                    "bundled: `{}` does not say what it shows",
                    workload.name
                ));
            }
            Ok(_) => {}
            Err(errors) => found.extend(errors.iter().map(ToString::to_string)),
        }
    }
    report(
        "every workload has its own name, its file, and says what it shows:",
        &found,
    );
}

#[test]
fn backends_are_unique_and_say_what_they_are() {
    let entries = BACKENDS
        .iter()
        .map(|backend| (backend.name(), backend.about()));
    let mut found = complaints("BACKENDS", "", entries);
    for backend in BACKENDS {
        match backend.probe() {
            Ok(devices) if devices.is_empty() => {
                found.push(format!(
                    "BACKENDS: `{}` has no device and no reason",
                    backend.name()
                ));
            }
            Ok(devices) => {
                let devices = devices
                    .iter()
                    .map(|device| (&*device.name, &*device.caps.detail));
                found.extend(complaints("devices", backend.name(), devices));
            }
            Err(reason) => eprintln!("not here: {}: {reason}", backend.name()),
        }
    }
    report(
        "every backend has its own name, and devices or a reason for none:",
        &found,
    );
}

#[test]
fn commands_are_unique_and_say_what_they_do() {
    let mut found = complaints(
        "COMMANDS",
        "",
        COMMANDS.iter().map(|entry| (entry.label, entry.help)),
    );
    let mut chords = BTreeSet::new();
    for entry in COMMANDS {
        let clash = |chord: &&app::action::Chord| !chords.insert(chord.to_string());
        let twice = entry
            .keys
            .iter()
            .filter(clash)
            .map(|chord| format!("COMMANDS: {chord} twice"));
        found.extend(twice);
    }
    report(
        "every command has its own label and keys, and says what it does:",
        &found,
    );
}

#[test]
fn a_planted_entry_is_found() {
    let two = [("cpu", "the processor"), ("cpu", "the processor")];
    assert_eq!(complaints("BACKENDS", "", two).len(), 1);
    assert_eq!(complaints("BACKENDS", "", [("cpu", "")]).len(), 1);
    assert_eq!(complaints("BACKENDS", "", []).len(), 1);
}

//! Every entry of every list is unique, documented, and has the files it speaks of.

use std::collections::BTreeSet;

use app::action::COMMANDS;
use app::panel::PANELS;
use engine::backend::BACKENDS;
use engine::capture::Capture;
use engine::exporter::{EXPORTERS, ExportFidelity};
use engine::importer::IMPORTERS;
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
    // One does nothing but fail: there is nothing to name.
    for kernel in KERNELS.iter().filter(|kernel| kernel.name != "trap") {
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
fn formats_are_unique_and_what_is_written_can_be_read() {
    let readers = IMPORTERS
        .iter()
        .map(|format| (format.name(), format.about()));
    let writers = EXPORTERS
        .iter()
        .map(|format| (format.name(), format.about()));
    let mut found = complaints("IMPORTERS", "", readers);
    found.extend(complaints("EXPORTERS", "", writers));
    for format in IMPORTERS {
        let endings = format
            .extensions()
            .iter()
            .map(|ending| (*ending, "an ending"));
        found.extend(complaints(
            "IMPORTERS",
            &format!("{}: ", format.name()),
            endings,
        ));
    }
    for format in EXPORTERS {
        let mut bytes = Vec::new();
        format
            .write(&Capture::new(), &mut bytes)
            .expect("memory takes everything");
        let readers = IMPORTERS.iter().filter(|reader| reader.recognises(&bytes));
        if format.keeps() == ExportFidelity::Everything && readers.count() != 1 {
            found.push(format!(
                "EXPORTERS: `{}` is not what one importer reads",
                format.name()
            ));
        }
    }
    report("every format has its own name and says what it is:", &found);
}

#[test]
fn panels_are_unique_and_named() {
    let panels: Vec<_> = PANELS.iter().map(|make| make()).collect();
    let entries = panels.iter().map(|panel| (panel.id(), panel.title()));
    let mut found = complaints("PANELS", "", entries);
    for (panel, title) in panels.iter().map(|panel| (panel.id(), panel.title())) {
        let titles = panels.iter().filter(|other| other.title() == title);
        if titles.count() > 1 {
            found.push(format!(
                "PANELS: `{panel}`: its title “{title}” is another's too"
            ));
        }
    }
    report("every panel has its own id and title:", &found);
}

#[test]
fn a_planted_entry_is_found() {
    let two = [("cpu", "the processor"), ("cpu", "the processor")];
    assert_eq!(complaints("BACKENDS", "", two).len(), 1);
    assert_eq!(complaints("BACKENDS", "", [("cpu", "")]).len(), 1);
    assert_eq!(complaints("BACKENDS", "", []).len(), 1);
}

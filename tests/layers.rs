//! Who may import whom, read from the text of the sources.

use crate::house::place::{ident, modules, words};
use crate::house::source::Source;
use crate::house::{read, report, sources};

/// A module of the engine, and those that it may name.
const ENGINE: &[(&str, &[&str])] = &[
    ("time", &[]),
    ("record", &["time"]),
    ("capture", &["record", "time"]),
    // The wire format that the importer reads and the exporter writes.
    ("perfetto", &["record", "time"]),
    // What files that are opened together and ranks that run have in common.
    ("merge", &["record", "time"]),
    // What CUPTI told of programs: in files that were kept, and while they run.
    ("activity", &["record", "time"]),
    (
        "importer",
        &["activity", "merge", "perfetto", "record", "time"],
    ),
    ("exporter", &["perfetto", "capture", "record", "time"]),
    ("workload", &["time"]),
    ("device", &["workload", "record", "time"]),
    ("backend", &["device", "workload", "record", "time"]),
    ("analysis", &["capture", "record", "time"]),
    (
        "runner",
        &[
            "activity", "backend", "device", "workload", "exporter", "merge", "record", "time",
        ],
    ),
];

/// The same for the app, besides the engine.
const APP: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("theme", &[]),
    ("state", &[]),
    ("action", &["state"]),
    ("timeline", &["state", "action", "theme", "text"]),
    ("panel", &["state", "action", "timeline", "theme", "text"]),
    ("apply", &["state", "action"]),
    ("app", ALL),
    ("cli", ALL),
    ("main", ALL),
];

const ALL: &[&str] = &[
    "text", "theme", "state", "action", "timeline", "panel", "apply", "app", "cli",
];

/// What the engine must not name: nothing of it has a pixel.
const PIXELS: &[&str] = &[
    "egui",
    "eframe",
    "egui_plot",
    "egui_kittest",
    "winit",
    "rfd",
];

fn table(package: &str) -> &'static [(&'static str, &'static [&'static str])] {
    if package == "engine" { ENGINE } else { APP }
}

/// Complaints about one file's paths.
fn imports(source: &Source) -> Vec<String> {
    let Some((package, path)) = modules(&source.path) else {
        return Vec::new();
    };
    let Some(own) = path.first() else {
        return Vec::new();
    };
    let table = table(package);
    let Some((_, allowed)) = table.iter().find(|(name, _)| name == own) else {
        return vec![format!(
            "{}:1: `{own}` has no row in the table of tests/layers.rs",
            source.path
        )];
    };
    let mut complaints = Vec::new();
    for found in source.paths() {
        let place = source.place(found.start);
        if found.supers > 0 {
            if found.supers >= path.len() + source.inline_modules(found.start) {
                complaints.push(format!(
                    "{place}: `super` climbs out of `{own}`; write `crate::{}`",
                    found.heads.join(", ")
                ));
            }
            continue;
        }
        for head in &found.heads {
            let module = table.iter().any(|(name, _)| name == head);
            if module && head != own && !allowed.contains(&head.as_str()) {
                let may = if allowed.is_empty() {
                    "nothing".to_owned()
                } else {
                    allowed.join(", ")
                };
                complaints.push(format!(
                    "{place}: `{own}` imports `{head}`; it may import {may}"
                ));
            } else if !module {
                complaints.push(format!(
                    "{place}: `crate::{head}` is not a module of the table"
                ));
            }
        }
    }
    complaints
}

/// Complaints about names that a file passes on although another module owns them.
fn passed_on(source: &Source) -> Vec<String> {
    let Some((_, path)) = modules(&source.path) else {
        return Vec::new();
    };
    let Some(own) = path.first() else {
        return Vec::new();
    };
    let children: Vec<&str> = words(&source.code, "mod")
        .map(|at| ident(source.code[at + 3..].trim_start()))
        .collect();
    words(&source.code, "use")
        .filter(|at| source.code[..*at].trim_end().ends_with("pub"))
        .filter_map(|at| {
            let target = source.code[at + 3..].trim_start();
            let head = ident(target);
            let inside = target.strip_prefix("crate::").map(ident) == Some(own);
            let kept = inside || ["self", "super"].contains(&head) || children.contains(&head);
            (!kept).then(|| {
                let place = source.place(at);
                format!("{place}: `pub use` of `{head}` opens a door past the table; import it where used")
            })
        })
        .collect()
}

fn pixels(source: &Source) -> Vec<String> {
    if !source.path.starts_with("engine/") {
        return Vec::new();
    }
    let named = |name: &&&str| words(&source.code, name).next().is_some();
    let found = PIXELS.iter().filter(named);
    found
        .map(|name| {
            let at = words(&source.code, name).next().unwrap_or(0);
            format!("{}: the engine names `{name}`", source.place(at))
        })
        .collect()
}

#[test]
fn modules_import_what_the_table_allows() {
    let complaints: Vec<String> = sources().iter().flat_map(imports).collect();
    report(
        "modules import only what the table of tests/layers.rs allows:",
        &complaints,
    );
}

#[test]
fn names_are_imported_from_their_owner() {
    let complaints: Vec<String> = sources().iter().flat_map(passed_on).collect();
    report(
        "`pub use` stays within a module's own tree or lib.rs:",
        &complaints,
    );
}

#[test]
fn the_engine_has_no_pixel() {
    let mut complaints: Vec<String> = sources().iter().flat_map(pixels).collect();
    let manifest = read("engine/Cargo.toml");
    for (line, text) in manifest.lines().enumerate() {
        if PIXELS.iter().any(|name| words(text, name).next().is_some()) {
            complaints.push(format!("engine/Cargo.toml:{}: {text}", line + 1));
        }
    }
    report("the engine names no library that draws:", &complaints);
}

/// A planted bad import must be found, at its line.
#[test]
fn a_planted_import_is_found() {
    let planted = |path: &str, text: &str| imports(&Source::new(path, text.to_owned()));
    let one = |path: &str, text: &str, expected: &str| {
        let complaints = planted(path, text);
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].starts_with(expected), "{complaints:?}");
    };
    one(
        "engine/src/time.rs",
        "//! A.\nuse crate::record::Span;\n",
        "engine/src/time.rs:2: ",
    );
    one(
        "engine/src/record/ids.rs",
        "fn a() {\n\n crate::capture::b() }",
        "engine/src/record/ids.rs:3: ",
    );
    one(
        "engine/src/capture/fold.rs",
        "use super::super::runner;\n",
        "engine/src/capture/fold.rs:1: ",
    );
    one(
        "engine/src/capture.rs",
        "use crate::{record::{Span, Began}, runner::Engine};",
        "engine/src/capture.rs:1: ",
    );
    one(
        "app/src/panel/log.rs",
        "use crate::apply::apply;",
        "app/src/panel/log.rs:1: ",
    );
    one(
        "app/src/strange.rs",
        "use crate::state::View;",
        "app/src/strange.rs:1: ",
    );
    assert!(
        planted(
            "engine/src/capture.rs",
            "// crate::runner\nconst A: &str = \"crate::app\";"
        )
        .is_empty()
    );
    assert!(
        planted(
            "engine/src/capture/fold.rs",
            "mod tests { use super::super::Capture; }"
        )
        .is_empty()
    );
    let doors = passed_on(&Source::new(
        "engine/src/capture.rs",
        "mod a;\npub use a::B;\npub use crate::record::C;".into(),
    ));
    assert_eq!(doors.len(), 1, "{doors:?}");
}

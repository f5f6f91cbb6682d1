//! Who may import whom, read from the text of the sources.

use crate::house::source::Source;
use crate::house::source_place::{ident, modules, words};
use crate::house::{read, report, root, sources};

/// A module of the package that reads and writes files, and those that it may name.
const FORMATS: &[(&str, &[&str])] = &[
    // The wire format that the importer reads and the exporter writes.
    ("perfetto", &[]),
    // What files that are opened together and ranks that run have in common.
    ("merge", &[]),
    // What CUPTI told of programs: in files that were kept, and while they run.
    ("activity", &["submission"]),
    // What the host submitted, by which waits are tied, there and in databases.
    ("submission", &[]),
    ("temporary", &[]),
    (
        "importer",
        &["activity", "merge", "perfetto", "submission", "temporary"],
    ),
    ("exporter", &["perfetto", "temporary"]),
];

/// The same for the app, besides the engine.
const APP: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("theme", &[]),
    ("background", &[]),
    ("capture_link", &["text"]),
    ("state", &["capture_link"]),
    ("action", &["state", "capture_link"]),
    ("timeline", &["state", "action", "theme", "text"]),
    (
        "panel",
        &["state", "action", "timeline", "theme", "text", "background"],
    ),
    ("report", &["timeline", "text"]),
    ("apply", &["state", "action", "capture_link"]),
    ("app", ALL),
    ("cli", ALL),
    ("main", ALL),
];

const ALL: &[&str] = &[
    "text",
    "theme",
    "background",
    "capture_link",
    "state",
    "action",
    "timeline",
    "panel",
    "report",
    "apply",
    "app",
    "cli",
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

/// The table of a package's modules; none where each may name each.
fn table(package: &str) -> Option<&'static [(&'static str, &'static [&'static str])]> {
    match package {
        "formats" => Some(FORMATS),
        "app" => Some(APP),
        _ => None,
    }
}

/// Complaints about one file's paths.
fn imports(source: &Source) -> Vec<String> {
    let Some((package, path)) = modules(&source.path) else {
        return Vec::new();
    };
    let Some(own) = path.first() else {
        return Vec::new();
    };
    let Some(table) = table(package) else {
        return Vec::new();
    };
    let Some((_, allowed)) = table.iter().find(|(name, _)| name == own) else {
        return vec![format!(
            "{}:1: `{own}` has no row in the table of tests/house/layers.rs",
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
    let Some((package, path)) = modules(&source.path) else {
        return Vec::new();
    };
    let Some(own) = path.first() else {
        return Vec::new();
    };
    let is_free = table(package).is_none();
    let children: Vec<&str> = words(&source.code, "mod")
        .map(|at| ident(source.code[at + 3..].trim_start()))
        .collect();
    words(&source.code, "use")
        .filter(|at| source.code[..*at].trim_end().ends_with("pub"))
        .filter_map(|at| {
            let target = source.code[at + 3..].trim_start();
            let head = ident(target);
            let within = target.strip_prefix("crate::").map(ident);
            let inside = within.is_some_and(|it| is_free || it == *own);
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
        "modules import only what the table of tests/house/layers.rs allows:",
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
    for package in packages() {
        let file = manifest(&package);
        for (line, text) in read(&file).lines().enumerate() {
            if PIXELS.iter().any(|name| words(text, name).next().is_some()) {
                complaints.push(format!("{file}:{}: {text}", line + 1));
            }
        }
    }
    report("the engine names no library that draws:", &complaints);
}

/// The engine's packages, by their names in the workspace: all that its first package has beside its sources.
fn packages() -> Vec<String> {
    let own = root().join("engine");
    let folders = std::fs::read_dir(own).expect("the engine is a folder");
    let names = folders.map(|it| it.expect("a folder").file_name());
    let names = names.map(|it| it.to_string_lossy().into_owned());
    let mut names: Vec<String> = names
        .filter(|it| root().join(manifest(it)).exists())
        .collect();
    names.push("engine".to_owned());
    names.sort();
    names
}

/// The file of a package of the engine.
fn manifest(package: &str) -> String {
    if package == "engine" {
        "engine/Cargo.toml".to_owned()
    } else {
        format!("engine/{package}/Cargo.toml")
    }
}

/// The packages of the engine that one of them depends on, sorted.
fn dependencies(package: &str) -> Vec<String> {
    let text = read(&manifest(package));
    let (_, rest) = text
        .split_once("[dependencies]")
        .expect("what it depends on");
    let rest = rest.split("\n[").next().unwrap_or_default();
    let known = packages();
    let names = rest.lines().filter_map(|it| it.split('.').next());
    let names = names.filter(|it| known.iter().any(|known| known == it));
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort();
    names
}

#[test]
fn the_picture_of_the_packages_is_what_they_depend_on() {
    let text = read("ARCHITECTURE.md");
    let rows = text.lines().filter_map(|line| {
        let (name, rest) = line.split_once('→')?;
        let name = name.trim_start_matches(['├', '└', '─', ' ']).trim();
        // What it is for stands behind a gap.
        let rest = rest.trim().split("  ").next()?;
        packages()
            .contains(&name.to_owned())
            .then(|| (name.to_owned(), rest.to_owned()))
    });
    let mut drawn: Vec<(String, String)> = rows.collect();
    drawn.sort();
    let real = packages().into_iter().map(|package| {
        let of = dependencies(&package);
        let of = if of.is_empty() {
            "nothing".to_owned()
        } else {
            of.join(", ")
        };
        (package, of)
    });
    assert_eq!(drawn, real.collect::<Vec<_>>());
}

/// What a lock says that a package of ours depends on, of our own packages.
fn locked(lock: &str, package: &str) -> Vec<String> {
    let block = lock
        .split("[[package]]")
        .find(|it| it.contains(&format!("name = \"{package}\"\n")))
        .unwrap_or_default();
    let own = block.lines().map(|it| it.trim_matches([' ', '"', ',']));
    own.filter(|it| it.starts_with("syncline-"))
        .map(str::to_owned)
        .collect()
}

/// The fuzz targets are a workspace of their own, which no build of this one looks at.
#[test]
fn the_fuzz_targets_know_the_packages_of_the_engine() {
    let (own, fuzz) = (read("Cargo.lock"), read("tests/fuzz/Cargo.lock"));
    for package in packages() {
        let name = format!("syncline-{}", package.replace('_', "-"));
        // They link what reads, and what that needs.
        let is_linked = fuzz.contains(&format!("name = \"{name}\""));
        assert!(
            !is_linked || locked(&fuzz, &name) == locked(&own, &name),
            "{name}: write tests/fuzz/Cargo.lock anew, from a copy of Cargo.lock, by cargo metadata in that folder"
        );
    }
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
        "engine/formats/src/merge.rs",
        "//! A.\nuse crate::importer::Source;\n",
        "engine/formats/src/merge.rs:2: ",
    );
    one(
        "engine/formats/src/perfetto/proto.rs",
        "fn a() {\n\n crate::exporter::b() }",
        "engine/formats/src/perfetto/proto.rs:3: ",
    );
    one(
        "engine/formats/src/importer/rpd.rs",
        "use super::super::exporter;\n",
        "engine/formats/src/importer/rpd.rs:1: ",
    );
    one(
        "engine/formats/src/exporter.rs",
        "use crate::{perfetto::{Fact, View}, importer::Error};",
        "engine/formats/src/exporter.rs:1: ",
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
            "engine/formats/src/merge.rs",
            "// crate::importer\nconst A: &str = \"crate::app\";"
        )
        .is_empty()
    );
    assert!(
        planted(
            "engine/formats/src/merge/align.rs",
            "mod tests { use super::super::Align; }"
        )
        .is_empty()
    );
    let doors = passed_on(&Source::new(
        "engine/capture/src/table.rs",
        "mod a;\npub use a::B;\npub use record::C;".into(),
    ));
    assert_eq!(doors.len(), 1, "{doors:?}");
}

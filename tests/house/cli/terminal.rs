//! What files and other machines say never does anything to a terminal: all that is printed is text.

use std::path::Path;

use engine::capture::Capture;
use engine::exporter::EXPORTERS;
use serde_json::Value;

use super::{FINE, WRONG, file, syncline};
use crate::house::source_place::words;
use crate::house::sources;

/// What clears a screen, sets its title, rings, goes back, turns what follows around, and begins a line of its own that
/// says what was not done.
const ODD: &str = "\u{1b}[2J\u{1b}]0;title\u{7}\u{9b}31m\u{8}\r\u{7f}\u{202e}\u{2066}\u{200f}\n  FORGED\u{2028}FORGED\u{85}FORGED\u{b}FORGED\r\nFORGED\t.";

/// Whether a terminal would do anything but show it.
fn is_text(text: &str) -> bool {
    let is_odd = |it: char| {
        it.is_control() && it != '\n' && it != '\t'
            || matches!(it, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
    };
    let is_forged = |line: &str| line.trim_start().starts_with("FORGED");
    !text.contains(is_odd) && !text.lines().any(is_forged)
}

/// A file of trace events of which every text is odd.
fn events() -> Value {
    let event = |name: &str, thread: i64| {
        serde_json::json!({"ph": "X", "name": format!("{ODD}{name}"), "cat": format!("kernel{ODD}"), "pid": 1,
            "tid": thread, "ts": 10 * thread, "dur": 5, "args": {"stream": thread, "correlation": thread}})
    };
    let names = [1, 2].map(|thread| {
        serde_json::json!({"ph": "M", "name": "thread_name", "pid": 1, "tid": thread, "args": {"name": format!("stream {thread}{ODD}")}})
    });
    serde_json::json!({ "traceEvents": [names[0], names[1], event("a", 1), event("b", 2)], "displayTimeUnit": ODD })
}

#[test]
fn names_in_files_are_shown_and_not_obeyed() {
    let (folder, path) = file("odd.json", &events().to_string());
    let moved = folder.path().join(format!("{ODD}.json"));
    std::fs::copy(&path, &moved).unwrap();
    let moved = moved.display().to_string();
    for path in [&path, &moved] {
        let (code, out, err) = syncline(&["info", path]);
        assert_eq!(code, FINE, "{err}");
        assert!(is_text(&out) && is_text(&err), "{out:?}{err:?}");
        assert!(
            out.contains("\\u001b[2J") && out.contains("\\u202e"),
            "{out}"
        );
        let (code, out, _) = syncline(&["info", path, "--format", "json"]);
        assert_eq!(code, FINE);
        assert!(is_text(&out), "{out:?}");
        let json: Value = serde_json::from_str(&out).unwrap();
        let lanes = json["lanes"].as_array().unwrap();
        let named = lanes.iter().filter_map(|it| it["name"].as_str());
        assert!(named.clone().any(|it| it.contains(ODD)), "{lanes:?}");
    }
    let out = folder
        .path()
        .join(format!("{ODD}.csv"))
        .display()
        .to_string();
    let (code, out, err) = syncline(&["convert", &path, &out]);
    assert_eq!(code, FINE, "{err}");
    assert!(is_text(&out) && out.contains("\\u001b"), "{out:?}");
}

#[test]
fn errors_and_workloads_are_shown_and_not_obeyed() {
    let (_folder, path) = file(
        "odd.kdl",
        &format!("stream \"{ODD}\"\nhost \"main\" {{ wait \"x\" on=\"b\" }}\n"),
    );
    for arguments in [
        &["check", &path][..],
        &["run", &path],
        &["run", ODD],
        &["info", ODD],
        &["run", "heat", "--backend", ODD],
        &["run", "heat", "--on", ODD],
        &["run", "heat", "--set", ODD],
        &["extract", &path, "-o", ODD],
        &[ODD],
    ] {
        let (code, out, err) = syncline(arguments);
        assert_eq!(code, WRONG, "{arguments:?}");
        assert!(
            is_text(&out) && is_text(&err),
            "{arguments:?}: {out:?}{err:?}"
        );
    }
    // Of a run every name is shown: of streams, buffers, events and promises.
    let escaped = ODD.chars().fold(String::new(), |text, it| {
        text + &format!("\\u{{{:x}}}", it as u32)
    });
    let (_folder, path) = file(
        "odd-run.kdl",
        &format!(
            "stream \"s{escaped}\"\nhost \"h{escaped}\" {{ host-function \"f{escaped}\" on=\"s{escaped}\"; synchronize-device }}\n"
        ),
    );
    for format in ["text", "json"] {
        let (_, out, err) = syncline(&["run", &path, "--findings", "--format", format]);
        assert!(is_text(&out) && is_text(&err), "{out:?}{err:?}");
    }
}

/// Every exporter's file opens again and is shown as text.
#[test]
fn what_was_saved_is_shown_and_not_obeyed() {
    let (folder, path) = file("odd.json", &events().to_string());
    let mut capture = Capture::new();
    engine::importer::open(Path::new(&path), &mut |batch| {
        capture.apply(batch.records);
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    let mut bytes = Vec::new();
    EXPORTERS[0].write(&capture, &mut bytes).unwrap();
    let saved = folder.path().join("odd.pftrace");
    std::fs::write(&saved, bytes).unwrap();
    let (code, out, err) = syncline(&["info", &saved.display().to_string()]);
    assert_eq!(code, FINE, "{err}");
    assert!(is_text(&out) && out.contains("\\u001b"), "{out:?}");
}

/// All commands that show what is in a file, over names with ends of lines.
#[test]
fn a_name_never_makes_a_second_line() {
    let mut events = events();
    for event in events["traceEvents"].as_array_mut().unwrap() {
        // So that they are operations of streams.
        event["cat"] = "kernel".into();
    }
    let (folder, path) = file("odd.json", &events.to_string());
    let workload = folder.path().join(format!("odd{ODD}.kdl"));
    let workload = workload.display().to_string();
    let scaled = format!("{ODD}b=0.5");
    std::fs::copy(&path, workload.replace(".kdl", ".json")).unwrap();
    for arguments in [
        &["info", &path, "--findings"][..],
        &["explain", &path, "--all"],
        &["explain", &path, "--span", "0"],
        &["idle", &path],
        &["critical-path", &path],
        &["statistics", &path],
        &["what-if", &path, "--scale", &scaled],
        &["extract", &path, "-o", &workload],
        &["check", &workload],
        &["run", &workload, "--backend", "mock", "--findings"],
        &["info", &path, &workload.replace(".kdl", ".json")],
    ] {
        let (code, out, err) = syncline(arguments);
        assert_eq!(code, FINE, "{arguments:?}: {out:?}{err:?}");
        assert!(
            is_text(&out) && is_text(&err),
            "{arguments:?}: {out:?}{err:?}"
        );
        // What a change would save names nothing.
        let is_named = arguments[0] != "what-if";
        assert_eq!((out + &err).contains("FORGED"), is_named, "{arguments:?}");
    }
    // A row for each of the two operations, and a head.
    let (_, out, _) = syncline(&["statistics", &path]);
    assert_eq!(out.trim().lines().count(), 3, "{out}");
}

/// Only whole lines may be formatted: a name that ends what is written would end the line.
#[test]
fn no_part_of_a_line_is_formatted_for_an_output() {
    let own = "app/src/cli/plain_text.rs";
    let is_output = |path: &str| path.starts_with("app/src/cli") && path != own;
    let sources = sources().iter().filter(|it| is_output(&it.path));
    let parts = sources
        .filter(|it| words(&it.code, "write").any(|at| it.code[at..].starts_with("write!(")));
    let found: Vec<String> = parts.map(|it| it.path.clone()).collect();
    assert!(
        found.is_empty(),
        "write whole lines with writeln!: {found:?}"
    );
}

/// All that the program prints is made text at one place, so nothing may be printed past it.
#[test]
fn nothing_is_printed_by_another_way() {
    // Where it is made text, and the link of a worker, which is no text.
    let allowed = ["app/src/cli.rs", "app/src/cli/worker.rs"];
    let ways = [
        ("stdout", "()"),
        ("stderr", "()"),
        ("println", "!"),
        ("print", "!"),
        ("eprintln", "!"),
        ("eprint", "!"),
    ];
    let mut found = Vec::new();
    for source in sources() {
        // Examples are programs of their own, and what builds tells cargo.
        let is_apart =
            source.path.starts_with("engine/examples/") || source.path.ends_with("/build.rs");
        if is_apart || allowed.contains(&source.path.as_str()) {
            continue;
        }
        for (word, next) in ways {
            for at in words(&source.code, word) {
                let is_it = source.code[at + word.len()..].starts_with(next);
                if is_it && !source.is_test(at) {
                    found.push(source.place(at));
                }
            }
        }
    }
    assert!(
        found.is_empty(),
        "these print past app/src/cli/plain_text.rs: {found:?}"
    );
}

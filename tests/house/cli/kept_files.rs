//! "0 dropped" is true: what overlaps is kept, however much of it there is, and what cannot be kept is counted.

use std::fmt::Write as _;
use std::fs;

use engine::exporter::pftrace::PftraceWriter;
use engine::record::{
    CallId, Group, Lane, LaneId, NameId, Record, Role, Span, SpanId, SpanKind, State,
};
use engine::time::Nanos;

use super::{FAILED, FINE, file, json, syncline};

/// How many spans overlap in the test's file: far more than anybody looks at.
const MANY: usize = 20_000;

#[test]
fn spans_that_overlap_are_all_kept_and_written() {
    let mut text = String::from("[");
    for place in 0..MANY {
        let (start, end) = (place, 4 * MANY - place % 7);
        let comma = if place > 0 { "," } else { "" };
        write!(
            text,
            r#"{comma}{{"ph":"X","name":"k","cat":"kernel","pid":1,"tid":7,"ts":{start},"dur":{},"args":{{"stream":7}}}}"#,
            end - start
        )
        .unwrap();
    }
    text.push(']');
    let (folder, path) = file("overlaps.json", &text);
    let path_of = |name: &str| folder.path().join(name).display().to_string();
    let (saved, back, rows) = (path_of("a.pftrace"), path_of("b.json"), path_of("c.csv"));
    for (from, to) in [(&path, &saved), (&saved, &back), (&saved, &rows)] {
        let (code, out, err) = syncline(&["convert", from, to]);
        assert_eq!(code, FINE, "{err}");
        assert!(out.contains(", 0 dropped"), "{out}");
    }
    for path in [&path, &saved, &back] {
        let told = json(&["info", path, "--format", "json"]);
        assert_eq!(told["capture"]["spans"], MANY, "{path}");
        assert_eq!(told["receipt"]["dropped"], 0, "{path}");
        let rows = told["lanes"].as_array().unwrap().iter();
        let deepest = rows.filter_map(|it| it["rows"].as_u64()).max();
        assert_eq!(deepest, Some(MANY as u64), "{path}");
        let problems = told["capture"]["problems"].as_array().unwrap().iter();
        assert!(problems.into_iter().all(|it| it["code"] != "span-refused"));
    }
    assert_eq!(fs::read_to_string(rows).unwrap().lines().count(), MANY + 1);
}

#[test]
fn what_cannot_be_kept_is_dropped_in_the_receipt_and_the_exit_code() {
    let lane = Record::Lane(Box::new(Lane {
        id: LaneId(0),
        group: Group::Streams,
        device: None,
        role: Role::None,
        name: "s".to_owned(),
        order: 0,
        process: "".into(),
        thread: "".into(),
    }));
    let span = |id, start| {
        Record::Span(Span {
            id: SpanId(id),
            lane: LaneId(0),
            name: NameId(0),
            call: CallId::NONE,
            kind: SpanKind::Kernel,
            state: State::Done,
            enqueued: Nanos(start),
            start: Nanos(start),
            end: Nanos(start + 5),
        })
    };
    let mut writer = PftraceWriter::new(Vec::new());
    let name = Record::Name(NameId(0), "k".into());
    for record in [
        name,
        lane,
        span(0, 0),
        span(1, 10),
        span(1, 20),
        span(0, 30),
    ] {
        writer.write(&record).unwrap();
    }
    writer.finish().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("twice.pftrace");
    fs::write(&path, writer.output()).unwrap();
    let (path, out) = (
        path.display().to_string(),
        folder.path().join("out.csv").display().to_string(),
    );
    for arguments in [&["info", &path][..], &["convert", &path, &out]] {
        let (code, out, err) = syncline(arguments);
        assert_eq!(code, FAILED, "{err}");
        assert!(out.contains(", 2 dropped"), "{out}");
        assert!(
            out.contains("2 records of the file could not be kept"),
            "{out}"
        );
    }
    let told = json(&["info", &path, "--format", "json"]);
    assert_eq!(told["receipt"]["dropped"], 2);
    assert_eq!(told["capture"]["spans"], 2);
}

/// What a receipt counts is what the file is made of; what it says is of the capture, and stays with it.
#[test]
fn receipts_count_what_the_file_holds_and_their_notes_survive_saving() {
    let text = r#"{"spans":[], "other":{"a":[1,2,3]}, "traceEvents":[
{"ph":"M","name":"thread_name","pid":1,"tid":7,"args":{"name":"main"}},
{"ph":"X","name":"k","pid":1,"tid":7,"ts":1,"dur":2},
{"ph":"E","name":"k","pid":1,"tid":8,"ts":9}]}"#;
    let (folder, path) = file("events.json", text);
    let path_of = |name: &str| folder.path().join(name).display().to_string();
    let notes = |path: &str| json(&["info", path, "--format", "json"])["receipt"]["notes"].clone();
    let (code, out, err) = syncline(&["info", &path]);
    assert_eq!(code, FINE, "{err}");
    assert!(out.contains("\n3 events read, 1 repaired"), "{out}");
    let first = notes(&path);
    assert!(
        first.as_array().is_some_and(|it| it.len() == 2),
        "{first:#}"
    );
    for name in ["saved.pftrace", "saved.json"] {
        let saved = path_of(name);
        let (code, _, err) = syncline(&["convert", &path, &saved]);
        assert_eq!(code, FINE, "{err}");
        assert_eq!(notes(&saved), first, "{name}");
    }
}

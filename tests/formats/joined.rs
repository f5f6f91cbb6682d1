//! Files that others follow in the same file, as `cat` and gzip join them, or that go on behind what ends them: none of it is lost
//! without a word.

use std::io::Write as _;

use engine::exporter::EXPORTERS;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::formats::captures::{capture, sample};
use crate::formats::damage::open;
use crate::formats::databases;
use crate::formats::rocprofv3;

/// A trace of JSON that another follows, as `cat` and gzip join them, says where that begins, and that it is not read.
#[test]
fn a_second_capture_in_one_file_is_told() {
    let records = sample::records();
    let json = EXPORTERS.iter().find(|it| it.extension() == "json");
    let mut own = Vec::new();
    json.unwrap().write(&capture(records), &mut own).unwrap();
    let list = br#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]"#.to_vec();
    let object =
        br#"{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}],"x":{"y":[1]}}"#
            .to_vec();
    for first in [&own, &list, &object] {
        for between in ["", "\n", "\r\n \n", "\r\n\u{FEFF}", "\u{1e}"] {
            let alone = [first.as_slice(), between.as_bytes()].concat();
            let (capture, _, receipt) = open("one.json", &alone).unwrap();
            assert_eq!(receipt.dropped, 0, "{:?}", capture.problems());
            let place = format!("at byte {}", alone.len());
            for second in [&own, &list, &object] {
                let (capture, _, receipt) =
                    open("two.json", &[&alone, second.as_slice()].concat()).unwrap();
                assert!(receipt.dropped > 0, "{receipt:?}");
                let told = capture
                    .problems()
                    .iter()
                    .find(|it| it.code == "second-trace");
                assert!(told.unwrap().text.contains(&place), "{told:?}");
            }
            let (capture, _, receipt) =
                open("log.json", &[&alone, b"written".as_slice()].concat()).unwrap();
            assert_eq!(receipt.dropped, 0);
            let told = capture
                .problems()
                .iter()
                .find(|it| it.code == "text-behind-trace");
            assert!(told.unwrap().text.contains(&place), "{told:?}");
        }
    }
}

/// Traces of a program that appends to one file and was stopped each time: none of them has an end.
#[test]
fn a_list_without_its_end_that_another_such_follows_is_told() {
    let event = r#"{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}"#;
    let heads = [
        "[",
        r#"{"traceEvents":["#,
        r#"{"displayTimeUnit":"ns","traceEvents":["#,
    ];
    for (first, second) in heads.iter().flat_map(|one| heads.map(|other| (one, other))) {
        for between in ["", "\n", ",\n"] {
            let file = format!("{first}{event},{event},{event}{between}{second}{event},{event}");
            let (capture, _, receipt) = open("two.json", file.as_bytes()).unwrap();
            let codes: Vec<&str> = capture.problems().iter().map(|it| &*it.code).collect();
            // A list inside a list may also be told as what makes no sense there.
            let is_told = ["second-trace", "damaged"]
                .iter()
                .any(|it| codes.contains(it));
            assert!(is_told, "{first}{between}{second}: {codes:?} {receipt:?}");
            assert!(
                receipt.dropped > 0 && capture.span_count() >= 3,
                "{receipt:?}"
            );
        }
        // One event that was cut is no other trace.
        let file = format!("{first}{event},{event},{}", &event[..30]);
        let (_, _, receipt) = open("one.json", file.as_bytes()).unwrap();
        assert_eq!(receipt.dropped, 0, "{receipt:?}");
    }
}

/// A list of events that was cut, and that another file follows: what stands where an event is due is no event.
#[test]
fn a_list_without_its_end_that_another_file_follows_is_told() {
    let event = |name| format!(r#"{{"ph":"X","name":"{name}","pid":1,"tid":1,"ts":1,"dur":2}}"#);
    let heads = ["[", r#"{"displayTimeUnit":"ns","traceEvents":["#];
    for (head, between) in heads.iter().flat_map(|it| [(it, "\n"), (it, ",\n")]) {
        for keys in [
            r#""traceEvents":["#,
            r#""displayTimeUnit":"ns","deviceProperties":[],"traceEvents":["#,
        ] {
            let many = vec![event("second"); 30_000].join(",\n");
            let file = format!(
                "{head}\n{},\n{}{between}{{{keys}{many}]}}",
                event("a"),
                event("b")
            );
            let (capture, _, receipt) = open("two.json", file.as_bytes()).unwrap();
            let codes: Vec<&str> = capture.problems().iter().map(|it| &*it.code).collect();
            assert!(
                codes.contains(&"second-trace"),
                "{between:?}{keys}: {codes:?} {receipt:?}"
            );
            assert!(
                receipt.dropped > 0 && capture.span_count() >= 2,
                "{receipt:?}"
            );
        }
    }
}

/// A bracket that stands where the list does not end: what follows is told, and not taken for keys that are damaged.
#[test]
fn events_behind_a_bracket_that_ends_their_list_are_told() {
    let event = |name| format!(r#"{{"ph":"X","name":"{name}","pid":1,"tid":1,"ts":1,"dur":2}}"#);
    for head in ["[", r#"{"traceEvents":["#] {
        for end in ["]", "]}"] {
            for count in [1, 9] {
                let rest = vec![event("b"); count].join(",\n");
                let file = format!("{head}{}{end},\n{rest}]", event("a"));
                let (capture, _, receipt) = open("bracket.json", file.as_bytes()).unwrap();
                let codes: Vec<&str> = capture.problems().iter().map(|it| &*it.code).collect();
                assert!(codes.contains(&"second-trace"), "{file}: {codes:?}");
                assert!(receipt.dropped > 0, "{receipt:?}");
            }
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// Databases and results of rocprofv3 that another file follows, or anything else.
#[test]
fn what_follows_a_whole_file_of_other_formats_is_told() {
    for (name, bytes) in databases::samples() {
        let (_, _, whole) = open(&name, &bytes).unwrap();
        for (behind, code) in [
            (bytes.clone(), "second-trace"),
            (
                [b"\n", rocprofv3::sample().as_slice()].concat(),
                "second-trace",
            ),
            (b"\x1F\x8B\x08 and more".to_vec(), "second-trace"),
            (b"written behind".to_vec(), "text-behind-trace"),
        ] {
            let joined = [bytes.as_slice(), &behind].concat();
            for (name, joined) in [
                (name.clone(), joined.clone()),
                (format!("{name}.gz"), gzip(&joined)),
            ] {
                let (capture, _, receipt) = open(&name, &joined).unwrap();
                let mut problems = capture.problems().iter();
                assert!(problems.any(|it| it.code == code), "{name}: {code}");
                let more = u64::from(code == "second-trace");
                assert_eq!(receipt.dropped, whole.dropped + more, "{name}");
            }
        }
        let padded = [bytes.as_slice(), &[0; 4096]].concat();
        for padded in [padded.clone(), gzip(&padded)] {
            let (capture, _, _) = open(&name, &padded).unwrap();
            let mut problems = capture.problems().iter();
            assert!(!problems.any(|it| it.code.ends_with("-trace")), "{name}");
        }
    }
    let results = rocprofv3::sample();
    for (behind, code) in [
        (results.as_slice(), "second-trace"),
        (b"written", "text-behind-trace"),
    ] {
        let joined = [results.as_slice(), b"\n", behind].concat();
        let (capture, _, receipt) = open("results.json", &joined).unwrap();
        let mut problems = capture.problems().iter();
        assert!(problems.any(|it| it.code == code), "{code}");
        assert_eq!(receipt.dropped, u64::from(code == "second-trace"));
    }
}

//! Small files of every format with something in them that cannot be: names, numbers, depth, and what they are called.

use std::collections::BTreeSet;

use engine::importer::{IMPORTERS, ImportError};
use engine::record::{NameId, Record, SpanId, Value};
use engine::time::Nanos;

use super::{answer, answer_to};
use crate::formats::captures::{foreign, sample, saved};
use crate::formats::damage;
use crate::formats::rocprofv3;

/// Events as `PyTorch` writes them.
const KINETO: &str = r#"{"schemaVersion":1,"baseTimeNanoseconds":1700000000000000000,"traceEvents":[
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":10,"dur":2,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"saxpy","pid":0,"tid":20,"ts":20.5,"dur":30,"args":{"stream":20,"correlation":1}},
{"ph":"b","cat":"c","name":"saxpy","pid":1,"tid":1,"ts":1,"id":7},{"ph":"e","cat":"c","pid":1,"tid":1,"ts":3,"id":7},
{"ph":"C","name":"memory","pid":1,"ts":5,"args":{"bytes":7}},{"ph":"i","name":"saxpy","pid":1,"tid":1,"ts":8}]}"#;

/// A small file of every format, by name.
fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = damage::files();
    files.push(("kineto.json".to_owned(), KINETO.into()));
    files
}

fn spans(name: &str, bytes: Vec<u8>) -> usize {
    let (capture, _) = answer_to(name, bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    capture.span_count() + capture.open().count()
}

#[test]
fn an_empty_file_says_so_under_every_name() {
    let extensions: BTreeSet<_> = IMPORTERS.iter().flat_map(|it| it.extensions()).collect();
    for extension in extensions {
        let answer = answer_to(&format!("a.{extension}"), Vec::new());
        assert!(matches!(answer, Err(ImportError::Empty(_))), "{extension}");
    }
}

#[test]
fn a_file_opens_under_the_name_of_any_other_format() {
    for (name, bytes) in files() {
        let expected = spans(&name, bytes.clone());
        for extension in IMPORTERS.iter().flat_map(|it| it.extensions()) {
            assert_eq!(
                spans(&format!("a.{extension}"), bytes.clone()),
                expected,
                "{name} as .{extension}"
            );
        }
    }
}

/// Bytes that are no letters of any text, in the place of names.
#[test]
fn names_that_are_no_text_are_kept() {
    let names = [
        "saxpy",
        "transpose",
        "hipLaunchKernel",
        "cudaLaunchKernel",
        "upload",
    ];
    let mut changed = 0;
    for (name, bytes) in files() {
        for text in names {
            let mut bytes = bytes.clone();
            let places: Vec<usize> = bytes
                .windows(text.len())
                .enumerate()
                .filter(|(_, it)| *it == text.as_bytes())
                .map(|(at, _)| at)
                .collect();
            if places.is_empty() {
                continue;
            }
            for at in places {
                bytes[at..at + text.len()].fill(0xFF);
            }
            changed += 1;
            // A packet whose texts are no texts is one that cannot be read, and is told of.
            match answer_to(&name, bytes) {
                Ok((capture, receipt)) => assert!(
                    capture.span_count() > 0 || !receipt.notes.is_empty(),
                    "{name} without {text}: {receipt:?}"
                ),
                Err(error) => assert!(
                    matches!(error, ImportError::Useless { .. }),
                    "{name}: {error}"
                ),
            }
        }
    }
    assert!(changed > 6, "only {changed} files hold any of the names");
}

/// Numbers that no clock shows, in the place of each number of a file of JSON.
#[test]
fn numbers_out_of_range_are_kept_or_told() {
    const NUMBERS: &[&str] = &[
        "1e999",
        "-1e999",
        "99999999999999999999999999",
        "-9223372036854775809",
        "18446744073709551615",
        "3.1536e25",
        "1e-999",
        "\"NaN\"",
        "null",
        "NaN",
    ];
    for text in [KINETO, std::str::from_utf8(&rocprofv3::sample()).unwrap()] {
        let whole = spans("a.json", text.into());
        for (start, end) in numbers(text) {
            for number in NUMBERS {
                let changed = format!("{}{number}{}", &text[..start], &text[end..]);
                match answer_to("a.json", changed.into()) {
                    Ok((capture, receipt)) => {
                        let found = capture.span_count() + capture.open().count();
                        let told = !capture.problems().is_empty() || !receipt.notes.is_empty();
                        assert!(found >= whole || told, "{number} at {start}: {found}");
                    }
                    Err(error) => {
                        assert!(matches!(error, ImportError::Useless { .. }), "{error}");
                    }
                }
            }
        }
    }
}

/// Where the numbers of a text of JSON are.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let begins = |at: usize| bytes[at].is_ascii_digit() && matches!(bytes[at - 1], b':' | b'[');
    let starts = (1..bytes.len()).filter(|&at| begins(at));
    let end = |at: usize| {
        let rest = bytes[at..].iter();
        at + rest
            .take_while(|it| it.is_ascii_digit() || **it == b'.')
            .count()
    };
    starts.map(|at| (at, end(at))).collect()
}

/// A span of a billion years is as long as time goes, and nothing else moves.
#[test]
fn a_billion_years_are_a_span() {
    let ages = KINETO.replace("\"dur\":30", "\"dur\":3.1536e22");
    let (capture, receipt) = answer_to("a.json", ages.into()).unwrap();
    assert_eq!(capture.span_count(), spans("a.json", KINETO.into()));
    assert!(receipt.repaired > 0, "{receipt:?}");
    let mut records = sample::records();
    for record in &mut records {
        if let Record::Span(span) = record
            && span.id == SpanId(0)
        {
            (span.start, span.end) = (Nanos(i64::MIN), Nanos(i64::MAX));
        }
    }
    let whole = spans("whole.pftrace", saved(&sample::records(), 7));
    assert_eq!(spans("ages.pftrace", saved(&records, 7)), whole);
}

#[test]
fn ten_thousand_arrays_inside_each_other_do_no_harm() {
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let kineto = KINETO.replace("\"bytes\":7", &format!("\"bytes\":{deep}"));
    assert!(spans("a.json", kineto.into()) >= 4);
    let results = String::from_utf8(rocprofv3::sample()).unwrap();
    let whole = spans("a.json", results.clone().into());
    let inner = results.replace("\"0x99\",\"stream\"", &format!("{deep},\"stream\""));
    assert_eq!(spans("a.json", inner.into()), whole - 1, "one call is lost");
    let outer = results.replace("\"hsa_api\":[]", &format!("\"hsa_api\":{deep}"));
    assert_eq!(spans("a.json", outer.into()), whole);
    for start in [
        "[",
        "{\"traceEvents\":",
        "{\"rocprofiler-sdk-tool\":",
        "\x0A",
    ] {
        let text = format!("{start}{deep}");
        drop(answer_to("a.json", text.into()));
    }
    let (capture, _) = answer_to("deep.pftrace", nested_packet()).unwrap();
    assert!(capture.problems().iter().any(|it| it.code == "damaged"));
}

/// The small file of another tool, and a packet whose annotations lie ten thousand deep.
fn nested_packet() -> Vec<u8> {
    let field = |tag: &[u8], body: Vec<u8>| {
        let mut bytes = tag.to_vec();
        prost::encoding::encode_varint(body.len() as u64, &mut bytes);
        bytes.extend(body);
        bytes
    };
    let mut annotation = vec![0x18, 1];
    for _ in 0..10_000 {
        annotation = field(&[0x5A], annotation);
    }
    let annotation = field(&[0x22], annotation);
    let event = [vec![0x48, 3, 0x58, 1], annotation].concat();
    let packet = [vec![0x40, 1, 0x50, 1], field(&[0x5A], event)].concat();
    [foreign::sample(), field(&[0x0A], packet)].concat()
}

/// The same numbers for several things: the later ones are told or kept beside the first.
#[test]
fn numbers_used_twice_are_an_answer() {
    let doubled = KINETO.replace(
        "]}",
        &format!(",{}", &KINETO[KINETO.find("[\n").unwrap() + 1..]),
    );
    assert_eq!(
        spans("a.json", doubled.into()),
        2 * spans("a.json", KINETO.into())
    );
    let mut records = sample::records();
    let again: Vec<Record> = records
        .iter()
        .filter(|it| matches!(it, Record::Span(_) | Record::Lane(_) | Record::Event(_)))
        .cloned()
        .collect();
    records.extend(again);
    let whole = spans("whole.pftrace", saved(&sample::records(), 7));
    assert_eq!(spans("twice.pftrace", saved(&records, 7)), whole);
    records.push(Record::Argument(
        SpanId(u32::MAX - 1),
        NameId(u32::MAX - 1),
        Value::Integer(1),
    ));
    drop(answer_to("far.pftrace", saved(&records, 7)));
}

/// What cannot be opened leaves nothing of itself in what is there.
#[test]
fn sources_fail_before_they_say_anything() {
    for text in [
        "{\"spans\":[]}",
        "[1,2,3]",
        "SQLite format 3\0",
        "PK\u{3}\u{4}",
    ] {
        let source = engine::importer::Source::from_bytes("a.json", text.into());
        let Ok(source) = source else { continue };
        assert!(answer(&source).is_err(), "{text}");
    }
}

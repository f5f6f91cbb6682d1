//! Files that were cut or changed on the way: every importer opens what is left of them, and says what is not.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use engine::capture::Capture;
use engine::exporter::EXPORTERS;
use engine::importer::{self, IMPORTERS, ImportBatch, ImportError, Receipt, Source};
use engine::record::{Record, Severity};

use crate::formats::captures::{capture, foreign, sample, saved};
use crate::formats::databases;
use crate::formats::record;
use crate::formats::rocprofv3;
use crate::formats::xplane;
use crate::house::root;

/// Files to damage: what every exporter writes, what another tool might write, and all of assets/captures.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let capture = capture(sample::records());
    let reopened = |bytes: &[u8]| IMPORTERS.iter().any(|it| it.recognises(bytes));
    let written = EXPORTERS.iter().map(|exporter| {
        let mut bytes = Vec::new();
        exporter.write(&capture, &mut bytes).unwrap();
        (format!("sample.{}", exporter.extension()), bytes)
    });
    let written = written.filter(|(_, bytes)| reopened(bytes));
    let folder = std::fs::read_dir(root().join("assets/captures"));
    let kept = folder.into_iter().flatten().map(|entry| {
        let path = entry.unwrap().path();
        (path.display().to_string(), std::fs::read(&path).unwrap())
    });
    let other = ("other-tool.pftrace".to_owned(), foreign::sample());
    let made = databases::samples();
    let results = ("results.json".to_owned(), rocprofv3::sample());
    let told = (format!("7-0.{}", cuda_recorder::ENDING), record::sample());
    let planes = ("a.xplane.pb".to_owned(), xplane::sample());
    let snapshot = root().join("tests/data/captures/torch-snapshot.pickle");
    let snapshot = ("a.pickle".to_owned(), std::fs::read(snapshot).unwrap());
    written
        .chain(kept)
        .chain([other, results, told, planes, snapshot])
        .chain(made)
        .collect()
}

/// Problems that tell of what could not be read, and is dropped.
const LOSSES: &[&str] = &[
    "arguments-cropped",
    "packets-crowded",
    "damaged",
    "packing-damaged",
    "planes-cropped",
    "senseless",
    "other-writer",
    "table-damaged",
    "database-damaged",
    "rows-without-time",
    "records-damaged",
    "packets-missing",
    "events-missing",
    "second-trace",
    "unknown-field",
    "no-column",
    "unknown-phase",
    "no-time",
    "incomplete",
];

/// Whether nothing was dropped, or a problem tells of it; and whether what such problems tell of is counted as dropped.
pub fn is_whole_or_told(capture: &Capture, receipt: &Receipt) -> bool {
    let mut problems = capture.problems().iter();
    let is_told = problems.any(|it| LOSSES.contains(&&*it.code));
    (receipt.dropped > 0) == is_told
}

/// Opens bytes and applies what is in them. Whatever they are, this ends, and with an answer.
pub fn open(name: &str, bytes: &[u8]) -> Result<(Capture, Vec<Record>, Receipt), ImportError> {
    let source = Source::from_bytes(name, bytes.to_vec())?;
    let mut records = Vec::new();
    let receipt = importer::open_source(&source, &mut |batch: ImportBatch| {
        records.extend(batch.records);
        ControlFlow::Continue(())
    })?;
    let capture = capture(records.clone());
    assert!(is_whole_or_told(&capture, &receipt), "{receipt:?}");
    Ok((capture, records, receipt))
}

/// Places to damage a file at: all of a short one, and some everywhere in a long one. Opening a database takes its
/// time, so it has to do with fewer.
fn places(bytes: &[u8]) -> impl Iterator<Item = usize> + use<> {
    let most = if is_database(bytes) { 256 } else { 8_000 };
    let step = bytes.len().div_ceil(most).max(1);
    (0..bytes.len()).step_by(step)
}

fn is_database(bytes: &[u8]) -> bool {
    bytes.starts_with(b"SQLite format 3")
}

/// Where the list of events of a file of JSON begins, or that of the segments of a snapshot; 0 in other files.
fn list_of_events(bytes: &[u8]) -> usize {
    let keys: [(&[u8], usize); 3] = [
        (b"\"traceEvents\"", 4),
        (b"segments", 8),
        (b"\"dispatch_id\":1}},\n\"records\"", 128),
    ];
    let place = |(key, more): &(&[u8], usize)| {
        let found = bytes.windows(key.len()).position(|it| it == *key);
        found.map(|at| at + key.len() + more)
    };
    keys.iter().find_map(place).unwrap_or(0)
}

#[test]
fn every_importer_has_a_file_to_damage() {
    let files = files();
    let formats: BTreeSet<&str> = IMPORTERS.iter().map(|it| it.name()).collect();
    let covered = |bytes: &[u8]| {
        IMPORTERS
            .iter()
            .find(|it| it.recognises(bytes))
            .map(|it| it.name())
    };
    let found: BTreeSet<&str> = files
        .iter()
        .filter_map(|(_, bytes)| covered(bytes))
        .collect();
    assert_eq!(
        found, formats,
        "add a file of the format to assets/captures"
    );
}

#[test]
fn files_cut_at_every_byte_open_or_say_why_not() {
    for (name, bytes) in files() {
        let whole = open(&name, &bytes).unwrap().1;
        for length in places(&bytes).skip(1) {
            let cut = bytes.get(..length).unwrap();
            let (_, records, _) = match open(&name, cut) {
                Ok(opened) => opened,
                // Of a database nothing can be known before its list of tables, nor of JSON before its list of events.
                Err(
                    ImportError::Useless { .. }
                    | ImportError::Unknown { .. }
                    | ImportError::Refused { .. },
                ) if is_database(&bytes) || length < list_of_events(&bytes) => {
                    continue;
                }
                Err(error) => panic!("{name} cut at byte {length}: {error}"),
            };
            assert!(
                records.len() <= whole.len() + 6,
                "{name} cut at byte {length}"
            );
        }
    }
}

/// What Syncline wrote opens up to its last whole packet, and the problem names the bytes that are missing.
#[test]
fn a_cut_capture_holds_all_that_was_whole() {
    let records = sample::records();
    let bytes = saved(&records, records.len());
    let whole = open("whole", &bytes).unwrap().1;
    let mut ends = vec![0];
    let mut rest = bytes.as_slice();
    while let Some(mut body) = rest.get(1..) {
        if body.is_empty() && rest.is_empty() {
            break;
        }
        let length = prost::encoding::decode_varint(&mut body).unwrap() as usize;
        rest = &body[length..];
        ends.push(bytes.len() - rest.len());
    }
    assert_eq!(ends.last(), Some(&bytes.len()));
    for length in 1..bytes.len() {
        let (capture, records, _) = open("cut", &bytes[..length]).unwrap();
        let last = ends.iter().rev().find(|&&end| end <= length).unwrap();
        let said = capture.problems().iter().find(|it| it.code == "cut-short");
        let no_end = (capture.problems().iter()).any(|it| it.code == "no-end-of-file");
        // Before the first packet it is not known that there is to be an end.
        let is_told = *last > 0 && *last == length && length < bytes.len();
        assert_eq!(no_end, is_told, "cut at {length}");
        if *last == length {
            assert!(said.is_none(), "{said:?}");
        } else {
            let said = said.unwrap_or_else(|| panic!("cut at {length}: {:?}", capture.problems()));
            assert_eq!(said.severity, Severity::DataLoss);
            let words = format!("at byte {last}: the last {} bytes", length - last);
            assert!(
                said.text.contains(&words),
                "{} does not say: {words}",
                said.text
            );
        }
        // Every record of a whole packet is there, in its place.
        let kept = records
            .iter()
            .zip(&whole)
            .take_while(|(a, b)| same(a, b))
            .count();
        let own = records.iter().filter(|record| !added(record)).count();
        assert!(
            kept >= own,
            "cut at {length}: {kept} of {own} are as they were"
        );
    }
}

/// Equal, bit by bit where they are real numbers.
fn same(a: &Record, b: &Record) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

/// Whether the importer added a record because the file breaks off.
fn added(record: &Record) -> bool {
    match record {
        Record::Problem(problem) => problem.code != "wait-before-record",
        Record::Note(_) | Record::FileRepair(_) | Record::Began(_) | Record::Argument(..) => true,
        _ => false,
    }
}

/// What it takes to know a file for ours and to find its packets stands in it more than once: no bit can take away more than
/// the packet that it is in.
#[test]
fn a_flipped_bit_costs_no_more_of_a_capture_than_its_packet() {
    let records = sample::records();
    let bytes = saved(&records, records.len());
    let own = |records: &[Record]| -> Vec<String> {
        let own = records.iter().filter(|it| {
            !matches!(
                it,
                Record::Problem(_) | Record::Note(_) | Record::FileRepair(_)
            )
        });
        own.map(|it| format!("{it:?}")).collect()
    };
    let (whole, all, _) = open("whole", &bytes).unwrap();
    let all = own(&all);
    let mut told = 0;
    for place in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << bit;
            let (capture, records, receipt) = open("changed", &changed)
                .unwrap_or_else(|error| panic!("bit {bit} of byte {place}: {error}"));
            let found = own(&records);
            if capture.problems().iter().any(|it| it.code == "damaged") {
                assert!(receipt.dropped > 0, "bit {bit} of byte {place}");
                told += 1;
            }
            if place < 64 {
                // The header, which says nothing that could not be known without it.
                assert_eq!(found, all, "bit {bit} of byte {place}");
                assert_eq!(capture.span_count(), whole.span_count());
            }
            let lost: Vec<_> = all.iter().filter(|it| !found.contains(it)).collect();
            // A span and its four arguments are one packet.
            assert!(
                lost.len() <= 5,
                "bit {bit} of byte {place}: {} records are lost: {lost:#?}",
                lost.len()
            );
        }
    }
    assert!(told > 100, "{told} of them left a packet out");
}

/// What somebody took out of a file that Syncline wrote is counted, though all that is left is whole: a packet, or an event.
#[test]
fn what_was_taken_out_of_a_capture_is_counted() {
    let records = sample::records();
    let bytes = saved(&records, records.len());
    let mut packets: Vec<&[u8]> = Vec::new();
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let mut body = &rest[1..];
        let length = prost::encoding::decode_varint(&mut body).unwrap() as usize;
        let whole = rest.len() - body.len() + length;
        packets.push(&rest[..whole]);
        rest = &rest[whole..];
    }
    let code = |capture: &Capture, code: &str| capture.problems().iter().any(|it| it.code == code);
    // The first says that there is an end, and the last is that.
    for taken in 1..packets.len() - 1 {
        let left = packets
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != taken);
        let left: Vec<u8> = left.flat_map(|(_, it)| it.iter().copied()).collect();
        let (capture, _, receipt) = open("less.pftrace", &left).unwrap();
        assert!(code(&capture, "packets-missing"), "packet {taken}");
        assert!(receipt.dropped >= 1, "packet {taken}: {receipt:?}");
        assert!(!code(&capture, "no-end-of-file"), "packet {taken}");
    }
}

#[test]
fn what_was_taken_out_of_our_json_is_counted() {
    let records = sample::records();
    let code = |capture: &Capture, code: &str| capture.problems().iter().any(|it| it.code == code);
    let json = EXPORTERS.iter().find(|it| it.extension() == "json");
    let mut bytes = Vec::new();
    json.unwrap().write(&capture(records), &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    // The list's beginning, the header and the end stay; the last event has no comma behind it.
    for taken in 2..lines.len() - 2 {
        let left = lines
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != taken);
        let left: Vec<&str> = left.map(|(_, line)| *line).collect();
        let (capture, _, receipt) = open("less.json", left.join("\n").as_bytes()).unwrap();
        assert!(code(&capture, "events-missing"), "line {taken}");
        // What it told of others is missed there as well.
        assert!(receipt.dropped >= 1, "line {taken}: {receipt:?}");
    }
    let (capture, _, receipt) = open("whole.json", text.as_bytes()).unwrap();
    assert!(!code(&capture, "events-missing") && receipt.dropped == 0);
}

/// What is in the file and not in the picture, or not where it says: a time beyond all times, values that are no numbers, a phase
/// that nobody knows.
#[test]
fn what_events_say_and_cannot_be_shown_is_counted() {
    let whole = r#"{"ph":"X","name":"a","pid":1,"tid":1,"ts":70,"dur":2}"#;
    let read = |other: &str| {
        let file = format!("[{whole},{other}]");
        let (capture, _, receipt) = open("odd.json", file.as_bytes()).unwrap();
        let codes: Vec<String> = capture
            .problems()
            .iter()
            .map(|it| it.code.clone())
            .collect();
        (codes, receipt.repaired, receipt.dropped, capture)
    };
    let (codes, repaired, dropped, capture) =
        read(r#"{"ph":"X","name":"b","pid":1,"tid":1,"ts":90,"dur":1e300}"#);
    assert_eq!(
        (&codes[..], repaired, dropped),
        (&["impossible-duration".to_owned()][..], 1, 0)
    );
    let starts: Vec<i64> = capture.spans().map(|it| it.span.start.0).collect();
    assert_eq!(starts, [0, 20_000], "it stays where it begins");
    for time in ["1e16", "-1e30"] {
        let odd = format!(r#"{{"ph":"X","name":"b","pid":1,"tid":1,"ts":{time},"dur":1}}"#);
        let (codes, repaired, dropped, _) = read(&odd);
        assert_eq!(
            (&codes[..], repaired, dropped),
            (&["far-time".to_owned()][..], 1, 0),
            "{time}"
        );
    }
    for value in ["null", "NaN", "\"abc\"", "true", "{\"z\":3}", "1e999"] {
        let odd = format!(r#"{{"ph":"C","name":"c","pid":1,"ts":80,"args":{{"v":{value}}}}}"#);
        let (codes, repaired, dropped, _) = read(&odd);
        assert_eq!(
            (&codes[..], repaired, dropped),
            (&["no-number".to_owned()][..], 1, 0),
            "{value}"
        );
    }
    for odd in [
        r#"{"pj":"X","name":"b","pid":1,"tid":1,"ts":90,"dur":1}"#,
        r#"{"ph":"Y","name":"b","pid":1,"tid":1,"ts":90,"dur":1}"#,
    ] {
        let (codes, _, dropped, _) = read(odd);
        assert_eq!(
            (&codes[..], dropped),
            (&["unknown-phase".to_owned()][..], 1),
            "{odd}"
        );
    }
}

/// Whatever bit of an `XSpace` is flipped, no event is gone without a word: as many were understood as before, or a problem says
/// why not.
#[test]
fn a_flipped_bit_takes_no_event_of_a_plane_away_in_silence() {
    let bytes = xplane::sample();
    let (_, _, whole) = open("a.xplane.pb", &bytes).unwrap();
    let mut told = 0;
    for place in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << bit;
            let Ok((capture, _, receipt)) = open("a.xplane.pb", &changed) else {
                continue;
            };
            let is_told = !capture.problems().is_empty();
            assert!(
                receipt.events >= whole.events || is_told,
                "bit {bit} of byte {place}: {receipt:?}"
            );
            told += u64::from(is_told);
        }
    }
    assert!(told > 1000, "{told}");
}

/// Where packets of another tool begin is not known of a damaged length, and found again where they follow each other.
#[test]
fn a_length_beyond_the_file_costs_no_more_of_another_tools_file_than_its_packet() {
    let bytes = foreign::sample();
    let mut packets: Vec<&[u8]> = Vec::new();
    let mut rest = bytes.as_slice();
    while let Some((&10, after)) = rest.split_first() {
        let mut body = after;
        let length = prost::encoding::decode_varint(&mut body).unwrap() as usize;
        packets.push(&body[..length]);
        rest = &body[length..];
    }
    assert!(rest.is_empty() && packets.len() > 8, "{}", packets.len());
    let (_, _, whole) = open("whole", &bytes).unwrap();
    // One that ends the file is as good as cut.
    for damaged in 1..packets.len() - 1 {
        let mut file = Vec::new();
        for (place, packet) in packets.iter().enumerate() {
            let length = if place == damaged {
                1 << 30
            } else {
                packet.len()
            };
            file.push(10);
            prost::encoding::encode_varint(length as u64, &mut file);
            file.extend_from_slice(packet);
        }
        let (capture, _, receipt) = open("damaged", &file).unwrap();
        let codes: Vec<&str> = capture.problems().iter().map(|it| &*it.code).collect();
        assert!(codes.contains(&"damaged"), "packet {damaged}: {codes:?}");
        assert!(!codes.contains(&"cut-short"), "packet {damaged}: {codes:?}");
        assert!(receipt.dropped > 0, "packet {damaged}");
        // One behind it that bears neither a time nor its writer is not known for a packet.
        assert!(receipt.events + 2 >= whole.events, "packet {damaged}");
    }
}

/// The same of our own JSON: whatever bit is flipped, the file opens, and no more is missing than the event it is in, the next
/// that it runs into, and what those say of others. What every file begins with is said twice.
#[test]
fn a_flipped_bit_costs_no_more_of_our_json_than_two_events() {
    let capture = capture(sample::records());
    let json = EXPORTERS
        .iter()
        .find(|it| it.extension() == "json")
        .unwrap();
    let mut bytes = Vec::new();
    json.write(&capture, &mut bytes).unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let (head, _) = text.match_indices(",\n").next().unwrap();
    // A name that is missing is another's number from then on, so that spans are told by their own.
    let own = |records: &[Record]| -> BTreeSet<String> {
        let own = records.iter().filter_map(|it| match it {
            Record::Span(it) => Some(format!("{:?} {:?} {:?}", it.id, it.start, it.end)),
            Record::Dependency(it) => Some(format!("{:?} {:?}", it.cause, it.effect)),
            Record::Lane(it) => Some(format!("{:?} {}", it.id, it.name)),
            Record::Sample(it) => Some(format!("{:?} {:?}", it.counter, it.time)),
            _ => None,
        });
        own.collect()
    };
    let all = own(&open("whole.json", &bytes).unwrap().1);
    let places = (0..head).flat_map(|place| (0..8).map(move |bit| (place, bit)));
    let places = places.chain((head..bytes.len()).step_by(3).map(|it| (it, it * 5 % 8)));
    let (mut worst, mut told) = (0, 0);
    for (place, bit) in places {
        let mut changed = bytes.clone();
        changed[place] ^= 1 << bit;
        let (changed, records, receipt) = open("changed.json", &changed)
            .unwrap_or_else(|error| panic!("bit {bit} of byte {place}: {error}"));
        if changed.problems().iter().any(|it| it.code == "damaged") {
            assert!(receipt.dropped > 0, "bit {bit} of byte {place}");
            told += 1;
        }
        let found = own(&records);
        let lost: Vec<_> = all.difference(&found).collect();
        let most = if place < head { 0 } else { 4 };
        assert!(
            lost.len() <= most,
            "bit {bit} of byte {place}: {lost:?} are lost"
        );
        worst = worst.max(lost.len());
    }
    assert!(told > 100, "{told} of them left a stretch out");
    eprintln!("at most {worst} of {} records", all.len());
}

#[test]
fn changed_bytes_are_an_answer() {
    for (name, bytes) in files() {
        let mut changed = bytes.clone();
        for place in places(&bytes) {
            for mask in [0x01, 0x10, 0x80, 0xFF] {
                changed[place] ^= mask;
                // An error or a capture; what matters is that it ends, and does not take all memory.
                drop(open(&name, &changed));
                changed[place] ^= mask;
            }
        }
    }
}

#[test]
fn doubled_and_shuffled_files_are_an_answer() {
    for (name, bytes) in files() {
        let doubled = [bytes.as_slice(), bytes.as_slice()].concat();
        let (capture, ..) = open(&name, &doubled).unwrap();
        assert!(capture.span_count() > 0);
        let half = bytes.len() / 2;
        let turned = [&bytes[half..], &bytes[..half]].concat();
        drop(open(&name, &turned));
    }
}

/// A list of tables that lost one says nothing of it: what the pages of the file do is looked at.
#[test]
fn a_database_whose_list_of_tables_lost_one_says_that_it_is_damaged() {
    for (name, bytes) in databases::samples() {
        // The first page is the list, or leads to its pages; three bytes behind its kind is how many it has of them.
        let (kind, count) = (bytes[100], u16::from_be_bytes([bytes[103], bytes[104]]));
        assert!(
            matches!(kind, 0x05 | 0x0D) && count > 1,
            "{name}: {kind}, {count}"
        );
        let mut damaged = bytes.clone();
        damaged[103..105].copy_from_slice(&(count - 1).to_be_bytes());
        match open(&name, &damaged) {
            Ok((capture, _, receipt)) => {
                assert!(receipt.dropped > 0, "{name}");
                assert!(is_whole_or_told(&capture, &receipt), "{name}");
            }
            Err(error) => assert!(!error.to_string().is_empty(), "{name}"),
        }
    }
}

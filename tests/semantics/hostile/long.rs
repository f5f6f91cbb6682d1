//! Small files with one long text that many things are called after, and files of very many parts of a few bytes.

use std::fs;
use std::path::Path;

use engine::importer::Source;

use super::heavy::Case;
use super::lanes::{bytes, number};

/// So many things are called after a text.
const MANY: usize = 20_000;
/// How long the text is, in bytes.
const LENGTH: usize = 80_000;
/// So many complaints of a few bytes.
const COMPLAINTS: usize = 6_000_000;

/// Files whose memory has nothing to do with their length. What they hold is concluded from as well.
pub const LONG: &[Case] = &[
    Case {
        name: "a long name with many entries below it",
        source: |folder| Source::open(&folder.join("entries.pftrace")).unwrap(),
        spans: Some(1),
    },
    Case {
        name: "a process of a long name with many threads",
        source: |folder| Source::open(&folder.join("process.json")).unwrap(),
        spans: Some(MANY),
    },
    Case {
        name: "a counter of a long name with many series",
        source: |folder| Source::open(&folder.join("series.json")).unwrap(),
        spans: Some(0),
    },
    Case {
        name: "a device that says a long text many times",
        source: |folder| Source::open(&folder.join("device.xplane.pb")).unwrap(),
        spans: Some(1),
    },
    Case {
        name: "very many complaints of a profiler",
        source: |folder| Source::open(&folder.join("complaints.xplane.pb")).unwrap(),
        spans: Some(1),
    },
    Case {
        name: "very many elements of one argument",
        source: |folder| Source::open(&folder.join("elements.pftrace")).unwrap(),
        spans: Some(1),
    },
];

/// Writes the files of [`LONG`].
pub fn make_long(folder: &Path) {
    let write = |name: &str, bytes: Vec<u8>| fs::write(folder.join(name), bytes).unwrap();
    let long = "x".repeat(LENGTH);
    write("entries.pftrace", argument(&entries(long.as_bytes())));
    write("process.json", process(&long).into_bytes());
    let series: Vec<String> = (0..MANY).map(|it| format!(r#""s{it}":1"#)).collect();
    let series = series.join(",");
    let text = format!(r#"[{{"ph":"C","pid":1,"name":"{long}","ts":1,"args":{{{series}}}}}]"#);
    write("series.json", text.into_bytes());
    write("device.xplane.pb", device(long.as_bytes()));
    let complaints = bytes(3, b"").repeat(COMPLAINTS);
    write("complaints.xplane.pb", [plane(&[]), complaints].concat());
    let elements = bytes(12, &number(4, 7)).repeat(3_000_000);
    write(
        "elements.pftrace",
        argument(&[bytes(10, b"a"), elements].concat()),
    );
}

/// A slice with one argument.
fn argument(argument: &[u8]) -> Vec<u8> {
    let lane = [number(1, 1), bytes(2, b"t")].concat();
    let lane = [number(10, 1), bytes(60, &lane)].concat();
    let event = [number(9, 3), number(11, 1), bytes(4, argument)].concat();
    let packet = [number(8, 5), number(10, 1), bytes(11, &event)].concat();
    [bytes(1, &lane), bytes(1, &packet)].concat()
}

fn entries(long: &[u8]) -> Vec<u8> {
    let entry = |at: usize| {
        let name = format!("k{at}");
        bytes(11, &[bytes(10, name.as_bytes()), number(4, 1)].concat())
    };
    let entries: Vec<u8> = (0..MANY).flat_map(entry).collect();
    [bytes(10, long), entries].concat()
}

fn process(long: &str) -> String {
    let event = |at: usize| format!(r#"{{"ph":"X","pid":1,"tid":{at},"ts":1,"dur":1}}"#);
    let events: Vec<String> = (0..MANY).map(event).collect();
    let events = events.join(",");
    format!(r#"[{{"ph":"M","name":"process_name","pid":1,"args":{{"name":"{long}"}}}},{events}]"#)
}

/// A plane of a device with one event, and with this besides.
fn plane(besides: &[u8]) -> Vec<u8> {
    let event = [number(1, 1), number(2, 5_000), number(3, 9_000)].concat();
    let line = [number(1, 1), bytes(2, b"Stream #1"), bytes(4, &event)].concat();
    let name = [number(1, 1), bytes(2, b"a")].concat();
    let names = bytes(4, &[number(1, 1), bytes(2, &name)].concat());
    let own = bytes(2, b"/device:GPU:0");
    bytes(1, &[own, names, bytes(3, &line), besides.to_vec()].concat())
}

fn device(long: &[u8]) -> Vec<u8> {
    let stat = |id: u64, name: &[u8]| {
        let named = [number(1, id), bytes(2, name)].concat();
        bytes(5, &[number(1, id), bytes(2, &named)].concat())
    };
    // Each says the same text by its number.
    let said = bytes(6, &[number(1, 1), number(7, 2)].concat()).repeat(MANY);
    plane(&[stat(1, b"s"), stat(2, long), said].concat())
}

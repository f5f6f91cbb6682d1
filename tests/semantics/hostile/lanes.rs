//! Files in which nearly all has a lane of its own.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use engine::importer::Source;

use super::heavy::Case;
use crate::formats::rocprofv3;

/// So many lanes have the files of [`LANES`].
const MANY: usize = 1_000_000;

/// Files in which nearly every span has a lane of its own. What they hold is concluded from as well.
pub const LANES: &[Case] = &[
    Case {
        name: "a thread for each event",
        source: |folder| Source::open(&folder.join("threads.json")).unwrap(),
        spans: Some(MANY),
    },
    Case {
        name: "a stream for each kernel",
        source: |folder| Source::open(&folder.join("streams.json")).unwrap(),
        spans: Some(MANY),
    },
    Case {
        name: "a process for each event",
        source: |folder| Source::open(&folder.join("processes.json")).unwrap(),
        spans: Some(MANY),
    },
    // The last of them begins where the file ends, and so has no time in it.
    Case {
        name: "a thread for each event that never ends",
        source: |folder| Source::open(&folder.join("unclosed.json")).unwrap(),
        spans: Some(MANY - 1),
    },
    Case {
        name: "a counter for each sample",
        source: |folder| Source::open(&folder.join("counters.json")).unwrap(),
        spans: Some(0),
    },
    Case {
        name: "a track for each slice",
        source: |folder| Source::open(&folder.join("tracks.pftrace")).unwrap(),
        spans: Some(MANY),
    },
    Case {
        name: "the track of a thread for each slice",
        source: |folder| Source::open(&folder.join("thread-tracks.pftrace")).unwrap(),
        spans: Some(MANY),
    },
    Case {
        name: "a thread for each call of rocprofv3",
        source: |folder| Source::open(&folder.join("calls.json")).unwrap(),
        spans: Some(MANY),
    },
];

/// The fields of the event with a number.
type EventText = fn(u32) -> String;

/// Writes the files of [`LANES`].
pub fn make_lanes(folder: &Path) {
    let create = |name: &str| BufWriter::new(File::create(folder.join(name)).unwrap());
    let events: [(&str, EventText); 5] = [
        ("threads.json", |it| {
            format!(r#""ph":"X","pid":1,"tid":{it},"ts":{it},"dur":1,"name":"a""#)
        }),
        ("streams.json", |it| {
            let of = format!(r#""cat":"kernel","args":{{"stream":{it}}}"#);
            format!(r#""ph":"X","pid":1,"tid":{it},"ts":{it},"dur":1,"name":"a",{of}"#)
        }),
        ("processes.json", |it| {
            format!(r#""ph":"X","pid":{it},"tid":{it},"ts":{it},"dur":1,"name":"a""#)
        }),
        ("unclosed.json", |it| {
            format!(r#""ph":"B","pid":1,"tid":{it},"ts":{it},"name":"a""#)
        }),
        ("counters.json", |it| {
            format!(r#""ph":"C","pid":1,"ts":{it},"name":"c{it}","args":{{"v":{it}}}"#)
        }),
    ];
    for (name, event) in events {
        let mut out = create(name);
        out.write_all(b"[").unwrap();
        for number in 0..MANY as u32 {
            write!(out, "{{{}}},", event(number)).unwrap();
        }
        out.write_all(b"{}]").unwrap();
    }
    make_perfetto(create("tracks.pftrace"), |track| {
        bytes(2, format!("t{track}").as_bytes())
    });
    make_perfetto(create("thread-tracks.pftrace"), |track| {
        let name = format!("thread {track}");
        let process = number(1, 1 + track / 1_000);
        let thread = [process, number(2, track), bytes(5, name.as_bytes())].concat();
        bytes(4, &thread)
    });
    let sample = String::from_utf8(rocprofv3::sample()).unwrap();
    let (before, after) = sample.split_once("\"hip_api\":[").unwrap();
    let mut out = create("calls.json");
    write!(out, "{before}\"hip_api\":[").unwrap();
    for thread in 0..MANY {
        write!(
            out,
            r#"{{"kind":1,"operation":5,"thread_id":{},"correlation_id":{{"internal":{}}},"start_timestamp":{},"end_timestamp":{}}},"#,
            thread + 100,
            thread + 100,
            thread + 1_000,
            thread + 1_020
        )
        .unwrap();
    }
    out.write_all(after.as_bytes()).unwrap();
}

/// Writes tracks with a slice each, of which `described` says what they are.
fn make_perfetto(mut out: impl Write, described: impl Fn(u64) -> Vec<u8>) {
    for track in 1..=MANY as u64 {
        let described = [number(1, track), described(track)].concat();
        let begin = [number(9, 1), number(11, track), bytes(23, b"a")].concat();
        let end = [number(9, 2), number(11, track)].concat();
        let (start, last) = (track * 1_000, track * 1_000 + 500);
        let packets = [
            [number(10, 1), bytes(60, &described)].concat(),
            [number(8, start), number(10, 1), bytes(11, &begin)].concat(),
            [number(8, last), number(10, 1), bytes(11, &end)].concat(),
        ];
        for packet in packets {
            out.write_all(&bytes(1, &packet)).unwrap();
        }
    }
}

/// A field of a message that is a number.
pub fn number(field: u32, value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    prost::encoding::uint64::encode(field, &value, &mut out);
    out
}

/// A field of a message that is bytes.
pub fn bytes(field: u32, value: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    prost::encoding::bytes::encode(field, &value.to_vec(), &mut out);
    out
}

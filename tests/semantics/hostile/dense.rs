//! Files that say little of very much: as many names, writers and sub-lanes as there are events.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use engine::importer::Source;

use super::heavy::Case;
use super::lanes::{bytes, number};

const NAMES: u64 = 2_800_000;
const WRITERS: u64 = 4_000_000;
const OVERLAPS: usize = 1_600_000;
const BEGINS: u64 = 4_800_000;
const ARGUMENTS: u64 = 4_000_000;
const STREAMS: i64 = 1_500_000;
const CATEGORIES: u64 = 650_000;
const EMPTY_MESSAGES: usize = 10_000_000;
const LINES: u64 = 900_000;
const PLANES: u64 = 320_000;
/// So many planes are read.
const MOST_PLANES: usize = 1 << 16;
/// Deeper than this nothing is kept of a lane, and beyond this no lane of a database.
const DEEPEST: usize = 1 << 21;
const LANES: usize = 1 << 18;

/// Files whose events take fourteen to forty bytes each. What they hold is concluded from as well.
pub const DENSE: &[Case] = &[
    Case {
        name: "a name for each event",
        source: |folder| Source::open(&folder.join("names.pftrace")).unwrap(),
        spans: Some(NAMES as usize),
    },
    Case {
        name: "a writer for each event",
        source: |folder| Source::open(&folder.join("writers.pftrace")).unwrap(),
        spans: Some(WRITERS as usize),
    },
    Case {
        name: "two spans on each of very many sub-lanes",
        source: |folder| Source::open(&folder.join("sub-lanes.json")).unwrap(),
        spans: Some(OVERLAPS),
    },
    Case {
        name: "nothing but begins on one track",
        source: |folder| Source::open(&folder.join("begins.pftrace")).unwrap(),
        spans: Some(DEEPEST),
    },
    Case {
        name: "an argument for each few bytes",
        source: |folder| Source::open(&folder.join("arguments.json")).unwrap(),
        spans: Some(1),
    },
    Case {
        name: "a stream for each kernel of a database",
        source: |folder| Source::open(&folder.join("streams.sqlite")).unwrap(),
        spans: Some(LANES),
    },
    Case {
        name: "eight categories of its own for each event",
        source: |folder| Source::open(&folder.join("categories.pftrace")).unwrap(),
        spans: Some(CATEGORIES as usize),
    },
    Case {
        name: "a packet of nothing but empty messages",
        source: |folder| Source::open(&folder.join("packets.pftrace")).unwrap(),
        spans: Some(1),
    },
    Case {
        name: "a plane for each event",
        source: |folder| Source::open(&folder.join("planes.xplane.pb")).unwrap(),
        spans: Some(MOST_PLANES),
    },
    Case {
        name: "a line for each event",
        source: |folder| Source::open(&folder.join("lines.xplane.pb")).unwrap(),
        spans: Some(LANES),
    },
    Case {
        name: "very many devices before the events",
        source: |folder| Source::open(&folder.join("devices.json")).unwrap(),
        spans: Some(1),
    },
    Case {
        name: "very many numbers beside the rank",
        source: |folder| Source::open(&folder.join("rank.json")).unwrap(),
        spans: Some(1),
    },
    Case {
        name: "very many numbers beside the writer",
        source: |folder| Source::open(&folder.join("writer.json")).unwrap(),
        spans: Some(1),
    },
    Case {
        name: "very many lists that are no events",
        source: |folder| Source::open(&folder.join("lists.json")).unwrap(),
        spans: Some(1),
    },
];

/// Writes the files of [`DENSE`].
pub fn make_dense(folder: &Path) {
    let create = |name: &str| BufWriter::new(File::create(folder.join(name)).unwrap());
    make_names(create("names.pftrace"));
    make_writers(create("writers.pftrace"));
    make_sub_lanes(create("sub-lanes.json"));
    make_begins(create("begins.pftrace"));
    make_arguments(create("arguments.json"));
    make_streams(&folder.join("streams.sqlite"));
    make_categories(create("categories.pftrace"));
    make_packet(create("packets.pftrace"));
    make_planes(create("planes.xplane.pb"));
    make_lines(create("lines.xplane.pb"));
    make_heads(create);
}

/// Events of which each has a name of its own.
fn make_names(mut out: impl std::io::Write) {
    let lane = [number(1, 1), bytes(2, b"t")].concat();
    let lane = [number(10, 1), bytes(60, &lane)].concat();
    out.write_all(&bytes(1, &lane)).unwrap();
    for name in 0..NAMES {
        let text = format!("n{name}");
        let event = [number(9, 3), number(11, 1), bytes(23, text.as_bytes())].concat();
        let packet = [number(8, 1_000 + name), number(10, 1), bytes(11, &event)].concat();
        out.write_all(&bytes(1, &packet)).unwrap();
    }
}

/// Events of which each has a writer of its own.
fn make_writers(mut out: impl std::io::Write) {
    let event = bytes(11, &[number(9, 3), number(11, 1)].concat());
    for writer in 1..=WRITERS {
        let packet = [number(8, writer), number(10, writer), event.clone()].concat();
        out.write_all(&bytes(1, &packet)).unwrap();
    }
}

/// Spans that overlap, so that each has a sub-lane of its own.
fn make_sub_lanes(mut out: impl std::io::Write) {
    out.write_all(b"[").unwrap();
    for span in 0..OVERLAPS {
        let start = span % 2 * 10_000_000 + span / 2;
        write!(out, r#"{{"ph":"X","ts":{start},"dur":9000000}},"#).unwrap();
    }
    out.write_all(b"{}]").unwrap();
}

/// Files that say very much before their only event.
fn make_heads<W: std::io::Write>(create: impl Fn(&'static str) -> W) {
    let device = |number| format!(r#"{{"id":{number},"name":"G"}},"#);
    let begin = r#""deviceProperties":["#;
    make_head(create("devices.json"), begin, (1_000_000, &device), "{}],");
    let zero = |_| "0,".to_owned();
    let begin = r#""distributedInfo":{"rank":0,"a":["#;
    make_head(create("rank.json"), begin, (15_000_000, &zero), "0]},");
    let begin = r#""otherData":{"a":["#;
    make_head(create("writer.json"), begin, (15_000_000, &zero), "0]},");
    let list = |number| format!(r#""{number}":[0],"#);
    make_head(create("lists.json"), "", (2_300_000, &list), "");
}

fn make_head(
    mut out: impl std::io::Write,
    begin: &str,
    (count, part): (u32, &dyn Fn(u32) -> String),
    end: &str,
) {
    write!(out, "{{{begin}").unwrap();
    for number in 0..count {
        out.write_all(part(number).as_bytes()).unwrap();
    }
    let event = r#""traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2}]}"#;
    write!(out, "{end}{event}").unwrap();
}

/// Events that have many categories, none of them twice.
fn make_categories(mut out: impl std::io::Write) {
    let lane = [number(1, 1), bytes(2, b"t")].concat();
    let lane = [number(10, 1), bytes(60, &lane)].concat();
    out.write_all(&bytes(1, &lane)).unwrap();
    for event in 0..CATEGORIES {
        let own = (0..8).map(|at| bytes(22, format!("c{event}_{at}").as_bytes()));
        let said = [number(9, 3), number(11, 1)].into_iter().chain(own);
        let said = said.collect::<Vec<_>>().concat();
        let packet = [number(8, 1_000 + event), number(10, 1), bytes(11, &said)].concat();
        out.write_all(&bytes(1, &packet)).unwrap();
    }
}

/// An event, and a packet of a piece of work of a GPU of which very much else is said, all of it empty.
fn make_packet(mut out: impl std::io::Write) {
    let lane = [number(1, 1), bytes(2, b"t")].concat();
    let lane = [number(10, 1), bytes(60, &lane)].concat();
    let [begin, end] = [1, 2].map(|half| {
        let event = [number(9, half), number(11, 1)].concat();
        [number(8, half * 1_000), number(10, 1), bytes(11, &event)].concat()
    });
    let work = bytes(6, b"").repeat(EMPTY_MESSAGES);
    let work = [number(8, 1_500), number(10, 1), bytes(53, &work)].concat();
    for packet in [lane, begin, work, end] {
        out.write_all(&bytes(1, &packet)).unwrap();
    }
}

/// Planes of devices with a line of one event each.
fn make_planes(mut out: impl std::io::Write) {
    let event = [number(1, 1), number(2, 5_000), number(3, 9_000)].concat();
    let line = [number(1, 1), bytes(2, b"Stream #1"), bytes(4, &event)].concat();
    let name = [number(1, 1), bytes(2, b"a")].concat();
    let names = bytes(4, &[number(1, 1), bytes(2, &name)].concat());
    for plane in 0..PLANES {
        let own = bytes(2, format!("/device:GPU:{plane}").as_bytes());
        let plane = [own, names.clone(), bytes(3, &line)].concat();
        out.write_all(&bytes(1, &plane)).unwrap();
    }
}

/// A plane of a device with lines of one event each.
fn make_lines(mut out: impl std::io::Write) {
    let event = [number(1, 1), number(2, 5_000), number(3, 9_000)].concat();
    let line = |place: u64| [number(1, place), bytes(2, b"Stream #1"), bytes(4, &event)].concat();
    let name = [number(1, 1), bytes(2, b"a")].concat();
    let names = bytes(4, &[number(1, 1), bytes(2, &name)].concat());
    let lines = (0..LINES).flat_map(|it| bytes(3, &line(it)));
    let plane = [bytes(2, b"/device:GPU:0"), names].concat();
    let plane: Vec<u8> = plane.into_iter().chain(lines).collect();
    out.write_all(&bytes(1, &plane)).unwrap();
}

/// An event that says very much.
fn make_arguments(mut out: impl std::io::Write) {
    out.write_all(br#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":{"#)
        .unwrap();
    for key in 0..ARGUMENTS {
        write!(out, r#""k{key}":{key},"#).unwrap();
    }
    out.write_all(br#""last":1}}]"#).unwrap();
}

/// Begins without an end, so that each is within the one before.
fn make_begins(mut out: impl std::io::Write) {
    let lane = [number(1, 1), bytes(2, b"t")].concat();
    let lane = [number(10, 1), bytes(60, &lane)].concat();
    out.write_all(&bytes(1, &lane)).unwrap();
    let event = bytes(11, &[number(9, 1), number(11, 1)].concat());
    for begin in 0..BEGINS {
        let packet = [number(8, 1_000 + begin), number(10, 1), event.clone()].concat();
        out.write_all(&bytes(1, &packet)).unwrap();
    }
}

/// A database of Nsight Systems in which each kernel runs on a stream of its own.
fn make_streams(path: &Path) {
    let mut database = rusqlite::Connection::open(path).unwrap();
    let tables = "PRAGMA journal_mode = OFF;
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
        INSERT INTO StringIds VALUES (1, 'k');
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT,
            correlationId INT, globalPid INT, demangledName INT, shortName INT, gridX INT, gridY INT, gridZ INT,
            blockX INT, blockY INT, blockZ INT);";
    database.execute_batch(tables).unwrap();
    let change = database.transaction().unwrap();
    let row = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?1, ?1 + 1000000000, 0, 1, ?1, ?1, 0, 1, 1, 1, 1, 1, 1, 1, 1)";
    let mut row = change.prepare(row).unwrap();
    for stream in 0..STREAMS {
        row.execute([stream]).unwrap();
    }
    drop(row);
    change.commit().unwrap();
}

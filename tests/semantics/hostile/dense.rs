//! Files that say little of very much: as many names, writers and sub-lanes as there are events.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use engine::importer::Source;

use super::heavy::Case;
use super::lanes::{bytes, number};

const NAMES: u64 = 2_800_000;
const WRITERS: u64 = 4_000_000;
const OVERLAPS: usize = 1_600_000;

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
];

/// Writes the files of [`DENSE`].
pub fn make_dense(folder: &Path) {
    let create = |name: &str| BufWriter::new(File::create(folder.join(name)).unwrap());
    let mut out = create("names.pftrace");
    let lane = [number(1, 1), bytes(2, b"t")].concat();
    let lane = [number(10, 1), bytes(60, &lane)].concat();
    out.write_all(&bytes(1, &lane)).unwrap();
    for name in 0..NAMES {
        let text = format!("n{name}");
        let event = [number(9, 3), number(11, 1), bytes(23, text.as_bytes())].concat();
        let packet = [number(8, 1_000 + name), number(10, 1), bytes(11, &event)].concat();
        out.write_all(&bytes(1, &packet)).unwrap();
    }
    let mut out = create("writers.pftrace");
    let event = bytes(11, &[number(9, 3), number(11, 1)].concat());
    for writer in 1..=WRITERS {
        let packet = [number(8, writer), number(10, writer), event.clone()].concat();
        out.write_all(&bytes(1, &packet)).unwrap();
    }
    let mut out = create("sub-lanes.json");
    out.write_all(b"[").unwrap();
    for span in 0..OVERLAPS {
        let start = span % 2 * 10_000_000 + span / 2;
        write!(out, r#"{{"ph":"X","ts":{start},"dur":9000000}},"#).unwrap();
    }
    out.write_all(b"{}]").unwrap();
}

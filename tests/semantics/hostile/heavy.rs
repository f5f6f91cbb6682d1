//! Huge files, each opened in a process of its own, so that the memory it takes at most can be measured.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufWriter, Cursor, Read, Write as _, repeat};
use std::path::Path;
use std::process::Command;

use engine::analysis::{Conclusions, Statistics};
use engine::importer::Source;
use engine::runner::keep_large_blocks_apart;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::answer;
use super::dense::{DENSE, make_dense};
use super::lanes::{LANES, make_lanes};
use super::long::{LONG as REPEATED, make_long};
use crate::formats::databases;
use crate::formats::rocprofv3;

/// What tells the process which file it is to open.
const CASE: &str = "SYNCLINE_HOSTILE_CASE";
/// What tells it the folder in which a file lies that was made for it.
const FOLDER: &str = "SYNCLINE_HOSTILE_FOLDER";
const MEGABYTE: u64 = 1 << 20;
/// A text that no program writes.
const LONG: u64 = 100 * MEGABYTE;

/// A file, and how many spans it must open as at least; none where it has to be refused.
pub struct Case {
    pub name: &'static str,
    pub source: fn(&Path) -> Source,
    pub spans: Option<usize>,
}

const CASES: &[Case] = &[
    Case {
        name: "spaces alone",
        source: |_| filled("a.json", b"", (b' ', 4 << 30), b""),
        spans: None,
    },
    Case {
        name: "spaces in a list of events",
        source: |_| {
            let event = br#"[{"ph":"X","name":"a","ts":1,"dur":1},"#;
            filled(
                "a.json",
                event,
                (b' ', 4 << 30),
                br#"{"ph":"X","name":"b","ts":3,"dur":1}]"#,
            )
        },
        spans: Some(2),
    },
    Case {
        name: "spaces in an event",
        source: |_| {
            let event = br#"[{"ph":"X","name":"a","ts":1,"dur":1},{"ph":"X","#;
            filled(
                "a.json",
                event,
                (b' ', 512 << 20),
                br#""name":"b","ts":3,"dur":1}]"#,
            )
        },
        spans: Some(1),
    },
    Case {
        name: "spaces in results",
        source: |_| {
            let (before, after) = parted("{\"size\":184");
            filled("a.json", &before, (b' ', 4 << 30), &after)
        },
        spans: Some(9),
    },
    Case {
        name: "a long text in an event",
        source: |_| {
            let before =
                br#"[{"ph":"X","name":"a","ts":1,"dur":1},{"ph":"X","ts":2,"dur":1,"name":""#;
            filled(
                "a.json",
                before,
                (b'x', LONG),
                br#""},{"ph":"X","name":"c","ts":5,"dur":1}]"#,
            )
        },
        spans: Some(2),
    },
    Case {
        name: "a long text in results",
        source: |_| {
            let (before, after) = parted("transpose(int*)");
            filled("a.json", &before, (b'x', LONG), &after)
        },
        spans: Some(9),
    },
    Case {
        name: "a long text in a packet",
        source: |_| packet(LONG),
        spans: Some(1),
    },
    Case {
        name: "nothing but tiny events",
        source: |_| {
            let event = br#"{"ph":"i","ts":1,"s":"t"},"#;
            repeated("a.json", b"[", event, LONG / event.len() as u64, b"{}]")
        },
        spans: Some(1_000_000),
    },
    Case {
        name: "one event after all others at the same time",
        source: |_| {
            let event = br#"{"ph":"X","ts":1,"dur":1},"#;
            repeated("a.json", b"[", event, 1_228_800, b"{}]")
        },
        spans: Some(1_228_800),
    },
    Case {
        name: "nothing but events that are never closed",
        source: |_| repeated("a.json", b"[", br#"{"ph":[[},"#, 1_000_000, b"{}]"),
        spans: Some(0),
    },
    Case {
        name: "a bomb of spaces",
        source: |_| Source::from_bytes("a.json.gz", bomb(b"[", b' ')).unwrap(),
        spans: Some(0),
    },
    Case {
        name: "a bomb of brackets in an event",
        source: |_| Source::from_bytes("a.json.gz", bomb(BRACKETS, b'[')).unwrap(),
        spans: Some(1),
    },
    Case {
        name: "brackets in an event, packed just beyond what any file may unpack to",
        source: |_| {
            let mut packed = GzEncoder::new(Vec::new(), Compression::best());
            let mut bytes = BRACKETS.chain(repeat(b'[').take(120 * MEGABYTE));
            std::io::copy(&mut bytes, &mut packed).unwrap();
            Source::from_bytes("a.json.gz", packed.finish().unwrap()).unwrap()
        },
        spans: Some(1),
    },
    Case {
        name: "a bomb of packets",
        source: |_| Source::from_bytes("a.pftrace", bomb(&packet_of(b"x"), 10)).unwrap(),
        spans: Some(1),
    },
    Case {
        name: "nothing but tiny events on a line",
        source: |_| {
            // A name, a start and a length, which is none: all of them at one instant.
            let event = [
                0x22, 12, 0x08, 1, 0x10, 0x80, 0x80, 0x80, 0x80, 1, 0x18, 0x80, 0x80, 0,
            ];
            let count = (LONG / event.len() as u64) >> 12 << 12;
            let head = head_of_line(count * event.len() as u64);
            repeated("a.xplane.pb", &head, &event, count, b"")
        },
        spans: Some(7_000_000),
    },
    Case {
        name: "a long text in an event of a line",
        source: |_| {
            // Of the event: a name, and a field with a text, which is a stat with a string.
            let mut stat = vec![0x2A];
            prost::encoding::encode_varint(LONG, &mut stat);
            let mut event = vec![0x08, 1, 0x22];
            prost::encoding::encode_varint(stat.len() as u64 + LONG, &mut event);
            event.extend(stat);
            let mut events = vec![0x22, 2, 0x08, 1, 0x22];
            prost::encoding::encode_varint(event.len() as u64 + LONG, &mut events);
            events.extend(event);
            let head = head_of_line(events.len() as u64 + LONG);
            filled("a.xplane.pb", &[head, events].concat(), (b'x', LONG), b"")
        },
        spans: Some(1),
    },
    Case {
        name: "a bomb of planes",
        source: |_| {
            let head = head_of_line(u64::from(u32::MAX));
            let first = [&head[..], &[0x22, 2, 0x08, 1]].concat();
            Source::from_bytes("a.xplane.pb", bomb(&first, 10)).unwrap()
        },
        spans: Some(1),
    },
    Case {
        name: "a database of four sparse gigabytes",
        source: |folder| Source::open(&folder.join("sparse.sqlite")).unwrap(),
        spans: Some(1),
    },
    Case {
        name: "a database with a long text",
        source: |folder| Source::open(&folder.join("long.sqlite")).unwrap(),
        spans: Some(1),
    },
];

/// A file of very many streams, of which all is printed and written.
const LISTED: &str = "listed.json";

/// What is asked about it, which is its case as well: a command, and the file to be written.
const COMMANDS: &[(&str, &[&str], Option<&str>)] = &[
    ("what it holds", &["info"], None),
    ("where its time went", &["idle"], None),
    (
        "where its time went, for programs",
        &["idle", "--format", "json"],
        None,
    ),
    (
        "a Perfetto file of it",
        &["convert"],
        Some("written.pftrace"),
    ),
];

/// Writes the file of which all is printed.
fn make_listed(folder: &Path) {
    let mut out = BufWriter::new(File::create(folder.join(LISTED)).unwrap());
    out.write_all(b"[").unwrap();
    for it in 0..500_000 {
        let of = format!(r#""cat":"kernel","args":{{"stream":{it}}}"#);
        write!(
            out,
            r#"{{"ph":"X","pid":1,"tid":{it},"ts":{it},"dur":1,"name":"a",{of}}},"#
        )
        .unwrap();
    }
    out.write_all(b"{}]").unwrap();
}

/// A file of trace events up to where an argument of its second event begins.
const BRACKETS: &[u8] = br#"{"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":1},{"ph":"X","name":"b","ts":3,"dur":1,"args":{"x":"#;

/// `before`, then one byte many times over, then `after`, made as it is read.
fn filled(name: &str, before: &[u8], (byte, count): (u8, u64), after: &[u8]) -> Source {
    let length = before.len() as u64 + count + after.len() as u64;
    let (before, after) = (before.to_vec(), after.to_vec());
    let make = move || -> Box<dyn Read + Send> {
        let middle = Cursor::new(before.clone()).chain(repeat(byte).take(count));
        Box::new(middle.chain(Cursor::new(after.clone())))
    };
    Source::from_maker(name, length, make).unwrap()
}

/// `before`, then `part` many times over, then `after`.
fn repeated(name: &str, before: &[u8], part: &[u8], count: u64, after: &[u8]) -> Source {
    let many = part.repeat(1 << 12);
    let times = count >> 12;
    let length = before.len() as u64 + times * many.len() as u64 + after.len() as u64;
    let (before, after) = (before.to_vec(), after.to_vec());
    let make = move || -> Box<dyn Read + Send> {
        let mut reader: Box<dyn Read + Send> = Box::new(Cursor::new(before.clone()));
        reader = Box::new(reader.chain(Again {
            part: many.clone(),
            at: 0,
            times,
        }));
        Box::new(reader.chain(Cursor::new(after.clone())))
    };
    Source::from_maker(name, length, make).unwrap()
}

/// Gives the same bytes several times.
struct Again {
    part: Vec<u8>,
    at: usize,
    times: u64,
}

impl Read for Again {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.times == 0 {
            return Ok(0);
        }
        let rest = &self.part[self.at..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        if self.at == self.part.len() {
            (self.at, self.times) = (0, self.times - 1);
        }
        Ok(count)
    }
}

/// The small file of rocprofv3 before and after a text in it.
fn parted(text: &str) -> (Vec<u8>, Vec<u8>) {
    let sample = String::from_utf8(rocprofv3::sample()).unwrap();
    let (before, after) = sample.split_once(text).unwrap();
    let whole = format!("{text}{after}");
    let after = if text.starts_with('{') { &whole } else { after };
    (before.as_bytes().to_vec(), after.as_bytes().to_vec())
}

/// A packet of one instant, up to the bytes of its name, which has so many.
fn head_of_packet(name: u64) -> Vec<u8> {
    // Of the event: an instant, on track 1, and the name's tag and length.
    let mut event = vec![0x48, 3, 0x58, 1, 0xBA, 0x01];
    prost::encoding::encode_varint(name, &mut event);
    // Of the packet: the time, the sequence, and the event's tag and length.
    let mut packet = vec![0x40, 1, 0x50, 1, 0x5A];
    prost::encoding::encode_varint(event.len() as u64 + name, &mut packet);
    packet.extend(event);
    let mut file = vec![0x0A];
    prost::encoding::encode_varint(packet.len() as u64 + name, &mut file);
    file.extend(packet);
    file
}

fn packet_of(name: &[u8]) -> Vec<u8> {
    [&head_of_packet(name.len() as u64), name].concat()
}

/// A plane of the host up to where the events of its line begin, which are so many bytes.
fn head_of_line(events: u64) -> Vec<u8> {
    let mut plane = b"\x12\x09/host:CPU\x1A".to_vec();
    prost::encoding::encode_varint(events, &mut plane);
    let mut file = vec![0x0A];
    prost::encoding::encode_varint(plane.len() as u64 + events, &mut file);
    file.extend(plane);
    file
}

/// A packet whose name is that long.
fn packet(length: u64) -> Source {
    filled("a.pftrace", &head_of_packet(length), (b'x', length), b"")
}

/// A gigabyte in one megabyte: members of a gzip that are all the same.
fn bomb(before: &[u8], byte: u8) -> Vec<u8> {
    let pack = |bytes: &mut dyn Read| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        std::io::copy(bytes, &mut packed).unwrap();
        packed.flush().unwrap();
        packed.finish().unwrap()
    };
    let member = pack(&mut repeat(byte).take(64 * MEGABYTE));
    let first = pack(&mut Cursor::new(before));
    [first, member.repeat(16)].concat()
}

/// Writes the databases that cases open.
fn make_databases(folder: &Path) {
    let samples = databases::samples();
    let (_, bytes) = &samples[0];
    let sparse = folder.join("sparse.sqlite");
    std::fs::write(&sparse, bytes).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(&sparse);
    file.unwrap().set_len(4 << 30).unwrap();
    let long = folder.join("long.sqlite");
    std::fs::write(&long, bytes).unwrap();
    let connection = rusqlite::Connection::open(&long).unwrap();
    let change =
        format!("UPDATE StringIds SET value = printf('%.*c', {LONG}, 'x') WHERE rowid = 1");
    connection.execute(&change, []).unwrap();
}

/// The memory that this process has held at most, in bytes.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

#[test]
fn a_text_of_brackets_is_refused_in_words() {
    for (bytes, is_packed) in [(bomb(b"[", b'['), true), (vec![b'['; 1 << 20], false)] {
        let source = Source::from_bytes("a.json", bytes).unwrap();
        let error = answer(&source).err().unwrap().to_string();
        for words in ["more than 64 brackets", "make the capture again"] {
            assert!(error.contains(words), "{error}");
        }
        assert_eq!(error.contains("once unpacked"), is_packed, "{error}");
    }
}

/// The process that opens one of them; does nothing where no case is named.
#[test]
fn one_case() {
    let Ok(name) = std::env::var(CASE) else {
        return;
    };
    keep_large_blocks_apart();
    let folder = std::env::var(FOLDER).unwrap();
    if let Some((_, command, output)) = COMMANDS.iter().find(|it| it.0 == name) {
        return print(command, Path::new(&folder), *output);
    }
    let is_case = |it: &&Case| it.name == name;
    let mut cases = CASES.iter().chain(LANES).chain(DENSE).chain(REPEATED);
    let case = cases.find(is_case).unwrap();
    let source = (case.source)(Path::new(&folder));
    match (answer(&source), case.spans) {
        (Ok((capture, receipt)), Some(least)) => {
            let found = capture.span_count() + capture.open().count();
            assert!(found >= least, "{found} spans of {least}: {receipt:?}");
            let has_lanes = LANES.iter().any(|it| it.name == name);
            let is_made = |of: &[Case]| of.iter().any(|it| it.name == name && it.spans > Some(0));
            if has_lanes || is_made(DENSE) || is_made(REPEATED) {
                let made = Conclusions::of(&capture);
                let whole = capture.extent().unwrap();
                let statistics = Statistics::of(&capture, whole);
                let lanes = if has_lanes {
                    least
                } else {
                    usize::from(!is_made(REPEATED))
                };
                let has_answers = !made.answers.is_empty() || is_made(REPEATED);
                assert!(statistics.lanes.len() >= lanes && has_answers);
            }
        }
        (Ok((_, receipt)), None) => panic!("it opened: {receipt:?}"),
        (Err(error), Some(_)) => panic!("{error}"),
        (Err(_), None) => {}
    }
    let mut out = std::io::stdout();
    writeln!(out, "peak {}", peak().unwrap_or(0)).unwrap();
    writeln!(out, "length {}", source.length()).unwrap();
}

/// Runs a command over the file of very many streams.
fn print(command: &[&str], folder: &Path, output: Option<&str>) {
    let path = folder.join(LISTED);
    let mut arguments: Vec<&OsStr> = vec![OsStr::new("syncline")];
    arguments.extend(command.iter().map(OsStr::new));
    arguments.push(path.as_os_str());
    let output = output.map(|it| folder.join(it));
    arguments.extend(output.as_ref().map(|it| it.as_os_str()));
    let code = app::cli::run(arguments, &mut std::io::sink(), &mut std::io::sink());
    assert_eq!(code, app::cli::FINE);
    let mut out = std::io::stdout();
    writeln!(out, "peak {}", peak().unwrap_or(0)).unwrap();
    writeln!(out, "length {}", path.metadata().unwrap().len()).unwrap();
}

/// What a process said after a word.
fn said(output: &str, word: &str) -> Option<u64> {
    let at = output.find(&format!("{word} "))? + word.len() + 1;
    let number: String = output[at..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    number.parse().ok()
}

#[test]
fn huge_files_take_bounded_memory() {
    if peak().is_none() {
        eprintln!("skipped: this system does not say how much memory a process has held");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    make_databases(folder.path());
    make_lanes(folder.path());
    make_long(folder.path());
    make_dense(folder.path());
    let names = CASES
        .iter()
        .chain(LANES)
        .chain(DENSE)
        .chain(REPEATED)
        .map(|it| it.name);
    measure(folder.path(), names);
}

#[test]
fn what_is_printed_and_written_of_very_many_streams_takes_bounded_memory() {
    if peak().is_some() {
        let folder = tempfile::tempdir().unwrap();
        make_listed(folder.path());
        measure(folder.path(), COMMANDS.iter().map(|it| it.0));
    }
}

/// Opens each of them in a process of its own.
fn measure(folder: &Path, names: impl IntoIterator<Item = &'static str>) {
    let mut wrong = Vec::new();
    for name in names {
        let child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "semantics::hostile::heavy::one_case",
                "--nocapture",
            ])
            .env(CASE, name)
            .env(FOLDER, folder)
            .output()
            .unwrap();
        let output = String::from_utf8_lossy(&child.stdout);
        let (Some(peak), Some(length)) = (said(&output, "peak"), said(&output, "length")) else {
            let error = String::from_utf8_lossy(&child.stderr);
            wrong.push(format!("{name}: {output}{error}"));
            continue;
        };
        let most = 4 * length.min(LONG) + 256 * MEGABYTE;
        let figures = format!("{}: {} MB of {} MB", name, peak / MEGABYTE, most / MEGABYTE);
        eprintln!("{figures}");
        if peak > most {
            wrong.push(figures);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

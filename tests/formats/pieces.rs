//! Pieces of captures: what lies within one is explained as in the whole, stubs stand for what does not, and replaced words are
//! gone from the file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use app::cli::{FINE, WRONG};
use engine::analysis::causes::Causes;
use engine::analysis::memory::MemoryHistory;
use engine::analysis::{HostLevel, HostRanges, HostScope, Iterations};
use engine::capture::Capture;
use engine::exporter::{PieceRequest, piece};
use engine::record::{Group, SpanKind};
use engine::time::{Interval, Nanos};
use serde_json::Value;

use super::questions::{answer, syncline};
use super::real::{open, path};
use crate::house::root;

/// Captures of several tools, where they are at hand.
const CAPTURES: &[&str] = &[
    "kineto/hta_cp_alexnet.json.gz",
    "kineto/param_dlrm8/worker0_step_12.1694128201545.pt.trace.json.gz",
    "nsys/nsysai_mfu_2gpu_before.sqlite",
    "perfetto/rocsys_perfetto-3638851.proto",
];

/// A small capture, which is always there.
fn small() -> PathBuf {
    root().join("tests/data/captures/torch-steps.json.gz")
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// A stretch in the middle of a capture's operations.
fn middle(path: &Path) -> Interval {
    let (capture, _) = open(&[path.to_owned()]);
    let is_stream = |lane| {
        capture
            .lane(lane)
            .is_some_and(|it| it.group == Group::Streams)
    };
    let starts = capture.spans().filter(|it| is_stream(it.span.lane));
    let mut starts: Vec<Nanos> = starts.map(|it| it.span.start).collect();
    starts.sort_unstable();
    let at = |part: usize| starts[starts.len() * part / 10];
    Interval::new(at(4), at(6) + Nanos(1))
}

fn range(of: Interval) -> String {
    format!("{}ns..{}ns", of.start.0, of.end.0)
}

/// What is said of spans wholly inside of a stretch, by name, start and end.
type Explained = BTreeMap<(String, i64, i64), Vec<Value>>;

fn explained(file: &str, of: Interval) -> Explained {
    let said = answer(&[
        "explain",
        file,
        "--all",
        "--format",
        "json",
        "--range",
        &range(of),
    ]);
    let mut found = Explained::new();
    for line in said.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let [start, end] = ["start_ns", "end_ns"].map(|it| line[it].as_i64().unwrap());
        if start > of.start.0 && end < of.end.0 {
            let key = (line["name"].as_str().unwrap().to_owned(), start, end);
            found.entry(key).or_default().push(line);
        }
    }
    found
}

/// A cause without what a stub or another numbering changes.
fn cause(of: &Value) -> Vec<Value> {
    let fields = [
        "kind",
        "known",
        "name",
        "at_ns",
        "ends_after_ns",
        "rank",
        "stream",
        "thread",
    ];
    fields.map(|it| of[it].clone()).to_vec()
}

/// Stretches of captures whose streams run several operations at once, or are called alike on several devices: what is concluded
/// from that shows outside of the stretch.
const CUTS: &[(&str, i64, i64)] = &[
    (
        "ascend/level1_rank0/trace_view.json",
        138_415_425,
        156_178_743,
    ),
    (
        "ascend/level1_rank0/trace_view.json",
        137_662_310,
        139_438_641,
    ),
    ("fresh/jax.xplane.pb.gz", 44_619_942, 47_557_698),
    ("fresh/jax.xplane.pb.gz", 59_871_014, 89_248_581),
    ("fresh/jax.trace.json.gz", 44_619_942, 53_433_212),
];

#[test]
fn what_lies_within_a_piece_is_explained_as_in_the_whole() {
    let cuts = CUTS.iter().map(|(name, start, end)| {
        let of = Interval::new(Nanos(*start), Nanos(*end));
        (*name, path(name).map(|it| (it, of)))
    });
    let middles = CAPTURES.iter().map(|name| {
        let found = path(name);
        (*name, found.map(|it| (it.clone(), middle(&it))))
    });
    for (name, found) in middles.chain(cuts) {
        let Some((path, of)) = found else { continue };
        let folder = tempfile::tempdir().unwrap();
        for ending in ["pftrace", "json"] {
            let cut = text(&folder.path().join("piece").with_extension(ending));
            let (code, _, err) = syncline(&["convert", &text(&path), &cut, "--range", &range(of)]);
            assert_eq!(code, FINE, "{name}: {err}");
            assert!(err.contains("This is a piece of a capture"), "{err}");
            // A piece of the piece, of the same stretch, is the same.
            let again = text(&folder.path().join("again").with_extension(ending));
            let (code, _, err) = syncline(&["convert", &cut, &again, "--range", &range(of)]);
            assert_eq!(code, FINE, "{name}: {err}");
            let (whole, piece) = (explained(&text(&path), of), explained(&again, of));
            assert!(!whole.is_empty() || name.starts_with("perfetto"), "{name}");
            assert_eq!(
                whole.keys().collect::<Vec<_>>(),
                piece.keys().collect::<Vec<_>>(),
                "{name} as {ending}"
            );
            for (key, lines) in &whole {
                let others = &piece[key];
                assert_eq!(lines.len(), others.len(), "{name} {key:?}");
                for (line, other) in lines.iter().zip(others) {
                    assert_eq!(
                        cause(&line["cause"]),
                        cause(&other["cause"]),
                        "{name} {key:?}\n{line}\n{other}"
                    );
                    for field in ["text", "enqueued_ns", "alone_ns"] {
                        assert_eq!(
                            line[field], other[field],
                            "{name} {key:?} {field}\n{line}\n{other}"
                        );
                    }
                }
            }
            same_idle(&text(&path), &cut, of);
        }
    }
}

/// Where the time of each stream went is the same within the stretch.
fn same_idle(whole: &str, piece: &str, of: Interval) {
    let [wanted, found] = [whole, piece].map(|file| idle(file, of));
    assert!(!wanted.is_empty(), "{whole}");
    assert_eq!(wanted, found, "{whole}");
}

/// What each stream that ran anything in a stretch did of it, in the order of lanes.
fn idle(file: &str, of: Interval) -> Vec<Vec<(String, Value)>> {
    let said = answer(&["idle", file, "--format", "json", "--range", &range(of)]);
    let lines = said.lines();
    let lines = lines.map(|it| serde_json::from_str::<Value>(it).unwrap());
    let lines = lines.filter(|it| it["type"] == "idle" && it["busy_ns"] != 0);
    let times = |line: Value| {
        let times = line.as_object().unwrap().clone().into_iter();
        times.filter(|(key, _)| key.ends_with("_ns")).collect()
    };
    lines.map(times).collect()
}

/// The wait that cost most is found in a piece around it, and is told by the same words.
#[test]
fn a_piece_around_a_finding_has_it() {
    let Some(path) = path(CAPTURES[0]) else {
        return;
    };
    let costliest = |file: &str| {
        let said: Value =
            serde_json::from_str(&answer(&["info", file, "--format", "json"])).unwrap();
        let found = said["capture"]["findings"].as_array().unwrap().clone();
        found.into_iter().find(|it| it["code"] == "costliest-wait")
    };
    let found = costliest(&text(&path)).unwrap();
    let span = found["spans"][0].to_string();
    let line = answer(&["explain", &text(&path), "--span", &span, "--format", "json"]);
    let line: Value = serde_json::from_str(line.trim()).unwrap();
    let from = line["enqueued_ns"].as_i64().unwrap() - 100_000;
    let to = line["end_ns"].as_i64().unwrap() + 100_000;
    let folder = tempfile::tempdir().unwrap();
    let cut = text(&folder.path().join("piece.pftrace"));
    answer(&[
        "convert",
        &text(&path),
        &cut,
        "--range",
        &format!("{from}..{to}"),
    ]);
    let again = costliest(&cut).unwrap();
    let words = |it: &Value| {
        it["text"]
            .as_str()
            .unwrap()
            .split(';')
            .next()
            .unwrap()
            .to_owned()
    };
    assert_eq!(words(&found), words(&again));
}

/// Every span that touches the stretch is there with its times and nothing else is, by a script that reads both files itself.
#[test]
fn a_piece_holds_what_touches_its_range() {
    let mut paths: Vec<PathBuf> = CAPTURES[..2].iter().filter_map(|it| path(it)).collect();
    paths.push(small());
    for path in paths {
        let of = if path == small() {
            let (capture, _) = open(std::slice::from_ref(&path));
            let all = capture.extent().unwrap();
            let part = Nanos(all.length().0 / 10);
            Interval::new(all.start + part + part + part, all.end - part - part - part)
        } else {
            middle(&path)
        };
        let folder = tempfile::tempdir().unwrap();
        let [cut, csv] =
            ["piece.json", "piece.dependencies.csv"].map(|it| text(&folder.path().join(it)));
        for file in [&cut, &csv] {
            answer(&["convert", &text(&path), file, "--range", &range(of)]);
        }
        let (start, end) = (of.start.0.to_string(), of.end.0.to_string());
        oracle("piece", &["touching", &text(&path), &cut, &start, &end]);
    }
}

/// No name and no text of the raw file is in the bytes that are written, and times, kinds and structure are the same.
#[test]
fn replaced_words_are_gone() {
    let mut paths: Vec<PathBuf> = CAPTURES[..3].iter().filter_map(|it| path(it)).collect();
    paths.push(small());
    for path in paths {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| text(&folder.path().join(name));
        answer(&["convert", &text(&path), &at("plain.json")]);
        for name in ["words.pftrace", "words.json"] {
            let (code, _, err) = syncline(&["convert", &text(&path), &at(name), "--anonymize"]);
            assert!(code == FINE && err.contains("Words were replaced"), "{err}");
        }
        oracle(
            "piece",
            &[
                "words",
                &at("plain.json"),
                &at("words.json"),
                &at("words.pftrace"),
            ],
        );
    }
}

/// Captures whose iterations, functions or memory are known by words.
const WORDED: &[&str] = &[
    "fresh/torch-steps.json.gz",
    "fresh/jax.xplane.pb.gz",
    "kineto/tl_b200_eager.json.gz",
    "nsys/nsysai_mfu_2gpu_before.sqlite",
];

/// What analyses find by words: iterations, ranges of the host by level, and sums of memory.
fn found_by_words(capture: &Capture) -> Vec<String> {
    let causes = Causes::build(capture);
    let iterations = Iterations::find(&causes.read(capture), None);
    let mut found: Vec<String> = iterations
        .all
        .iter()
        .map(|it| format!("{:?} {:?}", iterations.source, it.interval))
        .collect();
    let host = HostRanges::new(capture, &HostScope::default());
    found.extend(HostLevel::ALL.map(|it| format!("{} {}", it.label(), host.count(it))));
    let all = Interval::new(Nanos::MIN, Nanos::MAX);
    found.extend(MemoryHistory::new(capture).pools.iter().map(|pool| {
        let peak = pool
            .peak(all)
            .map(|it| (it.point.at, pool.allocated(it.point)));
        format!("{peak:?} {} {}", pool.events.len(), pool.allocations.len())
    }));
    found
}

/// What analyses go by stays, whatever else is replaced: in every format the same is found.
#[test]
fn replaced_words_leave_what_analyses_find_by_them() {
    let mut paths: Vec<PathBuf> = WORDED.iter().filter_map(|it| path(it)).collect();
    let own = root().join("tests/data/captures");
    paths.extend([small(), own.join("torch-snapshot.pickle")]);
    for path in paths {
        let whole = found_by_words(&open(std::slice::from_ref(&path)).0);
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("x.pftrace");
        let (code, _, err) = syncline(&["convert", &text(&path), &text(&to), "--anonymize"]);
        assert_eq!(code, FINE, "{err}");
        let replaced = found_by_words(&open(&[to]).0);
        assert_eq!(replaced, whole, "{}", path.display());
    }
}

/// What a stub stands for has its name by its kind: calls of an API keep theirs, whatever else is outside.
#[test]
fn names_of_calls_outside_of_a_piece_are_kept() {
    let Some(path) = path(CAPTURES[0]) else {
        return;
    };
    let (capture, _) = open(std::slice::from_ref(&path));
    let folder = tempfile::tempdir().unwrap();
    let file = text(&folder.path().join("x.pftrace"));
    let cut = range(middle(&path));
    let (code, _, err) = syncline(&[
        "convert",
        &text(&path),
        &file,
        "--range",
        &cut,
        "--anonymize",
    ]);
    assert_eq!(code, FINE, "{err}");
    let (again, _) = open(&[PathBuf::from(&file)]);
    let known: BTreeSet<&str> = capture
        .spans()
        .filter(|it| it.span.kind == SpanKind::Call)
        .map(|it| capture.name(it.span.name))
        .collect();
    let stubs = again.spans().filter(|it| it.span.kind == SpanKind::Stub);
    let mut calls = 0;
    for stub in stubs {
        let of = again
            .arguments(stub.span.id)
            .find(|it| it.0 == "stands for");
        if of.is_some_and(|it| it.1 == engine::record::Value::Text("call".into())) {
            let name = again.name(stub.span.name);
            assert!(known.contains(name), "{name}");
            calls += 1;
        }
    }
    assert!(calls > 0, "some calls lie outside");
}

/// Runs a script of the oracle, which complains where something is not as it says.
fn oracle(name: &str, arguments: &[&str]) {
    let mut script = Command::new("python3");
    script.arg(root().join("tests/oracle").join(name).with_extension("py"));
    let Ok(judged) = script.args(arguments).output() else {
        eprintln!("skipped: there is no python3");
        return;
    };
    let words = String::from_utf8_lossy(&judged.stderr);
    assert!(judged.status.success(), "{arguments:?}: {words}");
}

#[test]
fn a_stub_names_what_is_outside_and_survives_every_format() {
    let path = small();
    let (capture, _) = open(std::slice::from_ref(&path));
    let all = capture.extent().unwrap();
    let half = Interval::new(all.start + Nanos(all.length().0 / 2), all.end);
    let request = PieceRequest {
        within: Some(half),
        ..PieceRequest::default()
    };
    let cut = piece((&capture, capture.bookmarks()), &request).unwrap();
    let stubs = |capture: &engine::capture::Capture| {
        let stubs = capture.spans().filter(|it| it.span.kind == SpanKind::Stub);
        let mut told: Vec<(String, Nanos, Nanos)> = stubs
            .map(|it| {
                (
                    capture.name(it.span.name).to_owned(),
                    it.span.start,
                    it.span.end,
                )
            })
            .collect();
        told.sort();
        told
    };
    let told = stubs(&cut.capture);
    assert_eq!(told.len() as u64, cut.counts.stubs);
    assert!(told.iter().all(|it| it.1 == it.2), "they are instants");
    let folder = tempfile::tempdir().unwrap();
    for ending in ["pftrace", "json"] {
        let file = folder.path().join("piece").with_extension(ending);
        answer(&[
            "convert",
            &text(&path),
            &text(&file),
            "--range",
            &range(half),
        ]);
        let (again, _) = open(std::slice::from_ref(&file));
        assert_eq!(stubs(&again), told, "{ending}");
        assert_eq!(again.extent(), cut.capture.extent(), "{ending}");
        let note = again
            .notes()
            .iter()
            .find(|it| it.contains("piece of a capture"));
        assert!(note.is_some(), "{ending}: {:?}", again.notes());
    }
    let rows = text(&folder.path().join("piece.csv"));
    answer(&["convert", &text(&path), &rows, "--range", &range(half)]);
    let rows = std::fs::read_to_string(rows).unwrap();
    assert_eq!(
        rows.lines().filter(|it| it.contains(",stub,")).count(),
        told.len()
    );
}

#[test]
fn depth_and_lanes_leave_the_rest_out_and_wrong_wishes_are_told() {
    let path = text(&small());
    let folder = tempfile::tempdir().unwrap();
    let out = text(&folder.path().join("piece.pftrace"));
    answer(&["convert", &path, &out, "--depth", "1"]);
    let (cut, _) = open(&[PathBuf::from(&out)]);
    let host = |it: &engine::capture::PlacedSpan| {
        cut.lane(it.span.lane)
            .is_some_and(|lane| lane.group == Group::Host)
            && !it.is_stub()
    };
    assert!(cut.spans().filter(host).all(|it| it.depth == 0));
    for (arguments, words) in [
        (
            &["--lanes", "no such lane"][..],
            "matches no lane and no counter",
        ),
        (&["--lanes", "(("][..], "is no regular expression"),
        (
            &["--range", "2000s..3000s"][..],
            "nothing of the capture lies in --range",
        ),
        (&["--range", "5ms..1ms"][..], "ends before it begins"),
        (&["--depth", "0"][..], "0"),
    ] {
        let (code, _, err) = syncline(&[&["convert", &path, &out][..], arguments].concat());
        assert!(code == WRONG && err.contains(words), "{arguments:?}: {err}");
    }
}

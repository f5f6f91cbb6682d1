//! Snapshots of PyTorch's allocator: what there was from moment to moment, by the model that made them, and files that are wrong.

use std::path::{Path, PathBuf};
use std::process::Command;

use app::cli::WRONG;
use engine::analysis::memory::{BlockKey, MemoryHistory, MemoryOrigin, MemorySegment};
use engine::capture::Capture;
use engine::time::Nanos;
use serde_json::{Value, json};

use super::questions::{answer, syncline};
use super::real::open;
use crate::house::root;

/// Seeds of the snapshots: each of three lengths of history, in each of four protocols.
const SEEDS: std::ops::Range<u32> = 0..12;

/// Writes a snapshot for each seed into a folder; nothing, and a word why, where there is no Python.
fn written(folder: &Path) -> Option<Vec<PathBuf>> {
    let script = root().join("tests/oracle/torch_snapshot.py");
    let seeds = SEEDS.map(|it| it.to_string());
    let mut python = Command::new("python3");
    let Ok(output) = python.arg(script).arg(folder).args(seeds).output() else {
        eprintln!("skipped: there is no python3 to write snapshots with");
        return None;
    };
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    Some(
        SEEDS
            .map(|it| folder.join(format!("{it}.pickle")))
            .collect(),
    )
}

/// What Syncline says of a moment, as the model has it.
fn moment(capture: &Capture, history: &MemoryHistory, since: i64) -> Value {
    let [pool] = history.pools.as_slice() else {
        panic!("one device has memory: {:?}", history.pools);
    };
    let at = pool.point_at(Nanos(since));
    let mut alive: Vec<(i64, u64, String)> = pool
        .alive(at)
        .map(|it| {
            let BlockKey::Address(address) = it.block else {
                panic!("{:?}", it.block);
            };
            let origin = MemoryOrigin::of(capture, it.from.unwrap().span);
            let call = origin.function.map_or_else(String::new, String::from);
            (address, it.bytes, call)
        })
        .collect();
    alive.sort();
    let segments = MemorySegment::all(capture, pool, at).into_iter().map(|it| {
        let (allocated, largest) = (it.allocated(), it.largest_free());
        json!([it.address, it.bytes, allocated, it.blocks.len(), largest])
    });
    json!({
        "since": since,
        "allocated": pool.allocated(at),
        "reserved": pool.reserved(at),
        "alive": alive,
        "segments": segments.collect::<Vec<_>>(),
    })
}

#[test]
fn snapshots_say_what_their_model_had_from_moment_to_moment() {
    let folder = tempfile::tempdir().unwrap();
    let Some(files) = written(folder.path()) else {
        return;
    };
    for file in files {
        let expected = std::fs::read(file.with_extension("json")).unwrap();
        let expected: Vec<Value> = serde_json::from_slice(&expected).unwrap();
        let (capture, _) = open(std::slice::from_ref(&file));
        let history = MemoryHistory::new(&capture);
        assert_eq!(expected.len(), 20, "{}", file.display());
        for wanted in expected {
            let found = moment(&capture, &history, wanted["since"].as_i64().unwrap());
            assert_eq!(found, wanted, "{}", file.display());
        }
    }
}

#[test]
fn a_saved_snapshot_is_still_one() {
    let folder = tempfile::tempdir().unwrap();
    let Some(files) = written(folder.path()) else {
        return;
    };
    let file = files[4].display().to_string();
    let names = ["x.pftrace", "x.json"].map(|it| folder.path().join(it).display().to_string());
    let of = |file: &str| {
        let segments = answer(&["memory", file, "--segments", "--format", "csv"]);
        let alive = answer(&["memory", file, "--peak", "--format", "csv"]);
        (segments, alive)
    };
    for name in &names {
        answer(&["convert", &file, name]);
        assert_eq!(of(name), of(&file), "{name}");
    }
    let steps = answer(&[
        "query",
        &file,
        "SELECT name FROM spans WHERE lane = 'annotations'",
        "--format",
        "csv",
    ]);
    assert_eq!(steps.lines().nth(1), Some("step"));
}

#[test]
fn what_is_no_snapshot_is_said_what_is_cut_is_read_and_nothing_of_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let trap = at("trap");
    let code = format!(
        "import os, pickle, sys\n\
         class Trap:\n    def __reduce__(self):\n        return os.system, ('touch {}',)\n\
         pickle.dump({{'segments': Trap()}}, open('{}', 'wb'))\n\
         pickle.dump({{'model': [1, 2]}}, open('{}', 'wb'))\n\
         pickle.dump({{'x': 'segments'}}, open('{}', 'wb'))\n",
        trap.display(),
        at("code.pickle").display(),
        at("other.pickle").display(),
        at("word.pickle").display(),
    );
    let Ok(output) = Command::new("python3").arg("-c").arg(code).output() else {
        eprintln!("skipped: there is no python3 to write pickles with");
        return;
    };
    assert!(output.status.success());
    let Some(files) = written(folder.path()) else {
        return;
    };
    let whole = std::fs::read(&files[0]).unwrap();
    std::fs::write(at("cut.pickle"), &whole[..whole.len() / 2]).unwrap();
    let cases = [
        ("code.pickle", "posix.system"),
        ("other.pickle", "a pickle of Python"),
        ("word.pickle", "a pickle without segments"),
    ];
    for (name, words) in cases {
        let (code, _, err) = syncline(&["info", &at(name).display().to_string()]);
        assert_eq!(code, WRONG, "{name}: {err}");
        assert!(err.contains(words), "{name}: {err}");
    }
    assert!(!trap.exists(), "nothing was run");
    // What stands before the break is there.
    let cut = at("cut.pickle").display().to_string();
    let said = answer(&["info", &cut]);
    assert!(said.contains("breaks off after"), "{said}");
    let (_, _, err) = syncline(&["memory", &cut]);
    assert!(
        err.contains("could not be read") || err.contains("not in the capture"),
        "{err}"
    );
}

/// Writes a snapshot of one device whose segment and history lack this and that.
const INCOMPLETE: &str = r"
import pickle, sys
block = lambda **more: {'size': 512, 'requested_size': 512, 'address': 4096, 'state': 'active_allocated', 'frames': [], **more}
entry = lambda action, time, **more: {'action': action, 'time_us': time, 'addr': 8192, 'size': 256, 'stream': 0, 'frames': [], **more}
without = lambda of, key: {name: value for name, value in of.items() if name != key}
segment = {'device': 0, 'address': 4096, 'total_size': 1048576, 'stream': 0, 'segment_type': 'small', 'blocks':
           [block(), without(block(address=5000), 'size'), without(block(address=6000), 'state')]}
history = [entry('alloc', 10), without(entry('alloc', 11, addr=9000), 'size'), without(entry('alloc', 12), 'addr'),
           entry('alloc', 13, size='many'), entry('alloc', 14, size=-5), without(entry('free_completed', 15), 'time_us'),
           entry('alloc', 16, addr=2**70), entry('teleport', 17)]
history += [entry('oom', 20 + at, size=(1 + at % 7) << 20, device_free=1 << 19) for at in range(300)]
pickle.dump({'segments': [segment, without(segment, 'address')], 'device_traces': [history]}, open(sys.argv[1], 'wb'))
";

#[test]
fn what_a_snapshot_lacks_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.pickle").display().to_string();
    let mut python = Command::new("python3");
    let Ok(output) = python.args(["-c", INCOMPLETE, &file]).output() else {
        eprintln!("skipped: there is no python3 to write pickles with");
        return;
    };
    assert!(output.status.success(), "{output:?}");
    let (_, said, _) = syncline(&["info", &file]);
    // A segment, a block of it, and what the history has besides those that are left out.
    for words in [
        "304 events read",
        "6 entries of the history do not say what happened, when, or to which memory, and are left out.",
        "3 segments and blocks of the snapshot lack their address, size or state, and are left out.",
        "CUDA 0 ran out of memory 300 times, at most when 7 MiB were asked for and 512 KiB were free.",
    ] {
        assert!(said.contains(words), "{words} in {said}");
    }
    // What is complete is there: one block from the start, and one allocation.
    let (_, rows, err) = syncline(&["memory", &file, "--at", "309us", "--format", "csv"]);
    assert_eq!(rows.lines().count(), 3, "{rows}");
    assert!(
        err.contains("9 facts that the files hold are not in the capture"),
        "{err}"
    );
}

/// Writes a snapshot in which nothing was recorded.
const EMPTY: &str = r"
import pickle, sys
pickle.dump({'segments': [], 'device_traces': [[], []]}, open(sys.argv[1], 'wb'))
";

#[test]
fn an_empty_snapshot_is_said_to_be_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.pickle").display().to_string();
    let mut python = Command::new("python3");
    let Ok(output) = python.args(["-c", EMPTY, &file]).output() else {
        eprintln!("skipped: there is no python3 to write pickles with");
        return;
    };
    assert!(output.status.success(), "{output:?}");
    let (code, _, err) = syncline(&["memory", &file]);
    assert_eq!(code, WRONG);
    assert!(err.contains("nothing was recorded in it"), "{err}");
    assert!(!err.contains("profile_memory"), "{err}");
}

#[test]
fn what_a_snapshot_does_not_know_is_left_open() {
    let file = root().join("tests/data/captures/torch-snapshot.pickle");
    let file = file.display().to_string();
    let pools = answer(&["memory", &file]);
    let row = pools.lines().nth(1).unwrap_or_default();
    assert!(row.ends_with('–'), "it has no steps: {pools}");
    let segments = answer(&["memory", &file, "--segments"]);
    assert!(
        segments.contains(" 77 ") && segments.contains(" default "),
        "{segments}"
    );
}

#[test]
fn what_is_alive_at_the_peak_adds_up_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let Some(files) = written(folder.path()) else {
        return;
    };
    for file in files {
        let file = file.display().to_string();
        let totals = answer(&["memory", &file, "--peak", "--totals", "--format", "json"]);
        let peaks = answer(&["memory", &file, "--format", "json"]);
        let [total, peak]: [Value; 2] =
            [totals, peaks].map(|it| serde_json::from_str(&it).unwrap());
        assert_eq!(total["allocated_bytes"], peak["peak_bytes"], "{file}");
        assert_eq!(total["at_ns"], peak["peak_ns"], "{file}");
        assert_eq!(
            total["bytes"], total["allocated_bytes"],
            "all of it is told: {file}"
        );
        let alive = answer(&["memory", &file, "--peak", "--format", "json"]);
        let alive = alive
            .lines()
            .map(|it| serde_json::from_str::<Value>(it).unwrap());
        let bytes: i64 = alive.map(|it| it["bytes"].as_i64().unwrap()).sum();
        assert_eq!(bytes, peak["peak_bytes"], "{file}");
    }
}

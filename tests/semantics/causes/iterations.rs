//! Steps of programs that are made up here, with the truth that they were made by: marks, replays of graphs, and order alone.

use std::io::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::lines;

/// Numbers that a seed determines.
struct StepDice(u64);

impl StepDice {
    const fn below(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % count
    }
}

/// How the steps of a program can be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepMark {
    /// Ranges of the host with numbers.
    Numbered,
    /// Ranges of the host of one name.
    Named,
    /// Each step is one launch of a graph.
    Graph,
    /// By the order of kernels alone.
    Order,
}

/// A program of steps, as a file of Kineto's, and what is true of it.
struct SteppedProgram {
    events: Vec<Value>,
    /// From when to when each step is, in microseconds.
    steps: Vec<[u64; 2]>,
    /// Which step takes much longer, counted from 1.
    outlier: usize,
}

/// Kernels of one step: three layers of two, then one that comes once.
const KERNELS: [&str; 7] = ["gemm", "relu", "gemm", "relu", "gemm", "relu", "adam"];

fn program(seed: u64, mark: StepMark) -> SteppedProgram {
    let mut dice = StepDice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let count = 6 + dice.below(6) as usize;
    let outlier = 2 + dice.below(count as u64 - 3) as usize;
    let mut made = SteppedProgram {
        events: Vec::new(),
        steps: Vec::new(),
        outlier,
    };
    let (mut now, mut number) = (1_000, 0);
    for step in 1..=count {
        let begin = now;
        let mut first = None;
        let mut last = 0;
        number += 1;
        let mut call = now + 5;
        if mark == StepMark::Graph {
            made.call("cudaGraphLaunch", call, number);
        }
        let mut runs = call + 10;
        for name in KERNELS {
            let length = 40 + dice.below(5) + if step == outlier { 150 } else { 0 };
            if mark != StepMark::Graph {
                number += 1;
                made.call("cudaLaunchKernel", call, number);
                call += 4;
            }
            made.kernel(name, runs, length, number);
            first = first.or(Some(runs));
            last = runs + length;
            runs = last + 2;
        }
        now = last + 20 + dice.below(5);
        match mark {
            StepMark::Numbered | StepMark::Named => {
                let name = match mark {
                    StepMark::Named => "train step".to_owned(),
                    _ => format!("ProfilerStep#{}", step + 3),
                };
                made.events.push(json!({
                    "ph": "X", "cat": "user_annotation", "name": name, "pid": 77, "tid": 4001,
                    "ts": begin, "dur": now - begin,
                }));
                made.steps.push([begin, now]);
            }
            StepMark::Graph | StepMark::Order => {
                let first = first.unwrap();
                if let Some(before) = made.steps.last_mut() {
                    before[1] = first;
                }
                made.steps.push([first, last]);
            }
        }
        now += 1;
    }
    made
}

impl SteppedProgram {
    fn call(&mut self, name: &str, at: u64, number: u64) {
        self.events.push(json!({
            "ph": "X", "cat": "cuda_runtime", "name": name, "pid": 77, "tid": 4001, "ts": at, "dur": 3,
            "args": {"correlation": number},
        }));
    }

    fn kernel(&mut self, name: &str, at: u64, length: u64, number: u64) {
        self.events.push(json!({
            "ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at, "dur": length,
            "args": {"device": 0, "stream": 7, "correlation": number},
        }));
    }

    fn file(&self) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("steps.json");
        let mut file = std::fs::File::create(&path).unwrap();
        write!(file, "{}", json!({"traceEvents": self.events})).unwrap();
        (folder, path)
    }
}

fn all(rows: &[Value], kind: &str) -> Vec<Value> {
    let found = rows.iter().filter(|it| it["type"] == kind);
    found.cloned().collect()
}

#[test]
fn steps_are_found_by_marks_by_replays_and_by_order_alone() {
    use StepMark::{Graph, Named, Numbered, Order};
    for (seed, mark) in (1..=12).zip([Numbered, Named, Graph, Order].into_iter().cycle()) {
        let made = program(seed, mark);
        let (_folder, path) = made.file();
        let files = [path];
        let rows = lines("idle", &files, &[]);
        let found = all(&rows, "iteration");
        let path = lines("critical-path", &files, &[]);
        // Times are from the start of the capture, which is the first event.
        let first = made.events.iter().map(|it| it["ts"].as_u64().unwrap());
        let zero = first.min().unwrap();
        let bounds: Vec<[u64; 2]> = found
            .iter()
            .map(|it| ["from_ns", "to_ns"].map(|key| it[key].as_u64().unwrap() / 1_000 + zero))
            .collect();
        assert_eq!(bounds, made.steps, "seed {seed}, {mark:?}: {found:#?}");
        let far: Vec<u64> = found
            .iter()
            .filter(|it| it["outlier"] == true)
            .map(|it| it["number"].as_u64().unwrap())
            .collect();
        assert_eq!(far, [made.outlier as u64], "seed {seed}, {mark:?}");
        assert!(!all(&path, "path").is_empty());
        // A step may begin before anything that counts, which its range does not.
        let counts = made
            .events
            .iter()
            .filter(|it| it["cat"] != "user_annotation");
        let ends = |it: &Value| {
            let begin = it["ts"].as_u64().unwrap();
            [begin, begin + it["dur"].as_u64().unwrap_or(0)]
                .map(|time| (time - zero) as i64 * 1_000)
        };
        let counts: Vec<[i64; 2]> = counts.map(ends).collect();
        let begun = counts.iter().map(|it| it[0]).min().unwrap();
        let over = counts.iter().map(|it| it[1]).max().unwrap();
        for row in &found {
            let [from, to] = ["from_ns", "to_ns"].map(|key| row[key].as_i64().unwrap());
            let length = to.min(over) - from.max(begun);
            let parts = [
                "busy_ns",
                "host_ns",
                "host_sync_ns",
                "dependency_ns",
                "latency_ns",
            ];
            let parts = parts.into_iter().chain(["unknown_ns", "after_ns"]);
            let sum: i64 = parts.map(|key| row[key].as_i64().unwrap()).sum();
            assert_eq!(sum, length, "one stream: {row}");
        }
    }
}

#[test]
fn the_commands_answer_about_one_iteration() {
    let made = program(5, StepMark::Numbered);
    let (_folder, path) = made.file();
    let files = [path];
    let [begin, end] = made.steps[2];
    let more = ["--iteration", "3"];
    let length = ((end - begin) * 1_000) as i64;
    let path = lines("critical-path", &files, &more);
    assert_eq!(all(&path, "makespan")[0]["ns"], length);
    let idle = lines("idle", &files, &more);
    let row = &all(&idle, "idle")[0];
    let parts = row.as_object().unwrap().iter();
    let parts = parts.filter(|(key, _)| key.ends_with("_ns") && *key != "rank_wait_ns");
    assert_eq!(parts.map(|it| it.1.as_i64().unwrap()).sum::<i64>(), length);
    let said = all(
        &lines("explain", &files, &["--all", "--iteration", "3"]),
        "op",
    );
    assert_eq!(said.len(), KERNELS.len());
    let mut arguments = vec!["syncline".to_owned(), "idle".to_owned()];
    arguments.push(files[0].display().to_string());
    arguments.extend(["--iteration", "99"].map(str::to_owned));
    let (mut out, mut err) = (Vec::new(), Vec::new());
    assert_eq!(app::cli::run(&arguments, &mut out, &mut err), 2);
    let said = String::from_utf8_lossy(&err).into_owned();
    let count = made.steps.len();
    assert!(
        said.contains(&format!("no iteration 99; it has {count}, by ranges")),
        "{said}"
    );
}

/// Where each iteration of a run on the device of virtual time begins, by the name of what begins it, and which are outliers.
fn iterations_of(text: &str) -> (Vec<String>, Vec<u64>) {
    let folder = tempfile::tempdir().unwrap();
    let workload = folder.path().join("loops.kdl");
    std::fs::write(&workload, text).unwrap();
    let saved = folder.path().join("loops.pftrace");
    let arguments = ["syncline", "run", "--backend", "mock", "--save"].map(PathBuf::from);
    let arguments = arguments.into_iter().chain([saved.clone(), workload]);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = app::cli::run(arguments, &mut out, &mut err);
    assert_eq!(code, 0, "{}", String::from_utf8_lossy(&err));
    let rows = lines("idle", &[saved], &[]);
    let found = all(&rows, "iteration");
    let names = found
        .iter()
        .map(|it| it["name"].as_str().unwrap().to_owned());
    let outliers = found.iter().filter(|it| it["outlier"] == true);
    let outliers = outliers.map(|it| it["number"].as_u64().unwrap());
    (names.collect(), outliers.collect())
}

/// One loop gives work to two streams, of which one runs nothing before all has been submitted.
const HELD: &str = r#"
        stream "a"
        stream "b"
        signal "go"
        host "main" {
            hold "go" on="b"
            repeat 5 {
                launch "spin" on="a" label="produce" { set "micros" 10 }
                launch "spin" on="b" label="consume" { set "micros" 10 }
            }
            synchronize-stream "a"
            work micros=200
            signal "go"
            synchronize-device
        }"#;

/// An iteration begins with what it submits first, though that comes several times in each.
const INNER: &str = r#"
        stream "a"
        host "main" {
            repeat 6 {
                repeat 3 { launch "spin" on="a" label="inner" { set "micros" 20 } }
                launch "spin" on="a" label="last" { set "micros" 50 }
                work micros=300
            }
            synchronize-device
        }"#;

/// Iterations of one loop are no outliers because those of another are shorter.
const TWO: &str = r#"
        stream "a"
        host "main" {
            repeat 3 {
                repeat 2 { launch "spin" on="a" label="in" { set "micros" 10 } }
                launch "spin" on="a" label="out" { set "micros" 30 }
            }
            repeat 4 { launch "spin" on="a" label="second" { set "micros" 25 } }
            synchronize-device
        }"#;

#[test]
fn loops_of_a_run_are_told_apart_by_what_was_submitted_when() {
    let produced = vec!["produce: spin".to_owned(); 5];
    // The last one ends with what it gave to the stream that was held, and is no outlier for that.
    assert_eq!(iterations_of(HELD), (produced, Vec::new()));
    let begun = vec!["inner: spin".to_owned(); 6];
    assert_eq!(iterations_of(INNER), (begun, Vec::new()));
    let names = ["in: spin"; 3].into_iter().chain(["second: spin"; 4]);
    let names: Vec<String> = names.map(str::to_owned).collect();
    assert_eq!(iterations_of(TWO), (names, Vec::new()));
}

/// A file that somebody put together of two ranks: its metadata say of each row whose it is.
#[test]
fn one_file_of_several_ranks_has_the_steps_of_each() {
    let mut events = Vec::new();
    for rank in 0..2_u64 {
        let (host, device) = (20 + rank, 10 + rank);
        for (process, thread, name) in [(host, 5, "main"), (device, 7, "stream 7")] {
            let args = json!({"name": name, "rank": rank});
            events.push(json!({
                "ph": "M", "name": "thread_name", "pid": process, "tid": thread, "args": args,
            }));
        }
        for step in 0..3 {
            let (begin, length, number) = (step * 1_000 + rank * 100, 800, rank * 10 + step);
            events.push(json!({
                "ph": "X", "cat": "user_annotation", "name": format!("ProfilerStep#{step}"), "pid": host, "tid": 5,
                "ts": begin, "dur": length,
            }));
            for (category, name, row, at) in [
                ("cuda_runtime", "cudaLaunchKernel", (host, 5), begin + 10),
                ("kernel", "gemm", (device, 7), begin + 50),
            ] {
                events.push(json!({
                    "ph": "X", "cat": category, "name": name, "pid": row.0, "tid": row.1, "ts": at, "dur": 30,
                    "args": {"correlation": number + 1, "stream": 7},
                }));
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("merged.json");
    std::fs::write(&path, json!({"traceEvents": events}).to_string()).unwrap();
    let files = [path];
    let begins = |arguments: &[&str]| -> Vec<[u64; 2]> {
        let found = all(&lines("idle", &files, arguments), "iteration");
        let number = |it: &Value, key: &str| it[key].as_u64().unwrap();
        let of = |it| [number(it, "rank"), number(it, "from_ns") / 1_000];
        found.iter().map(of).collect()
    };
    assert_eq!(begins(&[]), [[0, 0], [0, 1_000], [0, 2_000]]);
    assert_eq!(begins(&["--rank", "1"]), [[1, 100], [1, 1_100], [1, 2_100]]);
    let explained = all(&lines("explain", &files, &["--all"]), "op");
    let ranks: Vec<u64> = explained
        .iter()
        .filter_map(|it| it["rank"].as_u64())
        .collect();
    assert_eq!(ranks.iter().filter(|it| **it == 1).count(), 3, "{ranks:?}");
}

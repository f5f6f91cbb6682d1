//! Why calls and operations of Syncline's own runs waited, where nothing but the run itself can tell: slots of events,
//! room in a virtual machine, time limits, aborts, and events that were reset.

use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use super::lines;

/// What is said of every span of a bundled workload's run.
struct ExplainedRun {
    said: Vec<Value>,
    file: PathBuf,
    _folder: TempDir,
}

impl ExplainedRun {
    fn of(workload: &str, backend: &str) -> Self {
        Self::with(workload, backend, &[])
    }

    fn with(workload: &str, backend: &str, options: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let file: PathBuf = folder.path().join("run.pftrace");
        let arguments = ["syncline", "run", workload, "--backend", backend, "--save"];
        let mut arguments = arguments.map(str::to_owned).to_vec();
        arguments.push(file.display().to_string());
        arguments.extend(options.iter().copied().map(str::to_owned));
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = app::cli::run(&arguments, &mut out, &mut err);
        assert_eq!(code, 0, "{}", String::from_utf8_lossy(&err));
        Self {
            said: lines("explain", std::slice::from_ref(&file), &["--all"]),
            file,
            _folder: folder,
        }
    }

    /// What a command prints of it.
    fn printed(&self, command: &str, options: &[&str]) -> String {
        let file = self.file.display().to_string();
        let arguments = ["syncline", command, file.as_str()].into_iter();
        let arguments = arguments.chain(options.iter().copied());
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = app::cli::run(arguments.map(str::to_owned), &mut out, &mut err);
        assert_eq!(code, 0, "{}", String::from_utf8_lossy(&err));
        String::from_utf8(out).unwrap()
    }

    /// The spans of a name.
    fn all(&self, name: &str) -> Vec<&Value> {
        let named = self.said.iter().filter(|it| it["name"] == name);
        named.collect()
    }

    /// The spans of several names.
    fn all_of(&self, names: &'static [&str]) -> impl Iterator<Item = &Value> {
        let said = self.said.iter();
        said.filter(|it| names.iter().any(|name| it["name"] == *name))
    }

    fn one(&self, name: &str) -> &Value {
        let all = self.all(name);
        assert_eq!(all.len(), 1, "{name}");
        all[0]
    }
}

fn number(row: &Value, field: &str) -> i64 {
    row[field]
        .as_i64()
        .unwrap_or_else(|| panic!("{field}: {row}"))
}

/// A field of all of them, in order.
fn sorted(rows: &[&Value], field: &str) -> Vec<i64> {
    let mut all: Vec<i64> = rows.iter().map(|it| number(it, field)).collect();
    all.sort_unstable();
    all
}

fn text(row: &Value) -> &str {
    row["text"].as_str().unwrap()
}

/// The binding cause; on a busy machine a thread may wake up so late that it does not explain all of the wait.
fn known(row: &Value) -> &Value {
    row["cause"].get("last_known").unwrap_or(&row["cause"])
}

#[test]
fn a_wait_for_an_event_slot_names_the_record_that_gave_it_back() {
    for backend in ["mock", "cpu"] {
        let run = ExplainedRun::of("event-kinds", backend);
        // A busy machine may come to the third record only when a slot is free again; in virtual time it never does.
        if backend == "cpu" && run.all("waiting for event slot").is_empty() {
            eprintln!("skipped on {backend}: no slot was waited for");
            continue;
        }
        // Of three slots one is an event's for good: the third record waits for the first of the other two.
        let wait = run.one("waiting for event slot");
        let cause = known(wait);
        assert_eq!(cause["kind"], "sync", "{wait}");
        assert_eq!(cause["name"], "record late[0]", "{wait}");
        let record = run.one("record late[0]");
        assert!(number(record, "end_ns") <= number(wait, "end_ns"));
        assert!(!text(wait).contains("not told"), "{wait}");
    }
}

#[test]
fn a_wait_for_room_names_the_operation_after_which_so_many_were_left() {
    // The workload's mark of low water.
    const LOW: usize = 4;
    for backend in ["mock", "cpu"] {
        let run = ExplainedRun::of("back-pressure", backend);
        let waits = run.all("back-pressure");
        assert!(!waits.is_empty());
        for wait in waits {
            let cause = known(wait);
            assert_eq!(cause["kind"], "sync", "{wait}");
            let at = number(cause, "at_ns");
            let began = number(wait, "start_ns");
            let is_stream = |it: &&Value| it["lane"] == "one" || it["lane"] == "two";
            let submitted = run.said.iter().filter(is_stream);
            let submitted = submitted.filter(|it| number(it, "enqueued_ns") <= began);
            let mut submitted: Vec<&Value> = submitted.collect();
            submitted.sort_by_key(|it| number(it, "enqueued_ns"));
            // The last of these calls is the one that waits: what it submits comes after.
            submitted.pop();
            let left = |from: i64| {
                let ends = submitted.iter().map(|it| number(it, "end_ns"));
                ends.filter(|end| *end > from).count()
            };
            assert!(left(at) <= LOW, "{} were left: {wait}", left(at));
            // On the deterministic device whoever waits goes on right then.
            if backend == "mock" {
                assert!(left(at - 1) > LOW, "there was room before: {wait}");
            }
        }
    }
}

#[test]
fn a_wait_whose_time_ran_out_says_so_and_what_it_waited_for() {
    for backend in ["mock", "cpu"] {
        let run = ExplainedRun::of("timeouts", backend);
        let waits = run
            .said
            .iter()
            .filter(|it| it["inside"][0]["kind"] == "limit");
        let waits: Vec<&Value> = waits.collect();
        let names = waits.iter().map(|it| it["name"].as_str().unwrap());
        let mut sorted: Vec<&str> = names.collect();
        sorted.sort_unstable();
        // On a busy machine what is waited for may come before the wait begins.
        if backend == "mock" {
            assert_eq!(sorted, ["synchronize done", "wait done"]);
        }
        for wait in waits {
            let said = text(wait);
            assert!(
                said.contains("the time that it was given ran out"),
                "{said}"
            );
            assert!(said.contains("record done on slow"), "{said}");
            assert!(!said.contains("unknown"), "{said}");
            let [part] = &wait["inside"].as_array().unwrap()[..] else {
                panic!("one part: {wait}");
            };
            assert_eq!(part["what"], "blocked");
            assert_eq!(part["from_ns"], wait["start_ns"]);
            assert_eq!(part["to_ns"], wait["end_ns"]);
        }
    }
}

#[test]
fn what_an_abort_dropped_names_the_abort() {
    for backend in ["mock", "cpu"] {
        let run = ExplainedRun::of("timeouts", backend);
        let dropped = ["hold again", "fill x", "record done"];
        for name in dropped {
            let all = run.all(name);
            let told = all
                .iter()
                .filter(|it| text(it).contains("abort slow on main"));
            assert_eq!(told.count(), 1, "{all:?}");
        }
    }
}

#[test]
fn nothing_is_never_recorded_that_was_recorded_and_reset() {
    for backend in ["mock", "cpu"] {
        let run = ExplainedRun::of("event-kinds", backend);
        let waits = run.all("wait order");
        let said: Vec<&str> = waits.iter().map(|it| text(it)).collect();
        assert!(said.iter().all(|it| !it.contains("never")), "{said:?}");
        let reset = said
            .iter()
            .filter(|it| it.contains("was reset and not recorded since"));
        assert_eq!(reset.count(), 1, "{said:?}");
    }
    let never = ExplainedRun::of("never-recorded", "mock");
    let says = |it: &Value| text(it).contains("had not been recorded yet");
    assert!(never.said.iter().any(says));
}

/// A thread calls one function after the other, each once its stream has come to it, and a stream that stands still for one
/// waits until that has ended.
#[test]
fn a_function_waits_for_the_one_before_on_its_thread_or_for_its_stream() {
    for backend in ["mock", "cpu"] {
        let run = ExplainedRun::of("callback-thread", backend);
        let (mut called, on_streams): (Vec<&Value>, Vec<&Value>) = run
            .all_of(&["check", "log", "faulty", "last"])
            .partition(|it| it["lane"] == "calls");
        called.sort_by_key(|it| number(it, "start_ns"));
        assert_eq!((called.len(), on_streams.len()), (10, 10), "{backend}");
        // The stream's operation of each was there when it was handed over, and no two share one.
        let callers = sorted(&on_streams, "start_ns");
        assert_eq!(callers, sorted(&called, "enqueued_ns"), "{backend}");
        let mut before = i64::MIN;
        for function in &called {
            let handed = number(function, "enqueued_ns");
            let cause = known(function);
            let kind = if before >= handed { "stream" } else { "launch" };
            assert_eq!(cause["kind"], kind, "{function}");
            assert_eq!(number(cause, "at_ns"), before.max(handed), "{function}");
            before = number(function, "end_ns");
        }
        for waiting in on_streams.iter().filter(|it| it["name"] != "log") {
            let ends = called.iter().filter(|it| it["name"] == waiting["name"]);
            let ends: Vec<i64> = ends.map(|it| number(it, "end_ns")).collect();
            let blocked = &waiting["inside"][0];
            assert_eq!(blocked["what"], "blocked", "{waiting}");
            assert!(ends.contains(&number(blocked, "to_ns")), "{waiting}");
        }
    }
}

/// A launch that waits for its pipeline is queued from its call on, in the table of streams as in its sentence.
#[test]
fn what_was_queued_is_the_same_wherever_it_is_said() {
    for workload in ["compile-storm", "double-buffer", "heat"] {
        let run = ExplainedRun::of(workload, "mock");
        let info: Value =
            serde_json::from_str(&run.printed("info", &["--format", "json"])).unwrap();
        for stream in info["capture"]["streams"].as_array().unwrap() {
            let own = run
                .said
                .iter()
                .filter(|it| it["type"] == "op" && it["lane"] == stream["name"]);
            let queued = own.map(|it| number(it, "start_ns") - number(it, "enqueued_ns"));
            assert_eq!(
                number(stream, "queued_ns"),
                queued.sum::<i64>(),
                "{workload}: {stream}"
            );
        }
    }
}

/// Records take no time, and some lie between two operations of the critical path.
#[test]
fn what_comes_onto_the_path_next_is_an_operation_that_takes_time() {
    for workload in ["double-buffer", "fork-join", "heat"] {
        let said = ExplainedRun::of(workload, "mock").printed("critical-path", &[]);
        let next = said.lines().find_map(|it| it.strip_prefix("next: "));
        let next = next.unwrap_or_else(|| panic!("{workload}: {said}"));
        assert!(!next.starts_with("record"), "{workload}: {next}");
        assert!(!next.contains(" 0 ns shorter"), "{workload}: {next}");
    }
}

#[test]
fn what_cannot_be_explained_is_said() {
    let run = ExplainedRun::of("single-stream", "mock");
    let said = run.printed("explain", &["--all", "--range", "0ns..1ns"]);
    assert!(said.starts_with("nothing to explain: "), "{said}");
}

#[test]
fn a_wait_of_a_loop_says_how_often_its_line_waited() {
    // Three rounds, of which each waits for the signal; a fork waits once.
    for (workload, often) in [
        ("gate", Some("; this line of the workload waited 3 times, ")),
        ("fork-join", None),
    ] {
        let said = ExplainedRun::of(workload, "mock").printed("info", &["--findings"]);
        let line = said
            .lines()
            .find(|it| it.contains("without this wait at most"));
        let line = line.unwrap_or_else(|| panic!("{said}"));
        match often {
            Some(words) => assert!(line.contains(words), "{line}"),
            None => assert!(!line.contains("this line of the workload"), "{line}"),
        }
    }
}

/// Of two loops, the first round of the second is much shorter than the others of its own.
#[test]
fn an_outlier_is_compared_with_its_own_loop() {
    let source = r#"
stream "a"
host "main" {
    repeat 11 { launch "spin" on="a" label="short" { set "micros" 100 } }
    synchronize-device
    repeat 10 index="i" { launch "spin" on="a" label="long" { set "micros" "1000 - 900 / (1 + i * 1000)" } }
    synchronize-device
}
"#;
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("loops.kdl");
    std::fs::write(&file, source).unwrap();
    let said = ExplainedRun::of(&file.display().to_string(), "mock").printed("info", &[]);
    let line = said.lines().find(|it| it.contains("outlier: number 12"));
    let line = line.unwrap_or_else(|| panic!("{said}"));
    // It spins for 100 µs, the others of its loop for a millisecond.
    assert!(line.contains(" took 10"), "{line}");
    assert!(line.contains(" µs, half of its loop at most 1.0"), "{line}");
    assert!(said.contains(", of 2 loops: half take at most "), "{said}");
}

/// What is cut off by a loss computed nothing where it waited, and its sentence counts from its call as its field does.
#[test]
fn what_a_loss_took_says_what_it_did_and_since_when_it_was_queued() {
    let run = ExplainedRun::with(
        "double-buffer",
        "mock",
        &["--lose", "driver@10ms", "--recover", "replay"],
    );
    let lost: Vec<&Value> = run
        .said
        .iter()
        .filter(|it| text(it).contains(" lost"))
        .collect();
    assert!(!lost.is_empty());
    for row in lost {
        let name = row["name"].as_str().unwrap();
        if name.starts_with("wait ") || name.starts_with("synchronize ") {
            assert!(!text(row).contains("what it computed"), "{row}");
        }
    }
}

/// A wait behind a long kernel says how long it was queued as well.
#[test]
fn a_wait_says_how_long_it_was_queued() {
    let run = ExplainedRun::of("double-buffer", "mock");
    let waits = run
        .said
        .iter()
        .filter(|it| it["name"].as_str().unwrap().starts_with("wait free"));
    let queued = |row: &&Value| {
        row["enqueued_ns"]
            .as_i64()
            .is_some_and(|at| number(row, "start_ns") - at > 1_000_000)
    };
    let waits: Vec<&Value> = waits.filter(queued).collect();
    assert!(!waits.is_empty());
    for wait in waits {
        assert!(text(wait).contains("; it had been queued for "), "{wait}");
    }
}

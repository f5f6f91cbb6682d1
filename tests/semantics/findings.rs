//! What nothing orders is found while it runs, and what is ordered is not, on every backend that opens.

mod aborts;
mod blocked;
mod captures;
mod lost_memory;
mod refusals;
mod standstills;

use engine::backend::BACKENDS;
use engine::capture::Capture;
use engine::record::{Finding, RunOutcome, Severity};
use engine::runner::{RecoveryMode, RunRequest, run};
use engine::workload::bundled;

use crate::semantics::conformance::BRISK;

fn capture_of(source: &str, backend: &str) -> Capture {
    capture_with(RunRequest {
        name: "w".to_owned(),
        source: source.to_owned(),
        backend: backend.to_owned(),
        paced: BRISK,
        ..RunRequest::default()
    })
}

fn capture_with(request: RunRequest) -> Capture {
    let mut capture = Capture::new();
    let end = run(request, |records| capture.apply(records)).unwrap();
    assert_eq!(end.outcome, RunOutcome::Finished);
    capture
}

fn races(capture: &Capture) -> Vec<&Finding> {
    let findings = capture.findings().iter();
    findings.filter(|finding| finding.code == "race").collect()
}

#[test]
fn the_missing_wait_is_found_and_nothing_else_anywhere() {
    crate::house::program::syncline();
    for backend in BACKENDS.iter().filter(|it| !it.ends_processes()) {
        if let Err(reason) = backend.probe() {
            eprintln!("{} is skipped: {reason}", backend.name());
            continue;
        }
        for workload in bundled() {
            let capture = capture_of(workload.source, backend.name());
            let found = races(&capture);
            let expected = match workload.name {
                "missing-wait" => 1,
                // Of the input that is written and of the result that is read; and used before its allocation, and freed while
                // it is used, as far as anything orders it.
                "read-too-early" | "stream-ordered-memory" => 2,
                _ => 0,
            };
            let place = format!("{} on {}: {found:#?}", workload.name, backend.name());
            assert_eq!(found.len(), expected, "{place}");
            let searched = capture.searches().iter();
            let searched: Vec<_> = searched.filter(|it| it.code == "race").collect();
            // Each rank looks for itself, and again where it is begun again.
            assert!(searched.len() >= capture.devices().len(), "{place}");
            assert!(
                searched.iter().all(|it| it.left == 0 && it.calls > 0),
                "{place}"
            );
        }
    }
}

#[test]
fn a_race_names_both_calls_their_lines_streams_and_the_buffer() {
    let found = bundled().iter().find(|it| it.name == "missing-wait");
    let capture = capture_of(found.unwrap().source, "mock");
    let race = races(&capture)[0];
    assert_eq!((race.severity, race.count), (Severity::Error, 1));
    assert_eq!(race.lines, [14, 18]);
    for words in [
        "“kernel” (line 18, on compute)",
        "“upload” (line 14, on copy)",
        "reads x",
        "writes it",
    ] {
        assert!(race.text.contains(words), "{}", race.text);
    }
    let names: Vec<&str> = race
        .spans
        .iter()
        .map(|span| capture.name(capture.span(*span).unwrap().span.name))
        .collect();
    assert_eq!(names, ["upload x", "kernel: scale"]);
}

/// A host, two streams, a buffer, and these calls.
fn workload(calls: &str) -> String {
    format!(
        r#"
        stream "a"
        stream "b"
        event "e"
        signal "go"
        buffer "x" f32=64
        buffer "y" f32=64
        {calls}
        "#
    )
}

fn count(calls: &str) -> Vec<u64> {
    let capture = capture_of(&workload(calls), "mock");
    races(&capture).iter().map(|race| race.count).collect()
}

#[test]
fn a_pair_of_calls_in_a_loop_is_one_finding_with_a_count() {
    let calls = r#"host "main" { repeat 6 { fill "x" value=1 on="a"; fill "x" value=2 on="b" } }"#;
    let found = count(calls);
    assert_eq!(found.len(), 2, "either may come first: {found:?}");
    assert_eq!(found.iter().sum::<u64>(), 11);
}

#[test]
fn each_way_to_order_two_calls_is_known() {
    let ordered = [
        r#"host "main" { fill "x" value=1 on="a"; record "e" on="a"; wait "e" on="b"; fill "x" value=2 on="b" }"#,
        r#"host "main" { fill "x" value=1 on="a"; record "e" on="a"; synchronize-event "e"; fill "x" value=2 on="b" }"#,
        r#"host "main" { fill "x" value=1 on="a"; synchronize-stream "a"; fill "x" value=2 on="b" }"#,
        r#"host "main" { fill "x" value=1 on="a"; synchronize-device; fill "x" value=2 on="b" }"#,
        r#"host "one" { fill "x" value=1 on="a"; synchronize-stream "a"; signal "go" }
           host "two" { await "go"; fill "x" value=2 on="b" }"#,
        r#"host "one" { hold "go" on="b"; fill "x" value=2 on="b" }
           host "two" { fill "x" value=1 on="a"; synchronize-stream "a"; signal "go" }"#,
        r#"host "main" { upload "x" on="a"; upload "y" on="b" }"#,
    ];
    for calls in ordered {
        assert_eq!(count(calls), [0_u64; 0], "{calls}");
    }
    let racy = [
        r#"host "main" { fill "x" value=1 on="a"; wait "e" on="b"; record "e" on="a"; fill "x" value=2 on="b" }"#,
        r#"host "main" { record "e" on="a"; fill "x" value=1 on="a"; wait "e" on="b"; fill "x" value=2 on="b" }"#,
        r#"host "main" { fill "x" value=1 on="a"; synchronize-stream "b"; fill "x" value=2 on="b" }"#,
        r#"host "main" { hold "go" on="b"; fill "x" value=2 on="b"; fill "x" value=1 on="a"; signal "go" }"#,
        r#"host "main" { download "x" on="a"; download "x" on="b" }"#,
    ];
    for calls in racy {
        assert_eq!(count(calls), [1], "{calls}");
    }
}

#[test]
fn what_a_lost_device_did_is_before_all_that_its_successor_does() {
    let source = workload(
        r#"host "main" { fill "x" value=1 on="a"; lose-device by="destroy"; recover-device; fill "x" value=2 on="b" }"#,
    );
    let capture = capture_with(RunRequest {
        source,
        backend: "mock".to_owned(),
        recovery: RecoveryMode::Stay,
        ..RunRequest::default()
    });
    assert!(races(&capture).is_empty(), "{:?}", races(&capture));
}

/// The lines of each finding with a code, and its text.
fn found(calls: &str, code: &str) -> Vec<(Vec<u32>, String)> {
    let capture = capture_of(&workload(calls), "mock");
    let analyses = engine::analysis::ANALYSES.iter().map(|make| make());
    let analyses = analyses.filter(|it| it.code() == code);
    let findings = analyses.flat_map(|mut it| it.run(&capture));
    findings.map(|it| (it.lines, it.text)).collect()
}

#[test]
fn branches_of_an_ordinary_graph_race_in_each_replay() {
    let graph = |joined: &str| {
        format!(
            r#"graph "g"; event "f"; event "j"
            host "main" {{
                begin-capture "a"; record "f" on="a"; wait "f" on="b"; fill "x" value=2 on="a"
                {joined}
                copy "x" "y" on="b"; record "j" on="b"; wait "j" on="a"; end-capture "a" "g"; instantiate "g"
                repeat 3 {{ replay "g" on="a" }}
            }}"#
        )
    };
    assert_eq!(count(&graph("")), [3]);
    let ordered = graph(r#"record "j" on="a"; wait "j" on="b""#);
    assert_eq!(count(&ordered), [0_u64; 0]);
}

#[test]
fn calls_of_host_threads_that_nothing_orders_are_not_ordered_by_what_happened() {
    let unordered = [
        (
            r#"host "one" { work micros=500; fill "x" value=1 on="a" }
               host "two" { work micros=500; copy "x" "y" on="a" }"#,
            "stream a",
        ),
        (
            r#"host "one" { copy "x" "y" on="a" }
               host "two" { synchronize-stream "a"; fill "x" value=1 on="b" }"#,
            "stream a",
        ),
        (
            r#"host "one" { fill "x" value=1 on="a"; record "e" on="a" }
               host "two" { wait "e" on="b"; copy "x" "y" on="b" }"#,
            "event e",
        ),
        // The wait means the record of its own thread, or the other's.
        (
            r#"host "one" { fill "x" value=1 on="a"; record "e" on="a"; wait "e" on="b"; copy "x" "y" on="b" }
               host "two" { work micros=900; record "e" on="b" }"#,
            "event e",
        ),
    ];
    for (calls, what) in unordered {
        assert_eq!(count(calls), [1], "{calls}");
        let told = found(calls, "unordered-hosts");
        let names = |it: &&(Vec<u32>, String)| {
            it.0.len() == 2
                && [what, "host one", "host two"]
                    .iter()
                    .all(|word| it.1.contains(word))
        };
        assert!(told.iter().any(|it| names(&it)), "{calls}: {told:#?}");
    }
    let ordered = r#"host "one" { fill "x" value=1 on="a"; record "e" on="a"; signal "go" }
        host "two" { await "go"; wait "e" on="b"; copy "x" "y" on="b"; copy "y" "x" on="a" }"#;
    assert_eq!(found(ordered, "unordered-hosts"), []);
}

#[test]
fn unordered_host_threads_are_told_whatever_they_do_with_what_they_share() {
    let unordered = [
        r#"host "one" { fill "x" value=1 on="a"; record "e" on="a" }
           host "two" { work micros=300; query "e" }"#,
        r#"host "one" { fill "x" value=1 on="a" }
           host "two" { work micros=300; destroy-stream "a" }"#,
        r#"host "one" { work micros=300; record "e" on="a" }
           host "two" { record "f" on="b"; synchronize-device; try { elapsed "e" "f" }; catch }"#,
    ];
    for calls in unordered {
        let calls = format!("event \"f\"\n{calls}");
        assert_eq!(found(&calls, "unordered-hosts").len(), 1, "{calls}");
    }
    // A pool hands an event out once at a time, whoever takes it next.
    let pooled = r#"event-pool "pool" count=4; event "p" pool="pool" count=2
        host "one" { acquire "p" 0; record "p" 0 on="a"; release "p" 0 }
        host "two" { acquire "p" 1; record "p" 1 on="b"; release "p" 1 }"#;
    assert_eq!(found(pooled, "unordered-hosts"), []);
}

/// One thread holds a stream for a signal that the other raises once it has waited for all streams: whichever of the two
/// comes first in this run, in one that stands still too.
#[test]
fn a_hold_beside_a_synchronisation_that_its_signal_comes_after_is_told_in_every_run() {
    let told = |calls: &str| {
        let source =
            format!("stream \"a\"; buffer \"x\" f32=64; signal \"g\"; signal \"k\"\n{calls}");
        let mut capture = Capture::new();
        let request = RunRequest {
            name: "w".to_owned(),
            source,
            backend: "mock".to_owned(),
            ..RunRequest::default()
        };
        let end = run(request, |records| capture.apply(records)).unwrap();
        let findings = capture.findings().iter();
        let told = findings.filter(|it| it.code == "unordered-hosts");
        let lines: Vec<_> = told.map(|it| it.lines.clone()).collect();
        (end.outcome == RunOutcome::Finished, lines)
    };
    let calls = |first: u32, second: u32| {
        format!(
            "host \"one\" {{\n work micros={first}\n synchronize-device\n signal \"g\"\n}}\n\
             host \"two\" {{\n work micros={second}\n hold \"g\" on=\"a\"\n fill \"x\" value=1 on=\"a\"\n}}"
        )
    };
    assert_eq!(told(&calls(0, 500)), (true, vec![vec![4, 9]]));
    assert_eq!(told(&calls(500, 0)), (false, vec![vec![4, 9]]));
    // With an end, or with a signal that lets the hold come after.
    let timed = calls(500, 0).replace("device\n", "device timeout-micros=900\n");
    let caught = timed
        .replace(" synchronize", " try { synchronize")
        .replace("=900\n", "=900 }; catch\n");
    assert_eq!(told(&caught), (true, vec![]));
    let ordered = calls(500, 0)
        .replace("signal \"g\"", "signal \"k\"\n signal \"g\"")
        .replace("hold", "await \"k\"\n hold");
    assert_eq!(told(&ordered), (true, vec![]));
}

#[test]
fn memory_that_is_freed_twice_is_told_as_that() {
    let twice = r#"buffer "m" f32=64 memory="stream-ordered"
        host "main" { allocate "m" on="a"; synchronize-stream "a"; free "m" on="a"; free "m" on="b" }"#;
    let told = found(twice, "race");
    assert!(
        told.iter().any(|it| it.1.contains("remove one of the two")),
        "{told:#?}"
    );
}

#[test]
fn a_wait_that_orders_something_is_not_called_redundant() {
    let needed = [
        // The legacy stream joins the blocking ones, whatever event it waits for.
        r#"stream "d" kind="legacy"; stream "k" blocking=#true; stream "l" blocking=#true
           host "main" { record "e" on="d"; fill "x" value=1 on="k"; wait "e" on="d"; fill "x" value=2 on="l" }"#,
        // What a query answered this time orders nothing.
        r#"host "main" {
               fill "x" value=1 on="a"; record "e" on="a"; work micros=300; query "e"; wait "e" on="b"; copy "x" "y" on="b"
           }"#,
        // The first wait may have given up.
        r#"stream "c" failure="continue"
           host "main" {
               record "e" on="a"; wait "e" on="c" timeout-micros=100; wait "e" on="c"; fill "x" value=1 on="c"
           }"#,
    ];
    for calls in needed {
        assert_eq!(found(calls, "redundant-wait"), [], "{calls}");
    }
    let idle = r#"host "main" {
        record "e" on="a"; wait "e" on="b"; fill "x" value=1 on="b"
        wait "e" on="b"
    }"#;
    let told = found(idle, "redundant-wait");
    assert_eq!(told.len(), 1, "{told:?}");
}

#[test]
fn a_hold_on_the_legacy_stream_holds_what_comes_after_it() {
    let streams =
        r#"stream "d" kind="legacy"; stream "k" blocking=#true; stream "l" blocking=#true"#;
    let calls = format!(
        r#"{streams}
        host "main" {{ fill "x" value=6 on="k"; hold "go" on="d"; copy "x" "y" on="l"; signal "go" }}"#
    );
    assert_eq!(count(&calls), [0_u64; 0]);
}

#[test]
fn a_hold_that_an_abort_cancelled_holds_nothing() {
    let missed = r#"host "main" {
        hold "go" on="a"; abort-stream "a"; fill "x" value=1 on="a"; fill "x" value=2 on="b"
        synchronize-device; signal "go"
    }"#;
    assert_eq!(count(missed), [1]);
    let ordered = r#"host "main" {
        hold "go" on="a"; abort-stream "a"; fill "x" value=1 on="a"; synchronize-stream "a"; fill "x" value=2 on="b"
        synchronize-device; signal "go"
    }"#;
    assert_eq!(count(ordered), [0_u64; 0]);
}

#[test]
fn a_race_behind_a_hold_names_the_calls_in_their_order() {
    let calls = r#"host "main" { hold "go" on="a"
        fill "x" value=1 on="a"
        copy "x" "y" on="b"
        signal "go" }"#;
    let told = found(calls, "race");
    assert_eq!(told.len(), 1, "{told:?}");
    let (lines, text) = &told[0];
    assert!(
        lines[0] < lines[1] && text.contains("record an event on a"),
        "{text}"
    );
}

#[test]
fn faults_of_memory_in_stream_order_are_told_apart() {
    let faults = [
        (r#"fill "m" value=1 on="a""#, "nothing has allocated it"),
        (r#"free "m" on="a""#, "nothing has allocated it"),
        (
            r#"allocate "m" on="a"; fill "m" value=1 on="a"; free "m" on="a"; copy "m" "y" on="a""#,
            "free it after its last use",
        ),
        (
            r#"allocate "m" on="a"; free "m" on="a"; record "e" on="a"; wait "e" on="b"; copy "m" "y" on="b""#,
            "free it after its last use",
        ),
        (
            r#"allocate "m" on="a"; allocate "m" on="a""#,
            "free it between the two",
        ),
        (
            r#"allocate "m" on="a"; fill "m" value=1 on="b""#,
            "record an event on a",
        ),
        (
            r#"hold "go" on="a"; allocate "m" on="a"; fill "m" value=1 on="b"; signal "go""#,
            "record an event on a",
        ),
    ];
    let memory = r#"buffer "m" f32=64 memory="stream-ordered""#;
    for (calls, words) in faults {
        let told = found(&format!("{memory}\nhost \"main\" {{ {calls} }}"), "race");
        assert_eq!(told.len(), 1, "{calls}: {told:#?}");
        assert!(told[0].1.contains(words), "{calls}: {told:#?}");
    }
    let fine = r#"allocate "m" on="a"; fill "m" value=1 on="a"; copy "m" "y" on="a"; free "m" on="a"; allocate "m" on="a""#;
    assert_eq!(
        found(&format!("{memory}\nhost \"main\" {{ {fine} }}"), "race"),
        []
    );
}

/// What is found of memory where several host threads call, five times on cpu and once on mock: the same each time.
fn memory_of_hosts(hosts: &str) -> Vec<String> {
    let source = workload(&format!(
        "buffer \"m\" f32=64 memory=\"stream-ordered\"\nsignal \"one\"\n{hosts}"
    ));
    let texts = |backend: &str| {
        let capture = capture_of(&source, backend);
        let mut texts: Vec<String> = races(&capture).iter().map(|it| it.text.clone()).collect();
        texts.sort_unstable();
        texts
    };
    let first = texts("mock");
    for _ in 0..5 {
        let other = texts("cpu");
        assert_eq!(first, other, "{hosts}");
    }
    first
}

#[test]
fn faults_of_memory_are_found_across_host_threads_as_in_one() {
    let two = |one: &str, other: &str| {
        format!("host \"one\" {{ {one}; signal \"go\" }}\nhost \"two\" {{ await \"go\"; {other} }}")
    };
    let fine = [
        two(
            r#"allocate "m" on="a""#,
            r#"fill "m" value=1 on="a"; free "m" on="a""#,
        ),
        two(
            r#"allocate "m" on="a"; free "m" on="a""#,
            r#"allocate "m" on="a"; fill "m" value=1 on="a""#,
        ),
        two(
            r#"allocate "m" on="a"; fill "m" value=1 on="a""#,
            r#"free "m" on="a"; allocate "m" on="a"; free "m" on="a""#,
        ),
    ];
    for hosts in fine {
        assert_eq!(memory_of_hosts(&hosts), [""; 0], "{hosts}");
    }
    let faulty = [
        (
            two("work micros=10", r#"fill "m" value=1 on="a""#),
            "nothing has allocated it",
        ),
        (
            two(r#"fill "m" value=1 on="a""#, r#"allocate "m" on="a""#),
            "nothing has allocated it",
        ),
        (
            two("work micros=10", r#"free "m" on="a""#),
            "nothing has allocated it: remove it",
        ),
        (
            two(
                r#"allocate "m" on="a"; free "m" on="a""#,
                r#"copy "m" "y" on="a""#,
            ),
            "free it after its last use",
        ),
        (
            two(
                r#"allocate "m" on="a"; free "m" on="a""#,
                r#"free "m" on="a""#,
            ),
            "remove one of the two",
        ),
        (
            two(r#"allocate "m" on="a""#, r#"allocate "m" on="a""#),
            "free it between the two, or remove the second",
        ),
        (
            two(r#"allocate "m" on="a""#, r#"fill "m" value=1 on="b""#),
            "record an event on a",
        ),
    ];
    for (hosts, words) in faulty {
        let found = memory_of_hosts(&hosts);
        assert_eq!(found.len(), 1, "{hosts}: {found:#?}");
        assert!(found[0].contains(words), "{hosts}: {found:#?}");
    }
}

#[test]
fn memory_that_unordered_host_threads_use_is_said_to_be_unordered_in_every_run() {
    let two = |one: &str, other: &str| {
        format!("host \"one\" {{ {one} }}\nhost \"two\" {{ work micros=20; {other} }}")
    };
    let cases = [
        (
            r#"allocate "m" on="a""#,
            r#"fill "m" value=1 on="a""#,
            "which allocates it: let host one raise a signal",
        ),
        (
            r#"fill "m" value=1 on="a""#,
            r#"allocate "m" on="a""#,
            "which allocates it: let host two raise a signal",
        ),
        (
            r#"allocate "m" on="a""#,
            r#"free "m" on="a""#,
            "which allocates it: let host one raise a signal",
        ),
        (
            r#"allocate "m" on="a""#,
            r#"allocate "m" on="b""#,
            "nothing orders the calls of host one and host two",
        ),
    ];
    for (one, other, words) in cases {
        let found = memory_of_hosts(&two(one, other));
        assert_eq!(found.len(), 1, "{one}, {other}: {found:#?}");
        assert!(found[0].contains(words), "{one}, {other}: {found:#?}");
    }
}

#[test]
fn an_abort_waits_for_its_own_stream_alone_and_ends_what_that_waited_for() {
    let streams = r#"stream "d" kind="legacy"; stream "k" blocking=#true"#;
    let racy = [
        // The blocking stream goes on meanwhile.
        r#"host "main" { fill "x" value=1 on="k"; abort-stream "d"; fill "x" value=2 on="b" }"#,
        // The wait may have been dropped.
        r#"host "main" {
            fill "x" value=1 on="a"; record "e" on="a"; wait "e" on="b"; abort-stream "b"; fill "x" value=2 on="b"
        }"#,
    ];
    for calls in racy {
        assert_eq!(count(&format!("{streams}\n{calls}")), [1], "{calls}");
    }
    let ordered = [
        r#"host "main" { fill "x" value=1 on="k"; abort-stream "k"; fill "x" value=2 on="b" }"#,
        r#"host "main" {
            fill "x" value=1 on="a"; record "e" on="a"; wait "e" on="b"; synchronize-stream "b"
            abort-stream "b"; fill "x" value=2 on="b"
        }"#,
    ];
    for calls in ordered {
        assert_eq!(count(&format!("{streams}\n{calls}")), [0_u64; 0], "{calls}");
    }
}

#[test]
fn memory_is_not_handed_on_while_its_former_life_goes_on() {
    let source = workload(
        r#"buffer "m" f32=64 memory="stream-ordered"
        host "main" {
            allocate "m" on="a"; fill "m" value=6 on="a"
            launch "spin" on="a" { set "micros" 500 }
            copy "m" "x" on="a"; free "m" on="a"
            allocate "m" on="b"; fill "m" value=3 on="b"; free "m" on="b"
            download "x" on="a"; synchronize-device
        }
        expect { each "x" equals=6 }"#,
    );
    for backend in ["mock", "cpu"] {
        let capture = capture_of(&source, backend);
        assert!(races(&capture).is_empty(), "{:?}", races(&capture));
        let verdict = &capture.expectations()[0];
        assert!(verdict.holds == Some(true), "{backend}: {verdict:?}");
    }
}

/// The answer of a plain query may be another one in the next run (rule A9).
#[test]
fn a_query_of_a_stream_orders_where_nothing_goes_on_without_its_answer() {
    for (strict, expected) in [("", 1), ("strict=#true", 0)] {
        let source = format!(
            "stream \"a\"; stream \"b\"; buffer \"x\" f32=16; buffer \"y\" f32=16\nhost \"main\" {{\n\
             fill \"x\" value=1 on=\"a\"; work micros=10000; query-stream \"a\" {strict}; copy \"x\" \"y\" on=\"b\"\n}}"
        );
        let found = races(&capture_of(&source, "mock")).len();
        assert_eq!(found, expected, "{strict}");
    }
}

//! Captures into which other host threads call: what is found does not depend on whether their calls were captured.

use super::{capture_of, workload};

/// What is found of two host threads of which one captures a stream: the lines of races, and of the two calls.
fn found_of_captures(one: &str, two: &str, backend: &str) -> Vec<(String, Vec<u32>, String)> {
    let calls = format!(
        r#"graph "g"; event "f"; event "j"; signal "in"; signal "out"
        host "one" {{
            {one}
            instantiate "g"
            repeat 2 {{ replay "g" on="b" }}
        }}
        host "two" {{ {two} }}"#
    );
    let capture = capture_of(&workload(&calls), backend);
    let findings = capture.findings().iter();
    let mut found: Vec<_> = findings
        .map(|it| (it.code.clone(), it.lines.clone(), it.text.clone()))
        .collect();
    found.sort_unstable();
    found
}

#[test]
fn calls_into_a_capture_that_nothing_orders_with_it_are_told_whether_they_are_captured_or_not() {
    let capture = |first: &str, second: &str| {
        format!(
            r#"begin-capture "a" mode="relaxed"
               fill "x" value=1 on="a"
               {first}
               copy "x" "y" on="a"
               {second}
               end-capture "a" "g""#
        )
    };
    // The other host thread calls before the capture, in its middle, and after it.
    let pauses = [("", "work micros=900"), ("work micros=900", ""), ("", "")];
    for call in [
        r#"fill "x" value=2 on="a""#,
        r#"record "f" on="a""#,
        r#"fill "y" value=2 on="a"; fill "x" value=2 on="a""#,
    ] {
        let mut verdicts = Vec::new();
        for (first, second) in pauses {
            for wait in [0, 400, 2000] {
                let two = format!("work micros={wait}; {call}");
                let found = found_of_captures(&capture(first, second), &two, "mock");
                let told = found.iter().filter(|it| it.0 == "unordered-hosts");
                let told: Vec<_> = told.map(|it| it.2.clone()).collect();
                assert!(
                    matches!(&*told, [it] if it.contains("begin-capture") && it.contains("stream a")),
                    "{call}: {told:?}"
                );
                // Where a pause stands moves no line.
                verdicts.push(found);
            }
        }
        assert!(
            verdicts.iter().all(|it| *it == verdicts[0]),
            "{verdicts:#?}"
        );
        let races = verdicts[0].iter().filter(|it| it.0 == "race").count();
        assert_eq!(races > 0, call.starts_with("fill"), "{verdicts:#?}");
    }
}

#[test]
fn calls_into_a_capture_that_signals_order_with_it_are_part_of_its_graph() {
    let capture = r#"begin-capture "a" mode="relaxed"
        fill "x" value=1 on="a"
        signal "in"; await "out"
        copy "x" "y" on="a"
        end-capture "a" "g""#;
    let two = r#"await "in"; fill "y" value=2 on="a"; signal "out""#;
    assert_eq!(found_of_captures(capture, two, "mock"), []);
    // Its own edges count: without the second it is a race of two branches.
    let forked = r#"begin-capture "a" mode="relaxed"
        record "f" on="a"; wait "f" on="b"
        fill "x" value=1 on="a"
        signal "in"; await "out"
        copy "x" "y" on="b"
        record "j" on="b"; wait "j" on="a"
        end-capture "a" "g""#;
    let orders = r#"await "in"; wait-stream "a" on="b"; signal "out""#;
    assert_eq!(found_of_captures(forked, orders, "mock"), []);
    let found = found_of_captures(forked, r#"await "in"; signal "out""#, "mock");
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn whoever_begins_a_capture_or_is_refused_by_one_uses_its_stream() {
    let capture = r#"begin-capture "a" mode="relaxed"; work micros=400; try { end-capture "a" "g" }; catch
        begin-capture "a" mode="relaxed"; fill "x" value=1 on="a"; end-capture "a" "g""#;
    for call in [
        r#"try { synchronize-stream "a" }; catch"#,
        r#"try { begin-capture "a" mode="relaxed" }; catch"#,
        r#"try { end-capture "a" "g" }; catch"#,
    ] {
        for wait in [100, 2000] {
            let two = format!("work micros={wait}; {call}");
            let found = found_of_captures(capture, &two, "mock");
            let told: Vec<_> = found
                .iter()
                .filter(|it| it.0 == "unordered-hosts")
                .collect();
            assert!(!told.is_empty(), "{call} after {wait}");
        }
    }
}

/// The lines of each pair of calls in no order, of a workload in which one host thread captures a stream: c is a blocking
/// stream, and d the legacy one.
fn unordered_beside_a_capture(
    (stream, mode): (&str, &str),
    in_between: &str,
    call: &str,
) -> Vec<Vec<u32>> {
    let calls = format!(
        r#"graph "g"; graph "h"; signal "in"; signal "out"; signal "over"
        stream "c" blocking=#true; stream "d" kind="legacy"
        host "one" {{
            work micros=1000
            begin-capture "{stream}" mode="{mode}"
            {in_between}
            try {{ end-capture "{stream}" "g" }}; catch
            signal "over"
        }}
        host "two" {{ {call} }}"#
    );
    let capture = capture_of(&workload(&calls), "mock");
    let findings = capture.findings().iter();
    let pairs = findings.filter(|it| it.code == "unordered-hosts");
    let mut lines: Vec<Vec<u32>> = pairs.map(|it| it.lines.clone()).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn a_call_that_the_capture_of_another_host_thread_refuses_by_chance_is_told() {
    // The call, and what captures refuse it (rules A38, A39, A41).
    let calls = [
        ("synchronize-device", "any"),
        (r#"synchronize-event "e""#, "global"),
        (r#"query "e""#, "global"),
        (
            r#"begin-capture "b" mode="relaxed"; end-capture "b" "h"; instantiate "h""#,
            "global",
        ),
        (r#"fill "x" value=1 on="d""#, "of a blocking stream"),
        (r#"synchronize-stream "d""#, "of a blocking stream"),
        (r#"record "e" on="d""#, "of a blocking stream"),
        ("work micros=1", "none"),
        (r#"fill "x" value=1 on="b""#, "none"),
        (r#"abort-stream "d""#, "none"),
    ];
    for (call, refused_by) in calls {
        for capture in ["a", "c"]
            .iter()
            .flat_map(|stream| ["relaxed", "thread-local", "global"].map(|mode| (*stream, mode)))
        {
            // It comes before the capture, within it, and after it.
            let found = [0, 1500, 5000].map(|wait| {
                let call = format!("work micros={wait}; try {{ {call} }}; catch");
                unordered_beside_a_capture(capture, "work micros=1000", &call)
            });
            let is_refused = match refused_by {
                "any" => true,
                "global" => capture.1 == "global",
                "of a blocking stream" => capture.0 == "c",
                _ => false,
            };
            let case = format!("{call} beside {capture:?}: {found:?}");
            assert!(found.iter().all(|it| *it == found[0]), "{case}");
            assert_eq!(!found[0].is_empty(), is_refused, "{case}");
            // Where signals decide, nothing is chance, whether it is refused or not.
            let after = format!(r#"await "over"; try {{ {call} }}; catch"#);
            let within = format!(r#"await "in"; try {{ {call} }}; catch; signal "out""#);
            let waits = r#"signal "in"; await "out""#;
            for (in_between, call) in [("", &after), (waits, &within)] {
                let found = unordered_beside_a_capture(capture, in_between, call);
                assert!(found.is_empty(), "{call} beside {capture:?}: {found:?}");
            }
        }
    }
}

/// What is made once and used by others: which of it they use is chance where nothing orders the two.
#[test]
fn a_graph_a_recorded_launch_or_a_mapped_buffer_that_another_host_thread_changes_is_told() {
    let head = r#"stream "a"; stream "b"; buffer "x" f32=64; buffer "y" f32=64
        graph "g"; recorded "l"; promise "p"
        "#;
    let made =
        r#"begin-capture "a"; fill "x" value=1 on="a"; end-capture "a" "g"; instantiate "g""#;
    let recorded = r#"record-launch "l" "saxpy" { read "x"; write "x"; set "a" 2 }"#;
    let cases = [
        (made, r#"instantiate "g""#, r#"replay "g" on="b""#),
        (recorded, r#"set "l" "a" 3"#, r#"relaunch "l" on="b""#),
        (
            "",
            r#"map-async "y" promise="p"; unmap "y""#,
            r#"fill "y" value=1 on="b""#,
        ),
        (made, r#"map-async "x" promise="p""#, r#"replay "g" on="b""#),
        (
            recorded,
            r#"map-async "x" promise="p"; unmap "x""#,
            r#"relaunch "l" on="b""#,
        ),
    ];
    for (made, changes, uses) in cases {
        let found = |first: &str, second: &str| {
            let source = format!(
                r#"{head}signal "made"; signal "done"
                host "one" {{ {made}
                    signal "made"; work micros=1000
                    try {{ {changes} }}; catch
                    {first} }}
                host "two" {{ await "made"; {second}
                    try {{ {uses} }}; catch }}"#
            );
            let capture = capture_of(&source, "mock");
            let findings = capture.findings().iter();
            let pairs = findings.filter(|it| it.code == "unordered-hosts");
            pairs.map(|it| it.lines.clone()).collect::<Vec<_>>()
        };
        let told = [found("", ""), found("", "work micros=5000")];
        assert_eq!(told[0].len(), 1, "{uses}: {told:?}");
        assert_eq!(told[0], told[1], "{uses}");
        assert!(
            found(r#"signal "done""#, r#"await "done""#).is_empty(),
            "{uses}"
        );
    }
}

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

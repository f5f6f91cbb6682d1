//! Calls of two host threads that nothing orders, of which one is refused where the other comes first: what is found is the
//! same in either case.

use super::{capture_of, workload};

/// What is found of the host threads of these calls: the lines and the text of each finding.
fn unordered(one: &str, two: &str) -> Vec<(Vec<u32>, String)> {
    let calls = format!(
        r#"event "f"; stream "c"; callback-thread "calls"; event-pool "pool" count=2; event "p" pool="pool"
        host "one" {{ {one} }}
        host "two" {{ {two} }}"#
    );
    let capture = capture_of(&workload(&calls), "mock");
    let findings = capture.findings().iter();
    let found = findings.filter(|it| it.code == "unordered-hosts");
    found
        .map(|it| (it.lines.clone(), it.text.clone()))
        .collect()
}

#[test]
fn a_call_uses_what_it_names_whether_it_is_refused_or_not() {
    let attempt = |call: &str| format!("try {{ {call} }}; catch");
    let pairs = [
        (
            r#"destroy-stream "a""#,
            r#"fill "x" value=1 on="a""#,
            "stream a",
        ),
        (
            r#"destroy-stream "a""#,
            r#"synchronize-stream "a""#,
            "stream a",
        ),
        (r#"destroy-stream "a""#, r#"query-stream "a""#, "stream a"),
        (r#"destroy-stream "a""#, r#"reset "e" on="a""#, "stream a"),
        (
            r#"destroy-stream "a""#,
            r#"wait-stream "a" on="b""#,
            "stream a",
        ),
        (r#"destroy-stream "a""#, r#"destroy-stream "a""#, "stream a"),
        (r#"destroy-stream "a""#, r#"begin-capture "a""#, "stream a"),
        (r#"destroy-event "e""#, r#"record "e" on="a""#, "event e"),
        (r#"destroy-event "e""#, r#"wait "e" on="a""#, "event e"),
        (r#"destroy-event "e""#, r#"query "e""#, "event e"),
        (
            r#"destroy-event "e""#,
            r#"synchronize-event "e""#,
            "event e",
        ),
        (r#"destroy-event "e""#, r#"elapsed "f" "e""#, "event e"),
        (r#"destroy-event "e""#, r#"reset "e" on="a""#, "event e"),
        (r#"destroy-event "e""#, r#"destroy-event "e""#, "event e"),
        (
            r#"subscribe "calls" stream="a""#,
            r#"host-function "f" micros=1 on="a" blocking=#true"#,
            "stream a",
        ),
        (r#"acquire "p""#, r#"record "p" on="a""#, "event p"),
        (r#"acquire "p""#, r#"acquire "p""#, "event p"),
        // The first is never refused, and the answer of the second depends on it.
        (
            r#"fill "x" value=1 on="a""#,
            r#"query-stream "a""#,
            "stream a",
        ),
        (
            r#"fill "x" value=1 on="a""#,
            r#"query-stream "a" strict=#true"#,
            "stream a",
        ),
        (r#"reset "e" on="a""#, r#"query "e""#, "event e"),
    ];
    for (one, two, what) in pairs {
        let (one, two) = (attempt(one), attempt(two));
        let verdicts = [(0, 900), (900, 0)].map(|(first, second)| {
            unordered(
                &format!("work micros={first}; {one}"),
                &format!("work micros={second}; {two}"),
            )
        });
        let [first, second] = &verdicts;
        assert_eq!(first, second, "{one}\n{two}");
        let names = |text: &str| {
            [what, "host one", "host two"]
                .iter()
                .all(|word| text.contains(word))
        };
        assert!(
            matches!(&**first, [(lines, text)] if lines.len() == 2 && names(text)),
            "{one}\n{two}: {first:#?}"
        );
    }
}

#[test]
fn calls_on_a_device_that_failed_use_what_they_name() {
    let calls = |first: u32, second: u32| {
        let one = format!(
            r#"work micros={first}; launch "trap" on="c"; try {{ synchronize-device }}; catch
               try {{ record "e" on="a" }}; catch"#
        );
        let two = format!(
            r#"work micros={second}; try {{ fill "x" value=1 on="a"; }}; catch
               try {{ query "e" }}; catch"#
        );
        let mut found = unordered(&one, &two);
        // Each is told as soon as it is known.
        found.sort_unstable();
        found
    };
    let found = calls(0, 20_000);
    assert_eq!(found, calls(20_000, 0));
    let what = "the failure, the stream and the event";
    assert_eq!(found.len(), 3, "{what}: {found:#?}");
}

#[test]
fn calls_that_ask_or_wait_alone_are_no_finding() {
    let found = unordered(
        r#"fill "x" value=1 on="a"; record "e" on="a"; signal "go"; query-stream "a"; query "e""#,
        r#"await "go"; query-stream "a"; synchronize-stream "a"; synchronize-event "e""#,
    );
    assert_eq!(found, []);
}

#[test]
fn calls_that_are_not_made_because_an_earlier_one_was_refused_use_what_they_name() {
    let calls = |first: u32, second: u32| {
        let one = format!(
            r#"work micros={first}
               try {{ record "e" on="a"; repeat 2 {{ fill "x" value=1 on="b" }}; await "go"; fill "x" value=1 on="c" }}; catch"#
        );
        let two = format!(
            r#"work micros={second}; try {{ destroy-event "e" }}; catch
               fill "y" value=1 on="b"; fill "y" value=1 on="c"; signal "go""#
        );
        unordered(&one, &two)
    };
    let found = calls(0, 20_000);
    assert_eq!(found, calls(20_000, 0));
    let told: Vec<&str> = found.iter().map(|it| it.1.as_str()).collect();
    // What follows the signal on stream c would come after the other's call there, were it made.
    assert!(
        matches!(told[..], [event, stream] if event.contains("event e") && stream.contains("stream b")),
        "{told:#?}"
    );
}

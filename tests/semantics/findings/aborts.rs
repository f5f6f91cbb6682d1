//! What is found where an abort drops operations, or may have, and of uses beside the free of their memory.

use super::{count, found};

/// What is found of memory in one host thread.
fn of_memory(calls: &str) -> Vec<String> {
    let memory = r#"buffer "m" f32=64 memory="stream-ordered""#;
    let told = found(&format!("{memory}\nhost \"main\" {{ {calls} }}"), "race");
    told.into_iter().map(|it| it.1).collect()
}

#[test]
fn an_allocation_that_an_abort_dropped_is_said_to_be_dropped() {
    let dropped = [
        r#"hold "go" on="a"; allocate "m" on="a"; abort-stream "a"; fill "m" value=1 on="b"; signal "go""#,
        r#"hold "go" on="a"; allocate "m" on="a"; abort-stream "a"; fill "m" value=1 on="a"; signal "go""#,
        r#"hold "go" on="a"; allocate "m" on="a"; record "e" on="a"; abort-stream "a"; wait "e" on="a"
           fill "m" value=1 on="a"; signal "go""#,
        r#"hold "go" on="a"; allocate "m" on="a"; abort-stream "a"; free "m" on="a"; signal "go""#,
    ];
    for calls in dropped {
        let told = of_memory(calls);
        assert_eq!(told.len(), 1, "{calls}: {told:#?}");
        let is_said = told[0].contains("was dropped by abort-stream (line")
            && told[0].ends_with("allocate it after the abort");
        assert!(is_said, "{calls}: {told:#?}");
    }
    let may_be_dropped = [
        r#"launch "spin" on="a" { set "micros" 500 }
           allocate "m" on="a"; abort-stream "a"; fill "m" value=1 on="b""#,
        r#"launch "spin" on="a" { set "micros" 500 }
           allocate "m" on="a"; abort-stream "a"; free "m" on="b""#,
    ];
    for calls in may_be_dropped {
        let told = of_memory(calls);
        assert_eq!(told.len(), 1, "{calls}: {told:#?}");
        let is_said = told[0].contains("may have been dropped by abort-stream (line");
        assert!(is_said, "{calls}: {told:#?}");
    }
    let second = [
        (
            r#"allocate "m" on="a"; synchronize-stream "a"; hold "go" on="a"; free "m" on="a"; abort-stream "a"
               allocate "m" on="a"; signal "go""#,
            "dropped the free between the two",
        ),
        (
            r#"allocate "m" on="a"; free "m" on="a"; abort-stream "a"; allocate "m" on="a""#,
            "may still be allocated",
        ),
    ];
    for (calls, words) in second {
        let told = of_memory(calls);
        assert!(
            told.iter().any(|it| it.contains(words)),
            "{calls}: {told:#?}"
        );
    }
    let fine = [
        r#"hold "go" on="a"; allocate "m" on="a"; abort-stream "a"; allocate "m" on="a"; fill "m" value=1 on="a"
           free "m" on="a"; signal "go""#,
        r#"allocate "m" on="a"; fill "m" value=1 on="a"; synchronize-stream "a"; hold "go" on="a"; free "m" on="a"; abort-stream "a"
           fill "m" value=1 on="a"; free "m" on="a"; signal "go""#,
        r#"allocate "m" on="a"; synchronize-stream "a"; abort-stream "a"; fill "m" value=1 on="b""#,
    ];
    for calls in fine {
        assert_eq!(of_memory(calls), [""; 0], "{calls}");
    }
}

#[test]
fn a_use_beside_a_free_is_told_to_come_before_it() {
    let calls =
        r#"allocate "m" on="a"; fill "m" value=1 on="a"; free "m" on="a"; copy "m" "y" on="b""#;
    let told = of_memory(calls);
    let of_free: Vec<&String> = told
        .iter()
        .filter(|it| it.contains("which frees it"))
        .collect();
    let [text] = of_free.as_slice() else {
        panic!("{told:#?}")
    };
    for words in [
        "nothing makes it come before free",
        "record an event on a in place of the free, and let b wait for it before the use",
        "free it after that, once a has waited for an event that is recorded on b after the use",
    ] {
        assert!(text.contains(words), "{text}");
    }
    // That does it.
    let followed = r#"allocate "m" on="a"; fill "m" value=1 on="a"; record "e" on="a"; wait "e" on="b"
        copy "m" "y" on="b"; record "e" on="b"; wait "e" on="a"; free "m" on="a""#;
    assert_eq!(of_memory(followed), [""; 0]);
    let hosts = r#"buffer "m" f32=64 memory="stream-ordered"
        host "one" { allocate "m" on="a"; synchronize-stream "a"; signal "go"; work micros=50; free "m" on="a" }
        host "two" { await "go"; copy "m" "y" on="b" }"#;
    let told = found(hosts, "race");
    assert!(
        told.iter().any(|it| it
            .1
            .contains("let host two raise a signal after that and host one await it")),
        "{told:#?}"
    );
}

/// A record that an abort may have dropped: what waits for it and goes on comes after what its own stream did, and no more.
#[test]
fn what_goes_on_without_a_record_is_not_ordered_by_it() {
    let calls = |mode: &str, between: &str| {
        format!(
            r#"stream "c" failure="{mode}"; event "f"
            host "main" {{
                fill "x" value=1 on="b"; record "f" on="b"; wait "f" on="a"; record "e" on="a"; wait "e" on="c"
                {between}
                abort-stream "a"; copy "x" "y" on="c"
            }}"#
        )
    };
    assert_eq!(count(&calls("continue", "")), [1]);
    assert_eq!(
        count(&calls("continue", r#"synchronize-event "e""#)),
        [0_u64; 0]
    );
    // One that stops there does nothing after it.
    assert_eq!(count(&calls("stop", "")), [0_u64; 0]);
}

/// An abort is told to calls before it as well: those that go on whatever it drops.
#[test]
fn calls_before_an_abort_are_compared_with_what_it_may_drop() {
    let told = |mode: &str, calls: &str| {
        let resources = format!(
            r#"buffer "m" f32=64 memory="stream-ordered"; stream "c" failure="{mode}"; stream "d" failure="{mode}"; event "f""#
        );
        let told = found(&format!("{resources}\nhost \"main\" {{ {calls} }}"), "race");
        told.into_iter().map(|it| it.1).collect::<Vec<_>>()
    };
    let behind = r#"allocate "m" on="a"; record "e" on="a"; wait "e" on="c"; copy "m" "y" on="c"; abort-stream "a""#;
    // The copy goes on where the record was dropped, and the allocation with it.
    let found = told("continue", behind);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(
        found[0].contains("may have been dropped by abort-stream (line"),
        "{found:#?}"
    );
    assert_eq!(told("stop", behind), [""; 0]);
    // What waits for whoever went on goes on as well.
    let further = r#"allocate "m" on="a"; record "e" on="a"; wait "e" on="c"; record "f" on="c"; wait "f" on="d"
        copy "m" "y" on="d"; abort-stream "a""#;
    assert_eq!(told("continue", further).len(), 1);
    let known = r#"allocate "m" on="a"; record "e" on="a"; wait "e" on="c"; copy "m" "y" on="c"; synchronize-event "e"
        abort-stream "a""#;
    assert_eq!(told("continue", known), [""; 0]);
    // A call may submit to two streams of which one is aborted.
    let joined = r#"allocate "m" on="a"; record "e" on="a"; wait "e" on="c"; wait-stream "c" on="a"; synchronize-stream "c"
        abort-stream "a"; free "m" on="a""#;
    assert_eq!(told("continue", joined), [""; 0]);
    // The use is dropped where the allocation is.
    let both = r#"allocate "m" on="a"; copy "m" "y" on="a"; free "m" on="a"; abort-stream "a""#;
    assert_eq!(told("continue", both), [""; 0]);
    for twice in [
        r#"allocate "m" on="a"; free "m" on="a"; allocate "m" on="b"; abort-stream "a""#,
        r#"allocate "m" on="a"; synchronize-stream "a"; hold "go" on="a"; free "m" on="a"; allocate "m" on="b"
           abort-stream "a"; signal "go""#,
    ] {
        let found = told("continue", twice);
        assert_eq!(found.len(), 1, "{twice}: {found:#?}");
        let is_said = found[0].contains("may still be allocated")
            || found[0].contains("dropped the free between the two");
        assert!(is_said, "{found:#?}");
    }
    // The legacy stream orders others only by what it does.
    let between = r#"stream "l" kind="legacy" failure="continue"; stream "m" blocking=#true failure="continue"
        stream "n" blocking=#true failure="continue"
        host "main" { fill "x" value=1 on="m"; fill "y" value=1 on="l"; fill "x" value=2 on="n"; abort-stream "l" }"#;
    assert_eq!(count(between), [1]);
    assert_eq!(
        count(&between.replace(
            "; abort-stream",
            r#"; synchronize-stream "l"; abort-stream"#
        )),
        [0_u64; 0]
    );
    // The first never happens.
    let once = r#"hold "go" on="a"; allocate "m" on="a"; allocate "m" on="b"; abort-stream "a"; signal "go""#;
    assert_eq!(told("continue", once), [""; 0]);
}

//! Advice to block on less: not where a call between needs what else was waited for, though it submits nothing itself.

use super::found;

const CODE: &str = "over-synchronised";

/// Blocks on both streams, of which the work after it needs the short one, with something said in between.
fn blocked(before: &str, between: &str, others: &str) -> String {
    format!(
        r#"callback-thread "calls"
        event "s"
        host "main" {{
            upload "x" on="a"
            {before}
            synchronize-device
            {between}
            launch "saxpy" on="a" {{ read "x"; write "y"; set "a" 2 }}
            download "y" on="a"
            synchronize-device
        }}
        {others}"#
    )
}

const SPIN: &str =
    r#"record "s" on="b"; launch "spin" on="b" { set "micros" 3000 }; record "e" on="b""#;

#[test]
fn a_host_that_blocks_on_more_than_comes_next_is_told_so() {
    let told = found(&blocked(SPIN, "", ""), CODE);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].1.contains("went to a alone"), "{told:?}");
    // Work for a stream of which nothing was waited for is no reason to block, and is named.
    let beside = r#"stream "c"; stream "d""#;
    let third = r#"launch "spin" on="c" { set "micros" 10 }"#;
    let told = found(&blocked(SPIN, third, beside), CODE);
    let words = "and to streams that it had not waited for";
    assert!(told.len() == 1 && told[0].1.contains(words), "{told:?}");
}

#[test]
fn calls_that_need_all_that_was_waited_for_are_no_reason_to_block_on_less() {
    let function =
        r#"subscribe "calls" stream="b"; host-function "f" micros=3000 on="b" blocking=#true"#;
    let waits = r#"host "other" { await "go"; work micros=10 }"#;
    for (before, between, others) in [
        (SPIN, r#"elapsed "s" "e""#, ""),
        (SPIN, r#"query "e" strict=#true"#, ""),
        (SPIN, r#"query-stream "b" strict=#true"#, ""),
        (SPIN, r#"signal "go""#, waits),
        (function, r#"unsubscribe "calls" stream="b""#, ""),
    ] {
        let calls = blocked(before, between, others);
        assert_eq!(found(&calls, CODE), [], "{calls}");
    }
}

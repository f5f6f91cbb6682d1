//! Where the times of a graph's nodes come from: CUPTI's records where it says which node is which, timing events where not.

use super::times::{Ran, ran};

/// A graph that forks into two kernels and calls the host, replayed three times, updated and replayed twice more.
const FORK: &str = r#"
stream "a"; stream "b"; event "fork"; event "join"
buffer "x" f32=4096 init="k"; buffer "y" f32=4096
graph "g"
host "main" {
    upload "x" on="a"
    begin-capture "a"
    launch "spin" on="a" { set "micros" 400 }
    record "fork" on="a"; wait "fork" on="b"
    launch "spin" on="b" { set "micros" 900 }
    copy "x" "y" on="a"
    record "join" on="b"; wait "join" on="a"
    host-function "call" micros=200 on="a"
    launch "spin" on="a" { set "micros" 400 }
    end-capture "a" "g"
    instantiate "g"
    repeat 3 { replay "g" on="a" }
    begin-capture "a"
    launch "spin" on="a" { set "micros" 500 }
    record "fork" on="a"; wait "fork" on="b"
    launch "spin" on="b" { set "micros" 1000 }
    copy "x" "y" on="a"
    record "join" on="b"; wait "join" on="a"
    host-function "call" micros=200 on="a"
    launch "spin" on="a" { set "micros" 500 }
    end-capture "a" "g"
    update "g"
    repeat 2 { replay "g" on="a" }
    download "y" on="a"
    synchronize-device
}
expect { each "y" equals="k" }
"#;

/// The spans called `name`, in the order of their starts.
fn called<'a>(spans: &'a [Ran], name: &str) -> Vec<&'a Ran> {
    let mut found: Vec<&Ran> = spans.iter().filter(|(it, ..)| it == name).collect();
    found.sort_by_key(|(_, start, end)| (*start, *end));
    found
}

/// What holds however the times are known: five replays, each with its nodes in their order and within it.
fn check_order(spans: &[Ran]) {
    let replays = called(spans, "g");
    let (kernels, calls, copies) = (
        called(spans, "spin"),
        called(spans, "call"),
        called(spans, "copy x to y"),
    );
    assert_eq!(
        [replays.len(), kernels.len(), calls.len(), copies.len()],
        [5, 15, 5, 5],
        "{spans:?}"
    );
    for (place, (_, start, end)) in replays.into_iter().enumerate() {
        let own = &kernels[3 * place..3 * place + 3];
        let (first, second, last) = (own[0], own[1], own[2]);
        assert!(*start <= first.1 && last.2 <= *end, "{spans:?}");
        assert!(
            first.2 <= second.1 && first.2 <= copies[place].1,
            "{spans:?}"
        );
        assert!(second.2 <= last.1 && copies[place].2 <= last.1, "{spans:?}");
        // The host's clock and the device's may differ by a little.
        assert!(calls[place].1 + 50_000 >= second.2, "{spans:?}");
        assert!(calls[place].2 <= last.1 + 50_000, "{spans:?}");
    }
}

fn lengths(spans: &[Ran]) -> Vec<i64> {
    let kernels = called(spans, "spin").into_iter();
    kernels.map(|(_, start, end)| end - start).collect()
}

/// What the kernels of the five replays were asked for, in nanoseconds.
fn wanted() -> Vec<i64> {
    let both = [[400_000, 900_000, 400_000], [500_000, 1_000_000, 500_000]];
    [0, 0, 0, 1, 1].iter().flat_map(|it| both[*it]).collect()
}

#[test]
fn cupti_tells_the_time_of_each_node_to_the_nanosecond() {
    let (spans, problems) = ran(FORK, &[]);
    assert_eq!(problems, []);
    check_order(&spans);
    // The stand-in runs a kernel for exactly as long as it was asked to: no event would say so.
    assert_eq!(lengths(&spans), wanted(), "{spans:?}");
}

#[test]
fn events_tell_it_where_nobody_says_which_node_is_which() {
    for (variable, value) in [
        ("SYNCLINE_CUPTI", "off"),
        ("SYNCLINE_STAND_IN_CUPTI", "nameless"),
    ] {
        let (spans, problems) = ran(FORK, &[(variable, value)]);
        assert_eq!(problems, [], "{value}");
        check_order(&spans);
        for (length, wanted) in lengths(&spans).into_iter().zip(wanted()) {
            let most = wanted + 300_000;
            assert!(
                (wanted - 10_000..most).contains(&length),
                "{value}: {spans:?}"
            );
        }
    }
}

#[test]
fn nodes_without_a_record_are_there_and_their_replays_named() {
    let (spans, problems) = ran(FORK, &[("SYNCLINE_STAND_IN_CUPTI", "mute")]);
    let replays = called(&spans, "g");
    assert_eq!((replays.len(), called(&spans, "spin").len()), (5, 15));
    let named = problems.iter().filter(|(code, _)| code == "no-device-time");
    // Both copies of memory outside and the five replays.
    assert_eq!(named.count(), 7, "{problems:?}");
}

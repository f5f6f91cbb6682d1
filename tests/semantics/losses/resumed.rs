//! Calls that go on with a device that was opened anew: what a loss ended has not succeeded, and what it took is told.

use engine::record::{Basis, DependencyKind, RunOutcome, SpanKind, State};
use engine::runner::RecoveryMode;

use super::{backends, lose};

#[test]
fn a_synchronisation_that_a_loss_ended_is_lost_where_the_device_is_opened_anew_at_once() {
    let awaited = [
        "synchronize-event \"e\"",
        "synchronize-event \"e\" timeout-micros=60000000",
        "synchronize-stream \"a\"",
        "synchronize-device",
    ];
    for call in awaited {
        let source = format!(
            "stream \"a\"\nevent \"e\"\nbuffer \"x\" f32=64\nhost \"main\" {{\n\
             launch \"spin\" on=\"a\" {{ set \"micros\" 4000000 }}\nrecord \"e\" on=\"a\"\n{call}\n\
             fill \"x\" value=3 on=\"a\"\ndownload \"x\" on=\"a\"\nsynchronize-device\n}}\n\
             expect {{ each \"x\" equals=3 }}\n"
        );
        for backend in backends() {
            let place = format!("{call} on {backend}");
            let (capture, outcome) =
                lose(backend, &source, &["driver@200ms"], RecoveryMode::Resume);
            assert_eq!(outcome, RunOutcome::Finished, "{place}");
            assert_eq!(capture.recoveries().len(), 1, "{place}");
            let mut calls: Vec<_> = capture.spans().map(|it| it.span).collect();
            calls.retain(|it| it.kind == SpanKind::Synchronize);
            calls.sort_by_key(|it| it.start);
            let [ended, last] = calls[..] else {
                panic!("{place}: {calls:?}")
            };
            assert_eq!(ended.state, State::Lost, "{place}: {ended:?}");
            assert_eq!(last.state, State::Done, "{place}: {last:?}");
            let mut arrows = capture
                .causes(ended.id)
                .filter_map(|it| capture.dependency(it));
            let is_enforced = arrows.any(|it| {
                it.kind == DependencyKind::Synchronization && it.basis == Basis::Enforced
            });
            assert!(!is_enforced, "{place}");
            let verdict = capture.expectations().first().unwrap();
            assert!(verdict.holds == Some(true), "{place}: {verdict:?}");
        }
    }
}

/// The launch waits for the last of many pipelines when the device is lost: all of them are requested anew before it looks
/// again, however long that takes, so that none is refused as one that no call has created.
#[test]
fn a_launch_that_waits_for_its_pipeline_is_not_refused_where_the_device_is_opened_anew() {
    let source = r#"
stream "a"
buffer "x" f32=64 init="1"
buffer "y" f32=64 init="2"
promise "p" count=200
pipeline "k" kernel="saxpy" count=200 slow-micros=500 cache=#false
host "main" {
    repeat 200 index="i" { create-pipeline-async "k" i promise="p[i]" }
    launch "saxpy" on="a" pipeline="k[199]" { read "x"; write "y"; set "a" 2 }
    synchronize-device
}
"#;
    for backend in backends() {
        let lost = ["driver@pipeline:k[150]"];
        let (capture, outcome) = lose(backend, source, &lost, RecoveryMode::Resume);
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        assert_eq!(capture.recoveries().len(), 1, "{backend}");
    }
}

#[test]
fn nothing_waits_for_what_was_lost_with_the_device_before() {
    let source = r#"
stream "a"; stream "b"
event "e"
signal "go"
buffer "x" f32=64
host "main" {
    hold "go" on="a"
    record "e" on="a"
    lose-device by="driver"
    recover-device
    synchronize-device
    wait-stream "a" on="b"
    fill "x" value=1 on="b"
    synchronize-stream "a"
    signal "go"
    synchronize-device
}
"#;
    for backend in backends() {
        let (capture, outcome) = lose(backend, source, &[], RecoveryMode::Stay);
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        assert_eq!(capture.recoveries().len(), 1, "{backend}");
        let lost = capture.spans().map(|it| it.span);
        let lost: Vec<_> = lost.filter(|it| it.state == State::Lost).collect();
        assert!(lost.len() >= 2, "{backend}: {lost:?}");
        for span in lost {
            let mut arrows = capture
                .effects(span.id)
                .filter_map(|it| capture.dependency(it));
            let wrong = arrows.find(|it| {
                let effect = capture.span(it.effect).unwrap().span;
                it.basis == Basis::Enforced && effect.state == State::Done
            });
            assert_eq!(wrong, None, "{backend}: {span:?}");
        }
    }
}

#[test]
fn numbers_that_a_device_began_with_are_told_where_one_opened_anew_has_others() {
    // Nothing was uploaded: y is copied from zeros, and after the loss from what the host has of x. z is uploaded anew.
    let source = r#"
stream "a"
buffer "x" f32=64 init="7"
buffer "y" f32=64
buffer "z" f32=64 init="5"
host "main" {
    synchronize-device label="lose"
    copy "x" "y" on="a"
    upload "z" on="a"
    download "y" on="a"
    download "z" on="a"
    synchronize-device
}
expect {
    each "y" equals=0
    each "z" equals=5
}
"#;
    for backend in backends() {
        let (capture, outcome) = lose(
            backend,
            source,
            &["destroy@label:lose"],
            RecoveryMode::Resume,
        );
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        let wrong = capture.problems().iter();
        let wrong: Vec<_> = wrong.filter(|it| it.code == "stale-result").collect();
        assert_eq!(wrong.len(), 1, "{backend}: {:?}", capture.problems());
        assert!(
            wrong[0].text.contains("read back of y"),
            "{backend}: {wrong:?}"
        );
        let [y, z] = capture.expectations() else {
            panic!("{backend}: {:?}", capture.expectations())
        };
        assert!(
            y.is_missed() && y.found.contains("lost with the device"),
            "{y:?}"
        );
        assert!(z.holds == Some(true), "{backend}: {z:?}");
    }
}

#[test]
fn what_is_asked_of_records_that_a_loss_took_comes_to_nothing() {
    let source = r#"
stream "a"
event "e"
event "f"
host "main" {
    record "e" on="a"
    launch "spin" on="a" { set "micros" 4000000 }
    record "f" on="a"
    synchronize-device
    elapsed "e" "f" label="between"
    query "f" strict=#true label="asked"
    query-stream "a" strict=#true label="idle"
    work micros=1 label="last"
}
"#;
    for backend in backends() {
        let (capture, outcome) = lose(backend, source, &["driver@200ms"], RecoveryMode::Stay);
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        let calls = capture.spans().filter(|it| it.span.kind == SpanKind::Call);
        let lost = calls.filter(|it| it.span.state == State::Lost).count();
        assert_eq!(lost, 3, "{backend}: {capture}");
    }
}

/// Of two fills that a loss took, nothing ran that could come in turn: how long their calls took is no answer.
#[test]
fn what_a_loss_took_is_not_judged_by_its_call() {
    let source = r#"
stream "a"
signal "s"
buffer "x" f32=64
buffer "y" f32=64
host "main" {
    repeat 2 { fill "x" value=1 on="a" label="one" }
    synchronize-stream "a"
    hold "s" on="a"
    repeat 2 { fill "y" value=2 on="a" label="two" }
    lose-device by="driver"
    recover-device
    signal "s"
}
expect { in-turn "one" "two"; before "one" "two"; ends-before "one" "two" }
"#;
    for backend in backends() {
        let (capture, outcome) = lose(backend, source, &[], RecoveryMode::Stay);
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        let judged = capture.expectations();
        assert_eq!(judged.len(), 3, "{backend}");
        for verdict in judged {
            assert!(verdict.is_missed(), "{backend}: {verdict:?}");
            assert!(
                verdict.found.contains("no operation of the second ran"),
                "{backend}: {verdict:?}"
            );
        }
    }
}

/// A device that was lost calls nothing any more (rule F15), so that its callbacks keep nobody subscribed.
#[test]
fn a_stream_whose_callbacks_were_lost_can_be_unsubscribed() {
    let source = r#"
stream "a"
callback-thread "c"
host "main" {
    subscribe "c" stream="a"
    launch "spin" on="a" { set "micros" 20000 }
    host-function "f" micros=100 blocking=#false on="a" label="cb"
    lose-device by="driver"
    try { synchronize-device }
    catch "device-lost" { work micros=1 }
    unsubscribe "c" stream="a"
}
"#;
    for backend in backends() {
        let (_, outcome) = lose(backend, source, &[], RecoveryMode::Stay);
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
    }
}

/// What runs when the device is lost runs to its end: whoever unsubscribes then waits for that, and is refused in no run.
#[test]
fn a_function_that_runs_at_a_loss_is_waited_for_by_unsubscribe() {
    for by in ["driver", "destroy"] {
        for (mode, micros) in [
            ("#true", 100),
            ("#true", 30_000),
            ("#false", 100),
            ("#false", 30_000),
        ] {
            let source = format!(
                r#"
stream "a"
callback-thread "c"
host "main" {{
    subscribe "c" stream="a"
    host-function "f" micros={micros} blocking={mode} on="a"
    work micros=5000
    lose-device by="{by}"
    try {{ synchronize-device }}
    catch "device-lost" {{ work micros=1 }}
    unsubscribe "c" stream="a"
}}
"#
            );
            for backend in backends() {
                let place = format!("{by}, {mode}, {micros} on {backend}");
                let (capture, outcome) = lose(backend, &source, &[], RecoveryMode::Stay);
                assert_eq!(
                    outcome,
                    RunOutcome::Finished,
                    "{place}: {:?}",
                    capture.problems()
                );
                let spans: Vec<_> = capture.spans().map(|it| it.span).collect();
                let named = |name: &str| {
                    let mut found = spans.iter().filter(|it| capture.name(it.name) == name);
                    found.next_back().unwrap().end
                };
                let last = spans.iter().map(|it| it.end).max();
                assert_eq!(
                    Some(named("unsubscribe c from a")),
                    last,
                    "{place}: {spans:?}"
                );
            }
        }
    }
}

/// A call that a loss ended was made: it counts as such, and its operations are none that ran.
#[test]
fn a_synchronisation_that_a_loss_ended_was_called() {
    let source = r#"
stream "a"
buffer "x" f32=64
host "main" {
    launch "spin" on="a" label="spin" { set "micros" 4000000 }
    try { synchronize-device label="wait" }
    catch "device-lost" { recover-device }
    fill "x" value=3 on="a" label="fill"
    synchronize-device label="wait"
}
expect {
    called-before "wait" "fill" equals=1
    calls "synchronize-device" equals=2
    ordered "spin" "fill"
    before "spin" "fill"
}
"#;
    for backend in backends() {
        let (capture, outcome) = lose(backend, source, &["driver@20ms"], RecoveryMode::Stay);
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        let found: Vec<_> = capture.expectations().iter().map(|it| it.holds).collect();
        let wanted = [true, true, true, false].map(Some);
        assert_eq!(found, wanted, "{backend}: {:?}", capture.expectations());
    }
}

/// A loss that falls into the last call of all is made as well, also where every stream is idle; one behind it never comes.
#[test]
fn a_loss_in_the_last_call_comes() {
    let source = "stream \"a\"\nbuffer \"x\" f32=64\n\
                  host \"main\" { fill \"x\" value=1 on=\"a\"; work micros=200000 }\n";
    for backend in backends() {
        // A brisk pace makes the call shorter.
        for (at, count) in [("destroy@3ms", 1), ("driver@3ms", 1), ("driver@60s", 0)] {
            let (capture, outcome) = lose(backend, source, &[at], RecoveryMode::Resume);
            assert_eq!(outcome, RunOutcome::Finished, "{at} on {backend}");
            assert_eq!(capture.recoveries().len(), count, "{at} on {backend}");
        }
    }
}

/// Whether the device is opened anew before a host thread notices that its wait was ended is chance, and of no consequence.
#[test]
fn what_a_wait_was_for_is_known_however_soon_the_device_is_opened_anew() {
    let awaits = [
        "synchronize-device",
        "work-done promise=\"w\"; settle \"w\"",
    ];
    let losses = [
        "by=\"driver\" stream=\"a\"",
        "by=\"driver\" after-micros=15000",
    ];
    for (call, loss) in awaits.iter().flat_map(|it| losses.map(|loss| (it, loss))) {
        let source = format!(
            r#"
stream "a"
promise "w"
host "m" {{
    lose-device {loss}
    launch "spin" on="a" label="p" {{ set "micros" 30000 }}
    {call}
}}
expect {{ host-knows "p" }}
"#
        );
        for backend in backends() {
            // A thread that is held up between the begin of its call and its wait may find the device lost: once, not twice.
            let mut late = u32::from(backend != "mock");
            for _ in 0..5 {
                let (capture, _) = lose(backend, &source, &[], RecoveryMode::Resume);
                // One that begins only after the loss has nothing to wait for.
                let mut calls = capture.spans().map(|it| it.span);
                let wait = calls.find(|it| it.kind == SpanKind::Synchronize).unwrap();
                let mut losses = capture.losses().iter();
                let is_ended = losses.next().is_some_and(|it| wait.start < it.time);
                assert!(is_ended || backend != "mock");
                if !is_ended {
                    continue;
                }
                let found = capture.expectations();
                let holds = found[0].holds == Some(true);
                assert!(holds || late > 0, "{call}, {loss} on {backend}: {found:?}");
                late -= u32::from(!holds);
            }
        }
    }
}

/// A loss at a moment, by `destroy()`, that the device timeline came to is no loss that never came.
#[test]
fn a_destroy_that_came_is_not_said_to_be_too_late() {
    for at in ["after-micros=2000", "stream=\"a\""] {
        let source = format!(
            r#"
stream "a"
promise "p"
host "m" {{
    lose-device by="destroy" {at}
    launch "spin" on="a" {{ set "micros" 30000 }}
    try {{ synchronize-device }}
    catch "device-lost" {{ work micros=1 }}
}}
"#
        );
        for backend in backends() {
            let (capture, _) = lose(backend, &source, &[], RecoveryMode::Resume);
            assert_eq!(capture.losses().len(), 1, "{at} on {backend}");
            let problems = capture.problems().iter();
            let unmet: Vec<_> = problems.filter(|it| it.code == "loss-unmet").collect();
            assert!(unmet.is_empty(), "{at} on {backend}: {unmet:?}");
        }
    }
}

/// One that finds the device on its way out is told, and the first, which was that way, is not.
#[test]
fn a_second_destroy_is_told_and_not_the_first() {
    let source = r#"
stream "a"
promise "p"
host "m" {
    lose-device by="destroy"
    launch "spin" on="a" label="p" { set "micros" 2000 }
    try { synchronize-device }
    catch "device-lost" { work micros=1 }
}
"#;
    for backend in backends() {
        let (capture, _) = lose(backend, source, &["destroy@label:p"], RecoveryMode::Stay);
        assert_eq!(capture.losses().len(), 1, "{backend}");
        let problems = capture.problems().iter();
        let unmet = problems.filter(|it| it.code == "loss-unmet").count();
        assert_eq!(unmet, 1, "{backend}: {:?}", capture.problems());
    }
}

/// Calls that take no time come in the order in which they are called.
#[test]
fn calls_of_one_instant_are_told_apart_by_their_order() {
    let source = r#"
stream "a"
host "m" {
    lose-device by="driver" label="L"
    recover-device
    work micros=0 label="W"
    launch "spin" on="a" label="p"
}
expect { called-before "L" "p" equals=1; called-before "W" "p" equals=1; called-before "p" "L" equals=0 }
"#;
    for backend in backends() {
        let (capture, _) = lose(backend, source, &[], RecoveryMode::Stay);
        let found = capture.expectations();
        assert!(
            found.iter().all(|it| it.holds == Some(true)),
            "{backend}: {found:?}"
        );
    }
}

/// A blocking callback whose function runs when the device is lost has begun on its stream as well.
#[test]
fn a_callback_that_runs_at_a_loss_has_begun() {
    let source = r#"
stream "a"
callback-thread "c"
host "m" {
    subscribe "c" stream="a"
    host-function "f" micros=20000 blocking=#true on="a"
    work micros=5000
    lose-device by="driver"
}
"#;
    for backend in backends() {
        let (capture, _) = lose(backend, source, &[], RecoveryMode::Stay);
        let spans: Vec<_> = capture.spans().map(|it| it.span).collect();
        let of = |kind: SpanKind| spans.iter().find(|it| it.kind == kind).copied();
        // On a device of real time the thread may not have come to it.
        let loss = capture.losses()[0].time;
        let has_begun =
            of(SpanKind::HostFunction).is_some_and(|it| it.start < loss && it.end > it.start);
        assert!(has_begun || backend != "mock", "{spans:?}");
        let waits = of(SpanKind::Callback).unwrap();
        if backend != "mock" && waits.end < loss {
            continue; // The host came to the loss late.
        }
        assert_eq!(waits.state, State::Lost, "{backend}: {spans:?}");
        assert!(
            waits.end > waits.start || !has_begun,
            "{backend}: {spans:?}"
        );
    }
}

/// A map for reading brings the host what a download does.
#[test]
fn a_map_of_what_was_lost_is_told_as_a_stale_result() {
    let source = |again: &str| {
        format!(
            r#"
stream "a"
promise "m"
promise "w"
buffer "x" f32=64 init="k"
buffer "y" f32=64
host "main" {{
    upload "x" on="a"
    copy "x" "y" on="a"
    synchronize-device
    lose-device by="driver"
    recover-device
    {again}
    map-async "y" promise="m"
    settle "m"
    unmap "y"
}}
"#
        )
    };
    for backend in backends() {
        for (again, count) in [
            ("", 1),
            ("upload \"x\" on=\"a\"; copy \"x\" \"y\" on=\"a\"", 0),
        ] {
            let (capture, outcome) = lose(backend, &source(again), &[], RecoveryMode::Stay);
            assert_eq!(outcome, RunOutcome::Finished, "{backend}");
            let wrong = capture.problems().iter();
            let wrong: Vec<_> = wrong.filter(|it| it.code == "stale-result").collect();
            assert_eq!(wrong.len(), count, "{backend} {again}: {wrong:?}");
            assert!(wrong.iter().all(|it| it.text.contains(" y ")), "{wrong:?}");
        }
    }
}

/// What a host thread waited for before a loss it has waited for, whatever becomes of the device.
#[test]
fn a_host_knows_after_a_loss_what_it_knew_before() {
    let source = r#"
stream "a"
buffer "x" f32=64
buffer "y" f32=64
host "main" {
    fill "x" value=1 on="a" label="p"
    synchronize-device
    fill "x" value=2 on="a" label="lost"
    lose-device by="destroy"
    recover-device
    fill "y" value=1 on="a" label="q"
    synchronize-device
    fill "y" value=2 on="a" label="last"
}
expect { host-knows "p"; host-knows "q"; host-knows "lost"; host-knows "last" }
"#;
    for backend in backends() {
        let (capture, outcome) = lose(backend, source, &[], RecoveryMode::Stay);
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        let holds: Vec<_> = capture.expectations().iter().map(|it| it.holds).collect();
        let expected = [true, true, false, false].map(Some);
        assert_eq!(holds, expected, "{backend}: {:?}", capture.expectations());
    }
}

/// A synchronisation behind a destroy comes behind it on the device timeline too, where promises keep one (rule of the order of
/// calls).
#[test]
fn a_synchronisation_behind_a_destroy_is_told_of_it() {
    let source = |promise: &str, before: &str| {
        format!(
            r#"
stream "a"
{promise}
buffer "x" f32=64
host "main" {{
    {before}
    lose-device by="destroy"
    try {{ synchronize-device }}
    catch "device-lost" {{ work micros=1 }}
}}
expect {{ calls "work" equals=1 }}
"#
        )
    };
    for backend in backends() {
        for promise in ["", "promise \"p\"", "promise \"p\" count=4"] {
            for before in [
                "",
                "fill \"x\" value=1 on=\"a\"",
                "fill \"x\" value=1 on=\"a\"; synchronize-device",
            ] {
                let source = source(promise, before);
                let (capture, _) = lose(backend, &source, &[], RecoveryMode::Stay);
                let judged = capture.expectations();
                assert!(
                    judged.len() == 1 && !judged[0].is_missed(),
                    "{backend} {promise} {before}: {judged:?}"
                );
            }
        }
    }
}

//! What fails: kernels, stalls, requests that cannot run. Never a hang, and everything pending comes to something.

use engine::record::{RunOutcome, State};

use super::view::View;
use super::{backends, request, view};

fn failed(view: &View) -> &str {
    match &view.end.outcome {
        RunOutcome::Failed(reason) => reason,
        other => panic!("{other:?} is no failure"),
    }
}

#[test]
fn a_kernel_that_fails_poisons_the_device() {
    let source = r#"
        stream "a"; stream "b"; stream "c"; event "e"; event "f"; signal "go"
        buffer "x" f32=16; buffer "y" f32=16; buffer "z" f32=16
        host "main" {
            hold "go" on="c"
            fill "z" value=1 on="c"
            launch "trap" on="a"
            record "e" on="a"
            fill "x" value=1 on="a"
            wait "e" on="b"
            host-function "look" micros=50 on="b"
            fill "y" value=1 on="b"
            synchronize-event "e"
            fill "z" value=2 on="c"
        }
        host "late" { work micros=30000000; signal "go" }
        expect { each "x" equals=1 }"#;
    for backend in backends().into_iter().filter(|it| !it.ends_processes()) {
        let view = view(source, backend.name());
        assert!(failed(&view).contains("trap"), "{}", failed(&view));
        assert_eq!(view.states("trap"), [State::Failed]);
        // Rules A29 and A48: what came later never runs, host functions included, and nobody hangs.
        for name in [
            "record e", "fill x", "wait e", "look", "fill y", "hold go", "fill z",
        ] {
            assert_eq!(
                view.states(name),
                [State::Cancelled],
                "{name} on {}",
                backend.name()
            );
        }
        assert_eq!(view.call("synchronize e").state, State::Failed);
        assert_eq!(view.problems("operation-failed"), 1);
        assert_eq!(view.capture.losses().len(), 1);
        let expectation = &view.capture.expectations()[0];
        assert!(expectation.is_missed() && expectation.found.contains("not checked"));
        assert!(view.capture.open().next().is_none());
    }
}

#[test]
fn work_after_a_failure_is_cancelled_until_the_host_notices() {
    let source = r#"
        stream "a"; buffer "x" f32=16; event "e"; signal "launched"
        host "main" {
            launch "trap" on="a"
            signal "launched"
            synchronize-stream "a"
            fill "x" value=1 on="a"
        }
        host "other" {
            await "launched"
            work micros=30000
            fill "x" value=2 on="a"
            record "e" on="a"
            query "e"
        }"#;
    for backend in backends().into_iter().filter(|it| !it.ends_processes()) {
        let view = view(source, backend.name());
        // Whichever thread calls first after the failure is told of it: the one that waits, unless it is late itself.
        let reason = failed(&view);
        assert!(
            reason.starts_with("host main, line 6: ")
                || reason.starts_with("host other, line 12: "),
            "{reason}"
        );
        assert!(
            view.states("fill x")
                .iter()
                .all(|state| *state == State::Cancelled)
        );
    }
}

#[test]
fn host_threads_that_wait_for_each_other_are_named() {
    let source = r#"
        stream "a"; signal "x"; signal "y"
        host "one" {
            await "x"
            signal "y"
        }
        host "two" {
            await "y"
            signal "x"
        }"#;
    for backend in backends() {
        let view = view(source, backend.name());
        let text = failed(&view);
        for part in [
            "host one (line 4) waits for signal x, which only host two at line 9 raises",
            "host two (line 8) waits for signal y, which only host one at line 5 raises",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert_eq!(view.problems("deadlock"), 1);
        assert_eq!(view.call("await x").state, State::Cancelled);
    }
}

#[test]
fn a_stream_that_nobody_releases_is_named() {
    let source = r#"
        stream "a"; stream "b"; event "e"; signal "go"; buffer "x" f32=16
        host "main" {
            hold "go" on="a"
            record "e" on="a"
            wait "e" on="b"
            fill "x" value=1 on="b"
            synchronize-stream "b"
            signal "go"
        }"#;
    for backend in backends() {
        let view = view(source, backend.name());
        let text = failed(&view);
        for part in [
            "host main (line 8) waits for stream b",
            "stream a (held at line 4) waits for signal go, which only host main at line 9 raises",
            "stream b waits for event e, recorded on stream a",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert_eq!(view.states("fill x"), [State::Cancelled]);
    }
}

#[test]
fn slow_work_is_no_stall() {
    let source = r#"
        stream "a"; stream "b"; event "e"
        host "main" {
            launch "spin" on="a" { set "micros" 400000 }
            record "e" on="a"
            wait "e" on="b"
            synchronize-stream "b"
        }
        host "idle" { work micros=300000 }"#;
    for backend in backends() {
        assert_eq!(
            view(source, backend.name()).end.outcome,
            RunOutcome::Finished
        );
    }
}

#[test]
fn what_cannot_run_is_refused_with_one_clear_text() {
    let refusal = |source: &str, backend: &str| {
        engine::runner::run(request(source, backend), |_| {
            panic!("no record of what is refused")
        })
        .unwrap_err()
    };
    let text = refusal(
        "stream \"a\"\nhost \"main\" { fill \"x\" on=\"a\" value=1 }",
        "cpu",
    );
    assert!(text.starts_with("case.kdl:2:"), "{text}");
    let text = refusal("stream \"a\"\nhost \"main\" { synchronize-device }", "gpu");
    assert!(
        text.contains("there is no backend called gpu") && text.contains("cpu"),
        "{text}"
    );
    let large = "stream \"a\"\nbuffer \"x\" f32=2000000000 count=16\nhost \"main\" { upload \"x\" on=\"a\" }";
    for backend in backends() {
        let text = refusal(large, backend.name());
        assert!(text.contains("the buffers take"), "{text}");
    }
    let mut unsaved = request("stream \"a\"\nhost \"main\" { synchronize-device }", "cpu");
    unsaved.save = Some("/nowhere/at/all.pftrace".into());
    let text = engine::runner::run(unsaved, |_| ()).unwrap_err();
    assert!(text.contains("/nowhere/at/all.pftrace"), "{text}");
}

//! What a loss took is not there, and what shows it is told to be stale.

use engine::record::{Basis, DependencyId, DependencyKind, RunOutcome, State};
use engine::runner::RecoveryMode;

use super::{backends, lose};

#[test]
fn a_download_that_was_lost_is_told_as_a_stale_result() {
    let source = r#"
stream "a"
buffer "x" f32=64 init="k"
buffer "y" f32=64 init="1"
host "main" {
    upload "x" on="a"
    upload "y" on="a"
    launch "saxpy" on="a" { read "x"; write "y"; set "a" 2 }
    launch "spin" on="a" { set "micros" 4000000 }
    download "y" on="a"
    work micros=400000 label="lose"
}
expect { each "y" equals="2 * k + 1" }
"#;
    for backend in backends() {
        let (capture, outcome) = lose(backend, source, &["driver@200ms"], RecoveryMode::Resume);
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        assert_eq!(capture.recoveries().len(), 1, "{backend}");
        let wrong = capture.problems().iter();
        let wrong: Vec<_> = wrong.filter(|it| it.code == "stale-result").collect();
        assert_eq!(wrong.len(), 1, "{backend}: {:?}", capture.problems());
        assert!(
            wrong[0].text.contains("what the host has of y"),
            "{backend}: {wrong:?}"
        );
        let verdict = capture.expectations().first().unwrap();
        assert!(
            verdict.is_missed() && verdict.found.contains("lost with the device"),
            "{backend}: {verdict:?}"
        );
    }
}

#[test]
fn a_buffer_that_only_its_lost_download_touched_is_told_as_stale_and_one_that_was_read_is_not() {
    // On the device both begin as zeros, and the host has other numbers of them.
    let source = r#"
stream "a"
buffer "read" f32=64 init="7"
buffer "unread" f32=64 init="8"
host "main" {
    download "read" on="a"
    synchronize-device
    launch "spin" on="a" { set "micros" 400000 }
    download "unread" on="a"
    work micros=1 label="here"
    download "read" on="a"
}
expect { each "read" equals="0"; each "unread" equals="0" }
"#;
    for backend in backends() {
        let (capture, outcome) = lose(
            backend,
            source,
            &["driver@label:here"],
            RecoveryMode::Resume,
        );
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        let wrong = capture.problems().iter();
        let wrong: Vec<_> = wrong.filter(|it| it.code == "stale-result").collect();
        assert!(
            wrong.len() == 1 && wrong[0].text.contains("what the host has of unread"),
            "{backend}: {wrong:?}"
        );
        let [read, unread] = capture.expectations() else {
            panic!("{backend}: {:?}", capture.expectations())
        };
        assert_eq!(read.holds, Some(true), "{backend}: {read:?}");
        assert!(
            unread.is_missed() && unread.found.contains("lost with the device"),
            "{backend}: {unread:?}"
        );
    }
}

#[test]
fn what_a_lost_download_was_to_bring_back_to_the_device_is_told_as_stale() {
    let source = r#"
stream "a"
buffer "x" f32=64 init="8"
buffer "y" f32=64
host "main" {
    fill "x" value=3 on="a"
    launch "spin" on="a" { set "micros" 400000 }
    download "x" on="a"
    upload "x" on="a"
    work micros=1 label="here"
    copy "x" "y" on="a"
    download "y" on="a"
}
expect { each "x" equals="3"; each "y" equals="3" }
"#;
    for backend in backends() {
        let (capture, outcome) = lose(
            backend,
            source,
            &["driver@label:here"],
            RecoveryMode::Resume,
        );
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        for verdict in capture.expectations() {
            assert!(
                verdict.is_missed() && verdict.found.contains("lost with the device"),
                "{backend}: {verdict:?}"
            );
        }
        let wrong = capture.problems().iter();
        let wrong: Vec<_> = wrong.filter(|it| it.code == "stale-result").collect();
        let tells = |what| wrong.iter().any(|it| it.text.contains(what));
        assert!(
            tells("what the host has of x") && tells("read back of y"),
            "{backend}: {wrong:?}"
        );
    }
}

#[test]
fn what_a_kernel_writes_whole_from_good_numbers_is_good_again() {
    // Before the loss nothing was computed, and after it everything is uploaded and computed.
    let source = r#"
stream "a"
buffer "x" f32=64 init="k"
buffer "y" f32=64 init="1"
buffer "z" f32=64 init="1"
host "main" {
    work micros=200 label="here"
    upload "x" on="a"
    launch "scale" on="a" { read "x"; write "y"; set "a" 3 }
    launch "saxpy" on="a" { read "x"; write "z" }
    download "y" on="a"
    download "z" on="a"
    synchronize-device
}
expect { each "y" equals="3 * k" }
"#;
    for backend in backends() {
        let losses = &["driver@label:here"];
        let (capture, outcome) = lose(backend, source, losses, RecoveryMode::Resume);
        assert_eq!(outcome, RunOutcome::Finished, "{backend}");
        let wrong = capture.problems().iter();
        let wrong: Vec<_> = wrong.filter(|it| it.code == "stale-result").collect();
        // `saxpy` adds to what z held, which is not what it began with.
        assert!(
            wrong.len() == 1 && wrong[0].text.contains("z may be wrong"),
            "{backend}: {wrong:?}"
        );
        assert_eq!(capture.expectations()[0].holds, Some(true), "{backend}");
    }
}

/// Of a name that several promises bear, the latest is judged, and an edge into a node that was lost held nothing.
#[test]
fn what_was_lost_is_no_cause_and_the_latest_promise_counts() {
    let promises = r#"stream "a"; buffer "x" f32=16; promise "k"
host "h" {
  device-lost promise="k"
  lose-device by="destroy"
  settle "k"
  recover-device
  device-lost promise="k"
  fill "x" value=1 on="a"
  work micros=100
  lose-device by="driver"
  settle "k"
}
expect { settles "k" "resolved" value="unknown" }"#;
    let graph = r#"stream "a"; buffer "x" f32=16; buffer "y" f32=16; graph "g"
host "h" {
  begin-capture "a" mode="relaxed"
  fill "x" value=1 on="a"
  copy "x" "y" on="a"
  end-capture "a" "g"
  instantiate "g"
  lose-device by="driver"
  replay "g" on="a"
}"#;
    for backend in backends() {
        let (capture, _) = lose(backend, promises, &[], RecoveryMode::Stay);
        let judged = capture.expectations();
        assert!(
            judged.len() == 1 && judged[0].holds == Some(true),
            "{backend}: {judged:?}"
        );
        let (capture, _) = lose(backend, graph, &[], RecoveryMode::Stay);
        let all = 0..capture.dependency_count() as u32;
        let all = all.filter_map(|it| capture.dependency(DependencyId(it)));
        let edges: Vec<_> = all.filter(|it| it.kind == DependencyKind::Edge).collect();
        let is_lost = |span| capture.span(span).unwrap().span.state == State::Lost;
        for edge in edges {
            let is_enforced = edge.basis == Basis::Enforced;
            assert!(
                !(is_enforced && is_lost(edge.effect)),
                "{backend}: {edge:?}"
            );
        }
    }
}

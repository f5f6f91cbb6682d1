//! What is found of memory that was freed, or that a loss of the device took.

use engine::runner::{RecoveryMode, RunRequest};

use super::{capture_with, found, races, workload};

#[test]
fn each_use_after_a_free_is_a_finding_of_its_own() {
    let memory = r#"buffer "m" f32=64 memory="stream-ordered""#;
    let uses = [
        r#"copy "m" "y" on="a""#,
        r#"fill "m" value=1 on="a""#,
        r#"copy "x" "m" on="a""#,
        r#"free "m" on="a" // again"#,
    ];
    // In each order, since a write and a read leave something else behind.
    for first in 0..uses.len() {
        let calls: Vec<&str> = (0..uses.len())
            .map(|it| uses[(first + it) % uses.len()])
            .collect();
        let host = format!(
            "{memory}\nhost \"main\" {{ allocate \"m\" on=\"a\"; free \"m\" on=\"a\"\n{}\n}}",
            calls.join("\n")
        );
        let told = found(&host, "race");
        let source = workload(&host);
        for call in calls {
            let line = source.lines().position(|it| it.contains(call)).unwrap() as u32 + 1;
            let is_told = |it: &(Vec<u32>, String)| it.0.contains(&line) && it.1.contains("free");
            assert!(
                told.iter().any(is_told),
                "line {line}, {call}, of {host}: {told:#?}"
            );
        }
    }
}

#[test]
fn memory_that_a_loss_took_is_told_with_where_it_was_allocated() {
    let memory = r#"buffer "m" f32=64 memory="stream-ordered""#;
    let lost = r#"lose-device by="driver"; recover-device"#;
    let hosts = |calls: &str| {
        let one = format!("host \"main\" {{ {calls} }}");
        let between = format!("signal \"go\" }}\nhost \"two\" {{ await \"go\"; {lost}");
        let other = calls.replacen(lost, &between, 1);
        [one, format!("host \"one\" {{ {other} }}")].map(|it| format!("{memory}\n{it}"))
    };
    let use_after = format!(r#"allocate "m" on="a"; {lost}; fill "m" value=1 on="a""#);
    let free_after =
        format!(r#"allocate "m" on="a"; fill "m" value=1 on="a"; {lost}; free "m" on="a""#);
    for (calls, does) in [(use_after, "fill"), (free_after, "free")] {
        for host in hosts(&calls) {
            let told = found(&host, "race");
            let [(_, text)] = told.as_slice() else {
                panic!("{host}: {told:#?}")
            };
            let words = "allocated, and the loss of the device took it since: ";
            let is_told = text.starts_with(does) && text.contains("which allocate (line");
            assert!(is_told && text.contains(words), "{host}: {text}");
        }
    }
    let fine = format!(
        r#"allocate "m" on="a"; {lost}; allocate "m" on="a"; fill "m" value=1 on="a"; free "m" on="a""#
    );
    for host in hosts(&fine) {
        assert_eq!(found(&host, "race"), [], "{host}");
    }
    // What was given back before was not the loss's to take.
    let freed = format!(r#"allocate "m" on="a"; free "m" on="a"; {lost}; fill "m" value=1 on="a""#);
    for host in hosts(&freed) {
        let told = found(&host, "race");
        let is_of_nothing = told.len() == 1 && told[0].1.contains("nothing has allocated it");
        assert!(is_of_nothing, "{host}: {told:#?}");
    }
}

#[test]
fn a_replay_after_a_loss_begins_with_memory_that_nothing_has_allocated() {
    let source = workload(
        r#"buffer "m" f32=64 memory="stream-ordered"
        host "main" { fill "m" value=1 on="b"; allocate "m" on="a"; work micros=10 label="lose" }"#,
    );
    let capture = capture_with(RunRequest {
        name: "w".to_owned(),
        source,
        backend: "mock".to_owned(),
        lose: vec!["driver@label:lose".parse().unwrap()],
        recovery: RecoveryMode::Replay,
        ..RunRequest::default()
    });
    assert_eq!(capture.recoveries().len(), 1);
    let told: Vec<&str> = races(&capture).iter().map(|it| it.text.as_str()).collect();
    let of_nothing = told
        .iter()
        .filter(|it| it.contains("nothing has allocated it"));
    assert_eq!(of_nothing.count(), 1, "{told:#?}");
    assert!(
        told.iter().all(|it| !it.contains("the loss of the device")),
        "{told:#?}"
    );
}

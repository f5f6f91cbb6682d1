//! What the command line says of findings, and what it fails for.

use app::cli::{FAILED, FINE, WRONG};

use super::{json, syncline};

#[test]
fn findings_are_printed_where_they_are_asked_for() {
    let (_, out, _) = syncline(&["run", "missing-wait", "--backend", "mock", "--findings"]);
    assert!(
        out.contains("error race: launch “kernel” (line 18, on compute)"),
        "{out}"
    );
    assert!(out.contains("looked for"), "{out}");
    let (code, out, _) = syncline(&["run", "diamond", "--backend", "mock", "--findings"]);
    assert_eq!(code, FINE);
    assert!(out.contains("no race on a buffer, "), "{out}");
    let (_, out, _) = syncline(&["run", "diamond", "--backend", "mock"]);
    assert!(!out.contains("looked for"), "{out}");
}

#[test]
fn a_denied_finding_fails_the_run() {
    let mended = r#"
        stream "a"
        stream "b"
        buffer "x" f32=64
        host "main" { fill "x" value=1 on="a"; fill "x" value=2 on="b"; synchronize-device }
    "#;
    let (_folder, path) = super::file("racy.kdl", mended);
    let run = ["run", path.as_str(), "--backend", "mock"];
    assert_eq!(syncline(&run).0, FINE, "nothing is denied");
    let denied = [&run[..], &["--deny", "race"]].concat();
    let (code, out, _) = syncline(&denied);
    assert_eq!(code, FAILED);
    assert!(out.contains("race:"), "{out}");
    let clean = ["run", "diamond", "--backend", "mock", "--deny", "race"];
    assert_eq!(syncline(&clean).0, FINE);
    let (code, _, err) = syncline(&[&run[..], &["--deny", "rase"]].concat());
    assert_eq!(code, WRONG);
    assert!(err.contains("race"), "{err}");
}

#[test]
fn programs_read_findings_with_their_lines() {
    let run = [
        "run",
        "missing-wait",
        "--backend",
        "mock",
        "--format",
        "json",
    ];
    let found = json(&run);
    let race = &found["findings"][0];
    assert_eq!(race["code"], "race");
    assert_eq!(race["lines"], serde_json::json!([14, 18]));
    assert_eq!(found["looked"][0]["code"], "race");
}

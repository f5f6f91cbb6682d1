//! The priorities that a workload gives its streams are those that the driver is asked for, within what it has.

use super::{file, said, syncline_with};

/// Streams of the run, in the order of the file: on the stand-in priorities go from -5 to 0.
const SOURCE: &str = r#"
stream "urgent" priority=-3
stream "plain"
stream "too urgent" priority=-50
stream "blocking" priority=-1 blocking=#true
stream "lazy" priority=7
buffer "x" f32=16
host "main" {
    fill "x" value=1 on="urgent"
    synchronize-device
}
"#;

#[test]
fn streams_are_asked_for_with_their_priorities() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, SOURCE).to_string_lossy().into_owned();
    let noted = folder.path().join("streams.txt");
    let arguments = ["run", &path, "--backend", "cuda", "--format", "json"];
    let variables = [("SYNCLINE_STAND_IN_STREAMS", noted.to_str().unwrap())];
    let output = syncline_with(&arguments, &variables);
    assert!(output.status.success(), "{}", said(&output));
    let text = std::fs::read_to_string(&noted).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    // Those of the run are made first; the backend's own come after them, without a priority.
    let expected = [
        "flags 1 priority -3",
        "flags 1 priority 0",
        "flags 1 priority -5",
        "flags 0 priority -1",
        "flags 1 priority 0",
    ];
    assert_eq!(lines[..5], expected, "{text}");
    assert!(
        lines[5..].iter().all(|line| line.ends_with("priority 0")),
        "{text}"
    );
}

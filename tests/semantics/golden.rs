//! The text of a capture that comes out the same every time, kept as a file: what a change of meaning shows up in.

use engine::capture::{Capture, text};
use engine::runner::{RunRequest, run};

/// Set to write the file anew; the difference then tells what the change means.
const UPDATE: &str = "UPDATE_GOLDEN";

#[test]
fn a_deterministic_capture_reads_as_it_did() {
    let mut capture = Capture::new();
    let request = RunRequest {
        name: "fork".to_owned(),
        source: include_str!("golden/fork.kdl").to_owned(),
        backend: "mock".to_owned(),
        ..RunRequest::default()
    };
    run(request, |records| capture.apply(records)).unwrap();
    // The version is the only part that a release changes.
    let version = format!("by {}", env!("CARGO_PKG_VERSION"));
    let found = text(&capture).replace(&version, "by this version");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/semantics/golden/fork.txt");
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(path, &found).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap();
    for (line, (found, kept)) in found.lines().zip(kept.lines()).enumerate() {
        assert_eq!(
            found,
            kept,
            "line {} of {path}; {UPDATE}=1 writes it anew",
            line + 1
        );
    }
    assert_eq!(found, kept);
}

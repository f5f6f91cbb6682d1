//! Perfetto's own schema reads what we write, where its Python package is installed.

use std::process::Command;

use super::{sample, saved};

/// Parses a file strictly and prints how many slices, instants, counter values, tracks and arrows it holds.
const SCRIPT: &str = r#"
import sys
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
trace = Trace()
trace.ParseFromString(open(sys.argv[1], "rb").read())
def unknown(message, path):
    from google.protobuf.unknown_fields import UnknownFieldSet
    assert len(UnknownFieldSet(message)) == 0, path
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for each in value if field.is_repeated else [value]:
                unknown(each, path + "." + field.name)
tracks = {}
counts = {"begin": 0, "end": 0, "counter": 0, "lost": 0}
out, into = set(), set()
for packet in trace.packet:
    unknown(packet, "packet")
    if packet.HasField("track_descriptor"):
        tracks[packet.track_descriptor.uuid] = packet.track_descriptor
    if packet.HasField("track_event"):
        event = packet.track_event
        assert event.track_uuid in tracks or event.name == "Syncline capture", event
        counts["begin"] += event.type == TrackEvent.TYPE_SLICE_BEGIN
        counts["end"] += event.type == TrackEvent.TYPE_SLICE_END
        counts["counter"] += event.type == TrackEvent.TYPE_COUNTER
        out.update(event.flow_ids)
        into.update(event.terminating_flow_ids)
print(counts["begin"], counts["end"], counts["counter"], len(out & into))
"#;

#[test]
fn perfettos_schema_reads_a_sample() {
    let python = std::env::var("PERFETTO_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let probe = Command::new(&python)
        .args([
            "-c",
            "import perfetto.protos.perfetto.trace.perfetto_trace_pb2",
        ])
        .output();
    if !probe.is_ok_and(|output| output.status.success()) {
        eprintln!(
            "skipped: {python} has no package `perfetto`; PERFETTO_PYTHON names one that has"
        );
        return;
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), saved(&sample::records(), 1000)).unwrap();
    let output = Command::new(&python)
        .args(["-c", SCRIPT])
        .arg(file.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    // Seven spans, three samples, four ties.
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "7 7 3 4");
}

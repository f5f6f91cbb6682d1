//! The examples of the engine do what they say: each is run on something whose answer is known.

#[expect(dead_code, reason = "what runs it from the command line")]
#[path = "../../engine/examples/arrows.rs"]
mod arrows;
#[expect(dead_code, reason = "what runs it from the command line")]
#[path = "../../engine/examples/busiest_stream.rs"]
mod busiest_stream;
#[expect(dead_code, reason = "what runs it from the command line")]
#[path = "../../engine/examples/longest_gap.rs"]
mod longest_gap;
#[expect(dead_code, reason = "what runs it from the command line")]
#[path = "../../engine/examples/table_importer.rs"]
mod table_importer;

use std::path::PathBuf;

use engine::time::Nanos;

use crate::house::root;

/// Two streams of which one has a gap, and two lines that are none.
const TABLE: &str = "stream\tname\tstart\tduration\n\
                     a\tgemm\t0\t100\na\tgemm\t50\t200\na\tcopy\t400\t10\n\
                     b\tcopy\t5\t20\nb\tcopy\tsoon\t20\nno columns\n";

fn table(folder: &tempfile::TempDir) -> PathBuf {
    let path = folder.path().join("spans.tsv");
    std::fs::write(&path, TABLE).unwrap();
    path
}

#[test]
fn an_importer_of_ones_own_reads_lines_and_counts_what_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let (capture, receipt) = table_importer::open(&table(&folder)).unwrap();
    assert_eq!((receipt.events, receipt.dropped), (4, 2));
    let names: Vec<_> = capture.lanes().iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    let ends = capture.spans().map(|it| it.span.end);
    assert_eq!(ends.max(), Some(Nanos(410)));
}

#[test]
fn an_analysis_of_ones_own_finds_the_gap_behind_what_overlaps() {
    use engine::analysis::Analysis as _;

    let folder = tempfile::tempdir().unwrap();
    let (capture, _) = table_importer::open(&table(&folder)).unwrap();
    let findings = longest_gap::LongestGap::default().run(&capture);
    let texts: Vec<_> = findings.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(texts, ["a ran nothing for 150 ns"]);
}

#[test]
fn the_busiest_stream_comes_first() {
    let path = root().join("tests/data/captures/jax-devices.xplane.pb.gz");
    let text = busiest_stream::streams(std::slice::from_ref(&path)).unwrap();
    let busy: Vec<i64> = text
        .lines()
        .map(|line| {
            let (_, rest) = line.split_once("busy for ").unwrap();
            let (time, _) = rest.split_once(" ns").unwrap();
            time.replace(' ', "").parse().unwrap()
        })
        .collect();
    assert_eq!(busy.len(), 4);
    assert!(busy.is_sorted_by(|a, b| a >= b), "{text}");
    assert_eq!(longest_gap::gaps(&[path]).unwrap().lines().count(), 4);
}

#[test]
fn the_arrows_of_a_fork_lead_from_one_record_to_every_wait() {
    let text = arrows::arrows("fork-join", "mock").unwrap();
    let enforced = text.lines().filter(|it| it.ends_with("event, enforced"));
    let causes: Vec<_> = enforced.filter_map(|it| it.split(" -> ").next()).collect();
    let first = causes.first().copied().unwrap();
    assert!(
        causes.iter().filter(|it| **it == first).count() > 1,
        "{text}"
    );
}

//! How long the spans of each name took, against a count over the spans themselves that looks at every instant.

use std::collections::BTreeMap;
use std::path::PathBuf;

use engine::capture::{Capture, PlacedSpan};
use engine::record::Role;
use serde_json::Value;

use super::lines;
use crate::formats::real::open;
use crate::house::root;

/// What the command says of the spans of a name.
#[derive(Debug, Default, PartialEq)]
struct Counted {
    lengths: Vec<i64>,
    own: i64,
    lanes: Vec<String>,
}

type CountedNames = BTreeMap<(String, String, String), Counted>;

/// Counts the spans of a stretch by looking, between any two instants at which something changes, for what began last.
fn count(capture: &Capture, from: i64, to: i64) -> CountedNames {
    let mut names = CountedNames::new();
    let lanes = capture.lanes().iter().filter(|it| it.role != Role::Queue);
    for lane in lanes {
        let overlaps = |it: &PlacedSpan| {
            let (start, end) = (it.span.start.0, it.span.end.0);
            it.span.lane == lane.id && start < to && (end > from || (start == end && start >= from))
        };
        let mut spans: Vec<PlacedSpan> = capture.spans().filter(overlaps).collect();
        spans.sort_by_key(|it| (it.span.start.0, -it.span.end.0, it.depth));
        let key = |it: &PlacedSpan| {
            let name = capture.name(it.span.name).to_owned();
            let kind = it.span.kind.label().to_owned();
            (name, kind, lane.group.label().to_owned())
        };
        let mut instants: Vec<i64> = vec![from, to];
        for it in &spans {
            let counted = names.entry(key(it)).or_default();
            counted.lengths.push(it.span.end.0 - it.span.start.0);
            let title = capture.lane_title(lane.id).into_owned();
            if !counted.lanes.contains(&title) {
                counted.lanes.push(title);
            }
            instants.extend([it.span.start.0, it.span.end.0]);
        }
        instants.retain(|it| (from..=to).contains(it));
        instants.sort_unstable();
        instants.dedup();
        for pair in instants.windows(2) {
            let runs = |it: &&PlacedSpan| it.span.start.0 <= pair[0] && it.span.end.0 >= pair[1];
            if let Some(last) = spans.iter().rev().find(runs) {
                names.entry(key(last)).or_default().own += pair[1] - pair[0];
            }
        }
    }
    names
}

/// The length that so many hundredths of them do not exceed.
fn quantile(sorted: &[i64], hundredths: usize) -> i64 {
    let rank = (sorted.len() * hundredths).div_ceil(100);
    sorted[rank.saturating_sub(1)]
}

fn compare(rows: &[Value], mut counted: CountedNames, of: &str) {
    for row in rows {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let number = |key: &str| row[key].as_i64().unwrap();
        let key = (text("name"), text("kind"), text("group"));
        let mut found = counted
            .remove(&key)
            .unwrap_or_else(|| panic!("{of}: {key:?} is not there, or twice"));
        found.lengths.sort_unstable();
        let total: i64 = found.lengths.iter().sum();
        let count = found.lengths.len() as i64;
        let said = ["count", "total_ns", "self_ns", "mean_ns", "min_ns"].map(number);
        let least = found.lengths[0];
        let expected = [count, total, found.own, total / count, least];
        assert_eq!(said, expected, "{of}: {key:?}");
        let said = ["median_ns", "p95_ns", "max_ns"].map(number);
        let [lower, upper] = [1, 0].map(|it| found.lengths[(found.lengths.len() - it) / 2]);
        let [p95, max] = [95, 100].map(|it| quantile(&found.lengths, it));
        let expected = [i64::midpoint(lower, upper), p95, max];
        assert_eq!(said, expected, "{of}: {key:?}");
        assert_eq!(number("lanes"), found.lanes.len() as i64, "{of}: {key:?}");
        assert!(found.lanes.contains(&text("lane")), "{of}: {key:?}");
    }
    assert!(counted.is_empty(), "{of}: missing {:?}", counted.keys());
}

/// Files that lie in the project: calls in calls, several threads, streams and ranks.
const FILES: &[&str] = &[
    "captures/torch-steps.json.gz",
    "captures/torch-gloo-rank0.json.gz",
    "captures/uftrace.json.gz",
    "captures/viztracer.json.gz",
    "captures/nesting.json",
    "captures/jax-devices.xplane.pb.gz",
    "captures/wgpu-profiler.json",
    "captures/tracing-chrome-async.json.gz",
    "causes/fork_join.json",
];

#[test]
fn operations_are_as_long_as_their_spans() {
    let mut compared = 0;
    for name in FILES {
        let files: Vec<PathBuf> = vec![root().join("tests/data").join(name)];
        let (capture, _) = open(&files);
        let all = capture.extent().unwrap();
        let rows = lines("statistics", &files, &[]);
        compare(&rows, count(&capture, all.start.0, all.end.0 + 1), name);
        let (third, length) = (all.start.0 + all.length().0 / 3, all.length().0 / 4);
        let range = format!("{third}ns..{}ns", third + length);
        let rows = lines("statistics", &files, &["--range", &range]);
        let expected = count(&capture, third, third + length);
        compare(&rows, expected, &format!("{name}, {range}"));
        compared += rows.len();
    }
    assert!(compared > 100, "{compared} rows");
}

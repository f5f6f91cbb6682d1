//! Of two spans of a thread the one that contains the other is drawn above it, however spans overlap in part.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::PathBuf;

use engine::capture::Capture;
use engine::record::{Group, LaneId};

use crate::formats::real;
use crate::house::root;

/// A span of a lane: start, end and depth.
type Drawn = (i64, i64, u32);

/// How many spans are drawn beside or above one that contains them, and how many there are, by a walk that knows nothing of
/// rows.
fn misplaced(capture: &Capture) -> (usize, usize) {
    let mut lanes: BTreeMap<LaneId, Vec<Drawn>> = BTreeMap::new();
    for placed in capture.spans() {
        let lane = placed.span.lane;
        if capture.lane(lane).is_some_and(|it| it.group == Group::Host) {
            let (start, end) = (placed.span.start.0, placed.span.end.0);
            lanes
                .entry(lane)
                .or_default()
                .push((start, end, placed.depth));
        }
    }
    let mut found = (0, 0);
    for mut spans in lanes.into_values() {
        spans.sort_by_key(|&(start, end, _)| (start, Reverse(end)));
        let mut around: Vec<Drawn> = Vec::new();
        for span in spans {
            let (start, end, depth) = span;
            around.retain(|it| it.1 > start);
            let contains = |it: &&Drawn| it.1 >= end && (it.0, it.1) != (start, end) && it.1 > it.0;
            found.0 += usize::from(around.iter().filter(contains).any(|it| it.2 >= depth));
            found.1 += 1;
            around.push(span);
        }
    }
    found
}

#[test]
fn containment_decides_the_depth() {
    let small = ["nesting.json", "torch-steps.json.gz", "viztracer.json.gz"];
    let mut paths: Vec<PathBuf> = small
        .iter()
        .map(|it| root().join("tests/data/captures").join(it))
        .collect();
    let large = [
        "fresh/chromium.json.gz",
        "fresh/chromium.pftrace.gz",
        "fresh/torch-plain.json.gz",
    ];
    paths.extend(large.iter().filter_map(|it| real::path(it)));
    for path in paths {
        let (capture, _) = real::open(std::slice::from_ref(&path));
        let (misplaced, all) = misplaced(&capture);
        assert!(all > 0, "{}", path.display());
        assert_eq!(misplaced, 0, "of {all} in {}", path.display());
    }
}

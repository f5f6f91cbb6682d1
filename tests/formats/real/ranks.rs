//! Eight ranks of one PyTorch run as one capture, against what `tests/oracle/ranks.py` counted.

use std::collections::BTreeMap;
use std::path::PathBuf;

use engine::capture::Capture;
use engine::exporter::EXPORTERS;
use engine::importer::MergedFile;
use engine::merge::ClockAlignment;
use engine::record::{Basis, Dependency, DependencyId, DependencyKind, Group, SpanId, SpanKind};
use engine::time::Interval;
use serde_json::Value;

use super::{open, path, ties};
use crate::house::read;

/// The ranks' counts, and the capture of all of them; nothing where a file is not there.
fn ranks() -> Option<(Vec<Value>, Capture, Vec<MergedFile>)> {
    let table: Value = serde_json::from_str(&read("tests/oracle/ranks.json")).unwrap();
    let table = table.as_object().unwrap();
    let paths: Option<Vec<PathBuf>> = table.keys().map(|name| path(name)).collect();
    let (capture, parts) = open(&paths?);
    Some((table.values().cloned().collect(), capture, parts))
}

fn is_work(kind: SpanKind) -> bool {
    use SpanKind::{Copy, Download, Fill, Kernel, Upload};
    matches!(kind, Kernel | Upload | Download | Copy | Fill)
}

#[test]
fn each_rank_keeps_its_work_and_lies_on_one_clock() {
    let Some((expected, capture, parts)) = ranks() else {
        return;
    };
    let mut firsts = Vec::new();
    for (place, (part, counted)) in parts.iter().zip(&expected).enumerate() {
        let label = format!("rank {place}");
        assert_eq!(part.label, label);
        let lanes = capture.lanes().iter();
        let own = lanes.filter(|it| part.lanes.contains(&it.id.0));
        let own: Vec<_> = own.filter(|it| it.group == Group::Streams).collect();
        assert!(own.iter().all(|it| it.name.starts_with(&label)));
        let work: Vec<_> = capture
            .spans()
            .filter(|it| part.lanes.contains(&it.span.lane.0) && is_work(it.span.kind))
            .collect();
        assert_eq!(Some(work.len() as u64), counted["work"].as_u64(), "{label}");
        let first = work.iter().map(|it| it.span.start).min().unwrap();
        firsts.push(first.0 - counted["first_ns"].as_i64().unwrap());
        let how = if place == 0 {
            ClockAlignment::First
        } else {
            ClockAlignment::Clock
        };
        assert_eq!(part.aligned, how, "{label}");
    }
    // One number takes the times of every file to those of the capture.
    assert!(firsts.iter().all(|it| *it == firsts[0]), "{firsts:?}");
}

#[test]
fn exchanges_are_tied_across_all_ranks_and_meet_in_time() {
    let Some((expected, capture, parts)) = ranks() else {
        return;
    };
    let exchanges: u64 = expected[0]["exchanges"]
        .as_object()
        .unwrap()
        .values()
        .map(|it| it.as_u64().unwrap())
        .sum();
    let collective = |tie: &Dependency| tie.kind == DependencyKind::Collective;
    let others = parts.len() as u64 - 1;
    assert_eq!(ties(&capture, collective) as u64, exchanges * others);
    let inferred = |tie: &Dependency| collective(tie) && tie.basis == Basis::Inferred;
    assert_eq!(ties(&capture, inferred), ties(&capture, collective));
    let mut met: BTreeMap<SpanId, Vec<SpanId>> = BTreeMap::new();
    for placed in capture.spans() {
        for tie in capture
            .causes(placed.span.id)
            .filter_map(|id| capture.dependency(id))
        {
            if collective(&tie) {
                met.entry(tie.cause).or_default().push(tie.effect);
            }
        }
    }
    for (last, rest) in met {
        let of = |id: SpanId| capture.span(id).unwrap();
        let all: Vec<_> = rest.iter().copied().chain([last]).map(of).collect();
        // All ranks are in an exchange at once, or it would not be one.
        let start = all.iter().map(|it| it.span.start).max().unwrap();
        let end = all.iter().map(|it| it.span.end).min().unwrap();
        assert!(start < end, "{:?}", Interval { start, end });
        assert_eq!(of(last).span.start, start);
        let owners: Vec<_> = all
            .iter()
            .filter_map(|it| {
                parts
                    .iter()
                    .position(|part| part.lanes.contains(&it.span.lane.0))
            })
            .collect();
        let mut distinct = owners.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), parts.len(), "{owners:?}");
    }
}

/// What is written as Chrome JSON comes back: streams, operations, and every dependency with what ties it and how that
/// is known.
#[test]
fn eight_ranks_come_back_from_chrome_json() {
    let Some((_, capture, _)) = ranks() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.json");
    let exporter = EXPORTERS
        .iter()
        .find(|it| it.extension() == "json")
        .unwrap();
    let mut bytes = Vec::new();
    exporter.write(&capture, &mut bytes).unwrap();
    std::fs::write(&path, bytes).unwrap();
    let (back, _) = open(&[path]);
    let told = |capture: &Capture| {
        let mut told: BTreeMap<String, usize> = BTreeMap::new();
        for id in (0..capture.dependency_count() as u32).map(DependencyId) {
            let tie = capture.dependency(id).unwrap();
            let said = format!("{} {}", tie.kind.label(), tie.basis.label());
            *told.entry(said).or_default() += 1;
        }
        for placed in capture.spans().filter(|it| is_work(it.span.kind)) {
            *told.entry(placed.span.kind.label().to_owned()).or_default() += 1;
        }
        let streams = capture
            .lanes()
            .iter()
            .filter(|it| it.group == Group::Streams);
        told.insert("streams".to_owned(), streams.count());
        told
    };
    assert_eq!(told(&back), told(&capture));
}

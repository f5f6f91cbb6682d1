//! Captures that other people's tools made, where they are at hand: their counts are those of an independent script.

mod ascend;
mod complete;
mod extracted;
mod perfetto;
mod ranks;

use std::ops::ControlFlow;
use std::path::PathBuf;

use engine::capture::Capture;
use engine::importer::{MergedFile, open_all};
use engine::record::DependencyId;

use crate::house::root;

/// The file or folder of this name in the folder that `SYNCLINE_CAPTURES` names; nothing, and a word why, where it is not there.
pub fn path(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("SYNCLINE_CAPTURES");
    let folder = folder.map_or_else(|| root().join("../shared/captures"), PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!(
        "skipped: {} is not there; SYNCLINE_CAPTURES names the folder of captures",
        path.display()
    );
    None
}

/// The capture of some files, of which nothing is ever dropped.
pub fn open(paths: &[PathBuf]) -> (Capture, Vec<MergedFile>) {
    let mut capture = Capture::new();
    let parts = open_all(paths, &mut |batch| {
        capture.apply(batch.records);
        ControlFlow::Continue(())
    });
    let parts = parts.unwrap();
    for part in &parts {
        assert_eq!(part.receipt.dropped, 0, "{}", part.path.display());
        let repairs: u64 = part.receipt.repairs.iter().map(|(_, count)| count).sum();
        assert_eq!(part.receipt.repaired, repairs, "{}", part.path.display());
    }
    (capture, parts)
}

/// How many dependencies hold a predicate.
pub fn ties(capture: &Capture, holds: impl Fn(&engine::record::Dependency) -> bool) -> usize {
    let ids = (0..capture.dependency_count() as u32).map(DependencyId);
    ids.filter_map(|id| capture.dependency(id))
        .filter(holds)
        .count()
}

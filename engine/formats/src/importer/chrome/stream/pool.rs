//! Threads that scan stretches.

use std::num::NonZeroUsize;
use std::thread::{Scope, available_parallelism};

use crossbeam_channel::{Receiver, Sender, bounded};

use super::feed::{BlockReader, FileBlock, SpareBuffers};
use crate::importer::chrome::scan::{ParsedStretch, StretchScanner};

/// More threads than this only wait for the one that takes what they read.
const MOST: usize = 6;

/// A stretch that was scanned.
pub struct ScannedBlock {
    pub block: FileBlock,
    pub parsed: ParsedStretch,
    /// Which scanner did it.
    pub scanner: usize,
}

/// The threads at work.
pub struct ScannerPool {
    pub results: Receiver<ScannedBlock>,
    pub spare: Sender<SpareBuffers>,
    /// How many scanners there are.
    pub scanners: usize,
}

/// Starts the threads: one reads, the others scan, and pack the fields of spans where that is wanted. They end when the pool is dropped.
pub fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    feed: BlockReader<Box<dyn std::io::Read + Send>>,
    packs: bool,
) -> ScannerPool {
    let cores = available_parallelism().map_or(1, NonZeroUsize::get);
    let scanners = cores.clamp(1, MOST);
    let buffers = scanners * 2 + 2;
    let (spare, spares) = bounded(buffers);
    for _ in 0..buffers {
        // There is room for each.
        drop(spare.send(SpareBuffers::default()));
    }
    let (blocks, next) = bounded::<FileBlock>(buffers);
    let (out, results) = bounded(buffers);
    spawn(scope, "read", move || feed.run(&spares, &blocks));
    for number in 0..scanners {
        let (next, out) = (next.clone(), out.clone());
        spawn(scope, "scan", move || {
            let mut scanner = StretchScanner::new(packs);
            while let Ok(mut block) = next.recv() {
                let lists = std::mem::take(&mut block.lists);
                let parsed = scanner.scan(&block.bytes, lists);
                let done = ScannedBlock {
                    block,
                    parsed,
                    scanner: number,
                };
                if out.send(done).is_err() {
                    return;
                }
            }
        });
    }
    ScannerPool {
        results,
        spare,
        scanners,
    }
}

/// Starts a thread by name; where the system has none left, the file ends early, which is told.
fn spawn<'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() + Send + 'scope,
) {
    let named = std::thread::Builder::new().name(name.to_owned());
    drop(named.spawn_scoped(scope, work));
}

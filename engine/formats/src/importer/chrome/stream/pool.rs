//! Threads that scan stretches.

use std::io;
use std::num::NonZeroUsize;
use std::thread::{Scope, available_parallelism};

use crossbeam_channel::{Receiver, Sender, bounded};

use super::stretch_reader::{BlockReader, FileBlock, SpareBuffers};
use crate::importer::chrome::scan::{ParsedStretch, StretchScanner};
use crate::importer::error::MissingThread;

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
    /// Why nothing will be read, where the system gave too few threads.
    pub failed: Option<io::Error>,
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
    let reading = spawn(scope, "read", move || feed.run(&spares, &blocks));
    let mut scanning = Vec::new();
    for number in 0..scanners {
        let (next, out) = (next.clone(), out.clone());
        scanning.push(spawn(scope, "scan", move || {
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
        }));
    }
    ScannerPool {
        results,
        spare,
        scanners,
        failed: lacking(reading, scanning),
    }
}

/// Why nothing is read: there is no thread that reads, or none that scans.
fn lacking(reading: io::Result<()>, scanning: Vec<io::Result<()>>) -> Option<io::Error> {
    let is_scanned = scanning.iter().any(Result::is_ok);
    let mut results = std::iter::once(reading).chain(scanning);
    let first = results.next()?;
    let error = match first {
        Err(error) => error,
        Ok(()) if is_scanned => return None,
        Ok(()) => results.find_map(Result::err)?,
    };
    Some(MissingThread::told(error))
}

/// Starts a thread by name.
fn spawn<'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() + Send + 'scope,
) -> io::Result<()> {
    let named = std::thread::Builder::new().name(name.to_owned());
    named.spawn_scoped(scope, work).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::importer::ImportError;

    #[test]
    fn a_file_is_read_where_one_thread_reads_and_one_scans() {
        let none = || Err(io::Error::from(io::ErrorKind::WouldBlock));
        assert!(lacking(Ok(()), vec![none(), Ok(())]).is_none());
        for (reading, scanning) in [
            (none(), vec![Ok(())]),
            (Ok(()), vec![none(), none()]),
            (none(), vec![none()]),
        ] {
            let error = lacking(reading, scanning).unwrap();
            assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
            let told = ImportError::from_io("a.json".as_ref(), error).to_string();
            assert!(
                told.contains("no thread") && !told.contains("disk"),
                "{told}"
            );
        }
    }
}

//! Watches a file being read: how far, whether its packing is damaged, and whether it unpacks to more than it may.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A file may unpack to so many times its bytes, and [`FREE`] more. Captures come to 10 to 40 times.
const MOST: u64 = 200;
/// What every file may unpack to, whatever its own length.
const FREE: u64 = 64 << 20;

/// What is known of the reading of a file.
#[derive(Debug, Default)]
pub(in crate::importer) struct ReadMeter {
    read: AtomicU64,
    failed: AtomicBool,
    /// Whether the file ends within its packing.
    cut: AtomicBool,
    damage: Mutex<Option<String>>,
}

impl ReadMeter {
    /// Forgets the reading before.
    pub(super) fn reset(&self) {
        self.read.store(0, Ordering::Relaxed);
        self.failed.store(false, Ordering::Relaxed);
        self.cut.store(false, Ordering::Relaxed);
        *self.damage.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Bytes of the file that were read, packed as it is.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    pub(super) fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    pub(super) fn damage(&self) -> Option<String> {
        self.damage
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// A reader that is counted.
    pub(super) fn over(self: &Arc<Self>, inner: Box<dyn Read + Send>) -> MeteredReader {
        MeteredReader {
            inner,
            meter: Arc::clone(self),
        }
    }
}

/// Counts what is read from a file.
pub(super) struct MeteredReader {
    inner: Box<dyn Read + Send>,
    meter: Arc<ReadMeter>,
}

impl Read for MeteredReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let answer = self.inner.read(into);
        match &answer {
            Ok(count) => {
                self.meter.read.fetch_add(*count as u64, Ordering::Relaxed);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.meter.failed.store(true, Ordering::Relaxed),
        }
        answer
    }
}

/// Ends where the packing is damaged or unpacks to more than it may, and notes why.
pub(super) struct UnpackGuard {
    inner: Box<dyn Read + Send>,
    meter: Arc<ReadMeter>,
    given: u64,
    over: bool,
}

impl UnpackGuard {
    pub fn new(inner: Box<dyn Read + Send>, meter: Arc<ReadMeter>) -> Self {
        let (given, over) = (0, false);
        Self {
            inner,
            meter,
            given,
            over,
        }
    }

    fn stop(&mut self, why: String) -> usize {
        self.over = true;
        *self
            .meter
            .damage
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(why);
        0
    }
}

impl Read for UnpackGuard {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.over {
            return Ok(0);
        }
        match self.inner.read(into) {
            Ok(count) => {
                self.given += count as u64;
                let read = self.meter.read();
                if self.given > read.saturating_mul(MOST).saturating_add(FREE) {
                    let why = format!(
                        "its first {read} bytes unpack to more than {MOST} times as many, as no capture does; \
                         what follows was left out. If that is meant, unpack it first."
                    );
                    return Ok(self.stop(why));
                }
                Ok(count)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) if self.meter.failed.load(Ordering::Relaxed) => Err(error),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                Ok(self.stop(error.to_string()))
            }
            Err(error) => {
                let is_cut = error.kind() == io::ErrorKind::UnexpectedEof;
                self.meter.cut.store(is_cut, Ordering::Relaxed);
                let how = if is_cut { "breaks off" } else { "is damaged" };
                let why = format!(
                    "its packing {how} ({error}), after {} bytes of what is in it; what follows was left out. If it was copied, \
                     copy it again.",
                    self.given
                );
                Ok(self.stop(why))
            }
        }
    }
}

//! What a file of its length can hold at most: a damaged table that turns in circles ends there.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Bytes that a row of any table takes at least.
const ROW: u64 = 8;
/// How fast reading is at the very least, in bytes a second, besides [`GRACE`].
const SLOWEST: u64 = 2 << 20;
/// How long any file may take.
const GRACE: Duration = Duration::from_secs(10);

/// Rows, text and time that may still be spent on one file, by all threads that read it.
#[derive(Debug)]
pub(in crate::importer) struct ReadBudget {
    rows: AtomicI64,
    text: AtomicI64,
    /// Nanoseconds; waiting for the one who takes the rows does not count.
    time: AtomicU64,
    limit: Duration,
}

impl ReadBudget {
    /// For a file of `length` bytes.
    pub fn new(length: u64) -> Self {
        Self {
            rows: AtomicI64::new((length / ROW + 64) as i64),
            text: AtomicI64::new((length + (1 << 16)) as i64),
            time: AtomicU64::new(0),
            limit: GRACE + Duration::from_secs(length / SLOWEST),
        }
    }

    /// Takes rows and bytes of text; says no where the file cannot hold that many.
    pub fn take(&self, rows: usize, text: usize) -> bool {
        let rows = self.rows.fetch_sub(rows as i64, Ordering::Relaxed) - rows as i64;
        let text = self.text.fetch_sub(text as i64, Ordering::Relaxed) - text as i64;
        rows >= 0 && text >= 0
    }
}

/// The time that one thread spends reading.
#[derive(Debug, Default)]
pub(super) struct ReadTimer {
    since: Mutex<Option<Instant>>,
}

impl ReadTimer {
    /// Time runs from now on.
    pub fn start(&self) {
        if let Ok(mut since) = self.since.lock() {
            *since = Some(Instant::now());
        }
    }

    /// Time stands still until the next start, and what passed is counted.
    pub fn stop(&self, budget: &ReadBudget) {
        if let Ok(mut since) = self.since.lock()
            && let Some(since) = since.take()
        {
            let spent = since.elapsed().as_nanos() as u64;
            budget.time.fetch_add(spent, Ordering::Relaxed);
        }
    }

    /// Whether the file has taken more time than any whole one does.
    pub fn is_over(&self, budget: &ReadBudget) -> bool {
        let running = match self.since.lock() {
            Ok(since) => since.map_or(Duration::ZERO, |since| since.elapsed()),
            Err(_) => Duration::ZERO,
        };
        Duration::from_nanos(budget.time.load(Ordering::Relaxed)) + running > budget.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_only_so_many_rows() {
        let budget = ReadBudget::new(8_000);
        assert!(budget.take(1_000, 8_000));
        assert!(!budget.take(1_000, 0), "more rows than bytes for them");
        assert!(
            !ReadBudget::new(8_000).take(0, 80_000),
            "more text than bytes"
        );
    }
}

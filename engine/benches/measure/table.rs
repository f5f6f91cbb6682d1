//! A table of how long it takes to go through the same bytes in several ways.

/// Prints a line for each way, with its ratio to the one that all are compared with.
pub struct ResultTable {
    count: f64,
    megabytes: f64,
    baseline: f64,
}

impl ResultTable {
    /// Prints the heading. There are so many things, such as `packets`, in so many megabytes, and the one that all ways are
    /// compared with takes so many seconds.
    pub fn new((count, things): (f64, &str), megabytes: f64, baseline: f64) -> Self {
        let rate = format!("{things}/s");
        eprintln!(
            "{:<44}{:>9}{:>10}{rate:>14}{:>8}",
            "what", "ms", "MB/s", "ratio"
        );
        Self {
            count,
            megabytes,
            baseline,
        }
    }

    /// Prints a line.
    pub fn line(&self, what: &str, seconds: f64) {
        eprintln!(
            "{what:<44}{:>9.0}{:>10.0}{:>14.0}{:>8.2}",
            seconds * 1e3,
            self.megabytes / seconds,
            self.count / seconds,
            self.baseline / seconds
        );
    }
}

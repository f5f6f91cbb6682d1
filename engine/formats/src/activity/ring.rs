//! How much of the last stretch of time is kept: a ring of bounded size on the disk.

use serde::{Deserialize, Serialize};

/// How long a stretch of time is kept, and in how many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RingLimit {
    /// How long, in nanoseconds.
    pub nanos: u64,
    /// How many bytes its files have at most.
    pub bytes: u64,
}

impl RingLimit {
    /// The fewest bytes of a ring: sixteen segments of what CUPTI hands over at once.
    pub const SMALLEST: u64 = 4_000_000;
    /// The bytes of a ring for which nobody named any.
    pub const USUAL: u64 = 1_000_000_000;

    /// A ring of so many nanoseconds in so many bytes.
    ///
    /// # Errors
    /// It would keep nothing: why, and what to name.
    pub fn new(nanos: u64, bytes: u64) -> Result<Self, String> {
        if nanos == 0 {
            return Err(
                "the last 0 s are nothing: name how long a stretch is kept, such as 10s".to_owned(),
            );
        }
        if bytes < Self::SMALLEST {
            return Err(format!(
                "a ring of {} is too small: what is recorded is kept in pieces of 250 kB at least, and the ring has to hold \
                 sixteen of them; name {} or more",
                megabytes(bytes),
                megabytes(Self::SMALLEST)
            ));
        }
        Ok(Self { nanos, bytes })
    }
}

/// That the ring had no room for the whole stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingExcess {
    /// Bytes that it may have.
    pub bytes: u64,
    /// Bytes that would have held the stretch, as far as that can be told.
    pub wanted: u64,
    /// How long a stretch it held, in nanoseconds; nothing where one segment alone is larger than the ring.
    pub held: Option<u64>,
}

impl RingExcess {
    /// The same in words, and what to do.
    pub fn text(&self) -> String {
        let ring = megabytes(self.bytes);
        let name = megabytes(self.wanted);
        match self.held {
            Some(held) => format!(
                "The ring of {ring} had room for about the last {} of what it did: name {name} or more behind the time, with a comma.",
                seconds(rounded(held))
            ),
            None => format!(
                "What is written at once is larger than the ring of {ring}, and was kept whole: name {name} or more behind the \
                 time, with a comma."
            ),
        }
    }
}

/// Seconds in words.
pub(super) fn seconds(nanos: u64) -> String {
    format!("{} s", nanos as f64 / 1e9)
}

/// A number with its first two digits alone, rounded down.
const fn rounded(number: u64) -> u64 {
    match number.checked_ilog10() {
        Some(digits @ 2..) => number - number % 10_u64.pow(digits - 1),
        _ => number,
    }
}

/// Bytes in words, rounded up.
fn megabytes(bytes: u64) -> String {
    if bytes < 1_000_000 {
        format!("{} kB", bytes.div_ceil(1000))
    } else {
        format!("{} MB", bytes.div_ceil(1_000_000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_that_holds_nothing_says_what_to_name() {
        let small = RingLimit::new(1, 200_000).unwrap_err();
        assert!(
            small.contains("200 kB") && small.contains("4 MB"),
            "{small}"
        );
        assert!(RingLimit::new(0, RingLimit::USUAL).is_err());
        assert!(RingLimit::new(1, RingLimit::SMALLEST).is_ok());
    }

    #[test]
    fn a_full_ring_says_what_it_held_and_what_to_name() {
        let excess = RingExcess {
            bytes: 4_000_000,
            wanted: 11_000_001,
            held: Some(3_578_362_891),
        };
        let text = excess.text();
        assert!(
            text.contains("4 MB") && text.contains("3.5 s") && text.contains("12 MB"),
            "{text}"
        );
        let whole = RingExcess {
            held: None,
            ..excess
        };
        assert!(whole.text().contains("kept whole"));
    }
}

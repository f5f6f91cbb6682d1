//! Formats that only their maker can read: each with the command that writes one that Syncline opens.

/// A format that is known and cannot be opened.
#[derive(Clone, Copy, Debug)]
pub struct Refused {
    /// What the file is, such as `a report of Nsight Systems`.
    pub name: &'static str,
    /// Whether a file that begins with these bytes is of the format.
    pub recognises: fn(&[u8]) -> bool,
    /// What to do instead: the command that exports it, as a sentence without its first capital or last full stop.
    pub instead: &'static str,
}

/// Every format that is known and cannot be opened.
pub const REFUSED: &[Refused] = &[];

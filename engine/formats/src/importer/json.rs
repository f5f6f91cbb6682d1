//! What all formats in JSON share: the scanner that finds where values end, and a file of which only a part is in memory.

pub(super) mod cursor;
pub(super) mod window;

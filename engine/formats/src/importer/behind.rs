//! What follows the end of a file in the same file, as `cat` and gzip join them.

use super::{IMPORTERS, sqlite};

/// So much of what follows is looked at.
pub(super) const LOOKED_AT: u64 = 1 << 16;

/// Whether what follows looks like another capture, packed or not; nothing where it is empty space.
pub(super) fn is_capture(rest: &[u8]) -> Option<bool> {
    // Room that was set aside, lines, and marks of the order of bytes and of records.
    let passed = |it: &u8| it.is_ascii_whitespace() || b"\0\x1E\xEF\xBB\xBF".contains(it);
    let first = rest.iter().position(|it| !passed(it))?;
    let rest = rest.get(first..)?;
    let packed: [&[u8]; 3] = [b"\x1F\x8B", b"\x28\xB5\x2F\xFD", b"PK\x03\x04"];
    let is_packed = packed.iter().any(|it| rest.starts_with(it));
    let mut formats = IMPORTERS.iter();
    Some(is_packed || sqlite::is_database(rest) || formats.any(|it| it.recognises(rest)))
}

//! Files that are read whole, block by block.

use std::io::{self, Read};

use super::table_writer::StopCheck;

/// Bytes that are read at once.
const BLOCK: usize = 1 << 20;

/// Hands the bytes of a file to `take`. `is_stopped` is asked between blocks.
///
/// # Errors
/// It cannot be read, or `is_stopped` says so, which is an error of the kind `Interrupted`.
pub(crate) fn read_blocks(
    mut file: impl Read,
    is_stopped: &StopCheck<'_>,
    take: &mut dyn FnMut(&[u8]),
) -> io::Result<()> {
    let mut block = vec![0; BLOCK];
    loop {
        if is_stopped() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match file.read(&mut block) {
            Ok(0) => return Ok(()),
            Ok(read) => take(block.get(..read).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

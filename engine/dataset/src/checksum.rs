//! The checksum of a file, which stands in its own end. Some engines read a changed byte as if it were right.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use crc32fast::Hasher;

use super::file_blocks::read_blocks;
use super::table_writer::StopCheck;

/// Under which word the end of a file has it.
pub(crate) const CHECKSUM: &str = "syncline.crc32";
/// What stands there while it is calculated.
pub(crate) const NO_DIGITS: &str = "00000000";
/// How the word stands there, and that eight digits follow.
const SIGN: &[u8] = b"\x18\x0esyncline.crc32\x18\x08";
/// It is the last of the words, behind which there is little else.
const TAIL: usize = 4096;
/// What the checksum of a file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChecksumVerdict {
    /// All bytes are those that were written.
    Right,
    /// Some are others.
    Wrong,
    /// There is no checksum.
    Absent,
}

/// Puts the checksum of a file's bytes into their end. Nothing where no place was left for it.
pub(crate) fn seal(bytes: &mut [u8]) -> Option<()> {
    let place = place(bytes)?;
    let digits = digits(crc32fast::hash(bytes));
    let own = bytes.get_mut(place..place + NO_DIGITS.len())?;
    own.copy_from_slice(digits.as_bytes());
    Some(())
}

fn digits(checksum: u32) -> String {
    format!("{checksum:08x}")
}

/// Where the digits stand in a file, or in its last bytes.
fn place(bytes: &[u8]) -> Option<usize> {
    let before = bytes.len().saturating_sub(TAIL);
    let tail = bytes.get(before..)?;
    let found = tail.windows(SIGN.len()).rposition(|it| it == SIGN)?;
    Some(before + found + SIGN.len())
}

/// Reads a file whole. `is_stopped` is asked between blocks.
///
/// # Errors
/// It cannot be read, or `is_stopped` says so, which is an error of the kind `Interrupted`.
pub(crate) fn judge(mut file: &File, is_stopped: &StopCheck<'_>) -> io::Result<ChecksumVerdict> {
    if is_stopped() {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let length = file.seek(SeekFrom::End(0))?;
    let before = length.saturating_sub(TAIL as u64);
    file.seek(SeekFrom::Start(before))?;
    let mut tail = Vec::new();
    file.take(TAIL as u64).read_to_end(&mut tail)?;
    let Some(place) = place(&tail) else {
        return Ok(ChecksumVerdict::Absent);
    };
    let Some(found) = tail.get(place..place + NO_DIGITS.len()) else {
        return Ok(ChecksumVerdict::Absent);
    };
    let place = before + place as u64;
    let mut hasher = Hasher::new();
    file.seek(SeekFrom::Start(0))?;
    read_blocks(file.take(place), is_stopped, &mut |it| hasher.update(it))?;
    hasher.update(NO_DIGITS.as_bytes());
    let behind = place + NO_DIGITS.len() as u64;
    file.seek(SeekFrom::Start(behind))?;
    read_blocks(file, is_stopped, &mut |it| hasher.update(it))?;
    Ok(if digits(hasher.finalize()).as_bytes() == found {
        ChecksumVerdict::Right
    } else {
        ChecksumVerdict::Wrong
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn verdict(path: &Path, bytes: &[u8]) -> ChecksumVerdict {
        std::fs::write(path, bytes).unwrap();
        judge(&File::open(path).unwrap(), &|| false).unwrap()
    }

    #[test]
    fn every_bit_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut bytes = vec![7; TAIL];
        // What looks like it and stands before it is none.
        bytes.extend(SIGN);
        bytes.extend(b"12345678");
        bytes.extend(SIGN);
        bytes.extend(NO_DIGITS.as_bytes());
        bytes.extend([1, 2, 3]);
        seal(&mut bytes).unwrap();
        assert_eq!(verdict(&path, &bytes), ChecksumVerdict::Right);
        for at in TAIL - 8..bytes.len() {
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[at] ^= 1 << bit;
                let found = verdict(&path, &other);
                assert_ne!(found, ChecksumVerdict::Right, "bit {bit} of byte {at}");
            }
        }
        for kept in [0, 1, TAIL, bytes.len() - 1] {
            assert_ne!(verdict(&path, &bytes[..kept]), ChecksumVerdict::Right);
        }
        assert_eq!(
            verdict(&path, b"PAR1 something PAR1"),
            ChecksumVerdict::Absent
        );
        assert_eq!(seal(&mut [0; 40]), None);
        std::fs::write(&path, &bytes).unwrap();
        let stopped = judge(&File::open(&path).unwrap(), &|| true);
        assert_eq!(stopped.unwrap_err().kind(), io::ErrorKind::Interrupted);
    }
}

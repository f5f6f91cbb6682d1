//! What a call says it needs: the buffers it reads and writes, and which of their bytes.

use record::BufferIndex;
use std::ops::Range;

/// All of a buffer.
pub const WHOLE: Range<u64> = 0..u64::MAX;

/// Bytes of a buffer that a call reads or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredUse {
    /// The buffer.
    pub buffer: BufferIndex,
    /// Whether it writes them; it may read them as well then.
    pub writes: bool,
    /// Which bytes; an empty range is no use at all.
    pub bytes: Range<u64>,
}

impl DeclaredUse {
    /// Reads all of a buffer.
    pub const fn read(buffer: BufferIndex) -> Self {
        Self {
            buffer,
            writes: false,
            bytes: WHOLE,
        }
    }

    /// Writes all of a buffer.
    pub const fn write(buffer: BufferIndex) -> Self {
        Self {
            buffer,
            writes: true,
            bytes: WHOLE,
        }
    }
}

/// The uses of one call in the order in which they are compared with others: reads, then writes. A read of what the
/// same call writes whole is part of the write.
pub(super) fn in_order(uses: &[DeclaredUse]) -> impl Iterator<Item = &DeclaredUse> {
    let is_written = |read: &DeclaredUse| {
        uses.iter()
            .any(|it| it.writes && it.buffer == read.buffer && it.bytes == WHOLE)
    };
    let reads = uses.iter().filter(move |it| !it.writes && !is_written(it));
    reads.chain(uses.iter().filter(|it| it.writes))
}

/// What a graph of calls uses when it is launched as one: each use once, reads first, and no read of what is also
/// written, byte for byte (rule B9).
pub fn of_graph(body: &[Vec<DeclaredUse>]) -> Vec<DeclaredUse> {
    let all = || body.iter().flatten();
    let is_written = |read: &DeclaredUse| {
        all().any(|it| it.writes && it.buffer == read.buffer && it.bytes == read.bytes)
    };
    let reads = all().filter(|it| !it.writes && !is_written(it));
    reads.chain(all().filter(|it| it.writes)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: BufferIndex = BufferIndex(0);
    const B: BufferIndex = BufferIndex(1);

    #[test]
    fn a_read_of_what_is_written_whole_is_part_of_the_write() {
        let uses = [
            DeclaredUse::write(A),
            DeclaredUse::read(A),
            DeclaredUse::read(B),
        ];
        let order: Vec<&DeclaredUse> = in_order(&uses).collect();
        assert_eq!(order, [&DeclaredUse::read(B), &DeclaredUse::write(A)]);
    }

    #[test]
    fn a_graph_reads_first_and_writes_then() {
        let body = [
            vec![DeclaredUse::read(A), DeclaredUse::write(B)],
            vec![DeclaredUse::read(B), DeclaredUse::write(B)],
        ];
        assert_eq!(
            of_graph(&body),
            [
                DeclaredUse::read(A),
                DeclaredUse::write(B),
                DeclaredUse::write(B)
            ]
        );
    }
}

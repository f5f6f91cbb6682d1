//! The file that one process writes about itself while it runs: a header, and facts that are appended whole.
//!
//! A file begins with [`HEADER`] bytes: [`MAGIC`], the version, and what became of writing it. The rest is facts: a
//! [mark](MARK), the length and the check of what follows, and the fact in `MessagePack`. Whoever dies while it writes
//! leaves a file that can be read up to its last whole fact, and what was changed on the way is noticed and stepped over.
//!
//! The file of a process is a row of segments (`segment`). Each but the first begins with a [`ContinuationFact`], which has what
//! was said of the process and named so far: a segment can be read without those before it, which can go.

mod decode;
mod fact;
mod fact_file;
mod segment;
mod write;

pub use decode::{FactDecoder, FactFileDamage};
pub use fact::{ContinuationFact, Fact, ListeningCounts, ListeningFact, ProcessFact};
pub use segment::{SegmentName, SegmentWriter};
pub use write::FactWriter;

/// What a file begins with.
pub const MAGIC: [u8; 16] = *b"\xF5SYNCLINE CUPTI\n";
/// The version of the format: files of another are not read.
pub const VERSION: u32 = 4;
/// Bytes of the header: magic, version, the system's number of the error that ended writing, facts that are missing for
/// it, when the segment was begun, and room.
pub const HEADER: usize = 64;
/// What the files are called, behind the numbers of their process and segment.
pub const ENDING: &str = "syncline-cupti";

/// Names the folder in which every process writes its file.
pub const FOLDER: &str = "SYNCLINE_RECORD_FOLDER";
/// Says when the capture began, in nanoseconds of `CLOCK_MONOTONIC`.
pub const ORIGIN: &str = "SYNCLINE_RECORD_ORIGIN";

/// What every fact begins with, so that reading can go on behind damage.
const MARK: [u8; 4] = *b"\xF6act";
/// Bytes before a fact: its mark, its length and its check.
const FRONT: usize = 12;
/// A fact of more bytes is damage: what is written is far smaller.
const LONGEST: usize = 64 << 20;

/// A number that changes with every byte: it tells damage, and nothing more.
fn check(bytes: &[u8]) -> u32 {
    // FNV-1a over words of eight bytes, mixed so that each bit counts.
    let mut sum: u64 = 0xCBF2_9CE4_8422_2325;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        for (to, from) in word.iter_mut().zip(chunk) {
            *to = *from;
        }
        sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01B3);
        sum ^= sum >> 29;
    }
    (sum ^ (sum >> 32)) as u32
}

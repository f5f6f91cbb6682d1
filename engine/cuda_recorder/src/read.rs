//! Reads what is in a buffer of CUPTI's: record after record, each by the table of where its numbers lie. Whatever the
//! bytes are, nothing is read beyond them.

use super::kind::ActivityKind;
use super::layout::{RecordBytes, any, kernel, least};
use super::parse;
use super::record::CuptiRecord;
use super::strides::Strides;

/// What was in one buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CuptiBatch {
    /// The records, in the buffer's order, which is none.
    pub records: Vec<CuptiRecord>,
    /// Records that CUPTI had no room for since the batch before.
    pub dropped: u64,
    /// Bytes at the buffer's end that could not be read, because nobody knows how long what is there is.
    pub unread: u64,
}

/// Reads buffers of the library that these strides were measured of.
pub struct CuptiBufferReader<'a> {
    /// How long records are.
    pub strides: &'a Strides,
    /// The text at an address that a record has, which is there only until the buffer is given back.
    pub text: &'a dyn Fn(u64) -> String,
    /// The name of a function of the runtime, or else of the driver, by CUPTI's number for it.
    pub function: &'a dyn Fn(bool, u32) -> String,
}

/// Goes through the records in `bytes`: where each begins, its kind, and its bytes. Answers how many bytes are left that
/// are none.
pub fn walk<'a>(
    strides: &Strides,
    bytes: &'a [u8],
    mut each: impl FnMut(usize, u32, &'a [u8]),
) -> usize {
    let mut at = 0;
    while let Some((kind, record)) = first(strides, bytes.get(at..).unwrap_or_default()) {
        each(at, kind, record);
        at += record.len();
    }
    bytes.len() - at
}

/// The first record in `bytes`.
fn first<'a>(strides: &Strides, bytes: &'a [u8]) -> Option<(u32, &'a [u8])> {
    let kind = RecordBytes(bytes).newer(any::KIND)?;
    Some((kind, bytes.get(..strides.get(kind)?)?))
}

impl CuptiBufferReader<'_> {
    /// Everything in `bytes`.
    pub fn read(&self, bytes: &[u8]) -> CuptiBatch {
        let mut records = Vec::new();
        let unread = walk(self.strides, bytes, |_, kind, record| {
            let read = self.record(kind, RecordBytes(record));
            records.push(read.unwrap_or(CuptiRecord::Other(kind)));
        });
        CuptiBatch {
            records,
            dropped: 0,
            unread: unread as u64,
        }
    }

    /// The same, as long as the texts that records lead to are believed: an address that led nowhere says that records are not
    /// laid out as they are taken to be, and then none of these is believed.
    pub fn read_believed(&self, bytes: &[u8], is_doubtful: impl Fn() -> bool) -> CuptiBatch {
        // Once in doubt no address is followed any more.
        let read = (!is_doubtful()).then(|| self.read(bytes));
        read.filter(|_| !is_doubtful())
            .unwrap_or_else(|| CuptiBatch {
                unread: bytes.len() as u64,
                ..CuptiBatch::default()
            })
    }

    /// One record; nothing where its kind is not read, or it is shorter than any that is known.
    fn record(&self, kind: u32, it: RecordBytes<'_>) -> Option<CuptiRecord> {
        let kind = ActivityKind::of(kind)?;
        if it.0.len() < least(kind) {
            return None;
        }
        Some(match kind {
            ActivityKind::Kernel => {
                let name = (self.text)(it.get(kernel::NAME));
                CuptiRecord::Kernel(Box::new(parse::kernel(it, name)))
            }
            ActivityKind::Copy => CuptiRecord::Copy(parse::copy(it)),
            ActivityKind::PeerCopy => CuptiRecord::Copy(parse::peer_copy(it)),
            ActivityKind::Set => CuptiRecord::Set(parse::set(it)),
            ActivityKind::Sync => CuptiRecord::Sync(parse::sync(it)),
            ActivityKind::Event => CuptiRecord::Event(parse::event(it)),
            ActivityKind::Driver => CuptiRecord::Api(parse::api(it, false, self.function)),
            ActivityKind::Runtime => CuptiRecord::Api(parse::api(it, true, self.function)),
            ActivityKind::Overhead => CuptiRecord::Overhead(parse::overhead(it)),
            ActivityKind::Compilation => CuptiRecord::Compilation(parse::compilation(it)),
            ActivityKind::Graph => CuptiRecord::Graph(parse::graph(it)),
            ActivityKind::Memory => CuptiRecord::Memory(parse::memory(it)),
            ActivityKind::Context => CuptiRecord::Context(parse::context(it)),
            ActivityKind::Stream => CuptiRecord::Stream(parse::stream(it)),
            ActivityKind::Device => CuptiRecord::Device(parse::device(it, self.text)),
            ActivityKind::Correlation => parse::correlation(it),
        })
    }
}

#[cfg(test)]
mod tests;

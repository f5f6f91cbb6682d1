//! Reads what is in a buffer of CUPTI's: record after record, each by the table of where its numbers lie. Whatever the
//! bytes are, nothing is read beyond them.

use super::kind::Kind;
use super::layout::{Bytes, any, kernel, least};
use super::parse;
use super::record::Record;
use super::strides::Strides;

/// What was in one buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The records, in the buffer's order, which is none.
    pub records: Vec<Record>,
    /// Records that CUPTI had no room for since the batch before.
    pub dropped: u64,
    /// Bytes at the buffer's end that could not be read, because nobody knows how long what is there is.
    pub unread: u64,
}

/// Reads buffers of the library that these strides were measured of.
pub struct Reader<'a> {
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
    let kind = Bytes(bytes).newer(any::KIND)?;
    Some((kind, bytes.get(..strides.get(kind)?)?))
}

impl Reader<'_> {
    /// Everything in `bytes`.
    pub fn read(&self, bytes: &[u8]) -> Batch {
        let mut records = Vec::new();
        let unread = walk(self.strides, bytes, |_, kind, record| {
            let read = self.record(kind, Bytes(record));
            records.push(read.unwrap_or(Record::Other(kind)));
        });
        Batch {
            records,
            dropped: 0,
            unread: unread as u64,
        }
    }

    /// One record; nothing where its kind is not read, or it is shorter than any that is known.
    fn record(&self, kind: u32, it: Bytes<'_>) -> Option<Record> {
        let kind = Kind::of(kind)?;
        if it.0.len() < least(kind) {
            return None;
        }
        Some(match kind {
            Kind::Kernel => {
                let name = (self.text)(it.get(kernel::NAME));
                Record::Kernel(Box::new(parse::kernel(it, name)))
            }
            Kind::Copy => Record::Copy(parse::copy(it)),
            Kind::PeerCopy => Record::Copy(parse::peer_copy(it)),
            Kind::Set => Record::Set(parse::set(it)),
            Kind::Sync => Record::Sync(parse::sync(it)),
            Kind::Event => Record::Event(parse::event(it)),
            Kind::Driver => Record::Api(parse::api(it, false, self.function)),
            Kind::Runtime => Record::Api(parse::api(it, true, self.function)),
            Kind::Overhead => Record::Overhead(parse::overhead(it)),
            Kind::Compilation => Record::Compilation(parse::compilation(it)),
            Kind::Graph => Record::Graph(parse::graph(it)),
            Kind::Memory => Record::Memory(parse::memory(it)),
            Kind::Context => Record::Context(parse::context(it)),
            Kind::Stream => Record::Stream(parse::stream(it)),
            Kind::Device => Record::Device(parse::device(it, self.text)),
            Kind::Correlation => parse::correlation(it),
        })
    }
}

#[cfg(test)]
mod tests;

//! Reads what allocators did: the instants that profilers write, and the allocations and frees of streams.

use std::fmt;

use capture::{Capture, PlacedSpan};
use record::time::Nanos;
use record::{
    MEMORY_ADDRESS, MEMORY_ALLOCATED, MEMORY_BLOCK, MEMORY_BYTES, MEMORY_DEVICE,
    MEMORY_DEVICE_TYPE, MEMORY_RESERVED, MEMORY_SEGMENT_BYTES, SpanId, SpanKind, State,
    TorchDevice, Value,
};

/// What tells a piece of memory from another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockKey {
    /// Its address.
    Address(i64),
    /// A number that its allocation and its free share.
    Number(i64),
    /// A name that they share, such as that of a buffer.
    Name(Box<str>),
}

impl fmt::Display for BlockKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => write!(formatter, "{address:#x}"),
            Self::Number(number) => write!(formatter, "#{number}"),
            Self::Name(name) => formatter.write_str(name),
        }
    }
}

/// An event of an allocator as it was read.
pub(super) struct DraftEvent {
    pub at: Nanos,
    pub span: SpanId,
    pub bytes: i64,
    pub block: Option<BlockKey>,
    pub allocated: Option<i64>,
    pub reserved: Option<i64>,
    /// The device, where the file numbers it as PyTorch does.
    pub device: Option<TorchDevice>,
}

impl DraftEvent {
    /// What a span says of memory; none where it says nothing, and of an allocation that did not happen.
    pub fn read(capture: &Capture, placed: &PlacedSpan) -> Option<Self> {
        let at = match placed.span.kind {
            // What a stream frees is free once the stream comes to it, and what it allocates is there at the end.
            SpanKind::Allocate => placed.span.end,
            _ => placed.span.start,
        };
        if placed.span.state != State::Done {
            return None;
        }
        let (mut kind, mut number) = (None, None);
        let mut draft = Self {
            at,
            span: placed.span.id,
            bytes: 0,
            block: None,
            allocated: None,
            reserved: None,
            device: None,
        };
        let (mut bytes, mut is_segment) = (None, false);
        for (name, value) in capture.arguments(placed.span.id) {
            match name {
                MEMORY_BYTES => bytes = whole(&value),
                MEMORY_ADDRESS => draft.block = whole(&value).map(BlockKey::Address),
                MEMORY_BLOCK => {
                    draft.block = Some(match value {
                        Value::Text(text) => BlockKey::Name(text),
                        value => BlockKey::Number(whole(&value)?),
                    });
                }
                MEMORY_DEVICE_TYPE => kind = whole(&value),
                MEMORY_DEVICE => number = whole(&value),
                MEMORY_ALLOCATED => draft.allocated = whole(&value),
                MEMORY_RESERVED => draft.reserved = whole(&value),
                MEMORY_SEGMENT_BYTES => is_segment = true,
                _ => {}
            }
        }
        // What is reserved changes nothing of what is allocated.
        draft.bytes = bytes.or(is_segment.then_some(0))?;
        draft.block = draft.block.filter(|_| !is_segment);
        draft.device = kind.map(|kind| TorchDevice {
            kind,
            number: number.unwrap_or(TorchDevice::CPU.number),
        });
        Some(draft)
    }
}

/// The whole number that a value is; some files write them with a fraction of 0.
fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(value) => Some(*value),
        Value::Number(value) => (value.fract() == 0.0).then_some(*value as i64),
        Value::Text(_) => None,
    }
}

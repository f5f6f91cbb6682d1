//! Where each number lies in CUPTI's records, as data: one table serves every version, since layouts only ever grow.

use std::marker::PhantomData;

use super::kind::ActivityKind;

/// A number in a record, by the byte that it begins at. Nothing promises that it is aligned.
#[derive(Clone, Copy, Debug)]
pub struct RecordField<T> {
    at: usize,
    number: PhantomData<T>,
}

impl<T> RecordField<T> {
    /// The number that begins at byte `at`.
    pub const fn at(at: usize) -> Self {
        Self {
            at,
            number: PhantomData,
        }
    }
}

/// What a number is in memory: as the processors have it that CUDA runs on, the lowest byte first.
pub trait RecordNumber: Copy + Default {
    /// The number that `bytes` begin with.
    fn read(bytes: &[u8]) -> Option<Self>;
}

macro_rules! number {
    ($($type:ty)*) => {
        $(impl RecordNumber for $type {
            fn read(bytes: &[u8]) -> Option<Self> {
                bytes.first_chunk().map(|bytes| Self::from_le_bytes(*bytes))
            }
        })*
    };
}

number! { u8 u16 u32 u64 i32 }

/// The bytes of one record.
#[derive(Clone, Copy, Debug)]
pub struct RecordBytes<'a>(pub &'a [u8]);

impl RecordBytes<'_> {
    /// A number that this version's record may not reach.
    pub fn newer<T: RecordNumber>(self, field: RecordField<T>) -> Option<T> {
        T::read(self.0.get(field.at..)?)
    }

    /// A number that every version's record has; 0 where it is cut off all the same.
    pub fn get<T: RecordNumber>(self, field: RecordField<T>) -> T {
        self.newer(field).unwrap_or_default()
    }
}

macro_rules! layouts {
    ($($(#[$meta:meta])* $name:ident ($least:literal) { $($field:ident: $type:ty = $at:literal,)* })*) => {
        $($(#[$meta])* pub mod $name {
            use super::RecordField;
            /// Bytes that the record has in every version that is read.
            pub const LEAST: usize = $least;
            $(#[doc = concat!("At byte ", $at, ".")] pub const $field: RecordField<$type> = RecordField::at($at);)*
        })*
    };
}

// The kind, by `CUpti_ActivityKind`, is the first number of each.
layouts! {
    /// `CUpti_Activity`: what all records have.
    any (8) { KIND: u32 = 0, }

    /// `CUpti_ActivityKernel9` (12.0), `10` (13.0), `11` (13.1, with the priority).
    kernel (208) {
        REGISTERS: u16 = 6, START: u64 = 16, END: u64 = 24, DEVICE: u32 = 40, CONTEXT: u32 = 44, STREAM: u32 = 48,
        GRID_X: u32 = 52, GRID_Y: u32 = 56, GRID_Z: u32 = 60, BLOCK_X: u32 = 64, BLOCK_Y: u32 = 68, BLOCK_Z: u32 = 72,
        SHARED_STATIC: u32 = 76, SHARED_DYNAMIC: u32 = 80, CORRELATION: u32 = 92, NAME: u64 = 104,
        GRAPH_NODE: u64 = 144, GRAPH: u32 = 156, PRIORITY: i32 = 216,
    }

    /// `CUpti_ActivityMemcpy5` (12.0), `6` (12.8).
    copy (80) {
        WAY: u8 = 4, FROM: u8 = 5, TO: u8 = 6, BYTES: u64 = 8, START: u64 = 16, END: u64 = 24, DEVICE: u32 = 32,
        CONTEXT: u32 = 36, STREAM: u32 = 40, CORRELATION: u32 = 44, GRAPH_NODE: u64 = 64, GRAPH: u32 = 72,
    }

    /// `CUpti_ActivityMemcpyPtoP4`: from one device to another.
    peer_copy (88) {
        WAY: u8 = 4, FROM: u8 = 5, TO: u8 = 6, BYTES: u64 = 8, START: u64 = 16, END: u64 = 24, DEVICE: u32 = 32,
        CONTEXT: u32 = 36, STREAM: u32 = 40, TO_DEVICE: u32 = 52, CORRELATION: u32 = 60, GRAPH_NODE: u64 = 72,
        GRAPH: u32 = 80,
    }

    /// `CUpti_ActivityMemset4`.
    set (80) {
        VALUE: u32 = 4, BYTES: u64 = 8, START: u64 = 16, END: u64 = 24, DEVICE: u32 = 32, CONTEXT: u32 = 36,
        STREAM: u32 = 40, CORRELATION: u32 = 44, GRAPH_NODE: u64 = 64, GRAPH: u32 = 72,
    }

    /// `CUpti_ActivitySynchronization` (12.0), `2` (12.8, with the number of the record that is waited for).
    sync (40) {
        KIND: u32 = 4, START: u64 = 8, END: u64 = 16, CORRELATION: u32 = 24, CONTEXT: u32 = 28, STREAM: u32 = 32,
        EVENT: u32 = 36, SYNC: u64 = 40,
    }

    /// `CUpti_ActivityCudaEvent` (12.0), `2` (12.8; its time since 13.0).
    event (20) {
        CORRELATION: u32 = 4, CONTEXT: u32 = 8, STREAM: u32 = 12, EVENT: u32 = 16, AT: u64 = 40, SYNC: u64 = 48,
    }

    /// `CUpti_ActivityAPI`: of the driver and of the runtime.
    api (40) {
        FUNCTION: u32 = 4, START: u64 = 8, END: u64 = 16, PROCESS: u32 = 24, THREAD: u32 = 28, CORRELATION: u32 = 32,
        RESULT: u32 = 36,
    }

    /// `CUpti_ActivityOverhead` (12.0), `3` (12.4, with the call).
    overhead (40) {
        KIND: u32 = 4, OBJECT: u32 = 8, PROCESS: u32 = 12, THREAD: u32 = 16, START: u64 = 24, END: u64 = 32,
        CORRELATION: u32 = 40,
    }

    /// `CUpti_ActivityJit` (12.0), `2` (12.4, with process and thread).
    compilation (64) {
        STEP: u32 = 8, DEVICE: u32 = 12, START: u64 = 16, END: u64 = 24, CORRELATION: u32 = 32, PROCESS: u32 = 64,
        THREAD: u32 = 68,
    }

    /// `CUpti_ActivityGraphTrace` (12.0), `2` (12.3).
    graph (40) {
        CORRELATION: u32 = 4, START: u64 = 8, END: u64 = 16, DEVICE: u32 = 24, GRAPH: u32 = 28, CONTEXT: u32 = 32,
        STREAM: u32 = 36,
    }

    /// `CUpti_ActivityMemory3` (12.0), `4` (12.6).
    memory (76) {
        STEP: u32 = 4, CORRELATION: u32 = 12, ADDRESS: u64 = 16, BYTES: u64 = 24, AT: u64 = 32, DEVICE: u32 = 52,
        CONTEXT: u32 = 56, STREAM: u32 = 60, IS_ASYNC: u32 = 72,
    }

    /// `CUpti_ActivityContext` (12.0), `3` (12.9).
    context (16) { CONTEXT: u32 = 4, DEVICE: u32 = 8, DEFAULT_STREAM: u16 = 14, }

    /// `CUpti_ActivityStream`.
    stream (24) {
        CONTEXT: u32 = 4, STREAM: u32 = 8, PRIORITY: i32 = 12, SORT: u32 = 16, CORRELATION: u32 = 20,
    }

    /// `CUpti_ActivityDevice5`.
    device (144) {
        MEMORY: u64 = 16, PROCESSORS: u32 = 44, MAJOR: u32 = 104, MINOR: u32 = 108, DEVICE: u32 = 112, NAME: u64 = 136,
    }

    /// `CUpti_ActivityExternalCorrelation`.
    correlation (20) { EXTERNAL: u64 = 8, CORRELATION: u32 = 16, }
}

/// Bytes that a record of `kind` has at least in every version that is read.
pub const fn least(kind: ActivityKind) -> usize {
    match kind {
        ActivityKind::Kernel => kernel::LEAST,
        ActivityKind::Copy => copy::LEAST,
        ActivityKind::PeerCopy => peer_copy::LEAST,
        ActivityKind::Set => set::LEAST,
        ActivityKind::Sync => sync::LEAST,
        ActivityKind::Event => event::LEAST,
        ActivityKind::Driver | ActivityKind::Runtime => api::LEAST,
        ActivityKind::Overhead => overhead::LEAST,
        ActivityKind::Compilation => compilation::LEAST,
        ActivityKind::Graph => graph::LEAST,
        ActivityKind::Memory => memory::LEAST,
        ActivityKind::Context => context::LEAST,
        ActivityKind::Stream => stream::LEAST,
        ActivityKind::Device => device::LEAST,
        ActivityKind::Correlation => correlation::LEAST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_wherever_they_lie_and_never_beyond_the_end() {
        let bytes = RecordBytes(&[1, 2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(bytes.get(RecordField::<u8>::at(1)), 2);
        assert_eq!(bytes.get(RecordField::<u16>::at(0)), 0x0201);
        assert_eq!(bytes.get(RecordField::<i32>::at(5)), -1);
        assert_eq!(bytes.newer(RecordField::<u32>::at(6)), None);
        assert_eq!(bytes.newer(RecordField::<u64>::at(usize::MAX)), None);
        assert_eq!(bytes.get(RecordField::<u64>::at(2)), 0);
    }
}

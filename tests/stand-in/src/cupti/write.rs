//! Writes records as CUPTI 13.0 lays them out (`cupti_activity.h`): by the bytes that numbers begin at.

use super::kinds;
use super::strides::stride;

/// A record, as bytes.
#[derive(Clone)]
pub struct Written {
    bytes: Vec<u8>,
}

impl Written {
    /// A record of `kind`, all zeros behind that.
    pub fn new(kind: u32) -> Self {
        let bytes = vec![0; stride(kind).unwrap_or(8)];
        Self { bytes }.four(0, kind)
    }

    /// Its kind.
    pub fn kind(&self) -> u32 {
        let first = self.bytes.first_chunk();
        first.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// With a byte at `at`.
    pub fn one(self, at: usize, number: u8) -> Self {
        self.put(at, &[number])
    }

    /// With two bytes at `at`.
    pub fn two(self, at: usize, number: u16) -> Self {
        self.put(at, &number.to_le_bytes())
    }

    /// With four bytes at `at`.
    pub fn four(self, at: usize, number: u32) -> Self {
        self.put(at, &number.to_le_bytes())
    }

    /// With eight bytes at `at`.
    pub fn eight(self, at: usize, number: u64) -> Self {
        self.put(at, &number.to_le_bytes())
    }

    fn put(mut self, at: usize, number: &[u8]) -> Self {
        if let Some(place) = self.bytes.get_mut(at..at + number.len()) {
            place.copy_from_slice(number);
        }
        self
    }
}

/// Where something ran.
#[derive(Clone, Copy, Default)]
pub struct Ran {
    /// When it began.
    pub start: u64,
    /// When it ended.
    pub end: u64,
    /// Its context.
    pub context: u32,
    /// Its stream.
    pub stream: u32,
    /// The call that asked for it.
    pub correlation: u32,
    /// Its graph, and its node there.
    pub graph: (u32, u64),
}

/// `CUpti_ActivityKernel10`: called as the text at `name` says, with this grid and these blocks.
pub fn kernel(ran: Ran, name: u64, shape: [u32; 6]) -> Written {
    let mut it = Written::new(kinds::KERNEL)
        .two(6, 32)
        .eight(16, ran.start)
        .eight(24, ran.end);
    for (place, side) in shape.into_iter().enumerate() {
        it = it.four(52 + 4 * place, side);
    }
    let it = it
        .four(44, ran.context)
        .four(48, ran.stream)
        .four(92, ran.correlation);
    it.eight(104, name)
        .eight(144, ran.graph.1)
        .four(156, ran.graph.0)
}

/// `CUpti_ActivityMemcpy6`: so many bytes, this way, between these kinds of memory.
pub fn copy(ran: Ran, bytes: u64, [way, from, to]: [u8; 3]) -> Written {
    let it = Written::new(kinds::COPY)
        .one(4, way)
        .one(5, from)
        .one(6, to)
        .one(7, 1)
        .eight(8, bytes);
    let it = it
        .eight(16, ran.start)
        .eight(24, ran.end)
        .four(36, ran.context)
        .four(40, ran.stream);
    it.four(44, ran.correlation)
        .eight(64, ran.graph.1)
        .four(72, ran.graph.0)
        .eight(88, 1)
}

/// `CUpti_ActivityMemset4`.
pub fn set(ran: Ran, bytes: u64, value: u32) -> Written {
    let it = Written::new(kinds::SET)
        .four(4, value)
        .eight(8, bytes)
        .eight(16, ran.start)
        .eight(24, ran.end);
    let it = it
        .four(36, ran.context)
        .four(40, ran.stream)
        .four(44, ran.correlation)
        .two(50, 3);
    it.eight(64, ran.graph.1).four(72, ran.graph.0)
}

/// `CUpti_ActivityGraphTrace2`.
pub fn graph(ran: Ran) -> Written {
    let it = Written::new(kinds::GRAPH)
        .four(4, ran.correlation)
        .eight(8, ran.start)
        .eight(16, ran.end);
    it.four(28, ran.graph.0)
        .four(32, ran.context)
        .four(36, ran.stream)
}

/// `CUpti_ActivityCudaEvent2`: which event, which record of it, and whether its time is told.
pub fn event(ran: Ran, event: u32, record: u64, is_timed: bool) -> Written {
    let it = Written::new(kinds::EVENT)
        .four(4, ran.correlation)
        .four(8, ran.context)
        .four(12, ran.stream);
    let it = it.four(16, event).eight(48, record);
    if is_timed { it.eight(40, ran.end) } else { it }
}

/// `CUpti_ActivitySynchronization2`: of which sort, of which event, and which record of it.
pub fn sync(ran: Ran, sort: u32, event: u32, record: u64, result: u32) -> Written {
    let it = Written::new(kinds::SYNC)
        .four(4, sort)
        .eight(8, ran.start)
        .eight(16, ran.end);
    let it = it
        .four(24, ran.correlation)
        .four(28, ran.context)
        .four(32, ran.stream);
    it.four(36, event).eight(40, record).four(48, result)
}

/// `CUpti_ActivityAPI`: which function, on which thread, with which result.
pub fn api(ran: Ran, function: u32, thread: u32, result: u32) -> Written {
    let it = Written::new(kinds::DRIVER)
        .four(4, function)
        .eight(8, ran.start)
        .eight(16, ran.end);
    it.four(24, std::process::id())
        .four(28, thread)
        .four(32, ran.correlation)
        .four(36, result)
}

/// `CUpti_ActivityExternalCorrelation`.
pub fn correlation(kind: u32, own: u64, correlation: u32) -> Written {
    Written::new(kinds::CORRELATION)
        .four(4, kind)
        .eight(8, own)
        .four(16, correlation)
}

/// `CUpti_ActivityOverhead3`: the driver compiled, on this thread.
pub fn overhead(ran: Ran, thread: u32) -> Written {
    let it = Written::new(kinds::OVERHEAD)
        .four(4, 1)
        .four(8, 2)
        .four(12, std::process::id());
    it.four(16, thread)
        .eight(24, ran.start)
        .eight(32, ran.end)
        .four(40, ran.correlation)
}

/// `CUpti_ActivityJit2`: PTX was compiled, on this thread.
pub fn compilation(ran: Ran, thread: u32) -> Written {
    let it = Written::new(kinds::COMPILATION)
        .four(4, 1)
        .four(8, 3)
        .eight(16, ran.start)
        .eight(24, ran.end);
    it.four(32, ran.correlation)
        .four(64, std::process::id())
        .four(68, thread)
}

/// `CUpti_ActivityMemory4`: 1 allocated or 2 freed, in a stream's order or not.
pub fn memory(ran: Ran, step: u32, address: u64, bytes: u64, is_async: bool) -> Written {
    let it = Written::new(kinds::MEMORY)
        .four(4, step)
        .four(8, 3)
        .four(12, ran.correlation);
    let it = it
        .eight(16, address)
        .eight(24, bytes)
        .eight(32, ran.start)
        .four(48, std::process::id());
    it.four(56, ran.context)
        .four(60, ran.stream)
        .four(72, u32::from(is_async))
}

/// `CUpti_ActivityContext3`, with its default stream.
pub fn context(context: u32, default_stream: u32) -> Written {
    Written::new(kinds::CONTEXT)
        .four(4, context)
        .two(12, 1)
        .two(14, default_stream as u16)
}

/// `CUpti_ActivityStream`: 1 for one that blocks, 2 for one that does not.
pub fn stream(ran: Ran, priority: i32, sort: u32) -> Written {
    let it = Written::new(kinds::STREAM)
        .four(4, ran.context)
        .four(8, ran.stream);
    it.four(12, priority as u32)
        .four(16, sort)
        .four(20, ran.correlation)
}

/// `CUpti_ActivityDevice5`.
pub fn device(name: u64) -> Written {
    let it = Written::new(kinds::DEVICE)
        .eight(16, crate::exports::MEMORY as u64)
        .four(44, 8);
    it.four(104, 9).four(108, 0).eight(136, name)
}

//! What is done to streams, events and memory, as far as it orders anything or has to be ordered.

use record::{BufferIndex, EventIndex, SignalIndex, StreamIndex};
use std::ops::Range;

use super::circular_wait::CircularCall;
use super::hazard::{CallOrigin, Hazard};
use super::host_conflict::{ResourceAccess, SharedResource};

/// What sort of stream it is. One that is used and was never made is of device 0 and neither of the two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamOrderTraits {
    /// Its device.
    pub device: u32,
    /// The default stream of old: it waits for every blocking stream of its device, and they for it (rule A22).
    pub is_legacy: bool,
    /// Whether it waits for the legacy default stream; one that does not is exempt both ways (rule A23).
    pub is_blocking: bool,
}

/// What a host thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostWaitTarget {
    /// The record of an event that is the latest when the wait begins (rule A10).
    Event(EventIndex),
    /// The same, by a query that says "complete" (rule A9).
    Query(EventIndex),
    /// All that was submitted to this stream before, and nothing that the rules of the legacy stream add.
    Alone(StreamIndex),
    /// All that was submitted to a stream before (rule A24); a legacy stream stands for all blocking ones as well.
    Stream(StreamIndex),
    /// All that was submitted to a device before.
    Device(u32),
    /// The raise of a signal.
    Signal(SignalIndex),
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyncOp {
    /// A stream is made, or made anew: it knows nothing.
    Create(StreamIndex, StreamOrderTraits),
    /// A call of which nothing matters but which host thread made it, and when.
    Appear,
    /// A call names a stream, an event or a signal: whether it changes what that is to others, or depends on what it is.
    /// Said of every call before it is made, so that one that is refused by chance uses the same as one that is not.
    Use(SharedResource, ResourceAccess),
    /// A call may be one of two by which host threads wait for each other. Said of every such call before it is made.
    Circular(CircularCall),
    /// An operation of a stream makes its uses.
    Work(StreamIndex),
    /// The host thread makes its uses itself.
    Touch,
    /// A call that is asked about returns.
    Return,
    /// What a call that is asked about submitted in parts is over.
    Over(StreamIndex),
    /// An event is recorded: whoever waits for it from now on comes after what its stream holds now (rule A2).
    Record(EventIndex, StreamIndex),
    /// A stream waits for the latest record of an event (rules A3, A6).
    Wait(EventIndex, StreamIndex),
    /// A stream waits for an event, and may give up and go on without it: that enforces nothing (rules F8, F13).
    Attempt(EventIndex, StreamIndex),
    /// What a stream holds is dropped (rule F14).
    Abort(StreamIndex),
    /// The second stream waits for all that was submitted to the first: a record and a wait without an event that
    /// anybody sees (rule C13).
    Join(StreamIndex, StreamIndex),
    /// An event is as if it was never recorded, in stream order.
    Reset(EventIndex, StreamIndex),
    /// An event is made or destroyed: no record of it is known from now on; waits that were called stay valid.
    Forget(EventIndex),
    /// The host thread takes an event out of a pool, which hands out one that nobody uses.
    Acquire(EventIndex),
    /// A stream waits for a signal.
    Hold(SignalIndex, StreamIndex),
    /// The host thread raises a signal.
    Raise(SignalIndex),
    /// The host thread begins to wait, under a number of its choice.
    Begin(HostWaitTarget, u32),
    /// The wait of this number has ended, whoever began it.
    End(u32),
    /// Every wait that the host thread began has ended.
    EndAll,
    /// A stream goes on where what it waits for was dropped (rule F13): its waits order only what holds even then.
    GoesOn(StreamIndex),
    /// A buffer has no memory until it is allocated.
    StreamOrdered(BufferIndex),
    /// A buffer is allocated, in the order of a stream where one is given, at an address where one is known.
    Allocate(BufferIndex, Option<StreamIndex>, Option<Box<Range<u64>>>),
    /// A buffer is freed, in the order of a stream where one is given.
    Free(BufferIndex, Option<StreamIndex>),
    /// A stream is given something while it captures, or a call begins the capture or ends it. The capture by the call that
    /// began it.
    Capturing(StreamIndex, u32),
    /// Something is done only where it is chance which calls of other host threads a capture holds, or only where it is not.
    InCapture {
        /// The call that began the capture.
        begun_by: u32,
        /// Which of the two.
        is_chance: bool,
        /// What is done.
        act: Box<Self>,
    },
    /// A wait that the engine inserted does this: it counts unless chance decided whether it was inserted.
    Inserted(Box<Self>),
    /// A node of a graph whose call was captured by chance.
    ByChance,
    /// Conflicts within what was submitted just now, which are known beforehand: a graph's with itself.
    Conflicts(Box<[Hazard]>),
    /// The allocator waits for this stream before it hands the buffer's memory on.
    Pledge(BufferIndex, StreamIndex),
    /// Every device is idle: nothing of what was freed is still in use.
    Settle,
    /// The device was opened anew: nothing of what went before is left, but signals stay raised.
    Restart,
    /// No signal is raised any more.
    Lower,
}

/// An act, and which call of which host thread it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostOp {
    /// The host thread that called.
    pub host: u32,
    /// The call.
    pub origin: CallOrigin,
    /// What it does.
    pub act: SyncOp,
}

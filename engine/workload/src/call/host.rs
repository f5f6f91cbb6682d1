//! Calls that concern host threads alone.

use record::time::Nanos;
use record::{BufferIndex, SignalIndex};

use crate::fields::{NumberField, ResourceField};
use crate::verb::FieldSlot::{Named, Property};
use crate::verb::calls;

calls! {
    /// A call that concerns host threads alone.
    pub enum HostCall in Host {
        /// Raises a signal: releases every thread and stream that waits for it, now and later.
        Signal = "signal", "signal \"go\"", "signal {signal}" {
            /// The signal.
            signal: ResourceField<SignalIndex> = Named,
        }
        /// Blocks the host thread until a signal is raised.
        Await = "await", "await \"go\"", "await {signal}" {
            /// The signal.
            signal: ResourceField<SignalIndex> = Named,
        }
        /// The host thread computes for so long.
        Work = "work", "work micros=50", "work" {
            /// How long.
            length: NumberField<Nanos> = Property("micros"),
        }
        /// The host reads a buffer's copy on the host, which downloads write, and shows the sum of what it found. Where
        /// nothing makes sure that such a download has ended by then it is a race; no wait is ever inserted for it.
        HostRead = "host-read", "host-read \"y\"", "read {buffer} on the host" {
            /// The buffer.
            buffer: ResourceField<BufferIndex> = Named,
        }
        /// The host writes a value into every element of a buffer's copy on the host, which uploads read. Where nothing makes
        /// sure that such an upload has ended by then it is a race; from pageable memory it has when its call returns (rule
        /// A31).
        HostWrite = "host-write", "host-write \"x\" value=2", "write {buffer} on the host" {
            /// The value of every element.
            value: NumberField<f32> = Property("value"),
            /// The buffer.
            buffer: ResourceField<BufferIndex> = Named,
        }
    }
}

//! Calls that concern host threads alone.

use record::time::Nanos;
use record::{BufferIndex, SignalIndex};

use crate::ErrorMatch;
use crate::fields::{ErrorField, NumberField, OptionalField, ResourceField};
use crate::phase::AsWritten;
use crate::verb::FieldSlot::{Named, Property};
use crate::verb::calls;

impl HostCall<AsWritten> {
    /// What a call expects the last error of its thread to be, with the call's word.
    pub(crate) const fn expected_error(&self) -> Option<(&'static str, &ErrorMatch)> {
        match self {
            Self::LastError {
                expected: Some(expected),
            } => Some(("last-error", expected)),
            Self::PeekLastError {
                expected: Some(expected),
            } => Some(("peek-last-error", expected)),
            _ => None,
        }
    }
}

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
        /// Gets the last error of this thread's calls, and clears it; with `is=` it is expected to be that one. A device that
        /// failed makes the next call to it fail again (rules A51, F16).
        LastError = "last-error", "last-error is=\"not-ready\"", "last error" {
            /// What is expected.
            expected: OptionalField<ErrorField> = Property("is"),
        }
        /// The same, and keeps it.
        PeekLastError = "peek-last-error", "peek-last-error is=\"107003\"", "peek at last error" {
            /// What is expected.
            expected: OptionalField<ErrorField> = Property("is"),
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

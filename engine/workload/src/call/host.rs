//! Calls that concern host threads alone.

use record::SignalIndex;
use record::time::Nanos;

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
    }
}

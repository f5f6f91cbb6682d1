//! Calls that record, wait for, measure or ask events.

use record::time::Nanos;
use record::{EventIndex, StreamIndex};

use crate::fields::{FlagField, NumberField, OptionalField, PooledEvent, ResourceField, TextField};
use crate::verb::FieldSlot::{At, Named, On, Property};
use crate::verb::calls;

calls! {
    /// A call that records, waits for, measures or asks events.
    pub enum EventCall in Event {
        /// Records an event: a new generation of it. In a capture it is an edge; with `external=` a node, which records at
        /// each replay (rule A42).
        Record = "record", "record \"ready\" on=\"copy\"", "record {event}" {
            /// Whether it becomes a node of the graph that is captured.
            is_external: FlagField = Property("external"),
            /// The event.
            event: ResourceField<EventIndex> = Named,
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = On,
        }
        /// Holds a stream back until the event's record that is the latest when this is called; an event that was never
        /// recorded holds nothing back. In a capture it is an edge; with `external=` a node, which waits at each replay
        /// (rule A42).
        Wait = "wait", "wait \"ready\" on=\"compute\"", "wait {event}" {
            /// Whether it becomes a node of the graph that is captured.
            is_external: FlagField = Property("external"),
            /// The longest that the stream waits (rule F8).
            timeout: OptionalField<NumberField<Nanos>> = Property("timeout-micros"),
            /// The event.
            event: ResourceField<EventIndex> = Named,
            /// The stream that waits.
            stream: ResourceField<StreamIndex> = On,
        }
        /// Blocks the host thread until an event's latest record is reached; returns at once where there is none.
        Synchronize = "synchronize-event", "synchronize-event \"ready\"", "synchronize {event}" {
            /// The longest that it waits (rule F9).
            timeout: OptionalField<NumberField<Nanos>> = Property("timeout-micros"),
            /// The event.
            event: ResourceField<EventIndex> = Named,
        }
        /// Asks whether an event's latest record has been reached, without blocking.
        Query = "query", "query \"ready\"", "query {event}" {
            /// Whether it fails where the answer is not “complete” (rule A9).
            is_strict: FlagField = Property("strict"),
            /// The event.
            event: ResourceField<EventIndex> = Named,
        }
        /// The time between the latest records of two events (rules A14 to A21).
        Elapsed = "elapsed", "elapsed \"start\" \"end\"", "elapsed {start} to {end}" {
            /// From this one.
            start: ResourceField<EventIndex> = At(0),
            /// To this one.
            end: ResourceField<EventIndex> = At(1),
        }
        /// Makes an event as if it was never recorded, in stream order (rule F7).
        Reset = "reset", "reset \"ready\" on=\"compute\"", "reset {event}" {
            /// The event.
            event: ResourceField<EventIndex> = Named,
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = On,
        }
        /// Destroys an event, also while its record is pending (rule A11).
        Destroy = "destroy-event", "destroy-event \"ready\"", "destroy {event}" {
            /// The event.
            event: ResourceField<EventIndex> = Named,
        }
        /// Takes an event from its pool.
        Acquire = "acquire", "acquire \"step\" i", "acquire {event}" {
            /// The event.
            event: PooledEvent = Named,
        }
        /// Gives an event back to its pool.
        Release = "release", "release \"step\" i", "release {event}" {
            /// The event.
            event: PooledEvent = Named,
        }
        inside {
            /// A measured block begins: records its first event.
            BeginTime = "record {start}" {
                /// The event.
                start: ResourceField<EventIndex>,
                /// The stream that is measured.
                stream: ResourceField<StreamIndex>,
            }
            /// A measured block ends: records its second event.
            EndTime = "record {end}" {
                /// What the block is called.
                name: TextField,
                /// The first event.
                start: ResourceField<EventIndex>,
                /// The second event.
                end: ResourceField<EventIndex>,
                /// The stream that is measured.
                stream: ResourceField<StreamIndex>,
            }
        }
    }
}

//! Calls that concern streams as a whole, or what they call on the host.

use record::time::Nanos;
use record::{SignalIndex, StreamIndex};

use crate::ThreadIndex;
use crate::fields::{FlagField, NumberField, OptionalField, ResourceField, TextField};
use crate::verb::FieldSlot::{At, Named, On, Property};
use crate::verb::calls;

calls! {
    /// A call that concerns streams as a whole, or what they call on the host.
    pub enum StreamCall in Stream {
        /// Holds a stream back until a host thread raises a signal (a latch; real devices spin on a word of pinned memory).
        Hold = "hold", "hold \"go\" on=\"compute\"", "hold {signal}" {
            /// The signal.
            signal: ResourceField<SignalIndex> = Named,
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = On,
        }
        /// Holds a stream back until all that was submitted to another one so far has ended (rule C13).
        Join = "wait-stream", "wait-stream \"copy\" on=\"compute\"", "wait-stream {from}" {
            /// The stream that is waited for.
            from: ResourceField<StreamIndex> = Named,
            /// The stream that waits.
            stream: ResourceField<StreamIndex> = On,
        }
        /// Holds every stream back until every other one has come to where it is now (rule E7).
        Barrier = "barrier", "barrier on=\"all\"", "barrier" {
            /// The stream that it is an operation of.
            stream: ResourceField<StreamIndex> = On,
        }
        /// Calls a function of the host that works for so long, in stream order (rules A28 to A30). With `blocking=` the
        /// thread that takes the stream's callbacks calls it (rule F15).
        HostFunction = "host-function", "host-function \"check\" micros=50 on=\"compute\"", "host-function {name}" {
            /// Whether later operations of the stream wait for its end; the stream calls it by itself where it is left out.
            is_blocking: OptionalField<FlagField> = Property("blocking"),
            /// Whether it panics at its end.
            panics: FlagField = Property("panics"),
            /// The function's name.
            name: TextField = At(0),
            /// How long it works.
            length: NumberField<Nanos> = Property("micros"),
            /// The stream whose order it keeps.
            stream: ResourceField<StreamIndex> = On,
        }
        /// Blocks the host thread until all that was submitted to a stream so far has ended.
        Synchronize = "synchronize-stream", "synchronize-stream \"compute\"", "synchronize {stream}" {
            /// The longest that it waits (rule F9).
            timeout: OptionalField<NumberField<Nanos>> = Property("timeout-micros"),
            /// The stream.
            stream: ResourceField<StreamIndex> = Named,
        }
        /// Blocks the host thread until all that was submitted to the device so far has ended.
        SynchronizeDevice = "synchronize-device", "synchronize-device", "synchronize device" {
            /// The longest that it waits (rule F9).
            timeout: OptionalField<NumberField<Nanos>> = Property("timeout-micros"),
        }
        /// Asks whether all that was submitted to a stream has ended, without blocking; of the legacy default stream, what
        /// was submitted to the blocking streams as well (rule A24).
        Query = "query-stream", "query-stream \"compute\"", "query {stream}" {
            /// Whether it fails where the answer is not “complete” (rule A9).
            is_strict: FlagField = Property("strict"),
            /// The stream.
            stream: ResourceField<StreamIndex> = Named,
        }
        /// Destroys a stream, also while it is busy (rule A27).
        Destroy = "destroy-stream", "destroy-stream \"copy\"", "destroy {stream}" {
            /// The stream.
            stream: ResourceField<StreamIndex> = Named,
        }
        /// Kills what runs on a stream and drops what is queued (rule F14).
        Abort = "abort-stream", "abort-stream \"copy\"", "abort {stream}" {
            /// The stream.
            stream: ResourceField<StreamIndex> = Named,
        }
        /// A thread takes the callbacks of a stream (rule F15).
        Subscribe = "subscribe", "subscribe \"calls\" stream=\"compute\"", "subscribe {thread} to {stream}" {
            /// The thread.
            thread: ResourceField<ThreadIndex> = Named,
            /// The stream.
            stream: ResourceField<StreamIndex> = Property("stream"),
        }
        /// A thread takes no more callbacks of a stream: refused while any is still to run, unless the device is lost, where
        /// the call waits for those that its thread was given (rule F15).
        Unsubscribe = "unsubscribe", "unsubscribe \"calls\" stream=\"compute\"", "unsubscribe {thread} from {stream}" {
            /// The thread.
            thread: ResourceField<ThreadIndex> = Named,
            /// The stream.
            stream: ResourceField<StreamIndex> = Property("stream"),
        }
    }
}

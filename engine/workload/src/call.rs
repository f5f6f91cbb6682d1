//! One host API call, by what it is about. A new one is defined in one of these groups, and nowhere else in this package.

mod data;
mod event;
mod gpu;
mod host;
mod launch;
mod rank;
mod stream;

pub use data::DataCall;
pub use event::EventCall;
pub use gpu::GpuCall;
pub use host::HostCall;
pub use launch::LaunchCall;
pub use rank::CollectiveCall;
pub use stream::StreamCall;

use record::{EventIndex, StreamIndex};

use super::Plan;
use super::phase::{AsPlanned, AsWritten, CallMentions, CallPhase, VariableValues};
use super::verb::WordRule;

macro_rules! groups {
    ($($(#[$about:meta])* $group:ident($call:ident),)*) => {
        /// One host API call.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Call<P: CallPhase = AsPlanned> {
            $($(#[$about])* $group($call<P>),)*
        }

        /// The rules of the words for calls, group by group.
        pub(super) const GROUPS: &[(&str, &[WordRule])] = &[
            $((stringify!($group), $call::WORDS),)*
        ];

        impl Call {
            /// What the call's span is labelled.
            pub fn label(&self, plan: &Plan) -> String {
                match self { $(Self::$group(call) => call.label(plan),)* }
            }

            /// A number that is another one where [`Self::label`] is another text, for calls at one place of a workload.
            pub fn key(&self) -> u64 {
                match self { $(Self::$group(call) => call.key(),)* }
            }

            /// The events that it names, for those of a pool to be put in their place.
            pub fn events_mut(&mut self) -> Vec<&mut EventIndex> {
                match self { $(Self::$group(call) => call.events_mut(),)* }
            }
        }

        impl Call<AsWritten> {
            /// The call, for these values of the variables.
            pub(super) fn plan(&self, values: VariableValues<'_>) -> Call {
                match self { $(Self::$group(call) => Call::$group(call.plan(values)),)* }
            }

            /// What it refers to.
            pub(super) fn mentioned(&self) -> CallMentions<'_> {
                let mut mentioned = CallMentions::default();
                match self { $(Self::$group(call) => call.mention(&mut mentioned),)* }
                mentioned
            }
        }
    };
}

groups! {
    /// Moves numbers, computes, or allocates memory, in the order of a stream.
    Data(DataCall),
    /// Records, waits for, measures or asks events.
    Event(EventCall),
    /// Concerns streams as a whole, or a host thread's waiting for them.
    Stream(StreamCall),
    /// Concerns host threads alone.
    Host(HostCall),
    /// Concerns recorded launches and graphs.
    Launch(LaunchCall),
    /// One of `WebGPU`'s: pipelines, promises, error scopes, and the loss of the device.
    Gpu(GpuCall),
    /// Made by all ranks together, or by two of them.
    Rank(CollectiveCall),
}

/// What a synchronisation waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncTarget {
    /// The latest record of an event; at once where there is none.
    Event(EventIndex),
    /// All that was submitted to a stream so far.
    Stream(StreamIndex),
    /// All that was submitted to the device so far.
    Device,
}

/// Where in the source a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceLocation {
    /// The call's number in the file, in the order of the file, counted from 0. Iterations of a loop share it.
    pub call: u32,
    /// Line in the source, counted from 1.
    pub line: u32,
}

/// A call and where in the source it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedCall {
    /// The call.
    pub call: Call,
    /// Where it stands.
    pub place: SourceLocation,
    /// In which round of the outermost loop with two rounds or more it is made, counted from 1; 0 outside of such loops.
    pub round: u64,
}

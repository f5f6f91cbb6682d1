//! What events are made for, pools of them, and callback threads.

use record::EventIndex;

/// An event pool of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolIndex(pub u32);

/// A callback thread of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadIndex(pub u32);

/// What an event was made for. CUDA's events do all of it; those of `AscendCL` what their flags say (rules F1, F2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Streams may wait for it (`ACL_EVENT_SYNC`).
    pub waits: bool,
    /// It may be asked how far its stream has come (`ACL_EVENT_CAPTURE_STREAM_PROGRESS`).
    pub progress: bool,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            waits: true,
            progress: true,
        }
    }
}

/// When an event takes one of the device's slots for events (rule F3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlotUse {
    /// Never: the device has room for as many as anybody makes.
    #[default]
    None,
    /// When it is made, for good (`aclrtCreateEventWithFlag`).
    Creation,
    /// At each record, until its stream reaches it (`aclrtCreateEventExWithFlag`): not to be reset.
    Record,
}

impl SlotUse {
    /// The moments that a workload can name.
    pub const LABELS: &'static [(&'static str, Self)] =
        &[("creation", Self::Creation), ("record", Self::Record)];
}

/// What a stream does after an operation of its own failed (rule F13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailureMode {
    /// Nothing more runs, on any stream of the device: CUDA knows no other, `AscendCL` calls it `STOP_ON_FAILURE`.
    #[default]
    Stop,
    /// The next operation runs: `AscendCL`'s `CONTINUE_ON_FAILURE`, which is its default.
    Continue,
}

impl FailureMode {
    /// Every mode with the word for it.
    pub const LABELS: &'static [(&'static str, Self)] =
        &[("stop", Self::Stop), ("continue", Self::Continue)];
}

/// What an event was made with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventOptions {
    /// What it was made for.
    pub capabilities: Capabilities,
    /// Whether a thread that waits for it sleeps, or spins (rule A10); none where the workload does not say, which
    /// spins as CUDA's do.
    pub blocking: Option<bool>,
    /// When it takes a slot of the device.
    pub slot: SlotUse,
    /// Whether it was made for several processes, and keeps no times then (rules A12, A45).
    pub is_shared: bool,
    /// Where it is none of its own, but one that is taken from a pool at run time.
    pub pool: Option<PoolIndex>,
}

impl EventOptions {
    /// What it was made with besides what every event of CUDA can do, in words; empty where that is nothing.
    pub fn words(&self) -> String {
        let Capabilities { waits, progress } = self.capabilities;
        let slot = match self.slot {
            SlotUse::None => "",
            SlotUse::Creation => "a slot for good",
            SlotUse::Record => "a slot at each record",
        };
        let words = [
            (waits && !progress, "to be waited for alone"),
            (progress && !waits, "to be asked alone"),
            (!waits && !progress, "neither waits nor queries"),
            (self.blocking == Some(true), "blocking"),
            (self.is_shared, "interprocess"),
            (self.pool.is_some(), "of a pool"),
            (true, slot),
        ];
        let told = words
            .iter()
            .filter(|(is_so, word)| *is_so && !word.is_empty());
        told.map(|it| it.1).collect::<Vec<_>>().join(", ")
    }
}

/// A pool of events to make: its events lie one after the other in the plan's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolPlan {
    /// Its name.
    pub name: String,
    /// The first of its events.
    pub first: EventIndex,
    /// How many there are.
    pub count: u32,
}

//! What the scheduler did, in few bytes each: there may be many millions, and they are in no order of time over all cores.

/// Something that the scheduler did on a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SchedulerEvent {
    /// When, in nanoseconds of the file.
    pub time: i64,
    /// The thread that got the core, or was woken.
    pub thread: i32,
    /// The thread that left the core, or woke the other; [`ON_CORE`] is the one that has the core then.
    pub other: i32,
    /// The core.
    pub core: u16,
    /// What the one that left the core became, as the kernel has it.
    pub state: u16,
    /// What it was.
    pub kind: SchedulerEventKind,
}

/// The thread that has the core, by what was told of that before.
pub(super) const ON_CORE: i32 = -1;
/// No thread that is known.
pub(super) const UNKNOWN: i32 = -2;
/// No thread, but an interrupt.
pub(super) const BY_INTERRUPT: i32 = -3;
/// What a core runs that has nothing to do.
pub(super) const IDLE: i32 = 0;

/// What the scheduler did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchedulerEventKind {
    /// A thread left the core, and another got it.
    Switch,
    /// A thread was woken.
    Wake,
    /// A thread was made by another.
    Fork,
    /// Events of the core were lost before this instant.
    Lost,
}

impl SchedulerEvent {
    /// Events of a core were lost before this instant.
    pub fn lost(time: i64, core: u16) -> Self {
        Self {
            time,
            thread: UNKNOWN,
            other: UNKNOWN,
            core,
            state: 0,
            kind: SchedulerEventKind::Lost,
        }
    }
}

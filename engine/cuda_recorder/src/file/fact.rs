//! What a process says about itself, about what CUPTI told it, and about what it called of NVTX.

use serde::{Deserialize, Serialize};

use crate::nvtx::{NvtxChunk, NvtxCounts, NvtxDefinition};
use crate::record::CuptiRecord;
use crate::switches::SwitchInterval;

/// One entry of a file. Times are nanoseconds of `CLOCK_MONOTONIC`, the clock that CUPTI is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fact {
    /// The library was loaded: the first fact of every file.
    Process(Box<ProcessFact>),
    /// CUPTI tells from here on.
    Listening(Box<ListeningFact>),
    /// Nothing of CUDA is told in this process, for this reason.
    Silent(String),
    /// A thread that called, told before its calls.
    Thread {
        /// CUPTI's number of it.
        thread: u32,
        /// What the system calls it.
        name: String,
    },
    /// What CUPTI told, in no order.
    Records(Vec<CuptiRecord>),
    /// What the program named or registered by NVTX; every event that refers to it comes later.
    Definitions(Vec<NvtxDefinition>),
    /// What a thread called of NVTX, in its order.
    Nvtx(NvtxChunk),
    /// What a thread was, in its order; of each state once it ended.
    Switches {
        /// The system's number of it.
        thread: u32,
        /// From when to when it was what.
        states: Vec<SwitchInterval>,
    },
    /// When threads ran is not told, for this reason.
    Unscheduled(String),
    /// What it came to so far, after a flush.
    Counts(ListeningCounts),
    /// The process ended in order: nothing follows.
    End(ListeningCounts),
    /// The first fact of a segment behind others: what was said before that every reader has to know.
    Continues(Box<ContinuationFact>),
}

/// What was said of a process and named in it, before a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContinuationFact {
    /// The process.
    pub process: ProcessFact,
    /// How CUPTI is listened to, where it is.
    pub listening: Option<ListeningFact>,
    /// Why nothing of CUDA is told, where that was said.
    pub silent: Option<String>,
    /// Why it is not told when threads ran, where that was said.
    pub unscheduled: Option<String>,
    /// Threads that called, and what the system calls them.
    pub threads: Vec<(u32, String)>,
    /// What the program named or registered by NVTX.
    pub definitions: Vec<NvtxDefinition>,
    /// What it came to so far.
    pub counts: ListeningCounts,
}

/// The process that a file is of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessFact {
    /// Its number.
    pub process: u32,
    /// The number of the process that started it.
    pub parent: u32,
    /// Its program and arguments.
    pub command: Vec<String>,
    /// When the library was loaded.
    pub at: u64,
    /// The same instant in nanoseconds since 1970-01-01 UTC.
    pub unix: u64,
    /// When the capture began, by the same clock; all processes of one capture have the same.
    pub origin: u64,
    /// The devices that it was given to see, as `CUDA_VISIBLE_DEVICES` names them; empty where it sees all.
    pub visible: String,
    /// Version of the library.
    pub version: String,
}

/// How CUPTI is listened to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListeningFact {
    /// What `cuptiGetVersion` says.
    pub version: u32,
    /// The library's path.
    pub path: String,
    /// Each kind of activity that was asked for, and CUPTI's answer: 0 where it is told.
    pub kinds: Vec<(String, i32)>,
}

/// What listening came to and cost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListeningCounts {
    /// When this was counted.
    pub at: u64,
    /// Records that were told.
    pub records: u64,
    /// Records that CUPTI dropped by its own count.
    pub dropped: u64,
    /// Bytes that CUPTI wrote and that could not be read, or were not believed.
    pub unread: u64,
    /// CUPTI said that it gave up after an error of its own: nothing came after that.
    pub has_given_up: bool,
    /// How often CUPTI was asked for what it had.
    pub flushes: u64,
    /// Nanoseconds that CUPTI was held up while it handed over.
    pub taking: u64,
    /// Nanoseconds that asking took.
    pub flushing: u64,
    /// Nanoseconds that writing the file took, beside the program.
    pub writing: u64,
    /// Records that were told and lie outside of every window: they are not written.
    pub outside: u64,
    /// Threads that called and were not followed, because as many others were as may be.
    pub unfollowed: u64,
    /// Context switches that the kernel had no room to tell.
    pub lost_switches: u64,
    /// What listening to NVTX came to.
    pub nvtx: NvtxCounts,
}

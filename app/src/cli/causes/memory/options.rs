//! What can be asked about memory.

use clap::{Args, ValueEnum};
use engine::analysis::memory::MemoryGrouping;
use engine::time::Nanos;

use crate::cli::causes::row_list::ListFormat;
use crate::cli::causes::scope::CapturePart;

/// What allocations are put together by, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GroupingOption {
    /// The innermost operator of the thread that asked
    Operator,
    /// The innermost range that the program named
    Range,
    /// The innermost function of a script
    Function,
    /// How many bytes each has
    Size,
}

impl From<GroupingOption> for MemoryGrouping {
    fn from(option: GroupingOption) -> Self {
        match option {
            GroupingOption::Operator => Self::Operator,
            GroupingOption::Range => Self::Range,
            GroupingOption::Function => Self::Function,
            GroupingOption::Size => Self::Size,
        }
    }
}

/// What may be told of a moment instead of its allocations.
#[derive(Debug, Args)]
pub struct MomentFigures {
    /// The segments that the allocator had reserved, at --at, at the --peak or at the end, and how much of each was free
    #[arg(long, conflicts_with_all = ["kept", "by"])]
    pub segments: bool,
    /// How much was allocated and reserved in all, at --at, at the --peak or at the end, instead of a row for each allocation
    #[arg(long, conflicts_with_all = ["kept", "by", "segments"])]
    pub totals: bool,
}

/// What is asked about memory.
#[derive(Debug, Args)]
#[command(after_help = MEMORY)]
pub struct MemoryOptions {
    /// The files, and which part of them: peaks are those of the time, a lane is that of the thread that asked
    #[command(flatten)]
    pub part: CapturePart,
    /// What was alive at this moment, such as 12.5ms, once all that happened up to it had happened
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = crate::cli::range::moment, conflicts_with_all = ["peak", "kept"])]
    pub at: Option<Nanos>,
    /// What was alive when most was allocated, of each device at its own moment
    #[arg(long, conflicts_with = "kept")]
    pub peak: bool,
    /// What was freed after the step in which it was allocated, or never
    #[arg(long)]
    pub kept: bool,
    /// What is told of the moment instead of its allocations
    #[command(flatten)]
    pub instead: MomentFigures,
    /// Put allocations together, instead of a row for each
    #[arg(long, value_name = "WHAT", value_enum)]
    pub by: Option<GroupingOption>,
    /// Only devices whose name holds this
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
}

const MEMORY: &str = "Without --at, --peak or --kept a row for each device and allocator: device, rank, basis (totals, where \
    the file says how many bytes there are, or since-start, where it says only what changed and all counts from zero), \
    events, allocations, start_bytes, end_bytes, peak_bytes, peak_ns, reserved_peak_bytes, never_freed, \
    never_freed_bytes, kept and kept_bytes, which are allocations that were freed after the end of the step in which they \
    were made, or never. With one of them a row for each allocation: device, rank, block (its address, or the number or the \
    name that the file has for it), bytes, operator, range and function, which are the innermost of each sort that the thread \
    was in, span and allocated_ns, free_span and freed_ns, and held_ns between the two. What was allocated before the capture \
    began has no allocated_ns, what was not freed has no freed_ns. With --totals a row for each device: device, rank, basis, at_ns, \
    allocated_bytes, reserved_bytes, and of what was allocated allocations and bytes that are known and before_bytes from before the \
    capture began. With --segments, which snapshots of PyTorch's allocator have, a row \
    for each: device, rank, at_ns, address, bytes, stream, allocated_bytes, free_bytes, blocks and largest_free_bytes. With --by a row for each group: device, rank, at_ns, the \
    group, allocations, bytes and share; the group is null for what was allocated before the capture began, and empty where \
    nothing of the sort asked for it.";

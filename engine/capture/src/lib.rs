//! All that is known of one run or one opened file, with one door in: [`Capture::apply`].
//!
//! Records may come in any order. What was taken in is asked for by id, by lane and time, or folded into pixels.
//!
//! ```
//! use capture::Capture;
//! use record::time::{Interval, Nanos};
//! use record::{CallId, Group, Lane, LaneId, NameId, Record, Role, Span, SpanId, SpanKind, State};
//!
//! let mut capture = Capture::new();
//! capture.apply([Record::Lane(Box::new(Lane {
//!     id: LaneId(0),
//!     group: Group::Streams,
//!     device: None,
//!     role: Role::Compute,
//!     name: "stream 7".to_owned(),
//!     order: 0,
//!     process: "".into(),
//!     thread: "".into(),
//! }))]);
//! let span = |id, start, end| Record::Span(Span {
//!     id: SpanId(id),
//!     lane: LaneId(0),
//!     name: NameId(0),
//!     call: CallId::NONE,
//!     kind: SpanKind::Kernel,
//!     state: State::Done,
//!     enqueued: Nanos(start),
//!     start: Nanos(start),
//!     end: Nanos(end),
//! });
//! capture.apply([span(0, 100, 200), span(1, 300, 900)]);
//!
//! let late = Interval::new(Nanos(250), Nanos(1_000));
//! let found: Vec<SpanId> = capture.spans_in(LaneId(0), late).map(|it| it.span.id).collect();
//! assert_eq!(found, [SpanId(1)]);
//! ```

mod append_column;
mod apply;
mod arguments;
mod by_start;
mod chunk;
mod chunk_entry;
mod chunk_summary;
mod chunk_table;
mod column;
mod columns;
mod compressed_chunk;
mod dependencies;
mod encoded_column;
mod findings;
mod fold;
mod launches;
mod links;
mod name_scan;
mod names;
mod natural_sort;
mod nesting;
mod pipelines;
mod promises;
mod query;
mod row;
mod run_length_column;
mod samples;
mod span_block;
mod span_cursor;
mod span_index;
mod sparse_column;
mod sublanes;
mod summary_forest;
mod table;
mod text;
mod thread_states;

pub use fold::FoldedSpan;
pub use launches::LaunchHistory;
pub use names::{NamePage, PAGE as NAMES_A_PAGE};
pub use natural_sort::key as natural_key;
pub use pipelines::PipelineHistory;
pub use promises::PromiseState;
pub use samples::Samples;
pub use table::{PlacedSpan, Repair};
pub use text::text;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use record::time::Interval;
use record::{
    Bookmark, BufferUse, Clock, Counter, Device, Event, EventStep, Expectation, FileRepair,
    Finding, FindingSearch, Lane, LaneId, LaneOrigin, Log, Loss, Problem, Recovery, Run, RunEnd,
    SourceCall, SpanId, SpanStart,
};

/// What a lane is where it comes from, in half the room: there may be millions.
#[derive(Clone, Copy, Default)]
struct PlainOrigin {
    number: i64,
    rank: u32,
    is_told: bool,
    has_rank: bool,
    has_number: bool,
}

impl PlainOrigin {
    fn new(origin: LaneOrigin) -> Self {
        Self {
            number: origin.number.unwrap_or_default(),
            rank: origin.rank.unwrap_or_default(),
            is_told: true,
            has_rank: origin.rank.is_some(),
            has_number: origin.number.is_some(),
        }
    }

    fn of(self, lane: LaneId) -> Option<LaneOrigin> {
        self.is_told.then_some(LaneOrigin {
            lane,
            rank: self.has_rank.then_some(self.rank),
            number: self.has_number.then_some(self.number),
        })
    }
}

/// All that is known of one run or one opened file.
///
/// Its tables only grow, so an id once seen stays valid while a run goes on. Spans lie in columns by lane and
/// sub-lane, under an index that answers what a screenful looks like without touching every span.
#[derive(Clone, Default)]
pub struct Capture {
    instance: u64,
    revision: u64,
    extent: Option<Interval>,
    run: Option<Run>,
    end: Option<RunEnd>,
    names: names::Names,
    devices: Vec<Device>,
    lanes: Vec<Lane>,
    /// Names that lanes of different devices have, once somebody asked.
    shared_names: OnceLock<BTreeSet<String>>,
    lane_origins: Vec<PlainOrigin>,
    events: Vec<Event>,
    /// What was done to each, by its number.
    event_steps: Vec<Vec<EventStep>>,
    calls: Vec<SourceCall>,
    buffer_uses: Vec<BufferUse>,
    counters: Vec<Counter>,
    samples: Vec<Samples>,
    no_samples: Samples,
    spans: table::SpanStore,
    open: BTreeMap<SpanId, SpanStart>,
    dependencies: dependencies::Dependencies,
    arguments: arguments::Arguments,
    problems: Vec<Problem>,
    /// Records that were not kept, each told by a problem.
    refused: u64,
    left_out: u64,
    expectations: Vec<Expectation>,
    log: Vec<Log>,
    notes: Vec<Box<str>>,
    bookmarks: Vec<Bookmark>,
    file_repairs: Vec<FileRepair>,
    losses: Vec<Loss>,
    recoveries: Vec<Recovery>,
    pipelines: Vec<PipelineHistory>,
    promises: Vec<PromiseState>,
    launches: Vec<LaunchHistory>,
    /// Whether a span is a graph, whose nodes may overlap.
    has_graphs: bool,
    /// Graphs whose nodes are spans of their own.
    graphs_with_nodes: BTreeSet<SpanId>,
    findings: Vec<Finding>,
    searches: Vec<FindingSearch>,
    clocks: Vec<Clock>,
    thread_states: thread_states::ThreadStates,
}

#[cfg(test)]
mod tests;

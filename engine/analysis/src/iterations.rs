//! Iterations: the steps and frames that a capture is made of, by marks in it or by what repeats itself.

mod anchor;
mod mark;
mod repetition;
mod table;
#[cfg(test)]
mod tests;
mod workload_loop;

pub use table::{IterationRow, IterationTable};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::causes::CauseReader;
use capture::Capture;
use record::time::Interval;
use record::{LaneId, NameId, SpanId};

/// How iterations were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IterationSource {
    /// By ranges of a host thread that name a step or a frame, such as `ProfilerStep#12`, or that repeat.
    #[default]
    Range,
    /// By instants that mark where one ends and the next begins.
    Frame,
    /// By the outermost loops of the workload.
    Repeat,
    /// By replays of a graph.
    Replay,
    /// By operations of a stream that come in the same order again and again.
    Repetition,
}

impl IterationSource {
    /// What they were found by, in a few words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Range => "ranges",
            Self::Frame => "frame marks",
            Self::Repeat => "loops of the workload",
            Self::Replay => "replays of a graph",
            Self::Repetition => "operations that repeat in order",
        }
    }
}

impl IterationSource {
    /// The same of the iterations of one rank, where the capture has several.
    fn label_of(self, rank: Option<u32>) -> String {
        let source = self.label();
        rank.map_or_else(
            || source.to_owned(),
            |rank| format!("{source} of rank {rank}"),
        )
    }

    /// Whether only the start of each is known, which is the end of the one before.
    const fn is_by_starts(self) -> bool {
        matches!(self, Self::Repeat | Self::Replay | Self::Repetition)
    }
}

/// A step or a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// Counted from 1, in order of time.
    pub number: u32,
    /// What it is called: the name of its mark, or of its first operation.
    pub name: Arc<str>,
    /// From when to when.
    pub interval: Interval,
    /// Its mark, or its first operation.
    pub span: SpanId,
}

/// The iterations of a capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Iterations {
    /// How they were found.
    pub source: IterationSource,
    /// In order of time; empty where none were found. They do not overlap.
    pub all: Vec<Iteration>,
    /// Where a loop begins among them, where they are of loops.
    loops: Vec<usize>,
    /// The streams that they are of: those of one rank, where the capture has several.
    pub streams: Vec<LaneId>,
    /// That rank.
    pub rank: Option<u32>,
}

/// A stretch with its mark, before it has a number.
type MarkedInterval = (Interval, SpanId);

/// What iterations are called: most of them the same.
#[derive(Default)]
struct IterationNames(BTreeMap<NameId, Arc<str>>);

impl IterationNames {
    fn of(&mut self, capture: &Capture, span: SpanId) -> Arc<str> {
        let name = capture.span(span).map(|it| it.span.name);
        let Some(name) = name else { return "?".into() };
        let known = self.0.entry(name);
        known.or_insert_with(|| capture.name(name).into()).clone()
    }
}

impl Iterations {
    /// Finds the iterations of one rank, or of the first that has some: of a run by the loops of its workload, of other
    /// captures by ranges and frame marks, then by replays, and last by the order of operations.
    pub fn find(reader: &CauseReader<'_>, rank: Option<u32>) -> Self {
        let all = reader.capture().lane_order();
        let ranks: BTreeSet<u32> = all.iter().map(|it| reader.rank(*it)).collect();
        let several = ranks.len() > 1;
        let of = |rank: u32| {
            let mut lanes = all.clone();
            lanes.retain(|lane| reader.rank(*lane) == rank);
            Self {
                rank: several.then_some(rank),
                ..Self::of_lanes(reader, &lanes)
            }
        };
        if let Some(rank) = rank {
            return of(rank);
        }
        let mut found = ranks.into_iter().map(of);
        found.find(|it| !it.all.is_empty()).unwrap_or_default()
    }

    fn of_lanes(reader: &CauseReader<'_>, lanes: &[LaneId]) -> Self {
        let mut streams = reader.streams();
        let own: BTreeSet<LaneId> = lanes.iter().copied().collect();
        streams.retain(|it| own.contains(it));
        let alone = |(source, marked)| (source, (marked, Vec::new()));
        let found = workload_loop::by_loops(reader, lanes, &streams)
            .or_else(|| mark::by_marks(reader, lanes).map(alone))
            .or_else(|| anchor::by_replays(reader, &streams).map(alone))
            .or_else(|| repetition::by_order(reader, &streams).map(alone));
        let Some((source, (marked, loops))) = found else {
            return Self::default();
        };
        let mut names = IterationNames::default();
        let all = (1..)
            .zip(marked)
            .map(|(number, (interval, span))| Iteration {
                number,
                name: names.of(reader.capture(), span),
                interval,
                span,
            });
        Self {
            source,
            all: all.collect(),
            loops,
            streams,
            rank: None,
        }
    }

    /// What they were found by, and of which rank, in a few words.
    pub fn label(&self) -> String {
        self.source.label_of(self.rank)
    }

    /// Which of several loops that follow each other an iteration is of.
    fn loop_of(&self, iteration: &Iteration) -> usize {
        let at = iteration.number as usize;
        self.loops.partition_point(|start| *start < at)
    }

    /// The iteration with a number.
    pub fn get(&self, number: u32) -> Option<&Iteration> {
        self.all.get(number.checked_sub(1)? as usize)
    }
}

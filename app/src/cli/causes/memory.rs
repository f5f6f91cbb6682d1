//! Memory of allocators: how much there was, what was alive at a moment, and what was kept beyond its step.

mod lists;
mod options;
mod segments;
mod totals;

use std::collections::BTreeSet;

use engine::analysis::memory::{
    Allocation, MemoryBasis, MemoryGroup, MemoryGrouping, MemoryHistory, MemoryOrigin, MemoryPoint,
    MemoryPool, PoolSteps,
};
use engine::capture::Capture;
use engine::record::{LaneId, Value};
use engine::time::{Interval, Nanos};

use super::row_list::{ListFormat, count, integer, text, time, write_rows};
use super::scope::OpenedPart;
use crate::cli::range::moment_within;
use crate::cli::{CliFailure, OutputStreams, complain};
use crate::text::without_pools;
pub use options::MemoryOptions;

const POOL_COLUMNS: [&str; 14] = [
    "device",
    "rank",
    "basis",
    "events",
    "allocations",
    "start_bytes",
    "end_bytes",
    "peak_bytes",
    "peak_ns",
    "reserved_peak_bytes",
    "never_freed",
    "never_freed_bytes",
    "kept",
    "kept_bytes",
];

const ALLOCATION_COLUMNS: [&str; 12] = [
    "device",
    "rank",
    "block",
    "bytes",
    "operator",
    "range",
    "function",
    "span",
    "allocated_ns",
    "free_span",
    "freed_ns",
    "held_ns",
];

/// What a list of allocations is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AllocationChoice {
    /// What was alive at a moment.
    At(Nanos),
    /// What was alive at the peak of each pool.
    Peak,
    /// What was kept beyond its step.
    Kept,
}

/// The memory that is asked about.
struct MemoryPrinter<'a> {
    capture: &'a Capture,
    pools: Vec<MemoryPool>,
    within: Interval,
    lanes: Option<BTreeSet<LaneId>>,
    steps: PoolSteps,
}

/// Prints what became of memory.
pub(in crate::cli) fn memory(
    options: &MemoryOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let scope = OpenedPart::open(&options.part, streams)?;
    let answer = MemoryPrinter::new(&scope, options)?;
    let all = scope.capture.extent().unwrap_or_default();
    let at = options.at.map(|at| moment_within(at, "--at", all));
    let question = match at.transpose()? {
        Some(at) => Some(AllocationChoice::At(at)),
        None if options.peak => Some(AllocationChoice::Peak),
        None if options.kept => Some(AllocationChoice::Kept),
        None => options.by.map(|_| AllocationChoice::Peak),
    };
    answer.warn(question, streams);
    if options.instead.segments {
        let question = question.unwrap_or(AllocationChoice::At(answer.within.end));
        return segments::write(&answer, question, options.format, streams);
    }
    if options.instead.totals {
        let question = question.unwrap_or(AllocationChoice::At(answer.within.end));
        return totals::write(&answer, question, options.format, streams);
    }
    let is_text = options.format == ListFormat::Text;
    match (question, options.by.map(MemoryGrouping::from)) {
        (None, _) if is_text => answer.write_pools(streams),
        (None, _) => {
            let rows = answer.pools.iter().map(|pool| answer.pool_row(pool));
            write_rows(&POOL_COLUMNS, rows, options.format, streams)
        }
        (Some(question), None) if is_text => answer.write_allocations(question, streams),
        (Some(question), None) => {
            let rows = answer.pools.iter().flat_map(|pool| {
                let all = answer.asked(pool, question);
                all.map(|it| allocation_row(answer.capture, pool, it))
            });
            write_rows(&ALLOCATION_COLUMNS, rows, options.format, streams)
        }
        (Some(question), Some(by)) if is_text => answer.write_groups(question, by, streams),
        (Some(question), Some(by)) => {
            let columns = [
                "device",
                "rank",
                "at_ns",
                by.label(),
                "allocations",
                "bytes",
                "share",
            ];
            let rows = answer.group_rows(question, by);
            write_rows(&columns, rows.into_iter(), options.format, streams)
        }
    }
}

impl<'a> MemoryPrinter<'a> {
    fn new(scope: &'a OpenedPart, options: &MemoryOptions) -> Result<Self, CliFailure> {
        let capture = &scope.capture;
        let mut pools = MemoryHistory::new(capture).pools;
        if pools.is_empty() {
            return Err(CliFailure::Wrong(without_pools(capture).to_owned()));
        }
        if let Some(name) = &options.device {
            let titles: Vec<String> = pools.iter().map(|it| it.title.clone()).collect();
            let wanted = name.to_lowercase();
            pools.retain(|it| it.title.to_lowercase().contains(&wanted));
            if pools.is_empty() {
                let known = titles.join(", ");
                return Err(CliFailure::Wrong(format!(
                    "no device of which memory is told is called “{name}”; there are {known}"
                )));
            }
        }
        if let Some(rank) = options.part.rank {
            pools.retain(|it| it.rank.is_none_or(|it| it == rank));
        }
        let is_plain = options.at.is_none()
            && !options.peak
            && !options.instead.segments
            && !options.instead.totals;
        let needs_steps = options.kept || is_plain && options.by.is_none();
        let steps = if needs_steps {
            PoolSteps::find(capture, &pools)
        } else {
            PoolSteps::default()
        };
        let all = capture.extent().unwrap_or_default();
        Ok(Self {
            capture,
            pools,
            within: scope.within.unwrap_or(all),
            lanes: scope.lanes.as_ref().map(|it| it.iter().copied().collect()),
            steps,
        })
    }

    /// Says what of the answer does not hold as it looks.
    fn warn(&self, question: Option<AllocationChoice>, streams: &mut OutputStreams<'_>) {
        for pool in &self.pools {
            let title = &pool.title;
            if pool.basis == MemoryBasis::SinceStart && question != Some(AllocationChoice::Kept) {
                let words = "the file says what was allocated and freed, but not how much there is: its bytes count from zero at \
                             the start of the capture";
                complain(streams, &format!("{title}: {words}"));
            }
            if pool.without_block > 0 && question.is_some() {
                let events = crate::text::counted(pool.without_block, "event");
                let words = "no address, so that what was alive is not known of them";
                complain(
                    streams,
                    &format!("{title}: {events} of the allocator have {words}"),
                );
            }
            if pool.missing_frees > 0 && question.is_some() {
                let blocks = crate::text::counted(pool.missing_frees, "block");
                let words = "allocated again though no free of it was told; it ends where the next one begins";
                complain(streams, &format!("{title}: {blocks} of memory: {words}"));
            }
        }
    }

    /// The allocations that a question is about.
    fn asked<'b>(
        &'b self,
        pool: &'b MemoryPool,
        question: AllocationChoice,
    ) -> impl Iterator<Item = &'b Allocation> {
        let point = self.moment(pool, question);
        let steps = self.steps.of(pool);
        let all = pool.allocations.iter();
        all.filter(move |it| match point {
            Some(point) => it.is_alive(point),
            None => it.is_kept(steps) && it.is_made_within(self.within),
        })
        .filter(|it| self.is_of_lanes(it))
    }

    /// The point that a question is about.
    fn moment(&self, pool: &MemoryPool, question: AllocationChoice) -> Option<MemoryPoint> {
        match question {
            AllocationChoice::At(at) => Some(pool.point_at(at)),
            AllocationChoice::Peak => {
                let peak = pool.peak(self.within).map(|it| it.point);
                Some(peak.unwrap_or_else(|| pool.point_at(self.within.start)))
            }
            AllocationChoice::Kept => None,
        }
    }

    /// Whether an allocation was made on the lanes that are asked about, or freed there where nothing tells who made it.
    fn is_of_lanes(&self, allocation: &Allocation) -> bool {
        let Some(lanes) = &self.lanes else {
            return true;
        };
        let span = allocation.from.or(allocation.to).map(|it| it.span);
        let lane = span
            .and_then(|it| self.capture.span(it))
            .map(|it| it.span.lane);
        lane.is_some_and(|it| lanes.contains(&it))
    }

    fn pool_row(&self, pool: &MemoryPool) -> Vec<Option<Value>> {
        let within = self.within;
        let peak = pool.peak(within);
        let bytes = |it: &[&Allocation]| Allocation::bytes_of(it.iter().copied());
        let kept: Vec<&Allocation> = self.asked(pool, AllocationChoice::Kept).collect();
        let never: Vec<&Allocation> = kept.iter().copied().filter(|it| it.to.is_none()).collect();
        let made = pool.allocations.iter();
        let made = made.filter(|it| it.is_made_within(within) && self.is_of_lanes(it));
        // Without addresses none of them is known.
        let known = |value: Value| Some(value).filter(|_| pool.knows_blocks());
        let before = pool.point_at(within.start - Nanos(1));
        vec![
            Some(text(&pool.title)),
            pool.rank.map(|it| integer(i64::from(it))),
            Some(text(pool.basis.label())),
            Some(count(
                (pool.point_at(within.end).events - before.events) as u64,
            )),
            known(count(made.count() as u64)),
            pool.allocated(pool.point_at(within.start)).map(integer),
            pool.allocated(pool.point_at(within.end)).map(integer),
            peak.map(|it| integer(it.allocated)),
            peak.map(|it| time(it.point.at)),
            pool.reserved_peak(within).map(integer),
            known(count(never.len() as u64)),
            known(count(bytes(&never))),
            known(count(kept.len() as u64)),
            known(count(bytes(&kept))),
        ]
    }

    fn groups(
        &self,
        pool: &MemoryPool,
        question: AllocationChoice,
        by: MemoryGrouping,
    ) -> Vec<MemoryGroup> {
        let asked = self.asked(pool, question);
        match self.moment(pool, question) {
            // Of some lanes alone it is not known what they had before.
            Some(point) if self.lanes.is_none() => {
                MemoryGroup::alive(self.capture, (pool, point), asked, by)
            }
            _ => MemoryGroup::all(self.capture, asked, by),
        }
    }

    fn group_rows(
        &self,
        question: AllocationChoice,
        by: MemoryGrouping,
    ) -> Vec<Vec<Option<Value>>> {
        let mut rows = Vec::new();
        for pool in &self.pools {
            let groups = self.groups(pool, question, by);
            let all = groups.iter().map(|it| it.bytes);
            let all = all.fold(0, u64::saturating_add);
            for group in groups {
                rows.push(vec![
                    Some(text(&pool.title)),
                    pool.rank.map(|it| integer(i64::from(it))),
                    self.moment(pool, question).map(|it| time(it.at)),
                    group.name.as_deref().map(text),
                    Some(count(group.count)),
                    Some(count(group.bytes)),
                    Some(Value::Number(share(group.bytes, all))),
                ]);
            }
        }
        rows
    }
}

/// A part of all, from 0 to 1.
fn share(part: u64, all: u64) -> f64 {
    if all == 0 {
        return 0.0;
    }
    part as f64 / all as f64
}

fn allocation_row(
    capture: &Capture,
    pool: &MemoryPool,
    allocation: &Allocation,
) -> Vec<Option<Value>> {
    let (from, to) = (allocation.from, allocation.to);
    let origin = from.map(|it| MemoryOrigin::of(capture, it.span));
    let origin = origin.unwrap_or_default();
    vec![
        Some(text(&pool.title)),
        pool.rank.map(|it| integer(i64::from(it))),
        Some(text(&allocation.block.to_string())),
        Some(count(allocation.bytes)),
        origin.operator.as_deref().map(text),
        origin.range.as_deref().map(text),
        origin.function.as_deref().map(text),
        from.map(|it| integer(i64::from(it.span.0))),
        from.map(|it| time(it.at)),
        to.map(|it| integer(i64::from(it.span.0))),
        to.map(|it| time(it.at)),
        allocation.length().map(time),
    ]
}

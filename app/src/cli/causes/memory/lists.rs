//! Memory for people: the figures of each device, allocations, and groups of them.

use engine::analysis::memory::{
    Allocation, MemoryBasis, MemoryGroup, MemoryGrouping, MemoryOrigin, MemoryPoint, MemoryPool,
};
use engine::record::Value;
use engine::time::Nanos;

use super::{AllocationChoice, MemoryPrinter, share};
use crate::cli::causes::row_list::{MOST, more};
use crate::cli::table::TextTable;
use crate::cli::{CliFailure, FINE, OutputStreams};
use crate::text::words;

/// Letters of names.
const LETTERS: usize = 60;
/// Groups that are listed for people below the figures of a pool.
const FEW: usize = 8;

impl MemoryPrinter<'_> {
    /// Writes for people how much there was, and what had it at the peak.
    pub(super) fn write_pools(&self, streams: &mut OutputStreams<'_>) -> Result<u8, CliFailure> {
        let mut table = TextTable::new(&[
            "device",
            ">at the start",
            ">at the end",
            ">peak",
            ">at",
            ">reserved",
            ">allocations",
            ">never freed",
            ">kept beyond their step",
        ]);
        for pool in &self.pools {
            let has_steps = !self.steps.of(pool).is_empty();
            table.row(pool_cells(&pool.title, &self.pool_row(pool), has_steps));
        }
        table.write(streams.out)?;
        if !self.pools.iter().any(MemoryPool::knows_blocks) {
            return Ok(FINE);
        }
        writeln!(streams.out)?;
        let by = self.pools.iter();
        let by = by.map(|it| MemoryGrouping::usual(self.capture, it)).min();
        let by = by.unwrap_or_default();
        writeln!(streams.out, "At the peak, by {}:", by.label())?;
        self.list_groups(AllocationChoice::Peak, by, FEW, streams)?;
        Ok(FINE)
    }

    /// Writes allocations for people, the largest first.
    pub(super) fn write_allocations(
        &self,
        question: AllocationChoice,
        streams: &mut OutputStreams<'_>,
    ) -> Result<u8, CliFailure> {
        let of = |pool| self.asked(pool, question).map(move |it| (pool, it));
        let mut all: Vec<(&MemoryPool, &Allocation)> = self.pools.iter().flat_map(of).collect();
        all.sort_by_key(|(_, it)| std::cmp::Reverse(it.bytes));
        let listed = all.iter().take(MOST).map(|(pool, allocation)| {
            let from = allocation.from;
            let origin = from.map(|it| MemoryOrigin::of(self.capture, it.span));
            (*pool, *allocation, origin.unwrap_or_default())
        });
        let listed: Vec<(&MemoryPool, &Allocation, MemoryOrigin)> = listed.collect();
        // Only of what the file tells.
        let mut askers = MemoryGrouping::ALL.to_vec();
        askers.retain(|by| listed.iter().any(|it| it.2.name(*by).is_some()));
        let mut heads = vec!["device", "block", ">bytes"];
        heads.extend(askers.iter().map(|it| it.label()));
        heads.extend([">span", ">allocated", ">freed"]);
        let mut table = TextTable::new(&heads);
        for (pool, allocation, origin) in &listed {
            table.row(allocation_cells(pool, allocation, (origin, &askers)));
        }
        self.head(question, all.len(), streams)?;
        table.write(streams.out)?;
        more(all.len(), streams)?;
        Ok(FINE)
    }

    /// Says what a list is of.
    fn head(
        &self,
        question: AllocationChoice,
        found: usize,
        streams: &mut OutputStreams<'_>,
    ) -> Result<(), CliFailure> {
        if question == AllocationChoice::Kept {
            let is_known = self.pools.iter().all(MemoryPool::knows_blocks);
            if found == 0 && !is_known {
                let words = "which free is of what is not told, so that what was kept is not known";
                writeln!(streams.out, "{words}")?;
            } else if found == 0 {
                let words =
                    "nothing was kept beyond the step in which it was allocated, and all was freed";
                writeln!(streams.out, "{words}")?;
            }
            return Ok(());
        }
        for pool in &self.pools {
            let point = self.moment(pool, question).unwrap_or_default();
            let allocated = pool.allocated(point).unwrap_or_default();
            let since = match pool.basis {
                MemoryBasis::Totals => "allocated",
                MemoryBasis::SinceStart => "more allocated than at the start",
            };
            let untold = untold(pool, point);
            writeln!(
                streams.out,
                "{} at {}: {} {since}{untold}",
                pool.title,
                words::length(point.at),
                words::bytes(allocated),
            )?;
        }
        Ok(())
    }

    pub(super) fn write_groups(
        &self,
        question: AllocationChoice,
        by: MemoryGrouping,
        streams: &mut OutputStreams<'_>,
    ) -> Result<u8, CliFailure> {
        self.head(question, 1, streams)?;
        self.list_groups(question, by, MOST, streams)?;
        Ok(FINE)
    }

    /// Writes groups of allocations for people, so many of each pool.
    fn list_groups(
        &self,
        question: AllocationChoice,
        by: MemoryGrouping,
        most: usize,
        streams: &mut OutputStreams<'_>,
    ) -> Result<(), CliFailure> {
        let mut table = TextTable::new(&["device", by.label(), ">allocations", ">bytes", ">share"]);
        let mut left_out = 0;
        for pool in &self.pools {
            let groups = self.groups(pool, question, by);
            let all = groups.iter().map(|it| it.bytes);
            let all = all.fold(0, u64::saturating_add);
            left_out += groups.len().saturating_sub(most);
            for group in groups.iter().take(most) {
                table.row(group_cells(&pool.title, (group, by), all));
            }
        }
        table.write(streams.out)?;
        if left_out > 0 {
            writeln!(
                streams.out,
                "… and {left_out} more; --by {} with --format csv or json shows all",
                by.label()
            )?;
        }
        Ok(())
    }
}

/// The cells of an allocation for people, with who asked for it by some groupings.
fn allocation_cells(
    pool: &MemoryPool,
    allocation: &Allocation,
    (origin, askers): (&MemoryOrigin, &[MemoryGrouping]),
) -> Vec<String> {
    let (from, to) = (allocation.from, allocation.to);
    let unknown = || "–".to_owned();
    let mut cells = vec![
        pool.title.clone(),
        allocation.block.to_string(),
        crate::text::count(allocation.bytes),
    ];
    cells.extend(askers.iter().map(|by| {
        let name = origin.name(*by);
        name.map_or_else(unknown, |it| crate::text::shorten(it, LETTERS))
    }));
    let moment = |it: Option<_>, other: &str| it.map_or_else(|| other.to_owned(), words::length);
    cells.extend([
        from.map_or_else(unknown, |it| it.span.0.to_string()),
        moment(from.map(|it| it.at), "before"),
        moment(to.map(|it| it.at), "never"),
    ]);
    cells
}

/// The cells of a pool for people, by its row for programs. Without steps nothing can be kept beyond them.
fn pool_cells(title: &str, row: &[Option<Value>], has_steps: bool) -> [String; 9] {
    let of = |at: usize| match row.get(at) {
        Some(Some(Value::Integer(value))) => Some(*value),
        _ => None,
    };
    let bytes = |at: usize| of(at).map_or_else(|| "–".to_owned(), words::bytes);
    let number = |at: usize| {
        let value = of(at).and_then(|it| u64::try_from(it).ok());
        value.map_or_else(|| "–".to_owned(), crate::text::count)
    };
    [
        title.to_owned(),
        bytes(5),
        bytes(6),
        bytes(7),
        of(8).map_or_else(|| "–".to_owned(), |it| words::length(Nanos(it))),
        bytes(9),
        number(4),
        format!("{} · {}", number(10), bytes(11)),
        if has_steps {
            format!("{} · {}", number(12), bytes(13))
        } else {
            "–".to_owned()
        },
    ]
}

/// How much of what was allocated at a moment nothing tells of.
fn untold(pool: &MemoryPool, point: MemoryPoint) -> String {
    match pool.untold(point) {
        0 => String::new(),
        untold => {
            let untold = words::bytes(i64::try_from(untold).unwrap_or(i64::MAX));
            format!(", {untold} of it before the capture began")
        }
    }
}

/// The cells of a group for people.
fn group_cells(title: &str, (group, by): (&MemoryGroup, MemoryGrouping), all: u64) -> [String; 5] {
    let share = crate::text::percent(share(group.bytes, all));
    [
        title.to_owned(),
        crate::text::shorten(
            &crate::text::memory_group(group.name.as_deref(), by),
            LETTERS,
        ),
        crate::text::count(group.count),
        words::bytes(i64::try_from(group.bytes).unwrap_or(i64::MAX)),
        share.replace(crate::text::THIN, " "),
    ]
}

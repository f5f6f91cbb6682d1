//! Memory for people: the figures of each device, allocations, and groups of them.

use engine::analysis::memory::{
    Allocation, MemoryBasis, MemoryGroup, MemoryGrouping, MemoryOrigin, MemoryPool,
};
use engine::record::Value;
use engine::time::Nanos;

use super::{AllocationChoice, MemoryPrinter, share};
use crate::cli::causes::row_list::{MOST, more};
use crate::cli::causes::words;
use crate::cli::table::TextTable;
use crate::cli::{CliFailure, FINE, OutputStreams};

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
            table.row(pool_cells(&pool.title, &self.pool_row(pool)));
        }
        table.write(streams.out)?;
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
        let mut table = TextTable::new(&[
            "device",
            "block",
            ">bytes",
            "operator",
            "range",
            ">span",
            ">allocated",
            ">freed",
        ]);
        let of = |pool| self.asked(pool, question).map(move |it| (pool, it));
        let mut all: Vec<(&MemoryPool, &Allocation)> = self.pools.iter().flat_map(of).collect();
        all.sort_by_key(|(_, it)| std::cmp::Reverse(it.bytes));
        for (pool, allocation) in all.iter().take(MOST) {
            let origin = allocation
                .from
                .map(|it| MemoryOrigin::of(self.capture, it.span));
            let origin = origin.unwrap_or_default();
            let name = |it: Option<Box<str>>| {
                it.map_or_else(|| "–".to_owned(), |it| crate::text::shorten(&it, LETTERS))
            };
            let moment =
                |it: Option<_>, other: &str| it.map_or_else(|| other.to_owned(), words::length);
            table.row([
                pool.title.clone(),
                allocation.block.to_string(),
                crate::text::count(allocation.bytes),
                name(origin.operator),
                name(origin.range),
                allocation
                    .from
                    .map_or_else(|| "–".to_owned(), |it| it.span.0.to_string()),
                moment(allocation.from.map(|it| it.at), "before"),
                moment(allocation.to.map(|it| it.at), "never"),
            ]);
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
            if found == 0 {
                let words =
                    "nothing was kept beyond the step in which it was allocated, and all was freed";
                writeln!(streams.out, "{words}")?;
            }
            return Ok(());
        }
        for pool in &self.pools {
            let at = self.moment(pool, question).unwrap_or_default();
            let allocated = pool.allocated_at(at).unwrap_or_default();
            let since = match pool.basis {
                MemoryBasis::Totals => "allocated",
                MemoryBasis::SinceStart => "more allocated than at the start",
            };
            let untold = untold(pool, at);
            writeln!(
                streams.out,
                "{} at {}: {} {since}{untold}",
                pool.title,
                words::length(at),
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

/// The cells of a pool for people, by its row for programs.
fn pool_cells(title: &str, row: &[Option<Value>]) -> [String; 9] {
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
        format!("{} · {}", number(12), bytes(13)),
    ]
}

/// How much of what was allocated at a moment nothing tells of.
fn untold(pool: &MemoryPool, at: Nanos) -> String {
    match pool.untold_at(at) {
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
        crate::text::shorten(&group_name(group, by), LETTERS),
        crate::text::count(group.count),
        words::bytes(i64::try_from(group.bytes).unwrap_or(i64::MAX)),
        share.replace(crate::text::THIN, " "),
    ]
}

/// What a group is called for people.
fn group_name(group: &MemoryGroup, by: MemoryGrouping) -> String {
    match (group.name.as_deref(), by) {
        (None, _) => "before the capture began".to_owned(),
        (Some(""), _) => format!("in no {}", by.label()),
        (Some(size), MemoryGrouping::Size) => {
            let size: u64 = size.parse().unwrap_or_default();
            format!("{} B", crate::text::count(size))
        }
        (Some(name), _) => name.to_owned(),
    }
}

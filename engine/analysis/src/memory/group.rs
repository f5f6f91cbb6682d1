//! What was alive, put together by who had asked for it or by how large it is.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use capture::Capture;
use record::SpanId;

use super::origin::MemoryOrigin;
use super::pool::{Allocation, MemoryPoint, MemoryPool};

/// Allocations that are looked at to see who asks.
const LOOKED_AT: usize = 64;

/// What allocations are put together by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryGrouping {
    /// The innermost operator that was open on the thread that asked.
    #[default]
    Operator,
    /// The innermost range that the program named.
    Range,
    /// The innermost function of a script.
    Function,
    /// How many bytes each has.
    Size,
}

impl MemoryGrouping {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Operator, Self::Range, Self::Function, Self::Size];

    /// What tells most apart of a pool: the operators that asked, or the functions, or the ranges, whichever its allocations have.
    pub fn usual(capture: &Capture, pool: &MemoryPool) -> Self {
        let asked = pool.allocations.iter().filter_map(|it| it.from);
        let origins: Vec<MemoryOrigin> = asked
            .take(LOOKED_AT)
            .map(|it| MemoryOrigin::of(capture, it.span))
            .collect();
        let has = |by: &Self| origins.iter().any(|it| it.name(*by).is_some());
        let all = [Self::Operator, Self::Function, Self::Range];
        all.into_iter().find(has).unwrap_or_default()
    }

    /// The word for it, on the command line and in files.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Range => "range",
            Self::Function => "function",
            Self::Size => "size",
        }
    }
}

/// Allocations of one operator, range, function or size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryGroup {
    /// What they share; none for those that were allocated before the capture began, and `""` for those that nothing of the sort
    /// asked for.
    pub name: Option<Box<str>>,
    /// How many of them are known.
    pub count: u64,
    /// How many bytes they have together.
    pub bytes: u64,
    /// The spans that tell of their allocations, the largest first.
    pub spans: Vec<SpanId>,
}

impl MemoryGroup {
    /// Puts together what was alive at a point, with what had been allocated before the capture began. Those with most bytes
    /// come first.
    pub fn alive<'a>(
        capture: &Capture,
        (pool, point): (&MemoryPool, MemoryPoint),
        alive: impl Iterator<Item = &'a Allocation>,
        by: MemoryGrouping,
    ) -> Vec<Self> {
        let mut groups = Self::all(capture, alive, by);
        let untold = pool.untold(point);
        match groups.iter_mut().find(|it| it.name.is_none()) {
            Some(group) => group.bytes = group.bytes.saturating_add(untold),
            None if untold > 0 => groups.push(Self {
                name: None,
                count: 0,
                bytes: untold,
                spans: Vec::new(),
            }),
            None => {}
        }
        groups.sort_by_key(|it| Reverse(it.bytes));
        groups
    }

    /// Puts allocations together. Those with most bytes come first.
    pub fn all<'a>(
        capture: &Capture,
        allocations: impl Iterator<Item = &'a Allocation>,
        by: MemoryGrouping,
    ) -> Vec<Self> {
        let mut found: BTreeMap<Option<Box<str>>, Vec<&Allocation>> = BTreeMap::new();
        for allocation in allocations {
            found
                .entry(shared(capture, allocation, by))
                .or_default()
                .push(allocation);
        }
        let groups = found.into_iter().map(|(name, mut all)| {
            all.sort_by_key(|it| Reverse(it.bytes));
            Self {
                name,
                count: all.len() as u64,
                bytes: Allocation::bytes_of(all.iter().copied()),
                spans: all.iter().filter_map(|it| Some(it.from?.span)).collect(),
            }
        });
        let mut groups: Vec<Self> = groups.collect();
        groups.sort_by_key(|it| Reverse(it.bytes));
        groups
    }
}

/// What an allocation shares with others of its group.
fn shared(capture: &Capture, allocation: &Allocation, by: MemoryGrouping) -> Option<Box<str>> {
    if by == MemoryGrouping::Size {
        return Some(allocation.bytes.to_string().into());
    }
    let origin = MemoryOrigin::of(capture, allocation.from?.span);
    Some(origin.name(by).map(Into::into).unwrap_or_default())
}

//! A table in memory, and how rows of it are found and put in order.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::column::{ColumnValues, StoredColumn};
use super::guard::{QueryGuard, StopReason};
use super::plan::RowOrder;

/// Rows between two looks at whether to go on.
const STRIDE: usize = 1 << 16;
/// A column is put in order once so many searches have read all of it.
const PATIENCE: u32 = 2;
/// Groups that are counted; of more, rows are compared.
const MOST_GROUPS: usize = 1 << 24;

/// The rows of a table.
pub(crate) struct TableRows {
    /// The columns, in the order of the schema.
    pub columns: Vec<StoredColumn>,
    /// How many rows there are.
    pub len: usize,
    /// How often rows were looked for by reading all of a column.
    searches: Vec<AtomicU32>,
}

/// A column, and the lowest and the highest key that a row may have there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowBounds {
    pub column: usize,
    pub low: i64,
    pub high: i64,
}

/// Rows that were found.
#[derive(Debug, Default)]
pub(crate) struct FoundRows {
    /// Which they are; where there are none here they are those of `all`.
    some: Vec<u32>,
    /// How many there are, from the first on.
    all: usize,
}

impl FoundRows {
    /// The row at a place.
    pub fn get(&self, place: usize) -> Option<usize> {
        if self.all > 0 {
            (place < self.all).then_some(place)
        } else {
            self.some.get(place).map(|it| *it as usize)
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.max(self.some.len())
    }

    fn clear(&mut self) {
        self.some.clear();
        self.all = 0;
    }

    /// The rows one by one, so that they can be put in order.
    fn list(&mut self) -> &mut Vec<u32> {
        if self.all > 0 {
            self.some.extend(0..self.all as u32);
            self.all = 0;
        }
        &mut self.some
    }
}

impl TableRows {
    /// A table of these columns. All have `len` rows, or the same value in each.
    pub fn new(columns: Vec<ColumnValues>, len: usize) -> Self {
        Self::of(columns.into_iter().map(Some).collect(), len)
    }

    /// The same; columns that there are no values of are made later.
    pub fn of(columns: Vec<Option<ColumnValues>>, len: usize) -> Self {
        Self {
            searches: columns.iter().map(|_| AtomicU32::new(0)).collect(),
            columns: columns
                .into_iter()
                .map(|it| it.map_or_else(StoredColumn::default, StoredColumn::from))
                .collect(),
            len,
        }
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.columns.iter().map(StoredColumn::heap_bytes).sum()
    }

    /// Finds the rows within all of `bounds`.
    pub fn find(
        &self,
        bounds: &[RowBounds],
        guard: &QueryGuard,
        found: &mut FoundRows,
    ) -> Result<(), StopReason> {
        found.clear();
        guard.check()?;
        if bounds.iter().any(|it| it.low > it.high) {
            return Ok(());
        }
        let of = |it: &RowBounds| self.columns.get(it.column);
        // What every row has is looked at once.
        let same = |it: &&RowBounds| of(it).is_some_and(StoredColumn::is_same);
        let is_out = |it: &RowBounds| !of(it).is_some_and(|column| within(column, 0, it));
        if bounds.iter().filter(same).any(is_out) {
            return Ok(());
        }
        let mut rest: Vec<RowBounds> = bounds.iter().filter(|it| !same(it)).copied().collect();
        if rest.is_empty() {
            found.all = self.len;
            return Ok(());
        }
        if let Some(place) = self.quickest(&rest) {
            let bound = rest.swap_remove(place);
            self.find_by_index(bound, &rest, guard, found)
        } else {
            self.find_by_reading(&rest, guard, found)
        }
    }

    /// The bound that leaves the fewest rows, of columns in order; one that was searched often is put in order.
    fn quickest(&self, bounds: &[RowBounds]) -> Option<usize> {
        let mut best = None;
        for (place, bound) in bounds.iter().enumerate() {
            let column = self.columns.get(bound.column)?;
            let searches = self.searches.get(bound.column)?;
            let is_ready = column.has_index() || searches.fetch_add(1, Relaxed) >= PATIENCE;
            if !is_ready {
                continue;
            }
            let (from, to) = self.stretch(column, bound);
            let rows = to.saturating_sub(from);
            if best.is_none_or(|(least, _)| rows < least) {
                best = Some((rows, place));
            }
        }
        // Where most rows are left, reading them in order is quicker.
        best.filter(|(rows, _)| *rows <= self.len / 2)
            .map(|it| it.1)
    }

    /// From where to where the rows within a bound stand in their order.
    fn stretch(&self, column: &StoredColumn, bound: &RowBounds) -> (usize, usize) {
        let index = column.index(self.len);
        let below = |row: &u32| column.key(*row as usize).is_none_or(|it| it < bound.low);
        let up_to = |row: &u32| column.key(*row as usize).is_none_or(|it| it <= bound.high);
        (index.partition_point(below), index.partition_point(up_to))
    }

    fn find_by_index(
        &self,
        bound: RowBounds,
        rest: &[RowBounds],
        guard: &QueryGuard,
        found: &mut FoundRows,
    ) -> Result<(), StopReason> {
        let Some(column) = self.columns.get(bound.column) else {
            return Ok(());
        };
        let (from, to) = self.stretch(column, &bound);
        let rows = column.index(self.len).get(from..to).unwrap_or_default();
        for stride in rows.chunks(STRIDE) {
            guard.read(stride.len())?;
            let kept = stride
                .iter()
                .copied()
                .filter(|row| self.is_within(*row as usize, rest));
            found.some.extend(kept);
        }
        Ok(())
    }

    fn find_by_reading(
        &self,
        bounds: &[RowBounds],
        guard: &QueryGuard,
        found: &mut FoundRows,
    ) -> Result<(), StopReason> {
        let Some((first, rest)) = bounds.split_first() else {
            return Ok(());
        };
        let Some(column) = self.columns.get(first.column) else {
            return Ok(());
        };
        for start in (0..self.len).step_by(STRIDE) {
            let rows = start..self.len.min(start + STRIDE);
            guard.read(rows.len())?;
            let kept = rows.filter(|row| within(column, *row, first) && self.is_within(*row, rest));
            found.some.extend(kept.map(|it| it as u32));
        }
        Ok(())
    }

    fn is_within(&self, row: usize, bounds: &[RowBounds]) -> bool {
        let inside = |it: &RowBounds| {
            let column = self.columns.get(it.column);
            column.is_some_and(|column| within(column, row, it))
        };
        bounds.iter().all(inside)
    }

    /// Puts rows in order by these columns.
    pub fn order(
        &self,
        (columns, by): (&[(usize, bool)], RowOrder),
        guard: &QueryGuard,
        found: &mut FoundRows,
    ) -> Result<(), StopReason> {
        let known = columns.iter();
        let known = known.filter_map(|(place, down)| Some((self.columns.get(*place)?, *down)));
        let columns: Vec<(&StoredColumn, bool)> = known.filter(|it| !it.0.is_same()).collect();
        if columns.is_empty() {
            return Ok(());
        }
        guard.check()?;
        if by == RowOrder::Grouped
            && let Some(groups) = group_count(&columns)
        {
            group(&columns, groups, found.list());
            return guard.check();
        }
        let rows = found.list();
        let ranked: Vec<OrderedColumn<'_>> = columns.iter().map(OrderedColumn::new).collect();
        rows.sort_by(|a, b| {
            let mut order = Ordering::Equal;
            for column in &ranked {
                order = column.compare(*a as usize, *b as usize);
                if order != Ordering::Equal {
                    break;
                }
            }
            order
        });
        guard.check()
    }
}

/// Whether the key of a row is within bounds; one without a key never is.
#[inline]
fn within(column: &StoredColumn, row: usize, bound: &RowBounds) -> bool {
    column
        .key(row)
        .is_some_and(|key| bound.low <= key && key <= bound.high)
}

/// A column by which rows are put in order.
struct OrderedColumn<'a> {
    column: &'a StoredColumn,
    ranks: Option<&'a [u32]>,
    is_descending: bool,
}

impl<'a> OrderedColumn<'a> {
    fn new((column, is_descending): &(&'a StoredColumn, bool)) -> Self {
        Self {
            column,
            ranks: column.ranks(),
            is_descending: *is_descending,
        }
    }

    fn key(&self, row: usize) -> Option<i64> {
        let key = self.column.key(row)?;
        let rank = |ranks: &[u32]| ranks.get(key as usize).map_or(key, |it| i64::from(*it));
        Some(self.ranks.map_or(key, rank))
    }

    /// NULL comes before all else, as in SQLite.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        let order = match self.column.values() {
            ColumnValues::Reals(all) => {
                let value = |row: usize| all.get(row).copied().filter(|it| !it.is_nan());
                value(a).partial_cmp(&value(b)).unwrap_or(Ordering::Equal)
            }
            _ => self.key(a).cmp(&self.key(b)),
        };
        if self.is_descending {
            order.reverse()
        } else {
            order
        }
    }
}

/// How many groups rows may fall into by these columns; nothing where they are too many to be counted.
fn group_count(columns: &[(&StoredColumn, bool)]) -> Option<usize> {
    let mut groups = 1_usize;
    for (column, _) in columns {
        // One more for NULL.
        groups = groups.checked_mul(column.key_count()? + 1)?;
    }
    (groups <= MOST_GROUPS).then_some(groups)
}

/// Puts rows of one group beside each other, by counting how many there are of each.
fn group(columns: &[(&StoredColumn, bool)], groups: usize, rows: &mut Vec<u32>) {
    let sizes: Vec<usize> = columns
        .iter()
        .map(|it| it.0.key_count().unwrap_or(0) + 1)
        .collect();
    let group_of = |row: &u32| {
        let mut group = 0;
        for ((column, _), size) in columns.iter().zip(&sizes) {
            let key = column.key(*row as usize).map_or(0, |it| it as usize + 1);
            group = group * size + key;
        }
        group as u32
    };
    let group_of: Vec<u32> = rows.iter().map(group_of).collect();
    let mut next = vec![0_u32; groups + 1];
    for group in &group_of {
        if let Some(count) = next.get_mut(*group as usize + 1) {
            *count += 1;
        }
    }
    let mut before = 0;
    for count in &mut next {
        before += *count;
        *count = before;
    }
    let mut sorted = vec![0_u32; rows.len()];
    for (row, group) in rows.iter().zip(&group_of) {
        if let Some(place) = next.get_mut(*group as usize) {
            if let Some(slot) = sorted.get_mut(*place as usize) {
                *slot = *row;
            }
            *place += 1;
        }
    }
    *rows = sorted;
}

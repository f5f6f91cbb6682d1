//! Tables whose rows come from elsewhere, such as from files of many ranks.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::column::{CellValue, ColumnValues};
use super::guard::{QueryGuard, StopReason};
use super::rows::TableRows;
use super::schema::{SqlColumn, SqlTable};
use super::source::QuerySource;
use super::tables::DraftColumn;
use capture::Capture;

/// Values between two looks at whether to go on.
const STRIDE: usize = 1 << 16;

/// Takes the value of the next row.
pub type CellTaker<'a> = dyn FnMut(CellValue<'_>) -> ControlFlow<()> + 'a;

/// What has the rows of tables, column by column.
pub trait ColumnFeed: Send + Sync {
    /// How many rows a table has, about; nothing where there is no such table.
    fn row_count(&self, table: &'static SqlTable) -> Option<usize>;

    /// Hands the values of a column to `take`, in an order of rows that is the same for all columns of the table. It breaks where
    /// `take` does, and where it cannot read on; why is kept by whoever implements it.
    fn read(
        &self,
        table: &'static SqlTable,
        column: &SqlColumn,
        take: &mut CellTaker<'_>,
    ) -> ControlFlow<()>;
}

impl QuerySource {
    /// Tables with the rows of `feed`. A column is read when a question first needs it, and kept.
    pub fn of_feed(feed: Arc<dyn ColumnFeed>) -> Self {
        let mut source = Self::new(Arc::new(Capture::new()), None);
        source.feed = Some(feed);
        source
    }
}

/// The columns of a table that `used` has a bit for. The others are read once somebody needs them.
pub(crate) fn make(
    (feed, table): (&dyn ColumnFeed, &'static SqlTable),
    used: u64,
    guard: &QueryGuard,
) -> Result<TableRows, StopReason> {
    // Of a table of which no column is read there are still rows to count: those of the column that takes the least.
    let counted = table.column("run").unwrap_or(0);
    let mut len = None;
    let mut columns = Vec::with_capacity(table.columns.len());
    for (place, column) in table.columns.iter().enumerate() {
        let is_read = is_used(used, place) || place == counted;
        let made = is_read.then(|| read(feed, (table, column), guard));
        let made = made.transpose()?;
        if let Some((_, rows)) = &made {
            len.get_or_insert(*rows);
        }
        columns.push(made.map(|it| it.0));
    }
    Ok(TableRows::of(columns, len.unwrap_or(0)))
}

/// Reads the columns that are needed and were left out.
pub(crate) fn complete(
    (feed, table): (&dyn ColumnFeed, &'static SqlTable),
    used: u64,
    rows: &TableRows,
    guard: &QueryGuard,
) -> Result<(), StopReason> {
    for (place, column) in table.columns.iter().enumerate() {
        let stored = rows.columns.get(place).filter(|it| !it.is_made());
        let Some(stored) = stored.filter(|_| is_used(used, place)) else {
            continue;
        };
        let (values, _) = read(feed, (table, column), guard)?;
        guard.take_room(values.heap_bytes())?;
        stored.fill(values);
    }
    Ok(())
}

/// Whether a question reads a column. SQLite has one bit for all columns from the 64th on.
const fn is_used(used: u64, place: usize) -> bool {
    let bit = if place < 63 { place } else { 63 };
    used & (1 << bit) != 0
}

/// The values of a column, and how many there are.
fn read(
    feed: &dyn ColumnFeed,
    (table, column): (&'static SqlTable, &SqlColumn),
    guard: &QueryGuard,
) -> Result<(ColumnValues, usize), StopReason> {
    let mut draft = DraftColumn::new(column);
    let (mut rows, mut counted) = (0_usize, 0);
    let mut stopped = None;
    let end = feed.read(table, column, &mut |value| {
        draft.push(&value);
        rows += 1;
        if !rows.is_multiple_of(STRIDE) {
            return ControlFlow::Continue(());
        }
        let bytes = draft.row_bytes();
        let held = guard.take_room(bytes.saturating_sub(counted));
        counted = bytes;
        match held.and_then(|()| guard.read(STRIDE)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(reason) => {
                stopped = Some(reason);
                ControlFlow::Break(())
            }
        }
    });
    guard.return_room(counted);
    match stopped {
        Some(reason) => Err(reason),
        None if end.is_break() => Err(guard.stop(StopReason::Cancelled)),
        None => Ok((draft.finish(), rows)),
    }
}

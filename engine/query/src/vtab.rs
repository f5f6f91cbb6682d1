//! The tables as SQLite sees them: virtual tables over columns in memory.
//!
//! Everything here is called by C, over which no panic may go: each call is caught, and becomes an error of the statement.
//! This is the one file of the package that says `unsafe`.
#![expect(
    unsafe_code,
    reason = "SQLite's virtual tables are structures of C that begin with its own"
)]

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rusqlite::types::{Null, Value as SqlValue, ValueRef};
use rusqlite::vtab::{
    Context, DistinctMode, Filters, IndexConstraintOp, IndexInfo, Module, VTab, VTabConfig,
    VTabConnection, VTabCursor,
};
use rusqlite::{Connection, Error, ffi};

use super::column::CellValue;
use super::guard::{QueryGuard, StopReason};
use super::plan::{BoundKind, RowOrder, ScanPlan};
use super::rows::{FoundRows, RowBounds, TableRows};
use super::schema::{SqlTable, SqlType, TABLES, TableId};
use super::source::QuerySource;

/// Bytes that SQLite holds in this process.
pub(crate) fn memory_used() -> u64 {
    // SAFETY: the function takes nothing, and may be called at any time by any thread.
    let used = unsafe { ffi::sqlite3_memory_used() };
    u64::try_from(used).unwrap_or(0)
}

/// Bounds what SQLite may hold in this process, in bytes; 0 is no bound. What would be more is refused as out of memory.
pub(crate) fn bound_heap(bytes: u64) {
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
    // SAFETY: the function takes a number, and may be called at any time by any thread.
    unsafe { ffi::sqlite3_hard_heap_limit64(bytes) };
}

/// What a table is told when SQLite connects to it.
struct TableSource {
    id: TableId,
    source: Arc<QuerySource>,
    guard: Arc<QueryGuard>,
}

/// A table of the capture.
#[repr(C)]
struct CaptureTable {
    base: ffi::sqlite3_vtab,
    id: TableId,
    schema: &'static SqlTable,
    source: Arc<QuerySource>,
    guard: Arc<QueryGuard>,
}

/// A reading of a table.
#[repr(C)]
struct RowCursor {
    base: ffi::sqlite3_vtab_cursor,
    id: TableId,
    source: Arc<QuerySource>,
    guard: Arc<QueryGuard>,
    rows: Option<Arc<TableRows>>,
    found: FoundRows,
    at: usize,
}

/// Makes every table known to a connection.
pub(crate) fn register(
    connection: &Connection,
    source: &Arc<QuerySource>,
    guard: &Arc<QueryGuard>,
) -> rusqlite::Result<()> {
    const MODULE: &Module<'static, CaptureTable> = &Module::eponymous_only_module();
    let there = TABLES.iter().enumerate().filter(|it| source.has(it.1));
    for (place, table) in there {
        let of = TableSource {
            id: TableId(place),
            source: Arc::clone(source),
            guard: Arc::clone(guard),
        };
        connection.create_module(table.name, MODULE, Some(of))?;
    }
    Ok(())
}

/// What a panic becomes: SQLite is C, over which none may go.
fn caught<T>(work: impl FnOnce() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let text = "a table broke while it was read; please report this question".to_owned();
        Err(Error::ModuleError(text))
    })
}

/// That a question was ended, as SQLite says it; why is with whoever ended it.
fn interrupted(_: StopReason) -> Error {
    Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_INTERRUPT), None)
}

// SAFETY: the structure has C's layout, and SQLite's own structure is its first field.
unsafe impl VTab<'static> for CaptureTable {
    type Aux = TableSource;
    type Cursor = RowCursor;

    fn connect(
        db: &mut VTabConnection,
        aux: Option<&TableSource>,
        _module: &[u8],
        _database: &[u8],
        _table: &[u8],
        _arguments: &[&[u8]],
    ) -> rusqlite::Result<(Cow<'static, CStr>, Self)> {
        caught(|| {
            let known = aux.and_then(|it| Some((it, it.id.schema()?)));
            let Some((aux, schema)) = known else {
                return Err(Error::ModuleError("a table without a source".to_owned()));
            };
            db.config(VTabConfig::Innocuous)?;
            let table = Self {
                base: ffi::sqlite3_vtab::default(),
                id: aux.id,
                schema,
                source: Arc::clone(&aux.source),
                guard: Arc::clone(&aux.guard),
            };
            let is_fed = aux.source.feed.is_some();
            let declared = CString::new(declaration(schema, is_fed)).unwrap_or_default();
            Ok((Cow::Owned(declared), table))
        })
    }

    fn best_index(&self, info: &mut IndexInfo) -> rusqlite::Result<bool> {
        caught(|| {
            self.plan(info)?;
            Ok(true)
        })
    }

    fn open(&'static mut self) -> rusqlite::Result<RowCursor> {
        Ok(RowCursor {
            base: ffi::sqlite3_vtab_cursor::default(),
            id: self.id,
            source: Arc::clone(&self.source),
            guard: Arc::clone(&self.guard),
            rows: None,
            found: FoundRows::default(),
            at: 0,
        })
    }
}

/// The statement that tells SQLite of the columns.
///
/// Of rows that come from elsewhere the columns that `*` leaves out are not there: they get a name that no question can write.
fn declaration(table: &SqlTable, is_fed: bool) -> String {
    let columns = table.columns.iter().map(|column| {
        if is_fed && column.is_hidden {
            return format!("\"-{}\" HIDDEN", column.name);
        }
        let hidden = if column.is_hidden { " HIDDEN" } else { "" };
        format!("{} {}{hidden}", column.name, column.holds.label())
    });
    format!("CREATE TABLE x({})", columns.collect::<Vec<_>>().join(", "))
}

impl CaptureTable {
    /// Takes over from SQLite what the table can do itself: bounds of whole numbers, texts that are equal to another, order.
    fn plan(&self, info: &mut IndexInfo) -> rusqlite::Result<()> {
        let size = self.source.estimate(self.id).max(1) as f64;
        let mut plan = ScanPlan {
            used: info.col_used(),
            ..ScanPlan::default()
        };
        let mut taken = Vec::new();
        let mut rows = size;
        let constraints: Vec<_> = info
            .constraints()
            .map(|it| (it.is_usable(), it.column(), bound_kind(&it.operator())))
            .collect();
        for (place, (is_usable, column, kind)) in constraints.into_iter().enumerate() {
            let known = usize::try_from(column).ok().filter(|_| is_usable);
            let known = known.and_then(|at| Some((at, self.schema.columns.get(at)?)));
            let (Some((at, column)), Some(kind)) = (known, kind) else {
                continue;
            };
            let is_taken = match column.holds {
                SqlType::Integer => true,
                SqlType::Text => kind == BoundKind::Equal && info.collation(place)? == "BINARY",
                SqlType::Real => false,
            };
            if !is_taken {
                continue;
            }
            let is_certain = is_certain(column.holds, info.rhs_value(place)?);
            plan.bounds.push((at, kind));
            taken.push((place, is_certain));
            rows *= share(column.name, kind, size);
        }
        for (argument, (place, is_certain)) in (1..).zip(taken) {
            let mut usage = info.constraint_usage(place);
            usage.set_argv_index(argument);
            usage.set_omit(is_certain);
        }
        let order: Option<Vec<(usize, bool)>> = info
            .order_bys()
            .map(|it| {
                let column = usize::try_from(it.column()).ok()?;
                Some((column, it.is_order_by_desc()))
            })
            .collect();
        if let Some(order) = order.filter(|it| !it.is_empty()) {
            plan.by = match info.distinct() {
                DistinctMode::Grouped | DistinctMode::Distinct => RowOrder::Grouped,
                _ => RowOrder::Sorted,
            };
            plan.order = order;
            info.set_order_by_consumed(true);
        }
        info.set_idx_str(&plan.encode());
        // To begin a search takes about as long as to read some rows.
        info.set_estimated_cost(rows.max(1.0) + 4.0);
        info.set_estimated_rows(rows.max(1.0) as i64);
        Ok(())
    }
}

/// Which part of a table's rows is within a bound, by experience: SQLite orders joins by it.
fn share(column: &str, kind: BoundKind, size: f64) -> f64 {
    match (column, kind) {
        ("run" | "rank", BoundKind::Equal) => 0.9,
        ("id", BoundKind::Equal) => 1.0 / size,
        (
            "span_id" | "launch_id" | "cause_id" | "effect_id" | "for_id" | "before_id"
            | "after_id",
            BoundKind::Equal,
        ) => (3.0 / size).min(1.0),
        ("ts" | "dur", BoundKind::Equal) => (10.0 / size).min(1.0),
        ("name" | "step" | "collective", BoundKind::Equal) => 0.02,
        (_, BoundKind::Equal) => 0.1,
        _ => 0.4,
    }
}

fn bound_kind(operator: &IndexConstraintOp) -> Option<BoundKind> {
    Some(match operator {
        IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ => BoundKind::Equal,
        IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_GT => BoundKind::Above,
        IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_GE => BoundKind::From,
        IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_LT => BoundKind::Below,
        IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_LE => BoundKind::UpTo,
        _ => return None,
    })
}

/// Whether what a column is compared with is known already and of its type, so that SQLite need not compare again.
fn is_certain(holds: SqlType, value: Option<ValueRef<'_>>) -> bool {
    matches!(
        (holds, value),
        (SqlType::Integer, Some(ValueRef::Integer(_))) | (SqlType::Text, Some(ValueRef::Text(_)))
    )
}

/// The keys of a column that are within a bound; nothing where that is left to SQLite.
fn keys_within(
    column: usize,
    kind: BoundKind,
    value: &SqlValue,
    rows: &TableRows,
) -> Option<RowBounds> {
    let none = RowBounds {
        column,
        low: 1,
        high: 0,
    };
    if rows.columns.get(column)?.is_empty() {
        return Some(none);
    }
    let number = match value {
        SqlValue::Null => return Some(none),
        SqlValue::Integer(value) => *value,
        SqlValue::Real(value) => {
            // Of numbers as large as times not each has a neighbour: what lies around is compared by SQLite.
            let (low, high) = ((value.floor() as i64), (value.ceil() as i64));
            let (low, high) = match kind {
                BoundKind::Equal => (low, high),
                BoundKind::Above | BoundKind::From => (low.saturating_sub(1), i64::MAX),
                BoundKind::Below | BoundKind::UpTo => (i64::MIN, high.saturating_add(1)),
            };
            return Some(RowBounds { column, low, high });
        }
        SqlValue::Text(text) => {
            let known = rows.columns.get(column)?;
            if !known.is_text() {
                return None;
            }
            let Some(key) = known.key_of(text) else {
                return Some(none);
            };
            return (kind == BoundKind::Equal).then_some(RowBounds {
                column,
                low: key,
                high: key,
            });
        }
        SqlValue::Blob(_) => return None,
    };
    if rows.columns.get(column)?.is_text() {
        return None;
    }
    let (low, high) = match kind {
        BoundKind::Equal => (number, number),
        BoundKind::Above => match number.checked_add(1) {
            Some(low) => (low, i64::MAX),
            None => return Some(none),
        },
        BoundKind::From => (number, i64::MAX),
        BoundKind::Below => match number.checked_sub(1) {
            Some(high) => (i64::MIN, high),
            None => return Some(none),
        },
        BoundKind::UpTo => (i64::MIN, number),
    };
    Some(RowBounds { column, low, high })
}

impl RowCursor {
    fn search(&mut self, plan: Option<&str>, values: &Filters<'_>) -> rusqlite::Result<()> {
        self.at = 0;
        let plan = plan.and_then(ScanPlan::decode).unwrap_or_default();
        let rows = if let Some(rows) = &self.rows {
            Arc::clone(rows)
        } else {
            let rows = self.source.table(self.id, plan.used, &self.guard);
            let rows = rows.map_err(interrupted)?;
            self.rows = Some(Arc::clone(&rows));
            rows
        };
        let mut bounds = Vec::with_capacity(plan.bounds.len());
        for (argument, (column, kind)) in plan.bounds.iter().enumerate() {
            let value: SqlValue = values.get(argument)?;
            bounds.extend(keys_within(*column, *kind, &value, &rows));
        }
        let found = rows.find(&bounds, &self.guard, &mut self.found);
        let ordered = found.and_then(|()| {
            if plan.order.is_empty() {
                return Ok(());
            }
            rows.order((&plan.order, plan.by), &self.guard, &mut self.found)
        });
        ordered.map_err(interrupted)
    }

    fn cell(&self, context: &mut Context, column: usize) -> rusqlite::Result<()> {
        let row = self.found.get(self.at);
        let rows = self.rows.as_ref();
        let found = row.zip(rows).and_then(|(row, rows)| {
            let column = rows.columns.get(column)?;
            Some(column.cell(row))
        });
        match found.unwrap_or(CellValue::Null) {
            CellValue::Null => context.set_result(Null),
            CellValue::Integer(value) => context.set_result(value),
            CellValue::Real(value) => context.set_result(value),
            CellValue::Text(value) => context.set_result(value),
        }
    }
}

// SAFETY: the structure has C's layout, and SQLite's own structure is its first field.
unsafe impl VTabCursor for RowCursor {
    fn filter(
        &mut self,
        _number: c_int,
        plan: Option<&str>,
        values: &Filters<'_>,
    ) -> rusqlite::Result<()> {
        caught(|| self.search(plan, values))
    }

    fn next(&mut self) -> rusqlite::Result<()> {
        self.at += 1;
        Ok(())
    }

    fn eof(&self) -> bool {
        self.at >= self.found.len()
    }

    fn column(&self, context: &mut Context, column: c_int) -> rusqlite::Result<()> {
        caught(|| self.cell(context, usize::try_from(column).unwrap_or(usize::MAX)))
    }

    fn rowid(&self) -> rusqlite::Result<i64> {
        Ok(self.found.get(self.at).map_or(0, |it| it as i64))
    }
}

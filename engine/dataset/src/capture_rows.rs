//! The rows of a capture as a dataset has them: ids that no other rank has, times on the clock that ranks share.

use query::{CellValue, SqlColumn, SqlTable, TableSnapshot};

use super::row_source::RowSource;

/// By what ids of a rank are larger than those of its capture: the rank times this.
const RANK_IDS: i64 = 1 << 32;

/// What is added to the values of a capture.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RankShift {
    /// To ids.
    pub ids: i64,
    /// To instants, in nanoseconds.
    pub time: i64,
}

impl RankShift {
    /// That of a rank whose capture time 0 is `origin`, in nanoseconds since 1970, where the capture says it.
    pub const fn new(rank: u32, origin: Option<i64>) -> Self {
        Self {
            ids: rank as i64 * RANK_IDS,
            time: match origin {
                Some(origin) => origin,
                None => 0,
            },
        }
    }

    fn of(self, table: &SqlTable, column: &SqlColumn) -> i64 {
        if table.is_id(column) {
            self.ids
        } else if column.is_instant() {
            self.time
        } else {
            0
        }
    }
}

/// A table of a capture, in the order in which it is written.
pub(crate) struct CaptureRows<'a> {
    view: &'a TableSnapshot,
    /// The rows in their order; nothing where that is the capture's own.
    order: Option<Vec<u32>>,
    /// What is added to the whole numbers of each column.
    shifts: Vec<i64>,
}

impl<'a> CaptureRows<'a> {
    /// The rows by the columns of `sorted_by`, and those that are equal there as the capture has them.
    pub fn new(view: &'a TableSnapshot, shift: RankShift, sorted_by: &[&str]) -> Self {
        let columns = view.table().columns.iter();
        let places: Vec<usize> = sorted_by
            .iter()
            .filter_map(|it| view.table().column(it))
            .collect();
        Self {
            view,
            order: order(view, &places),
            shifts: columns.map(|it| shift.of(view.table(), it)).collect(),
        }
    }

    fn row(&self, row: usize) -> usize {
        let Some(order) = &self.order else {
            return row;
        };
        order.get(row).map_or(row, |it| *it as usize)
    }
}

/// The rows in order of two columns, whole numbers or texts, without a value first, and else as they stand.
fn order(view: &TableSnapshot, columns: &[usize]) -> Option<Vec<u32>> {
    let [first, second] = *columns else {
        return None;
    };
    let mut order: Vec<u32> = (0..view.len() as u32).collect();
    for column in [second, first] {
        let keys = keys(view, column);
        // Mostly rows come in the order of one of the two.
        if !keys.is_sorted() || column == first {
            order = sorted(order, &keys);
        }
    }
    Some(order)
}

/// Rows by their keys, equal ones as they stand. Few different keys are counted, which is quicker than to compare them.
fn sorted(mut rows: Vec<u32>, keys: &[i64]) -> Vec<u32> {
    let key = |row: u32| keys.get(row as usize).copied().unwrap_or(i64::MIN);
    let (least, most) = (keys.iter().min(), keys.iter().max());
    let different = least
        .zip(most)
        .and_then(|(least, most)| most.checked_sub(*least));
    let few = different
        .and_then(|it| usize::try_from(it).ok())
        .filter(|it| *it < rows.len());
    let (Some(least), Some(few)) = (least, few) else {
        rows.sort_by_key(|row| key(*row));
        return rows;
    };
    let place = |row: u32| (key(row) - least) as usize;
    let mut nexts = vec![0_usize; few + 2];
    for row in &rows {
        if let Some(count) = nexts.get_mut(place(*row) + 1) {
            *count += 1;
        }
    }
    let mut before = 0;
    for next in &mut nexts {
        before += *next;
        *next = before;
    }
    let mut found = vec![0; rows.len()];
    for row in rows {
        if let Some(next) = nexts.get_mut(place(row)) {
            if let Some(slot) = found.get_mut(*next) {
                *slot = row;
            }
            *next += 1;
        }
    }
    found
}

/// The place of each row's value among those of its column.
fn keys(view: &TableSnapshot, column: usize) -> Vec<i64> {
    let order = view.text_order(column);
    let key = |row: usize| {
        let key = view.key(column, row).unwrap_or(i64::MIN);
        let place = order.and_then(|order| order.get(usize::try_from(key).ok()?));
        place.map_or(key, |it| i64::from(*it))
    };
    (0..view.len()).map(key).collect()
}

impl RowSource for CaptureRows<'_> {
    fn row_count(&self) -> usize {
        self.view.len()
    }

    fn cell(&self, column: usize, row: usize) -> CellValue<'_> {
        match self.view.cell(column, self.row(row)) {
            CellValue::Integer(value) => {
                let shift = self.shifts.get(column).copied().unwrap_or(0);
                CellValue::Integer(value.saturating_add(shift))
            }
            other => other,
        }
    }

    fn text_code(&self, column: usize, row: usize) -> Option<usize> {
        let key = self.view.key(column, self.row(row))?;
        usize::try_from(key).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_their_keys_and_else_as_they_stand() {
        for most in [1, 7, 40, 1 << 40] {
            let keys: Vec<i64> = (0..100_i64)
                .map(|it| it * 7_919 % 31 * most / 31 - 3)
                .collect();
            let rows: Vec<u32> = (0..100).rev().collect();
            let mut wanted = rows.clone();
            wanted.sort_by_key(|row| keys[*row as usize]);
            assert_eq!(sorted(rows, &keys), wanted, "{most}");
        }
        assert!(sorted(Vec::new(), &[]).is_empty());
        let missing = [i64::MIN, 2, i64::MIN, 1];
        assert_eq!(sorted(vec![0, 1, 2, 3], &missing), [0, 2, 3, 1]);
    }
}

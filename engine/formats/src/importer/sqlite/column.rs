//! The columns that a format asks for: declared once as fields of a row, and read by their names from then on.

use super::SqliteRow;

/// What a column is read as, whatever the file wrote in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::importer) enum ColumnType {
    /// A whole number. Texts of digits and real numbers are understood.
    Integer,
    /// A real number.
    Number,
    /// A text.
    Text,
}

/// Names of columns in the order in which they are asked for, each with what it is read as. Those that a table lacks
/// read as nothing.
pub(in crate::importer) type ColumnList = Vec<(&'static str, ColumnType)>;

/// What is read of one column or several that follow each other.
pub(in crate::importer) trait RowField<'a>: Sized {
    /// How many names of columns it takes; none where it knows its columns itself.
    const NAMES: usize;

    /// Adds its columns to those that are asked for.
    fn list(names: &[&'static str], columns: &mut ColumnList);

    /// Reads it from the column `at` on, which afterwards is the one behind it.
    fn read(row: SqliteRow<'a>, at: &mut usize) -> Self;
}

/// Declares what is read of the rows of tables: structs of which each field says its type and its column. The same
/// declaration makes the list of columns that is asked for, so that a field can be read from no other column.
///
/// An `Option` is nothing where the file has nothing that can be read; an `i64` is 0 then, and a `&str` empty. Three
/// numbers of three columns are an `[i64; 3]`, or an `Option` of it. A field without a column is such a struct itself.
macro_rules! columns {
    (@fields ($($head:tt)+) ($($row:tt)+) $life:lifetime {
        $($(#[$about:meta])* $field:ident: $type:ty $(= $($column:literal)+)?,)+
    }) => {
        #[derive(Clone, Copy, Debug)]
        $($head)+ {
            $($(#[$about])* pub $field: $type,)+
        }

        impl<$life> $crate::importer::sqlite::RowField<$life> for $($row)+ {
            const NAMES: usize = 0;

            fn list(_: &[&'static str], columns: &mut $crate::importer::sqlite::ColumnList) {
                $({
                    const NAMES: &[&str] = &[$($($column),+)?];
                    const { assert!(NAMES.len() == <$type as $crate::importer::sqlite::RowField<'_>>::NAMES) }
                    <$type as $crate::importer::sqlite::RowField<'_>>::list(NAMES, columns);
                })+
            }

            fn read(row: $crate::importer::sqlite::SqliteRow<$life>, at: &mut usize) -> Self {
                Self {
                    $($field: $crate::importer::sqlite::RowField::read(row, at),)+
                }
            }
        }
    };
    ($(#[$about:meta])* $vis:vis struct $row:ident<$life:lifetime> { $($fields:tt)+ } $($more:tt)*) => {
        columns! { @fields ($(#[$about])* $vis struct $row<$life>) ($row<$life>) $life { $($fields)+ } }
        columns! { $($more)* }
    };
    ($(#[$about:meta])* $vis:vis struct $row:ident { $($fields:tt)+ } $($more:tt)*) => {
        columns! { @fields ($(#[$about])* $vis struct $row) ($row) 'row { $($fields)+ } }
        columns! { $($more)* }
    };
    () => {};
}

pub(in crate::importer) use columns;

/// Implements [`RowField`] for what is read of one column.
macro_rules! one_column {
    ($life:lifetime, $($type:ty: $kind:ident = |$row:ident, $at:ident| $read:expr;)+) => {
        $(impl<$life> RowField<$life> for $type {
            const NAMES: usize = 1;

            fn list(names: &[&'static str], columns: &mut ColumnList) {
                columns.extend(names.iter().map(|name| (*name, ColumnType::$kind)));
            }

            fn read($row: SqliteRow<$life>, at: &mut usize) -> Self {
                let $at = *at;
                *at += 1;
                $read
            }
        })+
    };
}

one_column! { 'a,
    Option<i64>: Integer = |row, at| row.integer(at);
    i64: Integer = |row, at| row.integer(at).unwrap_or(0);
    Option<f64>: Number = |row, at| row.number(at);
    Option<&'a str>: Text = |row, at| row.text(at);
    &'a str: Text = |row, at| row.text(at).unwrap_or_default();
}

impl<'a> RowField<'a> for [i64; 3] {
    const NAMES: usize = 3;

    fn list(names: &[&'static str], columns: &mut ColumnList) {
        i64::list(names, columns);
    }

    fn read(row: SqliteRow<'a>, at: &mut usize) -> Self {
        [(); 3].map(|()| i64::read(row, at))
    }
}

/// Nothing where the first of them is nothing.
impl<'a> RowField<'a> for Option<[i64; 3]> {
    const NAMES: usize = 3;

    fn list(names: &[&'static str], columns: &mut ColumnList) {
        i64::list(names, columns);
    }

    fn read(row: SqliteRow<'a>, at: &mut usize) -> Self {
        let first = row.integer(*at);
        let all = RowField::read(row, at);
        first.map(|_| all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::importer::sqlite::block::RowBlock;

    columns! {
        struct InnerRow<'a> {
            text: Option<&'a str> = "text",
            real: Option<f64> = "real",
        }

        struct OuterRow<'a> {
            start: Option<i64> = "start",
            inner: InnerRow<'a>,
            size: [i64; 3] = "x" "y" "z",
            end: i64 = "end",
        }
    }

    #[test]
    fn fields_are_read_from_the_columns_that_they_name() {
        let mut columns = ColumnList::new();
        OuterRow::list(&[], &mut columns);
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["start", "text", "real", "x", "y", "z", "end"]);
        let mut block = RowBlock::new(columns.len(), 1);
        block.push_integer(7);
        block.push_text(b"name");
        block.push_number(0.5);
        for number in [1, 2, 3] {
            block.push_integer(number);
        }
        block.push_nothing();
        let row = OuterRow::read(block.rows().next().unwrap(), &mut 0);
        assert_eq!((row.start, row.end), (Some(7), 0));
        assert_eq!((row.inner.text, row.inner.real), (Some("name"), Some(0.5)));
        assert_eq!(row.size, [1, 2, 3]);
    }
}

//! The columns that a format asks for, and what each is read as.

/// What a column is read as, whatever the file wrote in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::importer) enum As {
    /// A whole number. Texts of digits and real numbers are understood.
    Integer,
    /// A real number.
    Number,
    /// A text.
    Text,
}

/// Names of columns, each with what it is read as. Those that a table lacks read as nothing.
pub(in crate::importer) type Columns = &'static [(&'static str, As)];

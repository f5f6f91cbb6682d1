//! Turns bytes into events: no time through a float, texts and rows interned, no recursion, and no event kept that
//! was not whole.

mod arguments;
mod block;
mod event;
mod field;
mod field_packing;
mod intern;
mod layout;
mod number;
mod rows;
mod text;
pub(super) mod words;

pub(super) use crate::importer::json::cursor::{ByteCursor, SyntaxFault};
pub(in crate::importer) use arguments::MOST_ARGUMENTS;
pub(super) use arguments::{ArgumentPayload, ChromeArgument};
pub(super) use block::{DamagedBytes, EventLists, ParsedStretch, StretchEnd, StretchScanner};
pub(super) use event::{ChromeEvent, NO_CORRELATION, flag};
pub(super) use field_packing::{ScannerFields, is_told, makes_span};
pub(super) use intern::Interner;
pub(super) use number::integer;
pub(super) use rows::RowKey;
pub(in crate::importer) use rows::RowToken;

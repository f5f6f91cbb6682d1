//! Turns bytes into events: no time through a float, texts and rows interned, no recursion, and no event kept that
//! was not whole.

mod arguments;
mod block;
mod event;
mod field;
mod intern;
mod layout;
mod number;
mod packing;
mod rows;
mod text;
pub(super) mod words;

pub(super) use crate::importer::json::cursor::{Cursor, Fault};
pub(super) use arguments::{Argument, Payload};
pub(super) use block::{Damage, End, Lists, Parsed, Scanner};
pub(super) use event::{Event, NO_CORRELATION, flag};
pub(super) use intern::Interner;
pub(super) use number::integer;
pub(super) use packing::{Packed, is_told, makes_span};
pub(super) use rows::Row;
pub(in crate::importer) use rows::Token;

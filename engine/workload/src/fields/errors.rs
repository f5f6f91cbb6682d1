//! Errors that a call expects.

use std::borrow::Cow;

use crate::kdl::KdlNode;
use crate::phase::{CallField, CallMentions, ReadField, VariableValues};
use crate::reader::KdlReader;
use crate::verb::FieldSlot;
use crate::{ErrorMatch, Plan};

/// The kinds of errors that a word, or a runtime's number or name of one, means; or `success`.
#[derive(Clone, Copy, Debug)]
pub struct ErrorField;

impl CallField for ErrorField {
    type Written = ErrorMatch;
    type Planned = ErrorMatch;

    fn plan(written: &ErrorMatch, _: VariableValues<'_>) -> ErrorMatch {
        written.clone()
    }

    fn mention<'w>(_: &'w ErrorMatch, _: &mut CallMentions<'w>) {}

    fn label<'p>(_: &'p ErrorMatch, _: &'p Plan) -> Cow<'p, str> {
        Cow::Borrowed("")
    }
}

impl ReadField for ErrorField {
    fn sort() -> Cow<'static, str> {
        Cow::Borrowed("error, or `success`")
    }

    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, slot: FieldSlot) -> Option<ErrorMatch> {
        let entry = slot.entry(node)?;
        if reader.text(entry)? == ErrorMatch::SUCCESS {
            return Some(ErrorMatch::Success);
        }
        let (kinds, name) = reader.errors(entry)?;
        Some(ErrorMatch::Kinds(kinds, name))
    }
}

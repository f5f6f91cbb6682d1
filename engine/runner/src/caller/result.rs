//! What a call came to, to be looked at in the inspector: success goes without saying.

use super::{Caller, CurrentCall};
use backend::BackendError;
use record::{Record, SpanId, Value};

impl Caller {
    /// Reports why a call failed, under the word that an error branch knows it by.
    pub(super) fn note_result(&self, current: &CurrentCall, result: &Result<(), BackendError>) {
        let Err(error) = result else { return };
        self.shared.note_told(error);
        let text = match error.kind() {
            Some(kind) => format!("{}: {error}", kind.label()),
            None => error.to_string(),
        };
        self.say(current.span, "result", &text);
    }

    /// Reports that an error branch of the workload took the error of the call made last.
    pub fn note_caught(&self, line: u32) {
        self.say(
            self.last,
            "caught",
            &format!("by the branch at line {line}"),
        );
    }

    /// One more field of a span, in words.
    pub(super) fn say(&self, span: SpanId, name: &str, text: &str) {
        let name = self.shared.names.id(name, &self.reporter);
        let value = Value::Text(text.into());
        self.reporter.send(Record::Argument(span, name, value));
    }
}

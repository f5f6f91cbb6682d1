//! What a call came to, to be looked at in the inspector: success goes without saying.

use super::{Caller, CurrentCall};
use crate::found_errors::word;
use backend::BackendError;
use record::{Record, SpanId, Value};
use workload::{ErrorMatch, NumberedRuntime};

impl Caller {
    /// Reports why a call failed, under the word that an error branch knows it by.
    pub(super) fn note_result(&mut self, current: &CurrentCall, result: &Result<(), BackendError>) {
        let Err(error) = result else { return };
        self.shared.note_told(error);
        let text = match error.kind() {
            Some(kind) => format!("{}: {error}", kind.label()),
            None => error.to_string(),
        };
        self.say(current.span, "result", &text);
        let Some(kind) = error.kind() else { return };
        self.last_error = Some(kind);
        for runtime in [NumberedRuntime::Cuda, NumberedRuntime::AscendCl] {
            let errors = kind.runtime_errors().filter(|it| it.runtime == runtime);
            let errors: Vec<String> = errors.map(ToString::to_string).collect();
            if !errors.is_empty() {
                self.say(current.span, runtime.field(), &errors.join(" or "));
            }
        }
    }

    /// Tells the last error of this thread's calls (rules A51, F16), and whether it is another than is expected.
    pub(super) fn last_error(
        &mut self,
        current: &CurrentCall,
        expected: Option<&ErrorMatch>,
        clears: bool,
    ) {
        let found = if clears {
            self.last_error.take()
        } else {
            self.last_error
        };
        self.say(current.span, "last error", word(found));
        let mut all = device::lock(&self.shared.last_errors);
        all.entry(current.place.call)
            .or_default()
            .note(found, expected);
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

//! The arguments of an event, in their order.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::json;

use crate::exporter::csv;
use crate::perfetto::json::escape;
use record::Value;
use record::time::Nanos;

/// The arguments of an event, as they are written.
#[derive(Debug, Default)]
pub(super) struct EventArguments {
    text: String,
    /// How often each name was used.
    names: HashMap<Box<str>, usize>,
}

impl EventArguments {
    /// Adds an argument of the span itself. A second one of a name is kept as well.
    pub fn plain(&mut self, name: &str, value: &Value) {
        let is_real = matches!(value, Value::Number(number) if !number.is_finite());
        let nth = self.names.entry(name.into()).or_default();
        *nth += 1;
        let field = escape(name, *nth, is_real);
        self.add(&json!(field), &csv::json(value));
    }

    /// Adds what the format has no field for.
    pub fn own(&mut self, key: &str, value: impl Into<serde_json::Value>) {
        self.add(&json!(key), &value.into());
    }

    /// Adds how long an operation was enqueued, where it was.
    pub fn queued(&mut self, key: &str, start: Nanos, enqueued: Nanos) {
        if enqueued != start {
            self.own(key, start.0.wrapping_sub(enqueued.0));
        }
    }

    fn add(&mut self, key: &serde_json::Value, value: &serde_json::Value) {
        let between = if self.text.is_empty() { "" } else { "," };
        // A text takes everything.
        let _: std::fmt::Result = write!(self.text, "{between}{key}:{value}");
    }

    /// All of them, as an object.
    pub fn object(&self) -> String {
        format!("{{{}}}", self.text)
    }
}

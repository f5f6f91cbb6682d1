//! A case: a line of the file.

use engine::device::webgpu::SpecAuthority;
use serde_json::{Map, Value, json};

/// A case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its unique name.
    pub id: String,
    /// The call under test.
    pub api: String,
    /// Which authority says what it comes to.
    pub oracle: String,
    /// The steps, in neutral words.
    pub program: Vec<String>,
    /// What each named promise or call comes to.
    pub expect: Map<String, Value>,
}

/// Calls that only a browser has.
const WEB: &[(&str, &str)] = &[
    (
        "importExternalTexture",
        "there are no video elements outside of a browser",
    ),
    (
        "copyExternalImageToTexture",
        "there are no canvases and image bitmaps outside of a browser",
    ),
];

/// Expectations that can be turned into their opposite, to see that it is noticed.
const SPOILS: &[(&str, &str)] = &[
    ("p", "reject(RangeError)"),
    ("p1", "reject(RangeError)"),
    ("p2", "reject(RangeError)"),
    ("p3", "reject(RangeError)"),
    ("r", "internal"),
    ("i", "reject(AbortError)"),
    ("lost", "resolve(reason=none)"),
    ("third", "reject(RangeError)"),
    ("outer", "internal"),
    ("last", "resolve"),
    ("mapState", "pending"),
];

impl Case {
    /// Reads a line.
    pub fn parse(line: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let text = |key: &str| {
            let found = value.get(key).and_then(Value::as_str);
            found
                .map(str::to_owned)
                .ok_or_else(|| format!("no `{key}` in {line}"))
        };
        let program = value.get("program").and_then(Value::as_array);
        let program = program.ok_or_else(|| format!("no `program` in {line}"))?;
        let steps = program.iter().filter_map(Value::as_str).map(str::to_owned);
        let expect = value.get("expect").and_then(Value::as_object).cloned();
        Ok(Self {
            id: text("id")?,
            api: text("api")?,
            oracle: text("oracle")?,
            program: steps.collect(),
            expect: expect.ok_or_else(|| format!("no `expect` in {line}"))?,
        })
    }

    /// Why it cannot run on a native backend, where that is so.
    pub fn not_native(&self) -> Option<String> {
        let found = WEB.iter().find(|(call, _)| self.api.contains(call));
        found.map(|(call, reason)| format!("{call}: {reason}"))
    }

    /// Whether the suite alone says so: it waits for each map before its next step.
    pub fn is_suite_alone(&self) -> bool {
        self.oracle == "cts"
    }

    /// The editions whose rules the authority speaks for.
    pub fn editions(&self) -> &'static [SpecAuthority] {
        if self.oracle.starts_with("cts") {
            &[SpecAuthority::Suite]
        } else if self.oracle.contains("cts") {
            &[SpecAuthority::Present, SpecAuthority::Suite]
        } else {
            &[SpecAuthority::Present]
        }
    }

    /// Whether a word is in one of the steps.
    pub fn says(&self, word: &str) -> bool {
        self.program.iter().any(|step| step.contains(word))
    }

    /// Copies of the case, each with one wrong expectation, and its key.
    pub fn spoiled(&self) -> Vec<(&'static str, Self)> {
        let mut copies = Vec::new();
        for (key, wrong) in SPOILS {
            if self.expect.contains_key(*key) {
                copies.push((*key, self.with(key, json!(wrong))));
            }
        }
        for key in ["uncaptured", "validation_error"] {
            if let Some(count) = self.expect.get(key).and_then(Value::as_u64) {
                copies.push((key, self.with(key, json!(count + 1))));
            }
        }
        if let Some(Value::Array(order)) = self.expect.get("order") {
            let turned: Vec<Value> = order
                .iter()
                .filter_map(Value::as_str)
                .filter_map(|it| it.split_once('<'))
                .map(|(first, second)| json!(format!("{second}<{first}")))
                .collect();
            if !turned.is_empty() {
                copies.push(("order", self.with("order", Value::Array(turned))));
            }
        }
        copies
    }

    fn with(&self, key: &str, value: Value) -> Self {
        let mut copy = self.clone();
        copy.expect.insert(key.to_owned(), value);
        copy
    }
}

//! Arguments and properties of a node: which there are, and what they say.

use std::ops::Range;

use crate::kdl::{KdlEntry, KdlNode, KdlValue};

use super::{KdlReader, word_range};
use crate::Expression;
use crate::error::nearest;
use crate::expression;
use crate::template::LocatedExpression;
use crate::verb::{BlockRule, WordRule};

impl KdlReader<'_> {
    /// Reports where a node is not as its rule says.
    pub fn check_rule(&mut self, node: &KdlNode, rule: &WordRule) {
        let write = format!("write: {}", rule.usage);
        if node.is_annotated || node.entries.iter().any(|entry| entry.is_annotated) {
            self.report(
                node.range.clone(),
                "type annotations mean nothing here",
                &write,
            );
        }
        self.obey_arguments(node, rule, &write);
        self.obey_properties(node, rule, &write);
        match (rule.block, &node.children) {
            (BlockRule::Never, Some(_)) => {
                self.report(
                    word_range(node),
                    format!("“{}” has no block", rule.name),
                    &write,
                );
            }
            (BlockRule::Must, None) => {
                self.report(
                    word_range(node),
                    format!("“{}” needs a block", rule.name),
                    &write,
                );
            }
            _ => {}
        }
    }

    fn obey_arguments(&mut self, node: &KdlNode, rule: &WordRule, write: &str) {
        let arguments: Vec<&KdlEntry> = node
            .entries
            .iter()
            .filter(|entry| entry.name().is_none())
            .collect();
        let (fewest, most) = rule.arguments();
        if arguments.len() < fewest {
            let message = format!(
                "“{}” needs {}, and has {}",
                rule.name,
                counted(fewest),
                arguments.len()
            );
            self.report(word_range(node), message, write);
        }
        if let Some(extra) = arguments.get(most) {
            let message = format!("“{}” takes {} at most", rule.name, counted(most));
            self.report(value_range(extra), message, write);
        }
    }

    fn obey_properties(&mut self, node: &KdlNode, rule: &WordRule, write: &str) {
        let (properties, required) = rule.properties();
        let mut seen: Vec<&str> = Vec::new();
        for entry in &node.entries {
            let Some(name) = entry.name() else { continue };
            if self.errors.is_full() {
                return;
            }
            if !properties.contains(&name) {
                let help =
                    nearest(name, properties.iter().copied()).unwrap_or_else(|| write.to_owned());
                let message = format!("“{}” has no property “{}”", rule.name, name);
                self.report(name_range(entry), message, help);
            } else if seen.contains(&name) {
                self.report(
                    name_range(entry),
                    format!("“{name}” is given twice"),
                    "keep one of the two",
                );
            } else {
                seen.push(name);
            }
        }
        let needed = properties.iter().take(required);
        for missing in needed.filter(|name| !seen.contains(name)) {
            self.report(
                word_range(node),
                format!("“{}” needs {missing}=…", rule.name),
                write,
            );
        }
    }

    /// A text that is not empty.
    pub(crate) fn text(&mut self, entry: &KdlEntry) -> Option<String> {
        match &entry.value {
            KdlValue::String(text) if !text.trim().is_empty() => Some(text.clone()),
            KdlValue::String(_) => {
                self.report(
                    value_range(entry),
                    "this text is empty",
                    "write a name or a sentence",
                );
                None
            }
            other => {
                self.report(
                    value_range(entry),
                    format!("{other} is no text"),
                    "write it in quotation marks",
                );
                None
            }
        }
    }

    /// A plain, finite number.
    pub fn number(&mut self, entry: &KdlEntry) -> Option<f64> {
        let value = match &entry.value {
            KdlValue::Integer(value) => *value as f64,
            KdlValue::Float(value) => *value,
            _ => f64::NAN,
        };
        if value.is_finite() {
            return Some(value);
        }
        let range = value_range(entry);
        let written = self.source.text.get(range.clone()).unwrap_or_default();
        // A number with too many digits before its point is read as infinite.
        let message = match entry.value {
            KdlValue::Float(_) if !written.starts_with('#') => {
                format!(
                    "{written} is too large: the largest number is {:e}",
                    f64::MAX
                )
            }
            _ => format!("{} is no number", entry.value),
        };
        self.report(range, message, "write a number such as 12, 0.5 or 1e6");
        None
    }

    /// `#true` or `#false`.
    pub(crate) fn flag(&mut self, entry: &KdlEntry) -> Option<bool> {
        let flag = entry.value.as_bool();
        if flag.is_none() {
            self.report(
                value_range(entry),
                format!("{} is neither #true nor #false", entry.value),
                "write #true or #false",
            );
        }
        flag
    }

    /// A number, or an expression over `names`.
    pub fn expression(&mut self, entry: &KdlEntry, names: &[&str]) -> Option<Expression> {
        match &entry.value {
            KdlValue::String(text) => self.formula(text, text_range(entry, text), names),
            KdlValue::Integer(_) | KdlValue::Float(_) => {
                self.number(entry).map(Expression::constant)
            }
            other => {
                let message = format!("{other} is no number");
                self.report(
                    value_range(entry),
                    message,
                    "write a number, or an expression in quotation marks",
                );
                None
            }
        }
    }

    /// An expression and its place.
    pub fn amount(&mut self, entry: &KdlEntry, names: &[&str]) -> Option<LocatedExpression> {
        let expression = self.expression(entry, names)?;
        Some(LocatedExpression {
            expression,
            range: value_range(entry),
        })
    }

    /// The expression that stands at `place`, which holds `text` as it is, or with escapes.
    pub fn formula(
        &mut self,
        text: &str,
        place: Range<usize>,
        names: &[&str],
    ) -> Option<Expression> {
        match expression::parse(text, names) {
            Ok(expression) => Some(expression),
            Err(fault) => {
                let verbatim = place.len() == text.len();
                let range = if verbatim {
                    place.start + fault.range.start..place.start + fault.range.end
                } else {
                    place
                };
                self.report(range, fault.message, fault.help);
                None
            }
        }
    }
}

fn counted(arguments: usize) -> String {
    match arguments {
        0 => "no argument".into(),
        1 => "1 argument".into(),
        many => format!("{many} arguments"),
    }
}

/// The bytes of an entry's value.
pub(super) fn value_range(entry: &KdlEntry) -> Range<usize> {
    entry.value_range.clone()
}

/// The bytes of a property's name.
fn name_range(entry: &KdlEntry) -> Range<usize> {
    let name = entry.name.as_ref();
    name.map_or_else(|| value_range(entry), |(_, place)| place.clone())
}

/// The bytes between the quotation marks of an entry's value, where it is written with them and without escapes.
pub(super) fn text_range(entry: &KdlEntry, text: &str) -> Range<usize> {
    let whole = value_range(entry);
    // A text of that length in a line of its own, or with an escape, is longer as it is written.
    if whole.len() == text.len() + 2 {
        whole.start + 1..whole.end - 1
    } else {
        whole
    }
}

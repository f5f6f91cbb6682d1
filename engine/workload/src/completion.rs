//! What may stand at a place of a workload's text, for an editor: from the definitions that read it.

mod caret;
mod declared;
#[cfg(test)]
mod tests;
mod values;

use caret::{Caret, CaretPart, OpenNode};
use values::values;

use crate::reader::{BLOCKS, CALLS, EXPECTATIONS, LAUNCH, PLACEMENT, SET_ALL_WORDS, TOP};
use crate::verb::{FieldSlot, WordForm, WordRule};

/// A word that may stand where the caret is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadCompletion {
    /// What is written.
    pub text: String,
    /// What it does or is, in a sentence or a few words; empty where nothing is known.
    pub about: String,
}

/// The words that may stand at byte `at` of a text and begin with what is written there, in any case of letters, and the byte
/// at which that begins. None where nothing has been written of one, unless it stands in quotation marks.
///
/// ```
/// let text = "stream \"copy\"\nhost \"main\" { rec";
/// let (start, words) = workload::complete(text, text.len());
/// assert_eq!((start, &*words[0].text), (text.len() - 3, "record"));
/// ```
pub fn complete(text: &str, at: usize) -> (usize, Vec<WorkloadCompletion>) {
    let before = text.get(..at).unwrap_or(text);
    let caret = Caret::behind(before);
    let (start, mut words) = match &caret.part {
        CaretPart::Nothing => (before.len(), Vec::new()),
        CaretPart::Word if caret.is_quoted => (before.len(), Vec::new()),
        CaretPart::Word => (caret.start, node_words(&caret)),
        CaretPart::Entry(_) if !caret.is_quoted => (caret.start, properties(&caret)),
        CaretPart::Entry(_) | CaretPart::Value(_) => values(&caret, text, before),
    };
    let typed = before.get(start..).unwrap_or_default().to_lowercase();
    if typed.is_empty() && !caret.is_quoted {
        words.clear();
    }
    words.retain(|it| it.text.to_lowercase().starts_with(&typed));
    (start, words)
}

/// The words of nodes that may stand in the block that the caret is in.
fn node_words(caret: &Caret) -> Vec<WorkloadCompletion> {
    let all = rules(&caret.blocks).into_iter().flatten();
    let words = all.map(|rule| WorkloadCompletion {
        text: rule.name.to_owned(),
        about: if rule.about.is_empty() {
            rule.usage.to_owned()
        } else {
            rule.about.trim().to_owned()
        },
    });
    words.collect()
}

/// The rules of the words that may stand in these blocks.
fn rules(blocks: &[OpenNode]) -> Vec<&'static [WordRule]> {
    let Some(last) = blocks.last() else {
        return vec![TOP];
    };
    match last.name.as_str() {
        "expect" => vec![EXPECTATIONS],
        "placement" => vec![PLACEMENT],
        "set-all" => vec![SET_ALL_WORDS],
        "launch" | "recorded" | "record-launch" => vec![LAUNCH],
        name if name == "host" || BLOCKS.iter().any(|it| it.name == name) => {
            vec![CALLS.as_slice()]
        }
        _ => Vec::new(),
    }
}

/// The rule of the node that the caret is in.
fn rule(caret: &Caret) -> Option<&'static WordRule> {
    let all = rules(&caret.blocks).into_iter().flatten();
    all.into_iter().find(|it| it.name == caret.node.name)
}

/// The names of the properties that the node does not have yet.
fn properties(caret: &Caret) -> Vec<WorkloadCompletion> {
    let Some(rule) = rule(caret) else {
        return Vec::new();
    };
    let given = |name: &str| caret.node.properties.iter().any(|it| it.0 == name);
    let (names, _) = rule.properties();
    let names = names.into_iter().filter(|name| !given(name));
    let words = names.map(|name| WorkloadCompletion {
        text: format!("{name}="),
        about: field_of(rule, |slot| is_property(slot, name))
            .map_or_else(String::new, |it| it.about.trim().to_owned()),
    });
    words.collect()
}

/// The field of a word's rule that stands in such a place.
fn field_of(
    rule: &WordRule,
    is_it: impl Fn(FieldSlot) -> bool,
) -> Option<&'static crate::verb::FieldRule> {
    match rule.takes {
        WordForm::Fields(fields) => fields.iter().find(|it| is_it(it.slot)),
        WordForm::Entries { .. } => None,
    }
}

/// Whether a field may be given by this property.
fn is_property(slot: FieldSlot, name: &str) -> bool {
    match slot {
        FieldSlot::Property(own) | FieldSlot::AtOr(_, own) => own == name,
        FieldSlot::On | FieldSlot::Chosen(..) => name == "on",
        FieldSlot::OneOf(names) => names.contains(&name),
        FieldSlot::Named | FieldSlot::At(_) | FieldSlot::Block => false,
    }
}

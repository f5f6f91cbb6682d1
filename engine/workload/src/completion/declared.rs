//! The names that a text gives to what it declares, and to its calls, however far it has been written.

use std::collections::HashSet;

use super::caret::{OpenNode, nodes};

/// A name, and what has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DeclaredName {
    /// The name.
    pub name: String,
    /// The word that declares it, or `label`.
    pub class: &'static str,
    /// What the text says of it.
    pub about: String,
}

/// The words that declare something by their first argument.
const DECLARING: &[&str] = &[
    "stream",
    "event",
    "buffer",
    "signal",
    "pipeline",
    "promise",
    "graph",
    "callback-thread",
    "event-pool",
    "recorded",
    "param",
    "host",
    "shader",
];

/// All names in a text, in the order in which they stand there.
pub(super) fn declared(text: &str) -> Vec<DeclaredName> {
    let mut found: Vec<DeclaredName> = Vec::new();
    let mut seen = HashSet::new();
    for name in nodes(text).iter().flat_map(names) {
        if seen.insert((name.class, name.name.clone())) {
            found.push(name);
        }
    }
    found
}

fn names(node: &OpenNode) -> Vec<DeclaredName> {
    let property = |wanted: &str| {
        let mut all = node.properties.iter();
        all.find(|it| it.0 == wanted).map(|it| it.1.clone())
    };
    let of = |name: String, class, about| DeclaredName { name, class, about };
    let mut found = Vec::new();
    let class = DECLARING.iter().find(|it| **it == node.name);
    if let (Some(class), Some(name)) = (class, node.arguments.first()) {
        let about = property("about").or_else(|| property("role"));
        found.push(of(name.clone(), class, about.unwrap_or_default()));
    }
    if let Some(label) = property("label") {
        found.push(of(label, "label", node.name.clone()));
    }
    found
}

//! What is asked of a hand-in's text before it runs: that only what may change has changed.

use std::collections::BTreeMap;

use workload::kdl::{self, KdlNode};

use super::conditions::rendered;
use super::document::line_of;

/// What orders calls without being an event, or may leave something out: a lesson that is not about it does without.
const SPARED: [&str; 11] = [
    "barrier",
    "hold",
    "await",
    "signal",
    "host",
    "host-function",
    "abort-stream",
    "destroy-stream",
    "try",
    "callback-thread",
    "repeat-until",
];

/// What is wrong with a text, or the text that is run in its place.
pub(crate) enum StaticAnswer {
    /// A node that may not change is another, or was added, on this line.
    Changed { line: usize, node: String },
    /// A call that the lesson does without, on this line.
    Added { line: usize, verb: String },
    /// The text, without what it expects itself.
    Runs(String),
}

/// Compares a hand-in, which is known to be a workload, with the text that it began as.
pub(crate) fn compare(text: &str, start: &str, may_change: &[String]) -> Option<StaticAnswer> {
    let (own, first) = (parsed(text)?, parsed(start)?);
    let is_free = |node: &KdlNode| {
        let name = &*node.name;
        matches!(name, "about" | "expect" | "lesson") || may_change.iter().any(|it| it == name)
    };
    let whole = |nodes: &[KdlNode]| -> Vec<(String, usize)> {
        let locked = nodes.iter().filter(|it| !is_free(it));
        locked.map(|it| (whole(it), it.range.start)).collect()
    };
    let (mut ours, mut theirs) = (whole(&own), whole(&first));
    ours.retain(|(text, _)| {
        let place = theirs.iter().position(|(other, _)| other == text);
        place.map(|place| theirs.remove(place)).is_none()
    });
    let odd = ours.first().map(|(node, at)| (node, line_of(text, *at)));
    let odd = odd.or_else(|| theirs.first().map(|(node, _)| (node, 1)));
    if let Some((node, line)) = odd {
        let node = node.lines().next().unwrap_or_default().to_owned();
        return Some(StaticAnswer::Changed { line, node });
    }
    if let Some(added) = added(&own, &first) {
        let line = line_of(text, added.0);
        return Some(StaticAnswer::Added {
            line,
            verb: added.1,
        });
    }
    Some(StaticAnswer::Runs(without_expectations(text, &own)))
}

/// Where a call stands that lessons do without, and that the start text has less often, and its name.
fn added(own: &[KdlNode], first: &[KdlNode]) -> Option<(usize, String)> {
    let mut allowed = counts(first);
    let mut all = Vec::new();
    for node in own {
        gather(node, &mut all);
    }
    for node in all {
        let Some(verb) = spared(node) else { continue };
        let left = allowed.entry(verb.clone()).or_default();
        if *left == 0 {
            return Some((node.range.start, verb));
        }
        *left -= 1;
    }
    None
}

fn parsed(text: &str) -> Option<Vec<KdlNode>> {
    kdl::parse(text).ok()
}

/// A node with all in it, however it is laid out.
fn whole(node: &KdlNode) -> String {
    let mut text = rendered(node, &[]);
    if let Some(children) = &node.children {
        text.push_str("\n{\n");
        for child in children {
            text.push_str(&whole(child));
            text.push('\n');
        }
        text.push('}');
    }
    text
}

fn gather<'a>(node: &'a KdlNode, all: &mut Vec<&'a KdlNode>) {
    all.push(node);
    for node in node.inside() {
        gather(node, all);
    }
}

/// The name under which a node is counted, where it is one that lessons do without.
fn spared(node: &KdlNode) -> Option<String> {
    let name = &*node.name;
    if SPARED.contains(&name) {
        return Some(name.to_owned());
    }
    let is_strict = name.starts_with("query") && node.property("strict").is_some();
    is_strict.then(|| format!("{name} strict=#true"))
}

fn counts(nodes: &[KdlNode]) -> BTreeMap<String, u32> {
    let mut all = Vec::new();
    for node in nodes {
        gather(node, &mut all);
    }
    let mut counts = BTreeMap::new();
    for verb in all.into_iter().filter_map(spared) {
        *counts.entry(verb).or_default() += 1;
    }
    counts
}

/// The text with blanks in place of what it expects, so that lines stay where they are.
fn without_expectations(text: &str, nodes: &[KdlNode]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for node in nodes.iter().filter(|it| it.name == "expect") {
        for byte in bytes.get_mut(node.range.clone()).unwrap_or_default() {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

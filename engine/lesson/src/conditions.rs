//! What a check asks: forms of `expect`, each with a sentence for who misses it.

use workload::kdl::{self, KdlNode};

use super::texts::{LocalizedText, TextLanguage};

/// What has to hold.
#[derive(Clone, Debug)]
pub struct Condition {
    /// Its name in the lesson.
    pub id: String,
    /// What is said where it does not hold.
    pub says: LocalizedText,
    /// The lines of an `expect` block that say it.
    pub(crate) forms: Vec<String>,
}

/// What became of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionResult {
    /// Its name in the lesson.
    pub id: String,
    /// Whether it holds; nothing where that could not be judged here.
    pub holds: Option<bool>,
    /// What was found.
    pub found: String,
}

impl Condition {
    /// What a node of a check says.
    pub(crate) fn of(node: &KdlNode) -> Result<Self, String> {
        let id = node.property("id").and_then(|it| it.value.as_text());
        let id = id.ok_or("a condition needs an id: write id=\"…\" behind it")?;
        let forms = if node.name == "expect" {
            forms_in(node)
        } else {
            vec![rendered(node, &["id"])]
        };
        if forms.is_empty() {
            return Err(
                "there is nothing to expect here; write each \"y\" equals=\"…\", say".to_owned(),
            );
        }
        Ok(Self {
            id: id.to_owned(),
            says: LocalizedText::of(node),
            forms,
        })
    }

    /// Whether it says the same of a text wherever that runs, or is about times that this backend keeps to a law.
    pub(crate) fn is_judged_on(&self, backend: &str) -> bool {
        let is_about = |word: &str| self.forms.iter().any(|it| it.starts_with(word));
        let is_lawful = ["mock", "paced", "cuda"].contains(&backend);
        (backend == "mock" || !is_about("elapsed ")) && (is_lawful || !is_about("overlap "))
    }

    /// The labels of two operations that one of its lines wants in this order; nothing where it wants something else.
    pub(crate) fn order_of(&self, line: usize) -> Option<(String, String)> {
        let nodes = kdl::parse(self.forms.get(line)?).ok()?;
        let node = nodes.first()?;
        let label = |place: usize| Some(node.argument(place)?.value.as_text()?.to_owned());
        (node.name == "ordered").then_some(())?;
        Some((label(0)?, label(1)?))
    }

    /// What the run shows of a prediction.
    pub(crate) fn shown(node: &KdlNode) -> Self {
        Self {
            id: "shown".to_owned(),
            says: LocalizedText::of(node),
            forms: forms_in(node),
        }
    }
}

fn forms_in(node: &KdlNode) -> Vec<String> {
    let inside = node.inside();
    let is_text = |it: &&KdlNode| {
        let name = &*it.name;
        TextLanguage::ALL
            .iter()
            .any(|language| language.code() == name)
    };
    let forms = inside.iter().filter(|it| !is_text(it));
    forms.map(|it| rendered(it, &[])).collect()
}

/// A node on one line, without its block and without some of its properties.
pub(crate) fn rendered(node: &KdlNode, without: &[&str]) -> String {
    let mut text = node.name.clone();
    for entry in &node.entries {
        let value = entry.value.to_string();
        match entry.name() {
            Some(name) if without.contains(&name) => {}
            Some(name) => text.extend([" ", name, "=", &value]),
            None => text.extend([" ", &value]),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_labels_of_an_order_are_read_from_its_line() {
        let block = r#"check { ordered "a" "b" by="turn" id="o" { en "x" }; race at-most=0 id="r" { en "y" } }"#;
        let nodes = kdl::parse(block).unwrap();
        let orders: Vec<_> = nodes[0]
            .inside()
            .iter()
            .map(|node| Condition::of(node).unwrap().order_of(0))
            .collect();
        let labels = ("a".to_owned(), "b".to_owned());
        assert_eq!(orders, [Some(labels), None]);
    }
}

//! Reads a KDL document into a template, and collects everything that is wrong on the way.

mod attempt;
mod call_expectations;
mod calls;
mod entries;
mod events;
mod expectations;
mod forms;
mod gpu;
mod launches;
mod names;
mod placement;
mod resources;
mod streams;
mod syntax;

use std::ops::Range;
use std::sync::Arc;

use super::kdl::KdlNode;

pub(super) use self::forms::{BLOCKS, CALLS, EXPECTATIONS, LAUNCH, PLACEMENT, SET_ALL_WORDS, TOP};
use self::names::DeclarationNames;
use super::error::{WorkloadError, WorkloadErrors, WorkloadSource, nearest};
use super::template::Template;
use super::verb::WordRule;

/// The template of a document, or all that is wrong with it.
pub(super) fn read(source: &WorkloadSource) -> Result<Template, Vec<WorkloadError>> {
    let nodes = syntax::parse(source)?;
    let mut reader = KdlReader {
        source,
        errors: WorkloadErrors::new(source),
        names: DeclarationNames::default(),
    };
    let template = reader.document(&nodes);
    reader.errors.told().map_or(Ok(template), Err)
}

/// What reading knows and has found.
pub(super) struct KdlReader<'s> {
    source: &'s WorkloadSource,
    errors: WorkloadErrors<'s>,
    names: DeclarationNames,
}

impl KdlReader<'_> {
    fn report(&mut self, range: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.errors.report(range, message, help);
    }

    /// All of a document: first what it declares, then what refers to it, so that the order of the file is free.
    fn document(&mut self, nodes: &[KdlNode]) -> Template {
        let mut template = Template::default();
        let known: Vec<(&KdlNode, &WordRule)> = nodes
            .iter()
            .filter_map(|node| Some((node, self.rule(node, TOP, "a workload")?)))
            .collect();
        for (node, rule) in &known {
            match rule.name {
                "about" => self.about(node, &mut template),
                "lesson" => self.lesson(node, &mut template),
                "param" => self.parameter(node, &mut template),
                "machine" => self.machine(node, &mut template),
                "placement" => {
                    self.names.has_ranks = true;
                    self.placement(node, &mut template);
                }
                "synchronization" => self.synchronization(node, &mut template),
                "pace" => self.pace(node, &mut template),
                "shader" => self.shader(node, &mut template),
                "event-pool" => self.event_resource(rule.name, node, &mut template),
                _ => {}
            }
        }
        for (node, rule) in &known {
            self.resource(rule.name, node, &mut template);
        }
        for (node, _) in known.iter().filter(|(_, rule)| rule.name == "fault") {
            self.rank_fault(node, &mut template);
        }
        let mut code = Vec::new();
        for (node, _) in known.iter().filter(|(_, rule)| rule.name == "host") {
            code.push(self.host(node, &mut template));
        }
        self.add_made(&mut template);
        template.program = Arc::new(super::program::Program { hosts: code });
        for (node, _) in known.iter().filter(|(_, rule)| rule.name == "expect") {
            self.expectations(node, &mut template);
        }
        if template.hosts.is_empty() && self.errors.len() == 0 {
            let help = "add a host thread: host \"main\" { … }";
            self.report(0..0, "this workload makes no calls", help);
        }
        template
    }

    fn lesson(&mut self, node: &KdlNode, template: &mut Template) {
        let id = node.argument(0).and_then(|entry| self.text(entry));
        template.lesson = id.unwrap_or_default();
    }

    fn about(&mut self, node: &KdlNode, template: &mut Template) {
        let text = node.argument(0).and_then(|entry| self.text(entry));
        if !template.about.is_empty() {
            self.report(
                word_range(node),
                "a workload has one about",
                "join the two texts",
            );
        }
        template.about = text.unwrap_or_default();
    }

    /// The rule for a node. What breaks the rule is reported, and the node still read as far as it goes, so that one
    /// mistake in a declaration is not one more at each of its uses.
    pub(crate) fn rule(
        &mut self,
        node: &KdlNode,
        rules: &'static [WordRule],
        place: &str,
    ) -> Option<&'static WordRule> {
        if self.errors.is_full() {
            // Where all is wrong, nobody reads what else is.
            return None;
        }
        let name = &*node.name;
        let Some(rule) = rules.iter().find(|rule| rule.name == name) else {
            let help = nearest(name, rules.iter().map(|rule| rule.name)).unwrap_or_else(|| {
                let known: Vec<&str> = rules.iter().map(|rule| rule.name).collect();
                format!("known here: {}", known.join(", "))
            });
            self.report(
                word_range(node),
                format!("{place} has nothing called “{name}”"),
                help,
            );
            return None;
        };
        self.check_rule(node, rule);
        Some(rule)
    }
}

/// The bytes of a node's first word.
fn word_range(node: &KdlNode) -> Range<usize> {
    node.name_range.clone()
}

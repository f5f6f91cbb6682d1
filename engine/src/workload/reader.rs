//! Reads a KDL document into a template, and collects everything that is wrong on the way.

mod calls;
mod entries;
mod expectations;
mod forms;
mod names;
mod resources;

use std::ops::Range;
use std::sync::Arc;

use kdl::{KdlDocument, KdlNode};

use self::forms::{Rule, TOP};
use self::names::Names;
use super::error::{Error, Source, nearest};
use super::template::Template;

/// Bytes of a workload file, at most: a file of hand-written calls is a thousandth of it.
const BYTES: usize = 1 << 20;
/// Blocks and comments inside each other, at most; deeper ones would exhaust the stack.
const NESTING: usize = 48;

/// The template of a document, or all that is wrong with it.
pub(super) fn read(source: &Source) -> Result<Template, Vec<Error>> {
    refuse_absurd(source)?;
    let document =
        KdlDocument::parse_v2(&source.text).map_err(|error| syntax_errors(source, &error))?;
    let mut reader = Reader {
        source,
        errors: Vec::new(),
        names: Names::default(),
    };
    let template = reader.document(&document);
    let mut errors = reader.errors;
    if errors.is_empty() {
        return Ok(template);
    }
    errors.sort_by_key(|error| (error.line, error.column));
    errors.dedup();
    Err(errors)
}

/// Refuses what the KDL parser would spend minutes or its stack on.
fn refuse_absurd(source: &Source) -> Result<(), Vec<Error>> {
    let text = &source.text;
    if text.len() > BYTES {
        let message = format!(
            "this file holds {} bytes, and a workload at most {BYTES}",
            text.len()
        );
        return Err(vec![source.error_outside(
            message,
            "write loops with repeat instead of many calls",
        )]);
    }
    let (mut blocks, mut comments, mut previous) = (0_usize, 0_usize, 0);
    for (byte, c) in text.bytes().enumerate() {
        match (previous, c) {
            (_, b'{') => blocks += 1,
            (_, b'}') => blocks = blocks.saturating_sub(1),
            (b'/', b'*') => comments += 1,
            (b'*', b'/') => comments = comments.saturating_sub(1),
            _ => {}
        }
        previous = c;
        if blocks.max(comments) > NESTING {
            let message = format!("blocks are nested more than {NESTING} deep here");
            return Err(vec![source.error(
                byte..byte + 1,
                message,
                "close a block with } first",
            )]);
        }
    }
    Ok(())
}

fn syntax_errors(source: &Source, error: &kdl::KdlError) -> Vec<Error> {
    let mut errors: Vec<Error> = error
        .diagnostics
        .iter()
        .map(|found| {
            let start = found.span.offset();
            let message = found.message.as_deref().unwrap_or("this is not KDL");
            let help = found
                .help
                .clone()
                .or_else(|| found.label.clone())
                .unwrap_or_default();
            source.error(start..start + found.span.len(), message, help)
        })
        .collect();
    errors.sort_by_key(|error| (error.line, error.column));
    errors.dedup();
    if errors.is_empty() {
        errors.push(source.error(0..0, "this is not KDL", ""));
    }
    errors
}

/// What reading knows and has found.
struct Reader<'s> {
    source: &'s Source,
    errors: Vec<Error>,
    names: Names,
}

impl Reader<'_> {
    fn report(&mut self, range: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.errors.push(self.source.error(range, message, help));
    }

    /// All of a document: first what it declares, then what refers to it, so that the order of the file is free.
    fn document(&mut self, document: &KdlDocument) -> Template {
        let mut template = Template::default();
        let known: Vec<(&KdlNode, &Rule)> = document
            .nodes()
            .iter()
            .filter_map(|node| Some((node, self.rule(node, TOP, "a workload")?)))
            .collect();
        for (node, rule) in &known {
            match rule.name {
                "about" => self.about(node, &mut template),
                "param" => self.parameter(node, &mut template),
                _ => {}
            }
        }
        for (node, rule) in &known {
            self.resource(rule.name, node, &mut template);
        }
        let mut code = Vec::new();
        for (node, _) in known.iter().filter(|(_, rule)| rule.name == "host") {
            code.push(self.host(node, &mut template));
        }
        template.program = Arc::new(super::program::Program { hosts: code });
        for (node, _) in known.iter().filter(|(_, rule)| rule.name == "expect") {
            self.expect(node, &mut template);
        }
        if template.hosts.is_empty() && self.errors.is_empty() {
            let help = "add a host thread: host \"main\" { … }";
            self.report(0..0, "this workload makes no calls", help);
        }
        template
    }

    fn about(&mut self, node: &KdlNode, template: &mut Template) {
        let text = self.argument(node, 0).and_then(|entry| self.text(entry));
        if !template.about.is_empty() {
            self.report(
                word_range(node),
                "a workload has one about",
                "join the two texts",
            );
        }
        template.about = text.unwrap_or_default();
    }

    /// The rule for a node, after checking the node against it.
    fn rule(
        &mut self,
        node: &KdlNode,
        rules: &'static [Rule],
        place: &str,
    ) -> Option<&'static Rule> {
        let name = node.name().value();
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
        self.obey(node, rule).then_some(rule)
    }
}

/// The bytes of a node, its block included.
fn node_range(node: &KdlNode) -> Range<usize> {
    let span = node.span();
    span.offset()..span.offset() + span.len()
}

/// The bytes of a node's first word.
fn word_range(node: &KdlNode) -> Range<usize> {
    let span = node.name().span();
    span.offset()..span.offset() + span.len()
}

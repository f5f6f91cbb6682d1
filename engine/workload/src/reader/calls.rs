//! Reads what host threads call.

use std::ops::Range;

use crate::kdl::{KdlEntry, KdlNode};

use super::entries::value_range;
use super::forms::{CALLS, LAUNCH};
use super::{KdlReader, word_range};
use crate::call::Call;
use crate::error::nearest;
use crate::fields::KernelArguments;
use crate::phase::{AsWritten, Reference, ResourceClass};
use crate::program::{CallTemplate, ProgramStep};
use crate::template::{HostTemplate, Template};
use crate::verb::{FieldSlot, ReadCall, WordRule};
use crate::{CallSite, Edition, Expression, KERNELS, Kernel, SourceLocation};

/// Loops inside each other, at most.
const LOOPS: usize = 16;

impl KdlReader<'_> {
    /// The code of a host thread.
    pub fn host(&mut self, node: &KdlNode, template: &mut Template) -> Vec<ProgramStep> {
        let mut code = Vec::new();
        let Some(entry) = node.argument(0) else {
            return code;
        };
        let Some(name) = self.text(entry) else {
            return code;
        };
        if self.names.hosts.contains(&name) {
            self.report(
                value_range(entry),
                format!("the host “{name}” is declared already"),
                "choose another name",
            );
        }
        self.names.hosts.push(name.clone());
        let edition = match node.property("edition") {
            Some(entry) => self.one_of(entry, "edition", Edition::LABELS),
            None => None,
        };
        template.hosts.push(HostTemplate {
            name: name.clone(),
            edition: edition.unwrap_or_default(),
        });
        self.names.lazy.host = Some((template.hosts.len() - 1, name));
        self.body(node, template, &mut code);
        self.names.lazy.host = None;
        code
    }

    pub(super) fn body(
        &mut self,
        node: &KdlNode,
        template: &mut Template,
        code: &mut Vec<ProgramStep>,
    ) {
        let Some(block) = &node.children else { return };
        if block.is_empty() {
            let message = format!("this {} does nothing", node.name);
            self.report(
                word_range(node),
                message,
                "put calls into it, or leave it out",
            );
        }
        let mut nodes = block.iter().peekable();
        while let Some(child) = nodes.next() {
            let Some(rule) = self.rule(child, &CALLS, "a host") else {
                continue;
            };
            match (rule.read, rule.name) {
                (Some(read), _) => self.call(rule, read, child, template, code),
                (None, "repeat") => self.repeat(child, template, code),
                (None, "try") => self.attempt(child, &mut nodes, template, code),
                (None, "catch") => self.stray_catch(child),
                (None, "time") => self.time(rule, child, template, code),
                (None, word) => self.for_ranks(word, child, template, code),
            }
        }
    }

    fn repeat(&mut self, node: &KdlNode, template: &mut Template, code: &mut Vec<ProgramStep>) {
        let Some(entry) = node.argument(0) else {
            return;
        };
        let count = self
            .call_number(entry)
            .unwrap_or_else(|| Expression::constant(1.0));
        self.rounds_of(node, template, code, (count, value_range(entry)));
    }

    /// The body of a node so many times, which stands at `range`.
    pub(super) fn rounds_of(
        &mut self,
        node: &KdlNode,
        template: &mut Template,
        code: &mut Vec<ProgramStep>,
        (count, range): (Expression, Range<usize>),
    ) {
        if self.names.indices.len() >= LOOPS {
            let message = format!("loops are nested more than {LOOPS} deep here");
            self.report(word_range(node), message, "join two of them");
            return;
        }
        let index = match node.property("index") {
            Some(entry) => self.variable_name(entry),
            None => None,
        };
        let variable = self.names.parameters.len() + self.names.indices.len();
        let start = code.len();
        code.push(ProgramStep::Repeat {
            count,
            range,
            variable,
            end: 0,
        });
        // A loop without an index has one that nothing can be called.
        self.names.indices.push(index.unwrap_or_default());
        self.body(node, template, code);
        self.names.indices.pop();
        let last = code.len();
        code.push(ProgramStep::Again);
        if let Some(ProgramStep::Repeat { end, .. }) = code.get_mut(start) {
            *end = last;
        }
    }

    fn call(
        &mut self,
        rule: &'static WordRule,
        read: ReadCall,
        node: &KdlNode,
        template: &mut Template,
        code: &mut Vec<ProgramStep>,
    ) {
        // Placed first, so that what it names by a label is known even where it is wrong.
        let place = self.site(rule, node, template);
        self.names.lazy.chosen.clear();
        if let Some(call) = read(self, node) {
            code.push(ProgramStep::Call(CallTemplate {
                place,
                range: node.range.clone(),
                call,
            }));
        }
        if let Some(site) = template.sites.last_mut() {
            site.chosen = std::mem::take(&mut self.names.lazy.chosen);
        }
    }

    /// A call that a word makes besides those in its block.
    pub(super) fn place(
        &mut self,
        rule: &'static WordRule,
        node: &KdlNode,
        template: &mut Template,
        code: &mut Vec<ProgramStep>,
        call: Call<AsWritten>,
    ) {
        let place = self.site(rule, node, template);
        code.push(ProgramStep::Call(CallTemplate {
            place,
            range: node.range.clone(),
            call,
        }));
    }

    fn site(
        &mut self,
        rule: &'static WordRule,
        node: &KdlNode,
        template: &mut Template,
    ) -> SourceLocation {
        let place = SourceLocation {
            call: template.sites.len() as u32,
            line: self.source.line(node.range.start),
        };
        let label = node.property("label").and_then(|entry| self.text(entry));
        if let Some(label) = &label {
            self.names
                .labels
                .entry(label.clone())
                .or_default()
                .push(place.call);
        }
        template.sites.push(CallSite {
            verb: rule.name,
            label: label.unwrap_or_default(),
            host: template.hosts.len().saturating_sub(1),
            line: place.line,
            chosen: String::new(),
        });
        place
    }

    /// The resource that stands at a place of a node.
    pub(crate) fn resource_at(
        &mut self,
        class: ResourceClass,
        node: &KdlNode,
        slot: FieldSlot,
    ) -> Option<Reference> {
        match slot {
            FieldSlot::Named => self.first_reference(class, node),
            FieldSlot::Chosen(role, why) => self.chosen(node, role, why),
            FieldSlot::At(_)
            | FieldSlot::Property(_)
            | FieldSlot::On
            | FieldSlot::AtOr(..)
            | FieldSlot::OneOf(_)
            | FieldSlot::Block => {
                let entry = slot.entry(node)?;
                self.reference(class, entry, None)
            }
        }
    }

    /// The resource that the first argument names; the second is its index.
    pub(super) fn first_reference(
        &mut self,
        class: ResourceClass,
        node: &KdlNode,
    ) -> Option<Reference> {
        let name = node.argument(0)?;
        let index = node.argument(1);
        self.reference(class, name, index)
    }

    /// A number of a call: an expression over the parameters and the loop indices.
    pub(crate) fn call_number(&mut self, entry: &KdlEntry) -> Option<Expression> {
        let names = self.call_variables();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.expression(entry, &names)
    }

    /// The same for a part of a text.
    pub(super) fn call_formula(&mut self, text: &str, range: Range<usize>) -> Option<Expression> {
        let names = self.call_variables();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.formula(text, range, &names)
    }

    fn call_variables(&self) -> Vec<String> {
        let names = self.names.variables().into_iter();
        names.map(str::to_owned).collect()
    }

    /// What the block of a launch gives its kernel, which `name` names.
    pub(crate) fn kernel_arguments(
        &mut self,
        kernel: &'static Kernel,
        node: &KdlNode,
        name: &KdlEntry,
    ) -> Option<KernelArguments<AsWritten>> {
        let place = &value_range(name);
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let mut parameters: Vec<Option<Expression>> = vec![None; kernel.parameters.len()];
        let before = self.errors.len();
        for child in node.inside() {
            match self.rule(child, LAUNCH, "a launch").map(|rule| rule.name) {
                Some("read") => reads.extend(self.first_reference(ResourceClass::Buffer, child)),
                Some("write") => writes.extend(self.first_reference(ResourceClass::Buffer, child)),
                Some(_) => self.set(kernel, child, &mut parameters),
                None => {}
            }
        }
        if self.errors.len() > before {
            return None;
        }
        self.arity(kernel, "read", kernel.reads, reads.len(), place);
        self.arity(kernel, "write", kernel.writes, writes.len(), place);
        let defaults = kernel
            .parameters
            .iter()
            .map(|(_, value)| Expression::constant(*value));
        let parameters = parameters.into_iter().zip(defaults);
        let parameters = parameters.map(|(set, default)| set.unwrap_or(default));
        Some(KernelArguments {
            kernel,
            reads,
            writes,
            parameters: parameters.collect(),
        })
    }

    pub(crate) fn kernel(&mut self, entry: &KdlEntry) -> Option<&'static Kernel> {
        let name = self.text(entry)?;
        let found = Kernel::find(&name);
        if found.is_none() {
            let names = KERNELS.iter().map(|kernel| kernel.name);
            let all = || format!("kernels: {}", names.clone().collect::<Vec<_>>().join(", "));
            let help = nearest(&name, names.clone()).unwrap_or_else(all);
            self.report(
                value_range(entry),
                format!("there is no kernel “{name}”"),
                help,
            );
        }
        found
    }

    fn set(&mut self, kernel: &Kernel, node: &KdlNode, parameters: &mut [Option<Expression>]) {
        let (Some(name), Some(value)) = (node.argument(0), node.argument(1)) else {
            return;
        };
        let Some(text) = self.text(name) else { return };
        let known = kernel.parameters.iter().map(|(known, _)| *known);
        let place = known.clone().position(|known| known == text);
        let Some(slot) = place.and_then(|place| parameters.get_mut(place)) else {
            let help = nearest(&text, known.clone()).unwrap_or_else(|| match kernel.parameters {
                [] => format!("“{}” has no numbers to set", kernel.name),
                _ => format!("to set: {}", known.collect::<Vec<_>>().join(", ")),
            });
            self.report(
                value_range(name),
                format!("the kernel “{}” has no number “{text}”", kernel.name),
                help,
            );
            return;
        };
        if slot.is_some() {
            self.report(
                value_range(name),
                format!("“{text}” is set twice"),
                "keep one of the two",
            );
        }
        *slot = self.call_number(value);
    }

    fn arity(
        &mut self,
        kernel: &Kernel,
        word: &str,
        wanted: &[&str],
        found: usize,
        place: &Range<usize>,
    ) {
        if wanted.len() == found {
            return;
        }
        let buffers = match wanted.len() {
            0 => "no buffer".to_owned(),
            1 => "1 buffer".to_owned(),
            count => format!("{count} buffers"),
        };
        let are_given = match found {
            0 => "none is given".to_owned(),
            1 => "1 is given".to_owned(),
            count => format!("{count} are given"),
        };
        let message = format!(
            "the kernel “{}” {word}s {buffers}, and {are_given}",
            kernel.name
        );
        let help = match wanted {
            [] => format!("leave {word} out; what the kernel does: {}", kernel.about),
            names => format!(
                "name them in this order: {word} {}; what the kernel does: {}",
                names.join(", "),
                kernel.about
            ),
        };
        self.report(place.clone(), message, help);
    }
}

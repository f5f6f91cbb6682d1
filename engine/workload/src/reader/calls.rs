//! Reads what host threads call.

use std::ops::Range;

use kdl::{KdlDocument, KdlEntry, KdlNode};

use super::entries::{property, value_range};
use super::forms::{CALLS, LAUNCH, Rule};
use super::{Reader, node_range, word_range};
use crate::error::nearest;
use crate::program::{Act, CallTemplate, Class, Reference, Step};
use crate::template::{HostTemplate, Template};
use crate::{CallSite, Edition, Expression, KERNELS, Kernel, Place};

/// Loops inside each other, at most.
const LOOPS: usize = 16;

/// The buffers that a kernel reads, those that it writes, and its numbers.
type KernelArguments = (Vec<Reference>, Vec<Reference>, Vec<Expression>);

impl Reader<'_> {
    /// The code of a host thread.
    pub fn host(&mut self, node: &KdlNode, template: &mut Template) -> Vec<Step> {
        let mut code = Vec::new();
        let Some(entry) = self.argument(node, 0) else {
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
        let edition = match property(node, "edition") {
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

    pub(super) fn body(&mut self, node: &KdlNode, template: &mut Template, code: &mut Vec<Step>) {
        let Some(block) = node.children() else { return };
        if block.nodes().is_empty() {
            let message = format!("this {} does nothing", node.name().value());
            self.report(
                word_range(node),
                message,
                "put calls into it, or leave it out",
            );
        }
        let mut nodes = block.nodes().iter().peekable();
        while let Some(child) = nodes.next() {
            let Some(rule) = self.rule(child, CALLS, "a host") else {
                continue;
            };
            match rule.name {
                "repeat" => self.repeat(child, template, code),
                "only" | "except" => self.for_ranks(rule.name, child, template, code),
                "try" => self.attempt(child, &mut nodes, template, code),
                "catch" => self.stray_catch(child),
                "time" => self.time(rule, child, template, code),
                _ => self.call(rule, child, template, code),
            }
        }
    }

    fn repeat(&mut self, node: &KdlNode, template: &mut Template, code: &mut Vec<Step>) {
        let Some(entry) = self.argument(node, 0) else {
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
        code: &mut Vec<Step>,
        (count, range): (Expression, Range<usize>),
    ) {
        if self.names.indices.len() >= LOOPS {
            let message = format!("loops are nested more than {LOOPS} deep here");
            self.report(word_range(node), message, "join two of them");
            return;
        }
        let index = match property(node, "index") {
            Some(entry) => self.variable_name(entry),
            None => None,
        };
        let variable = self.names.parameters.len() + self.names.indices.len();
        let start = code.len();
        code.push(Step::Repeat {
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
        code.push(Step::Again);
        if let Some(Step::Repeat { end, .. }) = code.get_mut(start) {
            *end = last;
        }
    }

    fn call(
        &mut self,
        rule: &'static Rule,
        node: &KdlNode,
        template: &mut Template,
        code: &mut Vec<Step>,
    ) {
        // Placed first, so that what it names by a label is known even where it is wrong.
        let place = self.site(rule, node, template);
        self.names.lazy.chosen.clear();
        if let Some(act) = self.act(rule.name, node) {
            code.push(Step::Call(CallTemplate {
                place,
                range: node_range(node),
                act,
            }));
        }
        if let Some(site) = template.sites.last_mut() {
            site.chosen = std::mem::take(&mut self.names.lazy.chosen);
        }
    }

    /// A call that a word makes besides those in its block.
    pub(super) fn place(
        &mut self,
        rule: &'static Rule,
        node: &KdlNode,
        template: &mut Template,
        code: &mut Vec<Step>,
        act: Act,
    ) {
        let place = self.site(rule, node, template);
        code.push(Step::Call(CallTemplate {
            place,
            range: node_range(node),
            act,
        }));
    }

    fn site(&mut self, rule: &'static Rule, node: &KdlNode, template: &mut Template) -> Place {
        let place = Place {
            call: template.sites.len() as u32,
            line: self.source.line(node.span().offset()),
        };
        let label = property(node, "label").and_then(|entry| self.text(entry));
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

    fn act(&mut self, verb: &str, node: &KdlNode) -> Option<Act> {
        use Class::{Buffer, Event, Signal, Stream};
        // Both are read before either may fail, so that both are reported.
        let on = |reader: &mut Self, class: Class| {
            let first = reader.named(class, node);
            let stream = reader.on(node);
            Some((first?, stream?))
        };
        if let Some(form) = self.event_form(verb, node)? {
            return Some(Act::Event(form));
        }
        Some(match verb {
            "upload" => on(self, Buffer).map(|(b, s)| Act::Upload(b, s))?,
            "download" => on(self, Buffer).map(|(b, s)| Act::Download(b, s))?,
            "record" => on(self, Event).map(|(e, s)| Act::Record(e, s))?,
            "wait" => on(self, Event).map(|(e, s)| Act::Wait(e, s))?,
            "hold" => on(self, Signal).map(|(g, s)| Act::Hold(g, s))?,
            "fill" => {
                let value = property(node, "value").and_then(|entry| self.call_number(entry));
                let (buffer, stream) = on(self, Buffer)?;
                Act::Fill(buffer, value?, stream)
            }
            "copy" => self.copy(node)?,
            "launch" => self.launch(node)?,
            "host-function" => {
                let name = self.argument(node, 0).and_then(|entry| self.text(entry));
                let micros = self.micros(node);
                let stream = self.on(node);
                Act::HostFunction(name?, micros?, stream?)
            }
            "synchronize-event" => Act::SynchronizeEvent(self.named(Event, node)?),
            "synchronize-stream" => Act::SynchronizeStream(self.named(Stream, node)?),
            "synchronize-device" => Act::SynchronizeDevice,
            "query" => Act::Query(self.named(Event, node)?),
            "signal" => Act::Signal(self.named(Signal, node)?),
            "await" => Act::Await(self.named(Signal, node)?),
            "work" => Act::Work(self.micros(node)?),
            "wait-stream" | "barrier" | "allocate" | "free" => {
                Act::Streams(self.stream_act(verb, node)?)
            }
            "elapsed" | "reset" | "destroy-event" | "destroy-stream" | "abort-stream"
            | "acquire" | "release" | "subscribe" | "unsubscribe" => {
                Act::Event(self.event_act(verb, node)?)
            }
            _ => {
                if let Some(act) = self.collective_act(verb, node) {
                    return act.map(Act::Collective);
                }
                match self.launch_act(verb, node) {
                    Some(act) => Act::Launches(act?),
                    None => Act::Gpu(self.gpu_act(verb, node)?),
                }
            }
        })
    }

    /// The resource that the first argument names; the second is its index.
    pub(super) fn named(&mut self, class: Class, node: &KdlNode) -> Option<Reference> {
        let name = self.argument(node, 0)?;
        let index = self.argument(node, 1);
        self.reference(class, name, index)
    }

    pub(super) fn micros(&mut self, node: &KdlNode) -> Option<Expression> {
        property(node, "micros").and_then(|entry| self.call_number(entry))
    }

    /// A number of a call: an expression over the parameters and the loop indices.
    pub(super) fn call_number(&mut self, entry: &KdlEntry) -> Option<Expression> {
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

    fn copy(&mut self, node: &KdlNode) -> Option<Act> {
        let from = self
            .argument(node, 0)
            .and_then(|entry| self.reference(Class::Buffer, entry, None));
        let to = self
            .argument(node, 1)
            .and_then(|entry| self.reference(Class::Buffer, entry, None));
        let stream = self.on(node);
        Some(Act::Copy(from?, to?, stream?))
    }

    fn launch(&mut self, node: &KdlNode) -> Option<Act> {
        let stream = self.on(node);
        // None where it is wrong, and Some(None) where it is not there.
        let pipeline = match property(node, "pipeline") {
            Some(entry) => self.reference(Class::Pipeline, entry, None).map(Some),
            None => Some(None),
        };
        let kernel = self
            .argument(node, 0)
            .and_then(|entry| self.kernel(entry))?;
        let place = self.argument(node, 0).map_or(0..0, value_range);
        let (reads, writes, parameters) = self.kernel_arguments(kernel, node, &place)?;
        Some(Act::Launch {
            kernel,
            stream: stream?,
            reads,
            writes,
            parameters,
            pipeline: pipeline?,
        })
    }

    /// What the block of a launch gives its kernel, which is named at `place`.
    pub(super) fn kernel_arguments(
        &mut self,
        kernel: &'static Kernel,
        node: &KdlNode,
        place: &Range<usize>,
    ) -> Option<KernelArguments> {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let mut parameters: Vec<Option<Expression>> = vec![None; kernel.parameters.len()];
        let before = self.errors.len();
        for child in node.children().map(KdlDocument::nodes).unwrap_or_default() {
            match self.rule(child, LAUNCH, "a launch").map(|rule| rule.name) {
                Some("read") => reads.extend(self.named(Class::Buffer, child)),
                Some("write") => writes.extend(self.named(Class::Buffer, child)),
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
        Some((reads, writes, parameters.collect()))
    }

    pub(super) fn kernel(&mut self, entry: &KdlEntry) -> Option<&'static Kernel> {
        let name = self.text(entry)?;
        let found = Kernel::named(&name);
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
        let (Some(name), Some(value)) = (self.argument(node, 0), self.argument(node, 1)) else {
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
        let message = format!(
            "the kernel “{}” has {} {word}, and {found} given",
            kernel.name,
            wanted.len()
        );
        let help = match wanted {
            [] => format!("leave {word} out; it computes {}", kernel.about),
            names => format!(
                "{word}, in this order: {}; it computes {}",
                names.join(", "),
                kernel.about
            ),
        };
        self.report(place.clone(), message, help);
    }
}

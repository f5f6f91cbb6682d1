//! Reads what a file declares: parameters, streams, events, buffers and signals.

use crate::kdl::{KdlEntry, KdlNode};

use super::KdlReader;
use super::entries::value_range;
use super::names::{ELEMENT, PART};
use crate::error::nearest;
use crate::phase::ResourceClass;
use crate::template::{
    BufferTemplate, Declaration, LocatedExpression, ParameterTemplate, StreamTemplate, Template,
};
use crate::{Expression, FailureMode, MemoryKind, Parameter, StreamRole};

/// So many parameters have names that are looked for, and sliders.
const MOST_PARAMETERS: usize = 1_024;

impl KdlReader<'_> {
    pub fn parameter(&mut self, node: &KdlNode, template: &mut Template) {
        let (Some(name), Some(value)) = (node.argument(0), node.argument(1)) else {
            return;
        };
        let Some(text) = self.variable_name(name) else {
            return;
        };
        let Some(default) = self.number(value) else {
            return;
        };
        if self.names.parameters.len() > MOST_PARAMETERS {
            return;
        }
        if self.names.parameters.len() == MOST_PARAMETERS {
            let message = format!("a workload has at most {MOST_PARAMETERS} parameters");
            let help = "write numbers that nobody changes where they are used";
            self.report(value_range(name), message, help);
            // With this name it is known that it was said.
            self.names.parameters.push(text);
            return;
        }
        let min = node
            .property("min")
            .and_then(|entry| self.number(entry))
            .unwrap_or(f64::NEG_INFINITY);
        let max = node
            .property("max")
            .and_then(|entry| self.number(entry))
            .unwrap_or(f64::INFINITY);
        let about = node
            .property("about")
            .and_then(|entry| self.text(entry))
            .unwrap_or_default();
        if min > max {
            let place = node.property("min").map_or(0..0, value_range);
            self.report(
                place,
                format!("min ({min}) is above max ({max})"),
                "swap the two",
            );
        } else if !(min..=max).contains(&default) {
            let message = format!("“{text}” is {default}, and may be {min} to {max}");
            self.report(
                value_range(value),
                message,
                "write a value between min and max",
            );
        }
        self.names.parameters.push(text.clone());
        let line = self.source.line(node.range.start);
        let parameter = Parameter {
            name: text,
            default,
            min,
            max,
            about,
            line,
        };
        template.parameters.push(ParameterTemplate {
            parameter,
            value: value_range(value),
            is_hidden: false,
        });
    }

    /// A name that expressions can use and nothing else has.
    pub fn variable_name(&mut self, entry: &KdlEntry) -> Option<String> {
        let name = self.text(entry)?;
        let place = value_range(entry);
        let starts = name
            .chars()
            .next()
            .is_some_and(|c| c.is_alphabetic() || c == '_');
        if !starts
            || !name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
        {
            let message = format!("“{name}” cannot be used in expressions");
            self.report(
                place,
                message,
                "use letters, digits, _ and -, and a letter first",
            );
            return None;
        }
        if [PART, ELEMENT].contains(&name.as_str())
            || ["abs", "floor", "max", "min", "sqrt"].contains(&name.as_str())
        {
            self.report(
                place,
                format!("“{name}” has a meaning of its own in expressions"),
                "choose another name",
            );
            return None;
        }
        if self.names.variables().contains(&name.as_str()) {
            self.report(
                place,
                format!("“{name}” is declared already"),
                "choose another name",
            );
            return None;
        }
        Some(name)
    }

    pub fn resource(&mut self, word: &str, node: &KdlNode, template: &mut Template) {
        match word {
            "stream" => self.stream(node, template),
            "event" => self.event(node, template),
            "event-slots" | "callback-thread" => self.event_resource(word, node, template),
            "buffer" => self.buffer(node, template),
            "pipeline" => self.pipeline(node, template),
            "recorded" => self.recorded(node, template),
            "graph" => self.graph(node, template),
            "promise" => {
                if let Some(declaration) = self.declare(ResourceClass::Promise, node) {
                    template.promises.push(declaration);
                }
            }
            "signal" => {
                if let Some(declaration) = self.declare(ResourceClass::Signal, node) {
                    template.signals.push(declaration);
                }
            }
            _ => {}
        }
    }

    fn priority(&mut self, entry: &KdlEntry) -> Option<i32> {
        let value = self.number(entry)?;
        if value.fract() == 0.0 && value.abs() <= 100.0 {
            return Some(value as i32);
        }
        let message = format!("{value} is no priority");
        self.report(
            value_range(entry),
            message,
            "write a whole number from -100 (first) to 100 (last)",
        );
        None
    }

    fn stream(&mut self, node: &KdlNode, template: &mut Template) {
        let role = node
            .property("role")
            .and_then(|entry| self.role(entry))
            .unwrap_or_default();
        let priority = node
            .property("priority")
            .and_then(|entry| self.priority(entry));
        let traits = self.stream_traits(node);
        let failure = node
            .property("failure")
            .and_then(|entry| self.one_of(entry, "failure mode", FailureMode::LABELS));
        if let Some(declaration) = self.declare(ResourceClass::Stream, node) {
            self.names.lazy.declare(role, traits.kind);
            template.streams.push(StreamTemplate {
                declaration,
                role,
                priority: priority.unwrap_or_default(),
                traits,
                failure: failure.unwrap_or_default(),
            });
        }
    }

    fn role(&mut self, entry: &KdlEntry) -> Option<StreamRole> {
        let text = self.text(entry)?;
        if let Some((_, role)) = StreamRole::LABELS.iter().find(|(label, _)| *label == text) {
            return Some(*role);
        }
        let labels = StreamRole::LABELS.iter().map(|(label, _)| *label);
        let all = || format!("roles: {}", labels.clone().collect::<Vec<_>>().join(", "));
        let help = nearest(&text, labels.clone()).unwrap_or_else(all);
        self.report(
            value_range(entry),
            format!("there is no role “{text}”"),
            help,
        );
        None
    }

    fn buffer(&mut self, node: &KdlNode, template: &mut Template) {
        let parameters = self.names.parameters.to_vec();
        let names: Vec<&str> = parameters.iter().map(String::as_str).collect();
        let len = node
            .property("f32")
            .and_then(|entry| self.amount(entry, &names));
        let elements: Vec<&str> = names.iter().copied().chain([PART, ELEMENT]).collect();
        let init = match node.property("init") {
            Some(entry) => self.expression(entry, &elements),
            None => Some(Expression::constant(0.0)),
        };
        let memory = node
            .property("memory")
            .and_then(|entry| self.one_of(entry, "kind of memory", MemoryKind::LABELS));
        let Some(declaration) = self.declare(ResourceClass::Buffer, node) else {
            return;
        };
        // A buffer that is wrong in itself is still declared, so that its uses are not wrong too.
        let len = len.unwrap_or_else(|| LocatedExpression {
            expression: Expression::constant(1.0),
            range: 0..0,
        });
        let init = init.unwrap_or_else(|| Expression::constant(0.0));
        template.buffers.push(BufferTemplate {
            declaration,
            len,
            init,
            memory: memory.unwrap_or_default(),
        });
    }

    pub fn declare(&mut self, class: ResourceClass, node: &KdlNode) -> Option<Declaration> {
        let entry = node.argument(0)?;
        let name = self.text(entry)?;
        let range = value_range(entry);
        if name.contains(['[', ']']) {
            let help = "leave the brackets out, and write count= for an array";
            self.report(
                range,
                format!("“{name}” has brackets, which stand for an element of an array"),
                help,
            );
            return None;
        }
        if self.names.of(class).contains(&name) {
            self.report(
                range,
                format!("“{name}” is declared already"),
                "choose another name",
            );
            return None;
        }
        let parameters = self.names.parameters.to_vec();
        let names: Vec<&str> = parameters.iter().map(String::as_str).collect();
        let count = node
            .property("count")
            .and_then(|entry| self.amount(entry, &names));
        self.names.of_mut(class).push(name.clone());
        Some(Declaration { name, range, count })
    }
}

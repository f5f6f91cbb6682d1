//! Reads events, what they are made with, and the calls about them.

use crate::kdl::{KdlEntry, KdlNode};

use super::KdlReader;
use super::entries::value_range;
use crate::call::{Call, EventCall};
use crate::error::nearest;
use crate::phase::{Reference, ResourceClass};
use crate::program::ProgramStep;
use crate::template::{Declaration, EventTemplate, PoolTemplate, Template};
use crate::verb::WordRule;
use crate::{Capabilities, EventOptions, PoolIndex, SlotUse};

/// The words of `kind=`, as in `AscendCL`'s flags (rule F1).
const KINDS: [&str; 3] = ["sync", "progress", "timeline"];

impl KdlReader<'_> {
    pub fn event(&mut self, node: &KdlNode, template: &mut Template) {
        let mut timing = node.property("timing").and_then(|entry| self.flag(entry));
        let mut options = EventOptions {
            blocking: node.property("blocking").and_then(|entry| self.flag(entry)),
            ..EventOptions::default()
        };
        if let Some(entry) = node.property("kind") {
            let kinds = self.kinds(entry).unwrap_or_default();
            let has = |word: &str| kinds.iter().any(|kind| kind == word);
            options.capabilities = Capabilities {
                waits: has("sync"),
                progress: has("progress"),
            };
            if timing.is_some_and(|timing| timing != has("timeline")) {
                let help = "leave timing= out: the kind “timeline” is what keeps times";
                let message = "timing= says something else than kind=";
                self.report(value_range(entry), message, help);
            }
            timing = Some(has("timeline"));
        }
        if let Some(entry) = node.property("slot") {
            let slot = self.one_of(entry, "moment", SlotUse::LABELS);
            options.slot = slot.unwrap_or_default();
        }
        if let Some(entry) = node.property("interprocess") {
            options.is_shared = self.flag(entry).unwrap_or(false);
            if options.is_shared && timing == Some(true) {
                let message =
                    "an event for several processes keeps no times (CUDA_ERROR_INVALID_VALUE, 1)";
                let help = "make it with timing=#false, as CUDA wants INTERPROCESS together with DISABLE_TIMING (rules A12, A45)";
                self.report(value_range(entry), message, help);
            }
            if options.is_shared {
                timing = Some(false);
            }
        }
        if let Some(entry) = node.property("pool") {
            let pool = self.reference(ResourceClass::Pool, entry, None);
            options.pool = pool.map(|pool| PoolIndex(pool.declaration as u32));
            let others = ["timing", "blocking", "kind", "slot", "interprocess"];
            if let Some(other) = others.iter().find_map(|name| node.property(name)) {
                let help = "say it of the event-pool instead, or leave it out";
                let message = "an event of a pool is made as the pool's are";
                self.report(value_range(other), message, help);
            }
        }
        if let Some(declaration) = self.declare(ResourceClass::Event, node) {
            if options.pool.is_some() {
                self.names.pooled.push(declaration.name.clone());
            }
            template.events.push(EventTemplate {
                declaration,
                timing: timing.unwrap_or(true),
                options,
            });
        }
    }

    fn kinds(&mut self, entry: &KdlEntry) -> Option<Vec<String>> {
        let text = self.text(entry)?;
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        for word in &words {
            if !KINDS.contains(&word.as_str()) {
                let all = || format!("kinds, one or more: {}", KINDS.join(" "));
                let help = nearest(word, KINDS).unwrap_or_else(all);
                self.report(
                    value_range(entry),
                    format!("there is no kind “{word}”"),
                    help,
                );
            }
        }
        Some(words)
    }

    pub fn event_resource(&mut self, word: &str, node: &KdlNode, template: &mut Template) {
        match word {
            "event-slots" => {
                let parameters = self.names.parameters.to_vec();
                let names: Vec<&str> = parameters.iter().map(String::as_str).collect();
                let entry = node.argument(0);
                let amount = entry.and_then(|entry| self.amount(entry, &names));
                if template.event_slots.is_some() {
                    let message = "a device has one number of slots for events";
                    self.report(super::word_range(node), message, "keep one of the two");
                }
                template.event_slots = amount;
            }
            "event-pool" => {
                let timing = node.property("timing").and_then(|entry| self.flag(entry));
                if let Some(declaration) = self.declare(ResourceClass::Pool, node) {
                    template.pools.push(PoolTemplate {
                        declaration,
                        timing: timing.unwrap_or(false),
                    });
                }
            }
            _ => {
                if let Some(declaration) = self.declare(ResourceClass::Thread, node) {
                    template.threads.push(declaration);
                }
            }
        }
    }

    /// A measured block: its calls between the records of two events of its own, called `name.start` and `name.end`.
    pub fn time(
        &mut self,
        rule: &'static WordRule,
        node: &KdlNode,
        template: &mut Template,
        code: &mut Vec<ProgramStep>,
    ) {
        let name = node.argument(0).and_then(|entry| self.text(entry));
        let stream = self.on(node);
        let (Some(name), Some(stream)) = (name, stream) else {
            return self.body(node, template, code);
        };
        let place = node.argument(0).map_or(0..0, value_range);
        let mut ends = Vec::new();
        for end in ["start", "end"] {
            let name = format!("{name}.{end}");
            if self.names.events.contains(&name) {
                let message = format!("“{name}” is declared already");
                self.report(place.clone(), message, "choose another name");
            }
            ends.push(Reference {
                class: ResourceClass::Event,
                declaration: self.names.events.len(),
                index: None,
                range: place.clone(),
            });
            self.names.events.push(name.clone());
            template.events.push(EventTemplate {
                declaration: Declaration {
                    name,
                    range: place.clone(),
                    count: None,
                },
                timing: true,
                options: EventOptions::default(),
            });
        }
        let [start, end] = ends.as_slice() else {
            return;
        };
        let begin = EventCall::BeginTime {
            start: start.clone(),
            stream: stream.clone(),
        };
        self.place(rule, node, template, code, Call::Event(begin));
        self.body(node, template, code);
        let end = EventCall::EndTime {
            name: name.into(),
            start: start.clone(),
            end: end.clone(),
            stream,
        };
        self.place(rule, node, template, code, Call::Event(end));
    }

    /// An event that is taken from a pool.
    pub(crate) fn pooled(&mut self, node: &KdlNode) -> Option<Reference> {
        let event = self.first_reference(ResourceClass::Event, node)?;
        let name = self.names.events.get(event.declaration)?.clone();
        if !self.names.pooled.contains(&name) {
            let help = format!("declare it so: event \"{name}\" pool=\"…\"");
            let message = format!("“{name}” is an event of its own, and of no pool");
            self.report(event.range.clone(), message, help);
            return None;
        }
        Some(event)
    }
}

//! Reads events, what they are made with, and the calls about them.

use kdl::{KdlEntry, KdlNode};

use super::Reader;
use super::entries::{property, value_range};
use super::forms::Rule;
use crate::error::nearest;
use crate::event_act::{EventAct, Function};
use crate::program::{Act, Class, Reference, Step};
use crate::template::{Declaration, EventTemplate, PoolTemplate, Template};
use crate::{Capabilities, EventOptions, PoolIndex, SlotUse};

/// The words of `kind=`, as in `AscendCL`'s flags (rule F1).
const KINDS: [&str; 3] = ["sync", "progress", "timeline"];

impl Reader<'_> {
    pub fn event(&mut self, node: &KdlNode, template: &mut Template) {
        let mut timing = property(node, "timing").and_then(|entry| self.flag(entry));
        let mut options = EventOptions {
            blocking: property(node, "blocking").and_then(|entry| self.flag(entry)),
            ..EventOptions::default()
        };
        if let Some(entry) = property(node, "kind") {
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
        if let Some(entry) = property(node, "slot") {
            let slot = self.one_of(entry, "moment", SlotUse::LABELS);
            options.slot = slot.unwrap_or_default();
        }
        if let Some(entry) = property(node, "interprocess") {
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
        if let Some(entry) = property(node, "pool") {
            let pool = self.reference(Class::Pool, entry, None);
            options.pool = pool.map(|pool| PoolIndex(pool.declaration as u32));
            let others = ["timing", "blocking", "kind", "slot", "interprocess"];
            if let Some(other) = others.iter().find_map(|name| property(node, name)) {
                let help = "say it of the event-pool instead, or leave it out";
                let message = "an event of a pool is made as the pool's are";
                self.report(value_range(other), message, help);
            }
        }
        if let Some(declaration) = self.declare(Class::Event, node) {
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
                let entry = self.argument(node, 0);
                let amount = entry.and_then(|entry| self.amount(entry, &names));
                if template.event_slots.is_some() {
                    let message = "a device has one number of slots for events";
                    self.report(super::word_range(node), message, "keep one of the two");
                }
                template.event_slots = amount;
            }
            "event-pool" => {
                let timing = property(node, "timing").and_then(|entry| self.flag(entry));
                if let Some(declaration) = self.declare(Class::Pool, node) {
                    template.pools.push(PoolTemplate {
                        declaration,
                        timing: timing.unwrap_or(false),
                    });
                }
            }
            _ => {
                if let Some(declaration) = self.declare(Class::Thread, node) {
                    template.threads.push(declaration);
                }
            }
        }
    }

    /// A measured block: its calls between the records of two events of its own, called `name.start` and `name.end`.
    pub fn time(
        &mut self,
        rule: &'static Rule,
        node: &KdlNode,
        template: &mut Template,
        code: &mut Vec<Step>,
    ) {
        let name = self.argument(node, 0).and_then(|entry| self.text(entry));
        let stream = self.on(node);
        let (Some(name), Some(stream)) = (name, stream) else {
            return self.body(node, template, code);
        };
        let place = self.argument(node, 0).map_or(0..0, value_range);
        let mut ends = Vec::new();
        for end in ["start", "end"] {
            let name = format!("{name}.{end}");
            if self.names.events.contains(&name) {
                let message = format!("“{name}” is declared already");
                self.report(place.clone(), message, "choose another name");
            }
            ends.push(Reference {
                class: Class::Event,
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
        let begin = EventAct::BeginTime(start.clone(), stream.clone());
        self.place(rule, node, template, code, Act::Event(begin));
        self.body(node, template, code);
        let end = EventAct::EndTime(name, start.clone(), end.clone(), stream);
        self.place(rule, node, template, code, Act::Event(end));
    }

    /// A call about events.
    pub fn event_act(&mut self, verb: &str, node: &KdlNode) -> Option<EventAct> {
        use Class::{Event, Stream, Thread};
        Some(match verb {
            "elapsed" => {
                let mut of = |place| {
                    let entry = self.argument(node, place)?;
                    self.reference(Event, entry, None)
                };
                let (start, end) = (of(0), of(1));
                EventAct::Elapsed(start?, end?)
            }
            "reset" => {
                let (event, stream) = (self.named(Event, node), self.on(node));
                EventAct::Reset(event?, stream?)
            }
            "destroy-event" => EventAct::DestroyEvent(self.named(Event, node)?),
            "destroy-stream" => EventAct::DestroyStream(self.named(Stream, node)?),
            "abort-stream" => EventAct::Abort(self.named(Stream, node)?),
            "acquire" => EventAct::Acquire(self.pooled(node)?),
            "release" => EventAct::Release(self.pooled(node)?),
            _ => {
                let thread = self.named(Thread, node);
                let entry = property(node, "stream");
                let stream = entry.and_then(|entry| self.reference(Stream, entry, None));
                match verb {
                    "subscribe" => EventAct::Subscribe(thread?, stream?),
                    _ => EventAct::Unsubscribe(thread?, stream?),
                }
            }
        })
    }

    /// The form of a wait, a synchronisation, a query or a function of the host that says more than its plain one; none
    /// where the plain one is meant.
    #[expect(
        clippy::option_option,
        reason = "none where it is wrong, and some none where it is not there"
    )]
    pub fn event_form(&mut self, verb: &str, node: &KdlNode) -> Option<Option<EventAct>> {
        use Class::{Event, Stream};
        let timeout = match property(node, "timeout-micros") {
            Some(entry) => Some(self.call_number(entry)?),
            None => None,
        };
        Some(match (verb, timeout.clone()) {
            ("record" | "wait", _) if self.is_external(node)? => {
                if let (Some(_), Some(entry)) = (timeout, property(node, "timeout-micros")) {
                    let message = "a node of a graph waits for as long as it takes";
                    let help = "leave timeout-micros out, or external=";
                    self.report(value_range(entry), message, help);
                    return None;
                }
                let (event, stream) = (self.named(Event, node), self.on(node));
                Some(match verb {
                    "record" => EventAct::RecordExternal(event?, stream?),
                    _ => EventAct::WaitExternal(event?, stream?),
                })
            }
            ("wait", Some(micros)) => {
                let (event, stream) = (self.named(Event, node), self.on(node));
                Some(EventAct::Wait(event?, stream?, micros))
            }
            ("synchronize-event", Some(micros)) => {
                Some(EventAct::SynchronizeEvent(self.named(Event, node)?, micros))
            }
            ("synchronize-stream", Some(micros)) => Some(EventAct::SynchronizeStream(
                self.named(Stream, node)?,
                micros,
            )),
            ("synchronize-device", Some(micros)) => Some(EventAct::SynchronizeDevice(micros)),
            ("query", _) => match property(node, "strict") {
                Some(entry) if self.flag(entry)? => {
                    Some(EventAct::Demand(self.named(Event, node)?))
                }
                _ => None,
            },
            ("host-function", _) => self.function(node)?,
            _ => None,
        })
    }

    /// Whether a record or a wait becomes a node of a graph that does it at each replay.
    fn is_external(&mut self, node: &KdlNode) -> Option<bool> {
        property(node, "external").map_or(Some(false), |entry| self.flag(entry))
    }

    #[expect(
        clippy::option_option,
        reason = "none where it is wrong, and some none where it is not there"
    )]
    fn function(&mut self, node: &KdlNode) -> Option<Option<EventAct>> {
        let mut flag = |name| match property(node, name) {
            Some(entry) => self.flag(entry).map(Some),
            None => Some(None),
        };
        let (is_blocking, panics) = (flag("blocking")?, flag("panics")?.unwrap_or(false));
        if is_blocking.is_none() && !panics {
            return Some(None);
        }
        let name = self.argument(node, 0).and_then(|entry| self.text(entry));
        let micros = self.micros(node);
        let stream = self.on(node);
        Some(Some(EventAct::Callback(Function {
            name: name?,
            micros: micros?,
            stream: stream?,
            is_blocking,
            panics,
        })))
    }

    /// An event that is taken from a pool.
    fn pooled(&mut self, node: &KdlNode) -> Option<Reference> {
        let event = self.named(Class::Event, node)?;
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

//! Reads what streams are like, and chooses streams for calls that name none.

use crate::kdl::KdlNode;
use record::{PaceDial, PaceSetting};

use super::entries::value_range;
use super::{KdlReader, word_range};
use crate::phase::{Reference, ResourceClass};
use crate::template::{Declaration, StreamTemplate, Template, VirtualMachineTemplate};
use crate::verb::FieldSlot;
use crate::{Expression, MachineThreads, StreamKind, StreamRole, StreamTraits, Synchronization};

/// What is known of streams while calls are read.
#[derive(Debug, Default)]
pub(super) struct LazyStreams {
    /// The role and the sort of each stream, in the order of their names.
    known: Vec<(StreamRole, StreamKind)>,
    /// Streams that calls made: what each is for, and for which host thread.
    made: Vec<LazyStream>,
    /// Why the call that is read runs where it does, unless it says so itself.
    pub chosen: String,
    /// The host thread whose calls are read, and what it is called.
    pub host: Option<(usize, String)>,
}

/// A stream that a call made.
#[derive(Clone, Debug)]
struct LazyStream {
    declaration: usize,
    name: String,
    role: StreamRole,
    host: usize,
}

impl LazyStreams {
    /// A stream was declared.
    pub fn declare(&mut self, role: StreamRole, kind: StreamKind) {
        self.known.push((role, kind));
    }

    /// The element of a stream's array that a call means which gives no index: of one per host thread, its own.
    pub fn own(&self, declaration: usize) -> Option<Expression> {
        let (_, kind) = self.known.get(declaration)?;
        let (host, _) = self.host.as_ref()?;
        (*kind == StreamKind::PerThread).then(|| Expression::constant(*host as f64))
    }

    fn of(&self, role: StreamRole) -> Vec<usize> {
        let found = self.known.iter().enumerate();
        let found = found.filter(|(_, known)| **known == (role, StreamKind::User));
        found.map(|(place, _)| place).collect()
    }
}

impl KdlReader<'_> {
    /// What a stream's declaration says besides its role.
    pub fn stream_traits(&mut self, node: &KdlNode) -> StreamTraits {
        let kind = node
            .property("kind")
            .and_then(|entry| self.one_of(entry, "kind of stream", StreamKind::LABELS))
            .unwrap_or_default();
        let blocking = node.property("blocking");
        let is_blocking = blocking.and_then(|entry| self.flag(entry));
        if kind != StreamKind::User {
            for (name, help) in [
                ("blocking", "leave it out: a default stream always is"),
                (
                    "count",
                    "leave it out: there is one, or one for each host thread",
                ),
            ] {
                if let Some(entry) = node.property(name) {
                    let message = format!("a {} stream has no {name}", kind.label());
                    self.report(value_range(entry), message, help);
                }
            }
        }
        let has_one = |known: &[(StreamRole, StreamKind)]| known.iter().any(|it| it.1 == kind);
        if kind == StreamKind::Legacy && has_one(&self.names.lazy.known) {
            let help = "keep one of the two: a device has one legacy default stream";
            self.report(word_range(node), "this is a second legacy stream", help);
        }
        StreamTraits {
            kind,
            is_blocking: is_blocking.unwrap_or(kind != StreamKind::User),
            is_lazy: false,
        }
    }

    /// The virtual machine, with its marks of high and low water.
    pub fn machine(&mut self, node: &KdlNode, template: &mut Template) {
        let parameters = self.names.parameters.to_vec();
        let names: Vec<&str> = parameters.iter().map(String::as_str).collect();
        let mut mark = |name| {
            let entry = node.property(name)?;
            self.amount(entry, &names)
        };
        let (high, low) = (mark("high"), mark("low"));
        if high.is_none() && node.property("low").is_some() {
            let help = "say at how many it stops taking more: machine high=64 low=32";
            self.report(word_range(node), "low= stands without high=", help);
        }
        let threads = node.property("threads");
        let threads = threads.and_then(|it| self.one_of(it, "word", MachineThreads::LABELS));
        template.machine = Some(VirtualMachineTemplate {
            high,
            low,
            threads: threads.unwrap_or_default(),
        });
    }

    /// How uses of buffers on several streams are ordered.
    pub fn synchronization(&mut self, node: &KdlNode, template: &mut Template) {
        let Some(entry) = node.argument(0) else {
            return;
        };
        if template.synchronization.is_some() {
            let help = "keep one of the two";
            self.report(word_range(node), "this is said twice", help);
        }
        template.synchronization = self.one_of(entry, "synchronization", Synchronization::LABELS);
    }

    /// How a paced device is set.
    pub fn pace(&mut self, node: &KdlNode, template: &mut Template) {
        if template.pace.is_some() {
            let help = "keep one of the two";
            self.report(word_range(node), "this is said twice", help);
        }
        let mut pace = PaceSetting::default();
        for dial in PaceDial::ALL {
            let Some(entry) = node.property(dial.name) else {
                continue;
            };
            let value = self.number(entry);
            if let Some(value) = value.filter(|value| !dial.takes(*value)) {
                let message = format!("{} is {value}", dial.name);
                let help = format!("it is {}", dial.range());
                self.report(value_range(entry), message, help);
            }
            pace.set(dial.name, value);
        }
        template.pace = Some(pace);
    }

    /// The stream that `on=` names.
    pub fn on(&mut self, node: &KdlNode) -> Option<Reference> {
        self.resource_at(ResourceClass::Stream, node, FieldSlot::On)
    }

    /// The stream that an operation runs on for which one is chosen where it names none.
    pub(super) fn chosen(
        &mut self,
        node: &KdlNode,
        role: StreamRole,
        why: &str,
    ) -> Option<Reference> {
        if role == StreamRole::Collective && !self.names.has_ranks {
            let verb = &*node.name;
            let message = format!("{verb} is for ranks, and this workload has no placement");
            let help = "write at the top: placement ranks=4; streams are held together by barrier";
            self.report(word_range(node), message, help);
        }
        match node.property("on") {
            Some(entry) => self.reference(ResourceClass::Stream, entry, None),
            None => self.lazy_stream(node, role, why),
        }
    }

    /// A stream has one key: what it is for, and which host thread calls (rule E1). Of several that are declared for
    /// one thing, host threads take one after the other; where none is, the first call makes it.
    fn lazy_stream(
        &mut self,
        node: &KdlNode,
        mut role: StreamRole,
        why: &str,
    ) -> Option<Reference> {
        let (host, host_name) = self.names.lazy.host.clone()?;
        let mut declared = self.names.lazy.of(role);
        let mut why = why.to_owned();
        if role == StreamRole::DeviceToDevice && declared.is_empty() {
            role = StreamRole::Compute;
            why.push_str(", which computes where no stream is for it");
            declared = self.names.lazy.of(role);
        }
        let label = role.label();
        let (declaration, which) = if let Some(count) = std::num::NonZero::new(declared.len()) {
            let which = match count.get() {
                1 => "the stream that is declared for it".to_owned(),
                many => format!("of {many} that are declared for it, the one of host {host_name}"),
            };
            (declared.get(host % count).copied()?, which)
        } else {
            (
                self.made_for(role, host, &host_name),
                "made on first use, since none is declared for it".to_owned(),
            )
        };
        let turn = host / declared.len().max(1);
        self.names.lazy.chosen = format!("role {label}, because {why}; {which}");
        Some(Reference {
            class: ResourceClass::Stream,
            declaration,
            index: Some(Expression::constant(turn as f64)),
            range: word_range(node),
        })
    }

    /// The stream of this role that calls of this host thread made, or make now.
    fn made_for(&mut self, role: StreamRole, host: usize, host_name: &str) -> usize {
        let made = self.names.lazy.made.iter();
        let mut made = made.filter(|it| it.role == role && it.host == host);
        if let Some(found) = made.next() {
            return found.declaration;
        }
        let names = &mut self.names;
        let label = role.label();
        let others = [label.to_owned(), format!("{label} of {host_name}")];
        let numbered = (2..).map(|number| format!("{label} {number}"));
        let name = others
            .into_iter()
            .chain(numbered)
            .find(|name| !names.streams.contains(name))
            .unwrap_or_default();
        let declaration = names.streams.len();
        names.streams.push(name.clone());
        // Nothing else is chosen from these: they are of one host thread.
        names.lazy.known.push((role, StreamKind::PerThread));
        names.lazy.made.push(LazyStream {
            declaration,
            name,
            role,
            host,
        });
        declaration
    }

    /// Adds the streams that calls made to those that are declared.
    pub fn add_made(&mut self, template: &mut Template) {
        for made in self.names.lazy.made.drain(..) {
            template.streams.push(StreamTemplate {
                declaration: Declaration {
                    name: made.name,
                    range: 0..0,
                    count: None,
                },
                role: made.role,
                priority: 0,
                failure: crate::FailureMode::default(),
                traits: StreamTraits {
                    is_lazy: true,
                    ..StreamTraits::default()
                },
            });
        }
    }
}

//! Reads recorded launches, graphs, and the calls that have to do with them.

use kdl::{KdlDocument, KdlEntry, KdlNode, KdlValue};

use super::Reader;
use super::entries::{property, value_range};
use super::forms::VALUES;
use super::word_range;
use crate::launch_act::{Given, LaunchAct, Which};
use crate::program::Class;
use crate::template::{RecordedTemplate, Template};
use crate::{CaptureMode, Kernel};

impl Reader<'_> {
    pub fn recorded(&mut self, node: &KdlNode, template: &mut Template) {
        let kernel = property(node, "kernel").and_then(|entry| self.kernel(entry));
        if let Some(declaration) = self.declare(Class::Recorded, node) {
            template.recorded.push(RecordedTemplate {
                declaration,
                kernel: kernel.map(|kernel: &Kernel| kernel.name),
            });
        }
    }

    pub fn graph(&mut self, node: &KdlNode, template: &mut Template) {
        template.graphs.extend(self.declare(Class::Graph, node));
    }

    /// A call of a recorded launch or of a graph; nothing where it is wrong, and `None` outside where it is none.
    #[expect(
        clippy::option_option,
        reason = "whether it is ours, and then whether it is right"
    )]
    pub fn launch_act(&mut self, verb: &str, node: &KdlNode) -> Option<Option<LaunchAct>> {
        use Class::{Graph, Recorded, Stream};
        let on = |reader: &mut Self, class: Class| {
            let first = reader.named(class, node);
            let stream = reader.on(node);
            Some((first?, stream?))
        };
        Some(match verb {
            "record-launch" => self.record_launch(node),
            "set" => self.set_argument(node),
            "set-all" => self.set_all(node),
            "set-dimensions" => {
                let first = self.argument(node, 0);
                let launch = first.and_then(|entry| self.reference(Recorded, entry, None));
                let elements = self.argument(node, 1);
                let elements = elements.and_then(|entry| self.call_number(entry));
                launch
                    .zip(elements)
                    .map(|(launch, elements)| LaunchAct::SetDimensions(launch, elements))
            }
            "relaunch" => on(self, Recorded).map(|(it, on)| LaunchAct::Relaunch(it, on)),
            "replay" => on(self, Graph).map(|(it, on)| LaunchAct::Replay(it, on)),
            "begin-capture" => {
                let mode = match property(node, "mode") {
                    Some(entry) => self.one_of(entry, "mode", CaptureMode::LABELS),
                    None => Some(CaptureMode::default()),
                };
                let stream = self.named(Stream, node);
                stream
                    .zip(mode)
                    .map(|(stream, mode)| LaunchAct::BeginCapture(stream, mode))
            }
            "end-capture" => {
                let at = |reader: &mut Self, place, class| {
                    let entry = reader.argument(node, place);
                    entry.and_then(|entry| reader.reference(class, entry, None))
                };
                let (stream, graph) = (at(self, 0, Stream), at(self, 1, Graph));
                stream
                    .zip(graph)
                    .map(|(stream, graph)| LaunchAct::EndCapture(stream, graph))
            }
            "instantiate" => self.named(Graph, node).map(LaunchAct::Instantiate),
            "update" => self.named(Graph, node).map(LaunchAct::Update),
            _ => return None,
        })
    }

    fn record_launch(&mut self, node: &KdlNode) -> Option<LaunchAct> {
        let first = self.argument(node, 0);
        let launch = first.and_then(|entry| self.reference(Class::Recorded, entry, None));
        let second = self.argument(node, 1);
        let kernel = second.and_then(|entry| self.kernel(entry))?;
        let place = second.map_or(0..0, value_range);
        let (reads, writes, parameters) = self.kernel_arguments(kernel, node, &place)?;
        Some(LaunchAct::Record {
            launch: launch?,
            kernel,
            reads,
            writes,
            parameters,
        })
    }

    fn set_argument(&mut self, node: &KdlNode) -> Option<LaunchAct> {
        let first = self.argument(node, 0);
        let launch = first.and_then(|entry| self.reference(Class::Recorded, entry, None));
        let which = self.argument(node, 1).and_then(|entry| self.which(entry));
        let given = match (property(node, "buffer"), self.argument(node, 2)) {
            (Some(entry), None) => self
                .reference(Class::Buffer, entry, None)
                .map(Given::Buffer),
            (None, Some(entry)) => self.call_number(entry).map(Given::Number),
            _ => {
                let message = "an argument is set to a number or to a buffer";
                let help = "write: set \"step\" \"a\" 2.0, or set \"step\" \"x\" buffer=\"y\"";
                self.report(word_range(node), message, help);
                None
            }
        };
        Some(LaunchAct::Set(launch?, which?, given?))
    }

    /// Which argument is meant: by its name, or by its place counted from 0.
    fn which(&mut self, entry: &KdlEntry) -> Option<Which> {
        if let KdlValue::Integer(place) = entry.value() {
            if let Ok(place) = usize::try_from(*place) {
                return Some(Which::At(place));
            }
            let help =
                "count arguments from 0: buffers that are read, buffers that are written, numbers";
            self.report(value_range(entry), format!("{place} is no place"), help);
            return None;
        }
        self.text(entry).map(|name| Which::Named(name.into()))
    }

    fn set_all(&mut self, node: &KdlNode) -> Option<LaunchAct> {
        let launch = self.named(Class::Recorded, node);
        let mut values = Vec::new();
        let mut is_whole = true;
        for child in node.children().map(KdlDocument::nodes).unwrap_or_default() {
            let given = match self.rule(child, VALUES, "set-all").map(|rule| rule.name) {
                Some("buffer") => self.named(Class::Buffer, child).map(Given::Buffer),
                Some(_) => {
                    let entry = self.argument(child, 0);
                    entry
                        .and_then(|entry| self.call_number(entry))
                        .map(Given::Number)
                }
                None => None,
            };
            is_whole &= given.is_some();
            values.extend(given);
        }
        launch
            .filter(|_| is_whole)
            .map(|launch| LaunchAct::SetAll(launch, values))
    }
}

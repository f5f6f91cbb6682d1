//! Reads recorded launches and graphs, and what the calls about them have besides resources and numbers.

use crate::kdl::{KdlEntry, KdlNode, KdlValue};

use super::entries::value_range;
use super::{KdlReader, word_range};
use crate::phase::{AsWritten, ResourceClass};
use crate::template::{RecordedTemplate, Template};
use crate::verb::FieldSlot;
use crate::{ArgumentName, ArgumentValue, Kernel};

impl KdlReader<'_> {
    pub fn recorded(&mut self, node: &KdlNode, template: &mut Template) {
        let kernel = node.property("kernel").and_then(|entry| self.kernel(entry));
        if let Some(declaration) = self.declare(ResourceClass::Recorded, node) {
            template.recorded.push(RecordedTemplate {
                declaration,
                kernel: kernel.map(|kernel: &Kernel| kernel.name),
            });
        }
    }

    pub fn graph(&mut self, node: &KdlNode, template: &mut Template) {
        template
            .graphs
            .extend(self.declare(ResourceClass::Graph, node));
    }

    /// A number, or the buffer of a property.
    pub(crate) fn argument_value(
        &mut self,
        node: &KdlNode,
        slot: FieldSlot,
    ) -> Option<ArgumentValue<AsWritten>> {
        let FieldSlot::AtOr(place, name) = slot else {
            return None;
        };
        match (node.property(name), node.argument(place)) {
            (Some(entry), None) => {
                let buffer = self.reference(ResourceClass::Buffer, entry, None);
                buffer.map(ArgumentValue::Buffer)
            }
            (None, Some(entry)) => self.call_number(entry).map(ArgumentValue::Number),
            _ => {
                let message = "an argument is set to a number or to a buffer";
                let help = "write: set \"step\" \"a\" 2.0, or set \"step\" \"x\" buffer=\"y\"";
                self.report(word_range(node), message, help);
                None
            }
        }
    }

    /// Which argument is meant: by its name, or by its place counted from 0.
    pub(crate) fn argument_name(&mut self, entry: &KdlEntry) -> Option<ArgumentName> {
        if let KdlValue::Integer(place) = entry.value {
            if let Ok(place) = usize::try_from(place) {
                return Some(ArgumentName::At(place));
            }
            let help =
                "count arguments from 0: buffers that are read, buffers that are written, numbers";
            self.report(value_range(entry), format!("{place} is no place"), help);
            return None;
        }
        self.text(entry)
            .map(|name| ArgumentName::Named(name.into()))
    }
}

//! Reads shaders and pipelines, and what WebGPU's calls have besides them.

use crate::kdl::{KdlEntry, KdlNode};

use super::KdlReader;
use super::entries::value_range;
use super::word_range;
use crate::error::nearest;
use crate::fields::WrittenMoment;
use crate::phase::ResourceClass;
use crate::template::{PipelineTemplate, ShaderReference, ShaderTemplate, Template};
use crate::{LossMoment, PipelinePurpose};

impl KdlReader<'_> {
    pub fn shader(&mut self, node: &KdlNode, template: &mut Template) {
        let (Some(name), Some(source)) = (node.argument(0), node.property("wgsl")) else {
            return;
        };
        let (Some(text), Some(source_text)) = (self.text(name), self.text(source)) else {
            return;
        };
        if self.names.shaders.contains(&text) {
            let message = format!("“{text}” is declared already");
            self.report(value_range(name), message, "choose another name");
            return;
        }
        let range = value_range(source);
        // The text between three quotation marks begins on the line after them.
        let written = self.source.text.get(range.clone()).unwrap_or_default();
        let is_block = written.trim_start_matches('#').starts_with("\"\"\"");
        let line = self.source.line(range.start) + u32::from(is_block);
        self.names.shaders.push(text.clone());
        template.shaders.push(ShaderTemplate {
            name: text.into(),
            source: source_text.into(),
            line,
        });
    }

    pub fn pipeline(&mut self, node: &KdlNode, template: &mut Template) {
        let shader = self.pipeline_shader(node);
        let parameters = self.names.parameters.to_vec();
        let names: Vec<&str> = parameters.iter().map(String::as_str).collect();
        let slow = node
            .property("slow-micros")
            .and_then(|entry| self.amount(entry, &names));
        let entry = node.property("entry").and_then(|entry| self.text(entry));
        let kind = node
            .property("kind")
            .and_then(|entry| self.one_of(entry, "kind", PipelinePurpose::LABELS));
        let fails = node.property("fails").and_then(|entry| self.flag(entry));
        let cache = node.property("cache").and_then(|entry| self.flag(entry));
        if let Some(declaration) = self.declare(ResourceClass::Pipeline, node) {
            template.pipelines.push(PipelineTemplate {
                declaration,
                kind: kind.unwrap_or_default(),
                // One that is wrong in itself is still declared, so that its uses are not wrong too.
                shader: shader.unwrap_or(ShaderReference::Kernel("spin")),
                entry,
                slow,
                fails: fails.unwrap_or(false),
                cache: cache.unwrap_or(true),
                line: self.source.line(node.range.start),
            });
        }
    }

    fn pipeline_shader(&mut self, node: &KdlNode) -> Option<ShaderReference> {
        match (node.property("kernel"), node.property("shader")) {
            (Some(entry), None) => Some(ShaderReference::Kernel(self.kernel(entry)?.name)),
            (None, Some(entry)) => self.shader_named(entry),
            _ => {
                let message = "a pipeline compiles either a kernel or a shader";
                let help =
                    "write: pipeline \"saxpy\" kernel=\"saxpy\", or shader= and the name of one";
                self.report(word_range(node), message, help);
                None
            }
        }
    }

    fn shader_named(&mut self, entry: &KdlEntry) -> Option<ShaderReference> {
        let name = self.text(entry)?;
        if let Some(place) = self.names.shaders.place(&name) {
            return Some(ShaderReference::Text(place));
        }
        let known = self.names.shaders.to_vec();
        let all = || match known.as_slice() {
            [] => format!("declare one: shader \"{name}\" wgsl=\"…\""),
            known => format!("declared: {}", known.join(", ")),
        };
        let help = nearest(&name, known.iter().map(String::as_str)).unwrap_or_else(all);
        let message = format!("there is no shader “{name}”");
        self.report(value_range(entry), message, help);
        None
    }

    /// One of a closed set of words.
    pub(crate) fn one_of<T: Copy>(
        &mut self,
        entry: &KdlEntry,
        what: &str,
        labels: &[(&str, T)],
    ) -> Option<T> {
        let text = self.text(entry)?;
        if let Some((_, value)) = labels.iter().find(|(label, _)| *label == text) {
            return Some(*value);
        }
        let known = labels.iter().map(|(label, _)| *label);
        let all = || format!("known: {}", known.clone().collect::<Vec<_>>().join(", "));
        let help = nearest(&text, known.clone()).unwrap_or_else(all);
        let message = format!("there is no {what} “{text}”");
        self.report(value_range(entry), message, help);
        None
    }

    /// The moment of a loss.
    pub(crate) fn loss_moment(&mut self, node: &KdlNode) -> Option<WrittenMoment> {
        let moments = ["pipeline", "stream", "after-micros"];
        let given: Vec<&KdlEntry> = moments.iter().filter_map(|it| node.property(it)).collect();
        if let [_, second, ..] = given.as_slice() {
            let help = "keep one of the two, and write a second lose-device for the other";
            self.report(value_range(second), "a loss has one moment", help);
            return None;
        }
        Some(if let Some(entry) = node.property("pipeline") {
            self.reference(ResourceClass::Pipeline, entry, None)?;
            WrittenMoment::Fixed(LossMoment::Pipeline(self.text(entry)?))
        } else if let Some(entry) = node.property("stream") {
            self.reference(ResourceClass::Stream, entry, None)?;
            WrittenMoment::Fixed(LossMoment::Stream(self.text(entry)?))
        } else if let Some(entry) = node.property("after-micros") {
            WrittenMoment::Micros(self.call_number(entry)?)
        } else {
            WrittenMoment::Fixed(LossMoment::Now)
        })
    }
}

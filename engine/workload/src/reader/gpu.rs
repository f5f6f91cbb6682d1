//! Reads shaders, pipelines, and WebGPU's calls.

use kdl::{KdlEntry, KdlNode};

use super::Reader;
use super::entries::{property, value_range};
use super::word_range;
use crate::error::nearest;
use crate::gpu_act::{GpuAct, When};
use crate::program::{Class, Reference};
use crate::template::{PipelineTemplate, Shader, ShaderTemplate, Template};
use crate::{ErrorFilter, LossBy, MapMode, PipelineKind};

impl Reader<'_> {
    pub fn shader(&mut self, node: &KdlNode, template: &mut Template) {
        let (Some(name), Some(source)) = (self.argument(node, 0), property(node, "wgsl")) else {
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
            name: text,
            source: source_text,
            line,
        });
    }

    pub fn pipeline(&mut self, node: &KdlNode, template: &mut Template) {
        let shader = self.pipeline_shader(node);
        let parameters = self.names.parameters.to_vec();
        let names: Vec<&str> = parameters.iter().map(String::as_str).collect();
        let slow = property(node, "slow-micros").and_then(|entry| self.amount(entry, &names));
        let entry = property(node, "entry").and_then(|entry| self.text(entry));
        let kind = property(node, "kind")
            .and_then(|entry| self.one_of(entry, "kind", PipelineKind::LABELS));
        let fails = property(node, "fails").and_then(|entry| self.flag(entry));
        let cache = property(node, "cache").and_then(|entry| self.flag(entry));
        if let Some(declaration) = self.declare(Class::Pipeline, node) {
            template.pipelines.push(PipelineTemplate {
                declaration,
                kind: kind.unwrap_or_default(),
                // One that is wrong in itself is still declared, so that its uses are not wrong too.
                shader: shader.unwrap_or(Shader::Kernel("spin")),
                entry,
                slow,
                fails: fails.unwrap_or(false),
                cache: cache.unwrap_or(true),
                line: self.source.line(node.span().offset()),
            });
        }
    }

    fn pipeline_shader(&mut self, node: &KdlNode) -> Option<Shader> {
        match (property(node, "kernel"), property(node, "shader")) {
            (Some(entry), None) => Some(Shader::Kernel(self.kernel(entry)?.name)),
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

    fn shader_named(&mut self, entry: &KdlEntry) -> Option<Shader> {
        let name = self.text(entry)?;
        if let Some(place) = self.names.shaders.place(&name) {
            return Some(Shader::Text(place));
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
    pub fn one_of<T: Copy>(
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

    /// A call of WebGPU's.
    pub fn gpu_act(&mut self, verb: &str, node: &KdlNode) -> Option<GpuAct> {
        use Class::{Buffer, Pipeline, Promise};
        // Both are read before either may fail, so that both are reported.
        let to = |reader: &mut Self, class: Class| {
            let first = reader.named(class, node);
            let promise = reader.promise(node);
            Some((first?, promise?))
        };
        Some(match verb {
            "create-pipeline" => GpuAct::CreatePipeline(self.named(Pipeline, node)?),
            "create-pipeline-async" => {
                let (pipeline, promise) = to(self, Pipeline)?;
                GpuAct::CreatePipelineAsync(pipeline, promise)
            }
            "map-async" => {
                let mode = match property(node, "mode") {
                    Some(entry) => self.one_of(entry, "mode", MapMode::LABELS),
                    None => Some(MapMode::Read),
                };
                let (buffer, promise) = to(self, Buffer)?;
                GpuAct::MapAsync(buffer, mode?, promise)
            }
            "unmap" => GpuAct::Unmap(self.named(Buffer, node)?),
            "push-error-scope" => {
                let entry = self.argument(node, 0)?;
                GpuAct::PushErrorScope(self.one_of(entry, "filter", ErrorFilter::LABELS)?)
            }
            "pop-error-scope" => GpuAct::PopErrorScope(self.promise(node)?),
            "compilation-info" => {
                let (pipeline, promise) = to(self, Pipeline)?;
                GpuAct::CompilationInfo(pipeline, promise)
            }
            "work-done" => GpuAct::WorkDone(self.promise(node)?),
            "device-lost" => GpuAct::DeviceLost(self.promise(node)?),
            "settle" => GpuAct::Settle(self.named(Promise, node)?),
            "settle-all" => GpuAct::SettleAll,
            "lose-device" => self.lose(node)?,
            _ => GpuAct::Recover,
        })
    }

    fn promise(&mut self, node: &KdlNode) -> Option<Reference> {
        self.reference(Class::Promise, property(node, "promise")?, None)
    }

    fn lose(&mut self, node: &KdlNode) -> Option<GpuAct> {
        let by = property(node, "by").and_then(|entry| self.one_of(entry, "way", LossBy::LABELS));
        let moments = ["pipeline", "stream", "after-micros"];
        let given: Vec<&KdlEntry> = moments.iter().filter_map(|it| property(node, it)).collect();
        if let [_, second, ..] = given.as_slice() {
            let help = "keep one of the two, and write a second lose-device for the other";
            self.report(value_range(second), "a loss has one moment", help);
            return None;
        }
        let when = if let Some(entry) = property(node, "pipeline") {
            self.reference(Class::Pipeline, entry, None)?;
            When::Pipeline(self.text(entry)?)
        } else if let Some(entry) = property(node, "stream") {
            self.reference(Class::Stream, entry, None)?;
            When::Stream(self.text(entry)?)
        } else if let Some(entry) = property(node, "after-micros") {
            When::Time(self.call_number(entry)?)
        } else {
            When::Now
        };
        Some(GpuAct::Lose(by?, when))
    }
}

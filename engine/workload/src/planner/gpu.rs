//! Lays pipelines and promises out, and checks the calls that use them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{BYTES, Planner, extent};
use crate::call::{Call, DataCall, GpuCall};
use crate::program::{CallTemplate, ProgramStep};
use crate::template::ShaderReference;
use crate::{PipelinePlan, ShaderPlan};
use record::time::Nanos;

/// The longest that a compile may be slowed down by, in microseconds: a minute.
const SLOW: f64 = 60_000_000.0;

impl Planner<'_> {
    pub fn pipelines(&mut self) -> Vec<PipelinePlan> {
        let template = Arc::clone(self.template);
        let mut plans = Vec::new();
        for pipeline in &template.pipelines {
            let names = self.elements(&pipeline.declaration);
            self.layout.pipelines.push(extent(plans.len(), names.len()));
            let what = format!("the delay of “{}”", pipeline.declaration.name);
            let slow = pipeline.slow.as_ref();
            let slow = slow.and_then(|slow| self.whole(slow, &what, 0.0, SLOW));
            let shader = match pipeline.shader {
                ShaderReference::Kernel(name) => ShaderPlan::Kernel(name),
                ShaderReference::Text(place) => match template.shaders.get(place) {
                    Some(shader) => ShaderPlan::Text {
                        name: shader.name.clone(),
                        source: shader.source.clone(),
                        line: shader.line,
                    },
                    None => continue,
                },
            };
            let entry = pipeline.entry.as_ref().map_or(0, String::len);
            if !self.has_room(names.len() * (entry / BYTES), &pipeline.declaration.range) {
                return plans;
            }
            plans.extend(names.into_iter().map(|name| PipelinePlan {
                name,
                kind: pipeline.kind,
                shader: shader.clone(),
                entry: pipeline.entry.clone(),
                slow: Nanos::from_micros(slow.unwrap_or(0) as i64),
                fails: pipeline.fails,
                cache: pipeline.cache,
                line: pipeline.line,
            }));
        }
        plans
    }

    pub fn promises(&mut self) -> Vec<String> {
        let template = Arc::clone(self.template);
        let mut names = Vec::new();
        for promise in &template.promises {
            let elements = self.elements(promise);
            self.layout
                .promises
                .push(extent(names.len(), elements.len()));
            names.extend(elements);
        }
        names
    }

    /// Promises that something waits for and nothing makes, and launches with the pipeline of another kernel.
    pub(super) fn check_gpu_calls(&mut self, hosts: &[Vec<ProgramStep>]) {
        let calls: Vec<&CallTemplate> = hosts
            .iter()
            .flatten()
            .filter_map(|step| match step {
                ProgramStep::Call(call) => Some(call),
                _ => None,
            })
            .collect();
        let made: BTreeSet<usize> = calls
            .iter()
            .filter_map(|it| Some(it.call.mentioned().promise?.declaration))
            .collect();
        for call in calls {
            match &call.call {
                Call::Gpu(GpuCall::Settle { promise }) if !made.contains(&promise.declaration) => {
                    let help = "give it to a call: map-async \"x\" promise=\"…\"";
                    let message = "no call makes this promise, so this waits for ever";
                    self.errors.report(promise.range.clone(), message, help);
                }
                Call::Data(DataCall::Launch {
                    kernel,
                    pipeline: Some(pipeline),
                    ..
                }) => {
                    let kernel = kernel.kernel;
                    let declared = self.template.pipelines.get(pipeline.declaration);
                    let compiled = declared.map(|found| found.shader);
                    if compiled.is_some_and(|shader| shader != ShaderReference::Kernel(kernel.name))
                    {
                        let message = format!("this pipeline is not one of “{}”", kernel.name);
                        let help =
                            format!("declare one: pipeline \"mine\" kernel=\"{}\"", kernel.name);
                        self.errors.report(pipeline.range.clone(), message, help);
                    }
                }
                _ => {}
            }
        }
    }
}

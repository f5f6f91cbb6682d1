//! The three timelines of one WebGPU device as a state machine without threads and without a clock.
//!
//! Calls are made on a content timeline, of which every host thread has one. They push steps onto the device timeline,
//! which runs them in order; steps start compiles and wait for the queue, and issue what settles a promise back to the
//! content timeline that made it. Nothing moves by itself: whoever owns a [`WebGpuModel`] executes one step after the
//! other, says when a compile, a module or the queue's work has ended, and is told what each step did. What a promise
//! comes to is looked up in the table of [`outcomes`], which quotes the specification for every row.
//!
//! ```
//! use device::webgpu::{ModelTimeline, PipelineShape, StepEffect, WebGpuModel};
//! use record::SpanId;
//!
//! let mut model = WebGpuModel::new(1);
//! let host = ModelTimeline::content(0);
//! let (_, made) = model.create_pipeline_async(host, SpanId(0), PipelineShape::default());
//! let promise = made.promise.ok_or("a promise")?;
//!
//! // The initial steps hand the compile to a worker; the device is lost before it ends.
//! let step = model.step_device(SpanId(1)).ok_or("the initial steps")?;
//! assert!(step.effects.iter().any(|effect| matches!(effect, StepEffect::Compile(_))));
//! model.lose(SpanId(2));
//! while model.step_device(SpanId(3)).is_some() {}
//! while model.step_content(host, SpanId(4)).is_some() {}
//!
//! // “Pipeline creation succeeds on a lost device”, by the specification.
//! let settlement = model.settlement(promise).ok_or("settled")?;
//! assert_eq!(settlement.outcome.to_string(), "resolve(pipeline)");
//! # Ok::<(), &str>(())
//! ```

mod adapter;
mod buffers;
mod edition;
mod errors;
mod ids;
mod loss;
mod model;
mod objects;
mod outcome;
mod outcomes;
mod pipelines;
mod promise;
mod queue;
mod step;
mod table;
#[cfg(test)]
mod tests;
mod watch;

pub use adapter::{AdapterModel, DeviceRequest};
pub use buffers::{BufferShape, MapRange, MapState};
pub use edition::SpecAuthority;
pub use errors::{PoppedScope, RaisedError};
pub use ids::{BufferId, ModelPipelineId, ModelPromiseId, ModelTimeline, ModuleId};
pub use loss::LossReason;
pub use model::{CallResult, WebGpuModel};
pub use outcome::{CallOutcome, GpuErrorKind, PromiseRejection, PromiseValue};
pub use outcomes::outcomes;
pub use pipelines::{PipelineDefect, PipelineProgress, PipelineShape};
pub use promise::PromiseResult;
pub use step::{StepEffect, StepName, StepResult};
pub use table::{Api, Condition, DecidingTimeline, OutcomeRow, look_up};

//! `WebGPU`'s calls: pipelines, promises, error scopes, and the loss of the device.

use record::BufferIndex;

use crate::fields::{
    CreatedPipeline, DefaultField, LossMomentField, NewPromise, ResourceField, WordField,
};
use crate::verb::FieldSlot::{At, Named, OneOf, Property};
use crate::verb::calls;
use crate::{ErrorFilter, LossBy, MapMode, PipelineIndex, PromiseIndex};

calls! {
    /// A call of `WebGPU`'s that answers by a promise, or that has to do with one.
    pub enum GpuCall in Gpu {
        /// Creates a pipeline while the caller waits (`createComputePipeline`, `createRenderPipeline`).
        CreatePipeline = "create-pipeline", "create-pipeline \"saxpy\"", "create{pipeline}" {
            /// What to compile.
            pipeline: CreatedPipeline<false> = Named,
        }
        /// Creates a pipeline while the caller goes on (`createComputePipelineAsync`, …).
        CreatePipelineAsync = "create-pipeline-async", "create-pipeline-async \"saxpy\" promise=\"built\"", "create{pipeline}" {
            /// What to compile.
            pipeline: CreatedPipeline<true> = Named,
            /// Resolves with the pipeline.
            promise: NewPromise = Property("promise"),
        }
        /// Maps all of a buffer for the host (`mapAsync`).
        MapAsync = "map-async", "map-async \"x\" promise=\"mapped\" mode=\"read\"", "mapAsync {buffer}" {
            /// For reading or for writing.
            mode: DefaultField<WordField<MapMode>> = Property("mode"),
            /// The buffer.
            buffer: ResourceField<BufferIndex> = Named,
            /// Resolves once the host may touch it.
            promise: NewPromise = Property("promise"),
        }
        /// Gives a mapped buffer back, or calls a pending map off (`unmap`).
        Unmap = "unmap", "unmap \"x\"", "unmap {buffer}" {
            /// The buffer.
            buffer: ResourceField<BufferIndex> = Named,
        }
        /// From here on errors of a sort are caught (`pushErrorScope`).
        PushErrorScope = "push-error-scope", "push-error-scope \"validation\"", "pushErrorScope {filter}" {
            /// The sort.
            filter: WordField<ErrorFilter> = At(0),
        }
        /// Asks what the innermost error scope caught, and ends it (`popErrorScope`).
        PopErrorScope = "pop-error-scope", "pop-error-scope promise=\"caught\"", "popErrorScope" {
            /// Resolves with an error or with null.
            promise: NewPromise = Property("promise"),
        }
        /// Asks for the messages of a pipeline's shader (`getCompilationInfo`).
        CompilationInfo = "compilation-info", "compilation-info \"saxpy\" promise=\"messages\"", "getCompilationInfo {pipeline}" {
            /// The pipeline.
            pipeline: ResourceField<PipelineIndex> = Named,
            /// Resolves with the messages.
            promise: NewPromise = Property("promise"),
        }
        /// Asks to be told when all that was submitted has ended (`onSubmittedWorkDone`).
        WorkDone = "work-done", "work-done promise=\"idle\"", "onSubmittedWorkDone" {
            /// Resolves with nothing.
            promise: NewPromise = Property("promise"),
        }
        /// Asks to be told when the device is lost (`device.lost`).
        DeviceLost = "device-lost", "device-lost promise=\"lost\"", "device.lost" {
            /// Resolves with the reason; pending for as long as the device lives.
            promise: NewPromise = Property("promise"),
        }
        /// Blocks the host thread until the latest promise of this name has settled.
        Settle = "settle", "settle \"built\"", "settle {promise}" {
            /// The promise.
            promise: ResourceField<PromiseIndex> = Named,
        }
        /// Blocks the host thread until each of its promises has settled, those of lost devices excepted.
        SettleAll = "settle-all", "settle-all", "settle all" {}
        /// Loses the device, now or once something comes to pass.
        Lose = "lose-device", "lose-device by=\"driver\" pipeline=\"saxpy\"", "lose device: {by}{at}" {
            /// How it is lost.
            by: WordField<LossBy> = Property("by"),
            /// When: while a pipeline or a stream is at work, or so many microseconds after the call.
            at: LossMomentField = OneOf(&["pipeline", "stream", "after-micros"]),
        }
        /// Opens a lost device anew, with its buffers and pipelines.
        Recover = "recover-device", "recover-device", "recover device" {}
    }
}

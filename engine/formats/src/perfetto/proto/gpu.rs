//! The messages of `perfetto/trace/gpu/*.proto`, with the field numbers of those files.

use prost::{Message, Oneof};

/// A piece of work of a GPU.
#[derive(Clone, PartialEq, Message)]
pub struct GpuRenderStageEvent {
    /// What other events call it.
    #[prost(uint64, optional, tag = "1")]
    pub event_id: Option<u64>,
    /// How long it took, in nanoseconds; an instant where absent.
    #[prost(uint64, optional, tag = "2")]
    pub duration: Option<u64>,
    /// The hardware queue, of [`Specifications`].
    #[prost(int32, optional, tag = "3")]
    pub hw_queue_id: Option<i32>,
    /// The stage, of [`Specifications`].
    #[prost(int32, optional, tag = "4")]
    pub stage_id: Option<i32>,
    /// The graphics context, by its handle, which is also what interned contexts are called.
    #[prost(uint64, optional, tag = "5")]
    pub context: Option<u64>,
    /// Names and values of the vendor.
    #[prost(message, repeated, tag = "6")]
    pub extra_data: Vec<ExtraField>,
    /// What older writers say once for all events.
    #[prost(message, optional, tag = "7")]
    pub specifications: Option<Specifications>,
    /// The render target's handle.
    #[prost(uint64, optional, tag = "8")]
    pub render_target_handle: Option<u64>,
    /// The render pass's handle.
    #[prost(uint64, optional, tag = "9")]
    pub render_pass_handle: Option<u64>,
    /// The submission that it was part of.
    #[prost(uint32, optional, tag = "10")]
    pub submission_id: Option<u32>,
    /// The GPU, where there are several.
    #[prost(int32, optional, tag = "11")]
    pub gpu_id: Option<i32>,
    /// The command buffer's handle.
    #[prost(uint64, optional, tag = "12")]
    pub command_buffer_handle: Option<u64>,
    /// The hardware queue, as an interned specification.
    #[prost(uint64, optional, tag = "13")]
    pub hw_queue_iid: Option<u64>,
    /// The stage, as an interned specification.
    #[prost(uint64, optional, tag = "14")]
    pub stage_iid: Option<u64>,
    /// Its own name.
    #[prost(string, optional, tag = "17")]
    pub name: Option<String>,
    /// Its own name, as an interned name of events.
    #[prost(uint64, optional, tag = "20")]
    pub name_iid: Option<u64>,
    /// The events that it had to wait for before it could run.
    #[prost(uint64, repeated, packed = "false", tag = "18")]
    pub event_wait_ids: Vec<u64>,
    /// The kernel, as an interned kernel.
    #[prost(uint64, optional, tag = "19")]
    pub kernel_iid: Option<u64>,
    /// How the kernel was launched.
    #[prost(message, optional, tag = "21")]
    pub launch: Option<ComputeLaunch>,
    /// The queue as the program knows it.
    #[prost(uint64, optional, tag = "22")]
    pub logical_queue_id: Option<u64>,
}

/// A name and a value of the vendor.
#[derive(Clone, PartialEq, Message)]
pub struct ExtraField {
    /// The name.
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    /// The value.
    #[prost(string, optional, tag = "2")]
    pub value: Option<String>,
}

/// What queues and stages are called, in the order of their numbers.
#[derive(Clone, PartialEq, Message)]
pub struct Specifications {
    /// Hardware queues.
    #[prost(message, repeated, tag = "2")]
    pub hw_queue: Vec<Description>,
    /// Stages.
    #[prost(message, repeated, tag = "3")]
    pub stage: Vec<Description>,
}

/// What a queue or a stage is called.
#[derive(Clone, PartialEq, Message)]
pub struct Description {
    /// Its name.
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
}

/// How a kernel was launched.
#[derive(Clone, PartialEq, Message)]
pub struct ComputeLaunch {
    /// Workgroups along each axis.
    #[prost(message, optional, tag = "1")]
    pub grid_size: Option<Dim3>,
    /// Threads of a workgroup along each axis.
    #[prost(message, optional, tag = "2")]
    pub workgroup_size: Option<Dim3>,
    /// What else is known.
    #[prost(message, repeated, tag = "3")]
    pub args: Vec<ComputeArg>,
}

/// Three lengths.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct Dim3 {
    /// Along the first axis.
    #[prost(uint32, optional, tag = "1")]
    pub x: Option<u32>,
    /// Along the second axis.
    #[prost(uint32, optional, tag = "2")]
    pub y: Option<u32>,
    /// Along the third axis.
    #[prost(uint32, optional, tag = "3")]
    pub z: Option<u32>,
}

/// A named value of a kernel or of a launch.
#[derive(Clone, PartialEq, Message)]
pub struct ComputeArg {
    /// Its name, as an interned name.
    #[prost(uint64, optional, tag = "1")]
    pub name_iid: Option<u64>,
    /// Its name.
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    /// Its value.
    #[prost(oneof = "ComputeValue", tags = "3, 4, 5, 6, 7")]
    pub value: Option<ComputeValue>,
}

/// The value of a [`ComputeArg`].
#[derive(Clone, PartialEq, Oneof)]
pub enum ComputeValue {
    /// A whole number.
    #[prost(int64, tag = "3")]
    Int(i64),
    /// A whole number.
    #[prost(uint64, tag = "4")]
    Uint(u64),
    /// A real number.
    #[prost(double, tag = "5")]
    Double(f64),
    /// A text.
    #[prost(string, tag = "6")]
    Text(String),
    /// An interned text.
    #[prost(uint64, tag = "7")]
    TextIid(u64),
}

/// A graphics context.
#[derive(Clone, PartialEq, Message)]
pub struct GraphicsContext {
    /// Its handle.
    #[prost(uint64, optional, tag = "1")]
    pub iid: Option<u64>,
    /// The process it is of.
    #[prost(int32, optional, tag = "2")]
    pub pid: Option<i32>,
    /// One of [`API`], by its place.
    #[prost(int32, optional, tag = "3")]
    pub api: Option<i32>,
}

/// What APIs are called, by their number.
pub const API: &[&str] = &["", "OpenGL", "Vulkan", "OpenCL", "CUDA", "HIP"];

/// What a queue or a stage is called.
#[derive(Clone, PartialEq, Message)]
pub struct GpuSpecification {
    /// What events call it.
    #[prost(uint64, optional, tag = "1")]
    pub iid: Option<u64>,
    /// Its name.
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    /// What it is.
    #[prost(string, optional, tag = "3")]
    pub description: Option<String>,
    /// 1 is graphics, 2 is compute.
    #[prost(int32, optional, tag = "4")]
    pub category: Option<i32>,
}

/// A kernel.
#[derive(Clone, PartialEq, Message)]
pub struct ComputeKernel {
    /// What events call it.
    #[prost(uint64, optional, tag = "1")]
    pub iid: Option<u64>,
    /// Its name as compilers write it.
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    /// Its name as people write it.
    #[prost(string, optional, tag = "3")]
    pub demangled_name: Option<String>,
    /// What it was compiled for.
    #[prost(string, optional, tag = "4")]
    pub arch: Option<String>,
    /// What else is known.
    #[prost(message, repeated, tag = "5")]
    pub args: Vec<ComputeArg>,
}

/// Values of a GPU's counters, or what they are called.
#[derive(Clone, PartialEq, Message)]
pub struct GpuCounterEvent {
    /// What counters are called.
    #[prost(message, optional, tag = "1")]
    pub counter_descriptor: Option<GpuCounterDescriptor>,
    /// New values.
    #[prost(message, repeated, tag = "2")]
    pub counters: Vec<GpuCounter>,
    /// The GPU, where there are several.
    #[prost(int32, optional, tag = "3")]
    pub gpu_id: Option<i32>,
}

/// What the counters of a GPU are called.
#[derive(Clone, PartialEq, Message)]
pub struct GpuCounterDescriptor {
    /// Each of them.
    #[prost(message, repeated, tag = "1")]
    pub specs: Vec<GpuCounterSpec>,
}

/// What a counter is called, and the unit of its values: each numerator over each denominator.
#[derive(Clone, PartialEq, Message)]
pub struct GpuCounterSpec {
    /// Its number.
    #[prost(uint32, optional, tag = "1")]
    pub counter_id: Option<u32>,
    /// Its name.
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    /// Units above the line.
    #[prost(int32, repeated, packed = "false", tag = "7")]
    pub numerator_units: Vec<i32>,
    /// Units below the line.
    #[prost(int32, repeated, packed = "false", tag = "8")]
    pub denominator_units: Vec<i32>,
}

/// A counter's new value.
#[derive(Clone, PartialEq, Message)]
pub struct GpuCounter {
    /// Its number.
    #[prost(uint32, optional, tag = "1")]
    pub counter_id: Option<u32>,
    /// The value.
    #[prost(int64, optional, tag = "2")]
    pub int_value: Option<i64>,
    /// The value.
    #[prost(double, optional, tag = "3")]
    pub double_value: Option<f64>,
}

/// A call of Vulkan.
#[derive(Clone, PartialEq, Message)]
pub struct VulkanApiEvent {
    /// An object was given a name.
    #[prost(message, optional, tag = "1")]
    pub vk_debug_utils_object_name: Option<VkObjectName>,
    /// Command buffers were submitted.
    #[prost(message, optional, tag = "2")]
    pub vk_queue_submit: Option<VkQueueSubmit>,
}

/// An object was given a name.
#[derive(Clone, PartialEq, Message)]
pub struct VkObjectName {
    /// Its handle.
    #[prost(uint64, optional, tag = "3")]
    pub object: Option<u64>,
    /// The name.
    #[prost(string, optional, tag = "4")]
    pub object_name: Option<String>,
}

/// Command buffers were submitted.
#[derive(Clone, PartialEq, Message)]
pub struct VkQueueSubmit {
    /// How long the call took, in nanoseconds.
    #[prost(uint64, optional, tag = "1")]
    pub duration_ns: Option<u64>,
    /// The process that called.
    #[prost(uint32, optional, tag = "2")]
    pub pid: Option<u32>,
    /// The thread that called.
    #[prost(uint32, optional, tag = "3")]
    pub tid: Option<u32>,
    /// The queue's handle.
    #[prost(uint64, optional, tag = "4")]
    pub vk_queue: Option<u64>,
    /// The command buffers' handles.
    #[prost(uint64, repeated, packed = "false", tag = "5")]
    pub vk_command_buffers: Vec<u64>,
    /// What events of the GPU call the submission.
    #[prost(uint32, optional, tag = "6")]
    pub submission_id: Option<u32>,
}

/// The events of a GPU that a slice is about.
#[derive(Clone, PartialEq, Message)]
pub struct GpuCorrelation {
    /// Those that it submitted.
    #[prost(uint64, repeated, packed = "false", tag = "1")]
    pub submitted: Vec<u64>,
    /// Those whose end it waited for.
    #[prost(uint64, repeated, packed = "false", tag = "2")]
    pub waited: Vec<u64>,
}

/// How the recording itself went.
#[derive(Clone, PartialEq, Message)]
pub struct TraceStats {
    /// Each of the buffers that packets went through.
    #[prost(message, repeated, tag = "1")]
    pub buffer_stats: Vec<BufferStats>,
}

/// How a buffer fared.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct BufferStats {
    /// Pieces that were written over before they were read.
    #[prost(uint64, optional, tag = "3")]
    pub chunks_overwritten: Option<u64>,
    /// Pieces that found no room.
    #[prost(uint64, optional, tag = "18")]
    pub chunks_discarded: Option<u64>,
    /// Times that a writer lost packets.
    #[prost(uint64, optional, tag = "19")]
    pub trace_writer_packet_loss: Option<u64>,
}

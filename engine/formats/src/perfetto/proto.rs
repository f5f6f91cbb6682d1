//! The messages of `perfetto/trace/trace_packet.proto` that captures use, with the field numbers of that file.

pub mod gpu;

use prost::{Message, Oneof};

use gpu::{
    ComputeKernel, GpuCorrelation, GpuCounterEvent, GpuRenderStageEvent, GpuSpecification,
    GraphicsContext, TraceStats, VulkanApiEvent,
};

/// The number of the field of a file that holds its packets.
pub const PACKET_FIELD: u32 = 1;

/// One packet of a file.
#[derive(Clone, PartialEq, Message)]
pub struct TracePacket {
    /// When, in nanoseconds of the packet's clock.
    #[prost(uint64, optional, tag = "8")]
    pub timestamp: Option<u64>,
    /// The clock of the timestamp; 6 is `BOOTTIME`, and the default.
    #[prost(uint32, optional, tag = "58")]
    pub timestamp_clock_id: Option<u32>,
    /// The writer: interned texts are its own.
    #[prost(uint32, optional, tag = "10")]
    pub trusted_packet_sequence_id: Option<u32>,
    /// Texts that later packets of the sequence refer to.
    #[prost(message, optional, tag = "12")]
    pub interned_data: Option<InternedData>,
    /// [`CLEARED`] and [`NEEDS_STATE`].
    #[prost(uint32, optional, tag = "13")]
    pub sequence_flags: Option<u32>,
    /// The old form of [`CLEARED`].
    #[prost(bool, optional, tag = "41")]
    pub incremental_state_cleared: Option<bool>,
    /// How many packets the writer lost before this one, or 1 for some.
    #[prost(uint32, optional, tag = "42")]
    pub previous_packet_dropped: Option<u32>,
    /// What later packets of the sequence leave out.
    #[prost(message, optional, tag = "59")]
    pub trace_packet_defaults: Option<TracePacketDefaults>,
    /// Something that happened on a track.
    #[prost(message, optional, tag = "11")]
    pub track_event: Option<TrackEvent>,
    /// A track.
    #[prost(message, optional, tag = "60")]
    pub track_descriptor: Option<TrackDescriptor>,
    /// The process of the writer, in the form that came before tracks.
    #[prost(message, optional, tag = "43")]
    pub process_descriptor: Option<ProcessDescriptor>,
    /// The thread of the writer, likewise.
    #[prost(message, optional, tag = "44")]
    pub thread_descriptor: Option<ThreadDescriptor>,
    /// Readings of several clocks at one instant.
    #[prost(message, optional, tag = "6")]
    pub clock_snapshot: Option<ClockSnapshot>,
    /// Packets, packed with zlib.
    #[prost(bytes = "vec", optional, tag = "50")]
    pub compressed_packets: Option<Vec<u8>>,
    /// A piece of work of a GPU.
    #[prost(message, optional, boxed, tag = "53")]
    pub gpu_render_stage_event: Option<Box<GpuRenderStageEvent>>,
    /// Values of a GPU's counters.
    #[prost(message, optional, tag = "52")]
    pub gpu_counter_event: Option<GpuCounterEvent>,
    /// A call of Vulkan.
    #[prost(message, optional, tag = "65")]
    pub vulkan_api_event: Option<VulkanApiEvent>,
    /// How the recording itself went.
    #[prost(message, optional, tag = "35")]
    pub trace_stats: Option<TraceStats>,
}

/// A sequence flag: interned texts of the sequence begin anew with this packet.
pub const CLEARED: u32 = 1;
/// A sequence flag: the packet refers to interned texts.
pub const NEEDS_STATE: u32 = 2;
/// The clock of timestamps that name none.
pub const BOOTTIME: u32 = 6;

/// What later packets of a sequence leave out.
#[derive(Clone, PartialEq, Message)]
pub struct TracePacketDefaults {
    /// The clock of timestamps.
    #[prost(uint32, optional, tag = "58")]
    pub timestamp_clock_id: Option<u32>,
    /// What events leave out.
    #[prost(message, optional, tag = "11")]
    pub track_event_defaults: Option<TrackEventDefaults>,
}

/// What events of a sequence leave out.
#[derive(Clone, PartialEq, Message)]
pub struct TrackEventDefaults {
    /// The track.
    #[prost(uint64, optional, tag = "11")]
    pub track_uuid: Option<u64>,
    /// The tracks of values of extra counters that are whole numbers, in the values' order.
    #[prost(uint64, repeated, packed = "false", tag = "31")]
    pub extra_counter_track_uuids: Vec<u64>,
    /// The same for real numbers.
    #[prost(uint64, repeated, packed = "false", tag = "45")]
    pub extra_double_counter_track_uuids: Vec<u64>,
}

/// Something that happened on a track.
#[derive(Clone, PartialEq, Message)]
pub struct TrackEvent {
    /// One of the numbers in [`event_type`].
    #[prost(int32, optional, tag = "9")]
    pub r#type: Option<i32>,
    /// The track.
    #[prost(uint64, optional, tag = "11")]
    pub track_uuid: Option<u64>,
    /// Categories, as interned texts.
    #[prost(uint64, repeated, packed = "false", tag = "3")]
    pub category_iids: Vec<u64>,
    /// Categories.
    #[prost(string, repeated, tag = "22")]
    pub categories: Vec<String>,
    /// The name, as an interned text.
    #[prost(uint64, optional, tag = "10")]
    pub name_iid: Option<u64>,
    /// The name.
    #[prost(string, optional, tag = "23")]
    pub name: Option<String>,
    /// Named values.
    #[prost(message, repeated, tag = "4")]
    pub debug_annotations: Vec<DebugAnnotation>,
    /// A counter's new value.
    #[prost(int64, optional, tag = "30")]
    pub counter_value: Option<i64>,
    /// A counter's new value.
    #[prost(double, optional, tag = "44")]
    pub double_counter_value: Option<f64>,
    /// Arrows that pass through here.
    #[prost(fixed64, repeated, packed = "false", tag = "47")]
    pub flow_ids: Vec<u64>,
    /// Arrows that end here.
    #[prost(fixed64, repeated, packed = "false", tag = "48")]
    pub terminating_flow_ids: Vec<u64>,
    /// Arrows that pass through here, as older writers wrote them.
    #[prost(uint64, repeated, packed = "false", tag = "36")]
    pub flow_ids_old: Vec<u64>,
    /// Arrows that end here, as older writers wrote them.
    #[prost(uint64, repeated, packed = "false", tag = "42")]
    pub terminating_flow_ids_old: Vec<u64>,
    /// The events of a GPU that it is about.
    #[prost(message, optional, tag = "3000")]
    pub gpu_correlation: Option<GpuCorrelation>,
    /// The API that it is a call of, one of [`gpu::API`] by its place.
    #[prost(int32, optional, tag = "3001")]
    pub gpu_api: Option<i32>,
    /// The time, in microseconds, of writers that give no timestamp to the packet.
    #[prost(int64, optional, tag = "16")]
    pub timestamp_absolute_us: Option<i64>,
}

/// The values of [`TrackEvent`]'s type.
pub mod event_type {
    /// A slice begins.
    pub const BEGIN: i32 = 1;
    /// The innermost open slice of the track ends.
    pub const END: i32 = 2;
    /// Something without length.
    pub const INSTANT: i32 = 3;
    /// A counter has a new value.
    pub const COUNTER: i32 = 4;
}

/// A track.
#[derive(Clone, PartialEq, Message)]
pub struct TrackDescriptor {
    /// What events call it.
    #[prost(uint64, optional, tag = "1")]
    pub uuid: Option<u64>,
    /// The track it is drawn under.
    #[prost(uint64, optional, tag = "5")]
    pub parent_uuid: Option<u64>,
    /// Its name.
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    /// Its name, where the writer promises that it never changes.
    #[prost(string, optional, tag = "10")]
    pub static_name: Option<String>,
    /// What it shows.
    #[prost(string, optional, tag = "14")]
    pub description: Option<String>,
    /// It stands for a process.
    #[prost(message, optional, tag = "3")]
    pub process: Option<ProcessDescriptor>,
    /// It stands for a thread.
    #[prost(message, optional, tag = "4")]
    pub thread: Option<ThreadDescriptor>,
    /// It is a counter.
    #[prost(message, optional, tag = "8")]
    pub counter: Option<CounterDescriptor>,
    /// How the tracks under it are ordered; 3 is by rank.
    #[prost(int32, optional, tag = "11")]
    pub child_ordering: Option<i32>,
    /// Its rank among its siblings.
    #[prost(int32, optional, tag = "12")]
    pub sibling_order_rank: Option<i32>,
    /// Which siblings share its row; 3 is those with the same key.
    #[prost(int32, optional, tag = "15")]
    pub sibling_merge_behavior: Option<i32>,
    /// The key of siblings that share a row.
    #[prost(uint64, optional, tag = "17")]
    pub sibling_merge_key_int: Option<u64>,
}

/// Tracks under this one are ordered by rank.
pub const ORDER_BY_RANK: i32 = 3;
/// Siblings with the same key share a row.
pub const MERGE_BY_KEY: i32 = 3;

/// A process.
#[derive(Clone, PartialEq, Message)]
pub struct ProcessDescriptor {
    /// Its number.
    #[prost(int32, optional, tag = "1")]
    pub pid: Option<i32>,
    /// Its name.
    #[prost(string, optional, tag = "6")]
    pub process_name: Option<String>,
}

/// A thread.
#[derive(Clone, PartialEq, Message)]
pub struct ThreadDescriptor {
    /// Its process.
    #[prost(int32, optional, tag = "1")]
    pub pid: Option<i32>,
    /// Its number.
    #[prost(int64, optional, tag = "2")]
    pub tid: Option<i64>,
    /// Its name.
    #[prost(string, optional, tag = "5")]
    pub thread_name: Option<String>,
}

/// A counter.
#[derive(Clone, PartialEq, Message)]
pub struct CounterDescriptor {
    /// The unit of its values.
    #[prost(string, optional, tag = "6")]
    pub unit_name: Option<String>,
    /// What values are multiplied with.
    #[prost(int64, optional, tag = "4")]
    pub unit_multiplier: Option<i64>,
    /// Whether each value is added to the one before.
    #[prost(bool, optional, tag = "5")]
    pub is_incremental: Option<bool>,
}

/// A named value of an event.
#[derive(Clone, PartialEq, Message)]
pub struct DebugAnnotation {
    /// Its name, as an interned text.
    #[prost(uint64, optional, tag = "1")]
    pub name_iid: Option<u64>,
    /// Its name.
    #[prost(string, optional, tag = "10")]
    pub name: Option<String>,
    /// Its value.
    #[prost(oneof = "AnnotationValue", tags = "2, 3, 4, 5, 6, 7, 9, 17")]
    pub value: Option<AnnotationValue>,
    /// Its values by name.
    #[prost(message, repeated, tag = "11")]
    pub dict_entries: Vec<Self>,
    /// Its values in order.
    #[prost(message, repeated, tag = "12")]
    pub array_values: Vec<Self>,
}

/// The value of an annotation.
#[derive(Clone, PartialEq, Oneof)]
pub enum AnnotationValue {
    /// Yes or no.
    #[prost(bool, tag = "2")]
    Bool(bool),
    /// A whole number.
    #[prost(uint64, tag = "3")]
    Uint(u64),
    /// A whole number.
    #[prost(int64, tag = "4")]
    Int(i64),
    /// A real number.
    #[prost(double, tag = "5")]
    Double(f64),
    /// A text.
    #[prost(string, tag = "6")]
    Text(String),
    /// An address.
    #[prost(uint64, tag = "7")]
    Pointer(u64),
    /// A text in JSON.
    #[prost(string, tag = "9")]
    Json(String),
    /// An interned text.
    #[prost(uint64, tag = "17")]
    TextIid(u64),
}

/// Texts that later packets refer to.
#[derive(Clone, PartialEq, Message)]
pub struct InternedData {
    /// Categories.
    #[prost(message, repeated, tag = "1")]
    pub event_categories: Vec<InternedName>,
    /// Names of events.
    #[prost(message, repeated, tag = "2")]
    pub event_names: Vec<InternedName>,
    /// Names of annotations.
    #[prost(message, repeated, tag = "3")]
    pub debug_annotation_names: Vec<InternedName>,
    /// Values of annotations.
    #[prost(message, repeated, tag = "29")]
    pub debug_annotation_string_values: Vec<InternedString>,
    /// Graphics contexts.
    #[prost(message, repeated, tag = "23")]
    pub graphics_contexts: Vec<GraphicsContext>,
    /// Queues and stages of GPUs.
    #[prost(message, repeated, tag = "24")]
    pub gpu_specifications: Vec<GpuSpecification>,
    /// Kernels.
    #[prost(message, repeated, tag = "1000")]
    pub compute_kernels: Vec<ComputeKernel>,
    /// Names of what is known of kernels and launches.
    #[prost(message, repeated, tag = "1001")]
    pub compute_arg_names: Vec<InternedName>,
}

/// A text and what it is called.
#[derive(Clone, PartialEq, Message)]
pub struct InternedName {
    /// What it is called; 0 is none.
    #[prost(uint64, optional, tag = "1")]
    pub iid: Option<u64>,
    /// The text.
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
}

/// Bytes, mostly a text, and what they are called.
#[derive(Clone, PartialEq, Message)]
pub struct InternedString {
    /// What it is called; 0 is none.
    #[prost(uint64, optional, tag = "1")]
    pub iid: Option<u64>,
    /// The bytes.
    #[prost(bytes = "vec", optional, tag = "2")]
    pub str: Option<Vec<u8>>,
}

/// Readings of several clocks at one instant.
#[derive(Clone, PartialEq, Message)]
pub struct ClockSnapshot {
    /// The readings.
    #[prost(message, repeated, tag = "1")]
    pub clocks: Vec<ClockReading>,
    /// The clock that all others are converted to.
    #[prost(int32, optional, tag = "2")]
    pub primary_trace_clock: Option<i32>,
}

/// The reading of a clock.
#[derive(Clone, PartialEq, Message)]
pub struct ClockReading {
    /// The clock: below 64 one that everybody knows, from 64 on one of the sequence.
    #[prost(uint32, optional, tag = "1")]
    pub clock_id: Option<u32>,
    /// Its reading, in units of `unit_multiplier_ns`.
    #[prost(uint64, optional, tag = "2")]
    pub timestamp: Option<u64>,
    /// Whether timestamps of this clock count from the one before.
    #[prost(bool, optional, tag = "3")]
    pub is_incremental: Option<bool>,
    /// How many nanoseconds a tick is; 1 where absent.
    #[prost(uint64, optional, tag = "4")]
    pub unit_multiplier_ns: Option<u64>,
}

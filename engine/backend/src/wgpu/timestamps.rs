//! Timestamps around one operation, written by the device.

use ::wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoder, ComputePassDescriptor,
    ComputePassTimestampWrites, Device, Features, QuerySet, QuerySetDescriptor, QueryType,
};

use super::adapter::has_timestamps;

/// Bytes of a begin and an end.
pub const BYTES: u64 = 16;

/// Timestamps around one operation.
pub struct TimestampQueries {
    queries: QuerySet,
    resolved: Buffer,
    /// Whether they can be written between passes; else each is the beginning of an empty pass.
    is_between: bool,
}

impl TimestampQueries {
    /// For a stream of `device`; nothing where it has none.
    pub fn new(device: &Device) -> Option<Self> {
        let features = device.features();
        has_timestamps(features).then(|| Self {
            queries: device.create_query_set(&QuerySetDescriptor {
                label: None,
                ty: QueryType::Timestamp,
                count: 2,
            }),
            resolved: device.create_buffer(&BufferDescriptor {
                label: None,
                size: BYTES,
                usage: BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
            is_between: features.contains(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS),
        })
    }

    /// Writes the begin, 0, or the end, 1.
    pub fn write(&self, encoder: &mut CommandEncoder, place: u32) {
        if self.is_between {
            return encoder.write_timestamp(&self.queries, place);
        }
        drop(encoder.begin_compute_pass(&ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(ComputePassTimestampWrites {
                query_set: &self.queries,
                beginning_of_pass_write_index: Some(place),
                end_of_pass_write_index: None,
            }),
        }));
    }

    /// Copies both to the beginning of `to`.
    pub fn copy(&self, encoder: &mut CommandEncoder, to: &Buffer) {
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, to, 0, BYTES);
    }
}

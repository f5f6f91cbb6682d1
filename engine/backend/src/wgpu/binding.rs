//! A launch as wgpu takes it: its pipeline, its bind group, its numbers; kept, since most launches come again.

use record::BufferIndex;
use std::collections::HashMap;
use std::sync::Arc;

use ::wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, Buffer, BufferDescriptor, BufferUsages,
    CommandEncoder, ComputePassDescriptor, ComputePipeline, Device,
};

use super::pipelines::PipelineCache;
use crate::dispatch::{KernelDispatch, UniformWords};

/// Launches that a stream keeps.
const KEPT: usize = 512;

/// What makes two launches the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BindingKey {
    /// The kernel's name.
    pub kernel: &'static str,
    /// The words of its uniform.
    pub given: UniformWords,
    /// The buffers it reads.
    pub reads: Vec<BufferIndex>,
    /// The buffers it writes.
    pub writes: Vec<BufferIndex>,
}

/// The launches of one stream.
#[derive(Default)]
pub struct LaunchBindings(
    HashMap<BindingKey, Arc<BoundDispatch>>,
    HashMap<u64, Arc<BoundDispatch>>,
);

/// A launch that is ready to be encoded.
pub struct BoundDispatch {
    pipeline: Arc<ComputePipeline>,
    group: BindGroup,
    /// Buffers that are read and written at once, and the copy that is read instead: WebGPU binds none both ways.
    copies: Vec<(Buffer, Buffer)>,
}

impl LaunchBindings {
    /// The launch that was packed under `number`, whose key is asked for once.
    ///
    /// # Errors
    /// As [`Bindings::get`].
    pub fn packed(
        &mut self,
        number: u64,
        key: impl FnOnce() -> BindingKey,
        device: &Device,
        pipelines: &PipelineCache,
        buffers: &[Buffer],
        word: &Buffer,
    ) -> Result<Arc<BoundDispatch>, String> {
        if let Some(known) = self.1.get(&number) {
            return Ok(Arc::clone(known));
        }
        let bound = self.get(key(), device, pipelines, buffers, word)?;
        if self.1.len() >= KEPT {
            self.1.clear();
        }
        self.1.insert(number, Arc::clone(&bound));
        Ok(bound)
    }

    /// The launch of `key`; `word` stands for the buffers of a kernel that has none.
    ///
    /// # Errors
    /// The kernel cannot be compiled, or names a buffer that there is not.
    pub fn get(
        &mut self,
        key: BindingKey,
        device: &Device,
        pipelines: &PipelineCache,
        buffers: &[Buffer],
        word: &Buffer,
    ) -> Result<Arc<BoundDispatch>, String> {
        if let Some(known) = self.0.get(&key) {
            return Ok(Arc::clone(known));
        }
        if self.0.len() >= KEPT {
            self.0.clear();
        }
        let bound = Arc::new(BoundDispatch::new(&key, device, pipelines, buffers, word)?);
        self.0.insert(key, Arc::clone(&bound));
        Ok(bound)
    }
}

impl BoundDispatch {
    fn new(
        key: &BindingKey,
        device: &Device,
        pipelines: &PipelineCache,
        buffers: &[Buffer],
        word: &Buffer,
    ) -> Result<Self, String> {
        let pipeline = pipelines.kernel(device, key.kernel)?;
        let find = |index: &BufferIndex| {
            let found = buffers.get(index.index());
            found.ok_or_else(|| format!("there is no buffer {}", index.0))
        };
        let mut copies = Vec::new();
        let mut bound = vec![uniform(device, &key.given)?];
        for index in &key.reads {
            let buffer = find(index)?;
            if key.writes.contains(index) {
                let copy = device.create_buffer(&BufferDescriptor {
                    label: None,
                    size: buffer.size(),
                    usage: BufferUsages::STORAGE | BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                });
                bound.push(copy.clone());
                copies.push((buffer.clone(), copy));
            } else {
                bound.push(buffer.clone());
            }
        }
        for index in &key.writes {
            bound.push(find(index)?.clone());
        }
        if bound.len() == 1 {
            bound.push(word.clone());
        }
        let entries = bound
            .iter()
            .enumerate()
            .map(|(place, buffer)| BindGroupEntry {
                binding: place as u32,
                resource: buffer.as_entire_binding(),
            });
        let group = device.create_bind_group(&BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries.collect::<Vec<_>>(),
        });
        Ok(Self {
            pipeline,
            group,
            copies,
        })
    }

    /// Encodes the launch.
    pub fn encode(&self, encoder: &mut CommandEncoder, dispatch: &KernelDispatch) {
        let Some([x, y, z]) = dispatch.groups else {
            return;
        };
        for (from, to) in &self.copies {
            encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size());
        }
        let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(x, y, z);
    }
}

fn uniform(device: &Device, given: &UniformWords) -> Result<Buffer, String> {
    let bytes: Vec<u8> = given.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let buffer = device.create_buffer(&BufferDescriptor {
        label: None,
        size: bytes.len() as u64,
        usage: BufferUsages::UNIFORM,
        mapped_at_creation: true,
    });
    {
        let view = buffer.get_mapped_range_mut(..);
        let mut view = view.map_err(|error| format!("its numbers cannot be written: {error}"))?;
        view.copy_from_slice(&bytes);
    }
    buffer.unmap();
    Ok(buffer)
}

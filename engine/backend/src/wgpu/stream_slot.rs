//! What one stream needs to run its operations one after the other: staging, landing, timestamps, kept launches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::time::Instant;

use ::wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoder, CommandEncoderDescriptor, Device,
    MapMode, SubmissionIndex,
};

use super::binding::LaunchBindings;
use super::gpu::{WgpuDevice, raised};
use super::timestamps::TimestampQueries;
use crate::floats::Floats;
use crate::threads::ExecutionError;

/// Bytes before the numbers of a download: the timestamps and the word.
const HEADER: u64 = 32;
/// Where the word is in the header.
const WORD: u64 = 16;
/// Floats that are moved at once.
const BLOCK: usize = 1024;

/// What one stream needs to run its operations.
pub struct WgpuStream {
    /// Its launches.
    pub bindings: LaunchBindings,
    /// Two words that kernels without buffers write: whether it failed, and what keeps its work from being left out.
    pub word: Buffer,
    stamps: Option<TimestampQueries>,
    landing: Buffer,
    /// Memory to upload from, and whether it is mapped again; nothing while it waits to be submitted.
    staging: Option<(Buffer, Option<Arc<MapCompletion>>)>,
}

/// Whether memory was mapped.
#[derive(Debug, Default)]
struct MapCompletion(AtomicU8);

const OK: u8 = 1;
const REFUSED: u8 = 2;

/// What came of a submission.
pub struct SubmissionResult {
    /// Before it was submitted.
    pub before: Instant,
    /// After it was seen to have ended.
    pub after: Instant,
    /// Ticks at its begin and end, where the device keeps them.
    pub ticks: Option<[u64; 2]>,
    /// The first of the two words.
    pub word: u32,
}

/// Numbers that come with a submission.
pub struct ReadbackCopy<'a> {
    /// Where they are on the device.
    pub from: &'a Buffer,
    /// Where they go.
    pub to: &'a Floats,
}

impl WgpuStream {
    /// For one stream of `device`.
    pub fn new(device: &Device) -> Self {
        Self {
            bindings: LaunchBindings::default(),
            word: device.create_buffer(&BufferDescriptor {
                label: None,
                size: 8,
                usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
            stamps: TimestampQueries::new(device),
            landing: landing(device, HEADER),
            staging: None,
        }
    }

    /// Puts numbers where the device can take them from.
    ///
    /// # Errors
    /// The device is lost, or has no memory left.
    pub fn stage(&mut self, gpu: &WgpuDevice, from: &Floats) -> Result<Buffer, ExecutionError> {
        let size = bytes(from.len());
        let known = self.staging.take();
        let fitting = known.filter(|(buffer, landed)| {
            let is_mapped = landed.as_ref().is_some_and(|landed| landed.is_ok());
            is_mapped && buffer.size() >= size
        });
        let buffer = match fitting {
            Some((buffer, _)) => buffer,
            None => gpu.device.create_buffer(&BufferDescriptor {
                label: None,
                size,
                usage: BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC,
                mapped_at_creation: true,
            }),
        };
        {
            let _views = gpu.views().ok_or(ExecutionError::Stopped)?;
            let view = buffer.get_mapped_range_mut(..);
            let mut view = view.map_err(|error| failed(&error.to_string()))?;
            let (mut floats, mut block) = ([0.0; BLOCK], [0; 4 * BLOCK]);
            for first in (0..from.len()).step_by(BLOCK) {
                let count = BLOCK.min(from.len() - first);
                from.load(first, &mut floats);
                for (four, float) in block.chunks_exact_mut(4).zip(&floats) {
                    four.copy_from_slice(&float.to_ne_bytes());
                }
                let part = block.get(..4 * count).unwrap_or_default();
                view.slice(4 * first..4 * (first + count))
                    .copy_from_slice(part);
            }
        }
        buffer.unmap();
        self.staging = Some((buffer.clone(), None));
        Ok(buffer)
    }

    /// Submits what `encode` says, between timestamps, and waits for its end; gives up once `is_lost`.
    ///
    /// # Errors
    /// It cannot be submitted, or the device is lost.
    pub fn submit(
        &mut self,
        gpu: &WgpuDevice,
        is_lost: &dyn Fn() -> bool,
        download: Option<&ReadbackCopy<'_>>,
        encode: impl FnOnce(&mut CommandEncoder),
    ) -> Result<SubmissionResult, ExecutionError> {
        drop(raised());
        let used = HEADER + download.map_or(0, |download| bytes(download.to.len()));
        if self.landing.size() < used {
            self.landing = landing(&gpu.device, used);
        }
        let mut encoder = gpu
            .device
            .create_command_encoder(&CommandEncoderDescriptor::default());
        if let Some(stamps) = &self.stamps {
            stamps.write(&mut encoder, 0);
        }
        encode(&mut encoder);
        if let Some(download) = download {
            encoder.copy_buffer_to_buffer(download.from, 0, &self.landing, HEADER, used - HEADER);
        }
        if let Some(stamps) = &self.stamps {
            stamps.write(&mut encoder, 1);
            stamps.copy(&mut encoder, &self.landing);
        }
        encoder.copy_buffer_to_buffer(&self.word, 0, &self.landing, WORD, 8);
        let commands = encoder.finish();
        let before = Instant::now();
        let index = gpu.submit(commands).ok_or(ExecutionError::Stopped)?;
        let landed = map(&self.landing, MapMode::Read, used);
        if let Some((staging, again @ None)) = &mut self.staging {
            *again = Some(map(staging, MapMode::Write, staging.size()));
        }
        let ended = match raised() {
            Some(error) => Err(ExecutionError::Failed(format!("wgpu refused it: {error}"))),
            None => wait(gpu, &index, &landed, is_lost),
        };
        let after = Instant::now();
        let taken = ended.and_then(|()| self.land(gpu, used, download));
        if taken.is_err() {
            // Nobody knows whether they are mapped, or will be.
            self.landing = landing(&gpu.device, HEADER);
            self.staging = None;
        }
        let (ticks, word) = taken?;
        Ok(SubmissionResult {
            before,
            after,
            ticks: self.stamps.is_some().then_some(ticks),
            word,
        })
    }

    /// Takes in what came back.
    fn land(
        &self,
        gpu: &WgpuDevice,
        used: u64,
        download: Option<&ReadbackCopy<'_>>,
    ) -> Result<([u64; 2], u32), ExecutionError> {
        let views = gpu.views().ok_or(ExecutionError::Stopped)?;
        let answer = {
            let view = self.landing.slice(..used).get_mapped_range();
            let view = view.map_err(|error| failed(&error.to_string()))?;
            let word = |at: usize| {
                let four = view.get(at..at + 4).and_then(|four| four.try_into().ok());
                u32::from_ne_bytes(four.unwrap_or_default())
            };
            let long = |at: usize| {
                let eight = view.get(at..at + 8).and_then(|eight| eight.try_into().ok());
                u64::from_ne_bytes(eight.unwrap_or_default())
            };
            if let Some(download) = download {
                let numbers = view.get(HEADER as usize..).unwrap_or_default();
                store(numbers, download.to);
            }
            ([long(0), long(8)], word(WORD as usize))
        };
        self.landing.unmap();
        drop(views);
        Ok(answer)
    }
}

/// Bytes of a buffer of so many floats: never none, which WebGPU could not bind.
pub fn bytes(len: usize) -> u64 {
    len.max(1) as u64 * 4
}

fn store(bytes: &[u8], to: &Floats) {
    let mut floats = [0.0; BLOCK];
    for (place, part) in bytes.chunks(4 * BLOCK).enumerate() {
        let mut count = 0;
        for (float, four) in floats.iter_mut().zip(part.chunks_exact(4)) {
            *float = f32::from_ne_bytes(four.try_into().unwrap_or_default());
            count += 1;
        }
        to.store(place * BLOCK, floats.get(..count).unwrap_or_default());
    }
}

fn landing(device: &Device, size: u64) -> Buffer {
    device.create_buffer(&BufferDescriptor {
        label: None,
        size,
        usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

fn map(buffer: &Buffer, mode: MapMode, size: u64) -> Arc<MapCompletion> {
    let landed = Arc::new(MapCompletion::default());
    let told = Arc::clone(&landed);
    buffer.map_async(mode, 0..size, move |answer| {
        told.0
            .store(if answer.is_ok() { OK } else { REFUSED }, SeqCst);
    });
    landed
}

fn wait(
    gpu: &WgpuDevice,
    index: &SubmissionIndex,
    landed: &MapCompletion,
    is_lost: &dyn Fn() -> bool,
) -> Result<(), ExecutionError> {
    loop {
        match landed.0.load(SeqCst) {
            OK => return Ok(()),
            _ if is_lost() || gpu.is_closed() => return Err(ExecutionError::Stopped),
            REFUSED => return Err(failed("the answer of the device could not be mapped")),
            _ => {}
        }
        if let Some(reason) = gpu.lost() {
            return Err(ExecutionError::Lost(reason));
        }
        gpu.poll(Some(index.clone()));
    }
}

fn failed(reason: &str) -> ExecutionError {
    ExecutionError::Failed(format!("wgpu gave no memory to look at: {reason}"))
}

impl MapCompletion {
    fn is_ok(&self) -> bool {
        self.0.load(SeqCst) == OK
    }
}

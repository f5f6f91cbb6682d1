//! One generation of an opened device: its buffers, streams' lanes and pipelines, measured and ready.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use ::wgpu::{Adapter, Buffer, BufferDescriptor, BufferUsages, ErrorFilter};

use super::clock::{TickClock, TickReading};
use super::gpu::WgpuDevice;
use super::native::StagingBuffers;
use super::pipelines::PipelineCache;
use super::ready_future::ready;
use super::spin;
use super::stream_slot::{SubmissionResult, WgpuStream, bytes};
use crate::BackendError;
use crate::floats::Floats;
use crate::threads::{ExecutionError, TimeOrigin};
use record::time::Interval;

/// One generation of an opened device. Fields are dropped in this order: the device comes last.
pub struct WgpuDeviceState {
    /// The buffers on the device.
    pub buffers: Vec<Buffer>,
    /// What each stream needs.
    pub lanes: Vec<Mutex<WgpuStream>>,
    /// What was compiled for it.
    pub pipelines: PipelineCache,
    /// The staging copies that wgpu itself was asked to map.
    pub staging: StagingBuffers,
    /// Its clock, where it keeps one.
    pub ticks: Option<TickClock>,
    /// How fast it spins.
    pub steps_per_nano: f64,
    /// The most workgroups to a side.
    pub most_groups: u32,
    /// Held during an operation where the device keeps no clock: what the host saw of two at once would overlap.
    pub turn: Mutex<()>,
    /// The device.
    pub gpu: WgpuDevice,
}

/// What compiles and runs kernels.
pub struct KernelRuntime<'a> {
    /// The device.
    pub gpu: &'a WgpuDevice,
    /// Its pipelines.
    pub pipelines: &'a PipelineCache,
}

impl WgpuDeviceState {
    /// Opens a device of `adapter` with buffers like `hosts`, for so many streams. What was measured of the adapter
    /// `before` is not measured again.
    ///
    /// # Errors
    /// The request is refused, the buffers do not fit, or the device does not run what every device must.
    pub fn open(
        adapter: &Adapter,
        hosts: &[Floats],
        streams: usize,
        before: Option<&Self>,
    ) -> Result<Self, BackendError> {
        let gpu = WgpuDevice::open(adapter)?;
        let buffers = buffers(&gpu, hosts)?;
        let mut lane = WgpuStream::new(&gpu.device);
        let pipelines = PipelineCache::default();
        let refused = |fault: ExecutionError| {
            BackendError::Refused(match fault {
                ExecutionError::Failed(reason) => reason,
                ExecutionError::Lost(reason) => {
                    format!("it was lost while it was opened ({reason})")
                }
                ExecutionError::Stopped => "it was lost while it was opened".to_owned(),
            })
        };
        let ticks = match before {
            Some(before) => before.ticks.clone(),
            None => gpu
                .guard(|| fit(adapter, &gpu, &mut lane))
                .map_err(refused)?,
        };
        let parts = KernelRuntime {
            gpu: &gpu,
            pipelines: &pipelines,
        };
        let length = |done: &SubmissionResult| length(ticks.as_ref(), done);
        let steps_per_nano = match before {
            Some(before) => before.steps_per_nano,
            None => gpu
                .guard(|| spin::calibrate(&mut lane, &parts, &length))
                .map_err(refused)?,
        };
        let lanes = (0..streams).map(|_| Mutex::new(WgpuStream::new(&gpu.device)));
        Ok(Self {
            buffers,
            lanes: lanes.collect(),
            pipelines,
            staging: StagingBuffers::new(&gpu.device),
            ticks,
            steps_per_nano,
            most_groups: gpu.device.limits().max_compute_workgroups_per_dimension,
            turn: Mutex::new(()),
            gpu,
        })
    }

    /// Gives the buffers the numbers of their copies on the host.
    ///
    /// # Errors
    /// The device was lost meanwhile.
    pub fn restore(&self, hosts: &[Floats]) -> Result<(), ExecutionError> {
        let mut lane = WgpuStream::new(&self.gpu.device);
        for (buffer, host) in self.buffers.iter().zip(hosts) {
            let staged = lane.stage(&self.gpu, host)?;
            lane.submit(&self.gpu, &|| false, None, |encoder| {
                encoder.copy_buffer_to_buffer(&staged, 0, buffer, 0, buffer.size());
            })?;
        }
        Ok(())
    }

    /// When a submission ran, in times counted from `zero`: as the device says, and never before it was submitted or
    /// after it was seen to have ended.
    pub fn interval(&self, zero: TimeOrigin, done: &SubmissionResult) -> Interval {
        let (start, end) = match (&self.ticks, done.ticks) {
            (Some(clock), Some([start, end])) => (clock.instant(start), clock.instant(end)),
            _ => (done.before, done.after),
        };
        let start = start.clamp(done.before, done.after);
        let end = end.clamp(start, done.after);
        Interval::new(zero.at(start), zero.at(end))
    }
}

/// How long a submission ran.
fn length(ticks: Option<&TickClock>, done: &SubmissionResult) -> Duration {
    match (ticks, done.ticks) {
        (Some(clock), Some([start, end])) => clock
            .instant(end)
            .saturating_duration_since(clock.instant(start)),
        _ => done.after - done.before,
    }
}

fn buffers(gpu: &WgpuDevice, hosts: &[Floats]) -> Result<Vec<Buffer>, BackendError> {
    let limits = gpu.device.limits();
    let most = limits
        .max_buffer_size
        .min(limits.max_storage_buffer_binding_size);
    let memory = gpu.device.push_error_scope(ErrorFilter::OutOfMemory);
    let validation = gpu.device.push_error_scope(ErrorFilter::Validation);
    let make = |host: &Floats| {
        gpu.device.create_buffer(&BufferDescriptor {
            label: None,
            size: bytes(host.len()),
            usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    };
    let too_large = hosts
        .iter()
        .map(|host| bytes(host.len()))
        .find(|size| *size > most);
    let buffers: Vec<Buffer> = match too_large {
        Some(_) => Vec::new(),
        None => hosts.iter().map(make).collect(),
    };
    let errors = [ready(validation.pop()), ready(memory.pop())];
    if let Some(size) = too_large {
        return Err(BackendError::BufferLimit { size, most });
    }
    match errors.into_iter().flatten().next() {
        Some(error) => Err(BackendError::DeviceMemory(error.to_string())),
        None => Ok(buffers),
    }
}

/// Reads the device's clock often enough to know what it is off by.
fn fit(
    adapter: &Adapter,
    gpu: &WgpuDevice,
    lane: &mut WgpuStream,
) -> Result<Option<TickClock>, ExecutionError> {
    const READINGS: usize = 16;
    let mut readings = Vec::new();
    for _ in 0..READINGS {
        let done = lane.submit(gpu, &|| false, None, |_| ())?;
        let Some([ticks, _]) = done.ticks else {
            return Ok(None);
        };
        readings.push(TickReading {
            before: done.before,
            ticks,
            after: done.after,
        });
    }
    let before = Instant::now();
    let host = adapter.get_presentation_timestamp();
    let between = before + before.elapsed() / 2;
    let host = (!host.is_invalid()).then_some((host.0 as u64, between));
    let period = f64::from(gpu.queue.get_timestamp_period());
    Ok(TickClock::fitted(period, &readings, host))
}

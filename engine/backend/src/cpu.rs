//! The embedded default: a worker thread for each stream, over buffers of relaxed atomics.

mod executor;
mod kernels;
mod memory;

pub(super) use executor::CpuExecutor;
pub(super) use kernels::{KernelWork, implementation};
pub(super) use memory::CpuMemory;

use super::spin::calibrate;
use super::threads::ThreadedDevice;
use super::{
    Backend, BackendDevice, BackendError, Caps, DeviceLayout, DeviceLimits, ProbedDevice,
    ReportSink,
};
use record::CompileTime;

/// Runs everything on threads of this machine.
pub(super) struct Cpu;

impl Backend for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn about(&self) -> &'static str {
        "Real work on this machine's processor: a thread for each stream, times from its monotonic clock"
    }

    fn probe(&self) -> Result<Vec<ProbedDevice>, BackendError> {
        let caps = caps();
        Ok(vec![ProbedDevice {
            name: name(caps.width),
            caps,
        }])
    }

    fn open(
        &self,
        layout: &DeviceLayout,
        sinks: &dyn Fn() -> Box<dyn ReportSink>,
    ) -> Result<Box<dyn BackendDevice>, BackendError> {
        calibrate();
        let executor = CpuExecutor::new(layout, caps())?;
        Ok(Box::new(ThreadedDevice::open(layout, sinks, executor)?))
    }
}

fn name(width: usize) -> String {
    let cores = if width == 1 { "core" } else { "cores" };
    format!("cpu, {width} {cores}")
}

pub(super) fn caps() -> Caps {
    let width = std::thread::available_parallelism().map_or(1, usize::from);
    let detail = if width == 1 {
        "streams share the only core, by turns".to_owned()
    } else {
        format!("up to {width} streams run at once; beyond that they share cores by turns")
    };
    Caps {
        overlap: true,
        queue: false,
        priorities: false,
        deterministic: false,
        software: false,
        width,
        clock: "the host's monotonic clock".into(),
        pipelines: CompileTime::Never,
        losses: (&[]).into(),
        graphs: false,
        limits: DeviceLimits::default(),
        detail,
        paced: None,
    }
}

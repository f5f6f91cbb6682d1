//! Real work on a graphics device through wgpu: one queue, its operations timed by the device itself.

mod adapter;
mod binding;
mod clock;
mod device_drop;
mod device_state;
mod executor;
mod gpu;
#[cfg(not(target_vendor = "apple"))]
mod loss_hook;
mod native;
mod panic_guard;
mod pipelines;
mod ready_future;
mod spin;
mod stream_slot;
mod timestamps;
mod wayland;

pub use wayland::silence as silence_wayland;

use executor::WgpuExecutor;

use super::threads::ThreadedDevice;
use super::{Backend, BackendDevice, BackendError, DeviceLayout, ProbedDevice, ReportSink};

/// Runs everything on an adapter that wgpu finds.
pub(super) struct Wgpu;

impl Backend for Wgpu {
    fn name(&self) -> &'static str {
        "wgpu"
    }

    fn about(&self) -> &'static str {
        "Real work on a graphics device through wgpu (Vulkan, Metal, Direct3D 12): one queue, times from the device's \
         own timestamps"
    }

    fn probe(&self) -> Result<Vec<ProbedDevice>, BackendError> {
        adapter::found()
    }

    fn open(
        &self,
        layout: &DeviceLayout,
        sinks: &dyn Fn() -> Box<dyn ReportSink>,
    ) -> Result<Box<dyn BackendDevice>, BackendError> {
        let executor = WgpuExecutor::open(layout)?;
        Ok(Box::new(ThreadedDevice::open(layout, sinks, executor)?))
    }
}

//! Real work on an NVIDIA device through its driver: streams, events, graphs and faults as CUDA has them.

mod clock;
mod code;
mod compile;
mod context;
mod cupti;
mod device_state;
mod devices;
mod driver;
mod event;
mod executor;
mod faults;
mod functions;
mod graph;
mod host;
mod in_flight;
mod kernels;
mod memory;
mod module;
mod nvrtc;
mod stand_in;
mod stream;
mod stream_slot;
mod submit;

pub use devices::look_apart;
pub use kernels::SOURCES;
pub use nvrtc::Nvrtc;
pub use stand_in::{VARIABLE, path as stand_in_path, use_stand_in};

use executor::CudaExecutor;

use super::threads::ThreadedDevice;
use super::{Backend, BackendDevice, BackendError, DeviceLayout, ProbedDevice, ReportSink};

/// Runs everything on an NVIDIA device.
pub(super) struct Cuda;

impl Backend for Cuda {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn about(&self) -> &'static str {
        "Real work on an NVIDIA device through CUDA's driver: its own streams, events and graphs, times from CUPTI's \
         records or from timing events; so far it has been run on the tests' stand-in for the driver only"
    }

    fn ends_processes(&self) -> bool {
        true
    }

    fn probe(&self) -> Result<Vec<ProbedDevice>, BackendError> {
        devices::look()
    }

    fn open(
        &self,
        layout: &DeviceLayout,
        sinks: &dyn Fn() -> Box<dyn ReportSink>,
    ) -> Result<Box<dyn BackendDevice>, BackendError> {
        let executor = CudaExecutor::open(layout)?;
        Ok(Box::new(ThreadedDevice::open(layout, sinks, executor)?))
    }
}

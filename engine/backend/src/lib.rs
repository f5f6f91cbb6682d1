//! What runs calls on one kind of device: the contract, and the list of those that keep it.
//!
//! ```
//! // The processor is there on every machine; whether a driver is, its backend is asked.
//! let cpu = backend::find_backend("cpu").ok_or("every build has it")?;
//! assert!(cpu.probe().is_ok());
//! for backend in backend::BACKENDS {
//!     println!("{}", backend.name());
//! }
//! # Ok::<(), &'static str>(())
//! ```

mod activity;
mod available_memory;
mod caps;
mod communicator;
mod compile;
mod context_switches;
mod cpu;
mod cuda;
mod device;
mod dispatch;
mod error;
mod flag;
mod floats;
mod layout;
mod library;
mod limits;
mod loss;
mod mock;
mod native;
mod operation_check;
mod operation_failure;
mod overhead;
mod paced;
mod prepared_launch;
mod replay;
mod shader;
mod spin;
mod system_thread;
mod threads;
mod wgpu;
mod work_flow;
mod worker;

pub use self::wgpu::silence_wayland;
pub use activity::{Activity, Blocker, HostActivity, StreamActivity};
pub use caps::Caps;
pub use communicator::{CollectiveInterruption, Communicator, Exchange};
pub use compile::{CacheUse, CompileError, CompileRequest, CompiledPipeline, ShaderMessage};
pub use context_switches::ContextSwitches;
#[doc(hidden)]
pub use cuda::use_stand_in as use_cuda_stand_in;
pub use cuda::{
    Nvrtc as CudaCompiler, SOURCES as CUDA_KERNELS, VARIABLE as CUDA_STAND_IN, look_apart,
    stand_in_path,
};
pub use device::{
    BackendDevice, BufferSide, DeviceBuffers, DeviceCompiler, DeviceQueue, DeviceRecovery,
    DeviceState, DeviceTime, DeviceWaiting, HostIndex,
};
pub use error::BackendError;
pub use flag::{Alarm, Flag};
pub use layout::{
    Callback, DeviceLayout, EventLayout, Operation, StreamLayout, StreamPosition, Submission,
};
pub use library::{ENTRY, kernel_shader};
pub use limits::{DeviceLimits, Dimensions};
pub use loss::LossReport;
pub use native::{NativeAnswer, NativeErrorFilter, NativeMapMode, NativeQuery, PendingAnswer};
pub use overhead::Overhead;
pub use paced::PaceLayout;
pub use prepared_launch::{BackendState, PreparedLaunch};
pub use replay::{ExecutableGraph, GraphNode, Replay};
pub use system_thread::{SystemThread, ThreadTimes};
pub use threads::{check_processes, check_threads};
pub use worker::{declare_worker, is_worker};

use record::Record;

/// Every backend, the embedded default first. [`mock`] is here too: it is for tests and golden texts.
///
/// [`mock`]: crate#backends
pub static BACKENDS: &[&dyn Backend] = &[
    &cpu::Cpu,
    &paced::Paced,
    &wgpu::Wgpu,
    &cuda::Cuda,
    &mock::Mock,
];

/// The backend called `name`.
pub fn find_backend(name: &str) -> Option<&'static dyn Backend> {
    BACKENDS.iter().copied().find(|found| found.name() == name)
}

/// The backend that runs where none was chosen: wgpu where it finds a graphics device, else the embedded one. With the
/// reason, in words for the screen.
pub fn default_backend() -> (&'static dyn Backend, String) {
    let embedded = |reason| (&cpu::Cpu as &'static dyn Backend, reason);
    match wgpu::Wgpu.probe() {
        Err(error) => embedded(format!("the cpu backend runs: {error}")),
        Ok(found) => match found.first() {
            Some(best) if !best.caps.software => {
                let reason = format!("wgpu runs on {}, the best adapter here", best.name);
                (&wgpu::Wgpu, reason)
            }
            _ => embedded(
                "the cpu backend runs: wgpu finds software adapters alone, which can be chosen"
                    .to_owned(),
            ),
        },
    }
}

/// The position in `found` of the device that `selector` names: its position, counted
/// from 0, or a part of its name in either case. Empty stands for the first, which is the best.
///
/// # Errors
/// None is called so.
pub fn pick(found: &[ProbedDevice], selector: &str) -> Result<usize, BackendError> {
    let wanted = selector.to_lowercase();
    let is_meant = |found: &ProbedDevice| found.name.to_lowercase().contains(&wanted);
    let by_position = selector.parse().ok().filter(|at| *at < found.len());
    let place = by_position.or_else(|| found.iter().position(is_meant));
    place.ok_or_else(|| {
        let names: Vec<_> = found.iter().map(|found| found.name.as_str()).collect();
        BackendError::Absent(format!(
            "none is called “{selector}”; there are {}",
            names.join(", ")
        ))
    })
}

/// Runs calls on one kind of device. Always compiled, and probed at run time.
pub trait Backend: Sync {
    /// One lower-case word, as in `--backend cpu`.
    fn name(&self) -> &'static str;

    /// One sentence that says what it runs on and what its times mean.
    fn about(&self) -> &'static str;

    /// Whether a fault of its device ends what its whole process can do: such runs belong into a process of their own.
    fn ends_processes(&self) -> bool {
        false
    }

    /// The devices that are here.
    ///
    /// # Errors
    /// Why there is none, in words for the user.
    fn probe(&self) -> Result<Vec<ProbedDevice>, BackendError>;

    /// Opens the device that `layout` names and makes the streams, events, buffers and signals of `layout` on it.
    /// Each thread of the device reports through a sink of its own, which `sinks` makes.
    ///
    /// # Errors
    /// There is no device, or `layout` does not fit it.
    fn open(
        &self,
        layout: &DeviceLayout,
        sinks: &dyn Fn() -> Box<dyn ReportSink>,
    ) -> Result<Box<dyn BackendDevice>, BackendError>;
}

/// A device that a probe found.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbedDevice {
    /// What people call it.
    pub name: String,
    /// What it can and cannot do.
    pub caps: Caps,
}

/// Takes what a backend reports. Each thread owns one.
pub trait ReportSink: Send {
    /// Takes one record; never blocks for long, never loses it.
    fn report(&mut self, record: Record);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_explained() {
        for (place, backend) in BACKENDS.iter().enumerate() {
            assert!(!backend.about().is_empty());
            let mut others = BACKENDS.iter().skip(place + 1);
            assert!(others.all(|other| other.name() != backend.name()));
        }
        let all: Vec<ProbedDevice> = ["Big GPU", "small gpu"]
            .map(|name| ProbedDevice {
                name: name.to_owned(),
                ..BACKENDS[0].probe().unwrap()[0].clone()
            })
            .into();
        let place = |selector| pick(&all, selector).ok();
        assert_eq!(
            ["", "SMALL", "1", "gpu", "2"].map(place),
            [Some(0), Some(1), Some(1), Some(0), None]
        );
        let (chosen, reason) = default_backend();
        assert!(chosen.probe().is_ok() && reason.contains(chosen.name()));
        assert_eq!(BACKENDS.first().map(|first| first.name()), Some("cpu"));
    }
}

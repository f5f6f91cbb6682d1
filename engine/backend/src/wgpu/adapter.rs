//! The adapters that wgpu finds: the best first, software last and called so.

use std::sync::OnceLock;

use ::wgpu::{
    Adapter, AdapterInfo, Backends, DeviceType, Features, Instance, InstanceDescriptor,
    InstanceFlags,
};

use super::ready_future::ready;
use super::wayland;
use crate::{BackendError, Caps, DeviceLimits, ProbedDevice, pick};
use record::{CompileTime, LossKind};

/// What is said of times where the device keeps them.
const DEVICE_CLOCK: &str = "the device's timestamps, converted to the host's clock";
/// What is said of times where the device keeps none.
const HOST_CLOCK: &str = "the host's clock: when it saw each operation end";

/// The adapters that are here, found once.
pub fn found() -> Result<Vec<ProbedDevice>, BackendError> {
    static FOUND: OnceLock<Vec<ProbedDevice>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let adapters = sorted(&instance());
        adapters.iter().map(describe).collect()
    });
    if found.is_empty() {
        return Err(absent());
    }
    Ok(found.clone())
}

fn absent() -> BackendError {
    BackendError::Absent(
        "wgpu finds no adapter of Vulkan, Metal or Direct3D 12: install a graphics driver, or Mesa's software one \
         (mesa-vulkan-drivers)"
            .to_owned(),
    )
}

/// An instance of this run's own, the adapter that `selector` names, and what it is.
///
/// # Errors
/// There is none, or none that is called so.
pub fn open(selector: &str) -> Result<(Instance, Adapter, ProbedDevice), BackendError> {
    let instance = instance();
    let mut adapters = sorted(&instance);
    let found: Vec<ProbedDevice> = adapters.iter().map(describe).collect();
    if found.is_empty() {
        return Err(absent());
    }
    let place = pick(&found, selector)?;
    let adapter = adapters.swap_remove(place);
    let found = describe(&adapter);
    Ok((instance, adapter, found))
}

/// Whether timestamps can be written.
pub fn has_timestamps(features: Features) -> bool {
    features.contains(Features::TIMESTAMP_QUERY)
}

fn instance() -> Instance {
    // With the last instance of a process the loader unloads the driver, and NVIDIA's can be loaded a few dozen times and
    // then never again. So one is kept.
    static KEPT: OnceLock<Instance> = OnceLock::new();
    KEPT.get_or_init(new_instance);
    new_instance()
}

fn new_instance() -> Instance {
    wayland::silence();
    Instance::new(InstanceDescriptor {
        backends: Backends::PRIMARY - Backends::BROWSER_WEBGPU,
        flags: InstanceFlags::empty(),
        ..InstanceDescriptor::new_without_display_handle()
    })
}

fn sorted(instance: &Instance) -> Vec<Adapter> {
    let mut adapters = ready(instance.enumerate_adapters(Backends::PRIMARY));
    adapters.sort_by_key(|adapter| rank(adapter.get_info().device_type));
    adapters
}

const fn rank(kind: DeviceType) -> u8 {
    match kind {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    }
}

fn describe(adapter: &Adapter) -> ProbedDevice {
    let info = adapter.get_info();
    let limits = adapter.limits();
    let software = info.device_type == DeviceType::Cpu;
    let kind = if software { "software" } else { "hardware" };
    let pipelines = compile_time(&info);
    let clock = if has_timestamps(adapter.features()) {
        DEVICE_CLOCK
    } else {
        HOST_CLOCK
    };
    let detail = format!(
        "{kind}, by {}; one queue: streams take turns; {}",
        info.backend,
        pipelines.about()
    );
    let caps = Caps {
        paced: None,
        overlap: false,
        queue: true,
        priorities: false,
        deterministic: false,
        software,
        width: 1,
        clock: clock.into(),
        pipelines,
        losses: if info.backend == ::wgpu::Backend::Vulkan {
            (&[LossKind::Destroyed, LossKind::Unknown]).into()
        } else {
            (&[LossKind::Destroyed]).into()
        },
        graphs: false,
        limits: DeviceLimits {
            buffer_bytes: limits
                .max_buffer_size
                .min(limits.max_storage_buffer_binding_size),
            workgroup_invocations: limits.max_compute_invocations_per_workgroup,
            workgroup_size: [
                limits.max_compute_workgroup_size_x,
                limits.max_compute_workgroup_size_y,
                limits.max_compute_workgroup_size_z,
            ],
        },
        detail,
    };
    let name = if software {
        format!("{} (software)", info.name)
    } else {
        info.name
    };
    ProbedDevice { name, caps }
}

/// How often the loops of one invocation may turn: Mesa's software driver ends them after 65535, and says nothing.
pub fn most_turns(found: &ProbedDevice) -> u64 {
    match found.caps.pipelines {
        CompileTime::FirstUse => 65_000,
        _ => u64::MAX,
    }
}

/// Mesa's software driver generates code when a pipeline is dispatched first, whenever it was created.
fn compile_time(info: &AdapterInfo) -> CompileTime {
    if info.driver.contains("llvmpipe") || info.name.contains("llvmpipe") {
        CompileTime::FirstUse
    } else {
        CompileTime::Creation
    }
}

//! A Vulkan device whose driver can be made to report a loss: its table of functions has one of ours in it.
#![expect(
    unsafe_code,
    reason = "wgpu has no way to lose a device as a driver does; Vulkan's own functions are called to make one"
)]

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use ::wgpu::{Adapter, Device, DeviceDescriptor, Queue, hal};
use ash::vk::{self, Handle as _};
use hal::vulkan;

use device::lock;

/// Makes the driver of one device report a loss.
pub struct LossHook {
    is_armed: Arc<AtomicBool>,
}

/// The real function behind ours, for each queue.
struct HookedQueues {
    queue: u64,
    submit: vk::PFN_vkQueueSubmit,
    is_armed: Arc<AtomicBool>,
}

static HOOKED: Mutex<Vec<HookedQueues>> = Mutex::new(Vec::new());

impl LossHook {
    /// Runs `act`; meanwhile every submission to the queue reports that the device is lost.
    pub fn while_armed<T>(&self, act: impl FnOnce() -> T) -> T {
        // Also where it panics: what is submitted later by others is not to be lost.
        let _armed = ArmedHook::new(&self.is_armed);
        act()
    }
}

/// A hook that is armed; dropped, it is not any more.
struct ArmedHook<'a>(&'a AtomicBool);

impl<'a> ArmedHook<'a> {
    fn new(is_armed: &'a AtomicBool) -> Self {
        is_armed.store(true, SeqCst);
        Self(is_armed)
    }
}

impl Drop for ArmedHook<'_> {
    fn drop(&mut self) {
        self.0.store(false, SeqCst);
    }
}

impl LossHook {
    /// The hook of a queue. The driver may give it the number of one that is gone, whose hook has not been dropped yet: from
    /// now on it is this one's.
    fn new(queue: u64, submit: vk::PFN_vkQueueSubmit) -> Self {
        let is_armed = Arc::new(AtomicBool::new(false));
        let mut hooked = lock(&HOOKED);
        hooked.retain(|it| it.queue != queue);
        hooked.push(HookedQueues {
            queue,
            submit,
            is_armed: Arc::clone(&is_armed),
        });
        Self { is_armed }
    }
}

impl Drop for LossHook {
    fn drop(&mut self) {
        lock(&HOOKED).retain(|hooked| !Arc::ptr_eq(&hooked.is_armed, &self.is_armed));
    }
}

/// Opens a device with the hook, or nothing where the adapter is not one of Vulkan or does not play along.
pub fn open(adapter: &Adapter, wanted: &DeviceDescriptor<'_>) -> Option<(Device, Queue, LossHook)> {
    // SAFETY: the adapter's handle is read, and never destroyed.
    let inner = unsafe { adapter.as_hal::<hal::api::Vulkan>() }?;
    let raw = create(&inner, wanted)?;
    // SAFETY: the device was made by this instance, and `vkGetDeviceQueue` of a family and place it was made with.
    let queue = unsafe { raw.get_device_queue(FAMILY, 0) };
    let hook = LossHook::new(queue.as_raw(), raw.fp_v1_0().queue_submit);
    let hooked = hooked_table(&inner, &raw);
    let extensions = inner.required_device_extensions(wanted.required_features);
    // SAFETY: the device was made from this adapter with these extensions, features and queue, and nobody else
    // destroys it: without a callback it is wgpu's from here on.
    let opened = unsafe {
        inner.device_from_raw(
            hooked,
            None,
            &extensions,
            wanted.required_features,
            &wanted.required_limits,
            &wanted.memory_hints,
            FAMILY,
            0,
        )
    };
    drop(inner);
    // SAFETY: the device is of this adapter and has the features that are wanted.
    let opened = unsafe { adapter.create_device_from_hal(opened.ok()?, wanted) };
    let (device, queue) = opened.ok()?;
    Some((device, queue, hook))
}

/// The family of queues that wgpu takes.
const FAMILY: u32 = 0;

/// `vkCreateDevice`, as wgpu would call it.
fn create(adapter: &vulkan::Adapter, wanted: &DeviceDescriptor<'_>) -> Option<ash::Device> {
    let extensions = adapter.required_device_extensions(wanted.required_features);
    let mut features = adapter.physical_device_features(&extensions, wanted.required_features);
    let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(FAMILY)
        .queue_priorities(&[1.0])];
    let given = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names);
    let given = features.add_to_device_create(given);
    let instance = adapter.shared_instance().raw_instance();
    // SAFETY: the physical device is of this instance; what `given` points at lives until the call returns.
    let device = unsafe { instance.create_device(adapter.raw_physical_device(), &given, None) };
    device.ok()
}

/// The device's functions, with ours for submissions.
fn hooked_table(adapter: &vulkan::Adapter, device: &ash::Device) -> ash::Device {
    let instance = adapter.shared_instance().raw_instance();
    let handle = device.handle();
    let find = |name: &std::ffi::CStr| -> *const std::ffi::c_void {
        if name == c"vkQueueSubmit" {
            return submit as vk::PFN_vkQueueSubmit as *const std::ffi::c_void;
        }
        // SAFETY: the device is alive, and the name ends in a zero.
        let found = unsafe { (instance.fp_v1_0().get_device_proc_addr)(handle, name.as_ptr()) };
        found.map_or(std::ptr::null(), |found| found as *const std::ffi::c_void)
    };
    // SAFETY: every function is this device's, or ours with the same signature.
    unsafe { ash::Device::load_with(find, handle) }
}

/// The driver's own function for a queue, and whether its hook is armed.
fn behind(queue: u64) -> Option<(vk::PFN_vkQueueSubmit, bool)> {
    let hooked = lock(&HOOKED);
    let found = hooked.iter().find(|hooked| hooked.queue == queue);
    found.map(|found| (found.submit, found.is_armed.load(SeqCst)))
}

/// Stands for `vkQueueSubmit`: reports a loss while the queue's hook is armed, and submits otherwise.
// SAFETY: Vulkan's callers alone call it, by the rules of that function.
unsafe extern "system" fn submit(
    queue: vk::Queue,
    count: u32,
    submissions: *const vk::SubmitInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    match behind(queue.as_raw()) {
        // SAFETY: the caller keeps the rules of `vkQueueSubmit`, and this is the driver's own.
        Some((real, false)) => unsafe { real(queue, count, submissions, fence) },
        _ => vk::Result::ERROR_DEVICE_LOST,
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// The number of a queue of no device.
    const QUEUE: u64 = u64::MAX;

    #[test]
    fn a_number_that_is_given_again_is_the_new_queues() {
        let old = LossHook::new(QUEUE, submit);
        let new = LossHook::new(QUEUE, submit);
        let armed = || behind(QUEUE).map(|found| found.1);
        assert_eq!(new.while_armed(armed), Some(true));
        assert_eq!(old.while_armed(armed), Some(false));
        drop(old);
        assert_eq!(new.while_armed(armed), Some(true));
        drop(new);
        assert_eq!(armed(), None);
    }

    #[test]
    fn a_panic_disarms_it() {
        let hook = LossHook {
            is_armed: Arc::default(),
        };
        let act = || {
            hook.while_armed(|| {
                assert!(hook.is_armed.load(SeqCst));
                panic!("as a validation of wgpu's does");
            });
        };
        assert!(catch_unwind(AssertUnwindSafe(act)).is_err());
        assert!(!hook.is_armed.load(SeqCst));
    }
}

//! Devices: their calls, some of which go wrong. A device that was lost stays so: it takes nothing, and answers every wait.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ash::vk::{self, Handle as _};

use super::fault::{self, FaultPlace};
use super::{chain, instance};

/// A device, and what is below this layer in it.
#[derive(Clone, Copy)]
struct LayeredDevice {
    key: usize,
    handle: u64,
    below: vk::PFN_vkGetDeviceProcAddr,
    is_lost: bool,
}

static DEVICES: Mutex<Vec<LayeredDevice>> = Mutex::new(Vec::new());

fn devices() -> MutexGuard<'static, Vec<LayeredDevice>> {
    DEVICES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LayeredDevice {
    /// The device that a handle is one of.
    fn of<T: vk::Handle>(handle: T) -> Option<Self> {
        // SAFETY: a handle that is used in a call is alive.
        let key = unsafe { chain::key(handle) };
        devices().iter().find(|it| it.key == key).copied()
    }

    /// The function of this name below.
    ///
    /// # Safety
    /// `T` is the type of the function of this name.
    unsafe fn function<T>(&self, name: &std::ffi::CStr) -> Option<T> {
        // SAFETY: the device is alive while one of its calls is made.
        let found = unsafe { (self.below)(vk::Device::from_raw(self.handle), name.as_ptr()) }?;
        // SAFETY: a pointer to a function, of the type that the caller says.
        Some(unsafe { std::mem::transmute_copy(&found) })
    }

    /// A call of this sort is made: what it is answered, where it is not passed on.
    fn answer(&self, place: FaultPlace) -> Option<vk::Result> {
        if self.is_lost {
            return Some(vk::Result::ERROR_DEVICE_LOST);
        }
        let answer = fault::next(place)?;
        if answer == vk::Result::ERROR_DEVICE_LOST {
            let mut all = devices();
            if let Some(found) = all.iter_mut().find(|it| it.key == self.key) {
                found.is_lost = true;
            }
            drop(all);
            // The driver's own work comes to its end before the program takes its objects away.
            self.drain();
        }
        Some(answer)
    }

    fn drain(&self) {
        // SAFETY: the name is that of the type.
        let wait: Option<vk::PFN_vkDeviceWaitIdle> = unsafe { self.function(c"vkDeviceWaitIdle") };
        if let Some(wait) = wait {
            // SAFETY: the device is alive while one of its calls is made.
            let _ = unsafe { wait(vk::Device::from_raw(self.handle)) };
        }
    }
}

/// `vkGetDeviceProcAddr` of what is below this layer in a device.
pub fn below(device: vk::Device) -> Option<vk::PFN_vkGetDeviceProcAddr> {
    LayeredDevice::of(device).map(|found| found.below)
}

/// `vkCreateDevice`.
pub unsafe extern "system" fn create(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocation: *const vk::AllocationCallbacks<'_>,
    made: *mut vk::Device,
) -> vk::Result {
    let failed = vk::Result::ERROR_INITIALIZATION_FAILED;
    // SAFETY: the physical device is alive, and shares its key with its instance.
    let Some(instance) = instance::find(unsafe { chain::key(physical) }) else {
        return failed;
    };
    // SAFETY: the caller gives a structure that is alive, with the loader's chain.
    let link = unsafe {
        info.as_ref()
            .and_then(|it| chain::advance(it.p_next, chain::DEVICE))
    };
    let Some((link, below)) = link.and_then(|link| Some((link, link.second?))) else {
        return failed;
    };
    let of = vk::Instance::from_raw(instance.handle);
    // SAFETY: the name is that of the type, and the instance is alive, since its physical device is.
    let create: Option<vk::PFN_vkCreateDevice> =
        unsafe { instance::function(link.instance_function, of, c"vkCreateDevice".as_ptr()) };
    let Some(create) = create else {
        return failed;
    };
    // SAFETY: as the caller called this.
    let result = unsafe { create(physical, info, allocation, made) };
    if result == vk::Result::SUCCESS {
        // SAFETY: it was written by the call that succeeded, and the device is alive.
        let (handle, key) = unsafe { (*made, chain::key(*made)) };
        let mut all = devices();
        all.retain(|it| it.key != key);
        all.push(LayeredDevice {
            key,
            handle: handle.as_raw(),
            below,
            is_lost: false,
        });
    }
    result
}

/// `vkDestroyDevice`.
pub unsafe extern "system" fn destroy(
    device: vk::Device,
    allocation: *const vk::AllocationCallbacks<'_>,
) {
    let Some(found) = (!device.is_null())
        .then(|| LayeredDevice::of(device))
        .flatten()
    else {
        return;
    };
    fault::note(&format!("{} submissions", fault::submissions()));
    // SAFETY: the name is that of the type.
    let destroy: Option<vk::PFN_vkDestroyDevice> = unsafe { found.function(c"vkDestroyDevice") };
    devices().retain(|it| it.key != found.key);
    if let Some(destroy) = destroy {
        // SAFETY: as the caller called this.
        unsafe { destroy(device, allocation) };
    }
}

/// Declares a call that is answered by this layer where it goes wrong, and passed on otherwise.
macro_rules! calls {
    ($($(#[$about:meta])* $name:ident = $below:literal: $kind:ty, $place:expr,
        ($of:ident: $first:ty $(, $argument:ident: $sort:ty)*);)*) => {$(
        $(#[$about])*
        pub unsafe extern "system" fn $name($of: $first $(, $argument: $sort)*) -> vk::Result {
            let Some(device) = LayeredDevice::of($of) else {
                return vk::Result::ERROR_DEVICE_LOST;
            };
            let place: Option<FaultPlace> = $place;
            let answer = match place {
                Some(place) => device.answer(place),
                None => device.is_lost.then_some(vk::Result::ERROR_DEVICE_LOST),
            };
            if let Some(answer) = answer {
                return answer;
            }
            // SAFETY: the name is that of the type.
            let below: Option<$kind> = unsafe { device.function($below) };
            match below {
                // SAFETY: as the caller called this.
                Some(below) => unsafe { below($of $(, $argument)*) },
                None => vk::Result::ERROR_DEVICE_LOST,
            }
        }
    )*};
}

calls! {
    /// `vkQueueSubmit`.
    submit = c"vkQueueSubmit": vk::PFN_vkQueueSubmit, Some(FaultPlace::Submission),
        (queue: vk::Queue, count: u32, all: *const vk::SubmitInfo<'_>, fence: vk::Fence);
    /// `vkQueueWaitIdle`.
    wait_for_queue = c"vkQueueWaitIdle": vk::PFN_vkQueueWaitIdle, Some(FaultPlace::HostWait),
        (queue: vk::Queue);
    /// `vkDeviceWaitIdle`.
    wait_for_all = c"vkDeviceWaitIdle": vk::PFN_vkDeviceWaitIdle, Some(FaultPlace::HostWait),
        (device_: vk::Device);
    /// `vkWaitForFences`.
    wait_for_fences = c"vkWaitForFences": vk::PFN_vkWaitForFences, Some(FaultPlace::HostWait),
        (of: vk::Device, count: u32, fences: *const vk::Fence, all: vk::Bool32, timeout: u64);
    /// `vkWaitSemaphores`.
    wait_for_semaphores = c"vkWaitSemaphores": vk::PFN_vkWaitSemaphores, Some(FaultPlace::HostWait),
        (of: vk::Device, info: *const vk::SemaphoreWaitInfo<'_>, timeout: u64);
    /// `vkGetFenceStatus`.
    ask_fence = c"vkGetFenceStatus": vk::PFN_vkGetFenceStatus, None,
        (of: vk::Device, fence: vk::Fence);
    /// `vkGetSemaphoreCounterValue`.
    ask_semaphore = c"vkGetSemaphoreCounterValue": vk::PFN_vkGetSemaphoreCounterValue, None,
        (of: vk::Device, semaphore: vk::Semaphore, value: *mut u64);
}

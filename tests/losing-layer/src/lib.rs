//! A layer of Vulkan between a program and its driver, for Syncline's tests alone: it counts submissions and waits, and at
//! the one that is asked for it answers as a driver does that has lost its device, or has no memory left.
#![expect(
    unsafe_code,
    reason = "it is called by C's conventions, with structures of the loader and of its caller"
)]

mod chain;
mod device;
mod fault;
mod instance;

use std::ffi::{CStr, c_char, c_void};

use ash::vk;

use self::chain::Negotiation;

/// The version of the interface between loaders and layers that this is written for.
const INTERFACE: u32 = 2;

/// What the loader asks for first. It calls nothing below.
#[unsafe(no_mangle)]
unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
    negotiation: *mut Negotiation,
) -> vk::Result {
    // SAFETY: the loader gives its own structure, which nobody else has meanwhile.
    let Some(negotiation) = (unsafe { negotiation.as_mut() }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    negotiation.version = negotiation.version.min(INTERFACE);
    negotiation.instance_function = Some(instance_function);
    negotiation.device_function = Some(device_function);
    negotiation.physical_device_function = None;
    fault::note("loaded");
    vk::Result::SUCCESS
}

/// `vkGetInstanceProcAddr`: ours where there is one, else that of what is below.
unsafe extern "system" fn instance_function(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller gives a text that ends in a zero.
    let name = unsafe { CStr::from_ptr(name) };
    if let Some(own) = own(name) {
        return Some(own);
    }
    let below = instance::below(instance)?;
    // SAFETY: the instance is alive, and the function is that of the next layer or driver.
    unsafe { below(instance, name.as_ptr()) }
}

/// `vkGetDeviceProcAddr`: what is below is asked first, since a function that it has not must not seem to be there.
unsafe extern "system" fn device_function(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    let below = device::below(device)?;
    // SAFETY: the device is alive, and the function is that of the next layer or driver.
    let found = unsafe { below(device, name) }?;
    // SAFETY: the caller gives a text that ends in a zero.
    own(unsafe { CStr::from_ptr(name) }).or(Some(found))
}

/// The function of this layer by a name, where it has one.
fn own(name: &CStr) -> vk::PFN_vkVoidFunction {
    let of_layer: *const c_void = match name.to_bytes() {
        b"vkGetInstanceProcAddr" => {
            instance_function as vk::PFN_vkGetInstanceProcAddr as *const c_void
        }
        b"vkGetDeviceProcAddr" => device_function as vk::PFN_vkGetDeviceProcAddr as *const c_void,
        b"vkCreateInstance" => instance::create as vk::PFN_vkCreateInstance as *const c_void,
        b"vkCreateDevice" => device::create as vk::PFN_vkCreateDevice as *const c_void,
        b"vkDestroyDevice" => device::destroy as vk::PFN_vkDestroyDevice as *const c_void,
        b"vkQueueSubmit" => device::submit as vk::PFN_vkQueueSubmit as *const c_void,
        b"vkQueueWaitIdle" => device::wait_for_queue as vk::PFN_vkQueueWaitIdle as *const c_void,
        b"vkDeviceWaitIdle" => device::wait_for_all as vk::PFN_vkDeviceWaitIdle as *const c_void,
        b"vkWaitForFences" => device::wait_for_fences as vk::PFN_vkWaitForFences as *const c_void,
        b"vkGetFenceStatus" => device::ask_fence as vk::PFN_vkGetFenceStatus as *const c_void,
        b"vkWaitSemaphores" | b"vkWaitSemaphoresKHR" => {
            device::wait_for_semaphores as vk::PFN_vkWaitSemaphores as *const c_void
        }
        b"vkGetSemaphoreCounterValue" | b"vkGetSemaphoreCounterValueKHR" => {
            device::ask_semaphore as vk::PFN_vkGetSemaphoreCounterValue as *const c_void
        }
        _ => return None,
    };
    // SAFETY: it is a function; whoever asked for it by its name calls it by that name's signature.
    Some(unsafe { std::mem::transmute::<*const c_void, unsafe extern "system" fn()>(of_layer) })
}

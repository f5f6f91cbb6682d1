//! The structures by which a loader tells a layer what is below it: `vk_layer.h`, which is no part of Vulkan's own headers.

use std::ffi::c_void;

use ash::vk;

/// `VkNegotiateLayerInterface`.
#[repr(C)]
pub struct Negotiation {
    kind: u32,
    next: *mut c_void,
    /// The version of the interface: the loader's before, the layer's after.
    pub version: u32,
    /// `vkGetInstanceProcAddr` of the layer.
    pub instance_function: Option<vk::PFN_vkGetInstanceProcAddr>,
    /// `vkGetDeviceProcAddr` of the layer.
    pub device_function: Option<vk::PFN_vkGetDeviceProcAddr>,
    /// The same for physical devices, which this layer has not.
    pub physical_device_function: Option<vk::PFN_vkGetInstanceProcAddr>,
}

/// `VkLayerInstanceCreateInfo` and `VkLayerDeviceCreateInfo`, which are laid out alike.
#[repr(C)]
pub struct ChainLink {
    kind: i32,
    next: *const Self,
    function: u32,
    layer: *mut LayerLink,
}

/// `VkLayerInstanceLink` and `VkLayerDeviceLink`, as far as both have it.
#[repr(C)]
pub struct LayerLink {
    next: *mut Self,
    /// `vkGetInstanceProcAddr` of what is below.
    pub instance_function: vk::PFN_vkGetInstanceProcAddr,
    /// For an instance that of physical devices, for a device `vkGetDeviceProcAddr`.
    pub second: Option<vk::PFN_vkGetDeviceProcAddr>,
}

/// `VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO`.
pub const INSTANCE: i32 = 47;
/// `VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO`.
pub const DEVICE: i32 = 48;
/// `VK_LAYER_LINK_INFO`.
const LINK: u32 = 0;

/// What is below this layer, by the chain that begins at `first`; the layer below finds the one below itself there next.
///
/// # Safety
/// `first` is the chain of a structure that the loader gave to `vkCreateInstance` or `vkCreateDevice`, and `kind` is of that
/// call.
pub unsafe fn advance(first: *const c_void, kind: i32) -> Option<&'static LayerLink> {
    let mut at = first.cast_mut().cast::<ChainLink>();
    // SAFETY: every structure of a chain begins with its kind and the next, and the loader ends it with a null.
    while let Some(link) = unsafe { at.as_mut() } {
        if link.kind == kind && link.function == LINK {
            // SAFETY: the loader's links are alive for as long as the call, which is all that they are used for.
            let below = unsafe { link.layer.as_ref() }?;
            link.layer = below.next;
            return Some(below);
        }
        at = link.next.cast_mut();
    }
    None
}

/// What a handle is known by: the first pointer in it, which all queues of a device share with it.
///
/// # Safety
/// The handle is one of an instance, a physical device, a device or a queue that is alive.
pub unsafe fn key<T: vk::Handle>(handle: T) -> usize {
    let address = handle.as_raw() as *const usize;
    // SAFETY: such a handle is the address of an object that begins with a pointer.
    unsafe { address.as_ref() }.copied().unwrap_or_default()
}

//! Instances: what is below each.

use std::ffi::c_char;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ash::vk::{self, Handle as _};

use super::chain;

/// An instance, and what is below this layer in it.
#[derive(Clone, Copy)]
pub struct LayeredInstance {
    key: usize,
    /// The instance.
    pub handle: u64,
    /// `vkGetInstanceProcAddr` of what is below.
    pub below: vk::PFN_vkGetInstanceProcAddr,
}

/// The latest of each key: keys are used again once an instance is gone.
static INSTANCES: Mutex<Vec<LayeredInstance>> = Mutex::new(Vec::new());

fn instances() -> MutexGuard<'static, Vec<LayeredInstance>> {
    INSTANCES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The instance with this key.
pub fn find(key: usize) -> Option<LayeredInstance> {
    instances().iter().find(|it| it.key == key).copied()
}

/// `vkGetInstanceProcAddr` of what is below this layer in an instance.
pub fn below(instance: vk::Instance) -> Option<vk::PFN_vkGetInstanceProcAddr> {
    if instance.is_null() {
        return None;
    }
    // SAFETY: an instance that its caller asks about is alive.
    let key = unsafe { chain::key(instance) };
    find(key).map(|found| found.below)
}

/// The function of this name below.
///
/// # Safety
/// `T` is the type of the function of this name, and the instance is alive or null.
pub unsafe fn function<T>(
    below: vk::PFN_vkGetInstanceProcAddr,
    instance: vk::Instance,
    name: *const c_char,
) -> Option<T> {
    // SAFETY: as the caller says.
    let found = unsafe { below(instance, name) }?;
    // SAFETY: a pointer to a function, of the type that the caller says.
    Some(unsafe { std::mem::transmute_copy(&found) })
}

/// `vkCreateInstance`.
pub unsafe extern "system" fn create(
    info: *const vk::InstanceCreateInfo<'_>,
    allocation: *const vk::AllocationCallbacks<'_>,
    made: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the caller gives a structure that is alive, with the loader's chain.
    let link = unsafe {
        info.as_ref()
            .and_then(|it| chain::advance(it.p_next, chain::INSTANCE))
    };
    let Some(below) = link.map(|link| link.instance_function) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: the name is that of the type, and it is asked for without an instance.
    let create: Option<vk::PFN_vkCreateInstance> =
        unsafe { function(below, vk::Instance::null(), c"vkCreateInstance".as_ptr()) };
    let Some(create) = create else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: as the caller called this.
    let result = unsafe { create(info, allocation, made) };
    if result == vk::Result::SUCCESS {
        // SAFETY: it was written by the call that succeeded, and the instance is alive.
        let (handle, key) = unsafe { (*made, chain::key(*made)) };
        let mut all = instances();
        all.retain(|it| it.key != key);
        all.push(LayeredInstance {
            key,
            handle: handle.as_raw(),
            below,
        });
    }
    result
}

//! The driver's functions, each found by name: results are read as numbers, since a newer driver has newer ones.
#![expect(
    unsafe_code,
    reason = "the driver is a C library: its functions are looked up by name and called"
)]

use std::ffi::{c_char, c_int, c_uint, c_void};

use cudarc::driver::sys::{CUdeviceptr, CUhostFn};
use libloading::Library;

/// A stream, an event, a context, a module, a function, a graph: what the driver gives to name one.
pub type DriverHandle = *mut c_void;

macro_rules! functions {
    ($($field:ident = $symbol:literal ($($argument:ident: $type:ty),*);)*) => {
        /// The functions that are used.
        pub struct DriverFunctions {
            $(#[doc = concat!("`", $symbol, "`")] pub $field: unsafe extern "system" fn($($argument: $type),*) -> c_int,)*
        }

        impl DriverFunctions {
            /// Finds all of them in `library`.
            ///
            /// # Errors
            /// The names of those that it has not.
            pub fn find(library: &Library) -> Result<Self, Vec<&'static str>> {
                let mut missing = Vec::new();
                $(
                    // SAFETY: the type is the one that the driver's documentation gives for this name.
                    let $field = unsafe { library.get(concat!($symbol, "\0").as_bytes()) }.ok();
                    if $field.is_none() {
                        missing.push($symbol);
                    }
                )*
                let found = (|| Some(Self { $($field: *$field?,)* }))();
                found.ok_or(missing)
            }
        }
    };
}

functions! {
    init = "cuInit" (flags: c_uint);
    driver_version = "cuDriverGetVersion" (version: *mut c_int);
    error_name = "cuGetErrorName" (code: c_int, name: *mut *const c_char);
    error_text = "cuGetErrorString" (code: c_int, text: *mut *const c_char);
    device_count = "cuDeviceGetCount" (count: *mut c_int);
    device = "cuDeviceGet" (device: *mut c_int, ordinal: c_int);
    device_name = "cuDeviceGetName" (name: *mut c_char, len: c_int, device: c_int);
    device_attribute = "cuDeviceGetAttribute" (value: *mut c_int, attribute: c_int, device: c_int);
    device_memory = "cuDeviceTotalMem_v2" (bytes: *mut usize, device: c_int);
    context_create = "cuCtxCreate_v2" (context: *mut DriverHandle, flags: c_uint, device: c_int);
    context_destroy = "cuCtxDestroy_v2" (context: DriverHandle);
    context_set = "cuCtxSetCurrent" (context: DriverHandle);
    context_priorities = "cuCtxGetStreamPriorityRange" (least: *mut c_int, greatest: *mut c_int);
    memory_info = "cuMemGetInfo_v2" (free: *mut usize, total: *mut usize);
    memory_alloc = "cuMemAlloc_v2" (pointer: *mut CUdeviceptr, bytes: usize);
    memory_free = "cuMemFree_v2" (pointer: CUdeviceptr);
    memory_alloc_async = "cuMemAllocAsync" (pointer: *mut CUdeviceptr, bytes: usize, stream: DriverHandle);
    memory_free_async = "cuMemFreeAsync" (pointer: CUdeviceptr, stream: DriverHandle);
    pool = "cuDeviceGetDefaultMemPool" (pool: *mut DriverHandle, device: c_int);
    pool_set = "cuMemPoolSetAttribute" (pool: DriverHandle, attribute: c_int, value: *mut c_void);
    host_register = "cuMemHostRegister_v2" (pointer: *mut c_void, bytes: usize, flags: c_uint);
    host_unregister = "cuMemHostUnregister" (pointer: *mut c_void);
    host_on_device = "cuMemHostGetDevicePointer_v2" (pointer: *mut CUdeviceptr, host: *mut c_void, flags: c_uint);
    copy_to_device = "cuMemcpyHtoDAsync_v2" (to: CUdeviceptr, from: *const c_void, bytes: usize, stream: DriverHandle);
    copy_to_host = "cuMemcpyDtoHAsync_v2" (to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: DriverHandle);
    copy = "cuMemcpyDtoDAsync_v2" (to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: DriverHandle);
    set_words = "cuMemsetD32Async" (to: CUdeviceptr, word: c_uint, count: usize, stream: DriverHandle);
    stream_create = "cuStreamCreateWithPriority" (stream: *mut DriverHandle, flags: c_uint, priority: c_int);
    stream_destroy = "cuStreamDestroy_v2" (stream: DriverHandle);
    stream_synchronize = "cuStreamSynchronize" (stream: DriverHandle);
    stream_query = "cuStreamQuery" (stream: DriverHandle);
    stream_wait = "cuStreamWaitEvent" (stream: DriverHandle, event: DriverHandle, flags: c_uint);
    event_create = "cuEventCreate" (event: *mut DriverHandle, flags: c_uint);
    event_destroy = "cuEventDestroy_v2" (event: DriverHandle);
    event_record = "cuEventRecordWithFlags" (event: DriverHandle, stream: DriverHandle, flags: c_uint);
    event_query = "cuEventQuery" (event: DriverHandle);
    event_synchronize = "cuEventSynchronize" (event: DriverHandle);
    // The one that every driver has; a newer name came with 12.8.
    event_elapsed = "cuEventElapsedTime" (millis: *mut f32, from: DriverHandle, to: DriverHandle);
    module_load = "cuModuleLoadData" (module: *mut DriverHandle, image: *const c_void);
    module_function = "cuModuleGetFunction" (function: *mut DriverHandle, module: DriverHandle, name: *const c_char);
    module_unload = "cuModuleUnload" (module: DriverHandle);
    launch = "cuLaunchKernel" (
        function: DriverHandle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, stream: DriverHandle, parameters: *mut *mut c_void, extra: *mut *mut c_void
    );
    launch_host = "cuLaunchHostFunc" (stream: DriverHandle, function: CUhostFn, data: *mut c_void);
    capture_begin = "cuStreamBeginCapture_v2" (stream: DriverHandle, mode: c_int);
    capture_end = "cuStreamEndCapture" (stream: DriverHandle, graph: *mut DriverHandle);
    graph_instantiate = "cuGraphInstantiateWithFlags" (instance: *mut DriverHandle, graph: DriverHandle, flags: u64);
    graph_launch = "cuGraphLaunch" (instance: DriverHandle, stream: DriverHandle);
    graph_update = "cuGraphExecUpdate_v2" (instance: DriverHandle, graph: DriverHandle, result: *mut c_void);
    graph_destroy = "cuGraphDestroy" (graph: DriverHandle);
    instance_destroy = "cuGraphExecDestroy" (instance: DriverHandle);
}

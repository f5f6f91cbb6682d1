//! A driver of CUDA, its functions called as they are: what they answer is what is asked for.
#![expect(
    unsafe_code,
    reason = "the driver's functions are C functions, and are called in ways that they refuse"
)]
#![expect(
    clippy::too_many_arguments,
    reason = "a launch takes as many as the driver's does"
)]

use std::ffi::{CStr, c_char, c_void};
use std::path::Path;

use libloading::Library;

/// A driver.
pub struct Driver {
    functions: Functions,
    is_stand_in: bool,
}

macro_rules! functions {
    ($($name:ident = $symbol:literal ($($argument:ident: $type:ty),*);)*) => {
        struct Functions {
            $($name: unsafe extern "C" fn($($type),*) -> i32,)*
        }

        impl Functions {
            fn find(library: &Library) -> Self {
                Self {
                    // SAFETY: the types are those that the driver's documentation gives for these names.
                    $($name: *unsafe { library.get(concat!($symbol, "\0").as_bytes()) }.unwrap(),)*
                }
            }
        }

        impl Driver {
            $(#[doc = concat!("`", $symbol, "`")]
            pub fn $name(&self, $($argument: $type),*) -> i32 {
                // SAFETY: what is written to is a place for it; the rest is what the driver looks at before it uses it.
                unsafe { (self.functions.$name)($($argument),*) }
            })*
        }
    };
}

functions! {
    init = "cuInit" (flags: u32);
    version = "cuDriverGetVersion" (version: &mut i32);
    device = "cuDeviceGet" (device: &mut i32, ordinal: i32);
    device_name = "cuDeviceGetName" (name: *mut c_char, len: i32, device: i32);
    context_create = "cuCtxCreate_v2" (context: &mut usize, flags: u32, device: i32);
    context_destroy = "cuCtxDestroy_v2" (context: usize);
    context_set = "cuCtxSetCurrent" (context: usize);
    stream_create = "cuStreamCreateWithPriority" (stream: &mut usize, flags: u32, priority: i32);
    stream_query = "cuStreamQuery" (stream: usize);
    stream_synchronize = "cuStreamSynchronize" (stream: usize);
    stream_wait = "cuStreamWaitEvent" (stream: usize, event: usize, flags: u32);
    event_create = "cuEventCreate" (event: &mut usize, flags: u32);
    event_record = "cuEventRecordWithFlags" (event: usize, stream: usize, flags: u32);
    event_query = "cuEventQuery" (event: usize);
    event_synchronize = "cuEventSynchronize" (event: usize);
    event_elapsed = "cuEventElapsedTime" (millis: &mut f32, from: usize, to: usize);
    alloc = "cuMemAlloc_v2" (pointer: &mut u64, bytes: usize);
    free = "cuMemFree_v2" (pointer: u64);
    upload = "cuMemcpyHtoDAsync_v2" (to: u64, from: *const c_void, bytes: usize, stream: usize);
    download = "cuMemcpyDtoHAsync_v2" (to: *mut c_void, from: u64, bytes: usize, stream: usize);
    set = "cuMemsetD32Async" (to: u64, word: u32, count: usize, stream: usize);
    register = "cuMemHostRegister_v2" (pointer: *mut c_void, bytes: usize, flags: u32);
    unregister = "cuMemHostUnregister" (pointer: *mut c_void);
    on_device = "cuMemHostGetDevicePointer_v2" (pointer: &mut u64, host: *mut c_void, flags: u32);
    load = "cuModuleLoadData" (module: &mut usize, image: *const c_char);
    function = "cuModuleGetFunction" (function: &mut usize, module: usize, name: *const c_char);
    launch = "cuLaunchKernel" (
        function: usize, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        shared: u32, stream: usize, parameters: *mut *mut c_void, extra: *mut *mut c_void
    );
    call_host = "cuLaunchHostFunc" (stream: usize, function: usize, data: usize);
    begin_capture = "cuStreamBeginCapture_v2" (stream: usize, mode: i32);
    end_capture = "cuStreamEndCapture" (stream: usize, graph: &mut usize);
    instantiate = "cuGraphInstantiateWithFlags" (instance: &mut usize, graph: usize, flags: u64);
    update = "cuGraphExecUpdate_v2" (instance: usize, graph: usize, outcome: *mut u64);
}

impl Driver {
    /// The driver at `path`, initialised.
    pub fn open(path: &Path) -> Self {
        // SAFETY: the path is that of a driver, whose initialisers are made to be run by any program.
        let library = unsafe { Library::new(path) }.unwrap();
        let functions = Functions::find(&library);
        std::mem::forget(library);
        let driver = Self {
            functions,
            is_stand_in: path.to_string_lossy().contains("stand_in"),
        };
        assert_eq!(driver.init(0), 0);
        driver
    }

    /// Whether it is the tests' stand-in.
    pub const fn is_stand_in(&self) -> bool {
        self.is_stand_in
    }

    /// Where what it answers comes from, in words.
    pub fn origin(&self) -> String {
        if self.is_stand_in {
            return "as the stand-in answers".to_owned();
        }
        let (mut version, mut name) = (0, [0_u8; 256]);
        self.version(&mut version);
        self.device_name(name.as_mut_ptr().cast(), 255, 0);
        let name = CStr::from_bytes_until_nul(&name).unwrap();
        format!(
            "measured on {} with a driver for CUDA {version}",
            name.to_string_lossy()
        )
    }

    /// What `act` answers in a context of its own.
    pub fn in_context(&self, act: fn(&Self) -> i32) -> i32 {
        let mut context = 0;
        assert_eq!(self.context_create(&mut context, 0, 0), 0);
        let code = act(self);
        self.context_set(context);
        self.context_destroy(context);
        code
    }
}

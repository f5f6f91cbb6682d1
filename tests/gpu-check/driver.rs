//! The driver's functions, found by name: the driver itself, or the library that the variable of the tests names.
#![expect(unsafe_code, reason = "the driver is a C library")]

use std::ffi::{c_char, c_int, c_uint, c_void};

use libloading::Library;

/// Names the stand-in for the driver; without it the driver itself is loaded.
const STAND_IN: &str = "SYNCLINE_TEST_CUDA_STAND_IN";

/// A stream, an event, a context, a graph: what the driver gives to name one.
pub type Handle = *mut c_void;

/// What an update of a graph that is ready to run came to (`CUgraphExecUpdateResultInfo`).
#[repr(C)]
#[derive(Debug)]
pub struct GraphUpdate {
    /// 0 where it was updated.
    pub result: c_int,
    _node: Handle,
    _from: Handle,
}

impl GraphUpdate {
    /// None yet.
    pub const NONE: Self = Self {
        result: 0,
        _node: std::ptr::null_mut(),
        _from: std::ptr::null_mut(),
    };
}

macro_rules! functions {
    ($($field:ident = $symbol:literal ($($type:ty),*);)*) => {
        /// The driver's functions; a result other than 0 is an error.
        pub struct Functions {
            $(#[doc = concat!("`", $symbol, "`")] pub $field: unsafe extern "C" fn($($type),*) -> c_int,)*
        }

        impl Functions {
            fn find(library: &Library) -> Result<Self, String> {
                Ok(Self {
                    $(
                        // SAFETY: the type is the one that the driver's documentation gives for this name.
                        $field: *unsafe { library.get($symbol.as_bytes()) }
                            .map_err(|_| concat!("the driver has no ", $symbol))?,
                    )*
                })
            }
        }
    };
}

functions! {
    init = "cuInit" (c_uint);
    version = "cuDriverGetVersion" (*mut c_int);
    device = "cuDeviceGet" (*mut c_int, c_int);
    device_name = "cuDeviceGetName" (*mut c_char, c_int, c_int);
    context = "cuCtxCreate_v2" (*mut Handle, c_uint, c_int);
    context_destroy = "cuCtxDestroy_v2" (Handle);
    synchronize = "cuCtxSynchronize" ();
    free_memory = "cuMemGetInfo_v2" (*mut usize, *mut usize);
    stream = "cuStreamCreateWithPriority" (*mut Handle, c_uint, c_int);
    stream_synchronize = "cuStreamSynchronize" (Handle);
    wait = "cuStreamWaitEvent" (Handle, Handle, c_uint);
    event = "cuEventCreate" (*mut Handle, c_uint);
    record = "cuEventRecordWithFlags" (Handle, Handle, c_uint);
    event_synchronize = "cuEventSynchronize" (Handle);
    elapsed = "cuEventElapsedTime" (*mut f32, Handle, Handle);
    alloc = "cuMemAlloc_v2" (*mut u64, usize);
    alloc_async = "cuMemAllocAsync" (*mut u64, usize, Handle);
    free_async = "cuMemFreeAsync" (u64, Handle);
    upload = "cuMemcpyHtoDAsync_v2" (u64, *const c_void, usize, Handle);
    module = "cuModuleLoadData" (*mut Handle, *const c_void);
    function = "cuModuleGetFunction" (*mut Handle, Handle, *const c_char);
    launch = "cuLaunchKernel" (
        Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void, *mut *mut c_void
    );
    capture_begin = "cuStreamBeginCapture_v2" (Handle, c_int);
    capture_end = "cuStreamEndCapture" (Handle, *mut Handle);
    instantiate = "cuGraphInstantiateWithFlags" (*mut Handle, Handle, u64);
    replay = "cuGraphLaunch" (Handle, Handle);
    graph_update = "cuGraphExecUpdate_v2" (Handle, Handle, *mut GraphUpdate);
}

/// A driver that was initialised.
pub struct Driver {
    /// Its functions.
    pub functions: Functions,
    loaded: Library,
}

/// What a result says.
///
/// # Errors
/// It is none of success.
pub fn checked(code: c_int) -> Result<(), String> {
    match code {
        0 => Ok(()),
        code => Err(format!("the driver answered {code}")),
    }
}

impl Driver {
    /// Loads and initialises it.
    ///
    /// # Errors
    /// There is none, or it answers with an error.
    pub fn load() -> Result<Self, String> {
        let name = std::env::var(STAND_IN).unwrap_or("libcuda.so.1".to_owned());
        // SAFETY: the library is a driver's, or stands in its place.
        let library = unsafe { Library::new(&name) };
        let library = library.map_err(|error| format!("{name}: {error}"))?;
        let functions = Functions::find(&library)?;
        // SAFETY: no flags are defined.
        checked(unsafe { (functions.init)(0) })?;
        Ok(Self {
            functions,
            loaded: library,
        })
    }

    /// A function that takes one device, where there is one of this name.
    pub fn of_device(&self, symbol: &str) -> Option<unsafe extern "C" fn(c_int) -> c_int> {
        // SAFETY: the caller names functions of this type alone.
        unsafe { self.loaded.get(symbol.as_bytes()) }
            .ok()
            .map(|it| *it)
    }

    /// `cuDevicePrimaryCtxRetain`, where it is there.
    pub fn retain(&self) -> Option<unsafe extern "C" fn(*mut Handle, c_int) -> c_int> {
        // SAFETY: this is its type.
        unsafe { self.loaded.get(b"cuDevicePrimaryCtxRetain") }
            .ok()
            .map(|it| *it)
    }

    /// `cuCtxSetCurrent`, where it is there.
    pub fn set_current(&self) -> Option<unsafe extern "C" fn(Handle) -> c_int> {
        // SAFETY: this is its type.
        unsafe { self.loaded.get(b"cuCtxSetCurrent") }
            .ok()
            .map(|it| *it)
    }
}

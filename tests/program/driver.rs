//! The driver's functions, found by name in the library that the variable of the tests names.
#![expect(
    unsafe_code,
    reason = "the driver is a C library, and processes are forked by C"
)]

use std::ffi::{c_int, c_uint, c_void};

use libloading::Library;

/// Names the stand-in for the driver; without it the driver itself is loaded.
const STAND_IN: &str = "SYNCLINE_TEST_CUDA_STAND_IN";
/// Bytes that are copied.
const BYTES: usize = 4096;
/// How long a kernel takes.
const NANOS: u64 = 20_000;

type Handle = *mut c_void;

macro_rules! functions {
    ($($field:ident = $symbol:literal ($($type:ty),*);)*) => {
        /// The driver.
        pub struct Driver {
            $($field: unsafe extern "C" fn($($type),*) -> c_int,)*
        }

        impl Driver {
            fn find(library: &Library) -> Option<Self> {
                Some(Self {
                    // SAFETY: the types are those of the driver's documentation.
                    $($field: unsafe { *library.get($symbol.as_bytes()).ok()? },)*
                })
            }
        }
    };
}

functions! {
    init = "cuInit" (c_uint);
    device = "cuDeviceGet" (*mut c_int, c_int);
    context = "cuCtxCreate_v2" (*mut Handle, c_uint, c_int);
    stream = "cuStreamCreateWithPriority" (*mut Handle, c_uint, c_int);
    event = "cuEventCreate" (*mut Handle, c_uint);
    alloc = "cuMemAlloc_v2" (*mut u64, usize);
    free = "cuMemFree_v2" (u64);
    module = "cuModuleLoadData" (*mut Handle, *const c_void);
    function = "cuModuleGetFunction" (*mut Handle, Handle, *const std::ffi::c_char);
    upload = "cuMemcpyHtoDAsync_v2" (u64, *const c_void, usize, Handle);
    download = "cuMemcpyDtoHAsync_v2" (*mut c_void, u64, usize, Handle);
    record = "cuEventRecordWithFlags" (Handle, Handle, c_uint);
    wait = "cuStreamWaitEvent" (Handle, Handle, c_uint);
    synchronize = "cuStreamSynchronize" (Handle);
    launch = "cuLaunchKernel" (
        Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void, *mut *mut c_void
    );
}

/// What the work is done with.
pub struct Device {
    streams: [Handle; 2],
    event: Handle,
    kernel: Handle,
    memory: u64,
}

fn checked(code: c_int) -> Result<(), i32> {
    if code == 0 { Ok(()) } else { Err(code) }
}

impl Driver {
    /// Loads and initialises it.
    pub fn load() -> Result<Self, i32> {
        let name = std::env::var(STAND_IN).unwrap_or("libcuda.so.1".to_owned());
        // SAFETY: the library is a driver's, or stands in its place.
        let library = unsafe { Library::new(name) }.ok().ok_or(1)?;
        let driver = Self::find(&library).ok_or(1)?;
        // It is used until the process ends.
        std::mem::forget(library);
        // SAFETY: it takes a number.
        checked(unsafe { (driver.init)(0) })?;
        Ok(driver)
    }

    /// Makes a context, two streams, an event, memory and a kernel.
    pub fn prepare(&self) -> Result<Device, i32> {
        let image = concat!(include_str!("../../assets/kernels/spin.ptx"), "\0");
        let mut made = Device {
            streams: [std::ptr::null_mut(); 2],
            event: std::ptr::null_mut(),
            kernel: std::ptr::null_mut(),
            memory: 0,
        };
        let (mut device, mut context, mut module) = (0, std::ptr::null_mut(), std::ptr::null_mut());
        let [first, second] = &mut made.streams;
        // SAFETY: each is given places for what it answers, and texts that end with a zero.
        unsafe {
            checked((self.device)(&raw mut device, 0))?;
            checked((self.context)(&raw mut context, 0, device))?;
            checked((self.stream)(first, 1, 0))?;
            checked((self.stream)(second, 1, 0))?;
            checked((self.event)(&raw mut made.event, 0))?;
            checked((self.alloc)(&raw mut made.memory, BYTES))?;
            checked((self.module)(&raw mut module, image.as_ptr().cast()))?;
            checked((self.function)(
                &raw mut made.kernel,
                module,
                c"spin".as_ptr(),
            ))?;
        }
        Ok(made)
    }

    /// A copy and a kernel on one stream, which another waits for with a kernel and a copy back, and the host for that.
    pub fn round(&self, device: &Device) -> Result<(), i32> {
        let mut host = vec![1_u8; BYTES];
        let [first, second] = device.streams;
        // SAFETY: the memory is that of `prepare`, and the host's lives until the stream was waited for.
        unsafe {
            checked((self.upload)(
                device.memory,
                host.as_ptr().cast(),
                BYTES,
                first,
            ))?;
            self.spin(device, first)?;
            checked((self.record)(device.event, first, 0))?;
            checked((self.wait)(second, device.event, 0))?;
            self.spin(device, second)?;
            checked((self.download)(
                host.as_mut_ptr().cast(),
                device.memory,
                BYTES,
                second,
            ))?;
            checked((self.synchronize)(second))
        }
    }

    fn spin(&self, device: &Device, stream: Handle) -> Result<(), i32> {
        let mut given = [0_u32; 12];
        given[4] = NANOS as u32;
        let mut buffer = device.memory;
        let mut arguments = [(&raw mut given).cast::<c_void>(), (&raw mut buffer).cast()];
        let no = std::ptr::null_mut();
        // SAFETY: the kernel takes twelve words and an address, which live through the call.
        checked(unsafe {
            (self.launch)(
                device.kernel,
                1,
                1,
                1,
                32,
                1,
                1,
                0,
                stream,
                arguments.as_mut_ptr(),
                no,
            )
        })
    }

    /// Frees the memory; the rest goes with the process.
    pub fn clear(&self, device: &Device) -> Result<(), i32> {
        // SAFETY: the memory is that of `prepare`, and nothing uses it any more.
        checked(unsafe { (self.free)(device.memory) })
    }
}

/// Does something in a forked child, which then ends in order, and waits for it.
pub fn fork(work: impl FnOnce() -> Result<(), i32>) -> Result<(), i32> {
    // SAFETY: the child goes on with what it was given and ends.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let code = work().err().unwrap_or(0);
        std::process::exit(code);
    }
    let mut status = 0;
    // SAFETY: the child was forked here.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    checked(status)
}

/// Ends at once, without a word to whoever wants to hear of the end.
pub fn leave(code: i32) -> ! {
    // SAFETY: nothing comes after it.
    unsafe { libc::_exit(code) }
}

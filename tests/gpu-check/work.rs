//! What checks let a device do: kernels of a known length, in order and across streams.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

use std::ffi::{CStr, c_void};
use std::ptr;

use crate::driver::{Driver, Handle, checked};

/// The kernels that are carried.
const SPIN: &str = concat!(include_str!("../../assets/kernels/spin.ptx"), "\0");
const FAULT: &str = concat!(include_str!("../../assets/kernels/fault.ptx"), "\0");

/// Streams that do not block for the legacy one (`CU_STREAM_NON_BLOCKING`).
const FREE: u32 = 1;
/// Bytes of the memory that kernels look into.
const BYTES: usize = 4096;

/// A context with streams, kernels and memory.
pub struct Bench {
    /// The driver.
    pub driver: Driver,
    /// The context.
    pub context: Handle,
    /// The streams.
    pub streams: Vec<Handle>,
    spin: Handle,
    fault: Handle,
    /// Zeros, in which a kernel sees that nobody asks it to stop.
    pub memory: u64,
}

impl Bench {
    /// A context of its own on the first device.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(streams: usize) -> Result<Self, String> {
        let driver = Driver::load()?;
        let (mut device, mut context) = (0, ptr::null_mut());
        // SAFETY: places for what they answer are given.
        unsafe {
            checked((driver.functions.device)(&raw mut device, 0))?;
            checked((driver.functions.context)(&raw mut context, 0, device))?;
        }
        Self::within(driver, context, streams)
    }

    /// In the context that is current.
    ///
    /// # Errors
    /// What the driver says.
    pub fn within(driver: Driver, context: Handle, streams: usize) -> Result<Self, String> {
        let mut bench = Self {
            context,
            streams: Vec::new(),
            spin: ptr::null_mut(),
            fault: ptr::null_mut(),
            memory: 0,
            driver,
        };
        let zeros = vec![0_u8; BYTES];
        for _ in 0..streams.max(1) {
            let mut stream = ptr::null_mut();
            // SAFETY: a place for the stream is given.
            checked(unsafe { (bench.driver.functions.stream)(&raw mut stream, FREE, 0) })?;
            bench.streams.push(stream);
        }
        let first = bench.stream(0);
        // SAFETY: a place for the address is given, and the host's bytes live until the stream was waited for.
        unsafe {
            let functions = &bench.driver.functions;
            checked((functions.alloc)(&raw mut bench.memory, BYTES))?;
            checked((functions.upload)(
                bench.memory,
                zeros.as_ptr().cast(),
                BYTES,
                first,
            ))?;
            checked((functions.stream_synchronize)(first))?;
        }
        bench.spin = bench.kernel(SPIN, c"spin")?;
        bench.fault = bench.kernel(FAULT, c"fault")?;
        Ok(bench)
    }

    fn kernel(&self, ptx: &str, name: &CStr) -> Result<Handle, String> {
        let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: both texts end with a zero, and places for what they answer are given.
        unsafe {
            checked((self.driver.functions.module)(
                &raw mut module,
                ptx.as_ptr().cast(),
            ))?;
            checked((self.driver.functions.function)(
                &raw mut function,
                module,
                name.as_ptr(),
            ))?;
        }
        Ok(function)
    }

    /// A stream; the legacy default one where there are not so many.
    pub fn stream(&self, index: usize) -> Handle {
        self.streams.get(index).copied().unwrap_or(ptr::null_mut())
    }

    /// Launches a kernel that runs for `nanos`.
    ///
    /// # Errors
    /// What the driver says.
    pub fn spin(&self, stream: Handle, nanos: u64) -> Result<(), String> {
        checked(self.launch(self.spin, stream, [nanos as u32, (nanos >> 32) as u32]))
    }

    /// Launches a kernel that does something that no kernel may: 0 traps, 1 writes to address 0, 2 breaks an assertion.
    /// The driver's answer.
    pub fn fault(&self, stream: Handle, which: u32) -> i32 {
        self.launch(self.fault, stream, [which, 0])
    }

    fn launch(&self, kernel: Handle, stream: Handle, sizes: [u32; 2]) -> i32 {
        let mut given = [0_u32; 12];
        if let Some(place) = given.get_mut(4..6) {
            place.copy_from_slice(&sizes);
        }
        let mut words = self.memory;
        let mut arguments = [(&raw mut given).cast::<c_void>(), (&raw mut words).cast()];
        // SAFETY: the kernel takes twelve words and an address, which live through the call.
        unsafe {
            (self.driver.functions.launch)(
                kernel,
                1,
                1,
                1,
                1,
                1,
                1,
                0,
                stream,
                arguments.as_mut_ptr(),
                ptr::null_mut(),
            )
        }
    }

    /// An event, which keeps times unless it is made without.
    ///
    /// # Errors
    /// What the driver says.
    pub fn event(&self, has_times: bool) -> Result<Handle, String> {
        let mut event = ptr::null_mut();
        let flags = if has_times { 0 } else { 2 };
        // SAFETY: a place for the event is given.
        checked(unsafe { (self.driver.functions.event)(&raw mut event, flags) })?;
        Ok(event)
    }

    /// Records an event.
    ///
    /// # Errors
    /// What the driver says.
    pub fn record(&self, event: Handle, stream: Handle) -> Result<(), String> {
        // SAFETY: both are of this context.
        checked(unsafe { (self.driver.functions.record)(event, stream, 0) })
    }

    /// Lets a stream wait for an event.
    ///
    /// # Errors
    /// What the driver says.
    pub fn wait(&self, stream: Handle, event: Handle) -> Result<(), String> {
        // SAFETY: both are of this context.
        checked(unsafe { (self.driver.functions.wait)(stream, event, 0) })
    }

    /// Waits for a stream.
    ///
    /// # Errors
    /// What the driver says.
    pub fn synchronize(&self, stream: Handle) -> Result<(), String> {
        // SAFETY: the stream is of this context.
        checked(unsafe { (self.driver.functions.stream_synchronize)(stream) })
    }

    /// Waits for everything.
    ///
    /// # Errors
    /// What the driver says.
    pub fn synchronize_all(&self) -> Result<(), String> {
        // SAFETY: it takes nothing.
        checked(unsafe { (self.driver.functions.synchronize)() })
    }

    /// Milliseconds between two records.
    ///
    /// # Errors
    /// What the driver says.
    pub fn elapsed(&self, from: Handle, to: Handle) -> Result<f32, String> {
        let mut millis = 0.0;
        // SAFETY: a place for the number is given.
        checked(unsafe { (self.driver.functions.elapsed)(&raw mut millis, from, to) })?;
        Ok(millis)
    }
}

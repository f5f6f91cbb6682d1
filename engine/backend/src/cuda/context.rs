//! A context on a device: the gate that every call of the driver goes through, closed for good once it is destroyed.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{OnceLock, PoisonError, RwLock};

use cudarc::driver::sys::{CUctx_flags, CUmemPool_attribute};

use super::code::{CONTEXT_IS_DESTROYED, DriverErrorCode};
use super::driver::Driver;
use super::functions::{DriverFunctions, DriverHandle};

/// A context on a device. What is made in it keeps it alive.
pub struct CudaContext {
    driver: &'static Driver,
    raw: SharedHandle,
    device: i32,
    /// Held for reading by whoever calls the driver; true once it was destroyed.
    gate: RwLock<bool>,
    is_broken: AtomicBool,
}

/// A handle that threads may share.
#[derive(Clone, Copy)]
pub struct SharedHandle(pub DriverHandle);

// SAFETY: the driver takes any of its handles on any thread; here they are only ever given back to it.
unsafe impl Send for SharedHandle {}
// SAFETY: the same.
unsafe impl Sync for SharedHandle {}

/// What broke this process's use of the driver, for good.
static BROKEN: OnceLock<String> = OnceLock::new();

/// Why the driver runs nothing more in this process, where that is so: nothing but a new process helps.
pub fn broken() -> Option<&'static str> {
    BROKEN.get().map(String::as_str)
}

impl CudaContext {
    /// Makes one on the device at `ordinal`, of its own: what happens to others does not reach it, but for faults.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(driver: &'static Driver, ordinal: usize) -> Result<Self, DriverErrorCode> {
        let api = &driver.functions;
        let mut device = 0;
        // SAFETY: the driver is initialised, and writes one number.
        driver.check(unsafe { (api.device)(&raw mut device, ordinal as i32) })?;
        let mut raw = ptr::null_mut();
        let flags = CUctx_flags::CU_CTX_SCHED_AUTO as u32 | CUctx_flags::CU_CTX_MAP_HOST as u32;
        // SAFETY: the driver writes one handle, and makes the context this thread's.
        driver.check(unsafe { (api.context_create)(&raw mut raw, flags, device) })?;
        let context = Self {
            driver,
            raw: SharedHandle(raw),
            device,
            gate: RwLock::new(false),
            is_broken: AtomicBool::new(false),
        };
        context.keep_freed_memory();
        Ok(context)
    }

    /// Calls the driver, in this context; the answer of `call` is its result.
    ///
    /// # Errors
    /// What the result means, or that the context is destroyed.
    pub fn call(&self, call: impl FnOnce(&DriverFunctions) -> i32) -> Result<(), DriverErrorCode> {
        let gate = self.gate.read().unwrap_or_else(PoisonError::into_inner);
        let number = if *gate {
            CONTEXT_IS_DESTROYED
        } else {
            // SAFETY: the context lives for as long as the gate is open.
            match unsafe { (self.driver.functions.context_set)(self.raw.0) } {
                0 => call(&self.driver.functions),
                number => number,
            }
        };
        drop(gate);
        self.driver
            .check(number)
            .inspect_err(|code| self.note(code))
    }

    /// Gives something back to the driver; what it says of that changes nothing.
    pub fn release(&self, call: impl FnOnce(&DriverFunctions) -> i32) {
        // After a fault the driver answers nothing but the fault, and what was made goes with the process.
        let _ = self.call(call);
    }

    fn note(&self, code: &DriverErrorCode) {
        if code.is_fatal() && code.number != CONTEXT_IS_DESTROYED {
            self.is_broken.store(true, SeqCst);
            let _ = BROKEN.set(code.to_string());
        }
    }

    /// Gives it up: what runs in it never ends.
    pub fn give_up(&self, reason: &str) {
        self.is_broken.store(true, SeqCst);
        let _ = BROKEN.set(reason.to_owned());
    }

    /// Whether a fault ended it.
    pub fn is_broken(&self) -> bool {
        self.is_broken.load(SeqCst)
    }

    /// Destroys it, with all that runs in it and was made in it.
    pub fn destroy(&self) {
        let mut gate = self.gate.write().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut *gate, true) {
            // SAFETY: it is destroyed once, and nobody uses it: the gate is held alone, and closed from now on.
            unsafe { (self.driver.functions.context_destroy)(self.raw.0) };
        }
    }

    /// The most and the least urgent priority of a stream.
    pub fn priorities(&self) -> (i32, i32) {
        let (mut least, mut greatest) = (0, 0);
        let read = self.call(|api| {
            // SAFETY: the driver writes two numbers.
            unsafe { (api.context_priorities)(&raw mut least, &raw mut greatest) }
        });
        if read.is_ok() {
            (greatest, least)
        } else {
            (0, 0)
        }
    }

    /// Bytes of memory that are free on the device.
    pub fn free_memory(&self) -> Option<u64> {
        let (mut free, mut total) = (0, 0);
        let read = self.call(|api| {
            // SAFETY: the driver writes two numbers.
            unsafe { (api.memory_info)(&raw mut free, &raw mut total) }
        });
        read.ok().map(|()| free as u64)
    }

    /// Lets the pool of stream-ordered memory keep what is freed: what a workload uses after it freed it is then wrong
    /// numbers and no fault.
    fn keep_freed_memory(&self) {
        let mut pool = ptr::null_mut();
        let mut most = u64::MAX;
        let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD as i32;
        self.release(|api| {
            // SAFETY: the driver writes one handle, and reads one number of 64 bits.
            unsafe {
                match (api.pool)(&raw mut pool, self.device) {
                    0 => (api.pool_set)(pool, attribute, (&raw mut most).cast()),
                    number => number,
                }
            }
        });
    }
}

impl Drop for CudaContext {
    fn drop(&mut self) {
        self.destroy();
    }
}

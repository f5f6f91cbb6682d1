//! Memory of the host that the device reads and writes by itself, and functions of the host that streams call.
#![expect(
    unsafe_code,
    reason = "the device is given addresses of the host, and calls functions of it"
)]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use cudarc::driver::sys::CUdeviceptr;

use super::code::DriverErrorCode;
use super::context::CudaContext;
use super::functions::DriverFunctions;
use super::stream::CudaStream;
use crate::spin::spin;
use device::lock;
use record::time::Nanos;

/// Bytes of a page: memory is registered by pages, so each has its own.
const PAGE: usize = 4096;
/// Pages that stay in memory, and that the device can address.
const PORTABLE_AND_MAPPED: u32 = 0x01 | 0x02;

/// Floats in pages of their own. They outlive every context.
pub struct HostPages {
    first: NonNull<AtomicU32>,
    len: usize,
    layout: Layout,
}

// SAFETY: it owns its memory, which is reached as atomics alone.
unsafe impl Send for HostPages {}
// SAFETY: the same.
unsafe impl Sync for HostPages {}

impl HostPages {
    /// `len` zeros, or nothing where memory does not suffice.
    pub fn zeros(len: usize) -> Option<Self> {
        let bytes = len.max(1).checked_mul(4)?.checked_next_multiple_of(PAGE)?;
        let layout = Layout::from_size_align(bytes, PAGE).ok()?;
        // SAFETY: the layout is of at least one page.
        let first = NonNull::new(unsafe { alloc_zeroed(layout) }.cast())?;
        Some(Self { first, len, layout })
    }

    /// How many.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Where the host finds them.
    pub const fn address(&self) -> *mut c_void {
        self.first.as_ptr().cast()
    }

    /// The bit patterns.
    pub const fn cells(&self) -> &[AtomicU32] {
        // SAFETY: so many are in the pages, which live as long as this; every pattern of bits is an atomic, and whoever
        // else writes there is the device.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }

    /// The numbers.
    pub fn to_vec(&self) -> Vec<f32> {
        let cells = self.cells().iter();
        cells
            .map(|cell| f32::from_bits(cell.load(Relaxed)))
            .collect()
    }

    /// Writes numbers from `first` on; what does not fit is left out.
    pub fn store(&self, first: usize, values: &[f32]) {
        let cells = self.cells().get(first..).unwrap_or_default();
        for (value, cell) in values.iter().zip(cells) {
            cell.store(value.to_bits(), Relaxed);
        }
    }
}

impl Drop for HostPages {
    fn drop(&mut self) {
        // SAFETY: it was allocated so, and nobody uses it: a registration keeps it alive.
        unsafe { dealloc(self.first.as_ptr().cast(), self.layout) };
    }
}

/// Pages that a context's device reads and writes by itself.
pub struct PinnedPages {
    pages: Arc<HostPages>,
    on_device: CUdeviceptr,
    context: Arc<CudaContext>,
}

impl PinnedPages {
    /// Lets the device of `context` use `pages`.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(
        context: &Arc<CudaContext>,
        pages: &Arc<HostPages>,
    ) -> Result<Self, DriverErrorCode> {
        let bytes = pages.layout.size();
        // SAFETY: the pages are of this size, and live until they are registered no more.
        let register = |api: &DriverFunctions| unsafe {
            (api.host_register)(pages.address(), bytes, PORTABLE_AND_MAPPED)
        };
        context.call(register).inspect_err(|_| {
            if context.is_broken() {
                // The code is that of an earlier call, and nobody knows whether the device has got hold of them.
                std::mem::forget(Arc::clone(pages));
            }
        })?;
        // From here on they are registered, whatever else fails.
        let mut pinned = Self {
            pages: Arc::clone(pages),
            on_device: 0,
            context: Arc::clone(context),
        };
        let on_device = &raw mut pinned.on_device;
        // SAFETY: one address is written.
        context.call(|api| unsafe { (api.host_on_device)(on_device, pages.address(), 0) })?;
        Ok(pinned)
    }

    /// The pages.
    pub fn pages(&self) -> &HostPages {
        &self.pages
    }

    /// Where the device finds them.
    pub const fn on_device(&self) -> CUdeviceptr {
        self.on_device
    }
}

impl Drop for PinnedPages {
    fn drop(&mut self) {
        if self.context.is_broken() {
            // Nobody knows whether the device has let go of it.
            std::mem::forget(Arc::clone(&self.pages));
            return;
        }
        // SAFETY: it is given back once, by the owner; the driver waits for what uses it.
        self.context
            .release(|api| unsafe { (api.host_unregister)(self.pages.address()) });
    }
}

/// A function of the host that a stream calls: it works for so long.
pub struct HostFunction {
    length: Nanos,
    is_void: Arc<AtomicBool>,
    was_cut: AtomicBool,
    /// When it worked last.
    ran: Mutex<Option<(Instant, Instant)>>,
}

impl HostFunction {
    /// One that is cut short once `is_void`.
    pub fn new(length: Nanos, is_void: &Arc<AtomicBool>) -> Arc<Self> {
        Arc::new(Self {
            length,
            is_void: Arc::clone(is_void),
            was_cut: AtomicBool::new(false),
            ran: Mutex::new(None),
        })
    }

    /// When it worked last, once it has.
    pub fn ran(&self) -> Option<(Instant, Instant)> {
        *lock(&self.ran)
    }

    /// Whether it was cut short.
    pub fn was_cut(&self) -> bool {
        self.was_cut.load(SeqCst)
    }

    fn work(&self) {
        let is_void = || self.is_void.load(SeqCst);
        let begun = Instant::now();
        if spin(self.length, &is_void).is_err() {
            self.was_cut.store(true, SeqCst);
        }
        *lock(&self.ran) = Some((begun, Instant::now()));
    }

    /// Lets `stream` call it, once.
    ///
    /// # Errors
    /// What the driver says.
    pub fn submit(self: &Arc<Self>, stream: &CudaStream) -> Result<(), DriverErrorCode> {
        let data = Arc::into_raw(Arc::clone(self));
        stream.context().call(|api| {
            // SAFETY: the driver calls the function once with this, which is kept until then. Where it never does it is
            // kept for good, also where the call fails: the code may be that of an earlier call, and the function be called
            // all the same.
            unsafe { (api.launch_host)(stream.raw().0, Some(call_once), data.cast_mut().cast()) }
        })
    }

    /// Makes it a node of what `stream` captures; whoever keeps the graph keeps this.
    ///
    /// # Errors
    /// What the driver says.
    pub fn give_node(self: &Arc<Self>, stream: &CudaStream) -> Result<(), DriverErrorCode> {
        let data = Arc::as_ptr(self).cast_mut().cast();
        stream.context().call(|api| {
            // SAFETY: what it is called with is kept beside the graph, which calls it only while it runs.
            unsafe { (api.launch_host)(stream.raw().0, Some(call_again), data) }
        })
    }
}

// SAFETY: the driver alone calls it, with what `give` gave it.
unsafe extern "C" fn call_once(data: *mut c_void) {
    // SAFETY: it is what `give` made, and this is the only call for it.
    unsafe { Arc::from_raw(data.cast::<HostFunction>().cast_const()) }.work();
}

// SAFETY: the driver alone calls it, with what `give_node` gave it.
unsafe extern "C" fn call_again(data: *mut c_void) {
    // SAFETY: it is what `give_node` was given, which lives as long as the graph.
    unsafe { &*data.cast::<HostFunction>() }.work();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_hold_numbers() {
        let pages = HostPages::zeros(3).unwrap();
        pages.store(1, &[1.0, 2.0, 3.0]);
        assert_eq!(pages.to_vec(), [0.0, 1.0, 2.0]);
        assert_eq!((pages.len(), pages.address() as usize % PAGE), (3, 0));
        assert!(
            HostPages::zeros(usize::MAX / 8).is_none() && HostPages::zeros(usize::MAX).is_none()
        );
    }
}

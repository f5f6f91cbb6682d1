//! Streams of the driver, and everything that is given to one.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::{CUdeviceptr, CUevent_record_flags, CUstream_flags};

use super::code::{DriverErrorCode, NOT_READY};
use super::context::{CudaContext, SharedHandle};
use super::event::CudaEvent;
use super::host::PinnedPages;
use super::module::CudaFunction;
use workload::{StreamKind, StreamTraits};

/// Handles that stand for streams of the driver's own: the legacy default stream, and that of the calling thread.
const LEGACY: usize = 1;
const PER_THREAD: usize = 2;

/// A stream of the driver.
pub struct CudaStream {
    raw: SharedHandle,
    is_owned: bool,
    context: Arc<CudaContext>,
}

/// A kernel's grid: how many blocks, and how many threads each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchGrid {
    /// Blocks to each side.
    pub blocks: [u32; 3],
    /// Threads to each side of a block.
    pub threads: [u32; 3],
}

impl CudaStream {
    /// Makes one, or stands for one of the driver's own.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(
        context: &Arc<CudaContext>,
        traits: StreamTraits,
        priority: i32,
    ) -> Result<Self, DriverErrorCode> {
        let own = |number| {
            Ok(Self {
                raw: SharedHandle(ptr::without_provenance_mut(number)),
                is_owned: false,
                context: Arc::clone(context),
            })
        };
        match traits.kind {
            StreamKind::Legacy => return own(LEGACY),
            StreamKind::PerThread => return own(PER_THREAD),
            StreamKind::User => {}
        }
        let flags = if traits.is_blocking {
            CUstream_flags::CU_STREAM_DEFAULT
        } else {
            CUstream_flags::CU_STREAM_NON_BLOCKING
        };
        let (greatest, least) = context.priorities();
        let priority = priority.clamp(greatest, least.max(greatest));
        let mut raw = ptr::null_mut();
        // SAFETY: the driver writes one handle.
        context.call(|api| unsafe { (api.stream_create)(&raw mut raw, flags as u32, priority) })?;
        Ok(Self {
            raw: SharedHandle(raw),
            is_owned: true,
            context: Arc::clone(context),
        })
    }

    /// The context that it is in.
    pub const fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Its handle, for as long as it lives.
    pub const fn raw(&self) -> SharedHandle {
        self.raw
    }

    /// Marks in `event` that the stream has come so far; in a capture `is_external` makes it a node that does so whenever
    /// the graph runs.
    ///
    /// # Errors
    /// What the driver says.
    pub fn record(&self, event: &CudaEvent, is_external: bool) -> Result<(), DriverErrorCode> {
        let flags = if is_external {
            CUevent_record_flags::CU_EVENT_RECORD_EXTERNAL
        } else {
            CUevent_record_flags::CU_EVENT_RECORD_DEFAULT
        };
        // SAFETY: both handles are of what lives.
        self.context
            .call(|api| unsafe { (api.event_record)(event.raw().0, self.raw.0, flags as u32) })
    }

    /// What is given to the stream from now on waits for the latest record of `event`.
    ///
    /// # Errors
    /// What the driver says.
    pub fn wait(&self, event: &CudaEvent) -> Result<(), DriverErrorCode> {
        // SAFETY: both handles are of what lives.
        self.context
            .call(|api| unsafe { (api.stream_wait)(self.raw.0, event.raw().0, 0) })
    }

    /// Copies `floats` floats from host memory that the device reads by itself. Whoever calls keeps both for as long as
    /// the stream has work.
    ///
    /// # Errors
    /// What the driver says.
    pub fn upload(
        &self,
        to: CUdeviceptr,
        from: &PinnedPages,
        floats: usize,
    ) -> Result<(), DriverErrorCode> {
        let bytes = floats.min(from.pages().len()) * 4;
        let from = from.pages().address().cast_const();
        // SAFETY: the host memory is as long as said, and stays until the device uses it no more.
        self.context
            .call(|api| unsafe { (api.copy_to_device)(to, from, bytes, self.raw.0) })
    }

    /// Copies `floats` floats into host memory that the device writes by itself.
    ///
    /// # Errors
    /// What the driver says.
    pub fn download(
        &self,
        to: &PinnedPages,
        from: CUdeviceptr,
        floats: usize,
    ) -> Result<(), DriverErrorCode> {
        let bytes = floats.min(to.pages().len()) * 4;
        let to = to.pages().address();
        // SAFETY: the host memory is as long as said, is made of atomics, and stays until the device uses it no more.
        self.context
            .call(|api| unsafe { (api.copy_to_host)(to, from, bytes, self.raw.0) })
    }

    /// Copies between two places of the device.
    ///
    /// # Errors
    /// What the driver says.
    pub fn copy(
        &self,
        to: CUdeviceptr,
        from: CUdeviceptr,
        floats: usize,
    ) -> Result<(), DriverErrorCode> {
        // SAFETY: addresses of the device are not looked at by the host; a wrong one is the device's fault.
        self.context
            .call(|api| unsafe { (api.copy)(to, from, floats * 4, self.raw.0) })
    }

    /// Sets floats on the device.
    ///
    /// # Errors
    /// What the driver says.
    pub fn fill(&self, to: CUdeviceptr, value: f32, floats: usize) -> Result<(), DriverErrorCode> {
        // SAFETY: addresses of the device are not looked at by the host.
        self.context
            .call(|api| unsafe { (api.set_words)(to, value.to_bits(), floats, self.raw.0) })
    }

    /// Allocates memory in the stream's order.
    ///
    /// # Errors
    /// What the driver says.
    pub fn allocate(&self, floats: usize) -> Result<CUdeviceptr, DriverErrorCode> {
        let mut pointer = 0;
        let bytes = floats.max(1) * 4;
        self.context.call(|api| {
            // SAFETY: the driver writes one address.
            unsafe { (api.memory_alloc_async)(&raw mut pointer, bytes, self.raw.0) }
        })?;
        Ok(pointer)
    }

    /// Frees memory in the stream's order.
    ///
    /// # Errors
    /// What the driver says.
    pub fn free(&self, pointer: CUdeviceptr) -> Result<(), DriverErrorCode> {
        // SAFETY: addresses of the device are not looked at by the host; one that is none is refused.
        self.context
            .call(|api| unsafe { (api.memory_free_async)(pointer, self.raw.0) })
    }

    /// Launches a kernel with these arguments, each of which the driver reads before this returns.
    ///
    /// # Errors
    /// What the driver says.
    pub fn launch<const N: usize>(
        &self,
        function: &CudaFunction,
        grid: LaunchGrid,
        given: &[u32; N],
        pointers: &[CUdeviceptr],
    ) -> Result<(), DriverErrorCode> {
        let first = ptr::from_ref(given).cast_mut().cast::<c_void>();
        let rest = pointers
            .iter()
            .map(|it| ptr::from_ref(it).cast_mut().cast::<c_void>());
        let mut arguments: Vec<*mut c_void> = std::iter::once(first).chain(rest).collect();
        let ([x, y, z], [tx, ty, tz]) = (grid.blocks, grid.threads);
        let (function, stream) = (function.raw().0, self.raw.0);
        self.context.call(|api| {
            // SAFETY: the function and its module live; it takes as many arguments of these sizes, as the library's
            // kernels are declared; the driver copies them before it returns.
            unsafe {
                (api.launch)(
                    function,
                    x,
                    y,
                    z,
                    tx,
                    ty,
                    tz,
                    0,
                    stream,
                    arguments.as_mut_ptr(),
                    ptr::null_mut(),
                )
            }
        })
    }

    /// Whether everything that was given to the stream has ended.
    ///
    /// # Errors
    /// What the driver says.
    pub fn query(&self) -> Result<bool, DriverErrorCode> {
        // SAFETY: the handle is of what lives.
        let asked = self
            .context
            .call(|api| unsafe { (api.stream_query)(self.raw.0) });
        match asked {
            Ok(()) => Ok(true),
            Err(code) if code.number == NOT_READY => Ok(false),
            Err(code) => Err(code),
        }
    }

    /// Blocks until everything that was given to the stream has ended.
    ///
    /// # Errors
    /// What the driver says.
    pub fn synchronize(&self) -> Result<(), DriverErrorCode> {
        // SAFETY: the handle is of what lives.
        self.context
            .call(|api| unsafe { (api.stream_synchronize)(self.raw.0) })
    }
}

impl Drop for CudaStream {
    fn drop(&mut self) {
        if self.is_owned {
            // SAFETY: the handle is given back once, by its owner; the driver lets what runs come to its end.
            self.context
                .release(|api| unsafe { (api.stream_destroy)(self.raw.0) });
        }
    }
}

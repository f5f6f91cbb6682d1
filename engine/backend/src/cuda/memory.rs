//! The buffers of a device, and their copies on the host.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

use record::BufferIndex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use cudarc::driver::sys::CUdeviceptr;

use super::code::{DriverErrorCode, OUT_OF_MEMORY};
use super::context::CudaContext;
use super::host::{HostPages, PinnedPages};
use super::stream::CudaStream;
use crate::{BackendError, available_memory};

/// A buffer on the device, and its copy on the host.
pub struct CudaBuffer {
    /// Its copy on the host, which the device reads and writes by itself.
    pub host: PinnedPages,
    /// Memory that it has for good; what a workload allocates in stream order takes its place until it is freed.
    base: CUdeviceptr,
    now: AtomicU64,
    context: Arc<CudaContext>,
}

/// Copies on the host for buffers of these lengths, all zeros.
///
/// # Errors
/// They do not fit.
pub fn hosts(lens: &[usize]) -> Result<Vec<Arc<HostPages>>, BackendError> {
    available_memory::check(lens)?;
    let zeros = |len: &usize| HostPages::zeros(*len).map(Arc::new);
    let hosts: Option<_> = lens.iter().map(zeros).collect();
    hosts.ok_or_else(|| available_memory::too_much(lens))
}

/// Makes the buffers that have these copies on the host, and the same numbers on the device.
///
/// # Errors
/// They do not fit.
pub fn buffers(
    context: &Arc<CudaContext>,
    hosts: &[Arc<HostPages>],
) -> Result<Vec<CudaBuffer>, BackendError> {
    let needed = hosts.iter().map(|it| it.len() as u64 * 4).sum::<u64>();
    let full = |text: String| BackendError::DeviceMemory(text);
    if context.free_memory().is_some_and(|free| needed > free) {
        return Err(full(format!("{needed} bytes are needed")));
    }
    let make = |host: &Arc<HostPages>| {
        CudaBuffer::new(context, host).map_err(|code| match code.number {
            OUT_OF_MEMORY => full(code.to_string()),
            _ => BackendError::Refused(code.to_string()),
        })
    };
    hosts.iter().map(make).collect()
}

impl CudaBuffer {
    fn new(context: &Arc<CudaContext>, host: &Arc<HostPages>) -> Result<Self, DriverErrorCode> {
        let host = PinnedPages::new(context, host)?;
        let mut base = 0;
        let bytes = host.pages().len().max(1) * 4;
        // SAFETY: the driver writes one address.
        context.call(|api| unsafe { (api.memory_alloc)(&raw mut base, bytes) })?;
        Ok(Self {
            host,
            base,
            now: AtomicU64::new(base),
            context: Arc::clone(context),
        })
    }

    /// How many floats it has.
    pub fn len(&self) -> usize {
        self.host.pages().len()
    }

    /// Where it is on the device now.
    pub fn pointer(&self) -> CUdeviceptr {
        self.now.load(SeqCst)
    }

    /// Allocates its memory in the order of `stream`.
    ///
    /// # Errors
    /// What the driver says.
    pub fn allocate(&self, stream: &CudaStream) -> Result<(), DriverErrorCode> {
        let pointer = stream.allocate(self.len())?;
        let before = self.now.swap(pointer, SeqCst);
        if before == self.base {
            return Ok(());
        }
        // It was allocated twice; the workload's rules have said so.
        stream.free(before)
    }

    /// Frees its memory in the order of `stream`; what uses it from now on finds other memory, and no fault.
    ///
    /// # Errors
    /// What the driver says.
    pub fn free(&self, stream: &CudaStream) -> Result<(), DriverErrorCode> {
        let before = self.now.swap(self.base, SeqCst);
        if before == self.base {
            return Ok(());
        }
        stream.free(before)
    }
}

impl Drop for CudaBuffer {
    fn drop(&mut self) {
        let now = self.pointer();
        // SAFETY: each address is given back once, by its owner, after what used it has ended.
        self.context
            .release(|api| unsafe { (api.memory_free)(self.base) });
        if now != self.base {
            // SAFETY: the same.
            self.context
                .release(|api| unsafe { (api.memory_free)(now) });
        }
    }
}

/// The buffer with this index.
///
/// # Errors
/// There is none.
pub fn buffer(buffers: &[CudaBuffer], index: BufferIndex) -> Result<&CudaBuffer, String> {
    let found = buffers.get(index.index());
    found.ok_or_else(|| format!("there is no buffer {}", index.0))
}

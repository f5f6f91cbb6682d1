//! What one stream of a run needs on the device.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use cudarc::driver::sys::CUdeviceptr;

use super::code::DriverErrorCode;
use super::context::CudaContext;
use super::host::{HostPages, PinnedPages};
use super::stream::CudaStream;
use crate::StreamLayout;
use workload::FailureMode;

/// Words that a stream's kernels and the host tell each other things by.
const WORDS: usize = 4;
/// The host asks kernels to end.
const STOP: usize = 0;
/// A kernel says that it failed.
const FAILED: usize = 1;

/// A stream of a run.
pub struct CudaStreamSlot {
    /// The driver's stream.
    pub stream: CudaStream,
    /// Whether it goes on after an operation of its own failed.
    pub goes_on: bool,
    /// Whether nobody will see what its functions of the host come to.
    pub is_void: Arc<AtomicBool>,
    words: PinnedPages,
}

impl CudaStreamSlot {
    /// As `layout` has it.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(context: &Arc<CudaContext>, layout: &StreamLayout) -> Result<Self, DriverErrorCode> {
        let none =
            || DriverErrorCode::new(2, String::new(), "the host has no memory left".to_owned());
        let pages = Arc::new(HostPages::zeros(WORDS).ok_or_else(none)?);
        Ok(Self {
            stream: CudaStream::new(context, layout.traits, layout.priority)?,
            goes_on: layout.failure == FailureMode::Continue,
            is_void: Arc::default(),
            words: PinnedPages::new(context, &pages)?,
        })
    }

    /// Where its kernels find the words.
    pub const fn words(&self) -> CUdeviceptr {
        self.words.on_device()
    }

    /// Lets what runs end early, or run on.
    pub fn interrupt(&self, is_void: bool) {
        self.is_void.store(is_void, SeqCst);
        if let Some(word) = self.words.pages().cells().get(STOP) {
            word.store(u32::from(is_void), SeqCst);
        }
    }

    /// Whether a kernel has said that it failed, since this was asked last.
    pub fn take_failed(&self) -> bool {
        let word = self.words.pages().cells().get(FAILED);
        word.is_some_and(|word| word.swap(0, SeqCst) != 0)
    }
}

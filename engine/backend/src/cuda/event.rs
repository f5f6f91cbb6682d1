//! Events of the driver, and the pool that they come from and go back to.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

use std::ptr;
use std::sync::{Arc, Mutex};

use cudarc::driver::sys::CUevent_flags;

use super::code::{DriverErrorCode, NOT_READY};
use super::context::{CudaContext, SharedHandle};
use crate::EventLayout;
use device::lock;

/// An event of the driver.
pub struct CudaEvent {
    raw: SharedHandle,
    keeps_time: bool,
    context: Arc<CudaContext>,
}

impl CudaEvent {
    /// Makes one with the options of `layout`.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(context: &Arc<CudaContext>, layout: EventLayout) -> Result<Self, DriverErrorCode> {
        let mut flags = CUevent_flags::CU_EVENT_DEFAULT as u32;
        if !layout.timing {
            flags |= CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        }
        if layout.blocking {
            flags |= CUevent_flags::CU_EVENT_BLOCKING_SYNC as u32;
        }
        let mut raw = ptr::null_mut();
        // SAFETY: the driver writes one handle.
        context.call(|api| unsafe { (api.event_create)(&raw mut raw, flags) })?;
        Ok(Self {
            raw: SharedHandle(raw),
            keeps_time: layout.timing,
            context: Arc::clone(context),
        })
    }

    /// Its handle, for as long as it lives.
    pub const fn raw(&self) -> SharedHandle {
        self.raw
    }

    /// Whether its records keep a time.
    pub const fn keeps_time(&self) -> bool {
        self.keeps_time
    }

    /// Whether everything before its latest record has ended.
    ///
    /// # Errors
    /// What the driver says.
    pub fn is_reached(&self) -> Result<bool, DriverErrorCode> {
        // SAFETY: the handle is this event's, which lives.
        let asked = self
            .context
            .call(|api| unsafe { (api.event_query)(self.raw.0) });
        match asked {
            Ok(()) => Ok(true),
            Err(code) if code.number == NOT_READY => Ok(false),
            Err(code) => Err(code),
        }
    }

    /// Blocks until it is reached.
    ///
    /// # Errors
    /// What the driver says.
    pub fn wait(&self) -> Result<(), DriverErrorCode> {
        // SAFETY: the handle is this event's, which lives.
        self.context
            .call(|api| unsafe { (api.event_synchronize)(self.raw.0) })
    }

    /// Nanoseconds from the record of `earlier` to that of this one; both are reached and keep times.
    ///
    /// # Errors
    /// What the driver says.
    pub fn since(&self, earlier: &Self) -> Result<f64, DriverErrorCode> {
        let mut millis = 0.0_f32;
        self.context.call(|api| {
            // SAFETY: both handles are of events that live, and the driver writes one number.
            unsafe { (api.event_elapsed)(&raw mut millis, earlier.raw.0, self.raw.0) }
        })?;
        Ok(f64::from(millis) * 1e6)
    }
}

impl Drop for CudaEvent {
    fn drop(&mut self) {
        // SAFETY: the handle is given back once, and by its owner; the driver keeps what is still recorded.
        self.context
            .release(|api| unsafe { (api.event_destroy)(self.raw.0) });
    }
}

/// Events that are used again: making one takes longer than recording it.
pub struct CudaEventPool {
    context: Arc<CudaContext>,
    layout: EventLayout,
    free: Mutex<Vec<CudaEvent>>,
}

/// An event that goes back to its pool.
pub struct BorrowedEvent {
    event: Option<CudaEvent>,
    pool: Arc<CudaEventPool>,
}

impl CudaEventPool {
    /// None yet, all of them with these options.
    pub fn new(context: &Arc<CudaContext>, layout: EventLayout) -> Arc<Self> {
        Arc::new(Self {
            context: Arc::clone(context),
            layout,
            free: Mutex::default(),
        })
    }

    /// One of them.
    ///
    /// # Errors
    /// What the driver says.
    pub fn lend(self: &Arc<Self>) -> Result<BorrowedEvent, DriverErrorCode> {
        let free = lock(&self.free).pop();
        let event = match free {
            Some(event) => event,
            None => CudaEvent::new(&self.context, self.layout)?,
        };
        Ok(BorrowedEvent {
            event: Some(event),
            pool: Arc::clone(self),
        })
    }
}

impl std::ops::Deref for BorrowedEvent {
    type Target = CudaEvent;

    fn deref(&self) -> &CudaEvent {
        match &self.event {
            Some(event) => event,
            None => unreachable!("it is taken out only when it is dropped"),
        }
    }
}

impl Drop for BorrowedEvent {
    fn drop(&mut self) {
        if let Some(event) = self.event.take() {
            lock(&self.pool.free).push(event);
        }
    }
}

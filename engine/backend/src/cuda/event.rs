//! Events of the driver, and the pool that they come from and go back to.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

use std::ptr;
use std::sync::{Arc, Mutex};

use cudarc::driver::sys::CUevent_flags;

use super::code::{Code, NOT_READY};
use super::context::{Context, Raw};
use crate::EventLayout;
use device::lock;

/// An event of the driver.
pub struct Event {
    raw: Raw,
    keeps_time: bool,
    context: Arc<Context>,
}

impl Event {
    /// Makes one with the options of `layout`.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(context: &Arc<Context>, layout: EventLayout) -> Result<Self, Code> {
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
            raw: Raw(raw),
            keeps_time: layout.timing,
            context: Arc::clone(context),
        })
    }

    /// Its handle, for as long as it lives.
    pub const fn raw(&self) -> Raw {
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
    pub fn is_reached(&self) -> Result<bool, Code> {
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
    pub fn wait(&self) -> Result<(), Code> {
        // SAFETY: the handle is this event's, which lives.
        self.context
            .call(|api| unsafe { (api.event_synchronize)(self.raw.0) })
    }

    /// Nanoseconds from the record of `earlier` to that of this one; both are reached and keep times.
    ///
    /// # Errors
    /// What the driver says.
    pub fn since(&self, earlier: &Self) -> Result<f64, Code> {
        let mut millis = 0.0_f32;
        self.context.call(|api| {
            // SAFETY: both handles are of events that live, and the driver writes one number.
            unsafe { (api.event_elapsed)(&raw mut millis, earlier.raw.0, self.raw.0) }
        })?;
        Ok(f64::from(millis) * 1e6)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the handle is given back once, and by its owner; the driver keeps what is still recorded.
        self.context
            .release(|api| unsafe { (api.event_destroy)(self.raw.0) });
    }
}

/// Events that are used again: making one takes longer than recording it.
pub struct Events {
    context: Arc<Context>,
    layout: EventLayout,
    free: Mutex<Vec<Event>>,
}

/// An event that goes back to its pool.
pub struct Lent {
    event: Option<Event>,
    pool: Arc<Events>,
}

impl Events {
    /// None yet, all of them with these options.
    pub fn new(context: &Arc<Context>, layout: EventLayout) -> Arc<Self> {
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
    pub fn lend(self: &Arc<Self>) -> Result<Lent, Code> {
        let free = lock(&self.free).pop();
        let event = match free {
            Some(event) => event,
            None => Event::new(&self.context, self.layout)?,
        };
        Ok(Lent {
            event: Some(event),
            pool: Arc::clone(self),
        })
    }
}

impl std::ops::Deref for Lent {
    type Target = Event;

    fn deref(&self) -> &Event {
        match &self.event {
            Some(event) => event,
            None => unreachable!("it is taken out only when it is dropped"),
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(event) = self.event.take() {
            lock(&self.pool.free).push(event);
        }
    }
}

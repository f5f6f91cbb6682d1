//! Contexts: made, destroyed, and given to a thread as its own.

use std::ffi::{c_int, c_uint};

use super::streams::calls_later;
use super::{Handle, answer, handle, number};
use crate::codes::{INVALID_CONTEXT, INVALID_DEVICE, OK};
use crate::cupti::{self, api};
use crate::state::{Sort, anyway, call, current, now, set_current, until};

/// How long functions of the host have to return before their context is destroyed, in nanoseconds.
const PATIENCE: u64 = 20_000_000_000;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxCreate_v2(context: *mut Handle, _flags: c_uint, device: c_int) -> c_int {
    api(235, || {
        call(|state| {
            if device != 0 {
                return Err(INVALID_DEVICE);
            }
            let made = state.handle();
            state.contexts.insert(made);
            let stream = state.make_stream(made, Sort::Legacy);
            set_current(made);
            cupti::context(made, stream);
            // SAFETY: as the driver's documentation has it.
            unsafe { answer(context, handle(made)) };
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxDestroy_v2(context: Handle) -> c_int {
    api(322, || {
        cupti::notify_destruction();
        if calls_later() {
            // One that works with garbage may never return.
            let most = now() + PATIENCE;
            until(|state| !state.schedule.has_calls() || now() > most);
        }
        anyway(|state| {
            let context = number(context);
            if !state.contexts.remove(&context) {
                return INVALID_CONTEXT;
            }
            state.schedule.drop_context(Some(context));
            state.memory.forget(context);
            state.streams.retain(|_, stream| stream.context != context);
            state.own.retain(|(of, _), _| *of != context);
            if current() == context {
                set_current(0);
            }
            state.fault.unwrap_or(OK)
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetCurrent(context: Handle) -> c_int {
    api(303, || {
        // Not through the gate of faults: a thread may have a context that failed.
        anyway(|state| {
            let context = number(context);
            if context != 0 && !state.contexts.contains(&context) {
                return INVALID_CONTEXT;
            }
            set_current(context);
            OK
        })
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) -> c_int {
    call(|state| {
        state.context()?;
        // SAFETY: as the driver's documentation has it.
        unsafe {
            answer(least, 0);
            answer(greatest, -5);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSynchronize() -> c_int {
    api(17, || {
        let (begun, context) = (now(), current());
        let looked = call(|state| state.context().map(drop));
        if looked != 0 {
            return looked;
        }
        let done = until(|state| !state.schedule.is_busy(context));
        cupti::synced(4, begun, None, None, done);
        done
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetCurrent(context: *mut Handle) -> c_int {
    api(304, || {
        // SAFETY: as the driver's documentation has it.
        unsafe { answer(context, handle(current())) };
        OK
    })
}

//! Memory: of the device, of pools, and of the host; and what moves it.

use std::ffi::{c_int, c_uint, c_void};

use super::init::MEMORY;
use super::streams::note;
use super::{Handle, answer, handle, number};
use crate::codes::{
    ALREADY_REGISTERED, CAPTURE_UNSUPPORTED, INVALID_DEVICE, INVALID_VALUE, NOT_REGISTERED,
    OUT_OF_MEMORY,
};
use crate::cupti::{self, api};
use crate::memory::Words;
use crate::operation::{Action, Plan, Unit};
use crate::state::{State, call, until};

/// Names a file in which is noted what memory of the host is registered and given back, a line each.
const REGISTERED: &str = "SYNCLINE_STAND_IN_REGISTERED";
/// Set where the device finds no memory of the host, though that is registered.
const UNMAPPED: &str = "SYNCLINE_STAND_IN_UNMAPPED";

/// Bytes that the device is to have, for tests of what does not fit.
fn most() -> usize {
    let asked = std::env::var("SYNCLINE_STAND_IN_MEMORY").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(MEMORY)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> c_int {
    call(|state| {
        state.context()?;
        // SAFETY: as the driver's documentation has it.
        unsafe {
            answer(free, most().saturating_sub(state.memory.used()));
            answer(total, most());
        }
        Ok(())
    })
}

fn allocate(state: &mut State, bytes: usize) -> Result<u64, i32> {
    if bytes == 0 {
        return Err(INVALID_VALUE);
    }
    state.memory.allocate(bytes, most()).ok_or(OUT_OF_MEMORY)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAlloc_v2(pointer: *mut u64, bytes: usize) -> c_int {
    api(243, || {
        call(|state| {
            state.context()?;
            let found = allocate(state, bytes)?;
            cupti::memory(1, found, bytes, None);
            // SAFETY: as the driver's documentation has it.
            unsafe { answer(pointer, found) };
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFree_v2(pointer: u64) -> c_int {
    api(245, || {
        // It waits for all work, as the driver does.
        let context = crate::state::current();
        match until(|state| !state.schedule.is_busy(context)) {
            0 => call(|state| {
                let bytes = state.memory.bytes(pointer);
                let freed = state.memory.free(pointer);
                if freed {
                    cupti::memory(2, pointer, bytes, None);
                }
                freed.then_some(()).ok_or(INVALID_VALUE)
            }),
            code => code,
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAllocAsync(pointer: *mut u64, bytes: usize, stream: Handle) -> c_int {
    api(598, || {
        call(|state| {
            let stream = state.stream(number(stream))?;
            if state
                .streams
                .get(&stream)
                .is_some_and(|it| it.capture.is_some())
            {
                return Err(CAPTURE_UNSUPPORTED);
            }
            let found = allocate(state, bytes)?;
            state.give(stream, Plan::plain(Action::Mark, 500))?;
            cupti::memory(1, found, bytes, Some(stream));
            // SAFETY: as the driver's documentation has it.
            unsafe { answer(pointer, found) };
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeAsync(pointer: u64, stream: Handle) -> c_int {
    api(600, || {
        call(|state| {
            let stream = state.stream(number(stream))?;
            state.memory.words(pointer).ok_or(INVALID_VALUE)?;
            state.give(stream, Plan::plain(Action::Free(pointer), 500))?;
            cupti::memory(2, pointer, state.memory.bytes(pointer), Some(stream));
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetDefaultMemPool(pool: *mut Handle, device: c_int) -> c_int {
    call(|_| {
        if device != 0 {
            return Err(INVALID_DEVICE);
        }
        // SAFETY: as the driver's documentation has it.
        unsafe { answer(pool, handle(0x10)) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPoolSetAttribute(pool: Handle, attribute: c_int, value: *mut c_void) -> c_int {
    call(|_| {
        let is_known = number(pool) == 0x10 && attribute == 4 && !value.is_null();
        is_known.then_some(()).ok_or(INVALID_VALUE)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostRegister_v2(pointer: *mut c_void, bytes: usize, _flags: c_uint) -> c_int {
    api(379, || {
        call(|state| {
            let context = state.context()?;
            if pointer.is_null() || bytes == 0 {
                return Err(INVALID_VALUE);
            }
            let address = pointer.expose_provenance() as u64;
            let is_new = state.memory.register(address, bytes, context);
            is_new.then_some(()).ok_or(ALREADY_REGISTERED)?;
            note(REGISTERED, "registered");
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostUnregister(pointer: *mut c_void) -> c_int {
    api(302, || {
        let context = crate::state::current();
        match until(|state| !state.schedule.is_busy(context)) {
            0 => call(|state| {
                let was = state.memory.unregister(pointer.addr() as u64);
                was.then_some(()).ok_or(NOT_REGISTERED)?;
                note(REGISTERED, "given back");
                Ok(())
            }),
            code => code,
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemHostGetDevicePointer_v2(
    pointer: *mut u64,
    host: *mut c_void,
    flags: c_uint,
) -> c_int {
    call(|state| {
        let address = host.addr() as u64;
        let is_refused = std::env::var_os(UNMAPPED).is_some();
        if flags != 0 || is_refused || !state.memory.is_registered(address) {
            return Err(INVALID_VALUE);
        }
        // SAFETY: as the driver's documentation has it.
        unsafe { answer(pointer, address) };
        Ok(())
    })
}

/// Gives a copy to a stream. From memory that is not registered it is done at once, as if it went over a place of the
/// driver's: what is read is read before the call returns, what is written is there then.
fn copy(stream: Handle, make: impl FnOnce(&State) -> Result<(Plan, bool), i32>) -> c_int {
    let mut wait = None;
    let done = call(|state| {
        let stream = state.stream(number(stream))?;
        let (mut plan, is_plain) = make(state)?;
        plan.note.is_pageable = is_plain;
        state.give(stream, plan)?;
        wait = is_plain.then_some(stream);
        Ok(())
    });
    match wait {
        Some(stream) if done == 0 => until(|state| state.is_idle(stream)),
        _ => done,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyHtoDAsync_v2(
    to: u64,
    from: *const c_void,
    bytes: usize,
    stream: Handle,
) -> c_int {
    api(277, || {
        let from = from.expose_provenance() as u64;
        copy(stream, |state| {
            let target = state.memory.words(to).ok_or(INVALID_VALUE)?;
            let source = Words::of_host(from, bytes / 4);
            let is_plain = !state.memory.is_registered(from);
            Ok((Plan::copy(source, target, bytes, Unit::Up), is_plain))
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoHAsync_v2(
    to: *mut c_void,
    from: u64,
    bytes: usize,
    stream: Handle,
) -> c_int {
    api(279, || {
        let to = to.expose_provenance() as u64;
        copy(stream, |state| {
            let source = state.memory.words(from).ok_or(INVALID_VALUE)?;
            let target = Words::of_host(to, bytes / 4);
            let is_plain = !state.memory.is_registered(to);
            Ok((Plan::copy(source, target, bytes, Unit::Down), is_plain))
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle) -> c_int {
    api(281, || {
        copy(stream, |state| {
            let source = state.memory.words(from).ok_or(INVALID_VALUE)?;
            let target = state.memory.words(to).ok_or(INVALID_VALUE)?;
            Ok((Plan::copy(source, target, bytes, Unit::Across), false))
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD32Async(to: u64, word: c_uint, count: usize, stream: Handle) -> c_int {
    api(220, || {
        call(|state| {
            let stream = state.stream(number(stream))?;
            let target = state.memory.words(to).ok_or(INVALID_VALUE)?;
            let cost = 1_000 + count as u64 / 100;
            state.give(stream, Plan::plain(Action::Set(target, word, count), cost))
        })
    })
}

//! The driver and its only device.

use std::ffi::{c_char, c_int, c_uint};

use super::answer;
use crate::codes::{INVALID_DEVICE, INVALID_VALUE, NAMES, OK};
use crate::state::{anyway, call, start};

/// As CUDA 13.0 counts.
const VERSION: c_int = 13_000;
/// Bytes of memory that the device has.
pub const MEMORY: usize = 4 << 30;
/// What it is called: nobody is to take it for a device.
const NAME: &[u8] = b"stand-in for tests (no GPU)\0";

/// The code that `cuInit` is to answer, for tests of what is missing.
const INIT: &str = "SYNCLINE_STAND_IN_INIT";

#[unsafe(no_mangle)]
extern "C" fn cuInit(flags: c_uint) -> c_int {
    if flags != 0 {
        return INVALID_VALUE;
    }
    // Before the driver looks for a device, and whether it finds one or not.
    crate::injection::inject();
    let asked = std::env::var(INIT).ok().and_then(|text| text.parse().ok());
    if let Some(code) = asked {
        return code;
    }
    start();
    anyway(|state| {
        state.is_initialised = true;
        OK
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> c_int {
    // SAFETY: as the driver's documentation has it.
    unsafe { answer(version, VERSION) };
    OK
}

fn named(code: c_int) -> Option<&'static (i32, &'static str, &'static str)> {
    NAMES.iter().find(|(known, ..)| *known == code)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorName(code: c_int, name: *mut *const c_char) -> c_int {
    let Some((_, found, _)) = named(code) else {
        return INVALID_VALUE;
    };
    // SAFETY: as the driver's documentation has it.
    unsafe { answer(name, found.as_ptr().cast()) };
    OK
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorString(code: c_int, text: *mut *const c_char) -> c_int {
    let Some((_, _, found)) = named(code) else {
        return INVALID_VALUE;
    };
    // SAFETY: as the driver's documentation has it.
    unsafe { answer(text, found.as_ptr().cast()) };
    OK
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> c_int {
    call(|_| {
        // SAFETY: as the driver's documentation has it.
        unsafe { answer(count, 1) };
        Ok(())
    })
}

fn only(device: c_int) -> Result<(), i32> {
    (device == 0).then_some(()).ok_or(INVALID_DEVICE)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> c_int {
    // SAFETY: as the driver's documentation has it.
    call(|_| only(ordinal).map(|()| unsafe { answer(device, 0) }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, len: c_int, device: c_int) -> c_int {
    call(|_| {
        only(device)?;
        let count = NAME.len().min(len.max(0) as usize);
        // SAFETY: the caller gave a place for so many bytes.
        unsafe { std::ptr::copy_nonoverlapping(NAME.as_ptr(), name.cast(), count) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) -> c_int {
    // SAFETY: as the driver's documentation has it.
    call(|_| only(device).map(|()| unsafe { answer(bytes, MEMORY) }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetAttribute(
    value: *mut c_int,
    attribute: c_int,
    device: c_int,
) -> c_int {
    call(|_| {
        only(device)?;
        let found = match attribute {
            1..=3 => 1024,
            4 => 64,
            16 => 8,
            40 => 3,
            75 => 9,
            115 => 1,
            _ => 0,
        };
        // SAFETY: as the driver's documentation has it.
        unsafe { answer(value, found) };
        Ok(())
    })
}

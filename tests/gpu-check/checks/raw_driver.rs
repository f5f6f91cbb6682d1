//! Buffers as CUPTI writes them, kept for the tests of who reads them.
#![expect(unsafe_code, reason = "CUPTI's functions are C functions")]

use std::alloc::{Layout, alloc_zeroed};
use std::ffi::c_void;
use std::sync::Mutex;

use cuda_recorder::ActivityKind;
use libloading::Library;

use super::activity::cupti;
use crate::driver::checked;
use crate::report::Report;
use crate::work::Bench;

/// Bytes of a buffer.
const BYTES: usize = 1 << 20;

type Request = extern "C" fn(*mut *mut u8, *mut usize, *mut usize);
type Complete = extern "C" fn(*mut c_void, u32, *mut u8, usize, usize);

static WRITTEN: Mutex<Vec<u8>> = Mutex::new(Vec::new());

extern "C" fn request(buffer: *mut *mut u8, bytes: *mut usize, records: *mut usize) {
    let Ok(layout) = Layout::from_size_align(BYTES, 8) else {
        return;
    };
    // SAFETY: the layout is not empty, and places for what is answered are given. The buffer stays with the process.
    unsafe {
        buffer.write(alloc_zeroed(layout));
        bytes.write(BYTES);
        records.write(0);
    }
}

extern "C" fn complete(_: *mut c_void, _: u32, buffer: *mut u8, _: usize, valid: usize) {
    // SAFETY: CUPTI has written so many bytes of the buffer that it was given.
    let written = unsafe { std::slice::from_raw_parts(buffer, valid) };
    if let Ok(mut all) = WRITTEN.lock() {
        all.extend_from_slice(written);
    }
}

/// Lets a little of everything happen, and keeps the bytes.
pub fn check(report: &mut Report) -> Result<(), String> {
    // SAFETY: the library is CUPTI, whose initialisers are made to be run by any program.
    let library = unsafe { Library::new(cupti()?.path()) }.map_err(|error| error.to_string())?;
    // SAFETY: the types are those of CUPTI's documentation.
    unsafe {
        let register = library.get::<unsafe extern "C" fn(Request, Complete) -> i32>(
            b"cuptiActivityRegisterCallbacks",
        );
        let enable = library.get::<unsafe extern "C" fn(u32) -> i32>(b"cuptiActivityEnable");
        let (register, enable) = register
            .and_then(|it| Ok((it, enable?)))
            .map_err(|error| error.to_string())?;
        checked(register(request, complete))?;
        for kind in ActivityKind::ALL {
            report.fact(&format!("kind-{}", kind.number()), enable(kind.number()));
        }
    }
    let bench = Bench::new(2)?;
    let event = bench.event(true)?;
    for _ in 0..50 {
        bench.spin(bench.stream(0), 10_000)?;
        bench.record(event, bench.stream(0))?;
        bench.wait(bench.stream(1), event)?;
        bench.spin(bench.stream(1), 10_000)?;
    }
    bench.synchronize_all()?;
    // SAFETY: the type is that of CUPTI's documentation.
    unsafe {
        let flush = library.get::<unsafe extern "C" fn(u32) -> i32>(b"cuptiActivityFlushAll");
        checked(flush.map_err(|error| error.to_string())?(1))?;
    }
    let written = WRITTEN.lock().map(|it| it.clone()).unwrap_or_default();
    report.fact("bytes", written.len());
    report.file("raw.bin", &written)
}

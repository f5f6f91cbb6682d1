//! The buffers that CUPTI writes its records into: made when it asks for one, read and freed when it gives one back.
#![expect(unsafe_code, reason = "CUPTI is given memory, and gives it back")]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::listening::CuptiListener;

/// Bytes of a buffer. Every thread that calls has one: small enough for a thousand threads, large enough for two thousand
/// records.
const BYTES: usize = 256 << 10;
/// CUPTI wants them aligned to eight bytes.
const LAYOUT: Layout = match Layout::from_size_align(BYTES, 8) {
    Ok(layout) => layout,
    Err(_) => Layout::new::<u64>(),
};

/// Gives CUPTI an empty buffer, all zeros as it was promised; none where memory does not suffice, which CUPTI counts as
/// records that it dropped.
pub extern "C" fn request(buffer: *mut *mut u8, bytes: *mut usize, records: *mut usize) {
    // SAFETY: the layout is of more than no bytes.
    let made = unsafe { alloc_zeroed(LAYOUT) };
    // SAFETY: CUPTI gives places for three values, as its documentation has it.
    unsafe {
        buffer.write(made);
        bytes.write(if made.is_null() { 0 } else { LAYOUT.size() });
        records.write(0);
    }
}

/// Takes a buffer back: reads its records, gives them on, and frees it.
pub extern "C" fn complete(
    _context: *mut c_void,
    _stream: u32,
    buffer: *mut u8,
    _bytes: usize,
    valid: usize,
) {
    if buffer.is_null() {
        return;
    }
    if let Some(listening) = CuptiListener::running() {
        // SAFETY: it was made by `request`, with so many bytes, which were zeros or are written; CUPTI is done with it.
        let written = unsafe { std::slice::from_raw_parts(buffer, valid.min(LAYOUT.size())) };
        // Whoever takes the records may fail; the program that CUPTI calls from may not.
        let _ = catch_unwind(AssertUnwindSafe(|| listening.forward(written)));
    }
    // SAFETY: it was allocated so by `request`, and nobody uses it any more.
    unsafe { dealloc(buffer, LAYOUT) };
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    #[test]
    fn a_buffer_is_zeros_and_goes_back() {
        let (mut buffer, mut bytes, mut records) = (ptr::null_mut(), 0, 7);
        request(&raw mut buffer, &raw mut bytes, &raw mut records);
        assert_eq!((buffer.addr() % 8, bytes, records), (0, BYTES, 0));
        // SAFETY: so many bytes were given.
        assert_eq!(unsafe { buffer.add(BYTES - 1).read() }, 0);
        complete(ptr::null_mut(), 0, buffer, bytes, usize::MAX);
        complete(ptr::null_mut(), 0, ptr::null_mut(), 0, 0);
    }
}

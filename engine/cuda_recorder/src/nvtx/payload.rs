//! Payloads of schemas: NVTX's extension of module 2 (`nvToolsExtPayload.h`).
#![expect(
    unsafe_code,
    reason = "the functions are called by C, with pointers of its own"
)]

use std::ffi::{c_int, c_void};

use super::calls::{NvtxHandle, domain_number, guard, next_range};
use super::event::{NvtxAttributes, NvtxEvent, NvtxStep};
use super::payload_reader::PayloadReader;
use super::schema::{self, EnumAttributes, SchemaAttributes};
use super::thread::{COUNTS, note};
use crate::clock::now;

/// `nvtxPayloadData_v1`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SchemaPayload {
    pub schema: u64,
    pub bytes: usize,
    pub payload: *const c_void,
}

/// Payloads of one call that are read at most.
const MOST: usize = 32;
/// Bytes of one payload that are read at most.
const LARGEST: usize = 64 << 10;

/// Reads payloads into the fields of a call.
///
/// # Safety
/// The pointer is null or that of `count` payloads.
pub unsafe fn read(
    domain: u32,
    payloads: *const SchemaPayload,
    count: usize,
    into: &mut NvtxAttributes<'_>,
) {
    if payloads.is_null() {
        return;
    }
    for place in 0..count.min(MOST) {
        // SAFETY: there are so many.
        let payload = unsafe { payloads.add(place).read_unaligned() };
        if payload.payload.is_null() || payload.bytes == 0 {
            continue;
        }
        // A size that the program leaves open is that of a text.
        let is_open = payload.bytes == usize::MAX;
        let bytes = if is_open { 0 } else { payload.bytes };
        // SAFETY: the payload has so many bytes.
        let bytes =
            unsafe { std::slice::from_raw_parts(payload.payload.cast::<u8>(), bytes.min(LARGEST)) };
        let mut reader = PayloadReader::new(domain, into);
        // SAFETY: the bytes are those of a payload of this schema, and what they point to is the program's.
        let is_read =
            unsafe { reader.payload(payload.schema, bytes, is_open.then_some(payload.payload)) };
        if !is_read || bytes.len() < payload.bytes && !is_open {
            COUNTS.unread_payload();
        }
    }
    if count > MOST {
        COUNTS.unread_payload();
    }
}

/// Notes a call that has only payloads, and answers with the level of its range.
///
/// # Safety
/// As for [`read`].
unsafe fn paid(
    step: NvtxStep,
    domain: NvtxHandle,
    id: u64,
    payloads: *const SchemaPayload,
    count: usize,
) -> c_int {
    let time = now();
    guard(-1, || {
        let domain = domain_number(domain);
        let mut attributes = NvtxAttributes::default();
        // SAFETY: the caller's.
        unsafe { read(domain, payloads, count, &mut attributes) };
        note(&NvtxEvent {
            step,
            time,
            domain,
            id,
            attributes,
        })
    })
}

// SAFETY: it is called as NVTX declares it.
pub unsafe extern "C" fn mark(domain: NvtxHandle, payloads: *const SchemaPayload, count: usize) {
    // SAFETY: the contract of the function in NVTX.
    unsafe { paid(NvtxStep::Mark, domain, 0, payloads, count) };
}

pub unsafe extern "C" fn push(
    domain: NvtxHandle,
    payloads: *const SchemaPayload,
    count: usize,
) -> c_int {
    // SAFETY: the same.
    unsafe { paid(NvtxStep::Push, domain, 0, payloads, count) }
}

pub unsafe extern "C" fn pop(
    domain: NvtxHandle,
    payloads: *const SchemaPayload,
    count: usize,
) -> c_int {
    // SAFETY: the same.
    unsafe { paid(NvtxStep::Pop, domain, 0, payloads, count) }
}

pub unsafe extern "C" fn start(
    domain: NvtxHandle,
    payloads: *const SchemaPayload,
    count: usize,
) -> u64 {
    let id = next_range();
    // SAFETY: the same.
    unsafe { paid(NvtxStep::Start, domain, id, payloads, count) };
    id
}

pub unsafe extern "C" fn end(
    domain: NvtxHandle,
    id: u64,
    payloads: *const SchemaPayload,
    count: usize,
) {
    // SAFETY: the same.
    unsafe { paid(NvtxStep::End, domain, id, payloads, count) };
}

pub unsafe extern "C" fn register_schema(
    domain: NvtxHandle,
    given: *const SchemaAttributes,
) -> u64 {
    // SAFETY: the same.
    guard(0, || unsafe {
        schema::register(domain_number(domain), given)
    })
}

// SAFETY: it is called as NVTX declares it.
pub unsafe extern "C" fn register_enum(domain: NvtxHandle, given: *const EnumAttributes) -> u64 {
    // SAFETY: the same.
    guard(0, || unsafe {
        schema::register_enum(domain_number(domain), given)
    })
}

/// Every domain is recorded.
pub const extern "C" fn is_enabled(_: NvtxHandle) -> u8 {
    1
}

pub extern "C" fn timestamp() -> i64 {
    now().cast_signed()
}

/// An event that is told later, with times of the program's own: counted, and not kept.
pub const extern "C" fn no_scope(_: NvtxHandle, _: *const c_void) -> u64 {
    0
}

pub extern "C" fn submit(_: NvtxHandle, _: *const SchemaPayload, _: usize) {
    COUNTS.deferred(1);
}

pub extern "C" fn submit_batch(_: NvtxHandle, _: *const c_void) {
    COUNTS.deferred(1);
}

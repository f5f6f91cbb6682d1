//! How NVTX finds the recorder: its header calls `InitializeInjectionNvtx2` of the library that `NVTX_INJECTION64_PATH`
//! names, and `InitializeInjectionNvtxExtension` for each extension. Both hand over places into which functions are put.
//!
//! Every library of a program that was built with the header has places of its own, so each function is called as often as
//! there are such libraries.
#![expect(
    unsafe_code,
    reason = "the functions are found by their names in C's manner, and fill in places of C's"
)]

use std::ffi::{c_int, c_uint, c_void};

use super::calls::{self, guard};
use super::{counters, names, payload};
use crate::entry;

/// `NVTX_ETID_CALLBACKS`.
const CALLBACKS: u32 = 1;
/// Modules of the table (`NvtxCallbackModule`).
const CORE: c_int = 1;
const CUDA: c_int = 2;
const CUDART: c_int = 4;
const CORE_2: c_int = 5;
/// Modules of extensions.
const PAYLOADS: u16 = 2;
const COUNTERS: u16 = 4;

/// `NvtxExportTableCallbacks`.
#[repr(C)]
struct CallbackTable {
    size: usize,
    module: Option<
        // SAFETY: it is called as NVTX declares it.
        unsafe extern "C" fn(
            module: c_int,
            out: *mut *const *mut *const c_void,
            size: *mut c_uint,
        ) -> c_int,
    >,
}

/// `nvtxExtModuleInfo_t`.
#[repr(C)]
pub struct ExtensionModule {
    version: u16,
    size: u16,
    module: u16,
    compatible: u16,
    count: usize,
    segments: *const ExtensionSegment,
}

/// `nvtxExtModuleSegment_t`.
#[repr(C)]
#[derive(Clone, Copy)]
struct ExtensionSegment {
    number: usize,
    count: usize,
    slots: *mut *const c_void,
}

/// A function and its place.
type Slot = (usize, *const c_void);

macro_rules! slots {
    ($($place:literal $function:path),* $(,)?) => {
        [$(($place, ($function as *const ()).cast::<c_void>())),*]
    };
}

/// By `NvtxCallbackIdCore`.
fn core() -> [Slot; 15] {
    slots![
        1 calls::mark, 2 calls::mark_text, 3 calls::mark_wide,
        4 calls::start, 5 calls::start_text, 6 calls::start_wide, 7 calls::end,
        8 calls::push, 9 calls::push_text, 10 calls::push_wide, 11 calls::pop,
        12 calls::name_category, 13 calls::name_category_wide,
        14 names::thread, 15 names::thread_wide,
    ]
}

/// By `NvtxCallbackIdCore2`.
fn core_2() -> [Slot; 15] {
    slots![
        1 calls::domain_mark, 2 calls::domain_start, 3 calls::domain_end,
        4 calls::domain_push, 5 calls::domain_pop,
        6 names::create, 7 names::destroy,
        8 calls::domain_name_category, 9 calls::domain_name_category_wide,
        10 calls::register_text, 11 calls::register_text_wide,
        12 calls::create_domain, 13 calls::create_domain_wide,
        14 calls::destroy_domain, 15 calls::initialize,
    ]
}

/// By `NvtxCallbackIdCuda`.
fn cuda() -> [Slot; 8] {
    slots![
        1 names::device, 2 names::device_wide, 3 names::context, 4 names::context_wide,
        5 names::stream, 6 names::stream_wide, 7 names::event, 8 names::event_wide,
    ]
}

/// By `NvtxCallbackIdCudaRt`.
fn cudart() -> [Slot; 6] {
    slots![
        1 names::device, 2 names::device_wide, 3 names::stream, 4 names::stream_wide,
        5 names::event, 6 names::event_wide,
    ]
}

/// By `NVTX3EXT_CBID_*` of payloads.
fn payloads() -> [Slot; 12] {
    slots![
        0 payload::register_schema, 1 payload::register_enum, 2 payload::mark, 3 payload::push,
        4 payload::pop, 5 payload::start, 6 payload::end, 7 payload::is_enabled,
        8 payload::timestamp, 12 payload::no_scope, 16 payload::submit, 17 payload::submit_batch,
    ]
}

/// By `NVTX3EXT_CBID_*` of counters.
fn counter_slots() -> [Slot; 6] {
    slots![
        0 counters::register, 1 counters::sample_integer, 2 counters::sample_number,
        3 counters::sample_bytes, 4 counters::sample_nothing, 5 counters::submit_batch,
    ]
}

/// Asked by NVTX's header for the table of a number.
type ExportTables = unsafe extern "C" fn(number: u32) -> *const c_void;

/// Called by NVTX's header and by the library of version 2: 1 says that this listens.
// SAFETY: the name is NVTX's, and nothing else in the library has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn InitializeInjectionNvtx2(tables: Option<ExportTables>) -> c_int {
    guard(0, || {
        let Some(tables) = tables.filter(|_| entry::begin().is_some()) else {
            return 0;
        };
        // SAFETY: the function is NVTX's own, and the table of this number is of this type.
        let Some(table) = (unsafe { tables(CALLBACKS).cast::<CallbackTable>().as_ref() }) else {
            return 0;
        };
        let Some(module) = table
            .module
            .filter(|_| table.size >= size_of::<CallbackTable>())
        else {
            return 0;
        };
        for (number, slots) in [
            (CORE, core().as_slice()),
            (CORE_2, core_2().as_slice()),
            (CUDA, cuda().as_slice()),
            (CUDART, cudart().as_slice()),
        ] {
            let (mut places, mut count) = (std::ptr::null(), 0);
            // SAFETY: both are written where the answer is 1.
            let answer = unsafe { module(number, &raw mut places, &raw mut count) };
            if answer == 1 && !places.is_null() {
                // SAFETY: there are so many places, each the address of a pointer to a function, or null.
                unsafe { fill(places, count as usize, slots) };
            }
        }
        1
    })
}

/// # Safety
/// `places` has `count` addresses of pointers to functions of these types.
unsafe fn fill(places: *const *mut *const c_void, count: usize, slots: &[Slot]) {
    // An older header has fewer places.
    for (place, function) in slots.iter().filter(|(place, _)| *place < count) {
        // SAFETY: the caller's.
        unsafe {
            let to = *places.add(*place);
            if !to.is_null() {
                to.write(*function);
            }
        }
    }
}

/// Called by the header of an extension: 1 says that this listens, 0 that it does not know the extension.
// SAFETY: the name is NVTX's, and nothing else in the library has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn InitializeInjectionNvtxExtension(module: *const ExtensionModule) -> c_int {
    guard(0, || {
        // SAFETY: the contract of the function in NVTX.
        let Some(module) = (unsafe { module.as_ref() }) else {
            return 0;
        };
        let is_whole = usize::from(module.size) >= size_of::<ExtensionModule>();
        if !is_whole || module.count == 0 || module.segments.is_null() {
            return 0;
        }
        let (payloads, counters) = (payloads(), counter_slots());
        let slots = match module.module {
            PAYLOADS => payloads.as_slice(),
            COUNTERS => counters.as_slice(),
            _ => return 0,
        };
        if entry::begin().is_none() {
            return 0;
        }
        // SAFETY: there is at least one segment, and each has so many places.
        let segment = unsafe { module.segments.read() };
        for (place, function) in slots.iter().filter(|(place, _)| *place < segment.count) {
            // SAFETY: the place is one of them.
            unsafe { segment.slots.add(*place).write(*function) };
        }
        1
    })
}

//! Names that programs give to threads and to what CUDA has.
#![expect(
    unsafe_code,
    reason = "the functions are called by C, with pointers of its own"
)]

use std::ffi::{c_char, c_int, c_void};

use super::append_list::define;
use super::attributes::message;
use super::calls::{NvtxHandle, guard};
use super::definition::{NvtxDefinition, NvtxResource};
use super::text::{self, WideChar};
use crate::entry;

fn name(resource: NvtxResource, handle: u64, name: &dyn Fn() -> String) {
    guard((), || {
        define(NvtxDefinition::Name {
            resource,
            handle,
            name: name(),
        });
    });
}

/// A stream by the number that CUPTI gives it, where that is there to be asked.
fn name_stream(stream: *mut c_void, text: &dyn Fn() -> String) {
    match guard(None, || entry::stream_number(stream)) {
        Some(number) => name(NvtxResource::Stream, u64::from(number), text),
        None => name(NvtxResource::StreamAddress, stream as u64, text),
    }
}

macro_rules! names {
    ($($narrow:ident, $wide:ident ($argument:ident: $of:ty) $call:expr;)*) => {$(
        // SAFETY: it is called as NVTX declares it.
        pub unsafe extern "C" fn $narrow($argument: $of, name: *const c_char) {
            // SAFETY: the contract of the function in NVTX.
            $call($argument, &|| unsafe { text::string(name) });
        }

        pub unsafe extern "C" fn $wide($argument: $of, name: *const WideChar) {
            // SAFETY: the same.
            $call($argument, &|| unsafe { text::wide(name) });
        }
    )*};
}

names! {
    thread, thread_wide (number: u32) |it, text| name(NvtxResource::Thread, u64::from(it), text);
    device, device_wide (number: c_int) |it: c_int, text| {
        name(NvtxResource::Device, u64::from(it.cast_unsigned()), text);
    };
    context, context_wide (address: *mut c_void) |it: *mut c_void, text| {
        name(NvtxResource::Context, it as u64, text);
    };
    stream, stream_wide (address: *mut c_void) name_stream;
    event, event_wide (address: *mut c_void) |it: *mut c_void, text| {
        name(NvtxResource::Event, it as u64, text);
    };
}

/// `nvtxResourceAttributes_v0`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ResourceAttributes {
    version: u16,
    size: u16,
    kind: i32,
    identifier: u64,
    message_type: i32,
    message: *const c_void,
}

/// Types of resources that have names elsewhere, too (`NVTX_RESOURCE_TYPE_*`): of the system, of CUDA's driver and of its
/// runtime.
mod resource_type {
    pub const THREAD: i32 = 1 << 16 | 3;
    pub const DEVICE: i32 = 4 << 16 | 1;
    pub const CONTEXT: i32 = 4 << 16 | 2;
    pub const STREAM: i32 = 4 << 16 | 3;
    pub const EVENT: i32 = 4 << 16 | 4;
    pub const RUNTIME_DEVICE: i32 = 5 << 16;
    pub const RUNTIME_STREAM: i32 = 5 << 16 | 1;
    pub const RUNTIME_EVENT: i32 = 5 << 16 | 2;
}

/// Names a resource.
// SAFETY: it is called as NVTX declares it.
pub unsafe extern "C" fn create(
    _domain: NvtxHandle,
    given: *const ResourceAttributes,
) -> NvtxHandle {
    guard(std::ptr::null(), || {
        if given.is_null() {
            return std::ptr::null();
        }
        // SAFETY: every version begins with these two numbers.
        let [_, size] = unsafe { given.cast::<[u16; 2]>().read_unaligned() };
        if usize::from(size) < size_of::<ResourceAttributes>() {
            super::thread::COUNTS.misfit();
            return std::ptr::null();
        }
        // SAFETY: it has so many bytes.
        let given = unsafe { given.read_unaligned() };
        let text = || match given.message_type {
            // SAFETY: with these types the message is such a text.
            message::BYTES => unsafe { text::string(given.message.cast()) },
            // SAFETY: the same.
            message::WIDE => unsafe { text::wide(given.message.cast()) },
            _ => String::new(),
        };
        let resource = match given.kind {
            resource_type::STREAM | resource_type::RUNTIME_STREAM => None,
            resource_type::THREAD => Some(NvtxResource::Thread),
            resource_type::DEVICE | resource_type::RUNTIME_DEVICE => Some(NvtxResource::Device),
            resource_type::CONTEXT => Some(NvtxResource::Context),
            resource_type::EVENT | resource_type::RUNTIME_EVENT => Some(NvtxResource::Event),
            _ => Some(NvtxResource::Other),
        };
        match resource {
            Some(resource) => name(resource, given.identifier, &text),
            None => name_stream(given.identifier as *mut c_void, &text),
        }
        // Nothing but an answer that is not null is needed: it is only ever handed back to be destroyed.
        std::ptr::dangling()
    })
}

/// Its name stays.
pub const extern "C" fn destroy(_: NvtxHandle) {}

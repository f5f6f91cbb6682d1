//! The calls of NVTX's core: marks, ranges, domains, categories, registered texts.
//!
//! Each is called by the program on its own thread. None panics into it, none waits but for its own buffer.
#![expect(
    unsafe_code,
    reason = "the functions are called by C, with pointers of its own"
)]

use std::borrow::Cow;
use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::append_list::define;
use super::attributes::{self, EventAttributes};
use super::definition::NvtxDefinition;
use super::event::{NvtxAttributes, NvtxEvent, NvtxStep};
use super::text::{self, WideChar};
use super::thread::note;
use crate::clock::now;

/// A domain or a registered text as programs hold it: our number in the place of an address.
pub type NvtxHandle = *const c_void;

static RANGES: AtomicU64 = AtomicU64::new(1);
static DOMAINS: AtomicU32 = AtomicU32::new(1);
static TEXTS: AtomicU32 = AtomicU32::new(1);

/// The number of a domain; that of the default one is 0.
pub fn domain_number(domain: NvtxHandle) -> u32 {
    domain as usize as u32
}

/// Calls `work`; where it panics, the program goes on without it.
pub fn guard<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(otherwise)
}

/// Notes a call with attributes, and answers with the level of its range.
///
/// # Safety
/// As for [`attributes::with`].
unsafe fn attributed(
    step: NvtxStep,
    domain: NvtxHandle,
    id: u64,
    given: *const EventAttributes,
) -> c_int {
    let time = now();
    guard(-1, || {
        let domain = domain_number(domain);
        let say = |attributes: NvtxAttributes<'_>| {
            note(&NvtxEvent {
                step,
                time,
                domain,
                id,
                attributes,
            })
        };
        // SAFETY: the caller's.
        unsafe { attributes::with(domain, given, say) }
    })
}

/// The same for a call that has only a text.
pub fn named(step: NvtxStep, id: u64, text: Option<&[u8]>) -> c_int {
    let event = NvtxEvent {
        step,
        time: now(),
        domain: 0,
        id,
        attributes: NvtxAttributes {
            text: text.map(Cow::Borrowed),
            ..NvtxAttributes::default()
        },
    };
    guard(-1, || note(&event))
}

/// The same for one that says nothing besides.
pub fn bare(step: NvtxStep, domain: u32, id: u64) -> c_int {
    let event = NvtxEvent {
        step,
        time: now(),
        domain,
        id,
        ..NvtxEvent::default()
    };
    guard(-1, || note(&event))
}

/// The number of a range that is started now.
pub fn next_range() -> u64 {
    RANGES.fetch_add(1, Ordering::Relaxed)
}

macro_rules! texts {
    ($($narrow:ident, $wide:ident: $step:expr;)*) => {$(
        // SAFETY: it is called as NVTX declares it.
        pub unsafe extern "C" fn $narrow(message: *const c_char) -> c_int {
            // SAFETY: the contract of the function in NVTX.
            guard(-1, || named($step, 0, unsafe { text::bytes(message) }))
        }

        pub unsafe extern "C" fn $wide(message: *const WideChar) -> c_int {
            // SAFETY: the same.
            guard(-1, || named($step, 0, Some(unsafe { text::wide(message) }.as_bytes())))
        }
    )*};
}

texts! {
    mark_text, mark_wide: NvtxStep::Mark;
    push_text, push_wide: NvtxStep::Push;
}

// SAFETY: it is called as NVTX declares it.
pub unsafe extern "C" fn mark(given: *const EventAttributes) {
    // SAFETY: the contract of the function in NVTX.
    unsafe { domain_mark(std::ptr::null(), given) };
}

pub unsafe extern "C" fn domain_mark(domain: NvtxHandle, given: *const EventAttributes) {
    // SAFETY: the same.
    unsafe { attributed(NvtxStep::Mark, domain, 0, given) };
}

pub unsafe extern "C" fn push(given: *const EventAttributes) -> c_int {
    // SAFETY: the same.
    unsafe { domain_push(std::ptr::null(), given) }
}

pub unsafe extern "C" fn domain_push(domain: NvtxHandle, given: *const EventAttributes) -> c_int {
    // SAFETY: the same.
    unsafe { attributed(NvtxStep::Push, domain, 0, given) }
}

pub extern "C" fn pop() -> c_int {
    bare(NvtxStep::Pop, 0, 0)
}

pub extern "C" fn domain_pop(domain: NvtxHandle) -> c_int {
    bare(NvtxStep::Pop, domain_number(domain), 0)
}

// SAFETY: it is called as NVTX declares it.
pub unsafe extern "C" fn start(given: *const EventAttributes) -> u64 {
    // SAFETY: the contract of the function in NVTX.
    unsafe { domain_start(std::ptr::null(), given) }
}

pub unsafe extern "C" fn domain_start(domain: NvtxHandle, given: *const EventAttributes) -> u64 {
    let id = next_range();
    // SAFETY: the same.
    unsafe { attributed(NvtxStep::Start, domain, id, given) };
    id
}

pub unsafe extern "C" fn start_text(message: *const c_char) -> u64 {
    let id = next_range();
    guard(-1, || {
        // SAFETY: the same.
        let text = unsafe { text::bytes(message) };
        named(NvtxStep::Start, id, text)
    });
    id
}

// SAFETY: it is called as NVTX declares it.
pub unsafe extern "C" fn start_wide(message: *const WideChar) -> u64 {
    let id = next_range();
    guard(-1, || {
        // SAFETY: the same.
        let text = unsafe { text::wide(message) };
        named(NvtxStep::Start, id, Some(text.as_bytes()))
    });
    id
}

pub extern "C" fn end(id: u64) {
    bare(NvtxStep::End, 0, id);
}

pub extern "C" fn domain_end(domain: NvtxHandle, id: u64) {
    bare(NvtxStep::End, domain_number(domain), id);
}

macro_rules! definitions {
    ($($narrow:ident, $wide:ident ($($argument:ident: $of:ty),*) $(-> $result:ty)?, $by:ident;)*) => {$(
        // SAFETY: it is called as NVTX declares it.
        pub unsafe extern "C" fn $narrow($($argument: $of,)* name: *const c_char) $(-> $result)? {
            // SAFETY: the contract of the function in NVTX.
            $by($($argument,)* &|| unsafe { text::string(name) })
        }

        pub unsafe extern "C" fn $wide($($argument: $of,)* name: *const WideChar) $(-> $result)? {
            // SAFETY: the same.
            $by($($argument,)* &|| unsafe { text::wide(name) })
        }
    )*};
}

definitions! {
    name_category, name_category_wide (category: u32), category_of_default;
    domain_name_category, domain_name_category_wide (domain: NvtxHandle, category: u32), category_of;
    register_text, register_text_wide (domain: NvtxHandle) -> NvtxHandle, register;
    create_domain, create_domain_wide () -> NvtxHandle, create;
}

fn category_of_default(category: u32, name: &dyn Fn() -> String) {
    category_of(std::ptr::null(), category, name);
}

fn category_of(domain: NvtxHandle, category: u32, name: &dyn Fn() -> String) {
    guard((), || {
        define(NvtxDefinition::Category {
            domain: domain_number(domain),
            category,
            name: name(),
        });
    });
}

/// A text means the same in every domain.
fn register(_: NvtxHandle, string: &dyn Fn() -> String) -> NvtxHandle {
    guard(std::ptr::null(), || {
        let text = TEXTS.fetch_add(1, Ordering::Relaxed);
        let string = string();
        define(NvtxDefinition::Text { text, string });
        text as usize as NvtxHandle
    })
}

fn create(name: &dyn Fn() -> String) -> NvtxHandle {
    guard(std::ptr::null(), || {
        let domain = DOMAINS.fetch_add(1, Ordering::Relaxed);
        let name = name();
        define(NvtxDefinition::Domain { domain, name });
        domain as usize as NvtxHandle
    })
}

/// Ranges of it that are open stay open.
pub const extern "C" fn destroy_domain(_: NvtxHandle) {}

/// The tables were filled in before it is called.
pub const extern "C" fn initialize(_: *const c_void) {}

//! Counters: NVTX's extension of module 4 (`nvToolsExtCounters.h`).
#![expect(
    unsafe_code,
    reason = "the functions are called by C, with pointers of its own"
)]

use std::ffi::{c_char, c_void};

use super::append_list::define;
use super::calls::{NvtxHandle, domain_number, guard};
use super::definition::NvtxDefinition;
use super::event::{NvtxAttributes, NvtxEvent, NvtxField, NvtxStep, NvtxValue};
use super::schema::{self, CounterLayout};
use super::text;
use super::thread::{COUNTS, note};
use crate::clock::now;

/// `nvtxCounterAttr_v1`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CounterAttributes {
    size: usize,
    schema: u64,
    name: *const c_char,
    description: *const c_char,
    scope: u64,
    semantics: *const CounterSemantics,
    counter: u64,
}

/// `nvtxSemanticsCounter_v1`, as far as it is read; other semantics begin with the same header.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CounterSemantics {
    size: u32,
    id: u16,
    version: u16,
    next: *const Self,
    flags: u64,
    unit: *const c_char,
}

/// `nvtxCounterBatch_v1`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CounterBatch {
    counter: u64,
    samples: *const c_void,
    bytes: usize,
    flags: u64,
    times: *const i64,
    times_bytes: usize,
}

/// `NVTX_SEMANTIC_ID_COUNTERS_V1`.
const COUNTERS: u16 = 5;
/// Semantics that are linked one after the other at most.
const MOST_SEMANTICS: usize = 16;

/// The unit that semantics give, empty where they give none.
///
/// # Safety
/// The pointer is null or that of linked semantics.
pub unsafe fn unit(mut semantics: *const CounterSemantics) -> String {
    for _ in 0..MOST_SEMANTICS {
        if semantics.is_null() {
            break;
        }
        // SAFETY: every kind of semantics begins so; the rest is read only of those that have it.
        let (size, id, next) = unsafe { ((*semantics).size, (*semantics).id, (*semantics).next) };
        if id == COUNTERS && size as usize >= size_of::<CounterSemantics>() {
            // SAFETY: it has so many bytes, and its unit is null or a text.
            return unsafe { text::string((*semantics).unit) };
        }
        semantics = next;
    }
    String::new()
}

// SAFETY: it is called as NVTX declares it.
pub unsafe extern "C" fn register(domain: NvtxHandle, given: *const CounterAttributes) -> u64 {
    guard(0, || {
        let size = if given.is_null() {
            0
        } else {
            // SAFETY: the contract of the function in NVTX: it begins with its size.
            unsafe { given.cast::<usize>().read_unaligned() }
        };
        if size < size_of::<CounterAttributes>() {
            COUNTS.misfit();
            return 0;
        }
        // SAFETY: it has so many bytes.
        let given = unsafe { given.read_unaligned() };
        let domain = domain_number(domain);
        let counter = schema::number_or_next(given.counter);
        // SAFETY: the contract of the function in NVTX.
        let (name, unit) = unsafe { (text::string(given.name), unit(given.semantics)) };
        let layout = schema::counter_layout(domain, given.schema);
        for (place, entry) in (0..).zip(&layout.entries) {
            let name = match entry.name.as_str() {
                "" => name.clone(),
                own => format!("{name}: {own}"),
            };
            let unit = if entry.unit.is_empty() {
                &unit
            } else {
                &entry.unit
            };
            define(NvtxDefinition::Counter {
                domain,
                counter,
                place,
                name,
                unit: unit.clone(),
            });
        }
        schema::add_counter(domain, counter, layout);
        counter
    })
}

/// Notes values of a counter or a group.
fn sample(domain: NvtxHandle, counter: u64, time: u64, values: Vec<NvtxValue>) {
    let fields = values.into_iter().map(|value| NvtxField {
        name: String::new(),
        value,
    });
    note(&NvtxEvent {
        step: NvtxStep::Sample,
        time,
        domain: domain_number(domain),
        id: counter,
        attributes: NvtxAttributes {
            fields: fields.collect(),
            ..NvtxAttributes::default()
        },
    });
}

pub extern "C" fn sample_integer(domain: NvtxHandle, counter: u64, value: i64) {
    let time = now();
    guard((), || {
        sample(domain, counter, time, vec![NvtxValue::Integer(value)]);
    });
}

pub extern "C" fn sample_number(domain: NvtxHandle, counter: u64, value: f64) {
    let time = now();
    guard((), || {
        sample(domain, counter, time, vec![NvtxValue::Number(value)]);
    });
}

// SAFETY: it is called as NVTX declares it.
pub unsafe extern "C" fn sample_bytes(
    domain: NvtxHandle,
    counter: u64,
    value: *const c_void,
    bytes: usize,
) {
    let time = now();
    guard((), || {
        let Some(layout) = schema::counter(domain_number(domain), counter) else {
            return COUNTS.unread_payload();
        };
        if value.is_null() || bytes < layout.bytes {
            return COUNTS.unread_payload();
        }
        // SAFETY: the contract of the function in NVTX.
        let bytes = unsafe { std::slice::from_raw_parts(value.cast(), bytes) };
        sample(domain, counter, time, layout.values(bytes));
    });
}

/// `NVTX_COUNTER_SAMPLE_ZERO`.
const ZERO: u8 = 0;

/// A sample without a value: 0, or nothing that changes the counter.
pub extern "C" fn sample_nothing(domain: NvtxHandle, counter: u64, reason: u8) {
    let time = now();
    guard((), || {
        if reason == ZERO {
            let layout = schema::counter(domain_number(domain), counter);
            let count = layout.map_or(1, |it: &CounterLayout| it.entries.len());
            sample(domain, counter, time, vec![NvtxValue::Integer(0); count]);
        }
    });
}

/// Samples with times of the program's own: counted, and not kept.
// SAFETY: it is called as NVTX declares it.
pub unsafe extern "C" fn submit_batch(domain: NvtxHandle, given: *const CounterBatch) {
    guard((), || {
        if given.is_null() {
            return;
        }
        // SAFETY: the contract of the function in NVTX.
        let given = unsafe { given.read_unaligned() };
        let layout = schema::counter(domain_number(domain), given.counter);
        let stride = layout.map_or(8, |it| it.bytes.max(1));
        COUNTS.deferred((given.bytes / stride) as u64);
    });
}

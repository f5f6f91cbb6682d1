//! Modules, their functions, and launches.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Arc;

use super::{Handle, answer, handle, number};
use crate::codes::{INVALID_HANDLE, INVALID_IMAGE, INVALID_VALUE, NOT_FOUND};
use crate::cupti::{self, api};
use crate::kernels::Arguments;
use crate::memory::Words;
use crate::operation::Plan;
use crate::ptx::entries;
use crate::state::{State, call, now};

/// Threads of a block, at most.
const MOST_THREADS: u64 = 1024;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoadData(module: *mut Handle, image: *const c_void) -> c_int {
    api(19, || {
        call(|state| {
            state.context()?;
            // SAFETY: PTX is a text that ends in a zero, as the driver's documentation has it.
            let (text, begun) = (unsafe { CStr::from_ptr(image.cast()) }, now());
            let found = entries(text.to_str().map_err(|_odd| INVALID_IMAGE)?)?;
            let made = state.handle();
            state.modules.insert(made, found);
            cupti::compiled(begun);
            // SAFETY: as the driver's documentation has it.
            unsafe { answer(module, handle(made)) };
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleUnload(module: Handle) -> c_int {
    api(22, || {
        call(|state| {
            let removed = state.modules.remove(&number(module));
            removed.map(drop).ok_or(INVALID_HANDLE)
        })
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleGetFunction(
    function: *mut Handle,
    module: Handle,
    name: *const c_char,
) -> c_int {
    api(23, || {
        call(|state| {
            let entries = state.modules.get(&number(module)).ok_or(INVALID_HANDLE)?;
            // SAFETY: a name ends in a zero.
            let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
            let found = entries.iter().find(|entry| entry.name == name);
            let found = Arc::new(found.ok_or(NOT_FOUND)?.clone());
            let made = state.handle();
            state.functions.insert(made, found);
            // SAFETY: as the driver's documentation has it.
            unsafe { answer(function, handle(made)) };
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLaunchKernel(
    function: Handle,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    _shared: c_uint,
    stream: Handle,
    parameters: *mut *mut c_void,
    _extra: *mut *mut c_void,
) -> c_int {
    api(307, || {
        let blocks = [grid_x, grid_y, grid_z];
        let threads = [block_x, block_y, block_z].map(u64::from);
        call(|state| {
            let product = threads.iter().product::<u64>();
            let is_odd = blocks.contains(&0) || grid_y.max(grid_z) > 65_535;
            if product == 0 || product > MOST_THREADS || threads[2] > 64 || is_odd {
                return Err(INVALID_VALUE);
            }
            let stream = state.stream(number(stream))?;
            let entry = state
                .functions
                .get(&number(function))
                .ok_or(INVALID_HANDLE)?;
            let entry = Arc::clone(entry);
            // SAFETY: the caller gives as many arguments of the sizes that the code declares.
            let bytes = unsafe { read(&entry.arguments, parameters) };
            let arguments = arguments(state, &bytes);
            let mut plan = Plan::kernel(&entry.name.as_str().into(), arguments);
            plan.note.shape = [grid_x, grid_y, grid_z, block_x, block_y, block_z];
            state.give(stream, plan)
        })
    })
}

/// The bytes of each argument.
unsafe fn read(sizes: &[usize], parameters: *mut *mut c_void) -> Vec<Vec<u8>> {
    let places = 0..sizes.len();
    let each = places.zip(sizes).map(|(place, size)| {
        // SAFETY: there are as many pointers as arguments, each to as many bytes as it has.
        unsafe {
            let argument = parameters.add(place).read();
            std::slice::from_raw_parts(argument.cast::<u8>(), *size).to_vec()
        }
    });
    each.collect()
}

/// What a kernel of the library is given: words first, then buffers. An address that is none has no words.
fn arguments(state: &State, bytes: &[Vec<u8>]) -> Arguments {
    let mut given = [0; 12];
    let mut buffers = Vec::new();
    for argument in bytes {
        if argument.len() == 48 {
            for (word, four) in given.iter_mut().zip(argument.chunks_exact(4)) {
                *word = u32::from_ne_bytes(four.try_into().unwrap_or_default());
            }
        } else if let Ok(eight) = argument.as_slice().try_into() {
            let words = state.memory.words(u64::from_ne_bytes(eight));
            // A range of no words, which nothing is read from.
            buffers.push(words.unwrap_or_else(|| Words::Device(Arc::new([]), 0)));
        }
    }
    Arguments { given, buffers }
}

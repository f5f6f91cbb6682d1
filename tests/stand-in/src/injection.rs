//! Loads the library that `CUDA_INJECTION64_PATH` names when the driver is initialised, as the driver does: observed on
//! libcuda 535 without a GPU. What is not there is passed over without a word.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::Mutex;

const VARIABLE: &str = "CUDA_INJECTION64_PATH";
const ENTRY: &std::ffi::CStr = c"InitializeInjection";
/// `RTLD_NOW`
const NOW: c_int = 2;

// SAFETY: the declarations are those of every C library on Linux.
unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// The process in which the library took its place: a forked one asks again.
static TAKEN: Mutex<u32> = Mutex::new(0);

/// Lets the library take its place, unless it has: it says so by answering anything but 0.
pub fn inject() {
    let Ok(path) = std::env::var(VARIABLE) else {
        return;
    };
    // Whoever is let in may call the driver itself.
    let Ok(mut taken) = TAKEN.try_lock() else {
        return;
    };
    // A bare name is looked for nowhere.
    if *taken == std::process::id() || !path.contains('/') {
        return;
    }
    let Ok(path) = CString::new(path) else { return };
    // SAFETY: both texts end in a zero; whoever set the variable wants what is there to run.
    let entry = unsafe {
        let library = dlopen(path.as_ptr(), NOW);
        if library.is_null() {
            return;
        }
        dlsym(library, ENTRY.as_ptr())
    };
    if entry.is_null() {
        return;
    }
    // SAFETY: a function of this name takes nothing and answers a number, as the driver's documentation has it.
    let entry: extern "C" fn() -> c_int = unsafe { std::mem::transmute(entry) };
    if entry() != 0 {
        *taken = std::process::id();
    }
}

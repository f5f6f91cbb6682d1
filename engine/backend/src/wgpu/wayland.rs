//! Keeps the client library of Wayland silent where there is no Wayland: a layer of Mesa's that chooses among Vulkan's
//! devices tries to connect whenever they are asked for, and the library complains to standard error each time.
#![expect(
    unsafe_code,
    reason = "the library takes the function that hears its complaints by a C function of its own"
)]

/// Names the folder of the sockets of whoever is logged in; without it there is no Wayland.
#[cfg(target_os = "linux")]
const FOLDER: &str = "XDG_RUNTIME_DIR";

/// Called before Vulkan is: complaints about the absent folder go nowhere from then on.
#[cfg(target_os = "linux")]
pub fn silence() {
    use std::ffi::{c_char, c_void};
    use std::path::Path;
    use std::sync::Once;

    /// A format and its arguments, of which neither is read.
    type Listener = unsafe extern "C" fn(*const c_char, *mut c_void);

    extern "C" fn ignore(_: *const c_char, _: *mut c_void) {}

    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if std::env::var_os(FOLDER).is_some_and(|it| Path::new(&it).is_absolute()) {
            return;
        }
        // SAFETY: the system's own library, which does nothing when it is loaded.
        let Ok(library) = (unsafe { libloading::Library::new("libwayland-client.so.0") }) else {
            return;
        };
        // SAFETY: the function's type is that of `wayland-util.h`, but for the list of arguments, which is passed by
        // one word and not read.
        unsafe {
            if let Ok(set) =
                library.get::<unsafe extern "C" fn(Listener)>(b"wl_log_set_handler_client\0")
            {
                set(ignore);
            }
        }
        // It stays loaded, or what was set would be forgotten.
        std::mem::forget(library);
    });
}

/// There is no Wayland here.
#[cfg(not(target_os = "linux"))]
pub const fn silence() {}

//! Code on the device: modules that the driver takes as PTX, and the functions in them.
#![expect(unsafe_code, reason = "the driver's functions are C functions")]

use std::ffi::CString;
use std::ptr;
use std::sync::Arc;

use super::code::DriverErrorCode;
use super::context::{CudaContext, SharedHandle};

/// The code that the driver could not load: it ends where it should not.
const INVALID: i32 = 200;

/// A function on the device. Its module is unloaded with it.
pub struct CudaFunction {
    raw: SharedHandle,
    module: SharedHandle,
    context: Arc<CudaContext>,
}

impl CudaFunction {
    /// Loads `ptx`, and finds the function called `name` in it.
    ///
    /// # Errors
    /// What the driver says.
    pub fn load(
        context: &Arc<CudaContext>,
        ptx: &str,
        name: &str,
    ) -> Result<Self, DriverErrorCode> {
        let broken =
            |_| DriverErrorCode::new(INVALID, String::new(), "the code holds a zero".to_owned());
        let image = CString::new(ptx).map_err(broken)?;
        let name = CString::new(name).map_err(broken)?;
        let (mut module, mut raw) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the text ends in a zero, and the driver writes one handle.
        context.call(|api| unsafe { (api.module_load)(&raw mut module, image.as_ptr().cast()) })?;
        let found = context.call(|api| {
            // SAFETY: the module was loaded, the name ends in a zero, and the driver writes one handle.
            unsafe { (api.module_function)(&raw mut raw, module, name.as_ptr()) }
        });
        // With its module, also where it was not found.
        let function = Self {
            raw: SharedHandle(raw),
            module: SharedHandle(module),
            context: Arc::clone(context),
        };
        found.map(|()| function)
    }

    /// Its handle, for as long as it lives.
    pub const fn raw(&self) -> SharedHandle {
        self.raw
    }
}

impl Drop for CudaFunction {
    fn drop(&mut self) {
        // SAFETY: the module is given back once, by the owner of its only function.
        self.context
            .release(|api| unsafe { (api.module_unload)(self.module.0) });
    }
}

//! Calls that are not told of: they only ask for something, and programs make them by the thousand.
#![expect(unsafe_code, reason = "CUPTI's functions are C functions")]

use super::functions::CuptiFunctions;
use super::kind::ActivityKind;

/// Of the driver, by `CUpti_driver_api_trace_cbid`: `cuEventQuery`, `cuEventElapsedTime`, `cuStreamQuery`,
/// `cuCtxSetCurrent`, `cuCtxGetCurrent`, `cuDevicePrimaryCtxGetState`, `cuKernelGetAttribute`.
const DRIVER: &[u32] = &[120, 123, 125, 303, 304, 392, 686];
/// Of the runtime, by `CUpti_runtime_api_trace_cbid`: `cudaGetLastError`, `cudaPeekAtLastError`, `cudaGetDevice`,
/// `cudaStreamQuery`, `cudaEventQuery`, `cudaEventElapsedTime`, `cudaDeviceGetAttribute`.
const RUNTIME: &[u32] = &[10, 11, 17, 132, 138, 139, 200];

/// Lets CUPTI tell nothing of them, once `kind` is enabled; versions before 12.5 tell of them all the same.
pub fn silence(functions: &CuptiFunctions, kind: ActivityKind) {
    let (set, calls) = match kind {
        ActivityKind::Driver => (functions.driver_call, DRIVER),
        ActivityKind::Runtime => (functions.runtime_call, RUNTIME),
        _ => return,
    };
    let Some(set) = set else { return };
    for call in calls {
        // SAFETY: it takes two numbers, and refuses what it does not know.
        unsafe { set(*call, 0) };
    }
}

//! Names of CUDA's calls: the file has only CUPTI's numbers of them.

/// CUPTI's numbers of calls of the runtime, as its callbacks have them.
const RUNTIME: &[(i64, &str)] = &[
    (1, "cudaDriverGetVersion"),
    (3, "cudaGetDeviceCount"),
    (4, "cudaGetDeviceProperties"),
    (8, "cudaConfigureCall"),
    (9, "cudaSetupArgument"),
    (10, "cudaGetLastError"),
    (11, "cudaPeekAtLastError"),
    (13, "cudaLaunch"),
    (15, "cudaFuncGetAttributes"),
    (16, "cudaSetDevice"),
    (17, "cudaGetDevice"),
    (20, "cudaMalloc"),
    (22, "cudaFree"),
    (27, "cudaHostAlloc"),
    (28, "cudaHostGetDevicePointer"),
    (31, "cudaMemcpy"),
    (32, "cudaMemcpy2D"),
    (41, "cudaMemcpyAsync"),
    (44, "cudaMemcpy2DAsync"),
    (49, "cudaMemset"),
    (50, "cudaMemset2D"),
    (51, "cudaMemsetAsync"),
    (52, "cudaMemset2DAsync"),
    (53, "cudaGetSymbolAddress"),
    (126, "cudaThreadSynchronize"),
    (129, "cudaStreamCreate"),
    (130, "cudaStreamDestroy"),
    (131, "cudaStreamSynchronize"),
    (132, "cudaStreamQuery"),
    (133, "cudaEventCreate"),
    (134, "cudaEventCreateWithFlags"),
    (135, "cudaEventRecord"),
    (136, "cudaEventDestroy"),
    (137, "cudaEventSynchronize"),
    (138, "cudaEventQuery"),
    (139, "cudaEventElapsedTime"),
    (144, "cudaMemcpy3D"),
    (145, "cudaMemcpy3DAsync"),
    (147, "cudaStreamWaitEvent"),
    (151, "cudaPointerGetAttributes"),
    (160, "cudaMemcpyPeer"),
    (161, "cudaMemcpyPeerAsync"),
    (165, "cudaDeviceSynchronize"),
    (198, "cudaStreamCreateWithFlags"),
    (200, "cudaDeviceGetAttribute"),
    (211, "cudaLaunchKernel"),
    (317, "cudaStreamIsCapturing"),
    (324, "cudaStreamGetCaptureInfo"),
    (370, "cudaEventRecordWithFlags"),
    (430, "cudaLaunchKernelExC"),
];

/// The same for calls of the driver.
const DRIVER: &[(i64, &str)] = &[(307, "cuLaunchKernel"), (652, "cuLaunchKernelEx")];

/// What a call is called; of one without a known name, its number.
pub(super) fn name(number: i64, is_runtime: bool) -> String {
    let (known, whose) = if is_runtime {
        (RUNTIME, "runtime")
    } else {
        (DRIVER, "driver")
    };
    match known.binary_search_by_key(&number, |(number, _)| *number) {
        Ok(at) => known.get(at).map_or("?", |(_, name)| name).to_owned(),
        Err(_) => format!("CUDA {whose} call {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_by_number() {
        assert!(RUNTIME.is_sorted_by_key(|(number, _)| number));
        assert_eq!(name(147, true), "cudaStreamWaitEvent");
        assert_eq!(name(307, false), "cuLaunchKernel");
        assert_eq!(name(9999, false), "CUDA driver call 9999");
    }
}

//! The result codes that are answered, with their names and texts as the driver's documentation has them.

/// Success.
pub const OK: i32 = 0;
/// An argument is out of range.
pub const INVALID_VALUE: i32 = 1;
/// No memory left.
pub const OUT_OF_MEMORY: i32 = 2;
/// `cuInit` was not called.
pub const NOT_INITIALIZED: i32 = 3;
/// There is no such device.
pub const INVALID_DEVICE: i32 = 101;
/// What was given is no code.
pub const INVALID_IMAGE: i32 = 200;
/// No context is current, or it is destroyed.
pub const INVALID_CONTEXT: i32 = 201;
/// The code is no PTX.
pub const INVALID_PTX: i32 = 218;
/// The code is newer than the driver.
pub const UNSUPPORTED_PTX_VERSION: i32 = 222;
/// A handle names nothing.
pub const INVALID_HANDLE: i32 = 400;
/// What was asked for is not possible as things are.
pub const ILLEGAL_STATE: i32 = 401;
/// A name is not found.
pub const NOT_FOUND: i32 = 500;
/// What was asked for has not ended.
pub const NOT_READY: i32 = 600;
/// A kernel used an address that is not its own.
pub const ILLEGAL_ADDRESS: i32 = 700;
/// An assertion of a kernel did not hold.
pub const ASSERT: i32 = 710;
/// Memory is registered already.
pub const ALREADY_REGISTERED: i32 = 712;
/// Memory is not registered.
pub const NOT_REGISTERED: i32 = 713;
/// A kernel failed.
pub const LAUNCH_FAILED: i32 = 719;
/// A call is not possible while a stream captures.
pub const CAPTURE_UNSUPPORTED: i32 = 900;
/// A capture was made void before.
pub const CAPTURE_INVALIDATED: i32 = 901;
/// A stream that ends a capture did not begin it.
pub const CAPTURE_UNMATCHED: i32 = 903;
/// A capture has streams that were not joined.
pub const CAPTURE_UNJOINED: i32 = 904;
/// A capture would depend on what is not captured.
pub const CAPTURE_ISOLATION: i32 = 905;
/// An event that was recorded in a capture is asked for.
pub const CAPTURED_EVENT: i32 = 907;
/// A graph cannot take another's place.
pub const UPDATE_FAILURE: i32 = 910;

/// Each with its name and its text, both with the zero that C wants.
pub const NAMES: &[(i32, &str, &str)] = &[
    (OK, "CUDA_SUCCESS\0", "no error\0"),
    (
        INVALID_VALUE,
        "CUDA_ERROR_INVALID_VALUE\0",
        "invalid argument\0",
    ),
    (
        OUT_OF_MEMORY,
        "CUDA_ERROR_OUT_OF_MEMORY\0",
        "out of memory\0",
    ),
    (
        NOT_INITIALIZED,
        "CUDA_ERROR_NOT_INITIALIZED\0",
        "initialization error\0",
    ),
    (
        100,
        "CUDA_ERROR_NO_DEVICE\0",
        "no CUDA-capable device is detected\0",
    ),
    (
        INVALID_DEVICE,
        "CUDA_ERROR_INVALID_DEVICE\0",
        "invalid device ordinal\0",
    ),
    (
        INVALID_IMAGE,
        "CUDA_ERROR_INVALID_IMAGE\0",
        "device kernel image is invalid\0",
    ),
    (
        INVALID_CONTEXT,
        "CUDA_ERROR_INVALID_CONTEXT\0",
        "invalid device context\0",
    ),
    (
        INVALID_PTX,
        "CUDA_ERROR_INVALID_PTX\0",
        "a PTX JIT compilation failed\0",
    ),
    (
        UNSUPPORTED_PTX_VERSION,
        "CUDA_ERROR_UNSUPPORTED_PTX_VERSION\0",
        "the provided PTX was compiled with an unsupported toolchain.\0",
    ),
    (
        INVALID_HANDLE,
        "CUDA_ERROR_INVALID_HANDLE\0",
        "invalid resource handle\0",
    ),
    (
        ILLEGAL_STATE,
        "CUDA_ERROR_ILLEGAL_STATE\0",
        "the operation cannot be performed in the present state\0",
    ),
    (
        NOT_FOUND,
        "CUDA_ERROR_NOT_FOUND\0",
        "named symbol not found\0",
    ),
    (NOT_READY, "CUDA_ERROR_NOT_READY\0", "device not ready\0"),
    (
        ILLEGAL_ADDRESS,
        "CUDA_ERROR_ILLEGAL_ADDRESS\0",
        "an illegal memory access was encountered\0",
    ),
    (
        ASSERT,
        "CUDA_ERROR_ASSERT\0",
        "device-side assert triggered\0",
    ),
    (
        ALREADY_REGISTERED,
        "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED\0",
        "part or all of the requested memory range is already mapped\0",
    ),
    (
        NOT_REGISTERED,
        "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED\0",
        "pointer does not correspond to a registered memory region\0",
    ),
    (
        LAUNCH_FAILED,
        "CUDA_ERROR_LAUNCH_FAILED\0",
        "unspecified launch failure\0",
    ),
    (
        CAPTURE_UNSUPPORTED,
        "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED\0",
        "operation not permitted when stream is capturing\0",
    ),
    (
        CAPTURE_INVALIDATED,
        "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED\0",
        "operation failed due to a previous error during capture\0",
    ),
    (
        CAPTURE_UNMATCHED,
        "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED\0",
        "capture was not ended in the same stream as it began\0",
    ),
    (
        CAPTURE_UNJOINED,
        "CUDA_ERROR_STREAM_CAPTURE_UNJOINED\0",
        "capturing stream has unjoined work\0",
    ),
    (
        CAPTURE_ISOLATION,
        "CUDA_ERROR_STREAM_CAPTURE_ISOLATION\0",
        "dependency created on uncaptured work in another stream\0",
    ),
    (
        CAPTURED_EVENT,
        "CUDA_ERROR_CAPTURED_EVENT\0",
        "operation not permitted on an event last recorded in a capturing stream\0",
    ),
    (
        UPDATE_FAILURE,
        "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE\0",
        "the graph update was not performed because it included changes which violated constraints specific to \
         instantiated graph update\0",
    ),
];

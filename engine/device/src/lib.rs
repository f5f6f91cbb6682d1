//! What is true on every backend: events and their generations, elapsed time, and what failure does.
//!
//! # Rules
//!
//! Streams and events behave as CUDA's do. Comments and test cases name these rules by their numbers; the sources
//! are the descriptions of the functions named in the CUDA driver API's reference, unless another is given.
//!
//! | rule | what it says | source |
//! | --- | --- | --- |
//! | A1 | An event that was never recorded stands for no work: queries, waits and synchronisation pass at once. | `cuEventRecord` |
//! | A2 | A record takes in what its stream was given before it, and nothing later. | `cuEventRecord` |
//! | A3 | Recording again makes a new generation; a wait keeps to the record that was the latest when it was called. | `cuEventRecord`, `cuStreamWaitEvent` |
//! | A6 | A wait holds back only what is submitted to its stream after it. | `cuStreamWaitEvent` |
//! | A7 | Any number of streams may wait for one event, any number of times. | `cuStreamWaitEvent` |
//! | A8 | Waiting for an event of the same stream is legal and changes nothing. | `cuStreamWaitEvent` |
//! | A9 | A strict query that says "complete" orders as a synchronisation does. | `cuEventQuery` |
//! | A10 | Synchronising blocks for the record that is the latest when it is called. | `cuEventSynchronize` |
//! | A11 | An event may be destroyed while its record is pending; waits submitted before stay valid. | `cuEventDestroy` |
//! | A14 | Elapsed time needs both events to have been recorded. | `cuEventElapsedTime` |
//! | A15 | Elapsed time needs both events to keep a time. | `cuEventElapsedTime` |
//! | A16 | Elapsed time of a record not yet reached is "not ready". | `cuEventElapsedTime` |
//! | A18 | Asking for elapsed time never waits. | `cuEventElapsedTime` |
//! | A19 | Elapsed time is between records, so it may hold more than one kernel's own time. | `cuEventElapsedTime` |
//! | A20 | Elapsed time needs both events to be of one device. | HIP's test of `hipEventElapsedTime` |
//! | A21 | Elapsed time goes by the latest records. | `cuEventRecord` |
//! | A24 | Synchronising a stream or the device covers all that was submitted before the call. | `cuStreamSynchronize` |
//! | A27 | A stream or device may be given up while it is busy. | `cuStreamDestroy` |
//! | A28 | A host function runs after what precedes it on its stream and holds back what follows. | `cuLaunchHostFunc` |
//! | A29 | After a failure host functions are not called. | `cuLaunchHostFunc` |
//! | A31 | Copies run in stream order; what they read on the host is read when they run. | "API synchronization behavior" |
//! | A30 | A host function that panics is marked as failed, and its stream goes on. | cuda.core's test of callbacks |
//! | F2 | An event of `AscendCL` is refused where a call needs what its flags do not say. | `aclrtCreateEventWithFlag` |
//! | F3 | A device has room for so many events: they take it when they are made, or at each record. | `aclrtCreateEventExWithFlag` |
//! | F7 | A reset makes an event as if never recorded, in stream order. | `aclrtResetEvent` |
//! | F8 | A wait on the device that takes too long fails, and the next synchronisation says so. | `aclrtSetOpWaitTimeout` |
//! | F9 | A host thread gives up waiting after the time it was given. | `aclrtSynchronizeStreamWithTimeout` |
//! | F13 | After a failure a stream goes on with the next operation, or all of its device stop. | `aclrtSetStreamFailureMode` |
//! | F14 | An abort kills what runs on a stream and drops what is queued; who waits for it is orphaned. | `aclrtStreamAbort` |
//! | F15 | Callbacks of a stream run on the one thread that subscribed to it. | `aclrtSubscribeReport` |
//! | A36 | While a stream captures nothing executes; a capture begins and ends on one stream and by one thread. | `cuStreamBeginCapture`, `cuStreamEndCapture` |
//! | A37 | A stream that waits for a captured event joins the capture, and must be joined back. | `cuStreamEndCapture` |
//! | A38 | Waiting for or asking about what is captured makes the capture void. | `cuStreamBeginCapture` |
//! | A39 | While a blocking stream captures, the legacy stream cannot be used. | `cuStreamBeginCapture` |
//! | A40 | Captures do not become one, and nothing crosses the border of one. | error codes of `CUresult` |
//! | A41 | The mode of a capture says whose unsafe calls it forbids. | `cuThreadExchangeStreamCaptureMode` |
//! | A43 | A replay is one operation of its stream. | `cuGraphLaunch` |
//! | A46 | A call that is refused leaves the device as it was. | error codes of `CUresult` |
//! | A47 | A kernel that fails ends the device: nothing that was not running by then will run. | error codes of `CUresult` |
//! | A48 | A failure shows at a later call, which need not be the one that caused it. | error codes of `CUresult` |
//! | B9 | A replay reads and writes what all of its nodes do. | PyTorch's stream sanitizer |
//! | D1–D10 | A recorded launch runs nothing; arguments are packed by value and refused at once, limits at launch. | NVIDIA Warp's `Launch` |

pub mod capture;
mod elapsed;
mod event_generations;
mod failure;
mod launches;
mod lock;
mod status;
pub mod webgpu;

pub use elapsed::{ElapsedError, EventStatus, RecordProgress, elapsed};
pub use event_generations::{EventError, EventTable, MissingRecord, RecordedEvent};
pub use failure::{FailureConsequence, OperationFailure, consequence};
pub use launches::{
    BufferHandle, LaunchArgument, LaunchError, RecordedLaunch, names as argument_names,
};
pub use lock::lock;
pub use status::{DeviceStatus, OperationStage, TerminationCause, outcome};

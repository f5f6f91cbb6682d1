//! What to run, as data: read from KDL, checked, and handed out as calls in host order.
//!
//! A workload is a KDL document. At its top stand, in any order:
//!
//! - `about "…"`: what it shows.
//! - `param "n" 1024 min=1 max=4096 about="…"`: a number that a run can have another value of.
//! - `stream "copy" role="host-to-device" priority=0 count=2`: roles are `compute` (where none is given),
//!   `host-to-device`, `device-to-host`, `device-to-device`, `collective`, `barrier`, `critical-section`, `lazy-job` and
//!   `pinned-compute`; lower priorities run first. With `blocking=#true` it and the stream of `kind="legacy"` wait for
//!   each other; `kind="per-thread"` is a stream for each host thread.
//! - `synchronization "automatic"`: a use of a buffer on another stream waits for the last one; or `"least"`,
//!   `"compared"`, and `"manual"` where none is given. `machine`: calls are instructions, whose lives are shown;
//!   with `high=64 low=32` whoever calls waits once so many are on their way, until that few are left; with
//!   `threads="many"` workers launch them.
//! - `event "ready" count=2 timing=#true`, `signal "go" count=2`. An event may say that a thread that waits for it sleeps
//!   (`blocking=#true`, or spins), what it is made for (`kind="sync progress timeline"`, as in `AscendCL`; without, for all
//!   of it), and when it takes one of the device's `event-slots 4`: at its `slot="creation"` or at each `slot="record"`.
//!   One for several processes, `interprocess=#true`, keeps no times.
//! - `event-pool "pool" count=4`, from which an `event "step" count=16 pool="pool"` is taken at run time.
//! - `callback-thread "calls"`; `stream "s" failure="continue"` goes on after an operation that failed.
//! - `buffer "x" f32="n" count=2 init="k % 7"`: floats on the device and their copy on the host, which `init` fills:
//!   `k` is the element's number, `part` which one of the array it is in. The device's begin as zeros.
//! - `placement ranks=4`: so many processes on this machine, or `placement { machine "left" devices="0 1" at="user@host" }`
//!   those on the devices of machines; expressions know `rank` and `ranks`. Whoever runs it says whether the machine at
//!   `at=` is connected to; see [`Placement::unallowed`]. `timeout-millis=` is how long one waits for another. `fault "kill" rank=2 collective=3` does something to a rank on purpose.
//! - `host "main" { … }`: a host thread and what it calls.
//! - `expect { … }`: what is checked after the run.
//!
//! Calls are `upload`, `download`, `copy "from" "to"`, `fill … value=`, `launch`, `record`, `wait` and `hold` (a stream
//! waits for a signal), each with `on="stream"`; `host-function "name" micros= on=`; `synchronize-event`,
//! `synchronize-stream`, `synchronize-device` and `query`; `signal` and `await` between host threads; `work micros=`;
//! `wait-stream "copy" on="compute"` joins streams without an event, `barrier on=` all of them; `allocate` and `free`
//! are for buffers with `memory="stream-ordered"`. What moves or computes may leave `on=` out: its role chooses the
//! stream. And there is `repeat 8 index="i" { … }`. Waits and synchronisation may have a `timeout-micros=`, and `query "e" strict=#true`
//! fails unless the record is reached. `elapsed "start" "end"`, `time "name" on= { … }` around what is measured,
//! `reset "e" on=`, `destroy-event`, `destroy-stream`, `abort-stream`, `acquire` and `release` of events of a pool,
//! `subscribe "calls" stream="s"` and `unsubscribe`, after which `host-function … blocking=#true` runs on that thread. Any call can have a `label=` that expectations refer to. A launch names its kernel,
//! and in its block what to `read`, to `write` and to `set`; see [`KERNELS`].
//!
//! `recorded "step"` is a launch that is recorded once: `record-launch "step" "saxpy" { … }` runs nothing, `set "step"
//! "a" 3.0` (or by place, or `buffer=`), `set-all "step" { … }` and `set-dimensions "step" 512` change it, and `relaunch
//! "step" on="stream"` runs it. `graph "g"` is a graph of calls: those between `begin-capture "stream" mode="global"`
//! and `end-capture "stream" "g"` on that stream, and on those that join it by waiting for its events, are captured and
//! not run; `instantiate "g"` makes it ready, `update "g"` gives it what was captured since, `replay "g" on="stream"`
//! runs it as one operation. In a capture `record` and `wait` are edges; with `external=#true` they are nodes that
//! record and wait at each replay. `allocate` and `free` are nodes as well: the free comes after all who may use the memory.
//!
//! Ranks together make `all-reduce "x" by="mean"`, `all-gather "part" "whole"`, `reduce-scatter "whole" "part"`, `broadcast
//! "x" root=0`, `rank-barrier`, and two of them `send "x" to=` and `receive "x" from=`, each an operation of a stream.
//! `only 0 { … }` is for one rank and `except 0 { … }` for all others.
//!
//! A call that fails ends the run, unless something takes its error: `try { … }`, followed by any number of
//! `catch "not-ready" { … }` and at most one `catch { … }` for every kind; see [`ErrorKind`]. The host thread goes on
//! with the branch, and then behind the last one.
//!
//! An element of an array is `"x" i` or `"x[i + 1]"`, counted modulo the length of the array. Numbers may be
//! expressions over the parameters and the indices of loops around: `+ - * / % ( )`, `min`, `max`, `floor`, `abs`,
//! `sqrt`; `%` has the sign of its divisor.
//!
//! Expectations are `overlap` and `busy` (shares of time, `at-least=` or `at-most=`), `each` (every element `equals=` a
//! formula, within `tolerance=`), `sum`, `before`, `in-turn` and `ends-before` (between labels), and `problem`; see
//! [`ExpectationKind`].
//!
//! ```
//! use workload::{Call, Document};
//!
//! let source = r#"
//!     stream "main"
//!     buffer "x" f32=64 init="k" // 0, 1, 2, …
//!     host "main" {
//!         repeat 3 { upload "x" on="main" }
//!         synchronize-stream "main"
//!     }
//! "#;
//! let document = Document::parse("example.kdl", source).map_err(|errors| errors[0].clone())?;
//! let plan = document.plan(&[]).map_err(|errors| errors[0].clone())?;
//! assert_eq!(plan.call_count, 4);
//! assert!(plan.calls(0).take(3).all(|placed| matches!(placed.call, Call::Upload { .. })));
//!
//! let errors = Document::check("example.kdl", &source.replace("upload", "uplaod"));
//! assert_eq!(errors[0].help, "did you mean “upload”?");
//! # Ok::<(), workload::Error>(())
//! ```

mod address;
mod bundled;
mod call;
mod calls;
mod collective;
mod collective_act;
mod document;
mod error;
mod error_kind;
mod event;
mod event_act;
mod expectation;
mod expression;
mod gpu;
mod gpu_act;
mod guides;
mod injection;
mod kernel;
mod launch_act;
mod launches;
mod model;
mod placement;
mod planner;
mod program;
mod reader;
mod stream_act;
mod streams;
mod template;

pub use address::{RemoteAddress, UnclearAddress};
pub use bundled::{Bundled, bundled};
pub use call::{Call, Launch, Place, Placed, Target};
pub use calls::Calls;
pub use collective::{Collective, CollectiveCall, Reduction};
pub use document::Document;
pub use error::{Error, nearest};
pub use error_kind::ErrorKind;
pub use event::{
    Capabilities, EventCall, EventOptions, FailureMode, PoolIndex, PoolPlan, SlotUse, ThreadIndex,
};
pub use expectation::{Bounds, ExpectationKind, ExpectationPlan, Mismatch, compare};
pub use expression::Expression;
pub use gpu::{
    Edition, ErrorFilter, GpuCall, MapMode, PipelineIndex, PipelineKind, PipelinePlan,
    PromiseIndex, ShaderPlan,
};
pub use guides::{Guide, GuideTopic, guides};
pub use injection::{Injection, LossBy, Moment, Unclear};
pub use kernel::{KERNELS, Kernel, Shape};
pub use launches::{
    ArgumentName, ArgumentValue, CaptureMode, GraphIndex, LaunchCall, LaunchPlan, RecordedIndex,
    RecordedPlan,
};
pub use model::{BufferPlan, CallSite, EventPlan, HostPlan, Parameter, Plan, Role, StreamPlan};
pub use placement::{
    FaultKind, FaultMoment, LeftOut, MachinePlan, Placement, RANKS, RankFault, RankPlan,
    UnclearFault,
};
pub use streams::{
    MachineThreads, MemoryKind, StreamCall, StreamKind, StreamTraits, Synchronization,
    VirtualMachine,
};

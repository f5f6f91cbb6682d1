//! What to run, as data: read from KDL, checked, and handed out as calls in host order.
//!
//! A workload is a KDL document: what it declares, host threads with their calls, and what is expected. Its reference is
//! made from the definitions that it is read by, see [`language_guide`]. Each call is defined once, in one of the groups of
//! [`Call`]: its word, how it is written, its fields, and what its span is labelled. A definition is generic over how far
//! a call has come ([`CallPhase`]), so that what is written and what is planned are the same type.
//!
//! ```
//! use workload::{Call, DataCall, Document};
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
//! assert!(plan.calls(0).take(3).all(|placed| matches!(placed.call, Call::Data(DataCall::Upload { .. }))));
//!
//! let errors = Document::check("example.kdl", &source.replace("upload", "uplaod"));
//! assert_eq!(errors[0].help, "did you mean “upload”?");
//! # Ok::<(), workload::WorkloadError>(())
//! ```

mod address;
mod bundled;
mod call;
mod call_iterator;
mod collective;
mod completion;
mod document;
mod error;
mod error_kind;
mod error_numbers;
mod event;
mod expectation;
mod expression;
mod fields;
mod gpu;
mod guides;
mod injection;
pub mod kdl;
mod kernel;
mod language;
mod launches;
mod model;
mod phase;
mod placement;
mod planner;
mod program;
mod reader;
mod streams;
mod template;
mod verb;

pub use address::{RemoteAddress, UnclearAddress};
pub use bundled::{BundledWorkload, WorkloadGroup, bundled, bundled_groups};
pub use call::{
    Call, CollectiveCall, DataCall, EventCall, GpuCall, HostCall, LaunchCall, PlacedCall,
    SourceLocation, StreamCall, SyncTarget,
};
pub use call_iterator::CallIterator;
pub use collective::Reduction;
pub use completion::{WorkloadCompletion, complete};
pub use document::Document;
pub use error::{WorkloadError, nearest};
pub use error_kind::ErrorKind;
pub use error_numbers::{ErrorMatch, NumberedRuntime, RuntimeError};
pub use event::{
    Capabilities, EventOptions, FailureMode, PoolIndex, PoolPlan, SlotUse, ThreadIndex,
};
pub use expectation::{
    Bounds, ExpectationKind, ExpectationPlan, Mismatch, OperationPairs, compare,
};
pub use expression::Expression;
pub use fields::KernelArguments;
pub use gpu::{
    Edition, ErrorFilter, MapMode, PipelineIndex, PipelinePlan, PipelinePurpose, PromiseIndex,
    ShaderPlan,
};
pub use guides::{Guide, GuideTopic, guides};
pub use injection::{Injection, LossBy, LossMoment, UnclearInjection};
pub use kernel::{KERNELS, Kernel, LaunchShape};
pub use language::language_guide;
pub use launches::{
    ArgumentName, ArgumentValue, CaptureMode, GraphIndex, RecordedIndex, RecordedPlan,
};
pub use model::{
    BufferPlan, CallSite, EventPlan, HostPlan, Parameter, Plan, StreamPlan, StreamRole,
};
pub use phase::{AsPlanned, AsWritten, CallPhase};
pub use placement::{
    FaultKind, FaultMoment, MachinePlan, OmittedPart, Placement, RANKS, RankFault, RankPlan,
    UnclearFault,
};
pub use streams::{
    MachineThreads, MemoryKind, StreamKind, StreamTraits, Synchronization, VirtualMachine,
};

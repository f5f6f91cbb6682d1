//! What to run, as data: read from KDL, checked, and handed out as calls in host order.

mod bundled;
mod call;
mod document;
mod error;
mod expectation;
mod expression;
mod kernel;
mod model;
mod planner;
mod program;
mod reader;
mod template;

pub use bundled::{Bundled, bundled};
pub use call::{Call, Launch, Place, Placed, Target};
pub use document::Document;
pub use error::Error;
pub use expectation::{Bounds, ExpectationKind, ExpectationPlan, Mismatch, compare};
pub use expression::Expression;
pub use kernel::{KERNELS, Kernel, Shape};
pub use model::{
    BufferIndex, BufferPlan, CallSite, EventIndex, EventPlan, HostPlan, Parameter, Plan, Role,
    SignalIndex, StreamIndex, StreamPlan,
};
pub use program::Calls;

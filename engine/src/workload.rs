//! What to run, as data: read from KDL, checked, and handed out as calls in host order.

mod call;
mod model;

pub use call::{Call, Calls, Place, Placed, Target};
pub use model::{
    BufferIndex, BufferPlan, EventIndex, EventPlan, ExpectationPlan, HostPlan, Parameter, Plan, Role, SignalIndex,
    StreamIndex, StreamPlan,
};

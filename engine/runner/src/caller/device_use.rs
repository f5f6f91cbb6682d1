//! Calls that lose the device, open it anew or make it fail, and what that means to the calls of others.

use super::admit::concerns_device;
use super::resources::UsedResource;
use ::order::ResourceAccess::{Changes, Hears, Reads};
use ::order::SharedResource::{Device, Failure};
use workload::{
    Call, DataCall, EventCall, FailureMode, GpuCall, LaunchCall, MemoryKind, Plan, StreamCall,
};

/// Kernels that end the device they run on.
const FAILING: [&str; 2] = ["trap", "fault"];

/// The call that loses the device.
const LOSE: &str = "lose-device";
/// The call that opens it anew.
const RECOVER: &str = "recover-device";

/// What calls do to the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CalledEnd {
    #[default]
    Nothing,
    /// They lose it.
    Loses,
    /// They open it anew.
    Recovers,
}

/// Which ends of its device a workload brings about by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceEnds {
    /// By calls.
    called: CalledEnd,
    /// A kernel makes it fail.
    are_failures: bool,
    /// A kernel that does is recorded, to be launched later.
    are_recorded: bool,
}

impl DeviceEnds {
    /// Those of a workload.
    pub fn new(plan: &Plan) -> Self {
        let calls = |verb: &str| plan.sites.iter().any(|it| it.verb == verb);
        let called = if calls(RECOVER) {
            CalledEnd::Recovers
        } else if calls(LOSE) {
            CalledEnd::Loses
        } else {
            CalledEnd::Nothing
        };
        let (launched, recorded) = plan.kernels();
        let declared = plan.recorded.iter().filter_map(|it| it.kernel);
        let recorded: Vec<_> = recorded.into_iter().chain(declared).collect();
        let are_recorded = FAILING.iter().any(|it| recorded.contains(it));
        Self {
            called,
            are_failures: are_recorded || FAILING.iter().any(|it| launched.contains(it)),
            are_recorded,
        }
    }

    /// What a call has to do with the device that it is made to.
    pub fn uses(self, plan: &Plan, call: &Call) -> Vec<UsedResource> {
        let mut found = Vec::new();
        if self.called != CalledEnd::Nothing {
            let is_meant = match call {
                Call::Gpu(GpuCall::Lose { .. } | GpuCall::Recover {}) => {
                    found.push((Device, Changes));
                    false
                }
                Call::Gpu(GpuCall::Settle { .. } | GpuCall::SettleAll {}) => false,
                // They mean the device that is there, or its buffers: where it is only lost, they come to the same.
                Call::Gpu(GpuCall::DeviceLost { .. }) | Call::Launch(_) => {
                    self.called == CalledEnd::Recovers
                }
                Call::Gpu(_) => true,
                _ => concerns_device(call),
            };
            if is_meant || matches!(call, Call::Launch(_)) && concerns_device(call) {
                found.push((Device, Reads));
            }
        }
        if self.are_failures && concerns_device(call) {
            let access = match call {
                _ if self.fails(plan, call) => Changes,
                _ if hears(plan, call) => Hears,
                _ => Reads,
            };
            found.push((Failure, access));
        }
        found
    }

    /// Whether a call makes the device fail: not on a stream that goes on after failures. Which launch was recorded last is not
    /// looked at.
    fn fails(self, plan: &Plan, call: &Call) -> bool {
        let stream = match call {
            Call::Data(DataCall::Launch { kernel, stream, .. })
                if FAILING.contains(&kernel.kernel.name) =>
            {
                stream
            }
            Call::Launch(LaunchCall::Relaunch { stream, .. }) if self.are_recorded => stream,
            _ => return false,
        };
        let stream = plan.streams.get(stream.index());
        stream.is_none_or(|it| it.failure == FailureMode::Stop)
    }
}

/// Whether a call may be told that the device failed.
fn hears(plan: &Plan, call: &Call) -> bool {
    match call {
        Call::Event(call) => matches!(
            call,
            EventCall::Synchronize { .. } | EventCall::Query { .. } | EventCall::Elapsed { .. }
        ),
        Call::Stream(call) => matches!(
            call,
            StreamCall::Synchronize { .. }
                | StreamCall::SynchronizeDevice { .. }
                | StreamCall::Query { .. }
        ),
        // It returns once the copy has ended (rule A31).
        Call::Data(DataCall::Upload { buffer, .. } | DataCall::Download { buffer, .. }) => {
            let buffer = plan.buffers.get(buffer.index());
            buffer.is_some_and(|it| it.memory == MemoryKind::Pageable)
        }
        _ => false,
    }
}

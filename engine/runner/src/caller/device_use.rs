//! Calls that lose the device, open it anew or make it fail, and what that means to the calls of others.

use super::admit::concerns_device;
use super::resources::UsedResource;
use ::order::ResourceAccess::{Changes, Hears, Reads};
use ::order::SharedResource::{Device, Failure};
use workload::{Call, DataCall, EventCall, GpuCall, MemoryKind, Plan, StreamCall};

/// Kernels that end the device they run on.
const FAILING: [&str; 2] = ["trap", "fault"];

/// Calls that end the device, or begin another one.
const ENDS: [&str; 2] = ["lose-device", "recover-device"];

/// Which ends of its device a workload brings about by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceEnds {
    /// A call loses it or opens it anew.
    are_called: bool,
    /// A kernel makes it fail.
    are_failures: bool,
}

impl DeviceEnds {
    /// Those of a workload.
    pub fn new(plan: &Plan) -> Self {
        Self {
            are_called: plan.sites.iter().any(|it| ENDS.contains(&it.verb)),
            are_failures: plan.launches(&FAILING),
        }
    }

    /// What a call has to do with the device that it is made to.
    pub fn uses(self, plan: &Plan, call: &Call) -> Vec<UsedResource> {
        let mut found = Vec::new();
        if self.are_called {
            // Some of WebGPU's calls come to the same on a device that is lost.
            let comes_to_the_same = matches!(
                call,
                Call::Gpu(
                    GpuCall::DeviceLost { .. } | GpuCall::Settle { .. } | GpuCall::SettleAll {},
                )
            );
            let is_meant = matches!(call, Call::Gpu(_)) && !comes_to_the_same;
            if ends(call) {
                found.push((Device, Changes));
            } else if is_meant || concerns_device(call) {
                found.push((Device, Reads));
            }
        }
        if self.are_failures && concerns_device(call) {
            let access = match call {
                _ if fails(call) => Changes,
                _ if hears(plan, call) => Hears,
                _ => Reads,
            };
            found.push((Failure, access));
        }
        found
    }
}

const fn ends(call: &Call) -> bool {
    matches!(call, Call::Gpu(GpuCall::Lose { .. } | GpuCall::Recover {}))
}

fn fails(call: &Call) -> bool {
    matches!(call, Call::Data(DataCall::Launch { kernel, .. }) if FAILING.contains(&kernel.kernel.name))
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

//! Calls that are refused while a stream captures, and those that begin and end captures: whether one of another host thread
//! comes into a capture is chance where nothing orders the two.

use order::ResourceAccess::{self, Changes, Reads};
use order::{CaptureScope, SharedResource};
use record::StreamIndex;
use std::collections::BTreeSet;
use workload::{Call, CaptureMode, EventCall, GpuCall, LaunchCall, Plan, StreamCall, StreamKind};

/// Calls of each host thread that are looked at for the modes of captures.
const MOST: usize = 100_000;

/// The streams on which captures are begun, where several host threads call.
#[derive(Debug, Default)]
pub struct CapturedStreams {
    /// All of them.
    all: BTreeSet<StreamIndex>,
    /// Those on which one is begun that forbids every host thread calls which ask or allocate (rule A41).
    global: BTreeSet<StreamIndex>,
}

impl CapturedStreams {
    /// Those of a plan.
    pub fn new(plan: &Plan) -> Self {
        let mut found = Self::default();
        let captures = plan.sites.iter().any(|it| it.verb == "begin-capture");
        if plan.hosts.len() < 2 || !captures {
            return found;
        }
        for host in 0..plan.hosts.len() {
            for placed in plan.calls(host).take(MOST) {
                if let Call::Launch(LaunchCall::BeginCapture { mode, stream }) = placed.call
                    && !is_legacy(plan, stream)
                {
                    found.all.insert(stream);
                    if mode == CaptureMode::Global {
                        found.global.insert(stream);
                    }
                }
            }
        }
        found
    }

    /// What a call has to do with captures. `named` are the streams that it submits to or waits for.
    pub fn uses(
        &self,
        plan: &Plan,
        call: &Call,
        named: impl Iterator<Item = StreamIndex>,
    ) -> Vec<(SharedResource, ResourceAccess)> {
        let mut found = Vec::new();
        if self.all.is_empty() {
            return found;
        }
        let mut push = |scope, access| found.push((SharedResource::Captures(scope), access));
        match *call {
            Call::Launch(
                LaunchCall::BeginCapture { stream, .. } | LaunchCall::EndCapture { stream, .. },
            ) => {
                if self.all.contains(&stream) {
                    push(CaptureScope::Any, Changes);
                }
                if self.global.contains(&stream) {
                    push(CaptureScope::Global, Changes);
                }
                let own = plan.streams.get(stream.index());
                if self.all.contains(&stream) && own.is_some_and(|it| it.traits.is_blocking) {
                    push(CaptureScope::Blocking, Changes);
                }
                return found;
            }
            Call::Stream(StreamCall::SynchronizeDevice { .. }) => push(CaptureScope::Any, Reads),
            Call::Event(EventCall::Synchronize { .. } | EventCall::Query { .. })
            | Call::Launch(LaunchCall::Instantiate { .. } | LaunchCall::Update { .. })
            | Call::Gpu(GpuCall::CreatePipeline { .. } | GpuCall::CreatePipelineAsync { .. }) => {
                push(CaptureScope::Global, Reads);
            }
            // They are possible while a stream captures.
            Call::Stream(
                StreamCall::Destroy { .. }
                | StreamCall::Abort { .. }
                | StreamCall::Subscribe { .. }
                | StreamCall::Unsubscribe { .. },
            ) => return found,
            _ => {}
        }
        let mut named = named;
        if named.any(|it| is_legacy(plan, it)) {
            push(CaptureScope::Blocking, Reads);
        }
        found
    }
}

/// Whether it is the legacy stream, which captures nothing.
pub fn is_legacy(plan: &Plan, stream: StreamIndex) -> bool {
    let own = plan.streams.get(stream.index());
    own.is_some_and(|it| it.traits.kind == StreamKind::Legacy)
}

//! Calls of WebGPU's: pipelines, promises, error scopes, and the loss of the device.

use std::sync::Arc;

use super::{Caller, CurrentCall};
use crate::loss::LossSource;
use crate::loss_scheduler::{self, ArmedLoss};
use crate::timelines::{CallContext, LaunchReadiness, Timelines};
use backend::BackendError;
use record::{CallId, DependencyKind, SpanId, SpanKind};
use workload::{GpuCall, Injection, LossBy, LossMoment, PipelineIndex};

impl Caller {
    pub(super) fn gpu_call(
        &mut self,
        current: &CurrentCall,
        call: &GpuCall,
    ) -> (SpanKind, Result<(), BackendError>) {
        if let GpuCall::CreatePipeline { .. } | GpuCall::CreatePipelineAsync { .. } = call
            && let Err(error) = self.mind_unsafe("creating a pipeline")
        {
            return (SpanKind::Call, Err(error));
        }
        let shared = Arc::clone(&self.shared);
        let result = match (call, &shared.timelines) {
            (GpuCall::Lose { by, at }, _) => {
                let injection = Injection {
                    by: *by,
                    at: at.clone(),
                };
                self.lose(current, injection);
                Ok(())
            }
            (GpuCall::Recover {}, _) => return self.recover(current),
            (GpuCall::Settle { .. } | GpuCall::SettleAll {}, Some(timelines)) => {
                return self.await_promise(current, call, timelines);
            }
            (call, Some(timelines)) => return self.promise(current, call, timelines),
            // A workload that names no pipeline and no promise can only push scopes and unmap.
            (_, None) => Ok(()),
        };
        (SpanKind::Call, result)
    }

    /// A call whose device steps are the layer's; one that creates a pipeline at once blocks until it is decided.
    fn promise(
        &self,
        current: &CurrentCall,
        call: &GpuCall,
        timelines: &Timelines,
    ) -> (SpanKind, Result<(), BackendError>) {
        let shared = Arc::clone(&self.shared);
        // Behind a destroy comes the device that is opened anew, where one is.
        if shared.losses.resumes()
            && let Err(error) = self.until_destroyed(current)
        {
            return (SpanKind::Call, Err(error));
        }
        let Some(flag) = timelines.call(&shared, &self.call_context(current), call) else {
            return (SpanKind::Call, Ok(()));
        };
        let (_, result) = self.blocked(current, SpanKind::Call, |shared, caller| {
            shared.device.until_flag(caller.host, &flag)
        });
        if let GpuCall::CreatePipeline { pipeline } = call {
            let decided = timelines.decided(*pipeline);
            timelines.report_dependency(decided, current.span, DependencyKind::Synchronization);
        }
        (SpanKind::Call, result)
    }

    /// Opens a lost device anew, also one whose `destroy()` has not had its turn on the device timeline: that is waited for.
    fn recover(&self, current: &CurrentCall) -> (SpanKind, Result<(), BackendError>) {
        let shared = Arc::clone(&self.shared);
        let mut waited = self.blocked(current, SpanKind::Call, |_, caller| {
            caller.until_destroyed(current)
        });
        if waited.1.is_ok() {
            waited.1 = shared.recover(&self.reporter);
        }
        waited
    }

    /// Waits until a `destroy()` that was called has had its turn on the device timeline, and the device is opened anew
    /// where that is to be done: what is called later comes later on that timeline.
    pub(super) fn until_destroyed(&self, current: &CurrentCall) -> Result<(), BackendError> {
        let timelines = self.shared.timelines.as_ref();
        if let Some((timelines, flag)) = timelines.and_then(|it| Some((it, it.until_destroyed()?)))
        {
            self.shared.device.until_flag(self.host, &flag)?;
            timelines.report_dependency(
                timelines.lost_by(),
                current.span,
                DependencyKind::Synchronization,
            );
        }
        self.shared.losses.await_mended();
        Ok(())
    }

    fn await_promise(
        &self,
        current: &CurrentCall,
        call: &GpuCall,
        timelines: &Timelines,
    ) -> (SpanKind, Result<(), BackendError>) {
        self.blocked(current, SpanKind::Synchronize, |shared, caller| {
            let steps = match call {
                GpuCall::Settle { promise } => {
                    vec![timelines.await_promise(shared, caller.host, *promise)?]
                }
                _ => timelines.settle_all(shared, caller.host)?,
            };
            for step in steps {
                timelines.report_dependency(step, current.span, DependencyKind::Synchronization);
            }
            Ok(())
        })
    }

    /// Waits until the pipeline of a launch is ready. Gives the step that made it ready, to the first that uses it;
    /// nothing where the launch cannot be submitted.
    pub(super) fn until_ready(
        &self,
        current: &CurrentCall,
        pipeline: PipelineIndex,
    ) -> Result<Option<SpanId>, BackendError> {
        let shared = Arc::clone(&self.shared);
        let Some(timelines) = &shared.timelines else {
            return Ok(Some(SpanId::NONE));
        };
        match timelines.ready(&shared, &self.call_context(current), pipeline)? {
            LaunchReadiness::Ready(step) => Ok(Some(step.unwrap_or(SpanId::NONE))),
            LaunchReadiness::Refused => Ok(None),
        }
    }

    pub(super) const fn call_context(&self, current: &CurrentCall) -> CallContext {
        CallContext {
            host: self.host,
            call: CallId(current.place.call),
            span: current.span,
            time: current.start,
        }
    }

    fn lose(&self, current: &CurrentCall, mut injection: Injection) {
        if let LossMoment::Time(after) = injection.at {
            // A workload counts from the call.
            injection.at =
                LossMoment::Time(self.shared.device.now(self.host) + self.shared.stretched(after));
        }
        let source = LossSource::Call(current.place.call);
        let shared = Arc::clone(&self.shared);
        let is_now = injection.at == LossMoment::Now && injection.by == LossBy::Destroy;
        match &shared.timelines {
            Some(timelines) if is_now => {
                timelines.destroy(&shared, Some(&self.call_context(current)), source);
            }
            _ => loss_scheduler::arm(&shared, ArmedLoss { injection, source }, &self.reporter),
        }
    }
}

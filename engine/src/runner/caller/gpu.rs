//! Calls of WebGPU's: pipelines, promises, error scopes, and the loss of the device.

use std::sync::Arc;

use super::{Caller, Current};
use crate::backend::Error;
use crate::record::SpanKind;
use crate::runner::{Recovery, injector};
use crate::workload::{GpuCall, Injection, Moment};

impl Caller {
    pub(super) fn gpu(&mut self, _: &Current, call: &GpuCall) -> (SpanKind, Result<(), Error>) {
        let result = match call {
            GpuCall::Lose(injection) => {
                self.lose(injection);
                Ok(())
            }
            GpuCall::Recover => self.shared.recover(Recovery::Resume, &self.reporter),
            other => Err(Error::Unknown(format!(
                "the timelines that {other:?} needs"
            ))),
        };
        (SpanKind::Call, result)
    }

    fn lose(&self, injection: &Injection) {
        let mut injection = injection.clone();
        if let Moment::Time(after) = injection.at {
            // A workload counts from the call.
            injection.at = Moment::Time(self.shared.device.now(self.host) + after);
        }
        let shared = Arc::clone(&self.shared);
        injector::arm(&shared, injection, &self.reporter);
    }
}

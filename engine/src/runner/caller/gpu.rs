//! Calls of WebGPU's: pipelines, promises, error scopes, and the loss of the device.

use super::{Caller, Current};
use crate::backend::Error;
use crate::record::SpanKind;
use crate::workload::GpuCall;

impl Caller {
    pub(super) fn gpu(&mut self, _: &Current, call: &GpuCall) -> (SpanKind, Result<(), Error>) {
        let refused = Error::Unknown(format!("the timelines that {call:?} needs"));
        (SpanKind::Call, Err(refused))
    }
}

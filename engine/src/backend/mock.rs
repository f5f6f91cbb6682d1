//! For tests and golden texts alone: real semantics in virtual time, the same records every run.

mod cost;
mod device;
mod host;
mod simulation;
mod stream;

use super::{Backend, Caps, CompileTime, Device, Error, Found, Layout, Limits, Sink};

/// Runs everything in virtual time, on whichever host thread has the turn.
pub(super) struct Mock;

impl Backend for Mock {
    fn name(&self) -> &'static str {
        "mock"
    }

    fn about(&self) -> &'static str {
        "Virtual time for tests: real order and real numbers, times by formula; it proves a workload's \
         logic, never a device's behaviour"
    }

    fn probe(&self) -> Result<Vec<Found>, Error> {
        Ok(vec![Found {
            name: "mock".to_owned(),
            caps: caps(),
        }])
    }

    fn open(
        &self,
        layout: &Layout,
        sinks: &dyn Fn() -> Box<dyn Sink>,
    ) -> Result<Box<dyn Device>, Error> {
        Ok(Box::new(device::MockDevice::open(layout, sinks(), caps())?))
    }
}

fn caps() -> Caps {
    Caps {
        overlap: true,
        queue: false,
        priorities: false,
        deterministic: true,
        software: false,
        width: usize::MAX,
        clock: "virtual time",
        pipelines: CompileTime::Never,
        losses: &[],
        limits: Limits::default(),
        detail: "every stream runs at once, in virtual time".to_owned(),
    }
}

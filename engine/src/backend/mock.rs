//! For tests and golden texts alone: real semantics in virtual time, the same records every run.

mod cost;
mod device;
mod host;
mod simulation;
mod stream;

use super::{Backend, Caps, Device, Error, Found, Layout, Sink};

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
        priorities: false,
        deterministic: true,
        width: usize::MAX,
        clock: "virtual time",
        detail: "every stream runs at once, in virtual time".to_owned(),
    }
}

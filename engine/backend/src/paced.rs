//! The processor behind engines that take their time: every operation really runs, lasts as long as a stated law says, and is
//! held by timers, so that waiting costs no core and streams overlap on any machine.

mod engines;
mod executor;
mod law;
mod timer;

pub use engines::PacedEngine;

use executor::PacedExecutor;

use super::threads::ThreadedDevice;
use super::{Backend, BackendDevice, BackendError, Caps, DeviceLayout, ProbedDevice, ReportSink};
use crate::cpu;
use record::{NameId, PaceLaw, PaceSetting, SpanId};
use record::{PacedLength, time::Interval, time::Nanos};

/// How a paced device is set, and under which names it tells what became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PaceLayout {
    /// What is to be otherwise than usual.
    pub setting: PaceSetting,
    /// [`record::ENGINE`].
    pub engine: NameId,
    /// [`record::ENGINE_WAIT`].
    pub waited: NameId,
    /// [`record::WORKED`].
    pub worked: NameId,
    /// [`record::HELD`].
    pub held: NameId,
    /// [`record::LATE`].
    pub late: NameId,
}

/// What an operation of a paced device spent its time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PacedTimes {
    /// The engine that it ran on, or waited for; none for a function of the host.
    pub engine: Option<PacedEngine>,
    /// What that engine ran before, where it was waited for.
    pub behind: SpanId,
    /// How long it was waited for.
    pub waited: Nanos,
    /// When it ran, by the clock; nothing where it never got its engine.
    pub ran: Option<Interval>,
    /// How it kept the law.
    pub length: PacedLength,
}

/// Runs everything on threads of this machine, and takes its time.
pub(super) struct Paced;

impl Backend for Paced {
    fn name(&self) -> &'static str {
        "paced"
    }

    fn about(&self) -> &'static str {
        "CPU, paced: real work that takes its time, held by timers to a stated law, so that any machine shows what streams do; \
         its times are about that law, and never to be compared with another backend's"
    }

    fn probe(&self) -> Result<Vec<ProbedDevice>, BackendError> {
        let law = PaceLaw::default();
        Ok(vec![ProbedDevice {
            name: NAME.to_owned(),
            caps: caps(law),
        }])
    }

    fn open(
        &self,
        layout: &DeviceLayout,
        sinks: &dyn Fn() -> Box<dyn ReportSink>,
    ) -> Result<Box<dyn BackendDevice>, BackendError> {
        let law = layout.pace.setting.law();
        let executor = PacedExecutor::new(layout, law, caps(law))?;
        Ok(Box::new(ThreadedDevice::open(layout, sinks, executor)?))
    }
}

/// What it is called before its law is known.
const NAME: &str = "CPU, paced";

/// What a device is called that keeps this law.
fn name(law: &PaceLaw) -> String {
    format!("{NAME}: {law}")
}

fn caps(law: PaceLaw) -> Caps {
    Caps {
        width: law.slots as usize + 2,
        clock: "the host's monotonic clock".into(),
        detail: format!(
            "the processor, held to a pace by timers: {law}; its times are about that law and nothing else"
        ),
        paced: Some(law),
        ..cpu::caps()
    }
}

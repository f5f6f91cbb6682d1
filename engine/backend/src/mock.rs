//! For tests and golden texts alone: real semantics in virtual time, the same records every run.

mod alarms;
mod chance;
mod cost;
mod device;
mod failures;
mod graphs;
mod host;
mod host_waits;
mod point;
mod replay;
mod simulation;
mod stream;
mod turn;

use super::{
    Backend, BackendDevice, BackendError, Caps, DeviceLayout, DeviceLimits, ProbedDevice,
    ReportSink,
};
use record::CompileTime;

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

    fn probe(&self) -> Result<Vec<ProbedDevice>, BackendError> {
        Ok(vec![ProbedDevice {
            name: "mock".to_owned(),
            caps: caps(),
        }])
    }

    fn open(
        &self,
        layout: &DeviceLayout,
        sinks: &dyn Fn() -> Box<dyn ReportSink>,
    ) -> Result<Box<dyn BackendDevice>, BackendError> {
        let mut caps = caps();
        if let Some(seed) = layout.seed {
            caps.detail = format!("{}, lengths drawn by seed {seed}", caps.detail);
        }
        Ok(Box::new(device::MockDevice::open(layout, sinks(), caps)?))
    }
}

fn caps() -> Caps {
    Caps {
        paced: None,
        overlap: true,
        queue: false,
        priorities: false,
        deterministic: true,
        software: false,
        width: usize::MAX,
        clock: "virtual time".into(),
        pipelines: CompileTime::Never,
        losses: (&[]).into(),
        graphs: false,
        limits: DeviceLimits::default(),
        detail: "every stream runs at once, in virtual time".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::{Flag, HostIndex};
    use ::device::lock;
    use record::Record;
    use record::time::Nanos;

    struct NullSink;

    impl ReportSink for NullSink {
        fn report(&mut self, _: Record) {}
    }

    #[test]
    fn alarms_come_in_the_order_of_time_and_release_hosts() {
        let layout = DeviceLayout {
            hosts: 1,
            ..DeviceLayout::default()
        };
        let device: Arc<dyn BackendDevice> =
            Arc::from(Mock.open(&layout, &|| Box::new(NullSink)).unwrap());
        let host = HostIndex(0);
        let (seen, flag) = (Arc::new(Mutex::new(Vec::new())), Flag::default());
        device.start();
        device.turn(host).unwrap();
        for micros in [30, 10, 20] {
            let (seen, flag, asked) = (Arc::clone(&seen), flag.clone(), Arc::downgrade(&device));
            let act: crate::Alarm = Box::new(move |now| {
                lock(&seen).push(now);
                if micros == 20 {
                    flag.raise(now);
                }
                // The device may be asked meanwhile, and does not seem to stand still for good.
                assert!(asked.upgrade().is_some_and(|device| {
                    device.now(host) <= now && !device.activity().is_stalled()
                }));
            });
            let time = Nanos::from_micros(micros);
            assert!(device.alarm(time, act).is_none());
        }
        device.until_flag(host, &flag).unwrap();
        assert_eq!(device.now(host), Nanos(21_000));
        assert_eq!(*lock(&seen), [Nanos(10_000), Nanos(20_000)]);
        device.leave(host);
        assert_eq!(lock(&seen).last(), Some(&Nanos(30_000)));
    }
}

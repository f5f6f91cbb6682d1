//! The table of promises, each with what it came to.

use super::Capture;
use super::apply::Filler;
use record::{DeviceId, Promise, PromiseId, Settlement, SpanId};

/// A promise, and what it came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pledge {
    /// Who promised what.
    pub promise: Promise,
    /// What it came to; nothing while it is pending.
    pub settlement: Option<Settlement>,
}

impl Capture {
    /// The promises, by id.
    pub fn promises(&self) -> &[Pledge] {
        &self.promises
    }

    pub(super) fn take_promise(&mut self, promise: Promise) {
        let index = promise.id.index();
        // What it came to may be told first.
        let known = self
            .promises
            .get_mut(index)
            .and_then(|pledge| pledge.settlement.take());
        let pledge = Pledge {
            promise,
            settlement: known,
        };
        self.put("promise", index, pledge, |capture| &mut capture.promises);
    }

    pub(super) fn take_settlement(&mut self, settlement: Settlement) {
        let index = settlement.promise.index();
        if self.promises.get(index).is_none() {
            let filler = Pledge::filler(settlement.promise.0);
            self.put("promise", index, filler, |capture| &mut capture.promises);
        }
        self.reach(settlement.time, settlement.time);
        if let Some(pledge) = self.promises.get_mut(index) {
            pledge.settlement = Some(settlement);
        }
    }
}

impl Filler for Pledge {
    fn filler(index: u32) -> Self {
        Self {
            promise: Promise {
                id: PromiseId(index),
                api: String::new(),
                name: format!("promise {index}"),
                device: DeviceId::NONE,
                generation: 1,
                call: SpanId::NONE,
            },
            settlement: None,
        }
    }
}

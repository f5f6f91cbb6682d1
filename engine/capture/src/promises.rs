//! The table of promises, each with what it came to.

use super::Capture;
use super::apply::Placeholder;
use record::{DeviceId, Promise, PromiseId, PromiseOutcome, SpanId};

/// A promise, and what it came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromiseState {
    /// Who promised what.
    pub promise: Promise,
    /// What it came to; nothing while it is pending.
    pub settlement: Option<PromiseOutcome>,
}

impl Capture {
    /// The promises, by id.
    pub fn promises(&self) -> &[PromiseState] {
        &self.promises
    }

    pub(super) fn take_promise(&mut self, promise: Promise) {
        let index = promise.id.index();
        // What it came to may be told first.
        let known = self
            .promises
            .get_mut(index)
            .and_then(|pledge| pledge.settlement.take());
        let pledge = PromiseState {
            promise,
            settlement: known,
        };
        self.put("promise", index, pledge, |capture| &mut capture.promises);
    }

    pub(super) fn take_settlement(&mut self, settlement: PromiseOutcome) {
        let index = settlement.promise.index();
        if self.promises.get(index).is_none() {
            let filler = PromiseState::filler(settlement.promise.0);
            self.put("promise", index, filler, |capture| &mut capture.promises);
        }
        self.reach(settlement.time, settlement.time);
        if let Some(pledge) = self.promises.get_mut(index) {
            pledge.settlement = Some(settlement);
        }
    }
}

impl Placeholder for PromiseState {
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

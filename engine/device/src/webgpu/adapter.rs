//! An adapter: it gives one device, and what it answers to those who ask for another.

use std::collections::VecDeque;

use super::edition::SpecAuthority;
use super::outcome::{CallOutcome, PromiseValue};
use super::table::{Api, Condition, DecidingTimeline, OutcomeRow, UNWRITTEN, look_up};

/// What a device is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceRequest {
    /// Whether it needs a feature that the adapter has not.
    pub misses_feature: bool,
    /// Whether it needs more than the adapter's limits allow.
    pub exceeds_limit: bool,
}

/// An adapter: `requestDevice` gives a promise, whose steps wait their turn.
#[derive(Debug)]
pub struct AdapterModel {
    edition: SpecAuthority,
    is_consumed: bool,
    is_expired: bool,
    waiting: VecDeque<(usize, DeviceRequest)>,
    promises: Vec<Option<&'static OutcomeRow>>,
}

impl AdapterModel {
    /// An adapter that has not given its device.
    pub const fn new(edition: SpecAuthority) -> Self {
        Self {
            edition,
            is_consumed: false,
            is_expired: false,
            waiting: VecDeque::new(),
            promises: Vec::new(),
        }
    }

    /// It is gone, as when its hardware was unplugged.
    pub const fn expire(&mut self) {
        self.is_expired = true;
    }

    /// `requestDevice`: gives the promise's number.
    pub fn request_device(&mut self, request: DeviceRequest) -> usize {
        let promise = self.promises.len();
        let feature = request
            .misses_feature
            .then(|| self.row(Condition::MissingFeature));
        let early = feature.filter(|row| row.decided == DecidingTimeline::Content);
        self.promises.push(early);
        if early.is_none() {
            self.waiting.push_back((promise, request));
        }
        promise
    }

    /// Executes the steps of the next request; false where there is none.
    pub fn step(&mut self) -> bool {
        let Some((promise, request)) = self.waiting.pop_front() else {
            return false;
        };
        let condition = if request.exceeds_limit {
            Condition::OverLimit
        } else if self.is_expired {
            Condition::Expired
        } else if self.is_consumed {
            Condition::Consumed
        } else {
            Condition::Fine
        };
        let row = self.row(condition);
        self.is_consumed |= row.outcome == CallOutcome::Resolve(PromiseValue::Device);
        if let Some(slot) = self.promises.get_mut(promise) {
            *slot = Some(row);
        }
        true
    }

    /// The row by which a promise settled; none while it is pending.
    pub fn settlement(&self, promise: usize) -> Option<&'static OutcomeRow> {
        self.promises.get(promise).copied().flatten()
    }

    fn row(&self, condition: Condition) -> &'static OutcomeRow {
        look_up(Api::RequestDevice, condition, self.edition).unwrap_or(&UNWRITTEN)
    }
}

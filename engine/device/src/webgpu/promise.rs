//! Promises: each settles once, on the content timeline that made it.

use super::errors::Raised;
use super::ids::{PromiseId, Timeline};
use super::model::Model;
use super::outcome::Outcome;
use super::step::Effect;
use super::table::{Api, Row};
use record::SpanId;

/// A promise that a call gave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Promise {
    pub api: Api,
    pub host: Timeline,
    pub settled: Option<Settlement>,
}

/// What a promise came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settlement {
    /// The promise.
    pub promise: PromiseId,
    /// The call that gave it.
    pub api: Api,
    /// What it came to.
    pub outcome: Outcome,
    /// The row of the table that says so.
    pub row: &'static Row,
    /// The error it was about.
    pub raised: Option<Raised>,
    /// Whether it was settled inside the call that made it.
    pub is_early: bool,
    /// Its place in the order of all settlements of the model, counted from 0.
    pub order: u64,
}

impl Model {
    /// A new promise of `api`, which nothing has settled.
    pub(super) fn promise(&mut self, api: Api, host: Timeline) -> PromiseId {
        let id = PromiseId(self.promises.len() as u32);
        self.promises.push(Promise {
            api,
            host,
            settled: None,
        });
        id
    }

    /// Settles a promise by a row of the table; where it was settled before, nothing happens, and that is counted.
    pub(super) fn settle(
        &mut self,
        id: PromiseId,
        (row, outcome): (&'static Row, Outcome),
        raised: Option<Raised>,
        is_early: bool,
    ) -> Option<Effect> {
        let order = self.settled;
        let promise = self.promises.get_mut(id.index())?;
        if promise.settled.is_some() {
            self.repeats += 1;
            return None;
        }
        let settlement = Settlement {
            promise: id,
            api: promise.api,
            outcome,
            row,
            raised,
            is_early,
            order,
        };
        promise.settled = Some(settlement);
        self.settled += 1;
        Some(Effect::Settled(settlement))
    }

    /// What a promise came to; none while it is pending.
    pub fn settlement(&self, promise: PromiseId) -> Option<Settlement> {
        self.promises
            .get(promise.index())
            .and_then(|found| found.settled)
    }

    /// The content timeline that made a promise.
    pub fn maker(&self, promise: PromiseId) -> Option<Timeline> {
        self.promises.get(promise.index()).map(|found| found.host)
    }

    /// The call that gave a promise.
    pub fn api(&self, promise: PromiseId) -> Option<Api> {
        self.promises.get(promise.index()).map(|found| found.api)
    }

    /// The promises that have not settled, those of `device.lost` apart, which need not.
    pub fn pending(&self) -> impl Iterator<Item = PromiseId> + '_ {
        let promises = self.promises.iter().enumerate();
        promises
            .filter(|(_, promise)| promise.settled.is_none() && promise.api != Api::Lost)
            .map(|(place, _)| PromiseId(place as u32))
    }

    /// How often something tried to settle a promise that was settled.
    pub const fn repeats(&self) -> u64 {
        self.repeats
    }

    /// Reading `device.lost` on a content timeline: the same promise every time.
    pub fn lost(&mut self, host: Timeline, call: SpanId) -> super::Made {
        self.tick();
        let known = self.lost_promises.iter().find(|(of, _)| *of == host);
        if let Some((_, promise)) = known {
            return super::Made {
                promise: Some(*promise),
                effects: Vec::new(),
            };
        }
        let promise = self.promise(Api::Lost, host);
        self.lost_promises.push((host, promise));
        let mut effects = Vec::new();
        if let Some(loss) = self.loss {
            self.issue_lost(promise, loss.kind, call, &mut effects);
        }
        super::Made {
            promise: Some(promise),
            effects,
        }
    }
}

//! Promises: each settles once, on the content timeline that made it.

use super::errors::RaisedError;
use super::ids::{ModelPromiseId, ModelTimeline};
use super::model::WebGpuModel;
use super::outcome::CallOutcome;
use super::step::StepEffect;
use super::table::{Api, OutcomeRow};
use record::SpanId;

/// A promise that a call gave.
#[derive(Clone, Copy, Debug)]
pub(super) struct PromiseModel {
    pub api: Api,
    pub host: ModelTimeline,
    pub settled: Option<PromiseResult>,
}

/// What a promise came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PromiseResult {
    /// The promise.
    pub promise: ModelPromiseId,
    /// The call that gave it.
    pub api: Api,
    /// What it came to.
    pub outcome: CallOutcome,
    /// The row of the table that says so.
    pub row: &'static OutcomeRow,
    /// The error it was about.
    pub raised: Option<RaisedError>,
    /// Whether it was settled inside the call that made it.
    pub is_early: bool,
    /// Its place in the order of all settlements of the model, counted from 0.
    pub order: u64,
}

impl WebGpuModel {
    /// A new promise of `api`, which nothing has settled.
    pub(super) fn promise(&mut self, api: Api, host: ModelTimeline) -> ModelPromiseId {
        let id = ModelPromiseId(self.promises.len() as u32);
        self.promises.push(PromiseModel {
            api,
            host,
            settled: None,
        });
        id
    }

    /// Settles a promise by a row of the table; where it was settled before, nothing happens, and that is counted.
    pub(super) fn settle(
        &mut self,
        id: ModelPromiseId,
        (row, outcome): (&'static OutcomeRow, CallOutcome),
        raised: Option<RaisedError>,
        is_early: bool,
    ) -> Option<StepEffect> {
        let order = self.settled;
        let promise = self.promises.get_mut(id.index())?;
        if promise.settled.is_some() {
            self.repeats += 1;
            return None;
        }
        let settlement = PromiseResult {
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
        Some(StepEffect::Settled(settlement))
    }

    /// What a promise came to; none while it is pending.
    pub fn settlement(&self, promise: ModelPromiseId) -> Option<PromiseResult> {
        self.promises
            .get(promise.index())
            .and_then(|found| found.settled)
    }

    /// The content timeline that made a promise.
    pub fn maker(&self, promise: ModelPromiseId) -> Option<ModelTimeline> {
        self.promises.get(promise.index()).map(|found| found.host)
    }

    /// The call that gave a promise.
    pub fn api(&self, promise: ModelPromiseId) -> Option<Api> {
        self.promises.get(promise.index()).map(|found| found.api)
    }

    /// The promises that have not settled, those of `device.lost` apart, which need not.
    pub fn pending(&self) -> impl Iterator<Item = ModelPromiseId> + '_ {
        let promises = self.promises.iter().enumerate();
        promises
            .filter(|(_, promise)| promise.settled.is_none() && promise.api != Api::Lost)
            .map(|(place, _)| ModelPromiseId(place as u32))
    }

    /// How often something tried to settle a promise that was settled.
    pub const fn repeats(&self) -> u64 {
        self.repeats
    }

    /// Reading `device.lost` on a content timeline: the same promise every time.
    pub fn lost(&mut self, host: ModelTimeline, call: SpanId) -> super::CallResult {
        self.tick();
        let known = self.lost_promises.iter().find(|(of, _)| *of == host);
        if let Some((_, promise)) = known {
            return super::CallResult {
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
        super::CallResult {
            promise: Some(promise),
            effects,
        }
    }
}

//! Events that are taken from a pool and given back.

use super::{Caller, CurrentCall};
use crate::shared::RunState;
use backend::BackendError;
use order::SyncOp;
use record::{EventIndex, Record, Sample};
use workload::{ErrorKind, PoolIndex};

impl Caller {
    pub(super) fn acquire(
        &self,
        current: &CurrentCall,
        name: EventIndex,
    ) -> Result<(), BackendError> {
        let plan = &self.shared.plan;
        let pool = plan
            .events
            .get(name.index())
            .and_then(|event| event.options.pool);
        let pool =
            pool.ok_or_else(|| BackendError::Unknown(format!("a pool of event {}", name.0)))?;
        let taken = self.shared.pools.take(plan, pool, name);
        let (event, used) = taken.map_err(|kind| {
            let reason = if kind == ErrorKind::AlreadyAcquired {
                format!(
                    "{} was taken from its pool already: release it first",
                    self.event_name(name)
                )
            } else {
                let pool = plan.pools.get(pool.0 as usize);
                let (name, count) = pool.map_or(("?", 0), |pool| (&*pool.name, pool.count));
                format!(
                    "all {count} events of {name} are in use: release one, or make the pool larger"
                )
            };
            BackendError::call(kind, reason)
        })?;
        self.note(current, SyncOp::Acquire(event));
        self.say(current.span, "event", self.event_name(event));
        self.sample_pool(pool, used);
        Ok(())
    }

    pub(super) fn release(&self, name: EventIndex) -> Result<(), BackendError> {
        let plan = &self.shared.plan;
        let pool = plan
            .events
            .get(name.index())
            .and_then(|event| event.options.pool);
        let given = pool.and_then(|pool| Some((pool, self.shared.pools.give_back(pool, name)?)));
        let (pool, used) = given.ok_or_else(|| {
            let reason = format!(
                "{} is not taken from its pool: acquire it first, and release it once",
                self.event_name(name)
            );
            BackendError::call(ErrorKind::NotAcquired, reason)
        })?;
        self.sample_pool(pool, used);
        Ok(())
    }

    fn sample_pool(&self, pool: PoolIndex, used: u32) {
        self.reporter.send(Record::Sample(Sample {
            counter: RunState::pool_counter(&self.shared.plan, pool),
            time: self.shared.device.now(self.host),
            value: f64::from(used),
        }));
    }
}

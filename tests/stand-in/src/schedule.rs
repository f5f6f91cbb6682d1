//! Lets operations begin and end at their times. A thread waits for the next one; every call does what is due too.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use crate::codes::ILLEGAL_ADDRESS;
use crate::cupti::Ended;
use crate::kernels;
use crate::operation::{Action, End, Operation, Plan, Unit};

/// From a submission to the earliest begin.
const LATENCY: u64 = 3_000;
/// How often kernels look whether the host makes them end.
const GLANCE: u64 = 50_000;

/// A place behind an operation.
pub type Place = (u64, Arc<End>);

/// Operations that have not ended.
#[derive(Default)]
pub struct Schedule {
    operations: HashMap<u64, Operation>,
    /// Those under way by when they end.
    due: BTreeSet<(u64, u64)>,
    /// Kernels that look for a word of the host's.
    watched: BTreeMap<u64, u64>,
    /// When each unit is free.
    units: [u64; 3],
    next: u64,
    /// Functions of the host whose moment has come.
    pub calls: Vec<u64>,
    /// Events that graphs recorded, with their places.
    pub recorded: Vec<(usize, Place)>,
    /// Memory to give back to its pool.
    pub freed: Vec<u64>,
    /// What has ended, for CUPTI.
    pub ended: Vec<Ended>,
}

impl Schedule {
    /// Takes an operation that comes after these places.
    pub fn push(&mut self, now: u64, context: usize, plan: Plan, before: &[Place]) -> Place {
        self.next += 1;
        let id = self.next;
        let end = Arc::new(End::default());
        let mut operation = Operation {
            plan,
            context,
            ready: now + LATENCY,
            start: None,
            missing: 0,
            after: Vec::new(),
            end: Arc::clone(&end),
        };
        for (place, end) in before {
            match end.get() {
                Some(time) => operation.ready = operation.ready.max(time),
                None => {
                    if let Some(other) = self.operations.get_mut(place) {
                        other.after.push(id);
                        operation.missing += 1;
                    }
                }
            }
        }
        let is_free = operation.missing == 0;
        self.operations.insert(id, operation);
        if is_free {
            self.begin(id);
        }
        (id, end)
    }

    fn begin(&mut self, id: u64) {
        let Some(operation) = self.operations.get_mut(&id) else {
            return;
        };
        let mut start = operation.ready;
        let unit = match operation.plan.unit {
            Unit::Up => self.units.get_mut(0),
            Unit::Down => self.units.get_mut(1),
            Unit::Across => self.units.get_mut(2),
            Unit::Free => None,
        };
        let cost = operation.plan.cost;
        if let (Some(unit), Some(cost)) = (unit, cost) {
            start = start.max(*unit);
            *unit = start + cost;
        }
        operation.start = Some(start);
        if operation.plan.stop_word().is_some() {
            self.watched.insert(id, start);
        }
        if let Some(cost) = cost {
            self.due.insert((start + cost, id));
        }
    }

    /// Does what is due at `now`, and answers the code of a fault.
    pub fn advance(&mut self, now: u64) -> Result<(), i32> {
        self.end_watched(now);
        while let Some(&(time, id)) = self.due.first().filter(|(time, _)| *time <= now) {
            self.due.pop_first();
            let Some(operation) = self.operations.get(&id) else {
                continue;
            };
            if let Action::Call(_) = operation.plan.action {
                self.calls.push(id);
                continue;
            }
            let (action, end) = (operation.plan.action.clone(), Arc::clone(&operation.end));
            self.perform(&action, (id, end))?;
            self.end(id, time);
        }
        Ok(())
    }

    fn perform(&mut self, action: &Action, place: Place) -> Result<(), i32> {
        match action {
            Action::Mark | Action::Call(_) => {}
            Action::Copy(from, to, count) => {
                if from.len() < *count || to.len() < *count {
                    return Err(ILLEGAL_ADDRESS);
                }
                to.store(&from.load(*count));
            }
            Action::Set(to, word, count) => {
                if to.len() < *count {
                    return Err(ILLEGAL_ADDRESS);
                }
                to.store(&vec![*word; *count]);
            }
            Action::Kernel(name, arguments) => kernels::run(name, arguments)?,
            Action::Free(address) => self.freed.push(*address),
            Action::Record(event) => self.recorded.push((*event, place)),
        }
        Ok(())
    }

    /// Ends kernels that the host asked to end.
    fn end_watched(&mut self, now: u64) {
        let is_asked = |(id, start): (&u64, &u64)| {
            let word = self.operations.get(id)?.plan.stop_word()?.word(0)?;
            (word != 0 && *start <= now).then_some(*id)
        };
        let asked: Vec<u64> = self.watched.iter().filter_map(is_asked).collect();
        for id in asked {
            self.watched.remove(&id);
            let own = self.due.iter().find(|(_, other)| *other == id).copied();
            if let Some(own) = own.filter(|(time, _)| *time > now) {
                self.due.remove(&own);
                self.due.insert((now, id));
            }
        }
    }

    /// An operation ended at `time`: those that come after it may begin.
    pub fn end(&mut self, id: u64, time: u64) {
        self.watched.remove(&id);
        let Some(operation) = self.operations.remove(&id) else {
            return;
        };
        operation.end.set(time);
        self.ended.push(Ended {
            ran: (operation.start.unwrap_or(time), time),
            context: operation.context,
            action: operation.plan.action,
            unit: operation.plan.unit,
            note: operation.plan.note,
        });
        for next in operation.after {
            let Some(other) = self.operations.get_mut(&next) else {
                continue;
            };
            other.ready = other.ready.max(time);
            other.missing -= 1;
            if other.missing == 0 {
                self.begin(next);
            }
        }
    }

    /// The function that an operation calls.
    pub fn function(&self, id: u64) -> Option<crate::operation::Function> {
        match self.operations.get(&id)?.plan.action {
            Action::Call(function) => Some(function),
            _ => None,
        }
    }

    /// How long nothing is due after `now`.
    pub fn patience(&self, now: u64) -> Duration {
        let next = self.due.first().map_or(u64::MAX, |(time, _)| *time);
        let mut left = next.saturating_sub(now);
        if !self.watched.is_empty() {
            left = left.min(GLANCE);
        }
        Duration::from_nanos(left.min(50_000_000))
    }

    /// Whether anything of a context has not ended.
    pub fn is_busy(&self, context: usize) -> bool {
        let mut all = self.operations.values();
        all.any(|operation| operation.context == context)
    }

    /// Whether functions of the host are still to be called.
    pub fn has_calls(&self) -> bool {
        let mut all = self.operations.values();
        all.any(|operation| matches!(operation.plan.action, Action::Call(_)))
    }

    /// Drops what a context was given: it is destroyed, or nothing of it runs any more.
    pub fn drop_context(&mut self, context: Option<usize>) {
        self.operations
            .retain(|_, operation| context.is_some_and(|it| operation.context != it));
        let operations = &self.operations;
        self.due.retain(|(_, id)| operations.contains_key(id));
        self.watched.retain(|id, _| operations.contains_key(id));
    }
}

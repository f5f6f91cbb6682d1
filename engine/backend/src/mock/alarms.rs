//! What is to be done at times of the simulation, in their order.

use std::collections::{BTreeMap, BTreeSet};

use crate::Alarm;
use record::time::Nanos;

/// The time of an alarm, and how many were set before it.
type AlarmKey = (Nanos, u64);

/// What is to be done at times of the simulation.
#[derive(Default)]
pub struct Alarms {
    waiting: BTreeMap<AlarmKey, Alarm>,
    /// Those of them that are void once nothing else happens any more.
    optional: BTreeSet<AlarmKey>,
    count: u64,
}

impl Alarms {
    /// Lets `act` be done once it is `time`; where it is optional, only while anything else happens.
    pub fn set(&mut self, time: Nanos, act: Alarm, is_optional: bool) {
        self.count += 1;
        let key = (time, self.count);
        self.waiting.insert(key, act);
        if is_optional {
            self.optional.insert(key);
        }
    }

    /// When the next is due.
    pub fn next(&self) -> Option<Nanos> {
        self.waiting.first_key_value().map(|(key, _)| key.0)
    }

    /// Takes the next.
    pub fn take(&mut self) -> Option<Alarm> {
        let (key, act) = self.waiting.pop_first()?;
        self.optional.remove(&key);
        Some(act)
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether none waits that is done in any case.
    pub fn are_optional(&self) -> bool {
        self.optional.len() == self.waiting.len()
    }
}

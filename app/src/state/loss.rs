//! How devices are to be lost, and what then.

use std::collections::BTreeMap;

use engine::runner::RecoveryMode;
use engine::workload::{Injection, LossBy};

/// How devices are to be lost, and what then.
#[derive(Clone, Debug, PartialEq)]
pub struct LossPlan {
    /// In which way the next loss that is asked for comes about.
    pub by: LossBy,
    /// Losses that every run of a workload from now on is to suffer, by the workload's name: they wait for its streams, its
    /// pipelines and its times, which another workload does not have.
    pub armed: BTreeMap<String, Vec<Injection>>,
    /// What to do once a loss that was asked for here has come about.
    pub recovery: RecoveryMode,
}

impl Default for LossPlan {
    fn default() -> Self {
        Self {
            by: LossBy::Driver,
            armed: BTreeMap::new(),
            recovery: RecoveryMode::Pause,
        }
    }
}

impl LossPlan {
    /// The losses that wait for a workload's next run.
    pub fn of(&self, workload: &str) -> &[Injection] {
        self.armed.get(workload).map_or(&[], Vec::as_slice)
    }

    /// What a run of a workload does once its device is lost: one that loses its device itself is left to its own text.
    pub fn of_run(&self, workload: &str) -> RecoveryMode {
        if self.of(workload).is_empty() {
            RecoveryMode::Stay
        } else {
            self.recovery
        }
    }
}

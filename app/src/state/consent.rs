//! Which machines workloads may connect to: what is asked of the user, and what was answered before.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Answers that are kept; the oldest are asked for again.
const MOST: usize = 256;

/// A run that waits for the user to allow what its workload wants to connect to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consent {
    /// The workload's name.
    pub workload: String,
    /// The file that it came from; none where its answer cannot be kept.
    pub file: Option<PathBuf>,
    /// The machines that it wants to connect to.
    pub machines: Vec<RequestedMachine>,
    /// Whether the run begins paused.
    pub paused: bool,
}

/// A machine that a workload wants to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestedMachine {
    /// What the workload calls it.
    pub name: String,
    /// Its address, as the workload has it.
    pub address: String,
    /// What would be run to get there.
    pub command: String,
    /// The line that says so, counted from 1.
    pub line: u32,
}

impl Consent {
    /// The addresses that it asks for.
    pub fn addresses(&self) -> Vec<String> {
        let machines = self.machines.iter();
        machines.map(|it| it.address.clone()).collect()
    }
}

/// What was allowed for good, by file and address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AllowedMachines(Vec<(PathBuf, String)>);

impl AllowedMachines {
    /// The addresses that workloads from this file may connect to.
    pub fn of(&self, file: Option<&Path>) -> Vec<String> {
        let own = self
            .0
            .iter()
            .filter(|(path, _)| Some(path.as_path()) == file);
        own.map(|(_, address)| address.clone()).collect()
    }

    /// Keeps the answer to `consent`, where it has a file.
    pub fn keep(&mut self, consent: &Consent) {
        let Some(file) = &consent.file else { return };
        for address in consent.addresses() {
            let answer = (file.clone(), address);
            self.0.retain(|it| *it != answer);
            self.0.push(answer);
        }
        let surplus = self.0.len().saturating_sub(MOST);
        self.0.drain(..surplus);
    }
}

//! Where a workload runs: its machines, the devices of each, and the ranks on them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::address::RemoteAddress;
use record::time::Nanos;

/// Ranks of one run, at most: each is a process.
pub const RANKS: u32 = 256;

/// Where a workload runs. Ranks are numbered by their machine, then by their device; a rank's number in this order is
/// its parallel id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The machines, in the order of the file.
    pub machines: Vec<MachinePlan>,
    /// The ranks.
    pub ranks: Vec<RankPlan>,
    /// How long a rank waits for another one in a collective operation before it fails.
    pub timeout: Nanos,
    /// What is done to ranks on purpose.
    pub faults: Vec<RankFault>,
    /// Whether all ranks begin again, in new processes, where one is lost.
    pub again: bool,
    /// The number of the rank that these calls are of.
    pub rank: u32,
    /// What this rank leaves out because it is placed on others.
    pub left_out: Vec<OmittedPart>,
}

/// A machine of a placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachinePlan {
    /// What the workload calls it.
    pub name: String,
    /// How `ssh` knows it; none for this machine.
    pub at: Option<RemoteAddress>,
    /// Its line in the source, counted from 1; 0 where it is in none.
    pub line: u32,
}

/// A rank of a placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankPlan {
    /// The position of its machine.
    pub machine: u32,
    /// The number of its device on that machine.
    pub device: u32,
}

/// A part of a workload that a rank leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmittedPart {
    /// The part as written, such as `only 0`.
    pub text: String,
    /// Its line in the source, counted from 1.
    pub line: u32,
}

/// Something that is done to a rank on purpose, written as `kill:2@collective:3`, `stop:0@500us`, or `slow:1` for at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RankFault {
    /// What is done.
    pub kind: FaultKind,
    /// To which rank.
    pub rank: u32,
    /// When.
    pub at: FaultMoment,
}

/// What is done to a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// Its process is killed.
    Kill,
    /// Its process is stopped, as by SIGSTOP: it lives and does nothing.
    Stop,
    /// Before each step of a collective operation it sleeps for a millisecond.
    Slow,
}

/// When something is done to a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FaultMoment {
    /// At once.
    #[default]
    Now,
    /// So long after the run began.
    Time(Nanos),
    /// In the middle of its collective operation of this number, counted from 1.
    Collective(u64),
}

/// Why a text is no fault of a rank.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "“{0}” is no fault of a rank: write kill, stop or slow, a colon and the rank, and where it is not for now @ and the \
     moment, which is a time as in kill:2@500us, or collective:NUMBER"
)]
pub struct UnclearFault(String);

impl FaultKind {
    /// Every kind with the word for it.
    pub const LABELS: &'static [(&'static str, Self)] = &[
        ("kill", Self::Kill),
        ("stop", Self::Stop),
        ("slow", Self::Slow),
    ];

    /// The word for it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::Stop => "stop",
            Self::Slow => "slow",
        }
    }
}

impl Placement {
    /// One machine, this one, with so many ranks, each on a device of its own.
    pub fn here(ranks: u32) -> Self {
        let machine = MachinePlan {
            name: "here".to_owned(),
            at: None,
            line: 0,
        };
        Self {
            machines: vec![machine],
            ranks: (0..ranks)
                .map(|device| RankPlan { machine: 0, device })
                .collect(),
            ..Self::default()
        }
    }

    /// The machine of a rank.
    pub fn machine(&self, rank: u32) -> Option<&MachinePlan> {
        let rank = self.ranks.get(rank as usize)?;
        self.machines.get(rank.machine as usize)
    }

    /// The machines that the text itself says how to reach, and how.
    pub fn remote(&self) -> impl Iterator<Item = (&MachinePlan, &RemoteAddress)> {
        let used = |place: usize| self.ranks.iter().any(|it| it.machine as usize == place);
        let machines = self.machines.iter().enumerate();
        let used = machines.filter(move |(place, _)| used(*place));
        used.filter_map(|(_, machine)| Some((machine, machine.at.as_ref()?)))
    }

    /// Those of [`Placement::remote`] that nobody allowed to be connected to: a text never decides that by itself. A
    /// machine is allowed by another place for it, in `machines` by its name, or by its address in `allowed`.
    pub fn unallowed(
        &self,
        machines: &[(String, String)],
        allowed: &[String],
    ) -> Vec<(&MachinePlan, &RemoteAddress)> {
        let is_allowed = |machine: &MachinePlan, at: &RemoteAddress| {
            machines.iter().any(|(name, _)| *name == machine.name)
                || allowed.contains(&at.to_string())
        };
        let remote = self.remote();
        remote
            .filter(|(machine, at)| !is_allowed(machine, at))
            .collect()
    }

    /// Where a rank is, in words: its parallel id, its machine and its device.
    pub fn words(&self, rank: u32) -> String {
        let machine = self.machine(rank).map_or("?", |machine| &machine.name);
        let found = self.ranks.get(rank as usize);
        let (id, device) = found.map_or((0, 0), |it| (it.machine, it.device));
        format!(
            "parallel id {rank} of {}: machine {id} ({machine}), device {device}",
            self.ranks.len()
        )
    }

    /// The devices of each machine, in words.
    pub fn map(&self) -> String {
        let machine = |(place, machine): (usize, &MachinePlan)| {
            let ranks = self.ranks.iter().enumerate();
            let own = ranks.filter(|(_, rank)| rank.machine as usize == place);
            let devices: Vec<String> = own
                .map(|(id, rank)| format!("{}→rank {id}", rank.device))
                .collect();
            format!("machine {place} ({}): {}", machine.name, devices.join(", "))
        };
        let machines: Vec<String> = self.machines.iter().enumerate().map(machine).collect();
        machines.join("; ")
    }
}

impl fmt::Display for RankFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.label(), self.rank)?;
        match self.at {
            FaultMoment::Now => Ok(()),
            FaultMoment::Time(time) => write!(f, "@{}ns", time.0),
            FaultMoment::Collective(number) => write!(f, "@collective:{number}"),
        }
    }
}

impl FromStr for RankFault {
    type Err = UnclearFault;

    fn from_str(text: &str) -> Result<Self, UnclearFault> {
        let parse = || {
            let (what, at) = match text.trim().split_once('@') {
                Some((what, at)) => (what, Some(at)),
                None => (text.trim(), None),
            };
            let (kind, rank) = what.split_once(':')?;
            let (_, kind) = FaultKind::LABELS.iter().find(|(label, _)| *label == kind)?;
            let at = match at {
                None => FaultMoment::Now,
                Some(at) => match at.strip_prefix("collective:") {
                    Some(number) => FaultMoment::Collective(number.parse().ok()?),
                    None => FaultMoment::Time(super::injection::time(at)?),
                },
            };
            Some(Self {
                kind: *kind,
                rank: rank.parse().ok()?,
                at,
            })
        };
        parse().ok_or_else(|| UnclearFault(text.to_owned()))
    }
}

impl TryFrom<String> for RankFault {
    type Error = UnclearFault;

    fn try_from(text: String) -> Result<Self, UnclearFault> {
        text.parse()
    }
}

impl From<RankFault> for String {
    fn from(fault: RankFault) -> Self {
        fault.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_written_as_they_are_read() {
        for text in ["kill:2", "stop:0@500us", "slow:1@collective:3"] {
            let fault: RankFault = text.parse().unwrap();
            assert_eq!(fault.to_string().parse(), Ok(fault), "{text}");
        }
        for wrong in [
            "",
            "kill",
            "kill:x",
            "burn:1",
            "kill:1@",
            "kill:1@collective:x",
        ] {
            let error = wrong.parse::<RankFault>().unwrap_err();
            assert!(error.to_string().contains("collective:NUMBER"), "{wrong}");
        }
    }

    #[test]
    fn a_rank_says_where_it_is() {
        let placement = Placement::here(2);
        assert_eq!(
            placement.words(1),
            "parallel id 1 of 2: machine 0 (here), device 1"
        );
        assert_eq!(placement.map(), "machine 0 (here): 0→rank 0, 1→rank 1");
    }
}

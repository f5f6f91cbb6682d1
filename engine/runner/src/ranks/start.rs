//! The beginning of a run on several ranks: their processes, their devices, and how they meet.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, bounded};

use super::child::{RankProcess, RankStage};
use super::{Ranks, SILENCE, TICK};
use crate::far::{WorkerTarget, unix_now};
use crate::mesh::RankAssignment;
use crate::{Control, Engine, Message, Phase, RankControl, RecoveryMode, RunRequest};
use workload::{Document, FaultMoment, Placement, RankFault};

/// How long ranks have to be ready for their first call.
const PATIENCE: Duration = Duration::from_mins(2);
/// Threads of the process of a rank beside those that its workload asks for, and of whoever attends to it.
const OWN_THREADS: usize = 12;

/// What only the ranks of one run know: 32 letters that nobody can guess.
fn secret() -> String {
    // Keys of the standard library's hash tables come from the system's randomness.
    let part = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", part(), part())
}

/// Plans every rank, so that what is wrong for one of them is said before any process is started.
///
/// # Errors
/// What is wrong.
pub fn check(request: &RunRequest, placement: &Placement) -> Result<(), String> {
    let document = Document::parse(&request.name, &request.source);
    let listed = |errors: Vec<workload::WorkloadError>| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        lines.join("\n")
    };
    let document = document.map_err(listed)?;
    let (mut processes, mut threads) = (0, 0);
    for rank in 0..placement.ranks.len() as u32 {
        let planned = document.plan(&of_rank(request, rank));
        let plan = planned.map_err(|errors| format!("rank {rank}: {}", listed(errors)))?;
        if is_here(request, placement, rank) {
            processes += 1;
            threads += OWN_THREADS + plan.thread_count();
        }
    }
    backend::check_processes(processes, threads)?;
    let faults = placement.faults.iter().chain(&request.faults);
    for fault in faults {
        if fault.rank as usize >= placement.ranks.len() {
            let count = placement.ranks.len();
            let rank = fault.rank;
            return Err(format!(
                "{fault}: there is no rank {rank}; there are {count}, counted from 0"
            ));
        }
    }
    let are_several = placement.ranks.len() > 1;
    if are_several && request.recovery == RecoveryMode::Resume && !request.lose.is_empty() {
        return Err(format!(
            "{}: no rank of several can go on after a loss, since the others wait for what it had: recover by a replay, which \
             begins all of them again, or not at all",
            request.name
        ));
    }
    let begins_again = request.recovery == RecoveryMode::Replay && are_several;
    if begins_again && request.lose.len() > 1 {
        let (file, count) = (&request.name, request.lose.len());
        return Err(format!(
            "{file}: several ranks begin again in new processes, which lose nothing more, so that of these {count} losses one could \
             come: ask for one, or for no replay"
        ));
    }
    if let Some((machine, at)) = placement
        .unallowed(&request.machines, &request.allowed)
        .first()
    {
        let (file, line, name) = (&request.name, machine.line, &machine.name);
        return Err(format!(
            "{file}:{line}: the machine “{name}” of this workload is {at}, and a file does not decide by itself where to \
             connect; give --allow-remote to allow what it says, --machine {name}={at} to allow that machine, or \
             --machine {name}=. to have it here"
        ));
    }
    let names: Vec<&str> = placement
        .machines
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    match request
        .machines
        .iter()
        .find(|(name, _)| !names.contains(&name.as_str()))
    {
        Some((name, _)) => Err(format!(
            "the placement has no machine “{name}”; there are {}",
            names.join(", ")
        )),
        None => Ok(()),
    }
}

/// Whether the process of a rank is started on this machine.
fn is_here(request: &RunRequest, placement: &Placement, rank: u32) -> bool {
    let machine = placement.machine(rank);
    let name = machine.map_or("", |it| &it.name);
    match request.machines.iter().find(|(it, _)| it == name) {
        Some((_, place)) => place == ".",
        None => machine.is_none_or(|it| it.at.is_none()),
    }
}

/// The parameters of a rank.
fn of_rank(request: &RunRequest, rank: u32) -> Vec<(String, f64)> {
    let mut parameters = request.parameters.clone();
    parameters.push(("rank".to_owned(), f64::from(rank)));
    parameters
}

impl Ranks<'_> {
    /// Starts a process for each rank and lets them meet.
    ///
    /// # Errors
    /// One of them cannot begin.
    pub(super) fn start_children(&mut self) -> Result<(), String> {
        let faults = self.hand_out();
        let (wake, news) = bounded(1);
        self.news = news;
        let secret = secret();
        for rank in 0..self.placement.ranks.len() as u32 {
            let target = self.target(rank)?;
            let wake = wake.clone();
            let engine = Engine::connect(
                target,
                Box::new(move || {
                    // One that waits says all.
                    let _ = wake.try_send(());
                }),
            );
            let child = RankProcess::new(rank as usize, engine);
            child.send(Control::Run(Box::new(
                self.request_of(rank, &secret, &faults),
            )));
            self.children.push(child);
        }
        self.seat()?;
        self.meet()
    }

    /// The faults that are left and that the processes bring about by themselves, at an operation.
    fn hand_out(&mut self) -> Vec<RankFault> {
        if self.restarts == 0 {
            let all = self.request.faults.iter().chain(&self.placement.faults);
            self.faults = all.copied().collect();
        }
        let is_timed = |it: &RankFault| matches!(it.at, FaultMoment::Time(_));
        let handed: Vec<RankFault>;
        (self.faults, handed) = self.faults.drain(..).partition(is_timed);
        self.handed.clone_from(&handed);
        handed
    }

    /// The process of a rank.
    fn target(&self, rank: u32) -> Result<WorkerTarget, String> {
        let machine = self.placement.machine(rank);
        let name = machine.map_or("", |it| &it.name);
        let elsewhere = self.request.machines.iter().find(|(it, _)| it == name);
        let at = machine.and_then(|it| it.at.as_ref());
        let target = match (elsewhere, at) {
            (Some((_, place)), _) => WorkerTarget::parse(place),
            (None, Some(address)) => Ok(WorkerTarget::remote(address)),
            (None, None) => WorkerTarget::parse("."),
        };
        let mut target = target.map_err(|error| error.to_string())?;
        target.shares_clock = elsewhere.is_none() && at.is_none();
        target.silence = self.placement.timeout.to_duration().max(SILENCE);
        Ok(target)
    }

    fn request_of(&self, rank: u32, secret: &str, faults: &[RankFault]) -> RunRequest {
        let own = faults.iter().filter(|it| it.rank == rank);
        // A rank that began again by itself would call what the others are past: all do so, in new processes. One that went
        // on would leave out what the others wait for.
        let recovery = if self.placement.ranks.len() > 1 {
            RecoveryMode::Stay
        } else {
            self.request.recovery
        };
        // What was armed was done to the first processes.
        let lose = match self.restarts {
            0 => self.request.lose.clone(),
            _ => Vec::new(),
        };
        RunRequest {
            recovery,
            lose,
            parameters: of_rank(self.request, rank),
            save: None,
            faults: own.copied().collect(),
            machines: Vec::new(),
            allowed: Vec::new(),
            seat: Some(RankAssignment {
                rank,
                ranks: self.placement.ranks.len() as u32,
                secret: secret.to_owned(),
            }),
            ..self.request.clone()
        }
    }

    /// Waits until every rank has its device and listens.
    fn seat(&mut self) -> Result<(), String> {
        let until = Instant::now() + PATIENCE;
        while self
            .children
            .iter()
            .any(|it| it.stage == RankStage::Starting)
        {
            if self.is_closing() {
                return Err("it was stopped before it began".to_owned());
            }
            if Instant::now() > until {
                let late = self
                    .children
                    .iter()
                    .find(|it| it.stage == RankStage::Starting);
                let label = late.map_or("a rank", |it| &it.label);
                return Err(format!(
                    "{label} was not ready within {} s; look what its machine is busy with",
                    PATIENCE.as_secs()
                ));
            }
            self.outbox.flush();
            while let Ok(control) = self.inbox.try_recv() {
                match control {
                    Control::Run(_) | Control::Stop | Control::Shutdown => {
                        if let Control::Run(request) = control {
                            self.next = Some(request);
                        }
                        return Err("it was stopped before it began".to_owned());
                    }
                    control => self.send_all(&control),
                }
            }
            if self.news.recv_timeout(TICK) == Err(RecvTimeoutError::Disconnected) {
                return Err("the ranks ended before they began; please report it".to_owned());
            }
            for rank in 0..self.children.len() {
                self.greet(rank)?;
            }
        }
        self.children.iter().try_for_each(|it| match it.stage {
            RankStage::Over => Err(format!("{} could not begin: {}", it.label, it.why_over())),
            _ => Ok(()),
        })
    }

    /// Takes what a rank says before it begins.
    fn greet(&mut self, rank: usize) -> Result<(), String> {
        let Some(child) = self.children.get_mut(rank) else {
            return Ok(());
        };
        while let Some(message) = child.next() {
            match message {
                Message::Seated { address, machine } if child.stage == RankStage::Starting => {
                    let parsed = address.parse();
                    // Ranks connect to loopback alone, whatever a machine elsewhere says.
                    child.address = parsed.ok().filter(|it: &SocketAddr| it.ip().is_loopback());
                    child.machine = machine;
                    child.stage = RankStage::Seated;
                }
                Message::Refused(_) if child.is_dead() => {}
                Message::Refused(reason) => return Err(format!("{}: {reason}", child.label)),
                Message::Connection(connection) => {
                    if child.connected(&connection) {
                        child.stage = RankStage::Over;
                    }
                }
                // One that is over before the others are there never comes to them: they would wait for ever.
                Message::Finished { .. } => child.stage = RankStage::Over,
                Message::Seated { .. }
                | Message::Batch(_)
                | Message::Started { .. }
                | Message::Phase(_)
                | Message::Exited(_)
                | Message::Window(_)
                | Message::Kept(_)
                | Message::Notice(_)
                | Message::Offers(_) => {}
            }
        }
        Ok(())
    }

    /// The run begins, unless it did before.
    fn begin(&mut self) {
        if self.since.is_some() {
            return;
        }
        self.outbox.post(Message::Started { run: self.run });
        let phase = if self.request.paused {
            Phase::Paused
        } else {
            Phase::Running
        };
        self.outbox.post(Message::Phase(phase));
        self.merged.begin(unix_now(), self.outbox);
        self.since = Some(Instant::now());
    }

    /// Tells every rank where the others are, from which on they run.
    fn meet(&mut self) -> Result<(), String> {
        let machines: BTreeSet<&str> = self.children.iter().map(|it| it.machine.as_str()).collect();
        if machines.len() > 1 && self.children.len() > 1 {
            return Err(
                "these ranks are on machines that are really apart, and ranks speak over loopback alone: no port is \
                 opened to a network; place them on one machine, or on names of it"
                    .to_owned(),
            );
        }
        let addresses = self.children.iter().filter_map(|it| it.address);
        let addresses: Vec<String> = addresses.map(|it| it.to_string()).collect();
        if addresses.len() < self.children.len() {
            return Err("a rank did not say where on loopback it listens; look whether its machine runs a Syncline that can be trusted".to_owned());
        }
        self.begin();
        for child in &mut self.children {
            child.stage = RankStage::Running;
            let peers = RankControl::Peers(addresses.clone());
            child.engine.send(Control::Rank(peers));
        }
        Ok(())
    }
}

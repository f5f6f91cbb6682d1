//! A workload on several ranks: a worker process for each, and one engine for whoever looks on.
//!
//! The processes are started as any [far](super::far) engine is, here or on the machines that the placement names. They
//! are told each other's addresses and a secret, begin together, and what they report becomes one capture as several
//! files do: each rank with numbers of its own, on one clock, and what they did together tied.

mod child;
mod merged_capture;
mod rank_end;
mod start;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded, select};

use self::child::{RankProcess, RankStage};
use self::merged_capture::MergedRanks;
use super::far::unix_now;
use super::outbox::Outbox;
use super::{Control, Message, Phase, RankControl, RecoveryMode, RunRequest};
use record::time::Nanos;
use record::{RunOutcome, Severity};
use workload::{Document, FaultMoment, Placement, RankFault};

/// How often a run is looked after.
const TICK: Duration = Duration::from_millis(20);
/// How often a run begins again by itself.
const AGAIN: u32 = 3;
/// How long ranks that are told to stop have to do so.
const STOPPING: Duration = Duration::from_secs(1);
/// How long a rank may be silent at least before it is taken to be gone.
const SILENCE: Duration = Duration::from_secs(5);

/// Where a run is placed, if its workload says so and it is not one of the ranks itself.
pub fn wanted(request: &RunRequest) -> Option<Placement> {
    if request.seat.is_some() {
        return None;
    }
    let document = Document::parse(&request.name, &request.source).ok()?;
    document.plan(&request.parameters).ok()?.placement
}

/// Whether a backend's time is virtual: ranks have real clocks.
pub fn is_virtual(request: &RunRequest) -> bool {
    let found = backend::find_backend(&request.backend).and_then(|it| it.probe().ok());
    let caps = found.and_then(|found| Some(found.first()?.caps.deterministic));
    caps.unwrap_or(false)
}

/// The same run as one rank alone.
pub fn alone(request: &RunRequest) -> RunRequest {
    let mut request = request.clone();
    request.parameters.retain(|(name, _)| name != "ranks");
    request.parameters.push(("ranks".to_owned(), 1.0));
    request
}

/// A run on several ranks.
pub struct Ranks<'e> {
    request: &'e RunRequest,
    placement: Placement,
    run: u64,
    inbox: &'e Receiver<Control>,
    outbox: &'e Arc<Outbox>,
    is_closing: &'e AtomicBool,
    children: Vec<RankProcess>,
    news: Receiver<()>,
    merged: MergedRanks,
    /// Since when its ranks run.
    since: Option<Instant>,
    /// What is to be done to ranks at a time that is not yet, and what processes that are over did not come to.
    faults: Vec<RankFault>,
    /// What was handed to the processes that run now.
    handed: Vec<RankFault>,
    /// Since when they are to stop, and whether one had failed before.
    stopped: Option<(Instant, bool)>,
    restarts: u32,
    next: Option<Box<RunRequest>>,
}

impl<'e> Ranks<'e> {
    /// Runs a workload on the ranks of `placement` to its end. Gives the request that replaced it, where one did, and
    /// whether it came to its end.
    ///
    /// # Errors
    /// It could not begin, for this reason.
    pub fn conduct(
        request: &'e RunRequest,
        placement: Placement,
        run: u64,
        (inbox, outbox, is_closing): (&'e Receiver<Control>, &'e Arc<Outbox>, &'e AtomicBool),
    ) -> Result<Option<Box<RunRequest>>, String> {
        start::check(request, &placement)?;
        let (_, news) = bounded(1);
        let mut ranks = Self {
            merged: MergedRanks::new(request, &placement, outbox)?,
            request,
            placement,
            run,
            inbox,
            outbox,
            is_closing,
            children: Vec::new(),
            news,
            since: None,
            faults: Vec::new(),
            handed: Vec::new(),
            stopped: None,
            restarts: 0,
            next: None,
        };
        if let Err(reason) = ranks.start_children() {
            return ranks.next.take().map(Some).ok_or(reason);
        }
        ranks.attend();
        while ranks.begins_again() {
            ranks.attend();
        }
        Ok(ranks.finish())
    }

    fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::SeqCst)
    }

    /// Looks after the ranks until all are over.
    fn attend(&mut self) {
        let mut next_tick = Instant::now();
        while !self.is_closing() && self.children.iter().any(|it| it.stage != RankStage::Over) {
            select! {
                recv(self.inbox) -> control => match control {
                    Ok(control) => self.apply_control(control),
                    Err(_) => self.stop(),
                },
                recv(self.news) -> _ => {}
                default(TICK) => {}
            }
            // Whoever looks on and is behind holds the ranks back, as it does any engine.
            if self.outbox.flush() {
                self.listen();
            }
            if Instant::now() >= next_tick {
                next_tick = Instant::now() + TICK;
                self.tick();
            }
        }
    }

    /// Takes what the ranks said.
    fn listen(&mut self) {
        for rank in 0..self.children.len() {
            for _ in 0..64 {
                let message = self.children.get(rank).and_then(RankProcess::next);
                let Some(message) = message else { break };
                self.take(rank, message);
            }
        }
    }

    fn take(&mut self, rank: usize, message: Message) {
        let Some(child) = self.children.get_mut(rank) else {
            return;
        };
        match message {
            Message::Batch(mut records) => {
                child.note(&records);
                self.keep_unmet(&mut records);
                self.merged.take(rank, records, self.outbox);
            }
            Message::Finished { lost, .. } => {
                self.merged.lost = self.merged.lost.saturating_add(lost);
                self.over(rank);
            }
            Message::Connection(connection) => {
                let is_told = child.is_dead();
                let is_gone = child.connected(&connection);
                if is_gone && child.stage != RankStage::Over {
                    // It died so early that its link knew of no run that could end.
                    if !is_told && child.stage == RankStage::Running {
                        let death = child.unheard_death();
                        self.merged.take(rank, vec![death], self.outbox);
                    }
                    self.over(rank);
                }
            }
            // That its process is gone has been told.
            Message::Refused(_) if child.is_dead() => {}
            Message::Refused(reason) => {
                let label = child.label.clone();
                self.outbox
                    .post(Message::Refused(format!("{label}: {reason}")));
                if child.stage != RankStage::Running {
                    self.over(rank);
                }
            }
            Message::Started { .. }
            | Message::Phase(_)
            | Message::Offers(_)
            | Message::Exited(_)
            | Message::Window(_)
            | Message::Kept(_)
            | Message::Notice(_)
            | Message::Seated { .. } => {}
        }
    }

    fn apply_control(&mut self, control: Control) {
        match control {
            Control::Run(request) => {
                self.next = Some(request);
                self.stop();
            }
            Control::Stop | Control::Shutdown => self.stop(),
            Control::Rank(RankControl::Fault(fault)) => self.inflict(fault),
            Control::Rank(_) => {}
            Control::Record(_) => self.outbox.post(Message::Refused(
                "a workload runs; stop it before a program is recorded".to_owned(),
            )),
            control => {
                let phase = match &control {
                    Control::Pause | Control::Step => Some(Phase::Paused),
                    Control::Resume | Control::Recover(_) => Some(Phase::Running),
                    _ => None,
                };
                if let Some(phase) = phase {
                    self.outbox.post(Message::Phase(phase));
                }
                self.send_all(&control);
            }
        }
    }

    fn send_all(&self, control: &Control) {
        for child in &self.children {
            child.send(control.clone());
        }
    }

    fn stop(&mut self) {
        let has_failed = self.children.iter().any(RankProcess::has_failed);
        self.stopped.get_or_insert((Instant::now(), has_failed));
        self.outbox.post(Message::Phase(Phase::Stopping));
        self.send_all(&Control::Stop);
    }

    /// Does something to a rank on purpose.
    fn inflict(&mut self, fault: RankFault) {
        let Some(child) = self.children.get(fault.rank as usize) else {
            let count = self.children.len();
            return self.outbox.post(Message::Refused(format!(
                "{fault}: there is no rank {}; there are {count}, counted from 0",
                fault.rank
            )));
        };
        if child.stage == RankStage::Over {
            return self.outbox.post(Message::Refused(format!(
                "{fault}: rank {} is over; run the workload again",
                fault.rank
            )));
        }
        let now = RankFault {
            at: FaultMoment::Now,
            ..fault
        };
        child.send(Control::Rank(RankControl::Fault(now)));
        let words = format!("rank {} will be hit: {}", fault.rank, fault.kind.label());
        self.merged
            .log(self.now(), Severity::Warning, words, self.outbox);
    }

    /// The time of the run.
    fn now(&self) -> Nanos {
        unix_now() - self.merged.zero()
    }

    fn tick(&mut self) {
        let now = self
            .since
            .map(|since| Nanos::from_duration(since.elapsed()));
        // One that is over cannot suffer anything; it can where it begins again.
        let children = &self.children;
        let is_over = |rank: u32| {
            let child = children.get(rank as usize);
            child.is_some_and(|it| it.stage == RankStage::Over)
        };
        let is_due = |fault: &mut RankFault| match (fault.at, now) {
            (FaultMoment::Time(time), Some(now)) => now >= time && !is_over(fault.rank),
            _ => false,
        };
        let due: Vec<RankFault> = self.faults.extract_if(.., is_due).collect();
        for fault in due {
            self.handed.push(fault);
            self.inflict(fault);
        }
        self.merged.flush(self.outbox);
        self.give_up();
    }

    /// Whether ranks that were lost begin again, in new processes; then they do.
    fn begins_again(&mut self) -> bool {
        let replays = self.request.recovery == RecoveryMode::Replay || self.placement.again;
        let wants = replays && self.stopped.is_none() && !self.is_closing();
        // In a replay a rank whose device was lost does not begin again by itself.
        let is_replayed = self.request.recovery == RecoveryMode::Replay;
        let is_lost = |it: &&RankProcess| it.is_dead() || is_replayed && it.has_lost();
        let lost = self.children.iter().find(is_lost);
        let (true, Some(lost)) = (wants && self.restarts < AGAIN, lost) else {
            return false;
        };
        self.restarts += 1;
        let label = lost.label.clone();
        let began = Instant::now();
        self.tell_missing();
        self.merged.again();
        self.keep_spared();
        self.end_children();
        if let Err(reason) = self.start_children() {
            self.outbox.post(Message::Refused(reason));
            return false;
        }
        let took = Nanos::from_duration(began.elapsed());
        let words = format!("begins again: new processes were there {took} after {label} was lost");
        let now = self.now();
        self.merged.log(now, Severity::Warning, words, self.outbox);
        self.merged.recovered(now, self.outbox);
        true
    }

    /// Ends the run: its processes, and what is to be said of it as a whole.
    fn finish(mut self) -> Option<Box<RunRequest>> {
        self.listen();
        self.tell_missing();
        self.keep_spared();
        self.tell_unmet();
        let outcome = self.outcome();
        self.end_children();
        self.merged.end(outcome, self.outbox);
        let (run, lost) = (self.run, self.merged.lost);
        self.outbox.post(Message::Finished { run, lost });
        self.outbox.post(Message::Phase(Phase::Idle));
        self.next.take()
    }

    fn outcome(&self) -> RunOutcome {
        let failed = |child: &RankProcess| match &child.outcome {
            Some(RunOutcome::Failed(why)) => Some(format!("{}: {why}", child.label)),
            None if self.stopped.is_none() => Some(format!("{} came to no end", child.label)),
            _ => None,
        };
        // A process that died is the reason for whatever failed on the others.
        let dead = self.children.iter().filter(|it| it.is_dead());
        let first = dead.chain(&self.children).find_map(failed);
        match (first, self.stopped) {
            // What fails because the others were stopped is stopped.
            (Some(why), None | Some((_, true))) => RunOutcome::Failed(why),
            (_, Some(_)) => RunOutcome::Stopped,
            (None, None) => RunOutcome::Finished,
        }
    }
}

impl Drop for Ranks<'_> {
    fn drop(&mut self) {
        self.end_children();
    }
}

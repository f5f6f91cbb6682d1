//! The engine thread: takes controls, runs workloads one after the other, and posts messages.

#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, never, select};

use super::active_run::ActiveRun;
use super::delivery::Delivery;
use super::far::{WorkerLink, WorkerTarget};
use super::host::panic_text;
use super::mesh::Mesh;
use super::outbox::Outbox;
use super::prepare::{PreparedRun, prepare};
use super::program::{ProgramRequest, RecordedProgram};
use super::ranks::{self, Ranks};
use super::{Control, Message, Phase, RankControl, RecoveryMode, RunRequest};
use super::{comparison, isolated_worker};
use record::{Record, RunEnd};

/// Controls that wait for the engine.
const CONTROLS: usize = 1024;
/// Why a run on ranks that is over cannot go on.
const GONE: &str = "the processes of these ranks are gone, and what they had in memory with them: there is nothing to go on \
    with; “Recover and replay” begins again in new ones";
/// How long a rank waits to be told where the others are.
const MEETING: Duration = Duration::from_mins(3);
/// How often a run is looked after.
const TICK: Duration = Duration::from_millis(20);

/// The engine thread. Dropping it stops what runs, and waits for the thread.
pub struct Engine {
    controls: Sender<Control>,
    messages: Receiver<Message>,
    is_closing: Arc<AtomicBool>,
    delivery: Arc<Delivery>,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    /// Starts the thread, which calls `wake` whenever there are new messages.
    ///
    /// Where the system gives no thread, the only message is a [`Message::Refused`].
    pub fn start(wake: Box<dyn Fn() + Send + Sync>) -> Self {
        let delivery = Arc::<Delivery>::default();
        let own = Arc::clone(&delivery);
        Self::spawn(wake, delivery, |inbox, outbox, is_closing| {
            let mut worker = EngineWorker {
                inbox,
                outbox,
                is_closing,
                delivery: own,
                runs: 0,
                placed: None,
                own: None,
            };
            worker.work();
        })
    }

    /// An engine in another process, at `target`: one that differs from [`Engine::start`]'s in its name and its clock
    /// alone, told by [`Message::Connection`]. What its machine has to run workloads comes as [`Message::Offers`].
    ///
    /// Where it cannot be reached, a [`Message::Refused`] says why; the next run tries again.
    pub fn connect(target: WorkerTarget, wake: Box<dyn Fn() + Send + Sync>) -> Self {
        Self::spawn(wake, Arc::default(), |inbox, outbox, is_closing| {
            WorkerLink::new(target, inbox, outbox, is_closing).work();
        })
    }

    fn spawn(
        wake: Box<dyn Fn() + Send + Sync>,
        delivery: Arc<Delivery>,
        work: impl FnOnce(Receiver<Control>, Arc<Outbox>, Arc<AtomicBool>) + Send + 'static,
    ) -> Self {
        let (outbox, messages) = Outbox::new(wake);
        let outbox = Arc::new(outbox);
        let (controls, inbox) = bounded(CONTROLS);
        let is_closing = Arc::new(AtomicBool::new(false));
        let (posted, closing) = (Arc::clone(&outbox), Arc::clone(&is_closing));
        let thread = std::thread::Builder::new()
            .name("engine".to_owned())
            .spawn(move || work(inbox, posted, closing));
        if let Err(error) = &thread {
            outbox.post(Message::Refused(format!(
                "the engine's thread could not be started: {error}; end other programs and start again"
            )));
        }
        Self {
            controls,
            messages,
            is_closing,
            delivery,
            thread: thread.ok(),
        }
    }

    /// Hands `control` to the engine and returns at once. A control is dropped where a thousand others wait, or
    /// where the engine has ended.
    pub fn send(&self, control: Control) {
        if control == Control::Shutdown {
            self.is_closing.store(true, Ordering::SeqCst);
        }
        let _ = self.controls.try_send(control);
    }

    /// For whoever hands its messages on to another process, to note those that have left this one. Ranks wait for that.
    pub(crate) fn delivery(&self) -> Arc<Delivery> {
        Arc::clone(&self.delivery)
    }

    /// Where its messages come out, in order.
    pub const fn messages(&self) -> &Receiver<Message> {
        &self.messages
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.send(Control::Shutdown);
        if let Some(thread) = self.thread.take() {
            // What it panicked of was said in a message.
            let _ = thread.join();
        }
    }
}

/// What the thread works with.
struct EngineWorker {
    inbox: Receiver<Control>,
    outbox: Arc<Outbox>,
    is_closing: Arc<AtomicBool>,
    delivery: Arc<Delivery>,
    runs: u64,
    /// The run on several ranks that was made last: it can be begun again.
    placed: Option<Box<RunRequest>>,
    /// The way to a worker of this machine's own, once one was needed.
    own: Option<Box<WorkerLink>>,
}

impl EngineWorker {
    fn work(&mut self) {
        let mut next = None;
        while !self.is_closing.load(Ordering::SeqCst) {
            let request: Option<Box<RunRequest>> = match next.take() {
                Some(request) => Some(request),
                None => match self.receive() {
                    Ok(Control::Run(request)) => Some(request),
                    Ok(Control::Recover(RecoveryMode::Replay)) => self.placed.take(),
                    Ok(Control::Record(request)) => self.record(&request),
                    Ok(Control::Recover(_)) if self.placed.is_some() => {
                        self.refuse(GONE.to_owned())
                    }
                    Ok(_) | Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => return,
                },
            };
            if let Some(request) = request {
                next = self.run(&request);
            }
        }
    }

    /// The next control; looks after messages that the reader was too slow for meanwhile.
    fn receive(&self) -> Result<Control, RecvTimeoutError> {
        if self.outbox.flush() {
            // Not for ever: a closing that found the queue of controls full is only in the flag.
            self.inbox.recv_timeout(Duration::from_millis(500))
        } else {
            self.inbox.recv_timeout(Duration::from_millis(4))
        }
    }

    /// Runs a workload to its end. Gives the request that replaced it, where one did.
    fn run(&mut self, request: &RunRequest) -> Option<Box<RunRequest>> {
        self.placed = None;
        match ranks::wanted(request) {
            Some(_) if ranks::is_virtual(request) => self.run_here(&ranks::alone(request)),
            Some(placement) => {
                self.runs += 1;
                let ends = (&self.inbox, &self.outbox, &*self.is_closing);
                let run = Ranks::conduct(request, placement, self.runs, ends);
                self.placed = Some(Box::new(request.clone()));
                run.unwrap_or_else(|reason| self.refuse(reason))
            }
            None => self.run_here(request),
        }
    }

    /// Records a program to its end. Gives the request that replaced it, where one did.
    fn record(&mut self, request: &ProgramRequest) -> Option<Box<RunRequest>> {
        self.runs += 1;
        let ends = (&self.inbox, &self.outbox, &*self.is_closing);
        let run = RecordedProgram::conduct(request, self.runs, ends);
        run.unwrap_or_else(|reason| self.refuse(reason))
    }

    /// Runs a workload in this process.
    fn run_here(&mut self, request: &RunRequest) -> Option<Box<RunRequest>> {
        if let Some(target) = isolated_worker::target(&request.backend) {
            let make = || {
                Box::new(WorkerLink::own(
                    target,
                    self.inbox.clone(),
                    Arc::clone(&self.outbox),
                    Arc::clone(&self.is_closing),
                ))
            };
            let link = self.own.get_or_insert_with(make);
            return link.run_one(Box::new(request.clone()));
        }
        // A rank cannot run twice: the others would have to as well.
        let least = match request.seat {
            None => comparison::least(request, &self.is_closing),
            Some(_) => None,
        };
        let prepared = match catch_unwind(AssertUnwindSafe(|| prepare(request))) {
            Ok(Ok(prepared)) => PreparedRun { least, ..prepared },
            Ok(Err(reason)) => return self.refuse(reason),
            Err(payload) => {
                let text = panic_text(payload.as_ref());
                return self.refuse(format!("Syncline itself failed ({text}); please report it"));
            }
        };
        if let Some(mesh) = prepared.shared.mesh.clone() {
            if request.reports_submissions {
                mesh.wait_for(&self.delivery);
            }
            match self.meet(&mesh) {
                Ok(None) => {}
                Ok(next) => return next,
                Err(reason) => return self.refuse(reason),
            }
        }
        self.conduct(request, prepared)
    }

    /// Says where this rank listens, and waits until it knows where the others do. Gives the request that came in place
    /// of that.
    fn meet(&self, mesh: &Mesh) -> Result<Option<Box<RunRequest>>, String> {
        self.outbox.post(Message::Seated {
            address: mesh.address().to_string(),
            machine: super::mesh::machine(),
        });
        let until = Instant::now() + MEETING;
        while Instant::now() < until && !self.is_closing.load(Ordering::SeqCst) {
            match self.receive() {
                Ok(Control::Rank(RankControl::Peers(peers))) => {
                    let parsed: Result<_, _> = peers.iter().map(|it| it.parse()).collect();
                    mesh.meet(parsed.map_err(|error| format!("no rank is there: {error}"))?);
                    return Ok(None);
                }
                Ok(Control::Run(request)) => return Ok(Some(request)),
                Ok(Control::Stop | Control::Shutdown) | Err(RecvTimeoutError::Disconnected) => {
                    break;
                }
                Ok(Control::Rank(RankControl::Fault(fault))) => mesh.apply_fault(fault),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            }
        }
        Err("nobody told this rank where the others are".to_owned())
    }

    /// Runs what is prepared to its end, whatever fails on the way.
    fn conduct(&mut self, request: &RunRequest, prepared: PreparedRun) -> Option<Box<RunRequest>> {
        self.runs += 1;
        let run = self.runs;
        self.outbox.post(Message::Started { run });
        let phase = if request.paused {
            Phase::Paused
        } else {
            Phase::Running
        };
        self.outbox.post(Message::Phase(phase));
        let mut next = None;
        let mut lost = 0;
        match ActiveRun::start(prepared, Arc::clone(&self.outbox)) {
            Ok(mut running) => {
                let attend = || self.attend(&mut running, &mut next);
                let panic = catch_unwind(AssertUnwindSafe(attend)).err();
                let panic = panic.as_ref().map(|payload| panic_text(payload.as_ref()));
                lost = running.finish(&self.outbox, panic);
            }
            Err(error) => self.outbox.post(Message::Refused(error.to_string())),
        }
        self.outbox.post(Message::Finished { run, lost });
        self.outbox.post(Message::Phase(Phase::Idle));
        next
    }

    fn refuse(&self, reason: String) -> Option<Box<RunRequest>> {
        self.outbox.post(Message::Refused(reason));
        None
    }

    /// Looks after a run until it is over.
    fn attend(&self, running: &mut ActiveRun, next: &mut Option<Box<RunRequest>>) {
        let mut next_tick = Instant::now() + TICK;
        let (mut patience, nothing) = (Duration::ZERO, never());
        while !running.is_over(patience) {
            running.replay();
            if running.shared.losses.take_pause() {
                self.outbox.post(Message::Phase(Phase::Paused));
            }
            let ended = if running.has_hosts() {
                &running.ended
            } else {
                &nothing
            };
            let left = next_tick.saturating_duration_since(Instant::now());
            // With all host threads ended only the streams are waited for, in `is_over`, or somebody who recovers the device.
            let left = if running.has_hosts() || running.is_held() {
                left
            } else {
                Duration::ZERO
            };
            select! {
                recv(self.inbox) -> control => match control {
                    Ok(control) => self.apply_control(control, running, next),
                    Err(_) => running.stop(),
                },
                recv(ended) -> host => if host.is_ok() { running.note_ended() },
                default(left) => {}
            }
            if self.is_closing.load(Ordering::SeqCst) {
                running.stop();
            }
            if Instant::now() >= next_tick {
                self.outbox.flush();
                running.tick();
                next_tick = Instant::now() + TICK;
            }
            patience = if running.has_hosts() {
                Duration::ZERO
            } else {
                TICK / 4
            };
        }
    }

    fn apply_control(
        &self,
        control: Control,
        running: &ActiveRun,
        next: &mut Option<Box<RunRequest>>,
    ) {
        let gate = &running.shared.gate;
        let mesh = running.shared.mesh.as_deref();
        let phase = match control {
            Control::Pause | Control::Step => Phase::Paused,
            Control::Resume => Phase::Running,
            Control::Run(_) | Control::Stop | Control::Shutdown => Phase::Stopping,
            Control::Pace(pace) => return gate.pace(pace),
            Control::Record(_) => {
                let text = "a workload runs; stop it before a program is recorded".to_owned();
                return self.outbox.post(Message::Refused(text));
            }
            Control::Window(_) => return,
            Control::Rank(control) => {
                match (control, mesh) {
                    (RankControl::Left { rank, why }, Some(mesh)) => mesh.leave(rank, &why),
                    (RankControl::Fault(fault), Some(mesh)) => mesh.apply_fault(fault),
                    _ => {}
                }
                return;
            }
            Control::Lose(injection) => {
                if let Err(reason) = running.lose(injection) {
                    self.outbox.post(Message::Refused(reason));
                }
                return;
            }
            Control::Recover(how) => {
                running.recover(how);
                Phase::Running
            }
        };
        self.outbox.post(Message::Phase(phase));
        if let Some(mesh) = mesh {
            mesh.hold(phase == Phase::Paused);
        }
        match control {
            Control::Pause => gate.pause(),
            Control::Resume => gate.resume(),
            Control::Step => gate.step(),
            Control::Run(request) => {
                *next = Some(request);
                running.stop();
            }
            Control::Stop | Control::Shutdown => running.stop(),
            Control::Pace(_)
            | Control::Lose(_)
            | Control::Recover(_)
            | Control::Rank(_)
            | Control::Record(_)
            | Control::Window(_) => {}
        }
    }
}

/// Runs a workload to its end on this thread's time: `take` gets every batch of records, in order.
///
/// # Errors
/// Why the run could not begin. A run that began and failed says so in the [`RunEnd`] among
/// its records, which is given back.
pub fn run(request: RunRequest, mut take: impl FnMut(Vec<Record>)) -> Result<RunEnd, String> {
    let engine = Engine::start(Box::new(|| ()));
    engine.send(Control::Run(Box::new(request)));
    let mut end = None;
    for message in engine.messages() {
        match message {
            Message::Refused(reason) => return Err(reason),
            Message::Batch(records) => {
                let ends = records.iter().filter_map(|record| match record {
                    Record::End(end) => Some(end.as_ref().clone()),
                    _ => None,
                });
                end = ends.into_iter().next_back().or(end);
                take(records);
            }
            Message::Finished { .. } => break,
            Message::Started { .. }
            | Message::Phase(_)
            | Message::Connection(_)
            | Message::Seated { .. }
            | Message::Exited(_)
            | Message::Window(_)
            | Message::Kept(_)
            | Message::Notice(_)
            | Message::Offers(_) => {}
        }
    }
    end.ok_or_else(|| "the engine ended without a word; please report it".to_owned())
}

//! The thread that fetches records, writes them to the file, notes what expectations need, and posts them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, never, select};

use super::comparison::{InsertionCounts, RunFigures};
use super::delivery::Delivery;
use super::expectation_log::ExpectationLog;
use super::order::{OrderAnswers, RaceDetector};
use super::outbox::Outbox;
use super::prepare::DEVICE;
use super::recorder::{Recorder, Reporter};
use super::save::SaveFile;
use super::shared::RunState;
use super::wait_basis::WaitDependencies;
use backend::{BackendError, is_worker};
use record::Record;
use record::time::Nanos;

/// How often batches that are not full are fetched.
const TICK: Duration = Duration::from_millis(16);
/// The same in a worker: what it has not handed on when it is ended is gone.
const WORKERS_TICK: Duration = Duration::from_millis(4);

/// The collector's thread.
pub struct Collector {
    thread: JoinHandle<CollectorState>,
    is_over: Arc<AtomicBool>,
    attempts: Sender<Sender<()>>,
}

/// What the thread works with, and leaves to whoever ends it.
pub struct CollectorState {
    recorder: Arc<Recorder>,
    own: Reporter,
    outbox: Arc<Outbox>,
    save: Option<SaveFile>,
    ledger: ExpectationLog,
    races: RaceDetector,
    inserted: InsertionCounts,
    waited: WaitDependencies,
    shared: Arc<RunState>,
    /// Who waits until everything of the attempt before is fetched.
    attempts: Receiver<Sender<()>>,
}

impl Collector {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(
        recorder: Arc<Recorder>,
        outbox: Arc<Outbox>,
        save: Option<SaveFile>,
        ledger: ExpectationLog,
        races: RaceDetector,
        shared: Arc<RunState>,
    ) -> Result<Self, BackendError> {
        let is_over = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_over);
        let own = recorder.reporter();
        let (begin, attempts) = bounded(1);
        let mut desk = CollectorState {
            recorder,
            own,
            outbox,
            save,
            ledger,
            races,
            inserted: InsertionCounts::new(&shared.plan),
            waited: WaitDependencies::new(&shared.plan),
            shared,
            attempts,
        };
        let thread = std::thread::Builder::new()
            .name("collector".to_owned())
            .spawn(move || {
                desk.run(&flag);
                desk
            })
            .map_err(|error| BackendError::Thread(error.to_string()))?;
        Ok(Self {
            thread,
            is_over,
            attempts: begin,
        })
    }

    /// The workload is about to begin again: returns once everything reported so far is fetched, and expectations count
    /// what comes from now on. At once where the thread panicked.
    pub fn begin_attempt(&self) {
        let (done, fetched) = bounded(1);
        if self.attempts.send(done).is_ok() {
            // An error says that the thread is gone, and whoever ends it says why.
            let _ = fetched.recv();
        }
    }

    /// Ends the thread once it has fetched everything so far; nothing where it panicked.
    pub fn finish(self) -> Option<CollectorState> {
        self.is_over.store(true, Ordering::SeqCst);
        self.thread.join().ok()
    }
}

impl CollectorState {
    fn run(&mut self, is_over: &AtomicBool) {
        let is_worker = is_worker();
        let tick = if is_worker { WORKERS_TICK } else { TICK };
        // What a worker is, is told before it may die: its parent shows its end on it.
        let is_rank = self.shared.mesh.is_some();
        let first = if is_worker || is_rank {
            Duration::ZERO
        } else {
            tick
        };
        let mut next = Instant::now() + first;
        let (recorder, shared) = (Arc::clone(&self.recorder), Arc::clone(&self.shared));
        let nothing = never();
        loop {
            // Read before fetching: what was reported before the flag was set is fetched below.
            let is_last = is_over.load(Ordering::SeqCst);
            let left = if is_last {
                Duration::ZERO
            } else {
                next.saturating_duration_since(Instant::now())
            };
            let woken = shared.mesh.as_ref().and_then(|it| it.delivery());
            let woken = woken.map_or(&nothing, Delivery::woken);
            select! {
                recv(recorder.full()) -> records => if let Ok(records) = records {
                    recorder.take(records, &mut |records| self.collect(records));
                },
                recv(woken) -> _ => self.deliver(&shared),
                default(left.min(Duration::from_millis(2))) => {}
            }
            if let Ok(done) = self.attempts.try_recv() {
                self.races.look(&self.own);
                self.sweep();
                self.ledger.begin_attempt();
                self.inserted.begin_attempt();
                let _ = done.send(());
            }
            if is_last {
                self.races.conclude(&self.own);
            }
            if is_last || Instant::now() >= next {
                self.races.look(&self.own);
                self.sweep();
                next = Instant::now() + tick;
            }
            if is_last {
                return;
            }
        }
    }

    /// Hands on what somebody waits for.
    fn deliver(&mut self, shared: &RunState) {
        if let Some(delivery) = shared.mesh.as_ref().and_then(|it| it.delivery()) {
            delivery.fetch(|| {
                self.sweep();
                self.outbox.last()
            });
        }
    }

    /// Reports what can be said once every operation has ended.
    pub fn conclude(&mut self, reporter: &Reporter, least: Option<RunFigures>, end: Nanos) {
        let rest = self.waited.finish(&self.races);
        self.collect(rest);
        let shared = &self.shared;
        if let Some(memory) = &shared.memory {
            memory.report(shared, reporter, Some(end));
        }
        if let Some(machine) = &shared.machine {
            machine.release(shared, reporter);
            machine.report_room(reporter, true);
        }
        shared.overheads.report(shared, DEVICE, reporter);
        shared.overheads.close();
        let mode = shared.plan.synchronization;
        let found = self
            .inserted
            .finding(mode, least, self.races.next_finding());
        if let Some(finding) = found {
            reporter.send(Record::Finding(Box::new(finding)));
        }
    }

    /// What was noted for the expectations, and what is known of the order of calls.
    pub fn noted(&self) -> (&ExpectationLog, OrderAnswers) {
        (&self.ledger, self.races.answers())
    }

    /// Fetches what was reported last; nothing more comes.
    pub fn finish(&mut self) {
        self.sweep();
        let finished = self.save.as_mut().map_or(Ok(()), SaveFile::finish);
        self.check(finished);
        self.save = None;
    }

    /// Fetches everything that was reported so far, and makes it last.
    fn sweep(&mut self) {
        // Before fetching: what is reported here is fetched below, and never after the end of the run.
        if let Some(memory) = &self.shared.memory {
            memory.report(&self.shared, &self.own, None);
        }
        if let Some(machine) = &self.shared.machine {
            machine.release(&self.shared, &self.own);
            machine.report_room(&self.own, false);
        }
        self.shared
            .overheads
            .report(&self.shared, DEVICE, &self.own);
        let recorder = Arc::clone(&self.recorder);
        recorder.sweep(&mut |records| self.collect(records));
        let flushed = self.save.as_mut().map_or(Ok(()), SaveFile::flush);
        self.check(flushed);
    }

    fn collect(&mut self, records: Vec<Record>) {
        let records = self.waited.sift(records);
        self.ledger.note(&records);
        if self.shared.insertions.is_some() {
            self.inserted.note(&records);
        }
        if let Some(memory) = &self.shared.memory {
            memory.note(&records);
        }
        if let Some(machine) = &self.shared.machine {
            machine.note(&records);
        }
        let written = self
            .save
            .as_mut()
            .map_or(Ok(()), |save| save.write(&records));
        self.check(written);
        self.outbox.post_records(records);
    }

    /// Gives up on the file where it cannot be written, and says so; the run goes on.
    fn check(&mut self, written: std::io::Result<()>) {
        let (Err(error), Some(save)) = (written, &self.save) else {
            return;
        };
        // Not by the recorder, from which nothing may be fetched any more.
        self.outbox.post_records(vec![save.failed(&error)]);
        self.save = None;
    }
}

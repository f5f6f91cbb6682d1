//! A run under way: its threads, and what the engine thread does for it.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::RecoveryMode;
use super::collector::{Collector, CollectorState};
use super::comparison::RunFigures;
use super::expectation::{self, RunFacts};
use super::expectation_log::ExpectationLog;
use super::host::{self, panic_text};
use super::loss_scheduler::{self, ArmedLoss};
use super::mesh::{FAULT_UNMET, unmet_fault};
use super::order::{OrderAnswers, RaceDetector};
use super::outbox::Outbox;
use super::prepare::PreparedRun;
use super::recorder::{Recorder, Reporter};
use super::shared::{RunState, first_stream};
use super::stall::StallWatch;
use super::starvation::Starvation;
use backend::{BackendError, HostIndex};
use device::{DeviceStatus, lock};
use record::invariant::{BROKEN, take_broken};
use record::time::Nanos;
use record::{
    Clock, EventId, LaneId, Log, PACE_NOT_KEPT, Problem, Record, RunEnd, RunOutcome, Severity,
    SpanId,
};
use workload::Injection;

/// Operations that run for longer are shown before they end.
const LONG: Nanos = Nanos::from_millis(1);

/// A run under way.
pub struct ActiveRun {
    /// What its threads share.
    pub shared: Arc<RunState>,
    /// Says which host threads ended.
    pub ended: Receiver<HostIndex>,
    done: Sender<HostIndex>,
    recorder: Arc<Recorder>,
    reporter: Reporter,
    collector: Option<Collector>,
    hosts: Vec<JoinHandle<()>>,
    hosts_left: usize,
    is_stopped: AtomicBool,
    watch: StallWatch,
    /// For each lane, the span that was shown as running last.
    shown: BTreeMap<LaneId, SpanId>,
    /// What the least synchronisation that is needed came to, where that is compared.
    least: Option<RunFigures>,
    /// How long threads were without a processor core when the attempt began that counts.
    starvation: Starvation,
}

impl ActiveRun {
    /// Starts the clock and the threads.
    ///
    /// # Errors
    /// The system gives no thread; everything is ended again.
    pub fn start(prepared: PreparedRun, outbox: Arc<Outbox>) -> Result<Self, BackendError> {
        let PreparedRun {
            shared,
            recorder,
            reporter,
            save,
            lose,
            least,
        } = prepared;
        let ledger = ExpectationLog::new(&shared.plan, first_stream(&shared.plan));
        let races = RaceDetector::new(Arc::clone(&shared));
        let own = Arc::clone(&shared);
        let recorded = Arc::clone(&recorder);
        let collector = Collector::start(recorded, outbox, save, ledger, races, own)?;
        let count = shared.plan.hosts.len();
        let (done, ended) = bounded(count.max(1));
        let mut running = Self {
            starvation: Starvation::begin(&shared),
            shared,
            ended,
            done,
            recorder,
            reporter,
            collector: Some(collector),
            hosts: Vec::new(),
            hosts_left: count,
            is_stopped: AtomicBool::new(false),
            watch: StallWatch::default(),
            shown: BTreeMap::new(),
            least,
        };
        running.shared.device.start();
        if let Some(timelines) = &running.shared.timelines {
            timelines.start(&running.shared)?;
        }
        let clock = running.shared.device.clock();
        running.reporter.send(Record::Clock(Box::new(clock)));
        if !running.shared.device.caps().deterministic {
            let now = running.shared.device.now(HostIndex(count));
            let zero = super::far::unix_now() - now;
            running
                .reporter
                .send(Record::Clock(Box::new(Clock::unix(zero))));
        }
        loss_scheduler::announce(&lose, &running.reporter);
        for injection in lose {
            loss_scheduler::arm(
                &running.shared,
                ArmedLoss::from_outside(injection),
                &running.reporter,
            );
        }
        running.start_hosts()?;
        Ok(running)
    }

    fn start_hosts(&mut self) -> Result<(), BackendError> {
        let count = self.shared.plan.hosts.len();
        self.hosts_left = count;
        for place in 0..count {
            let (shared, done) = (Arc::clone(&self.shared), self.done.clone());
            let reporter = self.recorder.reporter();
            self.hosts
                .push(host::start(shared, HostIndex(place), reporter, done)?);
        }
        Ok(())
    }

    /// Begins again with the first call, where that is wanted and every host thread has ended.
    pub fn replay(&mut self) {
        if !self.shared.losses.is_replaying() || self.hosts_left > 0 {
            return;
        }
        for host in self.hosts.drain(..) {
            // What it panicked of was said by itself.
            let _ = host.join();
        }
        if self.is_stopped.load(Ordering::SeqCst) || self.shared.failure().is_some() {
            return self.shared.losses.end_replaying();
        }
        let opened = self.shared.open_for_replay(&self.reporter);
        if opened.is_ok()
            && let Some(collector) = &self.collector
        {
            collector.begin_attempt();
            self.starvation = Starvation::begin(&self.shared);
        }
        let attempt = opened.and_then(|attempt| self.start_hosts().map(|()| attempt));
        match attempt {
            Ok(attempt) => self.reporter.send(Record::Log(Box::new(Log {
                time: self.shared.now(),
                severity: Severity::Info,
                text: format!(
                    "attempt {attempt} begins with the first call; expectations are judged on the last attempt alone"
                ),
            }))),
            Err(error) => {
                self.shared.losses.end_replaying();
                let reason = format!("the device could not be opened anew: {error}");
                self.shared.fail(&reason);
            }
        }
    }

    /// Loses the device, now or at its moment.
    ///
    /// # Errors
    /// What the loss waits for is not in the workload.
    pub fn lose(&self, injection: Injection) -> Result<(), String> {
        loss_scheduler::check(&self.shared.plan, &injection)?;
        let loss = ArmedLoss::from_outside(injection);
        loss_scheduler::arm(&self.shared, loss, &self.reporter);
        Ok(())
    }

    /// Opens a lost device anew, and lets host threads go on that were held.
    pub fn recover(&self, how: RecoveryMode) {
        self.shared.losses.await_mended();
        match how {
            RecoveryMode::Replay => self.shared.begin_replay(),
            _ => self.shared.recover_or_fail(&self.reporter),
        }
        self.shared.gate.resume();
    }

    /// A host thread ended.
    pub const fn note_ended(&mut self) {
        self.hosts_left = self.hosts_left.saturating_sub(1);
    }

    /// Whether a host thread still makes calls.
    pub const fn has_hosts(&self) -> bool {
        self.hosts_left > 0
    }

    /// Whether every host thread and stream has ended; waits a moment for the streams.
    pub fn is_over(&self, patience: Duration) -> bool {
        if self.hosts_left > 0 || !self.shared.device.wait_idle(patience) {
            return false;
        }
        // In this order: streams also come to their ends by a loss, which may have somebody begin again.
        self.shared.note_loss(&self.reporter);
        !self.shared.losses.is_recovering() && !self.is_held()
    }

    /// Whether the device is lost and the run held, so that whoever looks on can recover it: also after the last call was
    /// made, when nothing else keeps it from ending.
    pub fn is_held(&self) -> bool {
        let is_wanted = self.shared.gate.is_paused() && !self.is_stopped.load(Ordering::SeqCst);
        is_wanted && self.shared.losses.state().lost.is_some() && self.shared.failure().is_none()
    }

    /// Somebody wants it to end.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        self.shared.stop();
    }

    /// What has to be done from time to time: shows what runs for long, and looks for a stall.
    pub fn tick(&mut self) {
        self.shared.note_loss(&self.reporter);
        self.report_refused();
        if !self.shared.device.caps().deterministic {
            self.show_long();
        }
        if let Some(reason) = self.watch.look(&self.shared) {
            self.report_problem("deadlock", &reason);
            self.shared.stall(&reason);
        }
    }

    fn show_long(&mut self) {
        let (shown, reporter) = (&mut self.shown, &self.reporter);
        let now = self.shared.device.now(HostIndex(0));
        let blocked = self
            .shared
            .hosts()
            .iter()
            .filter_map(|host| *lock(&host.blocked));
        let mut long: Vec<_> = blocked.filter(|began| now - began.start >= LONG).collect();
        self.shared
            .device
            .running(LONG, &|_| false, &mut |began| long.push(began));
        for began in long {
            if shown.insert(began.lane, began.id) != Some(began.id) {
                reporter.send(Record::Began(began));
            }
        }
    }

    /// Ends it: waits for its threads, checks what was expected, and reports the end. `panic` is what the engine
    /// thread itself failed of. Gives the number of records that were lost.
    pub fn finish(mut self, outbox: &Outbox, panic: Option<&str>) -> u64 {
        if let Some(panic) = panic {
            self.report_problem(
                "engine-panic",
                &format!(
                    "Syncline itself failed ({panic}); the capture ends here, please report it"
                ),
            );
            self.shared
                .fail(&format!("Syncline itself failed: {panic}"));
        }
        self.join();
        self.shared.end();
        if let Some(mesh) = &self.shared.mesh {
            mesh.close();
        }
        self.report_refused();
        loss_scheduler::report_unmet(&self.shared, &self.reporter);
        self.report_unmet_faults();
        for place in take_broken() {
            self.report_problem(BROKEN, &place);
        }
        if let Some(complaint) = self.shared.device.pace().and_then(|it| it.complaint()) {
            self.report(Severity::Warning, PACE_NOT_KEPT, &complaint);
        }
        // Before the results are checked, which takes its time and is no part of the run.
        let end = self.shared.now();
        let mut desk = self.collector.take().and_then(Collector::finish);
        let outcome = self.outcome();
        if let Some(desk) = &mut desk {
            desk.conclude(&self.reporter, self.least, end);
        }
        let end = end.max(self.shared.overheads.latest());
        let noted = desk.as_ref().map(CollectorState::noted);
        let noted = noted.as_ref().map(|(ledger, order)| (*ledger, order));
        let checked = catch_unwind(AssertUnwindSafe(|| self.expectations(noted, &outcome)));
        for expectation in checked.unwrap_or_default() {
            self.reporter
                .send(Record::Expectation(Box::new(expectation)));
        }
        self.report_end(outcome, end);
        match &mut desk {
            Some(desk) => desk.finish(),
            // The collector failed: the file ends early, the window still gets what is left.
            None => self
                .recorder
                .sweep(&mut |records| outbox.post_records(records)),
        }
        self.recorder
            .reported_count()
            .saturating_sub(self.recorder.taken())
    }

    fn outcome(&self) -> RunOutcome {
        if let Some(reason) = self.shared.failure() {
            return RunOutcome::Failed(reason);
        }
        match self.shared.device.status() {
            DeviceStatus::Lost(_) if self.shared.losses.goes_on() => self.ended_well(),
            DeviceStatus::Poisoned(_) | DeviceStatus::Lost(_) if self.shared.is_forgiven() => {
                self.ended_well()
            }
            DeviceStatus::Poisoned(reason) | DeviceStatus::Lost(reason) => {
                RunOutcome::Failed(reason)
            }
            DeviceStatus::Working => self.ended_well(),
        }
    }

    fn ended_well(&self) -> RunOutcome {
        if self.is_stopped.load(Ordering::SeqCst) {
            RunOutcome::Stopped
        } else {
            RunOutcome::Finished
        }
    }

    fn expectations(
        &self,
        noted: Option<(&ExpectationLog, &OrderAnswers)>,
        outcome: &RunOutcome,
    ) -> Vec<record::Expectation> {
        let plan = &self.shared.plan;
        match (outcome, noted) {
            (RunOutcome::Finished, Some((ledger, order))) => {
                let facts = RunFacts {
                    ledger,
                    order,
                    measured: &lock(&self.shared.measured),
                    last_errors: &lock(&self.shared.last_errors),
                    device: self.shared.device.as_ref(),
                };
                let attempt = self.shared.losses.attempt();
                let starved = self.starvation.since(&self.shared);
                let mut checked = expectation::check(plan, &facts, attempt, &starved);
                self.shared.lost_values.explain(plan, &mut checked);
                checked
            }
            (RunOutcome::Stopped, _) => expectation::unchecked(plan, "the run was stopped"),
            _ => expectation::unchecked(plan, "the run failed"),
        }
    }

    fn report_end(&self, outcome: RunOutcome, time: Nanos) {
        let (severity, text) = match &outcome {
            RunOutcome::Finished => (Severity::Info, "finished".to_owned()),
            RunOutcome::Stopped => (Severity::Warning, "stopped".to_owned()),
            RunOutcome::Failed(reason) => (Severity::Error, format!("failed: {reason}")),
        };
        self.reporter.send(Record::Log(Box::new(Log {
            time,
            severity,
            text,
        })));
        let records = self.recorder.reported_count() + 1;
        self.reporter.send(Record::End(Box::new(RunEnd {
            time,
            outcome,
            records,
        })));
    }

    /// Says who wanted to be a rank of this run and is none.
    fn report_refused(&self) {
        let refused = self.shared.mesh.as_ref().map(|mesh| mesh.take_refused());
        for text in refused.unwrap_or_default() {
            self.report(Severity::Warning, "unknown-peer", &text);
        }
    }

    /// Says what was to be done to this rank in an operation that it never came to.
    fn report_unmet_faults(&self) {
        let unmet = self.shared.mesh.as_ref().map(|mesh| mesh.take_unmet());
        for fault in unmet.unwrap_or_default() {
            self.report(Severity::Warning, FAULT_UNMET, &unmet_fault(&fault));
        }
    }

    fn report_problem(&self, code: &str, text: &str) {
        self.report(Severity::Error, code, text);
    }

    fn report(&self, severity: Severity, code: &str, text: &str) {
        self.reporter.send(Record::Problem(Box::new(Problem {
            severity,
            code: code.to_owned(),
            text: text.to_owned(),
            span: SpanId::NONE,
            event: EventId::NONE,
        })));
    }

    fn join(&mut self) {
        for host in self.hosts.drain(..) {
            if let Err(payload) = host.join() {
                let text = panic_text(payload.as_ref());
                self.shared.fail(&format!("a host thread failed: {text}"));
            }
        }
        if let Some(timelines) = &self.shared.timelines {
            timelines.close(&self.shared);
            (0..self.shared.plan.hosts.len())
                .for_each(|host| timelines.release(HostIndex(host), &self.reporter));
        }
        // Streams that run on, where the run was stopped, are part of it until they end.
        while !self.shared.device.wait_idle(Duration::from_millis(100)) {
            if self.shared.failure().is_none() && !self.is_stopped.load(Ordering::SeqCst) {
                self.tick();
            }
        }
    }
}

impl Drop for ActiveRun {
    fn drop(&mut self) {
        self.shared.end();
        self.shared.stop();
        self.join();
        if let Some(collector) = self.collector.take() {
            collector.finish();
        }
    }
}

//! Losses that wait for their moment: a call, a time, a compile, an operation of a stream.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::loss::LossSource;
use super::recorder::Reporter;
use super::shared::RunState;
use backend::{Alarm, HostIndex};
use record::time::Nanos;
use record::{EventId, LaneId, Problem, Record, Severity, SpanId, StreamIndex};
use workload::{Injection, LossBy, LossMoment, Plan, SourceLocation, nearest};

/// How often a thread that watches a device of the host's own time looks at it.
const LOOK: Duration = Duration::from_micros(100);

/// Why a loss did not happen: its moment did not come.
const OVER: &str = "the run was over before that moment came; name one that comes";
/// Why a loss did not happen: another was before it.
const LOST_ALREADY: &str =
    "it was lost already when that moment came; recover it before, or name an earlier moment";

/// Whether everything that `injection` names is in `plan`.
///
/// # Errors
/// What is missing, and what there is instead.
pub fn check(plan: &Plan, injection: &Injection) -> Result<(), String> {
    let streams: Vec<&str> = plan.streams.iter().map(|it| it.name.as_str()).collect();
    let pipelines: Vec<&str> = plan.pipelines.iter().map(|it| it.name.as_str()).collect();
    let labels: Vec<&str> = plan.sites.iter().map(|it| it.label.as_str()).collect();
    let (what, name, known) = match &injection.at {
        LossMoment::Stream(name) => ("stream", name, streams),
        LossMoment::Pipeline(name) => ("pipeline", name, pipelines),
        LossMoment::Label(name) => ("call labelled", name, labels),
        LossMoment::Line(line) if plan.sites.iter().all(|site| site.line != *line) => {
            let lines: Vec<String> = plan.sites.iter().map(|it| it.line.to_string()).collect();
            let lines = lines.join(", ");
            return Err(format!(
                "{injection}: there is no call at line {line}; calls are at {lines}"
            ));
        }
        LossMoment::Line(_) | LossMoment::Now | LossMoment::Time(_) => return Ok(()),
    };
    if known.contains(&name.as_str()) {
        return Ok(());
    }
    let known: Vec<&str> = known.into_iter().filter(|it| !it.is_empty()).collect();
    let help = nearest(name, known.iter().copied()).unwrap_or_else(|| match known.as_slice() {
        [] => "this workload has none".to_owned(),
        known => format!("there are {}", known.join(", ")),
    });
    Err(format!("{injection}: there is no {what} {name}; {help}"))
}

/// A loss that waits for its moment, and who wanted it.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmedLoss {
    /// The loss.
    pub injection: Injection,
    /// Who wanted it.
    pub source: LossSource,
}

impl ArmedLoss {
    /// One that whoever runs the workload wants.
    pub const fn from_outside(injection: Injection) -> Self {
        Self {
            injection,
            source: LossSource::Outside,
        }
    }
}

/// Lets a loss wait for its moment; at once where that is now.
pub fn arm(shared: &Arc<RunState>, loss: ArmedLoss, reporter: &Reporter) {
    match loss.injection.at {
        LossMoment::Now => shared.lose_armed(loss, reporter),
        LossMoment::Time(time) => arm_time(shared, loss, time, reporter),
        LossMoment::Stream(ref name) => {
            let place = shared.plan.streams.iter().position(|it| it.name == *name);
            if let Some(place) = place {
                arm_stream(shared, loss, StreamIndex(place as u32), reporter);
            }
        }
        LossMoment::Label(_) | LossMoment::Line(_) => await_call(shared, loss),
        LossMoment::Pipeline(ref name) => {
            let name = name.clone();
            await_call(shared, loss);
            // A compile that began before does not look for it.
            let timelines = shared.timelines.as_ref();
            if timelines.is_some_and(|it| it.compiles(shared, &name)) {
                shared.while_compiling(&name, reporter);
            }
        }
    }
}

fn await_call(shared: &RunState, loss: ArmedLoss) {
    shared.losses.state().armed.push(loss);
    shared.losses.is_armed.store(true, Ordering::SeqCst);
}

fn arm_time(shared: &Arc<RunState>, loss: ArmedLoss, time: Nanos, reporter: &Reporter) {
    let act = act(shared, loss, reporter);
    if let Some(act) = shared.device.alarm_while_busy(time, act) {
        watch(shared, act, move |shared| shared.now() >= time);
    }
}

fn arm_stream(shared: &Arc<RunState>, loss: ArmedLoss, stream: StreamIndex, reporter: &Reporter) {
    let act = act(shared, loss, reporter);
    if let Some(act) = shared.device.when_running(stream, act) {
        let before = shared.device.begun(stream);
        let lane = shared.stream_lane(stream);
        shared.device.await_loss(stream);
        watch(shared, act, move |shared| {
            shared.device.begun(stream) > before || runs(shared, lane)
        });
    }
}

fn act(shared: &Arc<RunState>, loss: ArmedLoss, reporter: &Reporter) -> Alarm {
    let mut state = shared.losses.state();
    let wanted = (state.attempt, loss);
    state.awaited.push(wanted.clone());
    drop(state);
    // Not kept alive by what waits: a run that is over is dropped.
    let (shared, reporter) = (Arc::downgrade(shared), reporter.clone());
    Box::new(move |_| {
        if let Some(shared) = shared.upgrade() {
            let mut state = shared.losses.state();
            let place = state.awaited.iter().position(|it| *it == wanted);
            // Of one that comes while the run ends it was said that the run was over, and one that a call of an attempt before
            // wanted the same call wants again.
            let Some(place) = place else {
                return;
            };
            let (_, loss) = state.awaited.remove(place);
            drop(state);
            shared.lose_armed(loss, &reporter);
        }
    })
}

/// Whether an operation runs on a lane.
fn runs(shared: &RunState, lane: LaneId) -> bool {
    let mut found = false;
    let mut look =
        |began: record::SpanStart| found |= began.lane == lane && !began.kind.is_waiting();
    shared.device.running(Nanos::ZERO, &|_| false, &mut look);
    found
}

/// Waits on a thread of its own until it `is_time`, for as long as the run goes on.
fn watch(shared: &Arc<RunState>, act: Alarm, is_time: impl Fn(&RunState) -> bool + Send + 'static) {
    let weak = Arc::downgrade(shared);
    let look = move || {
        while let Some(shared) = weak.upgrade() {
            if shared.is_over() {
                return;
            }
            if is_time(&shared) {
                return act(shared.now());
            }
            drop(shared);
            std::thread::sleep(LOOK);
        }
    };
    let thread = std::thread::Builder::new().name("injector".to_owned());
    if let Err(error) = thread.spawn(look) {
        shared.fail(&format!(
            "no thread could be started to lose the device: {error}"
        ));
    }
}

impl RunState {
    /// A call is about to be made: loses the device where that is wanted right before it.
    pub fn before_call(&self, place: SourceLocation, reporter: &Reporter) {
        if !self.losses.is_armed.load(Ordering::Relaxed) {
            return;
        }
        let label = self
            .plan
            .sites
            .get(place.call as usize)
            .map(|site| &site.label);
        self.fire(reporter, |at| match at {
            LossMoment::Line(line) => *line == place.line,
            LossMoment::Label(name) => label == Some(name),
            _ => false,
        });
    }

    /// A pipeline is being compiled: loses the device where that is wanted meanwhile. Called on the thread that
    /// compiles, once the compile is under way as far as anybody can see.
    pub fn while_compiling(&self, pipeline: &str, reporter: &Reporter) {
        if self.losses.is_armed.load(Ordering::Relaxed) {
            self.fire(reporter, |at| {
                *at == LossMoment::Pipeline(pipeline.to_owned())
            });
        }
    }

    /// Fires the first loss that waits for what `is_met` says has come.
    fn fire(&self, reporter: &Reporter, is_met: impl Fn(&LossMoment) -> bool) {
        let mut state = self.losses.state();
        let place = state
            .armed
            .iter()
            .position(|loss| is_met(&loss.injection.at));
        let found = place.map(|place| state.armed.remove(place));
        drop(state);
        if let Some(loss) = found {
            self.lose_armed(loss, reporter);
        }
    }

    /// The moment of a loss has come: the device is lost, or it is said that there was nothing to lose any more.
    fn lose_armed(&self, loss: ArmedLoss, reporter: &Reporter) {
        let ArmedLoss { injection, source } = loss;
        let mut state = self.losses.state();
        let has_turn = injection.by == LossBy::Destroy && self.timelines.is_some();
        if has_turn && state.lost.is_none() {
            // Lost when the device timeline comes to it, unless something else is quicker.
            let by = injection.by;
            state.destroying.push(ArmedLoss { injection, source });
            drop(state);
            self.lose(by, source, reporter);
            return;
        }
        drop(state);
        // A workload may lose a lost device again, which is of no effect.
        let is_wanted = source == LossSource::Outside || injection.at != LossMoment::Now;
        if !self.lose_now(injection.by, source, reporter) && is_wanted {
            unmet(&injection, LOST_ALREADY, reporter);
        }
    }

    /// What will happen by itself besides what streams and host threads do, and may let them go on: losses at a time, and
    /// what the timelines of promises and pipelines are at.
    pub fn due(&self) -> usize {
        let losses = self.losses.state();
        let is_time = |loss: &ArmedLoss| matches!(loss.injection.at, LossMoment::Time(_));
        let times = losses.awaited.iter().filter(|(_, it)| is_time(it)).count();
        drop(losses);
        let timelines = self.timelines.as_ref();
        let works = timelines.is_some_and(|timelines| !timelines.is_at_rest(self));
        times + usize::from(works)
    }

    /// The time where no host thread asks for its own.
    pub fn now(&self) -> Nanos {
        self.device.now(HostIndex(self.plan.hosts.len()))
    }
}

/// Says which losses were wanted and did not happen, because the run was over before their moment.
pub fn report_unmet(shared: &RunState, reporter: &Reporter) {
    let mut state = shared.losses.state();
    let awaited = std::mem::take(&mut state.awaited).into_iter();
    let armed = std::mem::take(&mut state.armed).into_iter();
    for loss in armed.chain(awaited.map(|(_, loss)| loss)) {
        unmet(&loss.injection, OVER, reporter);
    }
    let why = if state.lost.is_some() || state.generation > 1 {
        LOST_ALREADY
    } else {
        OVER
    };
    for loss in std::mem::take(&mut state.destroying) {
        unmet(&loss.injection, why, reporter);
    }
}

/// Says that a loss was wanted and did not happen, and why.
fn unmet(injection: &Injection, why: &str, reporter: &Reporter) {
    reporter.send(Record::Problem(Box::new(Problem {
        severity: Severity::Warning,
        code: "loss-unmet".to_owned(),
        text: format!("the device was not lost by {injection}: {why}"),
        span: SpanId::NONE,
        event: EventId::NONE,
    })));
}

/// Says what a run will be made to suffer, for its log.
pub fn announce(injections: &[Injection], reporter: &Reporter) {
    for injection in injections {
        reporter.send(Record::Log(Box::new(record::Log {
            time: Nanos::ZERO,
            severity: Severity::Info,
            text: format!("the device will be lost: {injection}"),
        })));
    }
}

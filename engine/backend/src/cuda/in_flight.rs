//! An operation that was given to the device, until it has ended.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use super::clock::ClockAnchor;
use super::code::DriverErrorCode;
use super::cupti::{CuptiGraphTimes, CuptiOperationTime};
use super::device_state::CudaDeviceState;
use super::event::{BorrowedEvent, CudaEvent};
use super::graph::GraphInstance;
use super::host::HostFunction;
use super::stream::CudaStream;
use super::submit::CudaSubmission;
use crate::threads::{
    ExecutionError, InFlight, NativeEvent, NodeOutcome, OperationTiming, PendingTimestamp,
    StreamTurn, TimeOrigin,
};
use record::time::{Interval, Nanos};

/// How long an operation may run beyond what it was asked to, before the device is given up.
const PATIENCE: Duration = Duration::from_secs(30);

/// By how much the device's clock may take a spin for shorter than it was.
const SLACK: Duration = Duration::from_micros(20);

/// How long CUPTI may take to tell the time of a kernel that was told to end.
const TELLING: Duration = Duration::from_millis(500);

/// Why a kernel failed that is to fail and let its stream go on.
const TRAPPED: &str = "trap was launched, which does nothing but fail: its stream is to go on after a failure, which no \
                       fault of CUDA lets it, so this one raised a word that says it failed";

/// A record of an event of the driver, whoever the event belongs to.
pub enum RecordedCudaEvent {
    /// One that keeps times, from the pool.
    Lent(BorrowedEvent),
    /// One with options of its own.
    Own(CudaEvent),
}

impl Deref for RecordedCudaEvent {
    type Target = CudaEvent;

    fn deref(&self) -> &CudaEvent {
        match self {
            Self::Lent(event) => event,
            Self::Own(event) => event,
        }
    }
}

/// What has to be looked at once an operation has ended.
pub enum CompletionCheck {
    /// Nothing.
    Nothing,
    /// Whether a kernel said that it failed.
    Word,
    /// Whether a function of the host was cut short.
    Function(Arc<HostFunction>),
    /// Whether a kernel that spins was told to end early.
    Spin,
    /// When the nodes of a graph ran.
    Graph(Arc<GraphInstance>),
}

/// How it is known when an operation ran.
enum TimingSource {
    /// By records of two events around it.
    Events(Arc<ClockAnchor>, BorrowedEvent),
    /// CUPTI tells it.
    Told(CuptiOperationTime),
    /// CUPTI tells it of each node of a graph.
    Nodes(CuptiGraphTimes),
    /// It is a record: by its own event, where that keeps times, and by CUPTI, where it tells them of events.
    Record(Option<Arc<ClockAnchor>>, Option<CuptiOperationTime>),
    /// It is known.
    Known(Interval),
    /// It has no time of its own: it begins and ends with what was before it, or with what it waited for.
    Ordered,
}

/// It begins and ends with what was before it in its stream.
pub const ORDERED: Interval = Interval {
    start: Nanos::MIN,
    end: Nanos::MIN,
};

/// An operation that was given to the device.
pub struct CudaInFlight {
    body: Arc<CudaDeviceState>,
    timing: TimingSource,
    end: Arc<RecordedCudaEvent>,
    /// What waits of other streams wait for, where it is a record.
    native: Option<NativeEvent>,
    stream: usize,
    after: CompletionCheck,
    /// How long it was asked to run.
    length: Duration,
    /// When it was asked for the first time whether it has ended, and seen for the first time that it has.
    asked: Option<Instant>,
    ended: Option<Instant>,
}

impl CudaInFlight {
    fn new(
        body: &Arc<CudaDeviceState>,
        stream: usize,
        timing: TimingSource,
        end: Arc<RecordedCudaEvent>,
    ) -> Self {
        Self {
            body: Arc::clone(body),
            timing,
            end,
            native: None,
            stream,
            after: CompletionCheck::Nothing,
            length: Duration::ZERO,
            asked: None,
            ended: None,
        }
    }

    /// Gives `stream` what `act` does, between two records that keep the time.
    ///
    /// # Errors
    /// What the driver says.
    pub fn between(
        body: &Arc<CudaDeviceState>,
        stream: usize,
        act: impl FnOnce(&CudaStream) -> Result<CompletionCheck, DriverErrorCode>,
    ) -> Result<Self, DriverErrorCode> {
        let it = own(body, stream)?;
        let anchor = body.clock.anchor()?;
        let start = body.events.lend()?;
        it.record(&start, false)?;
        let after = act(it)?;
        let end = body.events.lend()?;
        it.record(&end, false)?;
        let timing = TimingSource::Events(anchor, start);
        let mut flight = Self::new(body, stream, timing, Arc::new(RecordedCudaEvent::Lent(end)));
        flight.after = after;
        Ok(flight)
    }

    /// Gives `stream` what `act` does, such that it is known when it ran.
    ///
    /// # Errors
    /// What the driver says.
    pub fn of(
        body: &Arc<CudaDeviceState>,
        stream: usize,
        act: impl FnOnce(&CudaStream) -> Result<CudaSubmission, DriverErrorCode>,
    ) -> Result<Self, DriverErrorCode> {
        let Some(activity) = body.activity else {
            return Self::between(body, stream, |it| act(it).map(|given| given.after));
        };
        let it = own(body, stream)?;
        let (given, told) = activity.correlated(|| act(it));
        let given = given?;
        let timing = if given.is_told {
            TimingSource::Told(told)
        } else {
            TimingSource::Ordered
        };
        let mut flight = Self::behind(body, stream, timing)?;
        flight.after = given.after;
        Ok(flight)
    }

    /// Replays a graph on `stream`, by an instance of it that was taken for that.
    ///
    /// # Errors
    /// What the driver says.
    pub fn replay(
        body: &Arc<CudaDeviceState>,
        stream: usize,
        instance: Arc<GraphInstance>,
    ) -> Result<Self, DriverErrorCode> {
        let Some(activity) = body.activity.filter(|_| instance.is_told()) else {
            return Self::between(body, stream, |it| {
                instance
                    .launch(it)
                    .map(|()| CompletionCheck::Graph(instance))
            });
        };
        let it = own(body, stream)?;
        let (given, launched) = activity.launched(|| instance.launch(it));
        given?;
        let mut flight = Self::behind(body, stream, TimingSource::Nodes(launched))?;
        flight.after = CompletionCheck::Graph(instance);
        Ok(flight)
    }

    /// Lets `stream` wait for `event`, if any.
    ///
    /// # Errors
    /// What the driver says.
    pub fn wait(
        body: &Arc<CudaDeviceState>,
        stream: usize,
        event: Option<&CudaEvent>,
    ) -> Result<Self, DriverErrorCode> {
        let act = |it: &CudaStream| event.map_or(Ok(()), |event| it.wait(event));
        if body.activity.is_none() {
            return Self::between(body, stream, |it| {
                act(it).map(|()| CompletionCheck::Nothing)
            });
        }
        act(own(body, stream)?)?;
        Self::behind(body, stream, TimingSource::Ordered)
    }

    /// What was given to `stream` last, whose end an event without a time marks.
    fn behind(
        body: &Arc<CudaDeviceState>,
        stream: usize,
        timing: TimingSource,
    ) -> Result<Self, DriverErrorCode> {
        let end = body.ends.lend()?;
        own(body, stream)?.record(&end, false)?;
        Ok(Self::new(
            body,
            stream,
            timing,
            Arc::new(RecordedCudaEvent::Lent(end)),
        ))
    }

    /// A record of an event: of `own`, where the event has options.
    ///
    /// # Errors
    /// What the driver says.
    pub fn record(
        body: &Arc<CudaDeviceState>,
        stream: usize,
        special: Option<CudaEvent>,
    ) -> Result<Self, DriverErrorCode> {
        let Some(activity) = body.activity else {
            // Besides the one that keeps the time.
            let mut flight = Self::between(body, stream, |stream| {
                let own = special.as_ref();
                own.map_or(Ok(()), |own| stream.record(own, false))?;
                Ok(CompletionCheck::Nothing)
            })?;
            let reached = special.map(|own| Arc::new(RecordedCudaEvent::Own(own)));
            flight.native = Some(reached.unwrap_or_else(|| Arc::clone(&flight.end)));
            return Ok(flight);
        };
        let keeps_time = special.as_ref().is_none_or(CudaEvent::keeps_time);
        let anchor = keeps_time.then(|| body.clock.anchor()).transpose()?;
        let event = match special {
            Some(event) => RecordedCudaEvent::Own(event),
            None => RecordedCudaEvent::Lent(body.events.lend()?),
        };
        let it = own(body, stream)?;
        let told = if activity.times_events() {
            let (recorded, told) = activity.correlated(|| it.record(&event, false));
            recorded.map(|()| Some(told))?
        } else {
            it.record(&event, false)?;
            None
        };
        let timing = TimingSource::Record(anchor, told);
        let mut flight = Self::new(body, stream, timing, Arc::new(event));
        flight.native = Some(Arc::clone(&flight.end) as NativeEvent);
        Ok(flight)
    }

    /// It was asked to run for so long.
    #[must_use]
    pub const fn lasting(mut self, length: Duration) -> Self {
        self.length = length;
        self
    }

    /// Whether it has ended.
    fn has_ended(&mut self) -> Result<bool, ExecutionError> {
        if self.end.is_reached().map_err(ExecutionError::from)? {
            self.ended.get_or_insert_with(Instant::now);
            return Ok(true);
        }
        let asked = *self.asked.get_or_insert_with(Instant::now);
        let most = PATIENCE + self.length;
        if asked.elapsed() <= most {
            return Ok(false);
        }
        let reason = format!(
            "an operation did not end within {} seconds; nothing ends it but the end of its process",
            most.as_secs()
        );
        self.body.context.give_up(&reason);
        Err(ExecutionError::Lost(reason))
    }

    /// When it ran as far as that is known, and who tells more.
    fn time(
        &mut self,
        zero: TimeOrigin,
    ) -> Result<(Interval, Option<Box<dyn PendingTimestamp>>), ExecutionError> {
        let at = |anchor: &ClockAnchor, event: &CudaEvent| {
            anchor.time(event, zero).map_err(ExecutionError::from)
        };
        let instant = |anchor: &ClockAnchor| -> Result<Interval, ExecutionError> {
            let time = at(anchor, &self.end)?;
            Ok(Interval {
                start: time,
                end: time,
            })
        };
        Ok(
            match std::mem::replace(&mut self.timing, TimingSource::Ordered) {
                TimingSource::Events(anchor, start) => {
                    let interval = Interval {
                        start: at(&anchor, &start)?,
                        end: at(&anchor, &self.end)?,
                    };
                    (interval, None)
                }
                TimingSource::Told(told) => (ORDERED, Some(Box::new(told))),
                TimingSource::Nodes(launched) => match &self.after {
                    CompletionCheck::Graph(instance) => (ORDERED, instance.coming(launched, zero)),
                    _ => (ORDERED, None),
                },
                TimingSource::Known(ran) => (ran, None),
                TimingSource::Record(anchor, told) => {
                    let known = anchor.map_or(Ok(ORDERED), |anchor| instant(&anchor))?;
                    (
                        known,
                        told.map(|told| -> Box<dyn PendingTimestamp> { Box::new(told) }),
                    )
                }
                TimingSource::Ordered => (ORDERED, None),
            },
        )
    }

    /// Whether a kernel that spins was cut short, which only its time tells: nothing where that is not known yet.
    fn is_cut(&mut self, zero: TimeOrigin) -> Option<bool> {
        let lane = self.body.lanes.get(self.stream);
        if !lane.is_some_and(|lane| lane.is_void.load(SeqCst)) {
            return Some(false);
        }
        let ran = match &mut self.timing {
            TimingSource::Told(told) => {
                let Some(ran) = told.look(zero) else {
                    let is_soon = self.ended.is_none_or(|ended| ended.elapsed() < TELLING);
                    return (!is_soon).then_some(true);
                };
                self.timing = TimingSource::Known(ran);
                ran
            }
            TimingSource::Events(anchor, start) => Interval {
                start: anchor.time(start, zero).ok()?,
                end: anchor.time(&self.end, zero).ok()?,
            },
            TimingSource::Known(ran) => *ran,
            TimingSource::Nodes(_) | TimingSource::Record(..) | TimingSource::Ordered => {
                return Some(false);
            }
        };
        Some(ran.length().to_duration() + SLACK < self.length)
    }

    fn look(&mut self, turn: &StreamTurn<'_>) -> Result<Option<OperationTiming>, ExecutionError> {
        if !self.has_ended()? {
            return Ok(None);
        }
        if let CompletionCheck::Spin = self.after {
            match self.is_cut(turn.zero) {
                None => return Ok(None),
                Some(true) => return Err(ExecutionError::Stopped),
                Some(false) => {}
            }
        }
        let anchor = match &self.timing {
            TimingSource::Events(anchor, _) => Some(Arc::clone(anchor)),
            _ => None,
        };
        let (mut interval, later) = self.time(turn.zero)?;
        let mut nodes: Vec<NodeOutcome> = Vec::new();
        match &self.after {
            CompletionCheck::Word => {
                let lane = self.body.lanes.get(self.stream);
                if lane.is_some_and(super::stream_slot::CudaStreamSlot::take_failed) {
                    return Err(ExecutionError::Failed(TRAPPED.to_owned()));
                }
            }
            CompletionCheck::Function(function) if function.was_cut() => {
                return Err(ExecutionError::Stopped);
            }
            CompletionCheck::Function(function) => {
                if let (None, Some((start, end))) = (&anchor, function.ran()) {
                    interval.start = turn.zero.at(start);
                    interval.end = turn.zero.at(end);
                }
            }
            CompletionCheck::Nothing | CompletionCheck::Spin => {}
            CompletionCheck::Graph(instance) if instance.was_cut() => {
                return Err(ExecutionError::Stopped);
            }
            CompletionCheck::Graph(instance) => {
                if let Some(anchor) = &anchor {
                    let at = |event: &CudaEvent| {
                        anchor.time(event, turn.zero).map_err(ExecutionError::from)
                    };
                    nodes = instance.landed(&at)?;
                }
                let first = nodes.iter().flatten().map(|(ran, _)| ran.start).min();
                interval.start = first.unwrap_or(interval.start);
            }
        }
        Ok(Some(OperationTiming {
            interval,
            nodes,
            later,
        }))
    }
}

impl InFlight for CudaInFlight {
    fn native(&self) -> Option<NativeEvent> {
        self.native.clone()
    }

    fn poll(&mut self, turn: &StreamTurn<'_>) -> Result<Option<OperationTiming>, ExecutionError> {
        if (turn.is_lost)() {
            return Err(ExecutionError::Stopped);
        }
        if (turn.is_void)()
            && let Some(lane) = self.body.lanes.get(self.stream)
        {
            lane.interrupt(true);
        }
        self.look(turn)
    }
}

/// The driver's stream at a position.
fn own(body: &CudaDeviceState, stream: usize) -> Result<&CudaStream, DriverErrorCode> {
    let missing = || DriverErrorCode::new(400, String::new(), "there is no such stream".to_owned());
    let lane = body.lanes.get(stream);
    Ok(&lane.ok_or_else(missing)?.stream)
}

/// What a result of the driver makes of an operation.
impl From<DriverErrorCode> for ExecutionError {
    fn from(code: DriverErrorCode) -> Self {
        let text = code.to_string();
        if code.is_fatal() {
            Self::Lost(text)
        } else {
            Self::Failed(text)
        }
    }
}

/// A record that waits of other streams wait for.
pub fn mark(native: &NativeEvent) -> Option<&RecordedCudaEvent> {
    native.downcast_ref::<RecordedCudaEvent>()
}

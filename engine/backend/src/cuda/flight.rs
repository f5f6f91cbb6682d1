//! An operation that was given to the device, until it has ended.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use super::body::Body;
use super::clock::Anchor;
use super::code::Code;
use super::cupti::{Launched, Told};
use super::event::{Event, Lent};
use super::give::Given;
use super::graph::Instance;
use super::host::HostFunction;
use super::stream::Stream;
use crate::threads::{Fault, Flying, Landed, Later, Native, Ran, Turn, Zero};
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
pub enum Mark {
    /// One that keeps times, from the pool.
    Lent(Lent),
    /// One with options of its own.
    Own(Event),
}

impl Deref for Mark {
    type Target = Event;

    fn deref(&self) -> &Event {
        match self {
            Self::Lent(event) => event,
            Self::Own(event) => event,
        }
    }
}

/// What has to be looked at once an operation has ended.
pub enum After {
    /// Nothing.
    Nothing,
    /// Whether a kernel said that it failed.
    Word,
    /// Whether a function of the host was cut short.
    Function(Arc<HostFunction>),
    /// Whether a kernel that spins was told to end early.
    Spin,
    /// When the nodes of a graph ran.
    Graph(Arc<Instance>),
}

/// How it is known when an operation ran.
enum Timing {
    /// By records of two events around it.
    Events(Arc<Anchor>, Lent),
    /// CUPTI tells it.
    Told(Told),
    /// CUPTI tells it of each node of a graph.
    Nodes(Launched),
    /// It is a record: by its own event, where that keeps times, and by CUPTI, where it tells them of events.
    Record(Option<Arc<Anchor>>, Option<Told>),
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
pub struct Flight {
    body: Arc<Body>,
    timing: Timing,
    end: Arc<Mark>,
    /// What waits of other streams wait for, where it is a record.
    native: Option<Native>,
    stream: usize,
    after: After,
    /// How long it was asked to run.
    length: Duration,
    /// When it was asked for the first time whether it has ended, and seen for the first time that it has.
    asked: Option<Instant>,
    ended: Option<Instant>,
}

impl Flight {
    fn new(body: &Arc<Body>, stream: usize, timing: Timing, end: Arc<Mark>) -> Self {
        Self {
            body: Arc::clone(body),
            timing,
            end,
            native: None,
            stream,
            after: After::Nothing,
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
        body: &Arc<Body>,
        stream: usize,
        act: impl FnOnce(&Stream) -> Result<After, Code>,
    ) -> Result<Self, Code> {
        let it = own(body, stream)?;
        let anchor = body.clock.anchor()?;
        let start = body.events.lend()?;
        it.record(&start, false)?;
        let after = act(it)?;
        let end = body.events.lend()?;
        it.record(&end, false)?;
        let timing = Timing::Events(anchor, start);
        let mut flight = Self::new(body, stream, timing, Arc::new(Mark::Lent(end)));
        flight.after = after;
        Ok(flight)
    }

    /// Gives `stream` what `act` does, such that it is known when it ran.
    ///
    /// # Errors
    /// What the driver says.
    pub fn of(
        body: &Arc<Body>,
        stream: usize,
        act: impl FnOnce(&Stream) -> Result<Given, Code>,
    ) -> Result<Self, Code> {
        let Some(activity) = body.activity else {
            return Self::between(body, stream, |it| act(it).map(|given| given.after));
        };
        let it = own(body, stream)?;
        let (given, told) = activity.correlated(|| act(it));
        let given = given?;
        let timing = if given.is_told {
            Timing::Told(told)
        } else {
            Timing::Ordered
        };
        let mut flight = Self::behind(body, stream, timing)?;
        flight.after = given.after;
        Ok(flight)
    }

    /// Replays a graph on `stream`, by an instance of it that was taken for that.
    ///
    /// # Errors
    /// What the driver says.
    pub fn replay(body: &Arc<Body>, stream: usize, instance: Arc<Instance>) -> Result<Self, Code> {
        let Some(activity) = body.activity.filter(|_| instance.is_told()) else {
            return Self::between(body, stream, |it| {
                instance.launch(it).map(|()| After::Graph(instance))
            });
        };
        let it = own(body, stream)?;
        let (given, launched) = activity.launched(|| instance.launch(it));
        given?;
        let mut flight = Self::behind(body, stream, Timing::Nodes(launched))?;
        flight.after = After::Graph(instance);
        Ok(flight)
    }

    /// Lets `stream` wait for `event`, if any.
    ///
    /// # Errors
    /// What the driver says.
    pub fn wait(body: &Arc<Body>, stream: usize, event: Option<&Event>) -> Result<Self, Code> {
        let act = |it: &Stream| event.map_or(Ok(()), |event| it.wait(event));
        if body.activity.is_none() {
            return Self::between(body, stream, |it| act(it).map(|()| After::Nothing));
        }
        act(own(body, stream)?)?;
        Self::behind(body, stream, Timing::Ordered)
    }

    /// What was given to `stream` last, whose end an event without a time marks.
    fn behind(body: &Arc<Body>, stream: usize, timing: Timing) -> Result<Self, Code> {
        let end = body.ends.lend()?;
        own(body, stream)?.record(&end, false)?;
        Ok(Self::new(body, stream, timing, Arc::new(Mark::Lent(end))))
    }

    /// A record of an event: of `own`, where the event has options.
    ///
    /// # Errors
    /// What the driver says.
    pub fn record(body: &Arc<Body>, stream: usize, special: Option<Event>) -> Result<Self, Code> {
        let Some(activity) = body.activity else {
            // Besides the one that keeps the time.
            let mut flight = Self::between(body, stream, |stream| {
                let own = special.as_ref();
                own.map_or(Ok(()), |own| stream.record(own, false))?;
                Ok(After::Nothing)
            })?;
            let reached = special.map(|own| Arc::new(Mark::Own(own)));
            flight.native = Some(reached.unwrap_or_else(|| Arc::clone(&flight.end)));
            return Ok(flight);
        };
        let keeps_time = special.as_ref().is_none_or(Event::keeps_time);
        let anchor = keeps_time.then(|| body.clock.anchor()).transpose()?;
        let event = match special {
            Some(event) => Mark::Own(event),
            None => Mark::Lent(body.events.lend()?),
        };
        let it = own(body, stream)?;
        let told = if activity.times_events() {
            let (recorded, told) = activity.correlated(|| it.record(&event, false));
            recorded.map(|()| Some(told))?
        } else {
            it.record(&event, false)?;
            None
        };
        let timing = Timing::Record(anchor, told);
        let mut flight = Self::new(body, stream, timing, Arc::new(event));
        flight.native = Some(Arc::clone(&flight.end) as Native);
        Ok(flight)
    }

    /// It was asked to run for so long.
    #[must_use]
    pub const fn lasting(mut self, length: Duration) -> Self {
        self.length = length;
        self
    }

    /// Whether it has ended.
    fn has_ended(&mut self) -> Result<bool, Fault> {
        if self.end.is_reached().map_err(Fault::from)? {
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
        Err(Fault::Lost(reason))
    }

    /// When it ran as far as that is known, and who tells more.
    fn time(&mut self, zero: Zero) -> Result<(Interval, Option<Box<dyn Later>>), Fault> {
        let at = |anchor: &Anchor, event: &Event| anchor.time(event, zero).map_err(Fault::from);
        let instant = |anchor: &Anchor| -> Result<Interval, Fault> {
            let time = at(anchor, &self.end)?;
            Ok(Interval {
                start: time,
                end: time,
            })
        };
        Ok(match std::mem::replace(&mut self.timing, Timing::Ordered) {
            Timing::Events(anchor, start) => {
                let interval = Interval {
                    start: at(&anchor, &start)?,
                    end: at(&anchor, &self.end)?,
                };
                (interval, None)
            }
            Timing::Told(told) => (ORDERED, Some(Box::new(told))),
            Timing::Nodes(launched) => match &self.after {
                After::Graph(instance) => (ORDERED, instance.coming(launched, zero)),
                _ => (ORDERED, None),
            },
            Timing::Known(ran) => (ran, None),
            Timing::Record(anchor, told) => {
                let known = anchor.map_or(Ok(ORDERED), |anchor| instant(&anchor))?;
                (known, told.map(|told| -> Box<dyn Later> { Box::new(told) }))
            }
            Timing::Ordered => (ORDERED, None),
        })
    }

    /// Whether a kernel that spins was cut short, which only its time tells: nothing where that is not known yet.
    fn is_cut(&mut self, zero: Zero) -> Option<bool> {
        let lane = self.body.lanes.get(self.stream);
        if !lane.is_some_and(|lane| lane.is_void.load(SeqCst)) {
            return Some(false);
        }
        let ran = match &mut self.timing {
            Timing::Told(told) => {
                let Some(ran) = told.look(zero) else {
                    let is_soon = self.ended.is_none_or(|ended| ended.elapsed() < TELLING);
                    return (!is_soon).then_some(true);
                };
                self.timing = Timing::Known(ran);
                ran
            }
            Timing::Events(anchor, start) => Interval {
                start: anchor.time(start, zero).ok()?,
                end: anchor.time(&self.end, zero).ok()?,
            },
            Timing::Known(ran) => *ran,
            Timing::Nodes(_) | Timing::Record(..) | Timing::Ordered => return Some(false),
        };
        Some(ran.length().to_duration() + SLACK < self.length)
    }

    fn look(&mut self, turn: &Turn<'_>) -> Result<Option<Ran>, Fault> {
        if !self.has_ended()? {
            return Ok(None);
        }
        if let After::Spin = self.after {
            match self.is_cut(turn.zero) {
                None => return Ok(None),
                Some(true) => return Err(Fault::Stopped),
                Some(false) => {}
            }
        }
        let anchor = match &self.timing {
            Timing::Events(anchor, _) => Some(Arc::clone(anchor)),
            _ => None,
        };
        let (mut interval, later) = self.time(turn.zero)?;
        let mut nodes: Vec<Landed> = Vec::new();
        match &self.after {
            After::Word => {
                let lane = self.body.lanes.get(self.stream);
                if lane.is_some_and(super::lane::Lane::take_failed) {
                    return Err(Fault::Failed(TRAPPED.to_owned()));
                }
            }
            After::Function(function) if function.was_cut() => return Err(Fault::Stopped),
            After::Function(function) => {
                if let (None, Some((start, end))) = (&anchor, function.ran()) {
                    interval.start = turn.zero.at(start);
                    interval.end = turn.zero.at(end);
                }
            }
            After::Nothing | After::Spin => {}
            After::Graph(instance) if instance.was_cut() => return Err(Fault::Stopped),
            After::Graph(instance) => {
                if let Some(anchor) = &anchor {
                    let at = |event: &Event| anchor.time(event, turn.zero).map_err(Fault::from);
                    nodes = instance.landed(&at)?;
                }
                let first = nodes.iter().flatten().map(|(ran, _)| ran.start).min();
                interval.start = first.unwrap_or(interval.start);
            }
        }
        Ok(Some(Ran {
            interval,
            nodes,
            later,
        }))
    }
}

impl Flying for Flight {
    fn native(&self) -> Option<Native> {
        self.native.clone()
    }

    fn poll(&mut self, turn: &Turn<'_>) -> Result<Option<Ran>, Fault> {
        if (turn.is_lost)() {
            return Err(Fault::Stopped);
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
fn own(body: &Body, stream: usize) -> Result<&Stream, Code> {
    let missing = || Code::new(400, String::new(), "there is no such stream".to_owned());
    let lane = body.lanes.get(stream);
    Ok(&lane.ok_or_else(missing)?.stream)
}

/// What a result of the driver makes of an operation.
impl From<Code> for Fault {
    fn from(code: Code) -> Self {
        let text = code.to_string();
        if code.is_fatal() {
            Self::Lost(text)
        } else {
            Self::Failed(text)
        }
    }
}

/// A record that waits of other streams wait for.
pub fn mark(native: &Native) -> Option<&Mark> {
    native.downcast_ref::<Mark>()
}

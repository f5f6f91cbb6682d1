//! An operation that was given to the device, until it has ended.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use super::body::Body;
use super::clock::Anchor;
use super::code::Code;
use super::event::{Event, Lent};
use super::graph::Instance;
use super::host::HostFunction;
use super::stream::Stream;
use crate::backend::threads::{Fault, Flying, Landed, Native, Ran, Turn};
use crate::time::Interval;

/// How long an operation may run beyond what it was asked to, before the device is given up.
const PATIENCE: Duration = Duration::from_secs(30);

/// By how much the device's clock may take a spin for shorter than it was.
const SLACK: Duration = Duration::from_micros(20);

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

/// An operation that was given to the device.
pub struct Flight {
    body: Arc<Body>,
    anchor: Arc<Anchor>,
    start: Arc<Mark>,
    end: Arc<Mark>,
    /// What waits of other streams wait for, where it is a record.
    native: Option<Native>,
    stream: usize,
    after: After,
    /// How long it was asked to run.
    length: Duration,
    seen: Option<Instant>,
}

impl Flight {
    /// Gives `stream` what `act` does, between two records that keep the time.
    ///
    /// # Errors
    /// What the driver says.
    pub fn between(
        body: &Arc<Body>,
        stream: usize,
        act: impl FnOnce(&Stream) -> Result<After, Code>,
    ) -> Result<Self, Code> {
        let lane = body.lanes.get(stream);
        let missing = || Code::new(400, String::new(), "there is no such stream".to_owned());
        let it = &lane.ok_or_else(missing)?.stream;
        let anchor = body.clock.anchor()?;
        let start = body.events.lend()?;
        it.record(&start, false)?;
        let after = act(it)?;
        let end = body.events.lend()?;
        it.record(&end, false)?;
        Ok(Self {
            body: Arc::clone(body),
            anchor,
            start: Arc::new(Mark::Lent(start)),
            end: Arc::new(Mark::Lent(end)),
            native: None,
            stream,
            after,
            length: Duration::ZERO,
            seen: None,
        })
    }

    /// A record of an event: `own` is recorded besides the one that keeps the time, where the event has options.
    ///
    /// # Errors
    /// What the driver says.
    pub fn record(body: &Arc<Body>, stream: usize, own: Option<Event>) -> Result<Self, Code> {
        let mut flight = Self::between(body, stream, |stream| {
            own.as_ref()
                .map_or(Ok(()), |own| stream.record(own, false))?;
            Ok(After::Nothing)
        })?;
        let reached = own.map_or_else(|| Arc::clone(&flight.end), |own| Arc::new(Mark::Own(own)));
        flight.native = Some(reached);
        Ok(flight)
    }

    /// It was asked to run for so long.
    #[must_use]
    pub const fn lasting(mut self, length: Duration) -> Self {
        self.length = length;
        self
    }

    fn look(&mut self, turn: &Turn<'_>) -> Result<Option<Ran>, Fault> {
        if !self.end.is_reached().map_err(Fault::from)? {
            let seen = *self.seen.get_or_insert_with(Instant::now);
            let most = PATIENCE + self.length;
            if seen.elapsed() > most {
                let reason = format!(
                    "an operation did not end within {} seconds; nothing ends it but the end of its process",
                    most.as_secs()
                );
                self.body.context.give_up(&reason);
                return Err(Fault::Lost(reason));
            }
            return Ok(None);
        }
        let at = |event: &Event| self.anchor.time(event, turn.zero).map_err(Fault::from);
        let mut interval = Interval {
            start: at(&self.start)?,
            end: at(&self.end)?,
        };
        let mut nodes: Vec<Landed> = Vec::new();
        match &self.after {
            After::Word => {
                let lane = self.body.lanes.get(self.stream);
                if lane.is_some_and(super::lane::Lane::take_failed) {
                    return Err(Fault::Failed(
                        "trap was launched, which does nothing but fail: its stream is to go on after a failure, which \
                         no fault of CUDA lets it, so this one raised a word that says it failed"
                            .to_owned(),
                    ));
                }
            }
            After::Function(function) if function.was_cut() => return Err(Fault::Stopped),
            After::Nothing | After::Function(_) => {}
            After::Spin => {
                let lane = self.body.lanes.get(self.stream);
                let was_told = lane.is_some_and(|lane| lane.is_void.load(SeqCst));
                let ran = interval.length().to_duration();
                if was_told && ran + SLACK < self.length {
                    return Err(Fault::Stopped);
                }
            }
            After::Graph(instance) if instance.was_cut() => return Err(Fault::Stopped),
            After::Graph(instance) => {
                nodes = instance.landed(&at)?;
                let first = nodes.iter().flatten().map(|(ran, _)| ran.start).min();
                interval.start = first.unwrap_or(interval.start);
            }
        }
        Ok(Some(Ran { interval, nodes }))
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

//! The near end: hands controls to a worker and its messages to the window, and comes back for it where the link drops.

mod controls;
mod local_worker;
mod state;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, never, select};

use self::local_worker::OwnWorkerRun;
pub use self::local_worker::again_path;
use self::state::{LinkPhase, RetryBackoff};
use super::clock::RoundTrips;
use super::connection::{LineArrival, WorkerLine};
use super::last_known::RunWatch;
use super::memory_budget::MemoryRoom;
use super::packet::{DownPacket, Hello, UpPacket, unix_now};
use super::process::WorkerTarget;
use super::wire::WireError;
use super::{Connection, ConnectionState};
use crate::outbox::Outbox;
use crate::save::SaveFile;
use crate::{Control, Message};
use record::time::Nanos;
use record::{Clock, Record};

/// How often the worker is asked how far it is.
const PING: Duration = Duration::from_millis(500);
/// By how much a ping is late where this process was stopped itself: then it heard nothing because it did not listen.
const STOPPED: Duration = Duration::from_secs(2);
/// How long a worker has to begin a run or to refuse it, though it answers pings.
const BEGINNING: Duration = Duration::from_secs(if cfg!(test) { 4 } else { 120 });
/// How often it is told what has arrived.
const RECEIPT: Duration = Duration::from_millis(100);
/// Bytes of what a worker gives as its reason that are shown.
const REASON: usize = 10_000;
/// Pings before the first run, so that its clock is known.
const FIRST_PINGS: usize = 5;

/// The near end of a link.
pub struct WorkerLink {
    target: WorkerTarget,
    inbox: Receiver<Control>,
    outbox: Arc<Outbox>,
    is_closing: Arc<AtomicBool>,
    phase: LinkPhase,
    line: Option<WorkerLine>,
    /// By what the worker is found again.
    token: String,
    /// The number of the last message that arrived.
    received: u64,
    /// What it was told of that.
    told: u64,
    /// How many had come when it was last looked whether there is room for more.
    weighed: u64,
    trips: RoundTrips,
    watch: RunWatch,
    save: Option<SaveFile>,
    /// Controls that wait for a worker.
    waiting: Vec<Control>,
    /// What the window was told last.
    said: Connection,
    behind: Nanos,
    next_ping: Instant,
    next_receipt: Instant,
    /// When the worker before this one was found gone.
    gone: Option<Instant>,
    /// When it said something last, as far as anybody listened.
    heard: Instant,
    /// Since when its first words, or the first answer after them, are waited for: whatever else it says is neither.
    awaited_since: Instant,
    /// How often the link was tried again since the last news of the worker's.
    spent: Option<RetryBackoff>,
    /// Whether the worker is of this machine's own: nobody is told of the link.
    is_own: bool,
    own: OwnWorkerRun,
    /// Where the capture is written.
    saved: Option<std::path::PathBuf>,
    /// What there is for all that the worker sends.
    room: MemoryRoom,
}

impl WorkerLink {
    /// To a worker at `target` that is yet to be started.
    pub fn new(
        target: WorkerTarget,
        inbox: Receiver<Control>,
        outbox: Arc<Outbox>,
        is_closing: Arc<AtomicBool>,
    ) -> Self {
        let now = Instant::now();
        Self {
            target,
            inbox,
            outbox,
            is_closing,
            phase: LinkPhase::Gone,
            line: None,
            token: String::new(),
            received: 0,
            told: 0,
            weighed: 0,
            trips: RoundTrips::default(),
            watch: RunWatch::default(),
            save: None,
            waiting: Vec::new(),
            said: Connection::default(),
            behind: Nanos::ZERO,
            next_ping: now,
            next_receipt: now,
            gone: None,
            heard: now,
            awaited_since: now,
            spent: None,
            is_own: false,
            own: OwnWorkerRun::default(),
            saved: None,
            room: MemoryRoom::of_this_machine(),
        }
    }

    /// To a worker of this machine's own.
    pub fn own(
        target: WorkerTarget,
        inbox: Receiver<Control>,
        outbox: Arc<Outbox>,
        is_closing: Arc<AtomicBool>,
    ) -> Self {
        Self {
            is_own: true,
            ..Self::new(target, inbox, outbox, is_closing)
        }
    }

    /// Serves until it is told to end.
    pub fn work(&mut self) {
        self.connect();
        while !self.is_closing() {
            if let Some(control) = self.turn() {
                self.apply_control(control);
            }
        }
        self.send(&UpPacket::Control(Control::Shutdown));
        if matches!(self.phase, LinkPhase::Dropped(_)) {
            self.line = None;
            WorkerLine::farewell(&self.target, &self.token);
        }
        // Its process is ended and waited for.
        self.line = None;
    }

    fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::SeqCst)
    }

    /// Takes what came, and looks after the link. Answers what is asked for.
    fn turn(&mut self) -> Option<Control> {
        // A window that is behind holds the worker back, as it does an engine in its own process.
        let keeps_up = self.outbox.flush();
        let nothing = never();
        let arrivals = match &self.line {
            Some(line) if keeps_up => line.arrivals(),
            _ => &nothing,
        };
        let wait = if keeps_up { 20 } else { 4 };
        if !keeps_up {
            self.heard = Instant::now();
        }
        let mut asked = None;
        select! {
            recv(self.inbox) -> control => match control {
                Ok(Control::Shutdown) | Err(_) => self.is_closing.store(true, Ordering::SeqCst),
                Ok(control) => asked = Some(control),
            },
            recv(arrivals) -> arrival => if let Ok(arrival) = arrival { self.arrived(arrival) },
            default(Duration::from_millis(wait)) => {}
        }
        self.tick();
        asked
    }

    /// Starts a new worker.
    fn connect(&mut self) {
        self.token.clear();
        self.spent = None;
        (self.received, self.told) = (0, 0);
        self.trips = RoundTrips::default();
        self.begin(None);
    }

    /// Starts the process that leads to a new worker, or back to the one that has this token.
    fn begin(&mut self, token: Option<&str>) {
        // The one before is ended first.
        self.line = None;
        if token.is_none() {
            self.phase = LinkPhase::Connecting;
        }
        self.heard = Instant::now();
        self.awaited_since = self.heard;
        match WorkerLine::start(&self.target, token) {
            Ok(line) => self.line = Some(line),
            Err(why) => self.over_for_good(&why),
        }
        self.say("");
    }

    fn send(&mut self, packet: &UpPacket) {
        if let Some(line) = &mut self.line {
            line.send(packet);
        }
    }

    fn arrived(&mut self, arrival: LineArrival) {
        self.heard = Instant::now();
        match arrival {
            LineArrival::Hello(hello) => self.greeted(&hello),
            LineArrival::Packet(DownPacket::Message(number, message)) => {
                // What was on its way when the link dropped may come twice.
                if number == self.received + 1 {
                    self.received = number;
                    self.spent = None;
                    self.deliver(message);
                }
            }
            LineArrival::Packet(DownPacket::Offers(_)) if self.is_own => {}
            LineArrival::Packet(DownPacket::Offers(offers)) => {
                self.outbox.post(Message::Offers(offers));
            }
            LineArrival::Packet(DownPacket::Pong {
                sent,
                unix,
                waiting,
                age,
            }) => {
                self.trips.take(sent, unix, unix_now());
                self.behind = if waiting > 1 { age } else { Nanos::ZERO };
                self.say("");
                self.release();
            }
            LineArrival::Over(error) => self.over(&error),
        }
    }

    fn greeted(&mut self, hello: &Hello) {
        if let Some(mismatch) = hello.mismatch() {
            return self.over_for_good(&mismatch);
        }
        // It becomes a word of a command line once the link is dropped.
        if !hello.token.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let why = "its greeting has a token that no worker makes; look what was started there in place of syncline";
            return self.over_for_good(why);
        }
        let returns = matches!(self.phase, LinkPhase::Dropped(_));
        if let LinkPhase::Dropped(patience) = &self.phase {
            // A link that is back and brings nothing new is no better than one that is down.
            self.spent = Some(patience.clone());
        }
        if returns && hello.token != self.token {
            return self.over_for_good("the worker is not there any more");
        }
        self.token.clone_from(&hello.token);
        let ours = Hello {
            token: self.token.clone(),
            received: self.received,
            keep: self.target.can_drop,
            ..Hello::ours()
        };
        if let Some(line) = &mut self.line {
            line.greet(&ours);
        }
        if returns {
            let records = self.watch.returned();
            self.post_records(records);
        } else if !self.is_own {
            self.send(&UpPacket::Ask);
        }
        self.phase = LinkPhase::Connected;
        self.heard = Instant::now();
        self.awaited_since = self.heard;
        for _ in 0..FIRST_PINGS {
            self.send(&UpPacket::Ping(unix_now()));
        }
        let detail = self.gone.take().map_or_else(String::new, |gone| {
            format!("a new worker was there after {:.0?}", gone.elapsed())
        });
        self.say(&detail);
    }

    /// Hands a message of the worker's on.
    fn deliver(&mut self, mut message: Message) {
        match &mut message {
            Message::Batch(records) => self.align(records),
            Message::Refused(why) => why.truncate(why.floor_char_boundary(REASON)),
            _ => {}
        }
        self.watch.note(&mut message);
        if self.is_own {
            self.own.note(&message, self.watch.run.is_some());
        }
        match message {
            Message::Batch(mut records) => {
                self.own.remark(&mut records);
                self.post_records(records);
            }
            Message::Finished { .. } => self.finished(message),
            // How the link is, and how a program here ended, is not the worker's to say.
            Message::Connection(_)
            | Message::Exited(_)
            | Message::Window(_)
            | Message::Kept(_)
            | Message::Notice(_) => {}
            other => {
                if matches!(other, Message::Refused(_)) && self.watch.run.is_none() {
                    // The run did not begin: its file stays as it was.
                    self.save = None;
                }
                self.outbox.post(other);
            }
        }
    }

    /// A run is over.
    fn finished(&mut self, message: Message) {
        let finished = self.save.as_mut().map_or(Ok(()), SaveFile::finish);
        self.check(finished);
        self.save = None;
        if self.is_own && self.begins_again() {
            return;
        }
        self.own.is_over = true;
        self.outbox.post(message);
    }

    /// Posts records, and writes them to the file where there is one.
    fn post_records(&mut self, records: Vec<Record>) {
        let written = self
            .save
            .as_mut()
            .map_or(Ok(()), |save| save.write(&records));
        self.outbox.post_records(records);
        self.check(written);
    }

    fn flush_save(&mut self) {
        let flushed = self.save.as_mut().map_or(Ok(()), SaveFile::flush);
        self.check(flushed);
    }

    fn check(&mut self, written: std::io::Result<()>) {
        if let Err(error) = written
            && let Some(save) = self.save.take()
        {
            self.outbox.post_records(vec![save.failed(&error)]);
        }
    }

    /// Puts the run's times on this machine's clock: the worker tells when it began by its own.
    fn align(&self, records: &mut Vec<Record>) {
        if self.target.shares_clock {
            return;
        }
        let Some(offset) = self.trips.best() else {
            return;
        };
        let mut raw = None;
        for record in records.iter_mut() {
            if let Record::Clock(clock) = record
                && clock.tells_zero()
            {
                raw = Some(Clock {
                    name: format!("unix at {}", self.target.name),
                    is_unix: false,
                    ..clock.as_ref().clone()
                });
                clock.offset = clock.offset - offset.ahead;
                clock.uncertainty += offset.uncertainty;
            }
        }
        records.extend(raw.map(|clock| Record::Clock(Box::new(clock))));
    }

    /// The link is over: it is tried again where the worker may live on, and else what ran is lost.
    fn over(&mut self, error: &WireError) {
        let why = match &mut self.line {
            Some(line) => line.why_over(error),
            None => error.to_string(),
        };
        self.line = None;
        match &mut self.phase {
            _ if !error.is_of_the_link() => self.over_for_good(&why),
            LinkPhase::Connected if matches!(error, WireError::Silent(_)) => {
                self.over_for_good(&why);
            }
            LinkPhase::Connected if self.target.can_drop => {
                let again = self.spent.take().map(RetryBackoff::again);
                if again.as_ref().is_some_and(RetryBackoff::is_over) {
                    return self.over_for_good(&why);
                }
                self.phase = LinkPhase::Dropped(again.unwrap_or_else(RetryBackoff::new));
                let records = self.watch.dropped(&self.target.name, &why);
                self.post_records(records);
                self.say(&why);
            }
            LinkPhase::Dropped(patience) if !patience.is_over() => {
                patience.try_later();
                self.say(&why);
            }
            _ => self.over_for_good(&why),
        }
    }

    /// The worker is gone: what ran is lost, and what was asked for is refused.
    fn over_for_good(&mut self, why: &str) {
        let was_connecting = match self.phase {
            LinkPhase::Connecting => true,
            // It greeted, and then answered nothing.
            LinkPhase::Connected => self.trips.best().is_none(),
            LinkPhase::Dropped(_) | LinkPhase::Gone => false,
        };
        self.line = None;
        self.phase = LinkPhase::Gone;
        self.behind = Nanos::ZERO;
        if !was_connecting {
            self.gone = Some(Instant::now());
        }
        let waits = self
            .waiting
            .drain(..)
            .any(|control| matches!(control, Control::Run(_)));
        let asked = self.watch.asked.take();
        if let Some((run, records)) = self.watch.gone(why) {
            self.post_records(records);
            self.own.had_fault |= self.is_own;
            self.finished(Message::Finished { run, lost: 0 });
            if !self.is_own || self.own.is_over {
                self.outbox.post(Message::Phase(crate::Phase::Idle));
            }
        } else if was_connecting || waits {
            self.refuse(why);
        }
        self.say(why);
        // After the link's own end: that a rank's process is gone is no refusal of the whole run.
        if asked.is_some() && !self.own.is_over {
            self.refuse(why);
        }
    }

    /// Nothing came of the run that was asked for.
    fn refuse(&mut self, why: &str) {
        self.own.is_over = true;
        self.save = None;
        let name = &self.target.name;
        self.outbox
            .post(Message::Refused(format!("{name} cannot be reached: {why}")));
    }

    fn tick(&mut self) {
        let now = Instant::now();
        if let LinkPhase::Dropped(patience) = &self.phase
            && self.line.is_none()
            && patience.is_due(now)
        {
            let token = self.token.clone();
            self.begin(Some(&token));
        }
        let is_greeted = self.phase == LinkPhase::Connected && self.trips.best().is_some();
        let patience = self.target.greeting();
        if self.line.is_some() && !is_greeted && self.awaited_since.elapsed() > patience {
            return self.over(&WireError::Silent(patience));
        }
        if self.phase != LinkPhase::Connected {
            return;
        }
        if now > self.next_ping + STOPPED {
            self.heard = now;
        }
        let asked = self.watch.asked.map_or(Duration::ZERO, |it| it.elapsed());
        if asked > BEGINNING {
            let seconds = asked.as_secs_f64();
            return self.over_for_good(&format!(
                "it was asked to run a workload and did not begin within {seconds:.1} s, and was ended"
            ));
        }
        let silence = self.target.silence;
        if self.heard.elapsed() > silence {
            let seconds = silence.as_secs_f64();
            return self.over_for_good(&format!(
                "it did not answer for {seconds:.1} s, as if it was stopped, and was ended"
            ));
        }
        // Whatever the other end sends takes memory here, whether or not a run was said to have begun.
        if now >= self.next_ping && self.weighed != self.received {
            self.weighed = self.received;
            if let Some(why) = self.room.is_full() {
                return self.over_for_good(&why);
            }
        }
        if now >= self.next_receipt && self.told < self.received && self.target.can_drop {
            self.told = self.received;
            self.next_receipt = now + RECEIPT;
            self.send(&UpPacket::Received(self.received));
        }
        if now >= self.next_ping {
            self.next_ping = now + PING;
            self.flush_save();
            self.send(&UpPacket::Ping(unix_now()));
        }
    }

    /// Tells the window how the link is, where that is news.
    fn say(&mut self, detail: &str) {
        if self.is_own {
            return;
        }
        let state = match self.phase {
            LinkPhase::Connecting => ConnectionState::Connecting,
            LinkPhase::Connected => ConnectionState::Connected,
            LinkPhase::Dropped(_) => ConnectionState::Dropped,
            LinkPhase::Gone => ConnectionState::Gone,
        };
        let offset = self.trips.best().unwrap_or_default();
        let keeps = detail.is_empty() && state == self.said.state;
        let said = Connection {
            name: self.target.name.clone(),
            process: self.line.as_ref().map_or(0, WorkerLine::process),
            state,
            detail: if keeps {
                self.said.detail.clone()
            } else {
                detail.to_owned()
            },
            round_trip: self.trips.latest().unwrap_or_default(),
            ahead: offset.ahead,
            uncertainty: offset.uncertainty,
            behind: self.behind,
        };
        if said != self.said {
            self.said = said.clone();
            self.outbox.post(Message::Connection(Box::new(said)));
        }
    }
}

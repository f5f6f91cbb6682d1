//! The far end: an engine behind a stream of frames.

use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::attach::WorkerSocket;
use super::lifetime::die_with_parent;
use super::packet::{BackendOffer, DownPacket, Hello, UpPacket};
use super::reliable_sender::{FrameOutput, WorkerOutlet};
use super::wire::{PREAMBLE, WireError, read, write};
use crate::delivery::Delivery;
use crate::{Control, Engine, Message};
use backend::BACKENDS;

/// How long a worker whose link dropped waits for another.
const PATIENCE: Duration = Duration::from_mins(10);
/// How often answers that found the link busy are tried again.
const TICK: Duration = Duration::from_millis(20);

/// Where a link's frames come from.
pub type FrameInput = Box<dyn Read + Send>;

/// What the worker's threads tell the one that serves.
pub enum WorkerMessage {
    /// Something came over the link of this number.
    Packet(u64, UpPacket),
    /// The link of this number is over.
    Over(u64),
    /// Somebody came with another link, and says how much has arrived.
    Link(FrameInput, FrameOutput, u64),
}

/// Serves one near end over `input` and `output` until it says goodbye, or until it is gone and does not come back.
///
/// # Errors
/// The near end is of another version, or no Syncline; or the first link broke before anything was agreed.
pub fn serve(mut input: FrameInput, mut output: FrameOutput) -> Result<(), WireError> {
    let door = WorkerSocket::new();
    let ours = Hello {
        token: door.token().to_owned(),
        ..Hello::ours()
    };
    let near = greet(&mut input, &mut output, &ours)?;
    if let Some(mismatch) = near.mismatch() {
        return Err(WireError::Garbled(mismatch));
    }
    let (sender, news) = bounded(64);
    let outlet = Arc::new(WorkerOutlet::default());
    outlet.keep(near.keep);
    if !near.keep {
        die_with_parent();
    }
    // A near end that cannot come back needs no door.
    let _open = near.keep.then(|| door.open(sender.clone()));
    // What fails here fails again when the link is read.
    let _ = outlet.attach(output, 0);
    let engine = Engine::start(Box::new(|| ()));
    let (messages, delivery) = (engine.messages().clone(), engine.delivery());
    let (pump_outlet, gone) = (Arc::clone(&outlet), sender.clone());
    let pump = std::thread::Builder::new()
        .name("outlet".to_owned())
        .spawn(move || pump((&messages, &delivery), &pump_outlet, &gone))?;
    let mut serving = WorkerServer {
        engine,
        outlet,
        sender,
        link: 0,
        since: None,
    };
    serving.listen(input);
    serving.serve(&news, near.keep);
    drop(serving);
    // It ends with the engine.
    let _ = pump.join();
    Ok(())
}

/// Says who we are, and hears who the other end is.
///
/// # Errors
/// The link broke, or the other end is no Syncline.
pub fn greet(
    input: &mut FrameInput,
    output: &mut FrameOutput,
    ours: &Hello,
) -> Result<Hello, WireError> {
    let text =
        serde_json::to_string(ours).map_err(|error| WireError::Garbled(error.to_string()))?;
    output.write_all(PREAMBLE)?;
    write(output, &text)?;
    hear(input)
}

/// Reads the other end's first frame.
///
/// # Errors
/// The link broke, or the other end is no Syncline.
pub fn hear(input: &mut FrameInput) -> Result<Hello, WireError> {
    let text: String = read(input)?;
    serde_json::from_str(&text).map_err(|error| WireError::Garbled(error.to_string()))
}

/// Hands on what the engine says, and notes that it has left.
fn pump(
    (messages, delivery): (&Receiver<Message>, &Delivery),
    outlet: &WorkerOutlet,
    gone: &Sender<WorkerMessage>,
) {
    loop {
        match messages.recv_timeout(TICK) {
            Ok(message) => {
                if outlet.post(message).is_err() {
                    let _ = gone.try_send(WorkerMessage::Over(u64::MAX));
                    return;
                }
                delivery.note_written();
            }
            Err(RecvTimeoutError::Timeout) => outlet.flush_answers(),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

struct WorkerServer {
    engine: Engine,
    outlet: Arc<WorkerOutlet>,
    sender: Sender<WorkerMessage>,
    /// The number of the link.
    link: u64,
    /// Since when there is none.
    since: Option<Instant>,
}

impl WorkerServer {
    /// Reads from a link on a thread of its own.
    fn listen(&mut self, mut input: FrameInput) {
        self.link += 1;
        self.since = None;
        let (link, sender) = (self.link, self.sender.clone());
        let listened = std::thread::Builder::new()
            .name("inlet".to_owned())
            .spawn(move || {
                while let Ok(packet) = read(&mut input) {
                    if sender.send(WorkerMessage::Packet(link, packet)).is_err() {
                        return;
                    }
                }
                let _ = sender.send(WorkerMessage::Over(link));
            });
        if listened.is_err() {
            let _ = self.sender.try_send(WorkerMessage::Over(self.link));
        }
    }

    fn serve(&mut self, news: &Receiver<WorkerMessage>, keeps: bool) {
        loop {
            let lonely = self.since.is_some_and(|since| since.elapsed() > PATIENCE);
            if lonely {
                return;
            }
            match news.recv_timeout(Duration::from_secs(1)) {
                Ok(WorkerMessage::Packet(_, UpPacket::Control(Control::Shutdown)))
                | Err(RecvTimeoutError::Disconnected) => return,
                Ok(WorkerMessage::Packet(link, packet)) if link == self.link => self.take(packet),
                Ok(WorkerMessage::Over(link)) if link == self.link || link == u64::MAX => {
                    if !keeps {
                        return;
                    }
                    self.outlet.detach();
                    self.since = Some(Instant::now());
                }
                Ok(WorkerMessage::Link(input, output, received)) => {
                    if self.outlet.attach(output, received).is_ok() {
                        self.listen(input);
                    }
                }
                // Of a link that another one took the place of.
                Ok(WorkerMessage::Packet(..) | WorkerMessage::Over(_))
                | Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn take(&self, packet: UpPacket) {
        match packet {
            UpPacket::Control(control) => self.engine.send(control),
            UpPacket::Ask => {
                // Asking drivers takes time, in which controls shall not wait.
                let outlet = Arc::clone(&self.outlet);
                let _ = std::thread::Builder::new()
                    .name("offers".to_owned())
                    .spawn(move || outlet.answer(&DownPacket::Offers(offers())));
            }
            UpPacket::Ping(sent) => self.outlet.answer(&self.outlet.pong(sent)),
            UpPacket::Received(number) => self.outlet.received(number),
        }
    }
}

/// What this machine has to run workloads.
pub fn offers() -> Vec<BackendOffer> {
    let offer = |backend: &&dyn backend::Backend| {
        let probed = backend.probe();
        BackendOffer {
            backend: backend.name().to_owned(),
            about: backend.about().to_owned(),
            reason: probed.as_ref().err().map(ToString::to_string),
            adapters: probed
                .unwrap_or_default()
                .into_iter()
                .map(|found| (found.name, found.caps))
                .collect(),
        }
    };
    BACKENDS.iter().map(offer).collect()
}

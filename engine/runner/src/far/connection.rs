//! One link to a worker, from the process that leads there to the frames that come back.

use std::io::Write as _;
use std::process::ChildStdin;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::packet::{DownPacket, Hello, UpPacket};
use super::process::{WorkerProcess, WorkerTarget, ending};
use super::wire::{self, WireError};
use crate::Control;

/// Packets that wait for the near end: beyond that the worker waits.
const CHANNEL: usize = 8;
/// How long a worker that is told to end is given to answer.
const REACH: Duration = Duration::from_secs(3);

/// What comes over a link.
pub enum LineArrival {
    /// The worker's first words.
    Hello(Hello),
    /// Something that it says.
    Packet(DownPacket),
    /// Nothing more will come.
    Over(WireError),
}

/// What is sent and was not written yet, at most: a worker that works reads at once.
const FRAMES: usize = 1024;
/// How long what was sent last may take to be written before the process that leads there is ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What is sent, on its way to the process that leads to the worker. A thread of its own writes it: whoever never reads it
/// keeps nobody else waiting.
struct LineInput {
    frames: Option<Sender<Vec<u8>>>,
    /// Closed once all of it was written, or nothing more can be.
    written: Receiver<()>,
}

impl LineInput {
    fn start(mut input: ChildStdin) -> Result<Self, String> {
        let (frames, taken) = bounded::<Vec<u8>>(FRAMES);
        let (closes, written) = bounded(0);
        let write = move || {
            let _closes = closes;
            for frame in taken {
                // That it broke is told by what comes back, which is then over too.
                if input
                    .write_all(&frame)
                    .and_then(|()| input.flush())
                    .is_err()
                {
                    return;
                }
            }
        };
        let named = std::thread::Builder::new().name("link input".to_owned());
        named.spawn(write).map_err(|error| error.to_string())?;
        Ok(Self {
            frames: Some(frames),
            written,
        })
    }

    /// Nothing more is sent. Gives what was sent a little time to be written.
    fn close(&mut self) {
        if self.frames.take().is_some() {
            let _ = self.written.recv_timeout(LAST_WORDS);
        }
    }
}

/// One link to a worker. Dropped, the process that leads there is ended.
pub struct WorkerLine {
    input: LineInput,
    arrivals: Receiver<LineArrival>,
    process: WorkerProcess,
}

impl WorkerLine {
    /// Starts the process that leads to `target`: to a new worker, or to the one that has this token.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(target: &WorkerTarget, token: Option<&str>) -> Result<Self, String> {
        let arguments = token.map_or_else(Vec::new, |token| vec!["--attach", token]);
        let mut process = WorkerProcess::start(target, &arguments)?;
        let (input, mut output) = process
            .streams()
            .ok_or_else(|| "the process has no standard streams".to_owned())?;
        let (sender, arrivals) = bounded(CHANNEL);
        std::thread::Builder::new()
            .name("link".to_owned())
            .spawn(move || {
                let greeted = wire::skip_to_preamble(&mut output).and_then(|()| {
                    let text: String = wire::read(&mut output)?;
                    serde_json::from_str(&text)
                        .map_err(|error| WireError::Garbled(error.to_string()))
                });
                let mut arrival = greeted.map(LineArrival::Hello);
                loop {
                    let is_last = arrival.is_err();
                    let arrived = arrival.unwrap_or_else(LineArrival::Over);
                    // Nobody listens any more: the line is over.
                    if sender.send(arrived).is_err() || is_last {
                        return;
                    }
                    arrival = wire::read(&mut output).map(LineArrival::Packet);
                }
            })
            .map_err(|error| error.to_string())?;
        Ok(Self {
            input: LineInput::start(input)?,
            arrivals,
            process,
        })
    }

    /// Tells the worker that has this token to end, because nobody comes back for what it does. Where it cannot be
    /// reached within a few seconds, it ends by itself later.
    pub fn farewell(target: &WorkerTarget, token: &str) {
        let Ok(mut line) = Self::start(target, Some(token)) else {
            return;
        };
        match line.arrivals.recv_timeout(REACH) {
            Ok(LineArrival::Hello(hello)) if hello.token == token => {
                line.greet(&Hello {
                    received: u64::MAX,
                    ..hello
                });
                line.send(&UpPacket::Control(Control::Shutdown));
            }
            _ => {}
        }
    }

    /// Where what comes over the link comes out.
    pub const fn arrivals(&self) -> &Receiver<LineArrival> {
        &self.arrivals
    }

    /// Answers the worker's first words.
    pub fn greet(&mut self, hello: &Hello) {
        if let Ok(text) = serde_json::to_string(hello) {
            self.write(&text);
        }
    }

    /// Sends a packet.
    pub fn send(&mut self, packet: &UpPacket) {
        self.write(packet);
    }

    fn write(&mut self, message: &impl serde::Serialize) {
        if let Some(frames) = &self.input.frames
            && let Ok(frame) = wire::frame(message, false)
            && frames.try_send(frame).is_err()
        {
            // Nobody reads: that it does not answer ends the link.
            self.input.frames = None;
        }
    }

    /// Lets the process that leads there go on, should it have been stopped.
    pub fn wake(&mut self) {
        self.process.wake();
    }

    /// The number of the process that leads there.
    pub fn process(&self) -> u32 {
        self.process.id()
    }

    /// Why the link is over: how its process ended and what it complained of, or else `error`.
    pub fn why_over(&mut self, error: &WireError) -> String {
        self.input.close();
        let ended = match error {
            WireError::Closed | WireError::Cut { .. } | WireError::NoWorker(_) => {
                self.process.ended().map(ending)
            }
            _ => None,
        };
        let mut words = match (ended, error) {
            (Some(ended), WireError::NoWorker(_)) => format!("{error}: {ended}"),
            (Some(ended), _) => ended,
            (None, _) => error.to_string(),
        };
        let complaints = self.process.complaints();
        if !complaints.is_empty() {
            words = format!("{words}; it said: {complaints}");
        }
        words
    }
}

impl Drop for WorkerLine {
    fn drop(&mut self) {
        // What tells the worker to end is to reach it before the process that leads there is ended.
        self.input.close();
    }
}

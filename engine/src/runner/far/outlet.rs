//! What a worker says: numbered, written at once, and kept until it has arrived.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Mutex;
use std::time::Instant;

use super::packet::{Down, unix_now};
use super::wire::{WireError, frame};
use crate::device::lock;
use crate::runner::Message;
use crate::time::Nanos;

/// Bytes on their way above which the link is taken to be slow, and frames are packed.
const SLOW: usize = 256 << 10;

/// Where a link's frames go.
pub type Output = Box<dyn Write + Send>;

/// What a worker says: numbered, written at once, and kept until it has arrived.
#[derive(Default)]
pub struct Outlet {
    kept: Mutex<Kept>,
    output: Mutex<Option<Output>>,
    /// Answers that found the link busy.
    answers: Mutex<VecDeque<Vec<u8>>>,
}

/// What has not been said to have arrived.
#[derive(Default)]
struct Kept {
    /// Whether anything is kept at all.
    keeps: bool,
    frames: VecDeque<Frame>,
    bytes: usize,
    last: u64,
}

struct Frame {
    number: u64,
    made: Instant,
    bytes: Vec<u8>,
}

impl Outlet {
    /// Whether to keep what has not arrived, from now on.
    pub fn keep(&self, keeps: bool) {
        lock(&self.kept).keeps = keeps;
    }

    /// Sends a message of the engine's. Without a link it is only kept.
    ///
    /// # Errors
    /// It cannot be written, and nothing is kept: nobody will ever read on.
    pub fn post(&self, message: Message) -> Result<(), WireError> {
        let mut kept = lock(&self.kept);
        kept.last += 1;
        let number = kept.last;
        let bytes = frame(&Down::Message(number, message), kept.bytes > SLOW)?;
        let keeps = kept.keeps;
        if keeps {
            kept.bytes += bytes.len();
            kept.frames.push_back(Frame {
                number,
                made: Instant::now(),
                bytes: bytes.clone(),
            });
        }
        drop(kept);
        let mut output = lock(&self.output);
        let written = put(&mut output, &bytes);
        drop(output);
        self.flush_answers();
        match written {
            Err(error) if !keeps => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Sends an answer: at once where the link is free, and else after what is being written.
    pub fn answer(&self, answer: &Down) {
        if let Ok(bytes) = frame(answer, false) {
            lock(&self.answers).push_back(bytes);
        }
        self.flush_answers();
    }

    /// Sends the answers that wait, where the link is free.
    pub fn flush_answers(&self) {
        let Ok(mut output) = self.output.try_lock() else {
            return;
        };
        for bytes in lock(&self.answers).drain(..) {
            // A link that broke is noticed by whoever reads from it.
            let _ = put(&mut output, &bytes);
        }
    }

    /// The answer to a ping that was sent at `sent`.
    pub fn pong(&self, sent: Nanos) -> Down {
        let kept = lock(&self.kept);
        let oldest = kept.frames.front();
        Down::Pong {
            sent,
            unix: unix_now(),
            waiting: kept.frames.len() as u64,
            age: oldest.map_or(Nanos::ZERO, |it| Nanos::from_duration(it.made.elapsed())),
        }
    }

    /// Every message up to `number` has arrived.
    pub fn received(&self, number: u64) {
        let mut kept = lock(&self.kept);
        while let Some(frame) = kept.frames.pop_front_if(|frame| frame.number <= number) {
            kept.bytes -= frame.bytes.len();
        }
    }

    /// Takes `output` for the link, and sends what has not arrived on it: messages after `received`.
    ///
    /// # Errors
    /// The link broke again.
    pub fn attach(&self, mut output: Output, received: u64) -> io::Result<()> {
        self.received(received);
        let mut place = lock(&self.output);
        let frames: Vec<Vec<u8>> = {
            let kept = lock(&self.kept);
            kept.frames.iter().map(|it| it.bytes.clone()).collect()
        };
        // A message that is being posted meanwhile is sent twice; its number says so.
        for bytes in frames {
            output.write_all(&bytes)?;
        }
        output.flush()?;
        *place = Some(output);
        Ok(())
    }

    /// The link is gone.
    pub fn detach(&self) {
        *lock(&self.output) = None;
    }
}

fn put(output: &mut Option<Output>, bytes: &[u8]) -> io::Result<()> {
    let Some(link) = output else {
        return Ok(());
    };
    let written = link.write_all(bytes).and_then(|()| link.flush());
    if written.is_err() {
        *output = None;
    }
    written
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::wire::read;
    use super::*;

    #[derive(Clone, Default)]
    struct Pipe(Arc<Mutex<Vec<u8>>>);

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            lock(&self.0).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn numbers(pipe: &Pipe) -> Vec<u64> {
        let bytes = lock(&pipe.0).clone();
        let mut input = bytes.as_slice();
        std::iter::from_fn(|| match read::<Down>(&mut input) {
            Ok(Down::Message(number, _)) => Some(number),
            _ => None,
        })
        .collect()
    }

    #[test]
    fn what_has_not_arrived_is_sent_again_on_the_next_link() {
        let outlet = Outlet::default();
        outlet.keep(true);
        let (first, second) = (Pipe::default(), Pipe::default());
        outlet.attach(Box::new(first.clone()), 0).unwrap();
        for run in 1..=4 {
            outlet.post(Message::Started { run }).unwrap();
        }
        outlet.received(1);
        outlet.detach();
        outlet.post(Message::Started { run: 5 }).unwrap();
        outlet.attach(Box::new(second.clone()), 3).unwrap();
        outlet.post(Message::Started { run: 6 }).unwrap();
        assert_eq!(numbers(&first), [1, 2, 3, 4]);
        assert_eq!(numbers(&second), [4, 5, 6]);
        let Down::Pong { waiting, .. } = outlet.pong(Nanos(1)) else {
            unreachable!("pongs are answered")
        };
        assert_eq!(waiting, 3);
    }

    #[test]
    fn without_keeping_a_broken_link_is_the_end() {
        struct Broken;
        impl Write for Broken {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let outlet = Outlet::default();
        outlet.attach(Box::new(Broken), 0).unwrap();
        assert!(outlet.post(Message::Started { run: 1 }).is_err());
    }
}

//! What a worker says: numbered, written at once, and kept until it has arrived.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::sync::Mutex;
use std::time::Instant;

use super::packet::{DownPacket, unix_now};
use super::wire::{WireError, frame};
use crate::Message;
use device::lock;
use record::time::Nanos;

/// Bytes on their way above which the link is taken to be slow, and frames are packed.
const SLOW: usize = 256 << 10;

/// Bytes that have not arrived above which further ones wait in a file: a link may be down for long.
const ROOM: usize = if cfg!(test) { 1 << 20 } else { 64 << 20 };

/// Where a link's frames go.
pub type FrameOutput = Box<dyn Write + Send>;

/// What a worker says: numbered, written at once, and kept until it has arrived.
#[derive(Default)]
pub struct WorkerOutlet {
    kept: Mutex<RetainedFrames>,
    output: Mutex<Option<FrameOutput>>,
    /// Answers that found the link busy.
    answers: Mutex<VecDeque<Vec<u8>>>,
}

/// What has not been said to have arrived.
#[derive(Default)]
struct RetainedFrames {
    /// Whether anything is kept at all.
    keeps: bool,
    frames: VecDeque<OutletFrame>,
    bytes: usize,
    last: u64,
    /// Where frames wait for which there is no room in memory, and how long it is.
    file: Option<(File, u64)>,
}

struct OutletFrame {
    number: u64,
    made: Instant,
    place: FrameStorage,
}

/// Where a frame's bytes wait.
enum FrameStorage {
    Memory(Vec<u8>),
    /// In the file, from this byte on, so many.
    File(u64, usize),
}

impl RetainedFrames {
    /// Keeps a frame: in memory while there is room, then in a file, and where that cannot be written in memory again.
    fn keep(&mut self, number: u64, bytes: &[u8]) {
        let spilled = (self.bytes > ROOM).then(|| self.spill(bytes)).transpose();
        let place = if let Ok(Some(start)) = spilled {
            FrameStorage::File(start, bytes.len())
        } else {
            self.bytes += bytes.len();
            FrameStorage::Memory(bytes.to_vec())
        };
        self.frames.push_back(OutletFrame {
            number,
            made: Instant::now(),
            place,
        });
    }

    /// Appends to the file, and says where.
    fn spill(&mut self, bytes: &[u8]) -> io::Result<u64> {
        let (file, end) = match &mut self.file {
            Some((file, end)) => (file, end),
            none => {
                let (file, end) = none.insert((tempfile::tempfile()?, 0));
                (file, end)
            }
        };
        let start = *end;
        file.seek(SeekFrom::Start(start))?;
        file.write_all(bytes)?;
        *end += bytes.len() as u64;
        Ok(start)
    }

    /// The bytes of the frame at a place in the queue.
    fn bytes_of(&mut self, at: usize) -> io::Result<Vec<u8>> {
        match self.frames.get(at).map(|frame| &frame.place) {
            Some(FrameStorage::Memory(bytes)) => Ok(bytes.clone()),
            Some(&FrameStorage::File(start, length)) => {
                let (file, _) = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
                file.seek(SeekFrom::Start(start))?;
                let mut bytes = vec![0; length];
                file.read_exact(&mut bytes)?;
                Ok(bytes)
            }
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

impl WorkerOutlet {
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
        let bytes = frame(&DownPacket::Message(number, message), kept.bytes > SLOW)?;
        let keeps = kept.keeps;
        if keeps {
            kept.keep(number, &bytes);
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
    pub fn answer(&self, answer: &DownPacket) {
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
    pub fn pong(&self, sent: Nanos) -> DownPacket {
        let kept = lock(&self.kept);
        let oldest = kept.frames.front();
        DownPacket::Pong {
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
            if let FrameStorage::Memory(bytes) = frame.place {
                kept.bytes -= bytes.len();
            }
        }
        if kept.frames.is_empty() {
            // Its room on the disk is given back.
            kept.file = None;
        }
    }

    /// Takes `output` for the link, and sends what has not arrived on it: messages after `received`.
    ///
    /// # Errors
    /// The link broke again.
    pub fn attach(&self, mut output: FrameOutput, received: u64) -> io::Result<()> {
        self.received(received);
        let mut place = lock(&self.output);
        // A message that is being posted meanwhile is sent twice; its number says so.
        let count = lock(&self.kept).frames.len();
        for at in 0..count {
            let bytes = lock(&self.kept).bytes_of(at)?;
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

fn put(output: &mut Option<FrameOutput>, bytes: &[u8]) -> io::Result<()> {
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
    struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

    impl Write for SharedBuffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            lock(&self.0).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn numbers(pipe: &SharedBuffer) -> Vec<u64> {
        let bytes = lock(&pipe.0).clone();
        let mut input = bytes.as_slice();
        std::iter::from_fn(|| match read::<DownPacket>(&mut input) {
            Ok(DownPacket::Message(number, _)) => Some(number),
            _ => None,
        })
        .collect()
    }

    #[test]
    fn what_has_not_arrived_is_sent_again_on_the_next_link() {
        let outlet = WorkerOutlet::default();
        outlet.keep(true);
        let (first, second) = (SharedBuffer::default(), SharedBuffer::default());
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
        let DownPacket::Pong { waiting, .. } = outlet.pong(Nanos(1)) else {
            unreachable!("pongs are answered")
        };
        assert_eq!(waiting, 3);
    }

    #[test]
    fn what_waits_for_long_waits_in_a_file_and_comes_in_order() {
        let outlet = WorkerOutlet::default();
        outlet.keep(true);
        let noise = |seed: u64| {
            let mut state = seed;
            (0..6_000)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    record::Record::Name(record::NameId(state as u32), format!("{state:x}").into())
                })
                .collect::<Vec<_>>()
        };
        for number in 0..30 {
            outlet.post(Message::Batch(noise(number))).unwrap();
        }
        let in_file = |outlet: &WorkerOutlet| {
            let kept = lock(&outlet.kept);
            assert!(kept.bytes < ROOM + (1 << 20), "{}", kept.bytes);
            let places = kept.frames.iter().map(|it| &it.place);
            places
                .filter(|it| matches!(it, FrameStorage::File(..)))
                .count()
        };
        assert!(in_file(&outlet) > 0);
        let pipe = SharedBuffer::default();
        outlet.attach(Box::new(pipe.clone()), 4).unwrap();
        assert_eq!(numbers(&pipe), (5..=30).collect::<Vec<u64>>());
        outlet.received(30);
        assert!(lock(&outlet.kept).file.is_none());
    }

    #[test]
    fn without_keeping_a_broken_link_is_the_end() {
        struct BrokenOutput;
        impl Write for BrokenOutput {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let outlet = WorkerOutlet::default();
        outlet.attach(Box::new(BrokenOutput), 0).unwrap();
        assert!(outlet.post(Message::Started { run: 1 }).is_err());
    }
}

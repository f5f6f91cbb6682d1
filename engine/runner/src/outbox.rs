//! Messages on their way out: a bounded channel, and behind it what the reader is too slow for.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};

use super::Message;
use device::lock;
use record::Record;

/// Messages that the channel itself holds.
const CHANNEL: usize = 64;
/// Records that a batch may grow to while it waits for the reader.
const BATCH: usize = 8192;

/// Messages on their way out. Posting never blocks and loses nothing while there is a reader.
pub struct Outbox {
    backlog: Mutex<VecDeque<Message>>,
    /// Messages that went into the channel.
    handed_on: AtomicU64,
    channel: Sender<Message>,
    wake: Box<dyn Fn() + Send + Sync>,
}

impl Outbox {
    /// An empty one, and where its messages come out. `wake` is called after messages went into the channel.
    pub fn new(wake: Box<dyn Fn() + Send + Sync>) -> (Self, Receiver<Message>) {
        let (channel, receiver) = bounded(CHANNEL);
        let outbox = Self {
            backlog: Mutex::default(),
            handed_on: AtomicU64::new(0),
            channel,
            wake,
        };
        (outbox, receiver)
    }

    /// Appends a message, and hands on what the channel takes.
    pub fn post(&self, message: Message) {
        let mut backlog = lock(&self.backlog);
        match (message, backlog.back_mut()) {
            (Message::Batch(mut records), Some(Message::Batch(last)))
                if last.len() + records.len() <= BATCH =>
            {
                last.append(&mut records);
            }
            (message, _) => backlog.push_back(message),
        }
        self.hand_on(&mut backlog);
    }

    /// Appends a batch of records, if there are any.
    pub fn post_records(&self, records: Vec<Record>) {
        if !records.is_empty() {
            self.post(Message::Batch(records));
        }
    }

    /// Hands on what the channel takes, and says whether that was all.
    pub fn flush(&self) -> bool {
        let mut backlog = lock(&self.backlog);
        self.hand_on(&mut backlog);
        backlog.is_empty()
    }

    /// The number of the message, counted from 1, that has what was posted last: what is posted later may join it.
    pub fn last(&self) -> u64 {
        let backlog = lock(&self.backlog);
        self.handed_on.load(Ordering::SeqCst) + backlog.len() as u64
    }

    fn hand_on(&self, backlog: &mut VecDeque<Message>) {
        let before = backlog.len();
        while let Some(message) = backlog.pop_front() {
            match self.channel.try_send(message) {
                Ok(()) => drop(self.handed_on.fetch_add(1, Ordering::SeqCst)),
                Err(TrySendError::Full(message)) => {
                    backlog.push_front(message);
                    break;
                }
                // Nobody will ever read them.
                Err(TrySendError::Disconnected(_)) => backlog.clear(),
            }
        }
        if backlog.len() < before {
            (self.wake)();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use record::NameId;

    #[test]
    fn a_slow_reader_gets_everything_in_order() {
        let wakes = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&wakes);
        let (outbox, receiver) = Outbox::new(Box::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
        }));
        let total = CHANNEL as u32 * 3 + BATCH as u32 * 2;
        for id in 0..total {
            outbox.post_records(vec![Record::Name(NameId(id), "n".into())]);
        }
        outbox.post(Message::Finished { run: 1, lost: 0 });
        let mut next = 0;
        while next < total {
            let Message::Batch(records) = receiver.try_recv().unwrap() else {
                unreachable!("batches come first")
            };
            for record in records {
                assert!(matches!(record, Record::Name(id, _) if id.0 == next));
                next += 1;
            }
            outbox.flush();
        }
        assert!(matches!(receiver.try_recv(), Ok(Message::Finished { .. })));
        assert!(outbox.flush() && wakes.load(Ordering::Relaxed) > 1);
    }

    #[test]
    fn without_a_reader_nothing_piles_up() {
        let (outbox, receiver) = Outbox::new(Box::new(|| ()));
        drop(receiver);
        outbox.post_records(vec![Record::Name(NameId(0), "n".into())]);
        assert!(outbox.flush());
    }
}

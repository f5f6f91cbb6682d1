//! The thread that writes a process's file, so that whoever hands over has only to hand over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::COSTS;
use super::names::{ThreadNames, name};
use super::own_threads;
use super::process::leave_signals;
use crate::CuptiBatch;
use crate::clock::now;
use crate::control::ControlPage;
use crate::file::{ContinuationFact, Fact, ListeningCounts, ProcessFact, SegmentWriter};
use crate::nvtx::{self, DefinitionReader, NvtxChunk};
use crate::switches::SwitchRegistry;

/// Batches that wait at most: whoever hands over one more is held up until the disk has taken one.
const WAITING: usize = 64;

/// The way to the thread.
#[derive(Clone)]
pub(super) struct FactQueue {
    notes: SyncSender<WriterNote>,
    /// Nobody reads the file any more.
    is_closed: Arc<AtomicBool>,
    /// The process ends, and must not wait for room.
    is_ending: Arc<AtomicBool>,
}

/// What CUPTI says of its own listening.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListeningStatus {
    /// When it was asked: what is written later is of then.
    pub at: u64,
    /// Records that it dropped so far.
    pub dropped: u64,
    /// It gave up: nothing more comes.
    pub has_given_up: bool,
}

enum WriterNote {
    Batch(CuptiBatch),
    Events(NvtxChunk),
    /// What became of a thread.
    Switches(Box<Fact>),
    /// Whoever waits is told once it is written.
    Fact(Box<Fact>, SyncSender<()>),
    /// CUPTI was asked.
    Count(ListeningStatus),
    /// The process ends: whoever waits is told once all is written.
    End(ListeningStatus, SyncSender<()>),
}

impl FactQueue {
    /// Starts the thread; gives the file back, with the reason, where there is none. Where there is a `filter`, what touches
    /// no window is not written.
    pub fn start(
        writer: SegmentWriter,
        process: ProcessFact,
        filter: Option<Arc<ControlPage>>,
        switches: Arc<SwitchRegistry>,
    ) -> Result<Self, (Box<SegmentWriter>, String)> {
        let (notes, inbox) = sync_channel(WAITING);
        // Handed over once the thread is there, so that it is not lost where there is none.
        let (hand, taken) = sync_channel(1);
        let is_ending = Arc::new(AtomicBool::new(false));
        let ending = Arc::clone(&is_ending);
        let named = thread::Builder::new().name("syncline write".to_owned());
        let started = named.spawn(move || {
            leave_signals();
            own_threads::note_this();
            if let Ok(writer) = taken.recv() {
                WriterState::new((writer, ending), process, (filter, switches)).work(&inbox);
            }
        });
        if let Err(error) = started {
            return Err((
                Box::new(writer),
                format!("the system gave no thread: {error}"),
            ));
        }
        // It waits for it.
        let _ = hand.send(writer);
        Ok(Self {
            notes,
            is_closed: Arc::default(),
            is_ending,
        })
    }

    /// Hands over what CUPTI told.
    pub fn hand(&self, batch: CuptiBatch) {
        self.note(WriterNote::Batch(batch));
    }

    /// Hands over what a thread called of NVTX.
    pub fn hand_events(&self, chunk: NvtxChunk) {
        self.note(WriterNote::Events(chunk));
    }

    /// Hands over what became of a thread.
    pub fn hand_switches(&self, fact: Fact) {
        self.note(WriterNote::Switches(Box::new(fact)));
    }

    /// Has a fact written, and waits for it for as long as `patience`.
    pub fn say(&self, fact: Fact, patience: Duration) {
        let (done, wait) = sync_channel(1);
        self.note(WriterNote::Fact(Box::new(fact), done));
        // Where it takes longer, the program goes on all the same.
        let _ = wait.recv_timeout(patience);
    }

    /// Has what it came to so far written.
    pub fn count(&self, heard: ListeningStatus) {
        self.note(WriterNote::Count(heard));
    }

    /// From now on nothing waits for room: the process ends.
    pub fn hurry(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
    }

    /// Nothing more is written.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Has the end written, and waits for it for as long as `patience`.
    pub fn end(&self, heard: ListeningStatus, patience: Duration) {
        let (done, wait) = sync_channel(1);
        self.note(WriterNote::End(heard, done));
        // Where it takes longer, what is not written is missing, and the file says that it has no end.
        let _ = wait.recv_timeout(patience);
    }

    fn note(&self, note: WriterNote) {
        if !self.is_closed.load(Ordering::Relaxed) {
            // The thread ends with the process.
            let _ = self.notes.send(note);
        }
    }
}

/// What the thread works with.
struct WriterState {
    writer: SegmentWriter,
    is_ending: Arc<AtomicBool>,
    /// What the next segment begins with, but for definitions.
    front: ContinuationFact,
    filter: Option<Arc<ControlPage>>,
    names: ThreadNames,
    switches: Arc<SwitchRegistry>,
    definitions: DefinitionReader,
    counts: ListeningCounts,
    /// Why nothing can be written any more, and how many facts are missing for it.
    failed: Option<(std::io::Error, u64)>,
}

impl WriterState {
    fn new(
        (writer, is_ending): (SegmentWriter, Arc<AtomicBool>),
        process: ProcessFact,
        (filter, switches): (Option<Arc<ControlPage>>, Arc<SwitchRegistry>),
    ) -> Self {
        Self {
            writer,
            is_ending,
            front: ContinuationFact {
                process,
                ..ContinuationFact::default()
            },
            filter,
            names: ThreadNames::default(),
            switches,
            definitions: DefinitionReader::default(),
            counts: ListeningCounts::default(),
            failed: None,
        }
    }

    fn work(&mut self, inbox: &Receiver<WriterNote>) {
        while let Ok(note) = inbox.recv() {
            let began = now();
            match note {
                WriterNote::Batch(batch) => self.batch(batch),
                WriterNote::Events(chunk) => self.events(chunk),
                WriterNote::Switches(fact) => self.write(&fact),
                WriterNote::Fact(fact, done) => {
                    self.write(&fact);
                    // Nobody waits any more where this took too long.
                    let _ = done.send(());
                }
                WriterNote::Count(heard) => {
                    self.define();
                    self.count(heard);
                    self.write(&Fact::Counts(self.counts));
                }
                WriterNote::End(heard, done) => {
                    self.define();
                    self.count(heard);
                    self.write(&Fact::End(self.counts));
                    // Nobody waits any more where this took too long.
                    let _ = done.send(());
                }
            }
            self.counts.writing += now().saturating_sub(began);
        }
    }

    fn batch(&mut self, batch: CuptiBatch) {
        self.counts.unread += batch.unread;
        let mut records = batch.records;
        if let Some(page) = &self.filter {
            let before = records.len();
            let touches = |(start, end)| page.touches(start, end);
            records.retain(|it| it.interval().is_none_or(touches));
            self.counts.outside += (before - records.len()) as u64;
        }
        for thread in self.names.new_in(&records) {
            self.turned_up(thread);
        }
        if !records.is_empty() {
            self.counts.records += records.len() as u64;
            self.write(&Fact::Records(records));
        }
    }

    /// Events come after what they refer to: that was defined before they were handed over.
    fn events(&mut self, chunk: NvtxChunk) {
        self.define();
        if self.names.is_new(chunk.thread) {
            self.turned_up(chunk.thread);
        }
        self.write(&Fact::Nvtx(chunk));
    }

    /// A thread called for the first time.
    fn turned_up(&mut self, thread: u32) {
        self.switches.follow(thread);
        if let Some(name) = name(thread) {
            self.write(&name);
        }
    }

    fn define(&mut self) {
        let new = self.definitions.take_new();
        if !new.is_empty() {
            self.write(&Fact::Definitions(new));
        }
    }

    fn count(&mut self, heard: ListeningStatus) {
        self.counts.at = heard.at;
        self.counts.dropped = heard.dropped;
        self.counts.has_given_up = heard.has_given_up;
        self.counts.flushes = COSTS.flushes.load(Ordering::Relaxed);
        self.counts.taking = COSTS.taking.load(Ordering::Relaxed);
        self.counts.flushing = COSTS.flushing.load(Ordering::Relaxed);
        let switches = self.switches.counts();
        self.counts.unfollowed = switches.unfollowed;
        self.counts.lost_switches = switches.lost;
        self.counts.nvtx = nvtx::counts();
    }

    /// Keeps what the next segment has to say, too.
    fn note(&mut self, fact: &Fact) {
        match fact {
            Fact::Listening(it) => self.front.listening = Some((**it).clone()),
            Fact::Silent(it) => self.front.silent = Some(it.clone()),
            Fact::Unscheduled(it) => self.front.unscheduled = Some(it.clone()),
            Fact::Thread { thread, name } => self.front.threads.push((*thread, name.clone())),
            _ => {}
        }
    }

    /// Begins the next segment where this one is full.
    fn rotate(&mut self) {
        let at = now();
        if !self.writer.is_full(at) {
            return;
        }
        self.front.counts = self.counts;
        // All that was defined up to now; what the reader of new ones finds later is told once more.
        self.front.definitions = DefinitionReader::default().take_new();
        let front = Fact::Continues(Box::new(self.front.clone()));
        self.front.definitions.clear();
        self.writer.wait_for_room(&self.is_ending);
        self.writer.begin_next(&front, at);
    }

    /// Appends a fact; once that failed, counts what is missing in the header instead.
    fn write(&mut self, fact: &Fact) {
        if let Some((error, missing)) = &mut self.failed {
            *missing += 1;
            return self.writer.give_up(error, *missing);
        }
        self.note(fact);
        self.rotate();
        if let Err(error) = self.writer.append(fact) {
            self.writer.give_up(&error, 1);
            self.failed = Some((error, 1));
        }
    }
}

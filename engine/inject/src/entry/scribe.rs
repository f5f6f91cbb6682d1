//! The thread that writes a process's file, so that whoever hands over has only to hand over.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::names::Names;
use super::{COSTS, leave_signals};
use crate::Batch;
use crate::clock::now;
use crate::file::{Counts, Fact, Writer};

/// Batches that wait at most: whoever hands over one more is held up until the disk has taken one.
const WAITING: usize = 64;

/// The way to the thread.
#[derive(Clone)]
pub(super) struct Scribe {
    notes: SyncSender<Note>,
    /// Nobody reads the file any more.
    is_closed: Arc<AtomicBool>,
}

/// What CUPTI says of its own listening.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard {
    /// Records that it dropped so far.
    pub dropped: u64,
    /// It gave up: nothing more comes.
    pub has_given_up: bool,
}

enum Note {
    Batch(Batch),
    /// Whoever waits is told once it is written.
    Fact(Box<Fact>, SyncSender<()>),
    /// CUPTI was asked.
    Count(Heard),
    /// The process ends: whoever waits is told once all is written.
    End(Heard, SyncSender<()>),
}

impl Scribe {
    /// Starts the thread; gives the file back, with the reason, where there is none.
    pub fn start(writer: Writer<File>) -> Result<Self, (Writer<File>, String)> {
        let (notes, inbox) = sync_channel(WAITING);
        // Handed over once the thread is there, so that it is not lost where there is none.
        let (hand, taken) = sync_channel(1);
        let named = thread::Builder::new().name("syncline write".to_owned());
        let started = named.spawn(move || {
            leave_signals();
            if let Ok(writer) = taken.recv() {
                Desk::new(writer).work(&inbox);
            }
        });
        if let Err(error) = started {
            return Err((writer, format!("the system gave no thread: {error}")));
        }
        // It waits for it.
        let _ = hand.send(writer);
        Ok(Self {
            notes,
            is_closed: Arc::default(),
        })
    }

    /// Hands over what CUPTI told.
    pub fn hand(&self, batch: Batch) {
        self.note(Note::Batch(batch));
    }

    /// Has a fact written, and waits for it for as long as `patience`.
    pub fn say(&self, fact: Fact, patience: Duration) {
        let (done, wait) = sync_channel(1);
        self.note(Note::Fact(Box::new(fact), done));
        // Where it takes longer, the program goes on all the same.
        let _ = wait.recv_timeout(patience);
    }

    /// Has what it came to so far written.
    pub fn count(&self, heard: Heard) {
        self.note(Note::Count(heard));
    }

    /// Nothing more is written.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Has the end written, and waits for it for as long as `patience`.
    pub fn end(&self, heard: Heard, patience: Duration) {
        let (done, wait) = sync_channel(1);
        self.note(Note::End(heard, done));
        // Where it takes longer, what is not written is missing, and the file says that it has no end.
        let _ = wait.recv_timeout(patience);
    }

    fn note(&self, note: Note) {
        if !self.is_closed.load(Ordering::Relaxed) {
            // The thread ends with the process.
            let _ = self.notes.send(note);
        }
    }
}

/// What the thread works with.
struct Desk {
    writer: Writer<File>,
    names: Names,
    counts: Counts,
    /// Why nothing can be written any more, and how many facts are missing for it.
    failed: Option<(std::io::Error, u64)>,
}

impl Desk {
    fn new(writer: Writer<File>) -> Self {
        Self {
            writer,
            names: Names::default(),
            counts: Counts::default(),
            failed: None,
        }
    }

    fn work(&mut self, inbox: &Receiver<Note>) {
        while let Ok(note) = inbox.recv() {
            let began = now();
            match note {
                Note::Batch(batch) => self.batch(batch),
                Note::Fact(fact, done) => {
                    self.write(&fact);
                    // Nobody waits any more where this took too long.
                    let _ = done.send(());
                }
                Note::Count(heard) => {
                    self.count(heard);
                    self.write(&Fact::Counts(self.counts));
                }
                Note::End(heard, done) => {
                    self.count(heard);
                    self.write(&Fact::End(self.counts));
                    // Nobody waits any more where this took too long.
                    let _ = done.send(());
                }
            }
            self.counts.writing += now().saturating_sub(began);
        }
    }

    fn batch(&mut self, batch: Batch) {
        self.counts.unread += batch.unread;
        let records = batch.records;
        for fact in self.names.new_in(&records) {
            self.write(&fact);
        }
        if !records.is_empty() {
            self.counts.records += records.len() as u64;
            self.write(&Fact::Records(records));
        }
    }

    fn count(&mut self, heard: Heard) {
        self.counts.at = now();
        self.counts.dropped = heard.dropped;
        self.counts.has_given_up = heard.has_given_up;
        self.counts.flushes = COSTS.flushes.load(Ordering::Relaxed);
        self.counts.taking = COSTS.taking.load(Ordering::Relaxed);
        self.counts.flushing = COSTS.flushing.load(Ordering::Relaxed);
    }

    /// Appends a fact; once that failed, counts what is missing in the header instead.
    fn write(&mut self, fact: &Fact) {
        match &mut self.failed {
            Some((error, missing)) => {
                *missing += 1;
                self.writer.give_up(error, *missing);
            }
            None => {
                if let Err(error) = self.writer.append(fact) {
                    self.writer.give_up(&error, 1);
                    self.failed = Some((error, 1));
                }
            }
        }
    }
}

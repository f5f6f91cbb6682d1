//! What came from other ranks and was not taken yet.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::link::MeshMessage;
use device::lock;

/// Bytes of one rank's that wait to be taken; beyond that its link is not read, and it waits.
const ROOM: usize = 64 << 20;
/// How long the words on why a rank left may come after its link ended, or its link after the words.
const GRACE: Duration = Duration::from_millis(500);

/// Bytes that a message takes while it waits: one without numbers takes some as well.
const fn room_of(message: &MeshMessage) -> usize {
    size_of::<MeshMessage>() + message.values.len() * 4
}

/// What came from other ranks and was not taken yet.
pub struct MeshInbox {
    state: Mutex<InboxState>,
    changed: Condvar,
}

#[derive(Default)]
struct InboxState {
    /// By the rank that sent it and the operation that it is for.
    messages: HashMap<(u32, u64), VecDeque<MeshMessage>>,
    links: Vec<LinkState>,
    /// Why ranks left, and when that was known.
    left: BTreeMap<u32, (String, Instant)>,
    refused: Vec<String>,
    streams: Vec<TcpStream>,
    is_closed: bool,
}

/// How the link from a rank is.
#[derive(Default)]
struct LinkState {
    is_open: bool,
    /// What ended it, and when.
    over: Option<(String, Instant)>,
    /// Bytes that wait to be taken.
    waiting: usize,
}

/// What there is of a rank.
pub enum InboxItem {
    /// Its next message.
    Message(MeshMessage),
    /// Nothing yet.
    Nothing,
    /// Nothing more will come, for this reason.
    Never(String),
}

impl MeshInbox {
    /// Of so many ranks.
    pub fn new(ranks: u32) -> Self {
        let state = InboxState {
            links: (0..ranks).map(|_| LinkState::default()).collect(),
            ..InboxState::default()
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// A rank's link opened. Gives whether that is its first and the box is open.
    pub fn opened(&self, rank: u32, stream: TcpStream) -> bool {
        let mut state = lock(&self.state);
        if state.is_closed {
            return false;
        }
        let Some(link) = state.links.get_mut(rank as usize) else {
            return false;
        };
        if link.is_open || link.over.is_some() {
            return false;
        }
        link.is_open = true;
        state.streams.push(stream);
        true
    }

    /// Its link is over.
    pub fn over(&self, rank: u32, why: String) {
        if let Some(link) = lock(&self.state).links.get_mut(rank as usize) {
            link.is_open = false;
            link.over = Some((why, Instant::now()));
        }
        self.changed.notify_all();
    }

    /// A message came; blocks while too many of the rank's wait. Gives whether anybody will take it.
    pub fn put(&self, rank: u32, key: u64, message: MeshMessage) -> bool {
        let bytes = room_of(&message);
        let mut state = lock(&self.state);
        let is_full = |state: &mut InboxState| {
            let link = state.links.get(rank as usize);
            !state.is_closed && link.is_some_and(|link| link.waiting > ROOM)
        };
        while is_full(&mut state) {
            state = self.wait(state, GRACE);
        }
        if let Some(link) = state.links.get_mut(rank as usize) {
            link.waiting += bytes;
        }
        state
            .messages
            .entry((rank, key))
            .or_default()
            .push_back(message);
        let is_open = !state.is_closed;
        drop(state);
        self.changed.notify_all();
        is_open
    }

    /// The next message of a rank for an operation; waits a little for it.
    pub fn take(&self, rank: u32, key: u64, patience: Duration) -> InboxItem {
        let mut state = lock(&self.state);
        let found = state.find(rank, key);
        if !matches!(found, InboxItem::Nothing) {
            self.changed.notify_all();
            return found;
        }
        state = self.wait(state, patience);
        state.find(rank, key)
    }

    fn wait<'g>(
        &self,
        state: MutexGuard<'g, InboxState>,
        patience: Duration,
    ) -> MutexGuard<'g, InboxState> {
        let waited = self.changed.wait_timeout(state, patience);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// A rank left.
    pub fn leave(&self, rank: u32, why: &str) {
        let mut state = lock(&self.state);
        let now = (why.to_owned(), Instant::now());
        state.left.entry(rank).or_insert(now);
        drop(state);
        self.changed.notify_all();
    }

    /// Why a rank left, where it did.
    pub fn left(&self, rank: u32) -> Option<String> {
        let state = lock(&self.state);
        state.left.get(&rank).map(|(why, _)| why.clone())
    }

    /// Somebody was refused.
    pub fn refuse(&self, what: String) {
        lock(&self.state).refused.push(what);
    }

    /// Who was refused since this was asked last.
    pub fn take_refused(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.state).refused)
    }

    /// Whether nobody takes anything any more.
    pub fn is_closed(&self) -> bool {
        lock(&self.state).is_closed
    }

    /// Nobody takes anything any more.
    pub fn close(&self) {
        let mut state = lock(&self.state);
        state.is_closed = true;
        for stream in state.streams.drain(..) {
            // One that is over already is.
            let _ = stream.shutdown(Shutdown::Both);
        }
        drop(state);
        self.changed.notify_all();
    }
}

impl InboxState {
    fn find(&mut self, rank: u32, key: u64) -> InboxItem {
        if let Some(queue) = self.messages.get_mut(&(rank, key))
            && let Some(message) = queue.pop_front()
        {
            if queue.is_empty() {
                self.messages.remove(&(rank, key));
            }
            if let Some(link) = self.links.get_mut(rank as usize) {
                link.waiting = link.waiting.saturating_sub(room_of(&message));
            }
            return InboxItem::Message(message);
        }
        let Some(link) = self.links.get(rank as usize) else {
            return InboxItem::Never(format!("there is no rank {rank}"));
        };
        match (self.left.get(&rank), &link.over) {
            // What it sent last may still be on its way.
            (Some((why, since)), None) if !link.is_open && since.elapsed() > GRACE => {
                InboxItem::Never(format!("rank {rank} is gone: {why}"))
            }
            (Some((why, _)), Some(_)) => InboxItem::Never(format!("rank {rank} is gone: {why}")),
            (None, Some((why, since))) if since.elapsed() > GRACE => {
                InboxItem::Never(format!("the link from rank {rank} ended: {why}"))
            }
            _ => InboxItem::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_without_numbers_takes_room_too() {
        let inbox = MeshInbox::new(2);
        let waiting = || lock(&inbox.state).links[1].waiting;
        for _ in 0..3 {
            assert!(inbox.put(1, 7, MeshMessage::default()));
        }
        assert!(waiting() >= 3 * size_of::<MeshMessage>());
        for _ in 0..3 {
            assert!(matches!(
                inbox.take(1, 7, Duration::ZERO),
                InboxItem::Message(_)
            ));
        }
        assert_eq!(waiting(), 0);
    }
}

//! The device is opened anew: what streams did counts no more, what host threads know of each other does.

use super::Order;
use super::circular_wait::CircularCalls;
use super::stream::OrderedHost;

impl Order {
    /// Nothing of any stream is left, and memory in stream order is freed.
    pub(super) fn restart(&mut self) {
        self.compare_ran(true);
        self.certain.extend(self.memory.conclude());
        let signals = std::mem::take(&mut self.signals);
        let awaited = std::mem::take(&mut self.awaited);
        let hosts = std::mem::take(&mut self.hosts).into_iter();
        self.inserted.forget();
        self.meetings.forget_failure();
        *self = Self {
            // Host threads go on, and so does what they know of each other.
            hosts: hosts.map(OrderedHost::without_chains).collect(),
            actors: std::mem::take(&mut self.actors),
            signal_raises: std::mem::take(&mut self.signal_raises),
            shared_signals: std::mem::take(&mut self.shared_signals),
            call_times: std::mem::take(&mut self.call_times),
            memory: self.memory.after_loss(),
            operations: self.operations,
            sequence: self.sequence,
            restarts: self.restarts + 1,
            lowered: self.lowered,
            is_shared: self.is_shared,
            meetings: std::mem::take(&mut self.meetings),
            inserted: std::mem::take(&mut self.inserted),
            watched: std::mem::take(&mut self.watched),
            waits: std::mem::take(&mut self.waits),
            doubtful: std::mem::take(&mut self.doubtful),
            dropped_steps: std::mem::take(&mut self.dropped_steps),
            has_aborts: self.has_aborts,
            has_doubts: self.has_doubts,
            hazards: std::mem::take(&mut self.hazards),
            certain: std::mem::take(&mut self.certain),
            lints: std::mem::take(&mut self.lints),
            ..Self::default()
        };
        self.restore_signals(&signals);
        self.restore_waits(awaited);
    }

    /// Everything begins again with the first call: no signal is raised, and no host thread knows of another.
    pub(super) fn lower(&mut self) {
        self.watched.forget();
        self.signals.clear();
        self.circular_calls = CircularCalls::default();
        self.memory.forget_lost();
        self.meetings.forget();
        self.hosts.clear();
        // What is kept for a host thread on a stream, as from the streams' making, is of one that is there no more.
        for stream in &mut self.streams {
            stream.chains.clear();
        }
        self.lowered += 1;
    }
}

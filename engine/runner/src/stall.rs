//! Host threads and streams that wait for each other for ever: found, and named.

use record::{SignalIndex, StreamIndex};
use std::sync::atomic::Ordering::Relaxed;

use super::shared::RunState;
use backend::{Activity, Blocker, HostIndex};
use device::lock;
use workload::{Call, HostCall, SyncTarget};

/// Calls that are looked through for one that would raise a signal.
const LOOK_AHEAD: usize = 1_000_000;

/// Watches for the moment from which on nothing can move.
#[derive(Debug, Default)]
pub struct StallWatch {
    previous: Option<Activity>,
}

impl StallWatch {
    /// Looks at the device. Gives the reason once nothing can ever move again although work is pending.
    pub fn look(&mut self, shared: &RunState) -> Option<String> {
        let mut activity = shared.device.activity();
        activity.due += shared.due();
        // Two equal readings in a row were true together at one instant; see `Activity`.
        let is_certain = activity.is_stalled() && self.previous.as_ref() == Some(&activity);
        let reason = is_certain.then(|| explain(shared, &activity));
        self.previous = Some(activity);
        reason
    }
}

fn explain(shared: &RunState, activity: &Activity) -> String {
    let hosts = activity
        .hosts
        .iter()
        .enumerate()
        .filter_map(|(place, host)| {
            let blocker = host.blocker?;
            let line = shared
                .hosts()
                .get(place)
                .map_or(0, |host| host.line.load(Relaxed));
            let name = shared.plan.hosts.get(place).map_or("?", |host| &host.name);
            Some(format!(
                "host {name} (line {line}) waits for {}",
                blocked(shared, blocker)
            ))
        });
    let streams = activity
        .streams
        .iter()
        .enumerate()
        .filter_map(|(place, stream)| {
            let stream_index = StreamIndex(place as u32);
            let line = match stream.blocker? {
                Blocker::Signal(signal) => hold_line(shared, signal, stream_index),
                _ => None,
            };
            let line = line
                .map(|line| format!(" (held at line {line})"))
                .unwrap_or_default();
            let waits = blocked(shared, stream.blocker?);
            Some(format!(
                "stream {}{line} waits for {waits}",
                stream_name(shared, stream_index)
            ))
        });
    let waits: Vec<String> = hosts.chain(streams).collect();
    format!(
        "nothing can go on: {}. Raise each signal before anything that waits for it, on a host thread \
         that is not blocked itself",
        waits.join("; ")
    )
}

fn blocked(shared: &RunState, blocker: Blocker) -> String {
    match blocker {
        Blocker::Signal(signal) => {
            let name = shared
                .plan
                .signals
                .get(signal.index())
                .map_or("?", |name| name);
            format!("signal {name}, {}", raisers(shared, signal))
        }
        Blocker::Event(event) | Blocker::Target(SyncTarget::Event(event)) => {
            let name = shared
                .plan
                .events
                .get(event.index())
                .map_or("?", |event| &event.name);
            let recorded = shared.events.latest(event, |latest| latest).ok().flatten();
            // Of several records an earlier one may be meant.
            let recorded = recorded.filter(|latest| latest.generation == 1);
            let place = recorded.map(|latest| {
                format!(
                    ", recorded on stream {}",
                    stream_name(shared, latest.stream)
                )
            });
            format!("event {name}{}", place.unwrap_or_default())
        }
        Blocker::Target(SyncTarget::Stream(stream)) => {
            format!("stream {}", stream_name(shared, stream))
        }
        Blocker::Target(SyncTarget::Device) => "the device".to_owned(),
        Blocker::Stream(stream) => format!(
            "what was submitted to stream {}",
            stream_name(shared, stream)
        ),
        Blocker::Slot => "a slot for an event, of which all are taken".to_owned(),
        Blocker::Flag => "a promise that nothing settles any more".to_owned(),
        Blocker::Room(stream) => {
            format!(
                "room in the queue of stream {}",
                stream_name(shared, stream)
            )
        }
    }
}

fn stream_name(shared: &RunState, stream: StreamIndex) -> &str {
    let stream = shared.plan.streams.get(stream.index());
    stream.map_or("?", |stream| &stream.name)
}

fn hold_line(shared: &RunState, signal: SignalIndex, stream: StreamIndex) -> Option<u32> {
    lock(shared.signal(signal)?).holds.get(&stream).copied()
}

/// Who would still raise a signal, and where.
fn raisers(shared: &RunState, signal: SignalIndex) -> String {
    let hosts = shared.hosts().iter().enumerate();
    let found: Vec<String> = hosts
        .filter_map(|(place, progress)| {
            let made = progress.calls.load(Relaxed) as usize;
            let mut ahead = shared.plan.calls(place).skip(made).take(LOOK_AHEAD);
            let raise =
                ahead.find(|placed| placed.call == Call::Host(HostCall::Signal { signal }))?;
            let name = &shared.plan.hosts.get(HostIndex(place).0)?.name;
            Some(format!("host {name} at line {}", raise.place.line))
        })
        .collect();
    if found.is_empty() {
        "which nobody raises any more".to_owned()
    } else {
        format!("which only {} raises", found.join(" and "))
    }
}

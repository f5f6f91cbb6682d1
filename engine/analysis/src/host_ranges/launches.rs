//! What was launched, thread by thread in the order of the calls, and which spans of other threads go on with what one began.

use std::collections::BTreeSet;
use std::ops::Range;

use capture::Capture;
use record::time::{Interval, Nanos};
use record::{DependencyId, DependencyKind, DeviceId, Group, Role, SpanId};

use super::{HostScope, ThreadNumbers};
use crate::moved_bytes::moved_bytes;

/// An operation of a device, and the call that launched it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaunchedOperation {
    thread: u32,
    /// The call, or what else a file ties the operation to.
    pub call: SpanId,
    /// When that began: a range launched what was called between its begin and its end.
    pub at: Nanos,
    /// The operation.
    pub operation: SpanId,
    /// When it ran.
    pub interval: Interval,
    /// Bytes that it moved.
    pub bytes: u64,
    /// The device that it ran on; [`DeviceId::NONE`] where its lane has none.
    device: DeviceId,
    /// Whether the file calls it a launch; else it merely ties the two.
    is_submission: bool,
}

/// A span of a thread, and one of the host that goes on with it: a forward pass and its backward pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadLink {
    thread: u32,
    /// When the span began that the link is from.
    pub at: Nanos,
    /// Which launches lie within the span that it leads to.
    pub window: (u32, u32),
}

/// Everything that was launched, thread by thread.
#[derive(Debug, Default)]
pub(super) struct Launches {
    all: Vec<LaunchedOperation>,
    links: Vec<ThreadLink>,
    /// Sums over the launches before each, and over all at the end: device time, bytes, and calls.
    sums: Vec<LaunchSums>,
    /// The links with the time that each leads to.
    ties: Vec<ThreadTie>,
}

/// What launches come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LaunchSums {
    pub device: Nanos,
    pub bytes: u64,
    pub calls: u64,
}

/// A span of a thread, when it began, and the thread and the time of what goes on with it.
type ThreadTie = (u32, Nanos, u32, Interval);

impl Launches {
    /// All that a capture ties to calls of the host, on the lanes that `scope` asks for.
    pub fn new(capture: &Capture, threads: &ThreadNumbers, scope: &HostScope) -> Self {
        let (mut all, ties) = read(capture, threads, scope);
        all.sort_by_key(|it| (it.thread, it.at, it.call, it.operation));
        without_repetitions(&mut all);
        Self::of(all, ties)
    }

    /// Launches that are in order, and what leads to them.
    fn of(all: Vec<LaunchedOperation>, ties: Vec<ThreadTie>) -> Self {
        let mut sums = Vec::with_capacity(all.len() + 1);
        let mut sum = LaunchSums::default();
        let mut last = None;
        for launch in &all {
            sums.push(sum);
            let call = (launch.thread, launch.call);
            sum.calls += u64::from(last != Some(call));
            last = Some(call);
            sum.device += launch.interval.length();
            sum.bytes = sum.bytes.saturating_add(launch.bytes);
        }
        sums.push(sum);
        let mut found = Self {
            all,
            links: Vec::new(),
            sums,
            ties,
        };
        let links = found.ties.iter().map(|it| found.link(it));
        found.links = links.filter(|it| it.window.0 < it.window.1).collect();
        found.links.sort_by_key(|it| (it.thread, it.at, it.window));
        found
    }

    /// Which launches a tie leads to.
    fn link(&self, (thread, at, target, within): &ThreadTie) -> ThreadLink {
        let of_target = self.of_thread(*target as usize);
        let first = of_target.start as u32;
        let own = self.all.get(of_target).unwrap_or_default();
        let from = own.partition_point(|it| it.at < within.start) as u32;
        let to = own.partition_point(|it| it.at < within.end) as u32;
        ThreadLink {
            thread: *thread,
            at: *at,
            window: (first + from, first + to.max(from)),
        }
    }

    /// Those of some operations alone.
    pub fn only(&self, operations: &BTreeSet<SpanId>) -> Self {
        self.filtered(|it| operations.contains(&it.operation))
    }

    /// Those that ran on a device alone.
    pub fn on(&self, device: DeviceId) -> Self {
        self.filtered(|it| it.device == device)
    }

    fn filtered(&self, is_wanted: impl Fn(&LaunchedOperation) -> bool) -> Self {
        let own = self.all.iter().filter(|it| is_wanted(it)).copied();
        Self::of(own.collect(), self.ties.clone())
    }

    /// The devices that they ran on.
    pub fn devices(&self) -> BTreeSet<DeviceId> {
        self.all.iter().map(|it| it.device).collect()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Which launches are a thread's.
    pub fn of_thread(&self, thread: usize) -> Range<usize> {
        let first = self.all.partition_point(|it| (it.thread as usize) < thread);
        first..self.all.partition_point(|it| it.thread as usize <= thread)
    }

    /// The links from a thread.
    pub fn links_of(&self, thread: usize) -> &[ThreadLink] {
        let first = self
            .links
            .partition_point(|it| (it.thread as usize) < thread);
        let last = self
            .links
            .partition_point(|it| it.thread as usize <= thread);
        self.links.get(first..last).unwrap_or_default()
    }

    /// The launches of a window.
    pub fn within(&self, window: Range<usize>) -> &[LaunchedOperation] {
        self.all.get(window).unwrap_or_default()
    }

    /// What those of a window come to.
    pub fn sums(&self, window: &Range<usize>) -> LaunchSums {
        let at = |place: usize| self.sums.get(place).copied().unwrap_or_default();
        let (from, to) = (at(window.start), at(window.end));
        LaunchSums {
            device: to.device - from.device,
            bytes: to.bytes - from.bytes,
            calls: to.calls - from.calls,
        }
    }
}

/// Reads the dependencies: what calls launched, and which spans of the host go on with others.
fn read(
    capture: &Capture,
    threads: &ThreadNumbers,
    scope: &HostScope,
) -> (Vec<LaunchedOperation>, Vec<ThreadTie>) {
    let (mut launches, mut links) = (Vec::new(), Vec::new());
    for id in (0..capture.dependency_count() as u32).map(DependencyId) {
        let Some(tie) = capture.dependency(id) else {
            continue;
        };
        if !matches!(tie.kind, DependencyKind::Submission | DependencyKind::Flow) {
            continue;
        }
        let (Some(cause), Some(effect)) = (capture.span(tie.cause), capture.span(tie.effect))
        else {
            continue;
        };
        let Some(thread) = threads.of(cause.span.lane).map(|it| it as u32) else {
            continue;
        };
        let Some(lane) = capture.lane(effect.span.lane) else {
            continue;
        };
        let is_submission = tie.kind == DependencyKind::Submission;
        let kind = effect.span.kind;
        match lane.group {
            Group::Streams if lane.role != Role::Queue && kind.is_device_work() => {
                if !scope.has_operations_of(lane.id) {
                    continue;
                }
                launches.push(LaunchedOperation {
                    thread,
                    call: cause.span.id,
                    at: cause.span.start,
                    operation: effect.span.id,
                    interval: effect.interval(),
                    bytes: moved_bytes(capture, &effect.span).unwrap_or(0),
                    device: lane.device.unwrap_or(DeviceId::NONE),
                    is_submission,
                });
            }
            Group::Host if !is_submission => {
                if let Some(target) = threads.of(effect.span.lane) {
                    let within = effect.interval();
                    links.push((thread, cause.span.start, target as u32, within));
                }
            }
            _ => {}
        }
    }
    (launches, links)
}

/// Leaves one launch for each operation and thread: what the file calls one, before what it merely ties.
fn without_repetitions(all: &mut Vec<LaunchedOperation>) {
    if all.iter().all(|it| it.is_submission) {
        return;
    }
    let told = all.iter().filter(|it| it.is_submission);
    let mut known: BTreeSet<(u32, SpanId)> = told.map(|it| (it.thread, it.operation)).collect();
    all.retain(|it| it.is_submission || known.insert((it.thread, it.operation)));
}

//! Whether a workload of several host threads can come to a point where nothing goes on, though it need not: that may
//! depend on which of two threads makes its call first. Tried out, with threads that take turns at random.

use std::collections::{BTreeMap, BTreeSet};

use super::draw::SeededRandom;
use super::text::{GeneratedCall, GeneratedWorkload, SynchronizationMode, share_legacy};

/// Courses that are tried.
const COURSES: u64 = 2_000;

/// An operation that was submitted.
struct TriedOperation {
    call: GeneratedCall,
    stream: usize,
    /// What must be over before it.
    after: Vec<usize>,
    signal: Option<usize>,
    is_over: bool,
}

/// What a host thread goes on after.
#[derive(Default)]
struct HostWait {
    operations: Vec<usize>,
    signal: Option<usize>,
}

#[derive(Default)]
struct TriedCourse {
    operations: Vec<TriedOperation>,
    raised: BTreeSet<usize>,
    /// The latest record of each event.
    records: BTreeMap<usize, usize>,
}

/// Whether some order of the calls of its host threads leaves them, or a stream, waiting for ever.
pub fn may_get_stuck(workload: &GeneratedWorkload) -> bool {
    (0..COURSES).any(|seed| gets_stuck(workload, &mut SeededRandom::new(seed)))
}

fn gets_stuck(workload: &GeneratedWorkload, random: &mut SeededRandom) -> bool {
    let hosts = workload.calls();
    let mut course = TriedCourse::default();
    let mut places = vec![0; hosts.len()];
    let mut waits: Vec<HostWait> = hosts.iter().map(|_| HostWait::default()).collect();
    loop {
        course.go_on();
        let goes_on =
            |host: &usize| places[*host] < hosts[*host].len() && course.is_past(&waits[*host]);
        let able: Vec<usize> = (0..hosts.len()).filter(goes_on).collect();
        if able.is_empty() {
            let is_over =
                |host: usize| places[host] == hosts[host].len() && course.is_past(&waits[host]);
            return !(0..hosts.len()).all(is_over)
                || course.operations.iter().any(|it| !it.is_over);
        }
        let host = able[random.below(able.len())];
        waits[host] = course.call(workload, hosts[host][places[host]]);
        places[host] += 1;
    }
}

impl TriedCourse {
    /// Every operation that can end does.
    fn go_on(&mut self) {
        let mut is_news = true;
        while is_news {
            is_news = false;
            for place in 0..self.operations.len() {
                let it = &self.operations[place];
                let is_raised = it.signal.is_none_or(|signal| self.raised.contains(&signal));
                let mut after = it.after.iter();
                if !it.is_over && is_raised && after.all(|&it| self.operations[it].is_over) {
                    self.operations[place].is_over = true;
                    is_news = true;
                }
            }
        }
    }

    fn is_past(&self, wait: &HostWait) -> bool {
        wait.operations
            .iter()
            .all(|&it| self.operations[it].is_over)
            && wait
                .signal
                .is_none_or(|signal| self.raised.contains(&signal))
    }

    /// What is submitted and not over, on streams of some sort.
    fn open(&self, is_meant: impl Fn(&TriedOperation) -> bool) -> Vec<usize> {
        let places = 0..self.operations.len();
        places
            .filter(|&it| !self.operations[it].is_over && is_meant(&self.operations[it]))
            .collect()
    }

    fn call(&mut self, workload: &GeneratedWorkload, call: GeneratedCall) -> HostWait {
        let mut wait = HostWait::default();
        match call {
            GeneratedCall::Signal(signal) => drop(self.raised.insert(signal)),
            GeneratedCall::Await(signal) => wait.signal = Some(signal),
            GeneratedCall::SynchronizeDevice => wait.operations = self.open(|_| true),
            GeneratedCall::SynchronizeStream(stream) => {
                wait.operations = self
                    .open(|it| it.stream == stream || share_legacy(workload, it.stream, stream));
            }
            GeneratedCall::SynchronizeEvent(event) => {
                wait.operations.extend(self.records.get(&event));
            }
            _ => self.submit(workload, call),
        }
        wait
    }

    fn submit(&mut self, workload: &GeneratedWorkload, call: GeneratedCall) {
        let Some(stream) = call.stream() else { return };
        let is_ordered = workload.mode != SynchronizationMode::Manual;
        let mut after = self.open(|it| {
            it.stream == stream
                || share_legacy(workload, it.stream, stream)
                || is_ordered && conflict(it.call, call)
        });
        let mut signal = None;
        match call {
            GeneratedCall::Wait(event, _) => after.extend(self.records.get(&event)),
            GeneratedCall::Join(from, _) => {
                after.extend(
                    self.open(|it| it.stream == from || share_legacy(workload, it.stream, from)),
                );
            }
            GeneratedCall::Hold(held, _) => signal = Some(held),
            GeneratedCall::Record(event, _) => {
                self.records.insert(event, self.operations.len());
            }
            _ => {}
        }
        self.operations.push(TriedOperation {
            call,
            stream,
            after,
            signal,
            is_over: false,
        });
    }
}

/// Whether the engine makes one of two calls wait for the other, where it orders them: for what both use, in doubt always.
fn conflict(first: GeneratedCall, second: GeneratedCall) -> bool {
    let (GeneratedCall::Work(first, _), GeneratedCall::Work(second, _)) = (first, second) else {
        return false;
    };
    let buffers = |work: super::text::BufferWork| {
        let copies = work.reads().into_iter().chain([work.writes()]);
        copies.map(|it| it.buffer).collect::<BTreeSet<usize>>()
    };
    !buffers(first).is_disjoint(&buffers(second))
}

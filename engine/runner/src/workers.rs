//! The workers of a virtual machine: threads that launch instructions, by the sort of their device.
//!
//! All streams share one, whatever their role; critical sections and lazy jobs have one of their own each, since they may
//! block it. An instruction is handed over once nothing holds it any more, and whoever called goes on once it is launched.

use record::StreamIndex;
use std::sync::{Arc, Mutex, Weak};
use std::thread::Builder;

use crossbeam_channel::{Sender, bounded};

use super::shared::RunState;
use backend::{BackendError, HostIndex, Submission};
use device::lock;
use record::time::Nanos;
use workload::{MachineThreads, Plan, StreamRole};

/// The threads of a machine.
pub struct Workers {
    /// The role that each is for; none for all others. Empty where the thread that calls launches.
    contexts: Vec<Option<StreamRole>>,
    roles: Vec<StreamRole>,
    threads: Vec<Mutex<Option<Sender<LaunchJob>>>>,
}

/// A launch to make, and where to say when it was begun and what it came to.
struct LaunchJob {
    host: HostIndex,
    stream: StreamIndex,
    submission: Submission,
    done: Sender<(Nanos, Result<(), BackendError>)>,
}

impl Workers {
    /// For the streams of a plan.
    pub fn new(plan: &Plan, threads: MachineThreads) -> Self {
        let roles: Vec<StreamRole> = plan.streams.iter().map(|stream| stream.role).collect();
        let alone = [StreamRole::CriticalSection, StreamRole::LazyJob];
        let alone = alone.into_iter().filter(|role| roles.contains(role));
        let contexts: Vec<Option<StreamRole>> = match threads {
            MachineThreads::One => Vec::new(),
            MachineThreads::Many => [None].into_iter().chain(alone.map(Some)).collect(),
        };
        Self {
            threads: contexts.iter().map(|_| Mutex::default()).collect(),
            contexts,
            roles,
        }
    }

    /// How many lanes they have: one where the thread that calls launches.
    pub const fn lanes(&self) -> u32 {
        match self.contexts.len() {
            0 => 1,
            count => count as u32,
        }
    }

    /// What their lanes are called, on a device of this sort.
    pub fn names(&self, kind: &str) -> Vec<String> {
        let name = |context: &Option<StreamRole>| match context {
            None => format!("machine: worker for {kind}"),
            Some(StreamRole::CriticalSection) => format!("machine: critical sections of {kind}"),
            Some(_) => format!("machine: lazy jobs of {kind}"),
        };
        if self.contexts.is_empty() {
            return vec!["machine: the calling thread".to_owned()];
        }
        self.contexts.iter().map(name).collect()
    }

    /// The place among the lanes of whoever launches what `stream` is given.
    pub fn place(&self, stream: StreamIndex) -> u32 {
        let role = self.roles.get(stream.index()).copied();
        let place = self
            .contexts
            .iter()
            .position(|it| it.is_some() && *it == role);
        place.unwrap_or_default() as u32
    }

    /// Launches an operation on the worker for its stream, or here. Answers when that was begun.
    ///
    /// # Errors
    /// As for [`backend::DeviceQueue::submit`].
    pub fn launch(
        &self,
        shared: &Arc<RunState>,
        host: HostIndex,
        stream: StreamIndex,
        submission: Submission,
    ) -> Result<Nanos, BackendError> {
        let here = |submission| {
            let begun = shared.device.now(host);
            shared
                .device
                .submit(host, stream, submission)
                .map(|()| begun)
        };
        let Some(thread) = self.threads.get(self.place(stream) as usize) else {
            return here(submission);
        };
        let (done, answer) = bounded(1);
        let job = LaunchJob {
            host,
            stream,
            submission,
            done,
        };
        let sent = {
            let mut sender = lock(thread);
            if sender.is_none() {
                *sender = start(Arc::downgrade(shared));
            }
            match sender.as_ref() {
                Some(sender) => sender.send(job).map_err(|refused| refused.0),
                None => Err(job),
            }
        };
        match sent {
            // No thread could be started.
            Err(job) => here(job.submission),
            Ok(()) => match answer.recv() {
                Ok((begun, result)) => result.map(|()| begun),
                Err(_) => Err(BackendError::Stopped),
            },
        }
    }
}

/// A worker, which ends with the run.
fn start(shared: Weak<RunState>) -> Option<Sender<LaunchJob>> {
    let (sender, jobs) = bounded::<LaunchJob>(1);
    let work = move || {
        for job in jobs {
            let Some(shared) = shared.upgrade() else {
                return;
            };
            let begun = shared.device.now(job.host);
            let result = shared.device.submit(job.host, job.stream, job.submission);
            // Whoever asked is waiting.
            let _ = job.done.send((begun, result));
        }
    };
    let thread = Builder::new().name("machine".to_owned()).spawn(work);
    thread.is_ok().then_some(sender)
}

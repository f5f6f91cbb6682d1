//! Runs that may take their process with them: they go to a worker of this machine's, so that a fault ends that and
//! nothing else.

use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use crossbeam_channel::RecvTimeoutError;

use super::engine::Engine;
use super::far::WorkerTarget;
use super::protocol::Message;
use backend::{self, BackendError, ProbedDevice};
use device::lock;

/// How long a worker may take to say what it has.
const PATIENCE: Duration = Duration::from_secs(30);

static TARGET: OnceLock<WorkerTarget> = OnceLock::new();

/// From now on, runs on backends whose faults end a process go to workers that `target` starts, and so do looks at their
/// devices: this process never opens one. The first call counts.
pub fn run_apart(target: WorkerTarget) {
    if TARGET.set(target).is_ok() {
        backend::look_apart(look);
    }
}

/// Where a run on a backend goes, where that is a worker.
pub(super) fn target(name: &str) -> Option<WorkerTarget> {
    let needs = backend::find_backend(name).is_some_and(backend::Backend::ends_processes);
    TARGET.get().filter(|_| needs).cloned()
}

/// What a worker finds for a backend, asked once.
fn look(name: &str) -> Result<Vec<ProbedDevice>, BackendError> {
    static FOUND: Mutex<Option<Result<Vec<ProbedDevice>, BackendError>>> = Mutex::new(None);
    let mut found = lock(&FOUND);
    found.get_or_insert_with(|| ask(name)).clone()
}

fn ask(name: &str) -> Result<Vec<ProbedDevice>, BackendError> {
    let absent = |why: String| {
        BackendError::Absent(format!("a worker that should look is not there: {why}"))
    };
    let target = TARGET.get().cloned();
    let target = target.ok_or_else(|| absent("nobody said how to start one".to_owned()))?;
    let engine = Engine::connect(target, Box::new(|| ()));
    let until = Instant::now() + PATIENCE;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match engine.messages().recv_timeout(left) {
            Ok(Message::Offers(offers)) => {
                let offer = offers.into_iter().find(|offer| offer.backend == name);
                let offer = offer.ok_or_else(|| absent("it has no such backend".to_owned()))?;
                return match offer.reason {
                    Some(reason) => {
                        let prefix = BackendError::Absent(String::new()).to_string();
                        let reason = reason.strip_prefix(&prefix).unwrap_or(&reason);
                        Err(BackendError::Absent(reason.to_owned()))
                    }
                    None => Ok(offer
                        .adapters
                        .into_iter()
                        .map(|(name, caps)| ProbedDevice { name, caps })
                        .collect()),
                };
            }
            Ok(Message::Refused(reason)) => return Err(absent(reason)),
            Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout) => {
                return Err(absent("it said nothing in time".to_owned()));
            }
            Ok(_) => {}
        }
    }
}

/// The backends whose runs go to workers here.
pub fn apart() -> BTreeSet<&'static str> {
    let all = backend::BACKENDS.iter().map(|it| it.name());
    all.filter(|name| target(name).is_some()).collect()
}

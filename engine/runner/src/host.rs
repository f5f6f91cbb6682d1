//! A host thread of the workload: makes its calls one after the other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;

use crossbeam_channel::Sender;

use super::caller::Caller;
use super::host_schedule::HostSchedule;
use super::recorder::Reporter;
use super::shared::RunState;
use backend::{BackendError, HostIndex, SystemThread};
use device::DeviceStatus;
use record::{EventId, Log, Problem, Record, Severity, SpanId};

/// Starts the thread of `host`, which says on `done` that it ended, whatever ended it.
///
/// # Errors
/// The system gives no thread.
pub fn start(
    shared: Arc<RunState>,
    host: HostIndex,
    reporter: Reporter,
    done: Sender<HostIndex>,
) -> Result<JoinHandle<()>, BackendError> {
    let name = shared.plan.hosts.get(host.0).map(|host| host.name.clone());
    let thread = std::thread::Builder::new().name(name.unwrap_or_default());
    let spawned = thread.spawn(move || {
        let mut schedule = HostSchedule::begin(&shared, host, &reporter);
        let followed = &mut schedule;
        let calls = AssertUnwindSafe(|| make_calls(&shared, host, (&reporter, followed)));
        let reason = match catch_unwind(calls) {
            Ok(Ok(()) | Err(BackendError::Stopped)) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(payload) => Some(panicked(&shared, host, &reporter, payload.as_ref())),
        };
        if let Some(reason) = reason {
            let place = place(&shared, host);
            report_failure(&shared, host, &reporter, &format!("{place}: {reason}"));
        }
        if let Some(progress) = shared.host(host) {
            let times = SystemThread::current().and_then(|it| it.times());
            let starved = times.unwrap_or_default().waited;
            progress.starved.store(starved.0, Relaxed);
        }
        if let Some(schedule) = schedule {
            schedule.end(&shared, host, &reporter);
        }
        shared.device.leave(host);
        // Nobody listens any more where the engine gave up.
        let _ = done.try_send(host);
    });
    spawned.map_err(|error| BackendError::Thread(error.to_string()))
}

fn make_calls(
    shared: &Arc<RunState>,
    host: HostIndex,
    (reporter, schedule): (&Reporter, &mut Option<HostSchedule>),
) -> Result<(), BackendError> {
    let mut caller = Caller::new(Arc::clone(shared), host, reporter.clone());
    let mut calls = shared.plan.calls(host.0);
    while let Some(placed) = calls.next() {
        if let Some(schedule) = schedule {
            schedule.report(host, reporter);
        }
        shared.device.turn(host)?;
        shared.gate.pass(host)?;
        if let Some(progress) = shared.host(host) {
            progress.calls.fetch_add(1, Relaxed);
            progress.line.store(placed.place.line, Relaxed);
        }
        // What is called while the device is opened anew would be lost with nobody having wanted that.
        shared.losses.await_mended();
        if shared.losses.is_replaying() {
            break;
        }
        if let Some(timelines) = &shared.timelines {
            if caller.has_waited() {
                timelines.drain(shared, host);
            }
            timelines.release(host, reporter);
        }
        shared.before_call(placed.place, reporter);
        let made = caller.make(&placed);
        let kind = made.as_ref().err().and_then(BackendError::kind);
        if let Some(kind) = kind {
            caller.note_uses_left_out(&placed, calls.left_out(kind));
        }
        if let Some(line) = kind.and_then(|kind| calls.catch(kind)) {
            caller.note_caught(line);
            if made.is_err_and(|error| {
                matches!(error, BackendError::Poisoned(_) | BackendError::Lost(_))
                    || shared.tells(&error)
            }) {
                shared.note_loss(reporter);
                shared.forgive();
            }
            continue;
        }
        match made {
            // As WebGPU has it: what is asked of a lost device comes to nothing, and whoever asked goes on.
            Err(BackendError::Lost(_)) => {
                shared.note_loss(reporter);
                if !shared.losses.is_replaying() && !shared.losses.goes_on() {
                    return Err(lost(shared));
                }
            }
            other => other?,
        }
    }
    match &shared.timelines {
        Some(timelines) if !shared.losses.is_replaying() => {
            let settled = timelines.settle_all(shared, host).map(|_| ());
            timelines.release(host, reporter);
            match settled {
                // The workload begins again: what this one still waited for is settled with its generation.
                Err(BackendError::Lost(_)) => Ok(()),
                settled => settled,
            }
        }
        _ => Ok(()),
    }
}

/// Why a host thread ends whose device was lost by itself.
fn lost(shared: &RunState) -> BackendError {
    match shared.device.status() {
        DeviceStatus::Lost(reason) => BackendError::Lost(reason),
        _ => BackendError::Lost("it has been opened anew meanwhile".to_owned()),
    }
}

/// Where a host thread is, for the text of an error.
pub fn place(shared: &RunState, host: HostIndex) -> String {
    let name = shared.plan.hosts.get(host.0).map_or("?", |host| &host.name);
    let line = shared
        .host(host)
        .map_or(0, |progress| progress.line.load(Relaxed));
    format!("host {name}, line {line}")
}

fn panicked(
    shared: &RunState,
    host: HostIndex,
    reporter: &Reporter,
    payload: &(dyn std::any::Any + Send),
) -> String {
    let text = panic_text(payload);
    reporter.send(Record::Problem(Box::new(Problem {
        severity: Severity::Error,
        code: "host-panic".to_owned(),
        text: format!(
            "{}: Syncline itself failed ({text}); the capture ends here, please report it",
            place(shared, host)
        ),
        span: SpanId::NONE,
        event: EventId::NONE,
    })));
    format!("Syncline itself failed: {text}")
}

fn report_failure(shared: &RunState, host: HostIndex, reporter: &Reporter, reason: &str) {
    reporter.send(Record::Log(Box::new(Log {
        time: shared.device.now(host),
        severity: Severity::Error,
        text: reason.to_owned(),
    })));
    shared.fail(reason);
}

/// What a panic said.
pub fn panic_text(payload: &(dyn std::any::Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    let owned = || payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(owned).unwrap_or("it gave no reason")
}

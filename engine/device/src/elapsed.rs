//! The time between two events, and every reason for which there is none.

use record::DeviceId;
use record::time::Nanos;

/// How far the latest record of an event has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordProgress {
    /// It was never recorded: an empty set of work, complete for queries and waits (rule A1).
    #[default]
    NotRecorded,
    /// Its stream has not reached the record.
    Pending,
    /// Its stream reached the record, at this instant.
    Reached(Nanos),
    /// The record was cancelled, or work before it failed.
    Failed,
}

/// What elapsed time depends on, for one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventStatus {
    /// The device it belongs to.
    pub device: DeviceId,
    /// Whether it was made to keep times.
    pub timing: bool,
    /// Its latest record.
    pub progress: RecordProgress,
}

/// Why two events have no time between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ElapsedError {
    /// An event was made without timing (rule A15).
    #[error("an event keeps no times: both must be made with timing; remove timing=#false")]
    TimingDisabled,
    /// An event was never recorded (rule A14).
    #[error("an event was never recorded: record both before taking the time between them")]
    NotRecorded,
    /// A record was not reached yet (rule A16).
    #[error("an event was recorded and not reached yet: synchronize with it first")]
    NotReady,
    /// The events belong to different devices (rule A20).
    #[error("the events belong to different devices, whose clocks differ: record both on one")]
    OtherDevice,
    /// A record was cancelled or work before it failed.
    #[error("an event's record failed or was cancelled: see the first failed operation")]
    Failed,
}

/// The time from the latest record of `start` to that of `end`, which is negative where `end` came
/// first. Never waits for either (rules A14 to A18).
///
/// # Errors
/// Checked in the order device, timing, recorded, failed, ready.
pub fn elapsed(start: EventStatus, end: EventStatus) -> Result<Nanos, ElapsedError> {
    if start.device != end.device {
        return Err(ElapsedError::OtherDevice);
    }
    if !start.timing || !end.timing {
        return Err(ElapsedError::TimingDisabled);
    }
    match (start.progress, end.progress) {
        (RecordProgress::NotRecorded, _) | (_, RecordProgress::NotRecorded) => {
            Err(ElapsedError::NotRecorded)
        }
        (RecordProgress::Failed, _) | (_, RecordProgress::Failed) => Err(ElapsedError::Failed),
        (RecordProgress::Pending, _) | (_, RecordProgress::Pending) => Err(ElapsedError::NotReady),
        (RecordProgress::Reached(start), RecordProgress::Reached(end)) => Ok(end - start),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(progress: RecordProgress) -> EventStatus {
        EventStatus {
            device: DeviceId(0),
            timing: true,
            progress,
        }
    }

    #[test]
    fn each_reason_in_its_order() {
        let reached = |nanos| event(RecordProgress::Reached(Nanos(nanos)));
        let untimed = |progress| EventStatus {
            timing: false,
            ..event(progress)
        };
        let elsewhere = EventStatus {
            device: DeviceId(1),
            ..untimed(RecordProgress::NotRecorded)
        };
        let cases = [
            (reached(3), reached(10), Ok(Nanos(7))),
            (reached(10), reached(3), Ok(Nanos(-7))),
            (reached(0), elsewhere, Err(ElapsedError::OtherDevice)),
            (
                untimed(RecordProgress::NotRecorded),
                reached(0),
                Err(ElapsedError::TimingDisabled),
            ),
            (
                reached(0),
                untimed(RecordProgress::Pending),
                Err(ElapsedError::TimingDisabled),
            ),
            (
                event(RecordProgress::NotRecorded),
                event(RecordProgress::Failed),
                Err(ElapsedError::NotRecorded),
            ),
            (
                event(RecordProgress::Pending),
                event(RecordProgress::NotRecorded),
                Err(ElapsedError::NotRecorded),
            ),
            (
                event(RecordProgress::Failed),
                event(RecordProgress::Pending),
                Err(ElapsedError::Failed),
            ),
            (
                reached(0),
                event(RecordProgress::Pending),
                Err(ElapsedError::NotReady),
            ),
        ];
        for (start, end, expected) in cases {
            assert_eq!(elapsed(start, end), expected, "{start:?} to {end:?}");
        }
    }
}

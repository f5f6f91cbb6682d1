//! How a paced device kept the law of its pace, as a capture tells it.

use capture::{Capture, PlacedSpan};
use record::time::Nanos;
use record::{
    ENGINE, ENGINE_WAIT, HELD, LATE, PaceLaw, PaceReport, PacedLength, State, Value, WORKED,
};

/// What an operation of a paced device spent its time on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacedShare {
    /// The engine that it ran on, or waited for; empty for a function of the host.
    pub engine: String,
    /// How long it waited for that engine, once everything else let it go.
    pub waited: Nanos,
    /// How long it really worked, and how long the pace held it besides; nothing where it never ran.
    pub ran: Option<PacedRunTimes>,
}

/// How an operation of a paced device spent the time that it ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacedRunTimes {
    /// How long it really worked.
    pub worked: Nanos,
    /// How long the pace held it.
    pub held: Nanos,
    /// How much later than the law says it ended.
    pub late: Nanos,
}

impl PacedShare {
    /// Of a span; nothing where it is not of a paced device, or takes no time of one.
    pub fn of(capture: &Capture, placed: &PlacedSpan) -> Option<Self> {
        law(capture)?;
        let mut share = Self::default();
        let mut ran = PacedRunTimes::default();
        let (mut has_any, mut has_run) = (false, false);
        for (name, value) in capture.arguments(placed.span.id) {
            match (name, value) {
                (ENGINE, Value::Text(engine)) => share.engine = engine.to_string(),
                (ENGINE_WAIT, Value::Integer(time)) => share.waited = Nanos(time),
                (WORKED, Value::Integer(time)) => (ran.worked, has_run) = (Nanos(time), true),
                (HELD, Value::Integer(time)) => ran.held = Nanos(time),
                (LATE, Value::Integer(time)) => ran.late = Nanos(time),
                _ => continue,
            }
            has_any = true;
        }
        share.ran = has_run.then_some(ran);
        has_any.then_some(share)
    }

    /// The names of the fields that tell of it.
    pub const FIELDS: [&str; 5] = [ENGINE, ENGINE_WAIT, WORKED, HELD, LATE];
}

/// The law by which a device of the capture takes its time; nothing where none is paced.
pub fn law(capture: &Capture) -> Option<PaceLaw> {
    capture.devices().iter().find_map(|device| device.paced)
}

/// How the law was kept; nothing where no device of the capture is paced. Looks at every span.
pub fn report(capture: &Capture) -> Option<PaceReport> {
    law(capture)?;
    let ran = capture.spans().filter(|it| it.span.state == State::Done);
    let lengths = ran.filter_map(|placed| {
        let ran = PacedShare::of(capture, &placed)?.ran?;
        Some(PacedLength {
            law: placed.interval().length() - ran.late,
            late: ran.late,
            worked: ran.worked,
        })
    });
    Some(PaceReport::of(lengths.collect()))
}

//! Times of several files or ranks on one clock: by the instant at which each was made, where it says so, or from each start.

use record::time::{Interval, Nanos};
use record::{EventId, Problem, Record, Severity, SpanId};

/// Files that are further apart than this are of different runs, and are laid over each other instead.
const APART: Nanos = Nanos(3_600_000_000_000);

/// How a file's times were brought onto those of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClockAlignment {
    /// It is the first, or the only one.
    #[default]
    First,
    /// Both say when they were made.
    Clock,
    /// One of them does not say when it was made: they begin together.
    Start,
    /// Their clocks say that they are more than an hour apart: they begin together.
    Apart,
}

impl ClockAlignment {
    /// How it was found, in a few words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::First => "as it is",
            Self::Clock => "by its clock",
            Self::Start => "by its start",
            Self::Apart => "by its start, as its clock is hours off",
        }
    }

    /// What a reader must know of a part's times.
    pub fn note(self, label: &str) -> Option<String> {
        let why = match self {
            Self::First | Self::Clock => return None,
            Self::Start => "it, or the first file, does not say when it was made",
            Self::Apart => "its clock says that it was made more than an hour before or after",
        };
        Some(format!(
            "{label} was aligned by its start: {why}. Times of different files cannot be compared; move it where you know \
             better."
        ))
    }
}

/// Records of a file that wait until it is known how they are moved.
pub struct UnalignedRecords {
    is_first: bool,
    records: Vec<Record>,
    zero: Option<Nanos>,
    shift: Option<(Nanos, ClockAlignment)>,
}

impl UnalignedRecords {
    /// Of the first file, which is as it is, or of another one.
    pub fn new(is_first: bool) -> Self {
        Self {
            is_first,
            records: Vec::new(),
            zero: None,
            shift: is_first.then_some((Nanos::ZERO, ClockAlignment::First)),
        }
    }

    /// Takes records, and gives back those that need not wait. `zero` is when the first file was made, and `extent`
    /// where all files so far lie.
    pub fn take(
        &mut self,
        records: Vec<Record>,
        zero: Option<Nanos>,
        extent: Option<Interval>,
    ) -> Vec<Record> {
        let clock = records.iter().find_map(|record| match record {
            Record::Clock(clock) if clock.tells_zero() => Some(clock.offset),
            _ => None,
        });
        self.zero = self.zero.or(clock);
        if self.is_first {
            return records;
        }
        if let (None, Some(own)) = (self.shift, self.zero) {
            self.shift = Some(zero.map_or((Nanos::ZERO, ClockAlignment::Start), |zero| {
                by_clock(own - zero, extent.unwrap_or_default())
            }));
        }
        self.records.extend(records);
        if self.shift.is_some() {
            std::mem::take(&mut self.records)
        } else {
            Vec::new()
        }
    }

    /// The file is over: what still waits is moved by nothing.
    pub fn finish(&mut self) -> Vec<Record> {
        self.shift
            .get_or_insert((Nanos::ZERO, ClockAlignment::Start));
        std::mem::take(&mut self.records)
    }

    /// When the file was made: its capture time zero since 1970.
    pub fn zero(&self) -> Option<Nanos> {
        self.zero
    }

    /// By how much its times are moved.
    pub fn shift(&self) -> Nanos {
        self.shift.map_or(Nanos::ZERO, |(shift, _)| shift)
    }

    /// How that was found.
    pub fn aligned(&self) -> ClockAlignment {
        self.shift
            .map_or(ClockAlignment::Start, |(_, aligned)| aligned)
    }
}

fn by_clock(shift: Nanos, extent: Interval) -> (Nanos, ClockAlignment) {
    let near = Interval::new(extent.start - APART, extent.end + APART);
    if near.contains(shift) {
        (shift, ClockAlignment::Clock)
    } else {
        (Nanos::ZERO, ClockAlignment::Apart)
    }
}

/// Moves the times of a record.
pub fn shift(record: &mut Record, by: Nanos) {
    if by == Nanos::ZERO {
        return;
    }
    match record {
        Record::Span(span) => {
            for time in [&mut span.enqueued, &mut span.start, &mut span.end] {
                *time += by;
            }
        }
        Record::Began(began) => {
            began.enqueued += by;
            began.start += by;
        }
        Record::Sample(sample) => sample.time += by,
        Record::Schedule(schedule) => {
            for it in &mut schedule.intervals {
                it.interval.start += by;
                it.interval.end += by;
            }
        }
        Record::Loss(loss) => loss.time += by,
        Record::Recovery(recovery) => {
            recovery.lost += by;
            recovery.time += by;
        }
        Record::PipelineStep(step) => step.time += by,
        Record::Settlement(settlement) => settlement.time += by,
        Record::LaunchStep(step) => step.time += by,
        Record::Log(log) => log.time += by,
        Record::End(end) => end.time += by,
        Record::Bookmark(bookmark) => {
            let at = &mut bookmark.at;
            *at = Interval::new(at.start + by, at.end + by);
        }
        // A clock tells what it read at capture time zero, which is elsewhere now.
        Record::Clock(clock) => clock.offset = clock.offset - by,
        _ => {}
    }
}

/// From the first instant to the last that a record names.
pub fn reach(record: &Record) -> Option<Interval> {
    match record {
        Record::Span(span) => Some(Interval::new(span.start.min(span.enqueued), span.end)),
        Record::Sample(sample) => Some(Interval::new(sample.time, sample.time)),
        Record::Schedule(schedule) => {
            let all = schedule.intervals.iter().map(|it| it.interval);
            all.reduce(Interval::union)
        }
        _ => None,
    }
}

/// A problem of the files together.
pub fn problem(severity: Severity, code: &str, text: String) -> Record {
    Record::Problem(Box::new(Problem {
        severity,
        code: code.to_owned(),
        text,
        span: SpanId::NONE,
        event: EventId::NONE,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Clock;

    #[test]
    fn files_wait_for_their_clock_and_then_lie_where_it_says() {
        let unix = |zero| Record::Clock(Box::new(Clock::unix(Nanos(zero))));
        let log = || Record::Name(record::NameId(0), "a".into());
        let mut waiting = UnalignedRecords::new(false);
        let extent = Some(Interval::new(Nanos(0), Nanos(100)));
        assert!(
            waiting
                .take(vec![log()], Some(Nanos(1_000)), extent)
                .is_empty()
        );
        let all = waiting.take(vec![unix(1_250)], Some(Nanos(1_000)), extent);
        assert_eq!((all.len(), waiting.shift()), (2, Nanos(250)));
        assert_eq!(waiting.aligned(), ClockAlignment::Clock);
        let mut far = UnalignedRecords::new(false);
        far.take(vec![unix(i64::MAX)], Some(Nanos(1_000)), extent);
        assert_eq!(
            (far.shift(), far.aligned()),
            (Nanos::ZERO, ClockAlignment::Apart)
        );
        let mut silent = UnalignedRecords::new(false);
        assert!(silent.take(vec![log()], Some(Nanos(1)), extent).is_empty());
        assert_eq!(
            (silent.finish().len(), silent.aligned()),
            (1, ClockAlignment::Start)
        );
    }
}

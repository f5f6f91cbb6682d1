//! Ranges and lengths of time as they are written on the command line, such as `10ms..12.5ms`.

use engine::activity::RingLimit;
use engine::time::{Interval, Nanos};

use super::CliFailure;
use crate::text;

/// From when to when; an end that is left out is that of the capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRange {
    start: Option<Nanos>,
    end: Option<Nanos>,
}

impl TimeRange {
    /// What of the range lies in a capture of which everything lies in `all`.
    pub fn within(self, all: Interval) -> Result<Interval, CliFailure> {
        let start = self.start.map_or(all.start, |it| it.max(all.start));
        let end = self.end.map_or(all.end, |it| it.min(all.end));
        if start > end {
            let [first, last] = [all.start, all.end].map(text::duration);
            return Err(CliFailure::Wrong(format!(
                "nothing of the capture lies in --range: it goes from {first} to {last}"
            )));
        }
        Ok(Interval { start, end })
    }
}

/// A moment that was asked about by `option`, refused where it lies outside of a capture of which everything lies in `all`.
pub(super) fn moment_within(at: Nanos, option: &str, all: Interval) -> Result<Nanos, CliFailure> {
    if all.start <= at && at <= all.end {
        return Ok(at);
    }
    // To the nanosecond: rounded, the end could read as the moment that is refused.
    Err(CliFailure::Wrong(format!(
        "nothing of the capture lies at {option}: it goes from {} to {}",
        all.start, all.end
    )))
}

/// Reads a range.
pub(super) fn parse(text: &str) -> Result<TimeRange, String> {
    let (start, end) = text
        .split_once("..")
        .ok_or("write a start, `..` and an end, such as 10ms..12.5ms")?;
    let end = end.trim_start_matches('=');
    let (start, end) = (instant(start)?, instant(end)?);
    if let (Some(from), Some(to)) = (start, end)
        && from > to
    {
        return Err(format!(
            "“{text}” ends before it begins; write the earlier time first"
        ));
    }
    Ok(TimeRange { start, end })
}

/// Reads how long something lasts, in nanoseconds.
pub(super) fn length(text: &str) -> Result<u64, String> {
    let has_unit = text.trim().ends_with('s');
    let read = instant(text)?.filter(|it| has_unit && it.0 >= 0);
    read.map(|it| it.0.cast_unsigned()).ok_or_else(|| {
        format!("“{text}” is no length; write a number and ns, us, ms or s, such as 200ms")
    })
}

/// Reads how long a stretch of time is kept, and in how many bytes, as in `10s` or `10s,200MB`.
pub(super) fn ring(text: &str) -> Result<RingLimit, String> {
    let (time, size) = match text.split_once(',') {
        Some((time, size)) => (time, Some(size)),
        None => (text, None),
    };
    let bytes = size.map_or(Ok(RingLimit::USUAL), bytes)?;
    RingLimit::new(length(time)?, bytes)
}

/// Reads a number of bytes with its unit.
fn bytes(text: &str) -> Result<u64, String> {
    let units = [
        ("kB", 1e3),
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("B", 1.0),
    ];
    let text = text.trim();
    let found = units
        .iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
    let read = found.and_then(|(number, factor)| {
        let number: f64 = number.trim().replace('_', "").parse().ok()?;
        (number.is_finite() && number >= 0.0).then_some((number * factor) as u64)
    });
    read.ok_or_else(|| {
        format!("“{text}” is no size; write a number and kB, MB or GB, such as 200MB")
    })
}

/// Reads a moment.
pub(super) fn moment(text: &str) -> Result<Nanos, String> {
    instant(text)?.ok_or_else(|| "write a time, such as 12.5ms".to_owned())
}

fn instant(text: &str) -> Result<Option<Nanos>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    text::moment(text).map(Some).ok_or_else(|| {
        format!("“{text}” is no time; write a number and ns, us, ms or s, such as 12.5ms")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_need_a_unit() {
        assert_eq!(length("1.5s"), Ok(1_500_000_000));
        assert_eq!(length("200ms"), Ok(200_000_000));
        for wrong in ["5", "-1s", "", "s", "1h"] {
            assert!(length(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rings_have_a_time_and_a_size() {
        let read = |text: &str| ring(text).map(|it| (it.nanos, it.bytes));
        assert_eq!(read("10s"), Ok((10_000_000_000, RingLimit::USUAL)));
        assert_eq!(read("1.5s,200MB"), Ok((1_500_000_000, 200_000_000)));
        assert_eq!(read("2s, 8MiB"), Ok((2_000_000_000, 8 << 20)));
        for wrong in ["10", "10s,", "10s,5", "10s,-5MB", "0s", "10s,xMB", "200MB"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        let small = read("10s,1KB").unwrap_err();
        assert!(
            small.contains("too small") && small.contains("name 4 MB"),
            "{small}"
        );
    }

    #[test]
    fn times_have_units_and_ends_may_be_left_out() {
        let range = |start, end| Ok(TimeRange { start, end });
        let us = Nanos(12_500);
        assert_eq!(parse("10us..12.5us"), range(Some(Nanos(10_000)), Some(us)));
        assert_eq!(parse("..1_000"), range(None, Some(Nanos(1_000))));
        assert_eq!(parse("2s..="), range(Some(Nanos(2_000_000_000)), None));
        for wrong in ["10ms", "a..b", "1..2h", "2ms..1ms"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        let all = Interval::new(Nanos(0), Nanos(9));
        let within = |text: &str| parse(text).unwrap().within(all).ok();
        assert_eq!(within("..5"), Some(Interval::new(Nanos(0), Nanos(5))));
        // What reaches beyond the capture ends where it does, and what lies outside of it is none of it.
        assert_eq!(within("7..20"), Some(Interval::new(Nanos(7), Nanos(9))));
        assert_eq!(within("10.."), None);
        assert_eq!(within("10..20"), None);
    }

    #[test]
    fn moments_outside_of_a_capture_are_refused() {
        let all = Interval::new(Nanos(5), Nanos(9_000));
        let within = |at| moment_within(Nanos(at), "--at", all).ok();
        assert_eq!(within(5), Some(Nanos(5)));
        assert_eq!(within(9_000), Some(Nanos(9_000)));
        assert_eq!(within(4), None);
        let Err(CliFailure::Wrong(words)) = moment_within(Nanos(9_001), "--at", all) else {
            panic!("it lies outside");
        };
        assert!(words.ends_with("it goes from 5 ns to 9 000 ns"), "{words}");
    }
}

//! The law of a paced device, and how well a run kept it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::time::Nanos;

/// Bytes of a number in a buffer.
const NUMBER: f64 = 4.0;
/// Bytes in a gibibyte.
const GIB: f64 = (1_u64 << 30) as f64;
/// Of the time that the law gives, so much may be taken by operations that ended too late.
const LEAST_KEPT: f64 = 0.99;
/// By so much of its length an operation may end late.
const MOST_LATE: f64 = 0.05;

/// By which law a paced device takes its time: a copy lasts as long as its bytes take at `bytes_per_second`, a kernel as
/// its elements take at four bytes each, `spin` and functions of the host as they say; and all of it `stretch` times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PaceLaw {
    /// Bytes that pass an engine in a second.
    pub bytes_per_second: f64,
    /// Kernels, and copies within the device, that run at the same time.
    pub slots: u32,
    /// By what every length is multiplied.
    pub stretch: f64,
}

impl Default for PaceLaw {
    /// Operations of a megabyte last 10 milliseconds: the picture is right on any machine, and can be watched.
    fn default() -> Self {
        Self {
            bytes_per_second: GIB,
            slots: 2,
            stretch: 10.0,
        }
    }
}

impl PaceLaw {
    /// How long a copy of so many bytes takes.
    pub fn copy(&self, bytes: u64) -> Nanos {
        self.lasting(bytes as f64 / self.bytes_per_second * 1e9)
    }

    /// How long a kernel takes for so many elements.
    pub fn elements(&self, count: u64) -> Nanos {
        self.lasting(count as f64 * NUMBER / self.bytes_per_second * 1e9)
    }

    /// How long something takes that says its time itself.
    pub fn stretched(&self, time: Nanos) -> Nanos {
        self.lasting(time.0 as f64)
    }

    fn lasting(&self, nanos: f64) -> Nanos {
        // Beyond what a number of nanoseconds holds is for ever.
        Nanos(
            (nanos * self.stretch)
                .round()
                .clamp(0.0, i64::MAX as f64 / 4.0) as i64,
        )
    }
}

impl fmt::Display for PaceLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots = crate::counted(u64::from(self.slots), "{compute slot|compute slots}");
        let rate = short(self.bytes_per_second / GIB);
        let stretch = short(self.stretch);
        write!(f, "{slots}, 2 copy engines, {rate} GiB/s, × {stretch}")
    }
}

/// A number with no more digits than it needs, up to three behind the point.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What of the law somebody wants otherwise: nothing where it is to be as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PaceSetting {
    /// Gibibytes that pass an engine in a second.
    pub rate: Option<f64>,
    /// Compute slots.
    pub slots: Option<f64>,
    /// By what every length is multiplied.
    pub stretch: Option<f64>,
}

/// One of the three numbers that a law is set by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaceDial {
    /// Its word.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// The least that it can be.
    pub min: f64,
    /// The most.
    pub max: f64,
    /// What it is where nobody sets it.
    pub default: f64,
}

impl PaceDial {
    /// All three.
    pub const ALL: [Self; 3] = [
        Self {
            name: "rate",
            about: "GiB that each copy engine moves in a second; a kernel takes an element for four bytes",
            min: 0.001,
            max: 1000.0,
            default: 1.0,
        },
        Self {
            name: "slots",
            about: "kernels, and copies within the device, that run at the same time",
            min: 1.0,
            max: 64.0,
            default: 2.0,
        },
        Self {
            name: "stretch",
            about: "by what every length is multiplied",
            min: 0.01,
            max: 1000.0,
            default: 10.0,
        },
    ];

    /// Whether it can be so.
    pub fn takes(&self, value: f64) -> bool {
        (self.min..=self.max).contains(&value) && (self.name != "slots" || value.fract() == 0.0)
    }

    /// What it can be, in words.
    pub fn range(&self) -> String {
        let whole = if self.name == "slots" {
            "a whole number "
        } else {
            ""
        };
        format!("{whole}from {} to {}", self.min, self.max)
    }
}

impl PaceSetting {
    /// The number called `name`; nothing where it is not set.
    pub fn get(&self, name: &str) -> Option<f64> {
        match name {
            "rate" => self.rate,
            "slots" => self.slots,
            "stretch" => self.stretch,
            _ => None,
        }
    }

    /// Sets the number called `name`, or lets it be as it is.
    pub fn set(&mut self, name: &str, value: Option<f64>) {
        match name {
            "rate" => self.rate = value,
            "slots" => self.slots = value,
            "stretch" => self.stretch = value,
            _ => {}
        }
    }

    /// What is set here, and where nothing is, what `other` sets.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            rate: self.rate.or(other.rate),
            slots: self.slots.or(other.slots),
            stretch: self.stretch.or(other.stretch),
        }
    }

    /// The law that comes of it; numbers beyond their ranges are the nearest within.
    pub fn law(&self) -> PaceLaw {
        let [rate, slots, stretch] = PaceDial::ALL.map(|dial| {
            let set = self.get(dial.name).unwrap_or(dial.default);
            set.clamp(dial.min, dial.max)
        });
        PaceLaw {
            bytes_per_second: rate * GIB,
            slots: slots as u32,
            stretch,
        }
    }
}

impl std::str::FromStr for PaceSetting {
    type Err = String;

    /// Reads `rate=1,slots=2,stretch=10`, in any order; what is left out is as it is.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut setting = Self::default();
        for part in text.split(',') {
            let (name, value) = part.trim().split_once('=').unwrap_or((part.trim(), ""));
            let dial = PaceDial::ALL.into_iter().find(|dial| dial.name == name);
            let Some(dial) = dial else {
                return Err(format!(
                    "“{part}” sets nothing of a pace; write rate=1,slots=2,stretch=10, or some of these"
                ));
            };
            let value = value.parse().ok().filter(|value| dial.takes(*value));
            let Some(value) = value else {
                return Err(format!("“{part}”: {name} is {}", dial.range()));
            };
            setting.set(name, Some(value));
        }
        Ok(setting)
    }
}

/// How an operation of a paced device kept the law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacedLength {
    /// How long it was to take.
    pub law: Nanos,
    /// How much later than that it ended.
    pub late: Nanos,
    /// How long it really worked.
    pub worked: Nanos,
}

/// How a run kept the law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PaceReport {
    /// Operations that the law holds for.
    pub operations: u64,
    /// The median of how late they ended, in nanoseconds.
    pub late_median_ns: i64,
    /// The most that one ended late, in nanoseconds.
    pub late_most_ns: i64,
    /// How late they ended against their lengths, in 99 % of the time that the law gives.
    pub late_share_p99: f64,
    /// Operations that ended later than by a tenth of their lengths.
    pub late_by_a_tenth: u64,
    /// Operations that worked for longer than the law gives.
    pub overran: u64,
    /// Whether the law was kept: late by no more than 5 % at that.
    pub kept: bool,
}

impl PaceReport {
    /// Of the operations of a run.
    ///
    /// Lateness is weighed by length: many short operations that no timer can hold say nothing about long ones.
    pub fn of(mut all: Vec<PacedLength>) -> Self {
        let share = |it: &PacedLength| it.late.0 as f64 / it.law.0.max(1) as f64;
        let overran = all.iter().filter(|it| it.worked > it.law).count() as u64;
        let late_by_a_tenth = all.iter().filter(|it| share(it) > 0.1).count() as u64;
        all.sort_unstable_by_key(|it| it.late);
        let median = all.get(all.len() / 2).map_or(0, |it| it.late.0);
        let most = all.last().map_or(0, |it| it.late.0);
        all.sort_unstable_by(|one, other| share(one).total_cmp(&share(other)));
        let whole: f64 = all.iter().map(|it| it.law.0 as f64).sum();
        let mut passed = 0.0;
        let p99 = all.iter().find_map(|it| {
            passed += it.law.0 as f64;
            (passed >= whole * LEAST_KEPT).then(|| share(it))
        });
        let late_share_p99 = p99.unwrap_or_default();
        Self {
            operations: all.len() as u64,
            late_median_ns: median,
            late_most_ns: most,
            late_share_p99,
            late_by_a_tenth,
            overran,
            kept: whole == 0.0 || late_share_p99 <= MOST_LATE,
        }
    }

    /// Why times of this run say nothing of the law, and what to do; nothing where it was kept.
    pub fn complaint(&self) -> Option<String> {
        (!self.kept).then(|| {
            let cause = if self.overran * 2 > self.operations {
                "its operations have more to do than this machine does in that time"
            } else {
                "this machine was busy, or the operations are too short for its timers"
            };
            format!(
                "the pace was not kept: operations ended late by {:.0} % of their lengths and more, up to {}, where 5 % is \
                 the most; {cause}. Overlap is not judged; run again, or stretch more",
                self.late_share_p99 * 100.0,
                Nanos(self.late_most_ns)
            )
        })
    }
}

/// The code of the problem that a paced run has whose law was not kept.
pub const PACE_NOT_KEPT: &str = "pace-not-kept";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_law_is_bytes_by_rate_and_own_times_and_all_of_it_stretched() {
        let law = PaceLaw::default();
        assert_eq!(law.copy(1 << 30), Nanos(10_000_000_000));
        assert_eq!(law.elements(1 << 20), law.copy(4 << 20));
        assert_eq!(law.stretched(Nanos::from_millis(3)), Nanos::from_millis(30));
        assert_eq!(
            law.to_string(),
            "2 compute slots, 2 copy engines, 1 GiB/s, × 10"
        );
        let other: PaceSetting = "slots=1, stretch=0.1".parse().unwrap();
        let law = other.law();
        assert_eq!((law.slots, law.stretch), (1, 0.1));
        assert!(law.to_string().starts_with("1 compute slot, "), "{law}");
        assert_eq!(PaceSetting::default().law(), PaceLaw::default());
        for wrong in ["", "rate", "rate=0", "slots=1.5", "stretch=x", "pace=3"] {
            assert!(wrong.parse::<PaceSetting>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn lateness_is_weighed_by_length() {
        let length = |law, late, worked| PacedLength {
            law: Nanos(law),
            late: Nanos(late),
            worked: Nanos(worked),
        };
        let long = length(10_000_000, 100_000, 0);
        let mut all = vec![long; 50];
        all.extend(vec![length(1_000, 60_000, 2_000); 50]);
        let report = PaceReport::of(all.clone());
        assert!(report.kept && report.complaint().is_none(), "{report:?}");
        assert_eq!((report.operations, report.overran), (100, 50));
        assert_eq!(report.late_by_a_tenth, 50);
        assert!((report.late_share_p99 - 0.01).abs() < 1e-9);
        all.extend(vec![length(10_000_000, 600_000, 0); 2]);
        let report = PaceReport::of(all);
        assert!(!report.kept, "{report:?}");
        assert!(report.complaint().unwrap().contains("6 %"), "{report:?}");
        assert!(PaceReport::of(Vec::new()).kept);
    }
}

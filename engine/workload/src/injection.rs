//! A loss that is injected: how the device is lost, and at which moment.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use record::time::Nanos;

/// A loss to inject, written as `driver@pipeline:saxpy`, `destroy@500us`, or `driver` alone for at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Injection {
    /// How the device is lost.
    pub by: LossBy,
    /// When.
    pub at: LossMoment,
}

/// How a device is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LossBy {
    /// It is destroyed by a call, in the order of the calls.
    Destroy,
    /// Its driver reports that it is gone, ahead of what is queued.
    #[default]
    Driver,
    /// A kernel traps.
    Trap,
    /// A kernel uses an address that is not its own.
    Address,
    /// An assertion of a kernel does not hold.
    Assertion,
    /// A kernel never ends.
    Hang,
    /// The process that drives it is ended.
    Kill,
}

/// The moment at which a device is lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LossMoment {
    /// At once.
    #[default]
    Now,
    /// Right before the first call with this label is made.
    Label(String),
    /// Right before a call at this line of the workload is made.
    Line(u32),
    /// So long after the run began.
    Time(Nanos),
    /// As soon as a pipeline of this name is being compiled.
    Pipeline(String),
    /// As soon as an operation of a stream of this name runs.
    Stream(String),
}

/// Why a text is no injection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "“{0}” says no loss: write driver, destroy, trap, address, assertion, hang or kill, and where it is not for now @ and the moment, which is a time as \
     in destroy@500us, or pipeline:NAME, stream:NAME, label:NAME or line:NUMBER"
)]
pub struct UnclearInjection(String);

impl LossBy {
    /// Every way with the word for it.
    pub const LABELS: &'static [(&'static str, Self)] = &[
        ("destroy", Self::Destroy),
        ("driver", Self::Driver),
        ("trap", Self::Trap),
        ("address", Self::Address),
        ("assertion", Self::Assertion),
        ("hang", Self::Hang),
        ("kill", Self::Kill),
    ];

    /// The word for it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Destroy => "destroy",
            Self::Driver => "driver",
            Self::Trap => "trap",
            Self::Address => "address",
            Self::Assertion => "assertion",
            Self::Hang => "hang",
            Self::Kill => "kill",
        }
    }
}

impl fmt::Display for Injection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.by.label(), self.at.suffix())
    }
}

impl LossMoment {
    /// What follows the way of a loss at this moment, where a loss is written; nothing for at once.
    pub fn suffix(&self) -> String {
        match self {
            Self::Now => String::new(),
            Self::Label(name) => format!("@label:{name}"),
            Self::Line(line) => format!("@line:{line}"),
            Self::Time(time) => format!("@{}ns", time.0),
            Self::Pipeline(name) => format!("@pipeline:{name}"),
            Self::Stream(name) => format!("@stream:{name}"),
        }
    }
}

impl FromStr for Injection {
    type Err = UnclearInjection;

    fn from_str(text: &str) -> Result<Self, UnclearInjection> {
        let (by, at) = match text.trim().split_once('@') {
            Some((by, at)) => (by, Some(at)),
            None => (text.trim(), None),
        };
        let found = LossBy::LABELS.iter().find(|(label, _)| *label == by);
        let by = found.map(|(_, by)| *by);
        let at = match at {
            None => Some(LossMoment::Now),
            Some(at) => moment(at),
        };
        let injection = by.zip(at).map(|(by, at)| Self { by, at });
        injection.ok_or_else(|| UnclearInjection(text.to_owned()))
    }
}

fn moment(text: &str) -> Option<LossMoment> {
    let Some((word, name)) = text.split_once(':') else {
        return time(text).map(LossMoment::Time);
    };
    if name.is_empty() {
        return None;
    }
    let name = name.to_owned();
    match word {
        "pipeline" => Some(LossMoment::Pipeline(name)),
        "stream" => Some(LossMoment::Stream(name)),
        "label" => Some(LossMoment::Label(name)),
        "line" => name.parse().ok().map(LossMoment::Line),
        _ => None,
    }
}

/// A time with its unit, such as `1.5ms`.
pub(super) fn time(text: &str) -> Option<Nanos> {
    const UNITS: [(&str, f64); 5] = [
        ("ns", 1.0),
        ("us", 1e3),
        ("µs", 1e3),
        ("ms", 1e6),
        ("s", 1e9),
    ];
    let (unit, scale) = UNITS.into_iter().find(|(unit, _)| text.ends_with(unit))?;
    let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
    let nanos = number * scale;
    (0.0..9e18)
        .contains(&nanos)
        .then_some(Nanos(nanos.round() as i64))
}

impl TryFrom<String> for Injection {
    type Error = UnclearInjection;

    fn try_from(text: String) -> Result<Self, UnclearInjection> {
        text.parse()
    }
}

impl From<Injection> for String {
    fn from(injection: Injection) -> Self {
        injection.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for text in [
            "driver",
            "destroy",
            "destroy@500us",
            "driver@1.5ms",
            "driver@pipeline:saxpy[2]",
            "driver@stream:compute",
            "destroy@label:late",
            "destroy@line:12",
        ] {
            let injection: Injection = text.parse().unwrap();
            assert_eq!(injection.to_string().parse(), Ok(injection), "{text}");
        }
        let half: Injection = "driver@0.5ms".parse().unwrap();
        assert_eq!(half.at, LossMoment::Time(Nanos(500_000)));
    }

    #[test]
    fn what_is_unclear_is_refused_with_the_forms_there_are() {
        for text in [
            "",
            "lose",
            "driver@",
            "driver@-1us",
            "driver@5",
            "driver@pipeline:",
            "destroy@line:x",
            "driver@nan ms",
            "driver@1e300s",
        ] {
            let error = text.parse::<Injection>().unwrap_err();
            assert!(error.to_string().contains("pipeline:NAME"), "{text}");
        }
    }
}

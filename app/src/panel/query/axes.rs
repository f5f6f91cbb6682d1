//! What stands at the axes of a plot: numbers with as many digits as tell the marks apart, and times in the unit that fits.

use engine::time::Nanos;

use crate::text;

/// The unit in which an axis of times that reaches so far is written, and its nanoseconds.
const UNITS: &[(f64, &str)] = &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")];
/// Numbers from here on are written with a power of ten.
const LARGE: f64 = 1e7;
/// An axis shows no more decimals than this.
const DECIMALS: f64 = 9.0;

/// How the numbers of an axis are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisNumbers {
    /// As numbers.
    Plain,
    /// As times, in the unit that fits the largest one in view.
    Times,
    /// As the numbers of rows, which have no fraction.
    Rows,
}

impl AxisNumbers {
    /// A mark of an axis whose marks are `step` apart and whose largest number in view is `largest`.
    pub fn mark(self, value: f64, step: f64, largest: f64) -> String {
        match self {
            Self::Rows if value.fract() != 0.0 => String::new(),
            Self::Rows => format!("{value:.0}"),
            Self::Times => {
                let unit = UNITS.iter().find(|it| largest.abs() >= it.0);
                let (nanos, unit) = unit.copied().unwrap_or((1.0, "ns"));
                let number = decimal(value / nanos, step / nanos);
                format!("{number}{}{unit}", text::THIN)
            }
            Self::Plain if largest.abs() >= LARGE => {
                let number = format!("{value:.2e}");
                number.replace(".00e", "e").replace("e0", "")
            }
            Self::Plain => decimal(value, step),
        }
    }

    /// A value that is pointed at.
    pub fn value(self, value: f64) -> String {
        match self {
            Self::Rows => format!("row {value:.0}"),
            Self::Times => text::duration(Nanos(value as i64)),
            Self::Plain => text::number(value),
        }
    }
}

/// A number with as many decimals as marks that are `step` apart need.
fn decimal(value: f64, step: f64) -> String {
    let needed = -step.abs().max(f64::MIN_POSITIVE).log10();
    let decimals = needed.ceil().clamp(0.0, DECIMALS) as usize;
    let written = format!("{value:.decimals$}");
    // Nothing is less than nothing.
    if written.trim_matches(['-', '0', '.']).is_empty() {
        return written.trim_start_matches('-').to_owned();
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_have_the_digits_that_tell_them_apart() {
        let time = |value, step, largest| {
            let mark = AxisNumbers::Times.mark(value, step, largest);
            mark.replace(text::THIN, " ")
        };
        assert_eq!(time(1_500_000.0, 500_000.0, 2_000_000.0), "1.5 ms");
        assert_eq!(time(0.0, 1_000.0, 20_000.0), "0 µs");
        assert_eq!(time(43_201_000_000.0, 1e6, 43_209_000_000.0), "43.201 s");
        assert_eq!(AxisNumbers::Plain.mark(0.25, 0.05, 1.0), "0.25");
        assert_eq!(AxisNumbers::Plain.mark(-0.0, 1.0, 1.0), "0");
        assert_eq!(AxisNumbers::Plain.mark(2e9, 1e9, 4e9), "2e9");
        assert_eq!(AxisNumbers::Rows.mark(2.0, 1.0, 4.0), "2");
        assert_eq!(AxisNumbers::Rows.mark(2.5, 0.5, 4.0), "");
    }
}

//! Times as people write them, such as `12.5ms`.

use engine::time::Nanos;

/// What a nanosecond is multiplied by.
const UNITS: [(&str, f64); 5] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
];

/// The time that a text says: a number and its unit, nanoseconds where it has none; nothing where it says none.
pub fn moment(text: &str) -> Option<Nanos> {
    let text = text.trim();
    let found = UNITS
        .iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
    let (number, factor) = found.unwrap_or((text, 1.0));
    let number = number.trim().replace('_', "");
    // As it is written: a number of so many digits is none of those that have a point.
    if factor == 1.0
        && let Ok(whole) = number.parse()
    {
        return Some(Nanos(whole));
    }
    let number: f64 = number.parse().ok()?;
    number
        .is_finite()
        .then(|| Nanos((number * factor).round() as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_units_and_whole_ones_to_the_nanosecond() {
        for (text, nanos) in [
            ("12.5ms", 12_500_000),
            ("3 s", 3_000_000_000),
            ("1_000", 1_000),
            ("-2us", -2_000),
            ("1µs", 1_000),
            ("1694128201546000001", 1_694_128_201_546_000_001),
            ("0.4", 0),
        ] {
            assert_eq!(moment(text), Some(Nanos(nanos)), "{text}");
        }
        for text in ["", "ms", "x", "1h", "inf", "nan s"] {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}

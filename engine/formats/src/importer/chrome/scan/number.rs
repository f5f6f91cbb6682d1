//! Numbers as files write them, read without a float: a time of today in microseconds has more digits than one holds.

use crate::importer::json::cursor::MOST_MICROS;

/// A whole number, if `bytes` are one that fits.
pub fn integer(bytes: &[u8]) -> Option<i64> {
    let (negative, digits) = sign(bytes);
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    let mut sum = 0_i64;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        sum = sum.checked_mul(10)?.checked_add(i64::from(digit))?;
    }
    Some(if negative { -sum } else { sum })
}

/// What a number with so many decimals is to be multiplied by.
const SCALE: [i64; 4] = [1000, 100, 10, 1];

/// The nearest nanosecond of a number of microseconds, halves away from zero: many writers print a float's seventeen
/// digits, of which the last say `9.8249999999999993` for 9,825 nanoseconds. Nothing where it is no number, and the
/// farthest that can be written where it is too large.
pub fn nanos(bytes: &[u8]) -> Option<i64> {
    let (negative, digits) = sign(bytes);
    let (whole, rest) = split(digits);
    let fraction = rest.strip_prefix(b".").unwrap_or_default();
    let few = fraction.get(..3).unwrap_or(fraction);
    if whole.is_empty()
        || whole.len() > 15 && integer(whole).is_none_or(|it| it > MOST_MICROS)
        || rest.len() > 12
        || !rest.is_empty() && !rest.starts_with(b".")
        || !all_digits(rest.get(1..))
    {
        return decimal(digits).map(|value| if negative { -value } else { value });
    }
    let mut sum = 0_i64;
    for digit in whole.iter().chain(few) {
        sum = sum * 10 + i64::from(digit.wrapping_sub(b'0'));
    }
    sum *= SCALE.get(few.len()).copied().unwrap_or(1);
    sum += i64::from(rounds_up(fraction.get(3)));
    Some(if negative { -sum } else { sum })
}

/// The same for any number of digits and with an exponent.
fn decimal(bytes: &[u8]) -> Option<i64> {
    let (whole, rest) = split(bytes);
    let (fraction, rest) = rest.strip_prefix(b".").map_or((&[][..], rest), split);
    let exponent = match rest.split_first() {
        Some((b'e' | b'E', exponent)) => integer(exponent.strip_prefix(b"+").unwrap_or(exponent))?,
        Some(_) => return None,
        None => 0,
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    // The digits are those of a whole number times ten to the power `scale`.
    let scale = exponent
        .saturating_add(3)
        .saturating_sub(fraction.len() as i64);
    let significant = whole
        .iter()
        .chain(fraction)
        .skip_while(|digit| **digit == b'0');
    let digits: Vec<u8> = significant.copied().collect();
    if digits.is_empty() {
        return Some(0);
    }
    let length = (digits.len() as i64).saturating_add(scale);
    if length > 19 {
        return Some(i64::MAX);
    }
    let mut sum = 0_i64;
    for place in 0..length.max(0) as usize {
        let digit = digits.get(place).map_or(0, |digit| digit - b'0');
        let next = sum
            .checked_mul(10)
            .and_then(|it| it.checked_add(i64::from(digit)));
        let Some(next) = next else {
            return Some(i64::MAX);
        };
        sum = next;
    }
    let next = usize::try_from(length).ok().and_then(|at| digits.get(at));
    Some(sum.saturating_add(i64::from(rounds_up(next))))
}

/// Whether the digits from this one on are half of the place before or more.
fn rounds_up(digit: Option<&u8>) -> bool {
    digit.is_some_and(|digit| *digit >= b'5')
}

fn sign(bytes: &[u8]) -> (bool, &[u8]) {
    match bytes.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, bytes),
    }
}

/// The digits at the beginning, and what follows.
fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|byte| !byte.is_ascii_digit());
    bytes.split_at(end.unwrap_or(bytes.len()))
}

fn all_digits(bytes: Option<&[u8]>) -> bool {
    bytes.is_none_or(|bytes| bytes.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_become_nanoseconds_to_the_last_digit() {
        let cases: &[(&str, Option<i64>)] = &[
            ("0", Some(0)),
            ("12", Some(12_000)),
            ("-1.5", Some(-1_500)),
            ("1712867402348700", Some(1_712_867_402_348_700_000)),
            ("1736408883688177.930", Some(1_736_408_883_688_177_930)),
            ("840.07675", Some(840_077)),
            ("1124609194129.6716", Some(1_124_609_194_129_672)),
            ("9.8249999999999993", Some(9_825)),
            ("3346839.3125309997", Some(3_346_839_313)),
            ("54.811999999999998", Some(54_812)),
            ("46411.599000000002", Some(46_411_599)),
            ("-0.0005", Some(-1)),
            ("0.00049999", Some(0)),
            ("0.9999999999999999", Some(1_000)),
            ("4e-4", Some(0)),
            ("5.1e-4", Some(1)),
            ("1.7e15", Some(1_700_000_000_000_000_000)),
            ("2.5E-1", Some(250)),
            ("1e-9", Some(0)),
            ("0000000000000000000012", Some(12_000)),
            ("9300000000000000", Some(i64::MAX)),
            ("1e300", Some(i64::MAX)),
            ("-1e300", Some(-i64::MAX)),
            ("1e99999999999999999999", None),
            ("", None),
            (".", None),
            ("1.2.3", None),
            ("12a", None),
            ("0x12", None),
        ];
        for (text, expected) in cases {
            assert_eq!(nanos(text.as_bytes()), *expected, "{text}");
        }
    }

    #[test]
    fn whole_numbers_that_fit_are_read() {
        assert_eq!(integer(b"-5"), Some(-5));
        assert_eq!(integer(b"9223372036854775807"), Some(i64::MAX));
        assert_eq!(integer(b"9223372036854775808"), None);
        assert_eq!(integer(b"10159970886766084423"), None);
        assert_eq!(integer(b"1.0"), None);
        assert_eq!(integer(b"-"), None);
    }
}

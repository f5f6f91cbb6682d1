//! Values of an answer: as people read them, as programs read them, and in an order.

use std::cmp::Ordering;

use engine::record::Value;
use engine::time::Nanos;

use super::answer::AnsweredQuestion;
use crate::text;

/// Rows that decide what a column holds.
const LOOKED: usize = 300;
/// Integers from here on have their digits in groups of three.
const GROUPED: u64 = 10_000;

/// Whether a column has numbers alone.
pub fn is_number(answer: &AnsweredQuestion, column: usize) -> bool {
    let mut rows = answer.rows.iter().take(LOOKED);
    !rows.any(|row| matches!(row.get(column), Some(Some(Value::Text(_)))))
}

/// Whether a column of this name holds times in nanoseconds.
pub fn is_time(name: &str) -> bool {
    ["ts", "dur"].contains(&name) || name.ends_with("_ns")
}

/// A value for people, with the digits of large numbers in groups.
pub fn shown(value: Option<&Value>) -> String {
    match value {
        Some(Value::Integer(value)) if value.unsigned_abs() >= GROUPED => {
            let sign = if *value < 0 { "-" } else { "" };
            format!("{sign}{}", text::count(value.unsigned_abs()))
        }
        other => text::sql_value(other),
    }
}

/// A value with every digit.
pub fn exact(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::Integer(value)) => value.to_string(),
        Some(Value::Number(value)) => value.to_string(),
        Some(Value::Text(text)) => text.to_string(),
    }
}

/// A time of a column of times, in the unit that fits.
pub fn duration_words(name: &str, value: &Value) -> Option<String> {
    let nanos = match value {
        Value::Integer(value) => *value,
        Value::Number(value) => *value as i64,
        Value::Text(_) => return None,
    };
    is_time(name).then(|| text::duration(Nanos(nanos)))
}

/// A value in an order: numbers before texts, and what is nothing last.
pub struct SortedCell {
    /// What is sorted.
    pub value: Option<Value>,
    /// Whether the largest comes first.
    pub is_descending: bool,
}

impl SortedCell {
    fn compare(&self, other: &Self) -> Ordering {
        let number = |value: &Value| match value {
            Value::Integer(value) => Some(*value as f64),
            Value::Number(value) => Some(*value),
            Value::Text(_) => None,
        };
        let order = match (&self.value, &other.value) {
            (None, None) => return Ordering::Equal,
            (None, _) => return Ordering::Greater,
            (_, None) => return Ordering::Less,
            (Some(Value::Integer(a)), Some(Value::Integer(b))) => a.cmp(b),
            (Some(Value::Text(a)), Some(Value::Text(b))) => a.cmp(b),
            (Some(a), Some(b)) => match (number(a), number(b)) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                (Some(_), None) => Ordering::Less,
                (None, _) => Ordering::Greater,
            },
        };
        if self.is_descending {
            order.reverse()
        } else {
            order
        }
    }
}

impl PartialEq for SortedCell {
    fn eq(&self, other: &Self) -> bool {
        self.compare(other) == Ordering::Equal
    }
}

impl Eq for SortedCell {}

impl PartialOrd for SortedCell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SortedCell {
    fn cmp(&self, other: &Self) -> Ordering {
        self.compare(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_integers_are_grouped_for_people_and_for_nobody_else() {
        let large = Value::Integer(-1_234_567);
        assert_eq!(shown(Some(&large)).replace(text::THIN, " "), "-1 234 567");
        assert_eq!(shown(Some(&Value::Integer(9_999))), "9999");
        assert_eq!(text::sql_value(Some(&large)), "-1234567");
        assert_eq!(exact(Some(&large)), "-1234567");
        let words = duration_words("total_ns", &Value::Integer(18_626));
        assert_eq!(words.unwrap().replace(text::THIN, " "), "18.6 µs");
        assert_eq!(duration_words("bytes", &large), None);
    }
}

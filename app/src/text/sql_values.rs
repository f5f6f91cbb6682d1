//! Values of an answer to a question in SQL, on the screen and on the command line.

use std::borrow::Cow;

use engine::record::Value;

/// Bytes of a long text's beginning and of its end that people are shown.
const BEGINNING: usize = 1_500;
const ENDING: usize = 500;

/// Characters of a text in a column of a terminal, at most.
const IN_COLUMN: usize = 120;

/// As [`sql_value`], for a column of a terminal, where one long text would make every line as long.
pub fn sql_cell(value: Option<&Value>) -> String {
    super::shorten(&sql_value(value), IN_COLUMN)
}

/// A value for people, in one line: three digits behind the point are enough, and of a long text its two ends.
pub fn sql_value(value: Option<&Value>) -> String {
    match value {
        None => "NULL".to_owned(),
        Some(Value::Number(value)) if *value != 0.0 && value.abs() < 0.001 => {
            format!("{value:.3e}")
        }
        Some(Value::Number(value)) => format!("{value:.3}"),
        Some(Value::Integer(value)) => value.to_string(),
        Some(Value::Text(text)) => both_ends(text).replace(['\n', '\r', '\t'], " "),
    }
}

/// A text without its middle, where it is longer than anybody reads.
fn both_ends(text: &str) -> Cow<'_, str> {
    if text.len() <= BEGINNING + ENDING {
        return Cow::Borrowed(text);
    }
    let (beginning, rest) = text.split_at(text.floor_char_boundary(BEGINNING));
    let (_, ending) = rest.split_at(rest.ceil_char_boundary(rest.len() - ENDING));
    Cow::Owned(format!("{beginning}…{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_text_both_ends_are_shown() {
        let text = |text: String| sql_value(Some(&Value::Text(text.into())));
        assert_eq!(text("a\tb".to_owned()), "a b");
        let long = format!(
            "{}{}{}",
            "é".repeat(751),
            "x".repeat(1_000_000),
            "é".repeat(251)
        );
        let shown = text(long);
        assert_eq!(shown, format!("{}…{}", "é".repeat(750), "é".repeat(250)));
        let cell = sql_cell(Some(&Value::Text("ab".repeat(500).into())));
        assert_eq!(cell.chars().count(), 120);
        assert!(cell.starts_with("abab") && cell.ends_with("abab") && cell.contains('…'));
        assert_eq!(
            sql_cell(Some(&Value::Text("ä".repeat(120).into()))),
            "ä".repeat(120)
        );
    }
}

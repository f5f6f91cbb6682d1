//! Values of an answer to a question in SQL, on the screen and on the command line.

use engine::record::Value;

/// A value for people, in one line: three digits behind the point are enough.
pub fn sql_value(value: Option<&Value>) -> String {
    match value {
        None => "NULL".to_owned(),
        Some(Value::Number(value)) if *value != 0.0 && value.abs() < 0.001 => {
            format!("{value:.3e}")
        }
        Some(Value::Number(value)) => format!("{value:.3}"),
        Some(Value::Integer(value)) => value.to_string(),
        Some(Value::Text(text)) => text.replace(['\n', '\r', '\t'], " "),
    }
}

//! Records that no viewer has a place for, as texts in JSON that give them back.

use record::Record;

/// The record in JSON, with its real numbers beside it: JSON knows neither infinity nor every last bit.
///
/// # Errors
///
/// Where it cannot be said in JSON.
pub fn to_json(record: &Record) -> serde_json::Result<(String, Vec<f64>)> {
    let mut plain = record.clone();
    let mut numbers = Vec::new();
    each_number(&mut plain, &mut |number| {
        numbers.push(*number);
        if !number.is_finite() {
            *number = 0.0;
        }
    });
    Ok((serde_json::to_string(&plain)?, numbers))
}

/// The record of a text and the real numbers beside it; nothing where the text says none.
pub fn from_json(text: &str, numbers: &[f64]) -> Option<Record> {
    let mut record: Record = serde_json::from_str(text).ok()?;
    let mut exact = numbers.iter();
    each_number(&mut record, &mut |number| {
        *number = exact.next().copied().unwrap_or(*number);
    });
    Some(record)
}

/// Gives each real number of a record that is written as a text to `take`.
fn each_number(record: &mut Record, take: &mut dyn FnMut(&mut f64)) {
    match record {
        Record::Run(run) => run.parameters.iter_mut().for_each(|(_, value)| take(value)),
        Record::Clock(clock) => take(&mut clock.drift),
        _ => {}
    }
}

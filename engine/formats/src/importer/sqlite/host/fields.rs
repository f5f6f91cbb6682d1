//! Fields of spans that wait for their numbers: texts lie behind each other instead of in an allocation each.

use record::{NameId, Value};

/// A field, by the place of its span.
#[derive(Clone, Copy, Debug)]
struct HostField {
    place: u32,
    name: NameId,
    written: HostFieldValue,
}

/// A value; of a text where it begins.
#[derive(Clone, Copy, Debug)]
enum HostFieldValue {
    Integer(i64),
    Number(f64),
    Text(u64),
}

/// Fields in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct HostFields {
    fields: Vec<HostField>,
    /// The length of each text in four bytes, and its bytes.
    texts: Vec<u8>,
}

impl HostFields {
    /// Takes a field.
    pub fn push(&mut self, place: u32, name: NameId, value: Value) {
        let written = match value {
            Value::Integer(value) => HostFieldValue::Integer(value),
            Value::Number(value) => HostFieldValue::Number(value),
            Value::Text(text) => {
                let at = self.texts.len() as u64;
                self.texts
                    .extend_from_slice(&(text.len() as u32).to_le_bytes());
                self.texts.extend_from_slice(text.as_bytes());
                HostFieldValue::Text(at)
            }
        };
        self.fields.push(HostField {
            place,
            name,
            written,
        });
    }

    /// Every field with the place of its span.
    pub fn all(&self) -> impl Iterator<Item = (u32, NameId, Value)> {
        self.fields.iter().map(|field| {
            let value = match field.written {
                HostFieldValue::Integer(value) => Value::Integer(value),
                HostFieldValue::Number(value) => Value::Number(value),
                HostFieldValue::Text(at) => Value::Text(self.text(at).unwrap_or_default().into()),
            };
            (field.place, field.name, value)
        })
    }

    fn text(&self, at: u64) -> Option<&str> {
        let rest = self.texts.get(usize::try_from(at).ok()?..)?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let bytes = rest.get(..u32::from_le_bytes(*length) as usize)?;
        std::str::from_utf8(bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back_as_they_were() {
        let values = [
            Value::Integer(-7),
            Value::Text("".into()),
            Value::Text("größe".into()),
            Value::Number(0.5),
            Value::Text("x".repeat(100_000).into()),
        ];
        let mut fields = HostFields::default();
        for (place, value) in (0..).zip(values.clone()) {
            fields.push(place, NameId(place + 9), value);
        }
        let found: Vec<_> = fields.all().collect();
        let expected = (0..)
            .zip(values)
            .map(|(at, value)| (at, NameId(at + 9), value));
        assert_eq!(found, expected.collect::<Vec<_>>());
    }
}

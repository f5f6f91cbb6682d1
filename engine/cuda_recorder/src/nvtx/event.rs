//! Events as they are written down: as short as can be, since a program is held up meanwhile.
//!
//! An event is its step, the flags of what follows, its time, its domain, and then: a number where the step has one, and
//! each part that a flag names, in the order of the flags. Numbers have their least significant byte first.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The longest text that is kept, in bytes.
pub const LONGEST_TEXT: usize = 4096;

/// What a call says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NvtxStep {
    /// A range begins on the thread, within those that it has open in the domain.
    #[default]
    Push,
    /// The innermost range of the thread in the domain ends.
    Pop,
    /// A range begins that any thread may end.
    Start,
    /// Such a range ends.
    End,
    /// Something happened.
    Mark,
    /// A counter or a group of them has these values.
    Sample,
    /// The thread ended.
    ThreadEnd,
}

const STEPS: [NvtxStep; 7] = [
    NvtxStep::Push,
    NvtxStep::Pop,
    NvtxStep::Start,
    NvtxStep::End,
    NvtxStep::Mark,
    NvtxStep::Sample,
    NvtxStep::ThreadEnd,
];

/// A value that a program gives.
#[derive(Clone, Debug, PartialEq)]
pub enum NvtxValue {
    /// A number without a sign.
    Unsigned(u64),
    /// A number with a sign.
    Integer(i64),
    /// A number with a point.
    Number(f64),
    /// A text.
    Text(String),
}

/// A named value.
#[derive(Clone, Debug, PartialEq)]
pub struct NvtxField {
    /// Its name; empty for values of a sample, which stand in the order of their group.
    pub name: String,
    /// Its value.
    pub value: NvtxValue,
}

/// What a call says besides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NvtxAttributes<'a> {
    /// The text, in bytes that need not be UTF-8.
    pub text: Option<Cow<'a, [u8]>>,
    /// The number of a registered text.
    pub registered: Option<u32>,
    /// The number of the category.
    pub category: Option<u32>,
    /// The colour: alpha, red, green and blue from the top.
    pub color: Option<u32>,
    /// The payload.
    pub payload: Option<NvtxValue>,
    /// What payloads of schemas say.
    pub fields: Vec<NvtxField>,
}

/// A call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NvtxEvent<'a> {
    /// What it says.
    pub step: NvtxStep,
    /// When it was made, in nanoseconds of the recorder's clock.
    pub time: u64,
    /// The number of the domain.
    pub domain: u32,
    /// The number of the range that begins or ends, or of the counter.
    pub id: u64,
    /// What it says besides.
    pub attributes: NvtxAttributes<'a>,
}

/// Events of one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NvtxChunk {
    /// The system's number of the thread.
    pub thread: u32,
    /// A number that no other thread of the process had, which the system's may have been.
    pub ordinal: u32,
    /// The events.
    #[serde(with = "byte_string")]
    pub events: Vec<u8>,
}

/// What follows in an event.
mod flag {
    pub const TEXT: u8 = 1;
    pub const REGISTERED: u8 = 2;
    pub const CATEGORY: u8 = 4;
    pub const COLOR: u8 = 8;
    pub const PAYLOAD: u8 = 16;
    pub const FIELDS: u8 = 32;
}

impl NvtxStep {
    const fn has_id(self) -> bool {
        matches!(self, Self::Start | Self::End | Self::Sample)
    }
}

impl NvtxEvent<'_> {
    /// Appends the event.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let more = &self.attributes;
        let is = |has: bool, flag: u8| if has { flag } else { 0 };
        let flags = is(more.text.is_some(), flag::TEXT)
            | is(more.registered.is_some(), flag::REGISTERED)
            | is(more.category.is_some(), flag::CATEGORY)
            | is(more.color.is_some(), flag::COLOR)
            | is(more.payload.is_some(), flag::PAYLOAD)
            | is(!more.fields.is_empty(), flag::FIELDS);
        let mut front = [0; 14];
        if let Some((step, rest)) = front.split_first_mut()
            && let Some((place, rest)) = rest.split_first_mut()
            && let Some((time, domain)) = rest.split_at_mut_checked(8)
        {
            *step = self.step as u8;
            *place = flags;
            time.copy_from_slice(&self.time.to_le_bytes());
            domain.copy_from_slice(&self.domain.to_le_bytes());
        }
        out.extend_from_slice(&front);
        if self.step.has_id() {
            out.extend_from_slice(&self.id.to_le_bytes());
        }
        if let Some(text) = &more.text {
            put_text(text, out);
        }
        for number in [more.registered, more.category, more.color]
            .into_iter()
            .flatten()
        {
            out.extend_from_slice(&number.to_le_bytes());
        }
        if let Some(payload) = &more.payload {
            put_value(payload, out);
        }
        if !more.fields.is_empty() {
            let fields = more.fields.iter().take(usize::from(u8::MAX));
            out.push(fields.len() as u8);
            for field in fields {
                put_text(field.name.as_bytes(), out);
                put_value(&field.value, out);
            }
        }
    }
}

fn put_text(text: &[u8], out: &mut Vec<u8>) {
    let kept = text.get(..LONGEST_TEXT).unwrap_or(text);
    out.extend_from_slice(&(kept.len() as u16).to_le_bytes());
    out.extend_from_slice(kept);
}

fn put_value(value: &NvtxValue, out: &mut Vec<u8>) {
    let (tag, bits) = match value {
        NvtxValue::Unsigned(it) => (0, *it),
        NvtxValue::Integer(it) => (1, it.cast_unsigned()),
        NvtxValue::Number(it) => (2, it.to_bits()),
        NvtxValue::Text(text) => {
            out.push(3);
            return put_text(text.as_bytes(), out);
        }
    };
    out.push(tag);
    out.extend_from_slice(&bits.to_le_bytes());
}

/// The events of a chunk; ends early where its bytes are no events.
#[derive(Clone, Debug)]
pub struct NvtxEvents<'a> {
    rest: &'a [u8],
}

impl<'a> NvtxEvents<'a> {
    /// Those in `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Bytes that were not read.
    pub const fn left(&self) -> usize {
        self.rest.len()
    }

    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*bytes)
    }

    fn number(&mut self) -> Option<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = usize::from(u16::from_le_bytes(self.bytes()?));
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(text)
    }

    fn value(&mut self) -> Option<NvtxValue> {
        let [tag] = self.bytes()?;
        if tag == 3 {
            return self.text().map(|it| NvtxValue::Text(lossy(it)));
        }
        let bits = u64::from_le_bytes(self.bytes()?);
        match tag {
            0 => Some(NvtxValue::Unsigned(bits)),
            1 => Some(NvtxValue::Integer(bits.cast_signed())),
            2 => Some(NvtxValue::Number(f64::from_bits(bits))),
            _ => None,
        }
    }

    fn event(&mut self) -> Option<NvtxEvent<'a>> {
        let [step, flags] = self.bytes()?;
        let step = *STEPS.get(usize::from(step))?;
        let time = u64::from_le_bytes(self.bytes()?);
        let domain = self.number()?;
        let id = if step.has_id() {
            u64::from_le_bytes(self.bytes()?)
        } else {
            0
        };
        let mut more = NvtxAttributes::default();
        if flags & flag::TEXT != 0 {
            more.text = Some(self.text()?.into());
        }
        for (flag, to) in [
            (flag::REGISTERED, &mut more.registered),
            (flag::CATEGORY, &mut more.category),
            (flag::COLOR, &mut more.color),
        ] {
            if flags & flag != 0 {
                *to = Some(self.number()?);
            }
        }
        if flags & flag::PAYLOAD != 0 {
            more.payload = Some(self.value()?);
        }
        if flags & flag::FIELDS != 0 {
            let [count] = self.bytes()?;
            for _ in 0..count {
                let name = lossy(self.text()?);
                let value = self.value()?;
                more.fields.push(NvtxField { name, value });
            }
        }
        Some(NvtxEvent {
            step,
            time,
            domain,
            id,
            attributes: more,
        })
    }
}

impl<'a> Iterator for NvtxEvents<'a> {
    type Item = NvtxEvent<'a>;

    fn next(&mut self) -> Option<NvtxEvent<'a>> {
        let before = self.rest;
        let event = self.event();
        if event.is_none() {
            self.rest = before;
        }
        event
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Bytes as one string of bytes, and not as a list of numbers.
mod byte_string {
    use std::fmt;

    use serde::de::{Error, Visitor};
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        from.deserialize_byte_buf(BytesVisitor)
    }

    struct BytesVisitor;

    impl Visitor<'_> for BytesVisitor {
        type Value = Vec<u8>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("bytes")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }

        fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
            Ok(bytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events() -> Vec<NvtxEvent<'static>> {
        let attributes = NvtxAttributes {
            text: Some(b"caf\xC3\xA9".as_slice().into()),
            registered: Some(7),
            category: Some(3),
            color: Some(0xFF00_80FF),
            payload: Some(NvtxValue::Number(-1.5)),
            fields: vec![
                NvtxField {
                    name: "rows".to_owned(),
                    value: NvtxValue::Integer(-4),
                },
                NvtxField {
                    name: String::new(),
                    value: NvtxValue::Text("x".to_owned()),
                },
            ],
        };
        let of = |step| NvtxEvent {
            step,
            time: 1 << 60,
            domain: 2,
            id: if step.has_id() { u64::MAX } else { 0 },
            attributes: attributes.clone(),
        };
        STEPS.into_iter().map(of).collect()
    }

    #[test]
    fn events_are_read_as_they_were_written() {
        let mut bytes = Vec::new();
        for event in events() {
            event.encode(&mut bytes);
        }
        let mut read = NvtxEvents::new(&bytes);
        assert_eq!(read.by_ref().collect::<Vec<_>>(), events());
        assert_eq!(read.left(), 0);
    }

    #[test]
    fn damaged_bytes_end_the_reading() {
        let mut bytes = Vec::new();
        for event in events() {
            event.encode(&mut bytes);
        }
        for length in 0..bytes.len() {
            let mut read = NvtxEvents::new(&bytes[..length]);
            assert!(read.by_ref().count() < events().len());
        }
        let mut read = NvtxEvents::new(&[9; 40]);
        assert_eq!((read.next(), read.left()), (None, 40));
    }
}

//! The fields of events, planes and names, which the format calls stats: what is known of some, and the values of all.

use super::damage::OddFields;
use crate::importer::chrome::ChromeTexts;
use crate::importer::fast_hash::QuickMap;
use crate::perfetto::view::{WireValue, each_field};
use record::FieldValue;

macro_rules! keys {
    ($($name:ident = $text:literal,)*) => {
        /// A stat that says more than a value to show.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum StatKey {
            $($name,)*
            Other,
        }

        impl StatKey {
            fn of(text: &str) -> Self {
                match text {
                    $($text => Self::$name,)*
                    _ => Self::Other,
                }
            }
        }
    };
}

keys! {
    ProducerType = "_pt",
    Producer = "_p",
    ConsumerType = "_ct",
    Consumer = "_c",
    Correlation = "correlation_id",
    Run = "run_id",
    Device = "device_ordinal",
    GlobalDevice = "global_device_id",
    Operation = "hlo_op",
    Program = "program_id",
    Name = "name",
    Id = "id",
    Threads = "num_threads",
    Step = "step_num",
    Copy = "memcpy_details",
    Fill = "memset_details",
    StartTime = "profile_start_time",
    Process = "process_id",
}

impl StatKey {
    /// Whether it only ties its event to another, which an arrow says.
    pub fn is_link(self) -> bool {
        matches!(
            self,
            Self::ProducerType | Self::Producer | Self::ConsumerType | Self::Consumer
        )
    }
}

/// A stat as it is written: a value by the number of its name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RawStat<'a> {
    pub name: u64,
    pub value: RawValue<'a>,
    /// Fields that the format does not have.
    pub unknown: u64,
}

/// The value of a stat as it is written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum RawValue<'a> {
    #[default]
    None,
    Real(f64),
    Unsigned(u64),
    Signed(i64),
    Text(&'a [u8]),
    /// So many bytes of a message that nobody looks into.
    Bytes(usize),
    /// The number of a name, which is the text.
    Reference(u64),
}

impl<'a> RawStat<'a> {
    /// Reads a stat; nothing where the bytes are none.
    pub fn of(bytes: &'a [u8]) -> Option<Self> {
        let mut stat = Self::default();
        each_field(bytes, |field, wire| {
            match field {
                1 => stat.name = wire.varint()?,
                2 => stat.value = RawValue::Real(f64::from_bits(wire.fixed()?)),
                3 => stat.value = RawValue::Unsigned(wire.varint()?),
                4 => stat.value = RawValue::Signed(wire.varint()? as i64),
                5 => stat.value = RawValue::Text(wire.bytes()?),
                6 => stat.value = RawValue::Bytes(wire.bytes()?.len()),
                7 => stat.value = RawValue::Reference(wire.varint()?),
                _ => stat.unknown += 1,
            }
            Some(())
        })?;
        Some(stat)
    }
}

impl RawValue<'_> {
    /// The bits of a whole number: one number may be written with a sign here and without there.
    pub fn bits(self) -> Option<u64> {
        match self {
            Self::Unsigned(number) => Some(number),
            Self::Signed(number) => Some(number as u64),
            _ => None,
        }
    }
}

/// The names of stats of one plane, by its own numbers.
#[derive(Debug, Default)]
pub(super) struct StatNames {
    names: QuickMap<u64, (u32, StatKey)>,
    /// What is odd of them.
    pub odd: OddFields,
}

impl StatNames {
    /// Takes an entry: a number and a name.
    pub fn take(&mut self, entry: &[u8], texts: &mut ChromeTexts) -> Option<()> {
        let (number, name) = entry_of(entry)?;
        let mut text = None;
        each_field(name, |field, wire| {
            match field {
                // Its own number, and what describes it.
                1 | 3 => {}
                2 => text = Some(wire.bytes()?),
                _ => self.odd.unknown += 1,
            }
            Some(())
        })?;
        self.odd.mind(text.unwrap_or_default());
        let text = texts.add_bytes(text.unwrap_or_default());
        let key = StatKey::of(texts.text(text));
        self.names.insert(number, (text, key));
        Some(())
    }

    /// The text of a number, and what it stands for.
    pub fn get(&self, number: u64) -> Option<(u32, StatKey)> {
        self.names.get(&number).copied()
    }

    /// A value with its texts by their numbers; nothing where a stat has none.
    pub fn plain(&self, value: RawValue<'_>, texts: &mut ChromeTexts) -> Option<FieldValue> {
        Some(match value {
            RawValue::None => return None,
            RawValue::Real(number) => FieldValue::Number(number),
            RawValue::Unsigned(number) => match i64::try_from(number) {
                Ok(number) => FieldValue::Integer(number),
                Err(_) => FieldValue::Text(texts.add(&number.to_string())),
            },
            RawValue::Signed(number) => FieldValue::Integer(number),
            RawValue::Text(text) => FieldValue::Text(texts.add_bytes(text)),
            RawValue::Bytes(length) => FieldValue::Text(texts.add(&format!("{length} bytes"))),
            RawValue::Reference(number) => {
                let text = self.get(number).map(|(text, _)| text);
                FieldValue::Text(text.unwrap_or_else(|| texts.add("?")))
            }
        })
    }
}

/// The key and the message of an entry of a table.
pub(super) fn entry_of(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (mut key, mut message) = (0, &[][..]);
    each_field(bytes, |field, wire: WireValue<'_>| {
        match field {
            1 => key = wire.varint()?,
            2 => message = wire.bytes()?,
            _ => {}
        }
        Some(())
    })?;
    Some((key, message))
}

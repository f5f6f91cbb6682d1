//! Records as they are written: every field may be missing or of another type.

use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A whole number, where there is one that can be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub(super) struct WholeNumber(pub Option<i64>);

impl WholeNumber {
    pub fn or_zero(self) -> i64 {
        self.0.unwrap_or(0)
    }

    /// The number as a time; nothing where it is none, as 2⁶⁴ − 1 of a record that was never ended.
    pub fn time(self) -> Option<i64> {
        self.0.filter(|it| *it >= 0)
    }
}

impl<'de> Deserialize<'de> for WholeNumber {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(NumberVisitor)
    }
}

/// Takes a number, a number in a text, or `{"handle": number}`.
struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = WholeNumber;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_bool<E>(self, _: bool) -> Result<WholeNumber, E> {
        Ok(WholeNumber(None))
    }

    fn visit_i64<E>(self, value: i64) -> Result<WholeNumber, E> {
        Ok(WholeNumber(Some(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<WholeNumber, E> {
        Ok(WholeNumber(Some(value.cast_signed())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<WholeNumber, E> {
        Ok(WholeNumber(value.is_finite().then_some(value as i64)))
    }

    fn visit_str<E>(self, value: &str) -> Result<WholeNumber, E> {
        Ok(WholeNumber(value.trim().parse().ok()))
    }

    fn visit_unit<E>(self) -> Result<WholeNumber, E> {
        Ok(WholeNumber(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<WholeNumber, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(WholeNumber(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<WholeNumber, A::Error> {
        let mut found = WholeNumber(None);
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            if key == "handle" {
                found = map.next_value()?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// Three sizes.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ThreeSizes {
    x: WholeNumber,
    y: WholeNumber,
    z: WholeNumber,
}

impl fmt::Display for ThreeSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = [self.x, self.y, self.z].map(WholeNumber::or_zero);
        write!(f, "{x}×{y}×{z}")
    }
}

/// What ties a call to the work that it submitted.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct CorrelationIds {
    pub internal: WholeNumber,
}

impl Rocprofv3Row {
    /// When it began and ended, where it says both.
    pub fn times(&self) -> Option<(i64, i64)> {
        self.start_timestamp.time().zip(self.end_timestamp.time())
    }
}

/// What a kernel was launched with.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct DispatchFields {
    pub agent_id: WholeNumber,
    pub queue_id: WholeNumber,
    pub kernel_id: WholeNumber,
    pub dispatch_id: WholeNumber,
    pub private_segment_size: WholeNumber,
    pub group_segment_size: WholeNumber,
    pub workgroup_size: ThreeSizes,
    pub grid_size: ThreeSizes,
}

/// A record of anything that took time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Rocprofv3Row {
    pub kind: WholeNumber,
    pub operation: WholeNumber,
    pub thread_id: WholeNumber,
    pub correlation_id: CorrelationIds,
    pub start_timestamp: WholeNumber,
    pub end_timestamp: WholeNumber,
    pub dispatch_info: Option<Box<DispatchFields>>,
    pub stream_id: WholeNumber,
    pub dst_agent_id: WholeNumber,
    pub src_agent_id: WholeNumber,
    pub agent_id: WholeNumber,
    pub bytes: WholeNumber,
    pub allocation_size: WholeNumber,
    pub args: Option<Box<serde_json::Map<String, serde_json::Value>>>,
}

/// What was counted while a kernel ran.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CounterCollection {
    pub dispatch_data: Rocprofv3Row,
    pub thread_id: WholeNumber,
    pub records: Vec<CounterCount>,
}

/// One count.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CounterCount {
    pub counter_id: WholeNumber,
    pub value: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_any_type_are_taken() {
        let text = r#"{"kind": "11", "operation": 2.0, "thread_id": null, "correlation_id": {"internal": 7, "external": 0},
            "stream_id": {"handle": 18446744073709551615}, "start_timestamp": [1], "more": {"a": [true]}}"#;
        let row: Rocprofv3Row = serde_json::from_str(text).unwrap();
        assert_eq!(row.kind, WholeNumber(Some(11)));
        assert_eq!(row.operation, WholeNumber(Some(2)));
        assert_eq!(row.thread_id, WholeNumber(None));
        assert_eq!(row.correlation_id.internal, WholeNumber(Some(7)));
        assert_eq!(row.stream_id, WholeNumber(Some(-1)));
        assert_eq!(row.start_timestamp, WholeNumber(None));
    }
}

//! Records as they are written: every field may be missing or of another type.

use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A whole number, where there is one that can be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Whole(pub Option<i64>);

impl Whole {
    pub fn or_zero(self) -> i64 {
        self.0.unwrap_or(0)
    }
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Number)
    }
}

/// Takes a number, a number in a text, or `{"handle": number}`.
struct Number;

impl<'de> Visitor<'de> for Number {
    type Value = Whole;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Whole, E> {
        Ok(Whole(None))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Whole, E> {
        Ok(Whole(Some(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Whole, E> {
        Ok(Whole(Some(value.cast_signed())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Whole, E> {
        Ok(Whole(value.is_finite().then_some(value as i64)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Whole, E> {
        Ok(Whole(value.trim().parse().ok()))
    }

    fn visit_unit<E>(self) -> Result<Whole, E> {
        Ok(Whole(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Whole, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Whole(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Whole, A::Error> {
        let mut found = Whole(None);
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
pub(super) struct Sizes {
    x: Whole,
    y: Whole,
    z: Whole,
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = [self.x, self.y, self.z].map(Whole::or_zero);
        write!(f, "{x}×{y}×{z}")
    }
}

/// What ties a call to the work that it submitted.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Correlation {
    pub internal: Whole,
}

/// What a kernel was launched with.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_field_names,
    reason = "the fields are called as the file calls them"
)]
pub(super) struct Dispatch {
    pub agent_id: Whole,
    pub queue_id: Whole,
    pub kernel_id: Whole,
    pub dispatch_id: Whole,
    pub private_segment_size: Whole,
    pub group_segment_size: Whole,
    pub workgroup_size: Sizes,
    pub grid_size: Sizes,
}

/// A record of anything that took time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Row {
    pub kind: Whole,
    pub operation: Whole,
    pub thread_id: Whole,
    pub correlation_id: Correlation,
    pub start_timestamp: Whole,
    pub end_timestamp: Whole,
    pub dispatch_info: Option<Box<Dispatch>>,
    pub stream_id: Whole,
    pub dst_agent_id: Whole,
    pub src_agent_id: Whole,
    pub agent_id: Whole,
    pub bytes: Whole,
    pub allocation_size: Whole,
    pub args: Option<Box<serde_json::Map<String, serde_json::Value>>>,
}

/// What was counted while a kernel ran.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Collection {
    pub dispatch_data: Row,
    pub thread_id: Whole,
    pub records: Vec<Counted>,
}

/// One count.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Counted {
    pub counter_id: Whole,
    pub value: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_any_type_are_taken() {
        let text = r#"{"kind": "11", "operation": 2.0, "thread_id": null, "correlation_id": {"internal": 7, "external": 0},
            "stream_id": {"handle": 18446744073709551615}, "start_timestamp": [1], "more": {"a": [true]}}"#;
        let row: Row = serde_json::from_str(text).unwrap();
        assert_eq!(row.kind, Whole(Some(11)));
        assert_eq!(row.operation, Whole(Some(2)));
        assert_eq!(row.thread_id, Whole(None));
        assert_eq!(row.correlation_id.internal, Whole(Some(7)));
        assert_eq!(row.stream_id, Whole(Some(-1)));
        assert_eq!(row.start_timestamp, Whole(None));
    }
}

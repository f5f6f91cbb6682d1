//! Annotations of an event by their interned name.

use crate::perfetto::proto::{AnnotationValue, DebugAnnotation, TrackEvent};

/// The first annotation of a name.
pub(in super::super) fn find(event: &TrackEvent, key: u64) -> Option<&DebugAnnotation> {
    let mut annotations = event.debug_annotations.iter();
    annotations.find(|it| it.name_iid == Some(key))
}

/// Its value, where it is a whole number that is never negative.
pub(in super::super) fn uint(event: &TrackEvent, key: u64) -> Option<u64> {
    match find(event, key)?.value {
        Some(AnnotationValue::Uint(value)) => Some(value),
        _ => None,
    }
}

/// Its value, where it is a whole number.
pub(in super::super) fn int(event: &TrackEvent, key: u64) -> Option<i64> {
    match find(event, key)?.value {
        Some(AnnotationValue::Int(value)) => Some(value),
        _ => None,
    }
}

/// Its value, where it is a text.
pub(in super::super) fn text(event: &TrackEvent, key: u64) -> Option<&str> {
    match &find(event, key)?.value {
        Some(AnnotationValue::Text(value)) => Some(value),
        _ => None,
    }
}

/// A number that must fit an id.
pub(in super::super) fn narrow(number: u64) -> Option<u32> {
    u32::try_from(number).ok()
}

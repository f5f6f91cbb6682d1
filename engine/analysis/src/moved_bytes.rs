//! How many bytes an operation moved, by what its file says of it.

use capture::Capture;
use record::{Span, SpanId, SpanKind, Value};

/// Arguments that say how many bytes were moved or allocated.
const BYTE_FIELDS: &[&str] = &["bytes", "Bytes", "size", "Size", "size_bytes", "size(Byte)"];

/// Whether spans of a kind move bytes, or have memory allocated or freed.
pub const fn has_bytes(kind: SpanKind) -> bool {
    matches!(
        kind,
        SpanKind::Upload
            | SpanKind::Download
            | SpanKind::Copy
            | SpanKind::Fill
            | SpanKind::Allocate
            | SpanKind::Free
    )
}

/// The whole number that a span's arguments have for bytes, without its sign; none where they have none.
pub fn told_bytes(capture: &Capture, span: SpanId) -> Option<i64> {
    let mut fields = capture.arguments(span);
    fields.find_map(|(name, value)| match value {
        Value::Integer(value) if BYTE_FIELDS.contains(&name) => Some(value.saturating_abs()),
        // Some files write whole numbers with a fraction of 0.
        Value::Number(value) if BYTE_FIELDS.contains(&name) => {
            Some((value as i64).saturating_abs())
        }
        _ => None,
    })
}

/// How many bytes a copy or a fill moved; none for what moves none, and where the file does not say.
pub(crate) fn moved_bytes(capture: &Capture, span: &Span) -> Option<u64> {
    let moves = has_bytes(span.kind) && !matches!(span.kind, SpanKind::Allocate | SpanKind::Free);
    let told = told_bytes(capture, span.id).filter(|_| moves)?;
    u64::try_from(told).ok()
}

//! Copies by CUPTI's numbers of their kinds, which all of NVIDIA's profilers write.

use record::SpanKind;

/// Kinds of copies, by the numbers of CUPTI: what they are called, and which way they go.
const COPIES: &[(&str, SpanKind)] = &[
    ("Memcpy", SpanKind::Copy),
    ("Memcpy HtoD", SpanKind::Upload),
    ("Memcpy DtoH", SpanKind::Download),
    ("Memcpy HtoA", SpanKind::Upload),
    ("Memcpy AtoH", SpanKind::Download),
    ("Memcpy AtoA", SpanKind::Copy),
    ("Memcpy AtoD", SpanKind::Copy),
    ("Memcpy DtoA", SpanKind::Copy),
    ("Memcpy DtoD", SpanKind::Copy),
    ("Memcpy HtoH", SpanKind::Copy),
    ("Memcpy PtoP", SpanKind::Copy),
    ("Unified memory HtoD", SpanKind::Upload),
    ("Unified memory DtoH", SpanKind::Download),
    ("Unified memory DtoD", SpanKind::Copy),
];

/// What a copy of a kind is called, and which way it goes.
pub fn copy(kind: i64) -> (&'static str, SpanKind) {
    let known = usize::try_from(kind).ok().and_then(|kind| COPIES.get(kind));
    known.copied().unwrap_or(("Memcpy", SpanKind::Copy))
}

//! Spans, segments and sentences for people.

use engine::analysis::SentencePiece;
use engine::analysis::causes::{CauseReader, ChainSegment};
use engine::record::SpanId;
use engine::time::Nanos;

use crate::text;

/// A length of time with a plain space before its unit.
pub fn length(time: Nanos) -> String {
    text::duration(time).replace(text::THIN, " ")
}

/// An instant to the nanosecond: two that are close differ only in their last digits.
pub fn exact(time: Nanos) -> String {
    time.to_string().replace(text::THIN, " ")
}

/// A share of a whole, such as `97.6 %`.
pub fn share(part: Nanos, whole: Nanos) -> String {
    let share = part.0 as f64 / whole.0.max(1) as f64;
    text::percent(share).replace(text::THIN, " ")
}

/// A sentence as plain text.
pub fn sentence(pieces: &[SentencePiece]) -> String {
    let words: String = pieces.iter().map(text::piece).collect();
    words.replace(text::THIN, " ")
}

/// `gemm on stream 7`.
pub fn span(reader: &CauseReader<'_>, span: SpanId) -> String {
    let capture = reader.capture();
    capture.span(span).map_or_else(String::new, |placed| {
        let name = text::shorten(&text::function_name(capture.name(placed.span.name)), 60);
        format!("{name} on {}", capture.lane_title(placed.span.lane))
    })
}

/// What a segment was spent on, and whose it is.
pub fn segment(reader: &CauseReader<'_>, segment: &ChainSegment) -> String {
    match (segment.span, segment.lane) {
        (Some(of), _) => span(reader, of),
        (None, Some(lane)) => reader.capture().lane_title(lane).into_owned(),
        (None, None) => "nothing is known of what came before".to_owned(),
    }
}

/// So many bytes, by powers of 1024.
pub fn bytes(bytes: i64) -> String {
    text::amount(bytes as f64, "bytes").replace(text::THIN, " ")
}

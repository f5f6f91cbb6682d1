//! Sentences in pieces, so that a window can make links of the spans in them.

use super::words::{length, shown};
use capture::Capture;
use record::SpanId;
use record::time::Nanos;

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub enum SentencePiece {
    /// Plain words.
    Text(String),
    /// A length of time.
    Time(Nanos),
    /// A share of a whole, from 0 to 1.
    Share(f64),
    /// A span, by what it is called or what is said of it; following it goes there.
    Span(SpanId, String),
}

/// A sentence under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Sentence(pub Vec<SentencePiece>);

impl Sentence {
    /// Adds words; those that follow on words become one piece with them.
    pub fn text(&mut self, text: impl Into<String>) -> &mut Self {
        let text = text.into();
        match self.0.last_mut() {
            Some(SentencePiece::Text(before)) => before.push_str(&text),
            _ => self.0.push(SentencePiece::Text(text)),
        }
        self
    }

    /// Adds a length of time.
    pub fn time(&mut self, time: Nanos) -> &mut Self {
        self.0.push(SentencePiece::Time(time));
        self
    }

    /// Adds the share that a part has of a whole.
    pub fn share(&mut self, part: Nanos, whole: Nanos) -> &mut Self {
        let share = part.0 as f64 / whole.0.max(1) as f64;
        self.0.push(SentencePiece::Share(share));
        self
    }

    /// Adds words that lead to a span.
    pub fn link(&mut self, span: SpanId, words: impl Into<String>) -> &mut Self {
        self.0.push(SentencePiece::Span(span, words.into()));
        self
    }

    /// Adds a span with its lane.
    pub fn span(&mut self, capture: &Capture, span: SpanId) -> &mut Self {
        let Some(placed) = capture.span(span) else {
            return self.text("a span that is not there");
        };
        let name = capture.name(placed.span.name).to_owned();
        self.0.push(SentencePiece::Span(span, name));
        let lane = capture.lane_title(placed.span.lane).into_owned();
        self.text(format!(" on {lane}"))
    }
}

/// A sentence as plain text.
pub(super) fn plain(pieces: &[SentencePiece]) -> String {
    let words = pieces.iter().map(|piece| match piece {
        SentencePiece::Text(text) => text.clone(),
        SentencePiece::Time(time) => length(*time),
        SentencePiece::Share(share) => format!("{:.1} %", share * 100.0),
        SentencePiece::Span(_, name) => shown(name),
    });
    words.collect()
}

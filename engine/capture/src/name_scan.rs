//! Spans by what they are called, a stretch of some hundred at a time: the quickest way to look at all of them.

use super::Capture;
use super::chunk::Chunk;
use record::time::Nanos;
use record::{NameId, SpanId};

impl Capture {
    /// How many stretches there are: each holds up to 512 spans of one lane. They grow and come to be as spans arrive.
    pub fn stretch_count(&self) -> usize {
        self.spans.chunks().len()
    }

    /// The spans of a stretch of whose name `is_wanted` says so, in order of start.
    pub fn spans_named(
        &self,
        stretch: usize,
        is_wanted: impl Fn(NameId) -> bool,
    ) -> impl Iterator<Item = (Nanos, SpanId)> {
        let mut found = Vec::new();
        if let Some(chunk) = self.spans.chunks().get(stretch) {
            each_name(chunk, |at, name| {
                if is_wanted(name) {
                    found.extend(chunk.start(at).zip(chunk.id(at)));
                }
            });
        }
        found.into_iter()
    }

    /// How many spans of a stretch have a name of which `is_wanted` says so.
    pub fn count_named(&self, stretch: usize, is_wanted: impl Fn(NameId) -> bool) -> usize {
        let mut count = 0;
        if let Some(chunk) = self.spans.chunks().get(stretch) {
            each_name(chunk, |_, name| count += usize::from(is_wanted(name)));
        }
        count
    }
}

/// Calls `see` with the place and the name of every span of a chunk.
fn each_name(chunk: &Chunk, mut see: impl FnMut(usize, NameId)) {
    let mut names = [0; 64];
    for from in (0..chunk.len()).step_by(names.len()) {
        let length = chunk.names(from, &mut names);
        for (at, &name) in (from..).zip(names.iter().take(length)) {
            see(at, NameId(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{CallId, LaneId, Record, Span, SpanKind, State};

    #[test]
    fn every_span_lies_in_one_stretch() {
        let mut capture = Capture::new();
        let span = |id: u32| {
            let start = Nanos(i64::from(id / 3) * 10);
            Record::Span(Span {
                id: SpanId(id),
                lane: LaneId(id % 3),
                name: NameId(id % 7),
                call: CallId::NONE,
                kind: SpanKind::Kernel,
                state: State::Done,
                enqueued: start,
                start,
                end: start + Nanos(5),
            })
        };
        capture.apply((0..5_000).map(span));
        let mut found: Vec<u32> = (0..capture.stretch_count())
            .flat_map(|at| capture.spans_named(at, |name| name == NameId(4)))
            .map(|(start, id)| {
                assert_eq!(capture.span(id).map(|it| it.span.start), Some(start));
                id.0
            })
            .collect();
        found.sort_unstable();
        let expected: Vec<u32> = (0..5_000).filter(|id| id % 7 == 4).collect();
        assert_eq!(found, expected);
        let counts = (0..capture.stretch_count())
            .map(|at| capture.count_named(at, |name| name == NameId(4)));
        assert_eq!(counts.sum::<usize>(), expected.len());
    }
}

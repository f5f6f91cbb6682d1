//! The legacy default stream: which streams an operation has to wait for because of it (rules A22, A23, A25).

use record::StreamIndex;
use workload::{Plan, StreamKind};

/// What the legacy default stream imposes.
#[derive(Debug, Default)]
pub struct LegacyInsertion {
    stream: Option<StreamIndex>,
    streams: Vec<BlockingStream>,
    /// Blocking streams that did something since the legacy stream waited for them.
    fresh: Vec<StreamIndex>,
    /// Operations of the legacy stream so far that blocking streams come after.
    acts: u64,
}

/// A stream as the legacy default stream sees it.
#[derive(Clone, Copy, Debug, Default)]
struct BlockingStream {
    counts: bool,
    is_fresh: bool,
    /// The operations of the legacy stream that it comes after.
    after: u64,
}

impl LegacyInsertion {
    /// Of the streams of a plan.
    pub fn new(plan: &Plan) -> Self {
        let kinds = || plan.streams.iter().map(|stream| stream.traits);
        let legacy = kinds().position(|it| it.kind == StreamKind::Legacy);
        Self {
            stream: legacy.map(|place| StreamIndex(place as u32)),
            streams: kinds()
                .map(|it| BlockingStream {
                    counts: it.is_blocking && it.kind != StreamKind::Legacy,
                    ..BlockingStream::default()
                })
                .collect(),
            ..Self::default()
        }
    }

    /// Whether a stream is the legacy default stream.
    pub fn is(&self, stream: StreamIndex) -> bool {
        self.stream == Some(stream)
    }

    /// The streams that the next operation of `stream` has to wait for, each named once between two operations of it.
    pub fn before(&mut self, stream: StreamIndex) -> Vec<StreamIndex> {
        let Some(legacy) = self.stream else {
            return Vec::new();
        };
        if stream == legacy {
            let fresh = std::mem::take(&mut self.fresh);
            for stream in &fresh {
                if let Some(slot) = self.streams.get_mut(stream.index()) {
                    slot.is_fresh = false;
                }
            }
            return fresh;
        }
        let acts = self.acts;
        let slot = self.streams.get_mut(stream.index());
        let Some(slot) = slot.filter(|slot| slot.counts && slot.after < acts) else {
            return Vec::new();
        };
        slot.after = acts;
        vec![legacy]
    }

    /// An operation was submitted to `stream`.
    pub fn note(&mut self, stream: StreamIndex) {
        if self.is(stream) {
            self.acts += 1;
        } else if let Some(slot) = self.streams.get_mut(stream.index())
            && slot.counts
            && !slot.is_fresh
        {
            slot.is_fresh = true;
            self.fresh.push(stream);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streams() -> LegacyInsertion {
        let slot = |counts| BlockingStream {
            counts,
            ..BlockingStream::default()
        };
        LegacyInsertion {
            stream: Some(L),
            streams: vec![slot(false), slot(true), slot(true), slot(false)],
            ..LegacyInsertion::default()
        }
    }

    const L: StreamIndex = StreamIndex(0);
    const A: StreamIndex = StreamIndex(1);
    const B: StreamIndex = StreamIndex(2);
    const FREE: StreamIndex = StreamIndex(3);

    #[test]
    fn blocking_streams_and_the_legacy_stream_wait_for_each_other_once() {
        let mut legacy = streams();
        assert_eq!(legacy.before(A), []);
        legacy.note(A);
        legacy.note(FREE);
        assert_eq!(legacy.before(L), [A]);
        legacy.note(L);
        assert_eq!(legacy.before(L), []);
        assert_eq!(legacy.before(FREE), []);
        assert_eq!(legacy.before(A), [L]);
        assert_eq!(legacy.before(A), []);
        assert_eq!(legacy.before(B), [L]);
    }
}

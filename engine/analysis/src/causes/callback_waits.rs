//! Functions of the host that streams have threads call: a stream that stands still for one waits, and is not at work.

use std::collections::BTreeSet;

use super::span_class::LaneClass;
use record::{CallId, Span, SpanId};

/// What streams and threads ran of functions of the host.
#[derive(Debug, Default)]
pub(super) struct CallbackWaits {
    /// On streams, with a length.
    of_streams: Vec<(CallId, SpanId)>,
    /// Calls of the workload whose functions a thread runs.
    of_threads: BTreeSet<CallId>,
}

impl CallbackWaits {
    /// A function on a lane, whether or not it came to run.
    pub fn add(&mut self, lane: LaneClass, span: &Span) {
        match lane {
            LaneClass::Thread if span.call.is_some() => {
                self.of_threads.insert(span.call);
            }
            LaneClass::Stream if span.start < span.end => {
                self.of_streams.push((span.call, span.id));
            }
            _ => {}
        }
    }

    /// The streams' spans in which they stood still for a thread.
    pub fn waiting(self) -> impl Iterator<Item = SpanId> {
        let Self {
            of_streams,
            of_threads,
        } = self;
        let waits = of_streams.into_iter();
        let waits = waits.filter(move |it| of_threads.contains(&it.0));
        waits.map(|it| it.1)
    }
}

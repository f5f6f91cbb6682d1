//! Events in captures: a record keeps what its stream was given, and a wait for it makes edges or lets a stream join.

use super::{CaptureError, CapturedRecord, StreamCaptures, Violation};
use record::{EventIndex, StreamIndex};
use std::collections::BTreeSet;

impl<P> StreamCaptures<P> {
    /// A host thread records an event on `stream`. Answers whether that is captured: no operation then.
    ///
    /// # Errors
    /// The capture is void, or the stream is the legacy one while a blocking stream captures.
    pub fn record(
        &mut self,
        host: u32,
        event: EventIndex,
        stream: StreamIndex,
    ) -> Result<bool, CaptureError> {
        let Some(capture) = self.enter(stream)? else {
            self.events.remove(&event);
            return Ok(false);
        };
        let mut mark = CapturedRecord {
            capture,
            frontier: BTreeSet::new(),
            own: BTreeSet::new(),
        };
        if let Some(open) = self.open.get_mut(&capture) {
            mark.frontier = open.topology.frontier(stream);
            if !open.is_guest(host) {
                mark.own = open.own.frontier(stream);
            }
        }
        self.events.insert(event, mark);
        Ok(true)
    }

    /// A host thread lets `stream` wait for an event, of which `is_recorded` says whether it has a record outside of captures. Answers
    /// whether that is captured: no operation then.
    ///
    /// # Errors
    /// Two captures would become one, or something crosses the border of one (rule A40); or as for a record.
    pub fn wait(
        &mut self,
        host: u32,
        event: EventIndex,
        stream: StreamIndex,
        is_recorded: bool,
    ) -> Result<bool, CaptureError> {
        let own = self.enter(stream)?;
        let Some(mark) = self.events.get(&event).cloned() else {
            return match own {
                Some(own) if is_recorded => Err(self.isolated(own)),
                // Never recorded: it stands for no work, here as elsewhere (rule A1).
                own => Ok(own.is_some()),
            };
        };
        let is_open = self.open.contains_key(&mark.capture);
        match own {
            Some(own) if own == mark.capture => {}
            Some(own) if is_open => {
                let text = "the event was recorded in another capture, and a wait for it would make one of the two: \
                            capture both on streams that fork from one";
                let error = CaptureError::new(Violation::Merge, text);
                return Err(self.void(&[own, mark.capture], error));
            }
            Some(own) => return Err(self.isolated(own)),
            None if is_open => self.join(mark.capture, stream)?,
            None => {
                let text = "the event was last recorded in a capture that has ended, so that no work ever reaches it: \
                            record it again";
                return Err(CaptureError::new(Violation::CapturedEvent, text));
            }
        }
        if let Some(open) = self.open.get_mut(&mark.capture) {
            open.topology.join(stream, &mark.frontier);
            if !open.is_guest(host) {
                open.own.join(stream, &mark.own);
            }
        }
        Ok(true)
    }

    /// `stream` waits for all that `from` was given so far: a record and a wait of an event that nobody sees. Answers
    /// whether that is captured: no operation then.
    ///
    /// # Errors
    /// As for a record and a wait.
    pub fn wait_stream(
        &mut self,
        host: u32,
        from: StreamIndex,
        stream: StreamIndex,
    ) -> Result<bool, CaptureError> {
        let unseen = EventIndex(u32::MAX);
        self.record(host, unseen, from)?;
        let waited = self.wait(host, unseen, stream, true);
        self.events.remove(&unseen);
        waited
    }

    /// The stream takes part from now on (rule A37).
    fn join(&mut self, capture: u32, stream: StreamIndex) -> Result<(), CaptureError> {
        if self.traits(stream).is_legacy {
            let text = "the legacy stream cannot take part in a capture: use a stream of your own";
            let error = CaptureError::new(Violation::Implicit, text);
            return Err(self.void(&[capture], error));
        }
        self.streams.insert(stream, capture);
        self.enter(stream).map(|_| ())
    }

    fn isolated(&mut self, own: u32) -> CaptureError {
        let text = "the event was recorded outside of this capture, and a graph can wait for nothing outside of it: \
                    record it on a stream that captures, or let the stream of the replay wait for it";
        self.void(&[own], CaptureError::new(Violation::Isolation, text))
    }
}

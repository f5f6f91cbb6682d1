//! Calls that wait or ask while something captures: there is no work yet that they could wait for.

use super::{CaptureError, StreamCaptures, Violation};
use record::{EventIndex, StreamIndex};
use workload::CaptureMode;

impl<P> StreamCaptures<P> {
    /// A host thread synchronises a stream.
    ///
    /// # Errors
    /// The stream captures, or is the legacy one while a blocking stream does; the capture is void then (rules A38, A39).
    pub fn synchronize_stream(&mut self, stream: StreamIndex) -> Result<(), CaptureError> {
        if let Some(&id) = self.streams.get(&stream) {
            let text =
                "this stream captures, so that there is no work to wait for: end the capture first";
            return Err(self.void(&[id], CaptureError::new(Violation::Unsupported, text)));
        }
        self.enter(stream).map(|_| ())
    }

    /// A host thread synchronises the device.
    ///
    /// # Errors
    /// Some stream captures; every capture is void then (rule A38).
    pub fn synchronize_device(&mut self) -> Result<(), CaptureError> {
        let all: Vec<u32> = self.open.keys().copied().collect();
        if all.is_empty() {
            return Ok(());
        }
        let text = "a stream of this device captures, so that there is no work to wait for: end the capture first";
        Err(self.void(&all, CaptureError::new(Violation::Unsupported, text)))
    }

    /// A host thread synchronises an event or asks how far it is.
    ///
    /// # Errors
    /// It was last recorded in a capture, which is void then, in every mode (rule A38); or as for
    /// [`StreamCaptures::unsafe_call`].
    pub fn ask(&mut self, host: u32, event: EventIndex, verb: &str) -> Result<(), CaptureError> {
        let Some(mark) = self.events.get(&event) else {
            return self.unsafe_call(host, verb);
        };
        let id = mark.capture;
        let text = "the event was last recorded in a capture, so that no work ever reaches it: record it again outside";
        Err(self.void(&[id], CaptureError::new(Violation::CapturedEvent, text)))
    }

    /// A host thread makes a call that may be unsafe while another captures: one that asks or allocates.
    ///
    /// # Errors
    /// A capture that was begun with `global`, by whichever thread, or with `thread-local` by this one, forbids it, and is
    /// void then (rule A41).
    pub fn unsafe_call(&mut self, host: u32, verb: &str) -> Result<(), CaptureError> {
        let forbids = self.open.iter().filter(|(_, capture)| match capture.mode {
            CaptureMode::Global => true,
            CaptureMode::ThreadLocal => capture.host == host,
            CaptureMode::Relaxed => false,
        });
        let captures: Vec<u32> = forbids.map(|(id, _)| *id).collect();
        if captures.is_empty() {
            return Ok(());
        }
        let text = format!(
            "{verb} may be unsafe while a stream captures, and the capture's mode forbids it: end the capture first, or \
             begin it with mode=\"thread-local\" or \"relaxed\""
        );
        Err(self.void(&captures, CaptureError::new(Violation::Unsupported, text)))
    }
}

//! What a sentence says of what the capture does not tell, or of what was concluded.

use super::SentenceText;
use crate::causes::SpanCause;
use crate::causes::kind::CauseKind;
use record::{Basis, SpanId};

impl SentenceText<'_, '_> {
    /// Why it is unknown what an operation waited for before it began.
    pub(super) fn unknown_start(&self, span: SpanId, cause: &SpanCause) -> String {
        if cause.is_branch {
            let which = if self.overlaps_on_stream(cause) {
                "stream"
            } else {
                "launch"
            };
            return format!(
                "operations of its {which} overlap, and the capture does not tell what orders them"
            );
        }
        format!(
            "that is longer than a start takes, and {}",
            self.untold(span)
        )
    }

    /// What a capture does not tell of the time that something took once all that is known of was complete.
    pub(super) fn untold(&self, span: SpanId) -> &'static str {
        let capture = self.reader.capture;
        let device = capture
            .lane(self.reader.lane(span))
            .and_then(|it| it.device);
        let mut devices = capture.devices().iter();
        // Threads of the host are those of the run, whose devices are of one sort.
        let device = devices.find(|it| device.is_none_or(|own| own == it.id));
        match device.map(|it| it.backend.as_str()) {
            Some("cpu" | "paced") => {
                "its thread may have waited for a core of the processor, which the run does not measure"
            }
            _ => "the capture does not tell what held it",
        }
    }

    /// Says of a cause that no file tells itself that it was concluded.
    pub(super) fn inferred(&mut self, cause: &SpanCause) {
        let Some(binding) = cause.binding else {
            return;
        };
        if self.reader.known(cause.point, &binding) == Basis::Inferred {
            let is_branch = cause.is_branch && binding.kind == CauseKind::Stream;
            self.text(match (is_branch, self.overlaps_on_stream(cause)) {
                (true, false) => {
                    " (inferred: the last of its launch to end before it; the capture does not tell what orders those)"
                }
                (true, true) => {
                    " (inferred: the last to end before it; operations of its stream overlap, and the capture does not tell what orders them)"
                }
                (false, _) => " (inferred)",
            });
        }
    }

    /// Whether what an operation overlaps is of its stream, and not of its launch alone.
    fn overlaps_on_stream(&self, cause: &SpanCause) -> bool {
        let behind = cause.binding.filter(|it| it.kind == CauseKind::Stream);
        let spans = behind.map(|it| it.span()).into_iter();
        let mut spans = spans.chain([cause.point.span()]);
        spans.any(|it| self.reader.launch(it).is_none())
    }
}

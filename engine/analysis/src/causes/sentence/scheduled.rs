//! What a sentence says of the scheduler: that a thread was late because it had no core.

use super::SentenceText;
use crate::causes::{ThreadDelay, TimePart};
use record::time::Nanos;
use record::{Group, SpanId};

impl SentenceText<'_, '_> {
    /// Why an operation was submitted late, where its thread was kept from running.
    pub(super) fn submitted_late(&mut self, span: SpanId) {
        let Some(delay) = self.reader.late_submission(span) else {
            return;
        };
        self.text("; it was submitted late because its thread ");
        self.delayed(&delay);
        self.text(" of the ").time(delay.within.length());
        self.text(" in which its stream had nothing to do");
    }

    /// How much of the time after a wait its thread had no core.
    pub(super) fn without_core(&mut self, span: SpanId, rest: &TimePart) {
        let lane = self.reader.lane(span);
        let is_host = self.reader.capture.lane(lane);
        if is_host.is_none_or(|it| it.group != Group::Host) {
            return;
        }
        let delay = self.reader.delay(lane, rest.interval);
        if let Some(delay) = delay.filter(|it| it.runnable > Nanos::ZERO) {
            self.text("; of that its thread had no core for ")
                .time(delay.runnable);
        }
    }

    /// What kept a thread from running, and for how long.
    fn delayed(&mut self, delay: &ThreadDelay) {
        let capture = self.reader.capture;
        let parts = [
            (delay.runnable, "had no core for "),
            (delay.blocked, "was blocked for "),
            (delay.off_cpu, "was off its core, blocked or ready, for "),
        ];
        let mut has_one = false;
        for (time, words) in parts.into_iter().filter(|it| it.0 > Nanos::ZERO) {
            if has_one {
                self.text(" and ");
            }
            has_one = true;
            self.text(words).time(time);
        }
        if let Some(waker) = delay.waker {
            self.text(format!(", until {} woke it,", capture.name(waker)));
        }
    }
}

//! What a virtual machine does to calls: its workers launch them, and whoever calls waits while too many instructions are
//! on their way (rule E13).

use std::sync::Arc;

use super::{Caller, CurrentCall};
use crate::room_wait::RoomWait;
use crate::shared::RunState;
use backend::{BackendError, HostIndex, Submission};
use record::time::Nanos;
use record::{BLOCKED_BECAUSE, CallId, Record, Span, SpanId, SpanKind, State, StreamIndex};

impl Caller {
    /// Hands an operation to the device, by whoever launches. Answers when that was begun.
    ///
    /// # Errors
    /// As for [`backend::DeviceQueue::submit`].
    pub(super) fn submit_now(
        shared: &Arc<RunState>,
        host: HostIndex,
        stream: StreamIndex,
        submission: Submission,
    ) -> Result<Nanos, BackendError> {
        if let Some(machine) = &shared.machine {
            return machine.workers.launch(shared, host, stream, submission);
        }
        let submitted = shared.device.submit(host, stream, submission);
        submitted.map(|()| Nanos::ZERO)
    }

    /// Waits, once the device has as many instructions as the mark of high water that it did not end, until no more than
    /// that of low water are left; shows how long.
    pub(super) fn until_low_water(&self, current: &CurrentCall) {
        let shared = &self.shared;
        let Some(marks) = shared.machine.as_ref().map(|machine| machine.marks) else {
            return;
        };
        if marks.high == u32::MAX || self.in_flight() < u64::from(marks.high) {
            return;
        }
        let start = shared.device.now(self.host);
        let span = shared.next_span();
        let pending = self.pending();
        let full = pending.len();
        if let Some(machine) = &shared.machine {
            machine.wait_for_room(RoomWait::new(span, &pending, marks.low));
        }
        let mut last = None;
        while self.in_flight() > u64::from(marks.low) {
            let Some((stream, pending)) = self.fullest() else {
                break;
            };
            let Some(tail) = shared.tail(stream) else {
                break;
            };
            let (submitted, first) = {
                let tail = device::lock(tail);
                let place = tail.recent.len().checked_sub(pending as usize);
                let first = place.and_then(|place| tail.recent.get(place).copied());
                (tail.submitted, first)
            };
            last = first.or(last);
            shared
                .device
                .until_ended(self.host, stream, submitted + 1 - pending);
            if self.fullest() == Some((stream, pending)) {
                // Nothing more ends: the run is over.
                break;
            }
        }
        if let Some(machine) = &shared.machine {
            machine.end_wait_for_room(span, last);
        }
        let text = format!(
            "{full} instructions were on their way, and the machine takes no more from {} on until {} or fewer are left \
             (rule E13)",
            marks.high, marks.low
        );
        self.argue(span, BLOCKED_BECAUSE, &text);
        self.reporter.send(Record::Span(Span {
            id: span,
            lane: RunState::host_lane(self.host),
            name: shared.names.id("back-pressure", &self.reporter),
            call: CallId(current.place.call),
            kind: SpanKind::Synchronize,
            state: State::Done,
            enqueued: start,
            start,
            end: shared.device.now(self.host),
        }));
    }

    /// Operations that the device has not ended, on all streams.
    fn in_flight(&self) -> u64 {
        let device = &self.shared.device;
        self.streams().map(|stream| device.pending(stream)).sum()
    }

    /// The same, one by one.
    fn pending(&self) -> Vec<SpanId> {
        let latest = |stream: StreamIndex| {
            let count = self.shared.device.pending(stream) as usize;
            let tail = self.shared.tail(stream).map(device::lock);
            let recent = tail.iter().flat_map(|tail| tail.recent.iter().rev());
            recent.take(count).copied().collect::<Vec<SpanId>>()
        };
        self.streams().flat_map(latest).collect()
    }

    /// The stream with most of them.
    fn fullest(&self) -> Option<(StreamIndex, u64)> {
        let device = &self.shared.device;
        let all = self
            .streams()
            .map(|stream| (stream, device.pending(stream)));
        all.filter(|it| it.1 > 0).max_by_key(|it| it.1)
    }

    fn streams(&self) -> impl Iterator<Item = StreamIndex> + use<> {
        (0..self.shared.plan.streams.len() as u32).map(StreamIndex)
    }
}

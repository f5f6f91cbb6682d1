//! What JAX and TensorFlow say of XLA in trace JSON: operations of devices that threads of the host ran, and where those
//! threads met. The links between spans are in their XPlane alone.

use super::build::{ChromeBuilder, ParsedEvent};
use super::scan::{ArgumentPayload, RowToken, words};
use crate::importer::fast_hash::QuickMap;
use crate::importer::xplane::RendezvousList;
use crate::importer::{ImportError, RecordSink};
use record::{SpanId, SpanKind};

/// A span that an operation or a rendezvous is, in the file's own time.
#[derive(Clone, Copy, Debug)]
struct XlaSpan {
    /// The row of the thread that ran it.
    thread: u32,
    start: i64,
    end: i64,
    span: SpanId,
    /// The key of a rendezvous and which one came; nothing for an operation.
    meeting: Option<(u32, Option<i64>)>,
}

/// What of a file is XLA's.
#[derive(Default)]
pub(super) struct XlaSpans {
    all: Vec<XlaSpan>,
    /// The operation that each thread ran last, and when it ends.
    latest: QuickMap<u32, (i64, SpanId)>,
}

impl XlaSpans {
    /// Whether operations of devices were among the events.
    pub fn has_devices(&self) -> bool {
        !self.latest.is_empty()
    }
}

impl ChromeBuilder {
    /// Notes what an event says of XLA. Answers the row of its device, where it is an operation of one.
    pub fn note_xla(
        &mut self,
        told: ParsedEvent<'_>,
        (start, end): (i64, i64),
        span: SpanId,
    ) -> Option<u32> {
        let (mut device, mut order, mut key) = (None, None, None);
        let (mut is_operation, mut meets) = (false, false);
        for argument in told.arguments {
            let argument = self.argument(told.scanner, *argument);
            let whole = argument.payload.integer(self.texts.table());
            match (argument.key, argument.payload) {
                (words::DEVICE_ORDINAL, _) => device = whole,
                (words::HLO_OP, _) => is_operation = true,
                (words::NUM_THREADS, _) => meets = true,
                (words::ID, _) => order = whole,
                (words::NAME, ArgumentPayload::Text(text)) => key = Some(text),
                _ => {}
            }
        }
        let thread = self.rows.global(told.scanner, told.event.row);
        let name = self.texts.global(told.scanner, told.event.name);
        let meeting = key.filter(|_| meets && name == words::RENDEZVOUS);
        let device = device.filter(|_| is_operation);
        if meeting.is_none() && device.is_none() {
            return None;
        }
        self.xla.all.push(XlaSpan {
            thread,
            start,
            end,
            span,
            meeting: meeting.map(|key| (key, order)),
        });
        if let Some(device) = device {
            self.xla.latest.insert(thread, (end, span));
            return Some(self.row_of_device(thread, device));
        }
        let around = self.xla.latest.get(&thread);
        if let Some((_, operation)) = around.filter(|(ends, _)| *ends >= end) {
            self.work.set_kind(*operation, SpanKind::Collective);
        }
        None
    }

    /// The row of the operations of a device that threads of a process ran.
    fn row_of_device(&mut self, thread: u32, device: i64) -> u32 {
        let process = self.rows.get(thread).map_or(RowToken::None, |it| it.row.0);
        let number = RowToken::Text(self.texts.add(&format!("device {device}")));
        let mut name = format!("CPU {device}");
        let mut row = self
            .rows
            .place((RowToken::Text(self.texts.add(&name)), number));
        let owner = self.rows.get(row).and_then(|it| it.said().owner);
        if owner.is_some_and(|it| it != process) {
            name = format!("{name} of {}", self.texts.shown(process));
            row = self
                .rows
                .place((RowToken::Text(self.texts.add(&name)), number));
        }
        let title = self.texts.add("XLA Ops");
        if let Some(facts) = self.rows.get_mut(row) {
            let said = facts.describe();
            (said.owner, said.name) = (Some(process), Some(title));
        }
        row
    }

    /// Ties those that met to the last to come.
    pub fn tie_xla(&mut self, sink: &mut RecordSink<'_>) -> Result<(), ImportError> {
        let mut all = std::mem::take(&mut self.xla.all);
        all.sort_by_key(|it| (it.thread, it.start, std::cmp::Reverse(it.end)));
        let mut meetings = RendezvousList::default();
        for thread in all.chunk_by(|a, b| a.thread == b.thread) {
            meetings.begin_line();
            for it in thread {
                let when = (it.start, it.end);
                match it.meeting {
                    Some((key, order)) => meetings.arrive(key, order, when, it.span.0),
                    None => meetings.operation(when, it.span.0),
                }
            }
        }
        meetings.hand_over(sink)
    }
}

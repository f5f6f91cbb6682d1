//! Calls, and the work on streams that they launched: what arrows between streams are found from.

use std::collections::HashMap;

use super::class::{ApiVerb, EventClass, kind_of_work};
use super::number_index::NumberIndex;
use super::scan::{ArgumentPayload, ChromeArgument, NO_CORRELATION, RowToken, words};
use super::texts::ChromeTexts;
use record::{SpanId, SpanKind};

/// A call of a GPU's API.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChromeCall {
    pub correlation: i64,
    pub start: i64,
    pub end: i64,
    /// The row of the thread that made it.
    pub row: u32,
    pub span: SpanId,
    pub verb: ApiVerb,
}

/// An operation on a stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChromeOperation {
    pub correlation: i64,
    /// When it was launched; when it started, where that is not known.
    pub launched: i64,
    pub start: i64,
    pub end: i64,
    pub span: SpanId,
    /// The row of its stream.
    pub row: u32,
    pub name: u32,
    pub collective: bool,
    /// Whether the call that launched it blocked until it was complete.
    pub blocks_call: bool,
}

/// Which collective operation of those with one name it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CollectiveKey {
    /// The text that names its process group; the empty text where none does.
    pub name: u32,
    /// Its number in that group.
    pub number: Option<i64>,
}

impl Default for CollectiveKey {
    fn default() -> Self {
        Self {
            name: words::EMPTY,
            number: None,
        }
    }
}

/// What the fields of a wait, a record or a task say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SyncDetail {
    pub span: SpanId,
    pub name: u32,
    pub process: RowToken,
    pub start: i64,
    pub end: i64,
    pub correlation: Option<i64>,
    pub stream: Option<i64>,
    pub wait_stream: Option<i64>,
    pub wait_record: Option<i64>,
    pub wait_event: Option<i64>,
    pub sequence: Option<i64>,
}

/// What was launched and waited for.
#[derive(Default)]
pub(super) struct ChromeWork {
    pub calls: Vec<ChromeCall>,
    pub operations: Vec<ChromeOperation>,
    pub details: Vec<SyncDetail>,
    /// Calls by the number that ties them to their work.
    launches: NumberIndex,
    streams: HashMap<SpanId, i64>,
    /// What tasks are that say which way they copy.
    kinds: HashMap<SpanId, SpanKind>,
    /// The process group and the number of each collective operation that names one of them.
    pub groups: HashMap<SpanId, CollectiveKey>,
    /// Of Ascend's records and waits the numbers of their calls, and of those calls when and on which row they were made.
    tasks: HashMap<SpanId, i64>,
    connected: HashMap<i64, (i64, u32)>,
}

impl ChromeWork {
    /// Takes a call. Of two with one number, the one that is a launch by its name counts, or else the first.
    pub fn call(&mut self, call: ChromeCall) {
        let place = self.calls.len() as u32;
        self.calls.push(call);
        if call.correlation == NO_CORRELATION || call.correlation < 0 {
            return;
        }
        let known = self.launches.get(call.correlation);
        let before = known.and_then(|known| self.calls.get(known as usize));
        let counts = before
            .is_none_or(|before| call.verb == ApiVerb::Launch && before.verb != ApiVerb::Launch);
        if counts {
            self.launches.put(call.correlation, place);
        }
    }

    /// Whether calls have numbers that tie them to their work.
    pub fn has_correlations(&self) -> bool {
        !self.launches.is_empty()
    }

    /// The call with a number.
    pub fn of(&self, correlation: i64) -> Option<&ChromeCall> {
        let place = self.launches.get(correlation)?;
        self.calls.get(place as usize)
    }

    /// Takes the fields of a wait, a record or a task.
    pub fn detail(
        &mut self,
        span: SpanId,
        class: EventClass,
        name: u32,
        arguments: &[ChromeArgument],
        texts: &ChromeTexts,
    ) {
        let mut detail = SyncDetail {
            span,
            name,
            ..SyncDetail::default()
        };
        for argument in arguments {
            let value = argument.payload.integer(texts.table());
            match argument.key {
                words::CORRELATION => detail.correlation = value,
                words::STREAM => detail.stream = value,
                words::WAIT_STREAM => detail.wait_stream = value,
                words::WAIT_RECORD => detail.wait_record = value,
                words::WAIT_EVENT => detail.wait_event = value,
                words::SEQUENCE => detail.sequence = value,
                words::DIRECTION if class == EventClass::Task => {
                    self.direct(span, argument.payload, texts);
                }
                _ => {}
            }
        }
        if class == EventClass::Task
            && let Some(stream) = detail.stream
        {
            self.streams.insert(span, stream);
        }
        let ties = [words::EVENT_WAIT, words::EVENT_RECORD].contains(&name);
        if class == EventClass::Sync || ties {
            self.details.push(detail);
        }
    }

    /// Takes the number that ties a task to the call that asked for it.
    pub fn connect_task(&mut self, task: SpanId, number: i64) {
        self.tasks.insert(task, number);
    }

    /// Takes when a call of such a number was made, and on which row.
    pub fn connect_call(&mut self, number: i64, call: (i64, u32)) {
        self.connected.entry(number).or_insert(call);
    }

    /// When the call was made that asked for a task, and on which row.
    pub fn asked(&self, task: SpanId) -> Option<(i64, u32)> {
        self.connected.get(self.tasks.get(&task)?).copied()
    }

    /// The process group and the number of a collective operation, as far as it names them.
    pub fn group_of(&self, span: SpanId) -> CollectiveKey {
        self.groups.get(&span).copied().unwrap_or_default()
    }

    fn direct(&mut self, span: SpanId, direction: ArgumentPayload, texts: &ChromeTexts) {
        if let ArgumentPayload::Text(text) = direction {
            self.kinds.insert(span, kind_of_work(texts.text(text)));
        }
    }

    /// Says what a span is, whatever its name.
    pub fn set_kind(&mut self, span: SpanId, kind: SpanKind) {
        self.kinds.insert(span, kind);
    }

    /// What a span is by the way it copies.
    pub fn kind_of(&self, span: SpanId) -> Option<SpanKind> {
        if self.kinds.is_empty() {
            return None;
        }
        self.kinds.get(&span).copied()
    }

    /// The stream that a task names.
    pub fn stream_of(&mut self, span: SpanId) -> Option<i64> {
        self.streams.remove(&span)
    }

    /// Completes what was said last of a span.
    pub fn place_detail(&mut self, span: SpanId, process: RowToken, start: i64, end: i64) {
        if let Some(detail) = self.details.last_mut().filter(|it| it.span == span) {
            (detail.process, detail.start, detail.end) = (process, start, end);
        }
    }
}

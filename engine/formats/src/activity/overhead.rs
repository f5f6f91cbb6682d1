//! Time that the driver and CUPTI itself took, and code that was compiled as it was loaded.

use cuda_recorder::{CuptiCompilation, CuptiOverhead};

use super::draft::{ActivityDraft, ActivitySpan};
use super::host::unknown_time;
use super::process::ActivityProcess;
use record::{Group, SpanKind, State};

impl ActivityProcess {
    pub(super) fn overhead(&mut self, overhead: &CuptiOverhead, draft: &mut ActivityDraft) {
        let text = overhead.kind.words();
        let key = (Group::Device, self.place, 0, 0);
        let lane = draft.lanes.id(key, (self.told.process, None), || {
            (format!("Overhead in {}", self.title()), String::new())
        });
        let (times, is_known) = self.placed(overhead.times, None);
        let name = draft.name(text);
        let span = draft.ran(ActivitySpan {
            lane,
            name,
            kind: SpanKind::HostWork,
            state: State::Done,
            enqueued: None,
            start: times.start,
            end: times.end,
        });
        if !is_known {
            unknown_time(span, draft);
        }
        let thread = overhead.thread.map(u64::from);
        if let Some(thread) = thread {
            draft.number(span, "thread", thread);
        }
        let took = self.overheads.entry(text).or_default();
        *took = took.saturating_add(times.end.saturating_sub(times.start));
    }

    pub(super) fn compilation(
        &mut self,
        compilation: &CuptiCompilation,
        draft: &mut ActivityDraft,
    ) {
        let text = compilation.kind.words();
        let key = (Group::Device, self.place, 1, 0);
        let lane = draft.lanes.id(key, (self.told.process, None), || {
            (format!("Compilation in {}", self.title()), String::new())
        });
        let call = self.calls.get(&compilation.correlation).copied();
        let (times, is_known) = self.placed(compilation.times, call);
        let name = draft.name(text);
        let span = draft.ran(ActivitySpan {
            lane,
            name,
            kind: SpanKind::Compile,
            state: State::Done,
            enqueued: call.filter(|_| is_known).map(|call| call.start),
            start: times.start,
            end: times.end,
        });
        if !is_known {
            unknown_time(span, draft);
        }
        draft.number(span, "device", u64::from(compilation.device));
        self.launched(compilation.correlation, span, draft);
    }
}

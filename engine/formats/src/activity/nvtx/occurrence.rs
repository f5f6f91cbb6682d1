//! What has been told of NVTX to its end, and whether it is kept.
//!
//! Where the window is of ranges, it may be another thread that calls them, whose buffer is read later. So what has been told waits
//! until every thread has handed over what it did in the meantime.

use cuda_recorder::{NvtxEvent, NvtxField, NvtxValue};

use super::super::draft::{ActivityDraft, ActivitySpan};
use super::super::process::ActivityProcess;
use super::OpenNvtxRange;
use record::{Record, Sample, SpanKind, State};

/// Something of which all has been told.
#[derive(Debug)]
pub(super) enum NvtxOccurrence {
    Range {
        range: OpenNvtxRange,
        end: u64,
    },
    Mark {
        range: OpenNvtxRange,
        at: u64,
    },
    Samples {
        at: u64,
        domain: u32,
        counter: u64,
        fields: Vec<NvtxField>,
    },
}

impl NvtxOccurrence {
    pub const fn range(range: OpenNvtxRange, end: u64) -> Self {
        Self::Range { range, end }
    }

    pub fn sample(event: NvtxEvent<'_>) -> Self {
        Self::Samples {
            at: event.time,
            domain: event.domain,
            counter: event.id,
            fields: event.attributes.fields,
        }
    }
}

/// The value of a counter, where it is a number.
const fn amount(value: &NvtxValue) -> Option<f64> {
    match value {
        NvtxValue::Unsigned(it) => Some(*it as f64),
        NvtxValue::Integer(it) => Some(*it as f64),
        NvtxValue::Number(it) => Some(*it),
        NvtxValue::Text(_) => None,
    }
}

impl ActivityProcess {
    /// Takes what has been told, at once or when the window is known.
    pub(super) fn occurred(&mut self, told: NvtxOccurrence, draft: &mut ActivityDraft) {
        let mut is_shown = false;
        if let NvtxOccurrence::Range { range, end } = &told {
            is_shown = range.shown.is_some();
            if range.opens {
                draft.window.end(range.start, *end);
            }
        }
        // One that was shown is told to its end.
        if draft.window.is_by_ranges() && !is_shown {
            self.nvtx.undecided.push_back((self.flushes + 2, told));
        } else {
            self.keep_occurrence(told, draft);
        }
    }

    /// Keeps what lies in the window of what has waited for so many flushes.
    pub(in super::super) fn decide_nvtx(&mut self, flushes: u64, draft: &mut ActivityDraft) {
        let is_due = |(due, _): &mut (u64, NvtxOccurrence)| *due <= flushes;
        while let Some((_, told)) = self.nvtx.undecided.pop_front_if(is_due) {
            self.keep_occurrence(told, draft);
        }
    }

    fn keep_occurrence(&mut self, told: NvtxOccurrence, draft: &mut ActivityDraft) {
        let kept = match told {
            NvtxOccurrence::Range { range, end } => {
                let is_unended = range.is_unended;
                let is_kept = close(range, end, draft);
                self.nvtx.tally.ranges += u64::from(is_kept);
                self.nvtx.tally.unended += u64::from(is_kept && is_unended);
                is_kept
            }
            NvtxOccurrence::Mark { range, at } => {
                let is_kept = close(range, at, draft);
                self.nvtx.tally.marks += u64::from(is_kept);
                is_kept
            }
            NvtxOccurrence::Samples {
                at,
                domain,
                counter,
                fields,
            } => {
                let is_kept = draft.keeps(at, at);
                if is_kept {
                    self.samples((domain, counter), at, &fields, draft);
                }
                is_kept
            }
        };
        self.outside += u64::from(!kept);
    }

    fn samples(
        &mut self,
        (domain, counter): (u32, u64),
        at: u64,
        fields: &[NvtxField],
        draft: &mut ActivityDraft,
    ) {
        for (place, field) in (0..).zip(fields) {
            let counter = self.counter((domain, counter, place), draft);
            let (Some(counter), Some(value)) = (counter, amount(&field.value)) else {
                self.nvtx.tally.unknown_counters += 1;
                continue;
            };
            self.nvtx.tally.samples += 1;
            draft.out.push(Record::Sample(Sample {
                counter,
                time: draft.time(at),
                value,
            }));
        }
    }
}

/// A range as a span; says whether it is kept.
fn close(range: OpenNvtxRange, end: u64, draft: &mut ActivityDraft) -> bool {
    if !draft.keeps(range.start, end) && range.shown.is_none() {
        return false;
    }
    let ran = ActivitySpan {
        lane: range.lane,
        name: range.name,
        kind: SpanKind::Scope,
        state: State::Done,
        enqueued: None,
        start: range.start,
        end: end.max(range.start),
    };
    let span = match range.shown {
        Some(id) => draft.ran_as(id, ran),
        None => draft.ran(ran),
    };
    for (name, value) in range.fields {
        draft.out.push(Record::Argument(span, name, value));
    }
    true
}

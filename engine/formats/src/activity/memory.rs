//! Memory that a process has allocated, as a counter of each device.

use std::collections::HashMap;

use cuda_recorder::{CuptiMemory, MemoryStep};

use super::draft::ActivityDraft;
use super::process::ActivityProcess;
use record::{Counter, CounterId, Record, Sample};

/// What was allocated and freed and is not counted yet, and what is there.
#[derive(Debug, Default)]
pub(super) struct ActivityMemory {
    /// Instant, device, what is added, and the flush with which it is counted.
    open: Vec<(u64, u32, i64, u64)>,
    devices: HashMap<u32, (CounterId, i64)>,
    /// What the counters are called by.
    title: String,
    place: u32,
}

impl ActivityMemory {
    /// Counts what was told at least two flushes ago: what comes later seldom happened before.
    pub fn count_due(&mut self, flush: u64, draft: &mut ActivityDraft) {
        let (due, later) = self.open.drain(..).partition(|(.., due)| *due <= flush);
        self.open = later;
        self.count(due, draft);
    }

    /// Counts all.
    pub fn finish(&mut self, draft: &mut ActivityDraft) {
        let all = std::mem::take(&mut self.open);
        self.count(all, draft);
    }

    fn count(&mut self, mut steps: Vec<(u64, u32, i64, u64)>, draft: &mut ActivityDraft) {
        steps.sort_unstable();
        for (at, device, bytes, _) in steps {
            let (title, place) = (&self.title, self.place);
            let (counter, sum) = self.devices.entry(device).or_insert_with(|| {
                let counter = CounterId(draft.next_counter());
                draft.out.push(Record::Counter(Box::new(Counter {
                    id: counter,
                    name: format!("Memory of {title}"),
                    unit: "bytes".to_owned(),
                    device: Some(draft.devices.id(place, device)),
                })));
                (counter, 0)
            });
            // What was allocated before the capture began may be freed in it.
            *sum = (*sum + bytes).max(0);
            let (counter, value) = (*counter, *sum as f64);
            // What was allocated before a window is allocated in it.
            if draft.keeps(at, at) {
                let time = draft.time(at);
                draft.out.push(Record::Sample(Sample {
                    counter,
                    time,
                    value,
                }));
            }
        }
    }
}

impl ActivityProcess {
    /// Memory that was allocated or freed: a step of the counter, and fields of its call.
    pub(super) fn memory(&mut self, step: &CuptiMemory, draft: &mut ActivityDraft) {
        let bytes = i64::try_from(step.bytes).unwrap_or(i64::MAX);
        let change = match step.step {
            MemoryStep::Allocate => bytes,
            MemoryStep::Free => -bytes,
            MemoryStep::Other(_) => {
                draft.tally.memory_steps += 1;
                return;
            }
        };
        if let Some(call) = self.calls.get(&step.correlation).copied() {
            draft.number(call.span, "bytes", step.bytes);
        }
        if step.at == 0 {
            draft.tally.memory_steps += 1;
            return;
        }
        let due = self.due();
        if self.memory.title.is_empty() {
            self.memory.title = self.title();
            self.memory.place = self.place;
        }
        self.memory
            .open
            .push((step.at, step.place.device, change, due));
    }
}

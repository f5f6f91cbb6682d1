//! What is kept of a process's segments that go: how things stood at their end, so that what comes after is understood.
//!
//! Ranges that are open then are begun as they were; devices, contexts and streams are there; memory is as much as was
//! allocated. What a segment's first fact says again is left to that.

use std::collections::BTreeMap;

use cuda_recorder::{
    CuptiMemory, CuptiRecord, Fact, MemoryStep, NvtxChunk, NvtxEvent, NvtxEvents, NvtxStep,
};

/// An event of NVTX that what comes later refers to.
#[derive(Clone, Debug)]
struct CarriedEvent {
    thread: u32,
    ordinal: u32,
    bytes: Vec<u8>,
}

impl CarriedEvent {
    fn new(chunk: &NvtxChunk, event: &NvtxEvent<'_>) -> Self {
        let mut bytes = Vec::new();
        event.encode(&mut bytes);
        Self {
            thread: chunk.thread,
            ordinal: chunk.ordinal,
            bytes,
        }
    }

    fn fact(&self) -> Fact {
        Fact::Nvtx(NvtxChunk {
            thread: self.thread,
            ordinal: self.ordinal,
            events: self.bytes.clone(),
        })
    }
}

/// How things stood in a process when the segments ended that are gone.
#[derive(Clone, Debug, Default)]
pub struct ActivityCarry {
    /// Devices, contexts and streams.
    things: Vec<CuptiRecord>,
    /// What is allocated on each device, and the latest step.
    memory: BTreeMap<u32, (i64, CuptiMemory)>,
    /// By the number of the thread that no other had, and by domain, the innermost last.
    pushed: BTreeMap<(u32, u32), Vec<CarriedEvent>>,
    started: BTreeMap<u64, CarriedEvent>,
    /// Ends that came before their starts.
    ended: BTreeMap<u64, CarriedEvent>,
    /// What went with the segments.
    outside: u64,
}

impl ActivityCarry {
    /// Takes a fact of a segment that goes.
    pub fn take(&mut self, fact: Fact) {
        match fact {
            Fact::Records(records) => records.into_iter().for_each(|it| self.record(it)),
            Fact::Nvtx(chunk) => self.chunk(&chunk),
            // The next segment says these again, and what threads were is told with its times.
            Fact::Switches { .. }
            | Fact::Process(_)
            | Fact::Listening(_)
            | Fact::Silent(_)
            | Fact::Thread { .. }
            | Fact::Definitions(_)
            | Fact::Unscheduled(_)
            | Fact::Continues(_)
            | Fact::Counts(_)
            | Fact::End(_) => {}
        }
    }

    fn record(&mut self, record: CuptiRecord) {
        match record {
            CuptiRecord::Device(_) | CuptiRecord::Context(_) | CuptiRecord::Stream(_) => {
                self.things.push(record);
            }
            CuptiRecord::Memory(step) => {
                let bytes = i64::try_from(step.bytes).unwrap_or(i64::MAX);
                let change = match step.step {
                    MemoryStep::Allocate => bytes,
                    MemoryStep::Free => -bytes,
                    MemoryStep::Other(_) => 0,
                };
                let held = self.memory.entry(step.place.device);
                let held = held.or_insert_with(|| (0, step.clone()));
                held.0 += change;
                if step.at > held.1.at {
                    held.1 = step;
                }
            }
            CuptiRecord::Event(event) => self.outside += u64::from(event.at.is_some()),
            _ => self.outside += u64::from(record.interval().is_some()),
        }
    }

    fn chunk(&mut self, chunk: &NvtxChunk) {
        // Most ranges end soon: only those that do not are copied.
        let mut open: Vec<NvtxEvent<'_>> = Vec::new();
        for event in NvtxEvents::new(&chunk.events) {
            let id = event.id;
            match event.step {
                NvtxStep::Push => open.push(event),
                NvtxStep::Pop => {
                    let is_own = |it: &NvtxEvent<'_>| it.domain == event.domain;
                    let is_open = match open.iter().rposition(is_own) {
                        Some(place) => {
                            open.remove(place);
                            true
                        }
                        None => self.pop(chunk.ordinal, event.domain),
                    };
                    self.outside += u64::from(is_open);
                }
                NvtxStep::Start if self.ended.remove(&id).is_some() => self.outside += 1,
                NvtxStep::Start => {
                    self.started.insert(id, CarriedEvent::new(chunk, &event));
                }
                NvtxStep::End if self.started.remove(&id).is_some() => self.outside += 1,
                NvtxStep::End => {
                    self.ended.insert(id, CarriedEvent::new(chunk, &event));
                }
                NvtxStep::Mark | NvtxStep::Sample => self.outside += 1,
                NvtxStep::ThreadEnd => {
                    self.outside += open.len() as u64;
                    open.clear();
                    self.end_thread(chunk.ordinal);
                }
            }
        }
        for event in open {
            let stack = self.pushed.entry((chunk.ordinal, event.domain));
            stack.or_default().push(CarriedEvent::new(chunk, &event));
        }
    }

    /// Ends the innermost range of a thread in a domain, and says whether there was one.
    fn pop(&mut self, ordinal: u32, domain: u32) -> bool {
        let open = self.pushed.get_mut(&(ordinal, domain));
        open.and_then(Vec::pop).is_some()
    }

    /// What a thread left open ended with it.
    fn end_thread(&mut self, ordinal: u32) {
        let own = (ordinal, 0)..=(ordinal, u32::MAX);
        let keys: Vec<_> = self.pushed.range(own).map(|(key, _)| *key).collect();
        for key in keys {
            let left = self.pushed.remove(&key).unwrap_or_default();
            self.outside += left.len() as u64;
        }
    }

    /// Activities, ranges, marks and samples that went with the segments.
    pub const fn outside(&self) -> u64 {
        self.outside
    }

    /// The same as facts, to be taken before those of the segments that are left.
    pub fn facts(&self) -> Vec<Fact> {
        let memory = self.memory.values().filter_map(|(bytes, latest)| {
            let bytes = u64::try_from(*bytes).ok().filter(|it| *it > 0)?;
            Some(CuptiRecord::Memory(CuptiMemory {
                step: MemoryStep::Allocate,
                bytes,
                // The call that it was part of is gone.
                correlation: 0,
                ..latest.clone()
            }))
        });
        let records: Vec<_> = self.things.iter().cloned().chain(memory).collect();
        let records = (!records.is_empty()).then_some(Fact::Records(records));
        let pushed = self.pushed.values().flatten();
        let others = self.started.values().chain(self.ended.values());
        let events = pushed.chain(others).map(CarriedEvent::fact);
        records.into_iter().chain(events).collect()
    }
}

#[cfg(test)]
mod tests;

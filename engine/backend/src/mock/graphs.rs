//! Graphs of the simulation: what their nodes do to buffers, and the records that they reach and wait for.

use super::point::PointState;
use super::replay::{self, NextGraphPoint};
use super::simulation::Simulation;
use super::stream::MockQueueItem;
use super::turn::perform;
use crate::cpu::CpuMemory;
use crate::{BackendError, Operation, operation_failure};
use record::time::{Interval, Nanos};
use record::{BufferIndex, State};

impl Simulation {
    /// Runs what an operation does to buffers; of a graph its nodes, one after the other, until one fails: those that
    /// ended `by` a time, or all.
    ///
    /// # Errors
    /// Why it failed.
    pub fn perform(
        &mut self,
        memory: &CpuMemory,
        item: &mut MockQueueItem,
        start: Nanos,
        by: Option<Nanos>,
    ) -> Result<(), String> {
        let known = replay::known(item, start, &self.len(), &self.marks);
        let Operation::Replay(replay) = &item.submission.operation else {
            return perform(memory, &item.submission.operation);
        };
        let mut order: Vec<usize> = (0..replay.graph.nodes.len()).collect();
        // What a node writes is seen from its end on, so that values agree with the order in which nodes are drawn.
        order.sort_by_key(|&place| known.get(place).copied().flatten().map(|ran| ran.end));
        item.performed.resize(order.len(), false);
        for place in order {
            let ended = known.get(place).copied().flatten();
            let is_due = by.is_none_or(|by| ended.is_some_and(|ran| start + ran.end <= by));
            let (Some(node), Some(performed)) = (
                replay.graph.nodes.get(place),
                item.performed.get_mut(place).filter(|it| is_due && !**it),
            ) else {
                continue;
            };
            *performed = true;
            let mark = item.nodes.get(place).copied().flatten();
            let mark = mark.and_then(|mark| self.marks.get_mut(mark));
            let result = match (&node.operation, mark) {
                (Operation::WaitExternal(_), Some(point)) if point.is_failed() => {
                    Err(operation_failure::FORSAKEN.to_owned())
                }
                (Operation::RecordExternal(_), Some(mark)) => {
                    *mark = PointState::Reached(start + ended.unwrap_or_default().end);
                    Ok(())
                }
                _ => perform(memory, &node.operation),
            };
            if result.is_err() {
                self.failed = Some(place);
                return result;
            }
        }
        Ok(())
    }

    /// When a graph ends that began at `start`, where that is known.
    pub fn known_end(&self, item: &MockQueueItem, start: Nanos) -> Option<Nanos> {
        replay::end(item, start, &self.len(), &self.marks)
    }

    /// The end of a node of the graph that runs on the stream at `place`, or its own, and which of the two.
    pub fn next_of_replay(&self, item: &MockQueueItem, start: Nanos) -> Option<NextGraphPoint> {
        replay::next(item, start, &self.len(), &self.marks)
    }

    /// A graph that runs on the stream at `place` has come to the end of a node.
    pub fn reach(&mut self, place: usize, time: Nanos, memory: &CpuMemory) {
        let running = self.streams.get_mut(place).map(|it| it.running.take());
        let Some((mut item, interval)) = running.flatten() else {
            return;
        };
        if let Err(reason) = self.perform(memory, &mut item, interval.start, Some(time)) {
            let ran = Interval {
                end: time,
                ..interval
            };
            self.finish(place, &item, ran, State::Failed);
            return self.fail(place, item.submission.span, &reason, memory);
        }
        if let Some(stream) = self.streams.get_mut(place) {
            stream.running = Some((item, interval));
        }
        self.wake(time);
    }

    /// The records that the nodes of a graph reach, and those that they wait for.
    ///
    /// # Errors
    /// A node names an event that there is not.
    pub fn nodes(&mut self, operation: &Operation) -> Result<Vec<Option<usize>>, BackendError> {
        let Operation::Replay(replay) = operation else {
            return Ok(Vec::new());
        };
        if !replay.graph.reaches_out {
            return Ok(Vec::new());
        }
        let nodes = replay.graph.nodes.iter().map(|node| {
            let (event, records) = match node.operation {
                Operation::RecordExternal(event) => (event, true),
                Operation::WaitExternal(event) => (event, false),
                _ => return Ok(None),
            };
            let slot = self.latest.get_mut(event.index());
            let slot = slot.ok_or_else(|| BackendError::Unknown(format!("event {}", event.0)))?;
            if records {
                self.marks.push(PointState::Pending);
                *slot = Some(self.marks.len() - 1);
            }
            Ok(*slot)
        });
        nodes.collect()
    }

    /// The length of each buffer, in floats.
    pub fn len(&self) -> impl Fn(BufferIndex) -> usize + use<> {
        let lens = self.lens.clone();
        move |buffer: BufferIndex| lens.get(buffer.index()).copied().unwrap_or(0)
    }
}

//! Buffers as their maps see them: what the content timeline knows of a mapping, and what the device timeline does.

use super::ids::{BufferId, ModelPromiseId, ModelTimeline};
use super::model::{CallResult, WebGpuModel};
use super::outcome::GpuErrorKind;
use super::step::{StepEffect, StepName, TimelineTask, TimelineWork};
use super::table::{Api, Condition, DecidingTimeline, OutcomeRow};
use record::SpanId;

/// What a buffer is made as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferShape {
    /// Its length in bytes.
    pub size: u64,
    /// Whether it may be mapped to read.
    pub reads: bool,
    /// Whether it may be mapped to write.
    pub writes: bool,
    /// Whether it is mapped from the start.
    pub mapped: bool,
    /// The error that its creation ends with.
    pub wrong: Option<GpuErrorKind>,
}

impl Default for BufferShape {
    fn default() -> Self {
        Self {
            size: 16,
            reads: true,
            writes: true,
            mapped: false,
            wrong: None,
        }
    }
}

/// What a map asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MapRange {
    /// Whether the host will write rather than read.
    pub writes: bool,
    /// Whether it asks for neither, or for what the buffer's usage forbids.
    pub is_wrong: bool,
    /// The first byte.
    pub offset: u64,
    /// How many bytes; all that follow where none is given.
    pub size: Option<u64>,
}

/// What the content timeline knows of a buffer's mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapState {
    /// The host has no access.
    Unmapped,
    /// A map is pending.
    Pending,
    /// The host has access.
    Mapped,
}

impl MapState {
    /// The word of the specification.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Unmapped => "unmapped",
            Self::Pending => "pending",
            Self::Mapped => "mapped",
        }
    }
}

/// Whether the device may use a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum BufferAvailability {
    #[default]
    Available,
    Unavailable,
    Destroyed,
}

/// A buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferModel {
    shape: BufferShape,
    pending: Option<ModelPromiseId>,
    asked: MapRange,
    is_mapped: bool,
    internal: BufferAvailability,
    /// What its creation met with; nothing wrong until its device steps say otherwise.
    creation: Condition,
}

impl WebGpuModel {
    /// `createBuffer`.
    pub fn create_buffer(
        &mut self,
        host: ModelTimeline,
        call: SpanId,
        shape: BufferShape,
    ) -> (BufferId, CallResult) {
        self.tick();
        let id = BufferId(self.buffers.len() as u32);
        self.buffers.push(BufferModel {
            shape,
            pending: None,
            asked: MapRange::default(),
            is_mapped: shape.mapped,
            internal: if shape.mapped {
                BufferAvailability::Unavailable
            } else {
                BufferAvailability::Available
            },
            creation: Condition::Fine,
        });
        (
            id,
            self.made(host, call, None, TimelineWork::CreateBuffer(id)),
        )
    }

    /// `mapAsync`.
    pub fn map_async(
        &mut self,
        host: ModelTimeline,
        call: SpanId,
        id: BufferId,
        range: MapRange,
    ) -> CallResult {
        self.tick();
        let promise = self.promise(Api::MapAsync, host);
        let taken = match self.map_state(id) {
            MapState::Unmapped => None,
            MapState::Pending => Some(Condition::MapPending),
            MapState::Mapped => Some(Condition::Mapped),
        };
        let taken = taken.map(|taken| self.row(Api::MapAsync, taken, self.edition(host)));
        if let Some(row) = taken.filter(|row| row.decided == DecidingTimeline::Content) {
            let mut made = self.made(host, call, Some(promise), TimelineWork::RefuseMap(row));
            let settled = self.settle(promise, (row, row.outcome), None, true);
            made.effects.extend(settled);
            return made;
        }
        if let Some(buffer) = self.buffers.get_mut(id.index()) {
            buffer.pending = Some(promise);
            buffer.asked = range;
        }
        let work = taken.map_or(TimelineWork::Map(id), |row| {
            TimelineWork::RefuseMapped(id, row)
        });
        self.made(host, call, Some(promise), work)
    }

    /// `unmap`.
    pub fn unmap(&mut self, host: ModelTimeline, call: SpanId, id: BufferId) -> CallResult {
        self.tick();
        let mut effects = Vec::new();
        self.unmap_now(id, host, call, Condition::Unmapped, &mut effects);
        CallResult {
            promise: None,
            effects,
        }
    }

    /// `buffer.destroy`.
    pub fn destroy_buffer(
        &mut self,
        host: ModelTimeline,
        call: SpanId,
        id: BufferId,
    ) -> CallResult {
        let mut unmapped = self.unmap(host, call, id);
        let made = self.made(host, call, None, TimelineWork::DestroyBuffer(id));
        unmapped.effects.extend(made.effects);
        unmapped
    }

    /// `getMappedRange`: the row of the table by which the call answers.
    pub fn get_mapped_range(&mut self, host: ModelTimeline, id: BufferId) -> &'static OutcomeRow {
        self.tick();
        let is_mapped = self.map_state(id) == MapState::Mapped;
        let condition = if is_mapped {
            Condition::Fine
        } else {
            Condition::Invalid
        };
        self.row(Api::GetMappedRange, condition, self.edition(host))
    }

    /// `mapState`.
    pub fn map_state(&self, id: BufferId) -> MapState {
        match self.buffers.get(id.index()) {
            Some(buffer) if buffer.pending.is_some() => MapState::Pending,
            Some(buffer) if buffer.is_mapped => MapState::Mapped,
            _ => MapState::Unmapped,
        }
    }

    pub(super) fn buffer_ids(&self) -> impl Iterator<Item = BufferId> + use<> {
        (0..self.buffers.len() as u32).map(BufferId)
    }

    /// The content steps of an unmap: a pending map ends here, and what was mapped is no more.
    pub(super) fn unmap_now(
        &mut self,
        id: BufferId,
        host: ModelTimeline,
        call: SpanId,
        condition: Condition,
        effects: &mut Vec<StepEffect>,
    ) {
        let Some(buffer) = self.buffers.get_mut(id.index()) else {
            return;
        };
        let pending = buffer.pending.take();
        let was_mapped = std::mem::take(&mut buffer.is_mapped);
        if let Some(promise) = pending {
            let edition = self
                .maker(promise)
                .map_or_else(|| self.edition(host), |maker| self.edition(maker));
            let row = self.row(Api::MapAsync, condition, edition);
            effects.extend(self.settle(promise, (row, row.outcome), None, false));
        }
        if was_mapped || pending.is_some() {
            effects.extend(self.made(host, call, None, TimelineWork::Unmap(id)).effects);
        }
    }

    pub(super) fn make_buffer(
        &mut self,
        task: &TimelineTask,
        step: SpanId,
        id: BufferId,
        effects: &mut Vec<StepEffect>,
    ) {
        let Some(wrong) = self
            .buffers
            .get(id.index())
            .map(|buffer| buffer.shape.wrong)
        else {
            return;
        };
        let condition = self.creation_condition(task.called, wrong);
        if let Some(buffer) = self.buffers.get_mut(id.index()) {
            buffer.creation = condition;
        }
        self.make_object(task, step, wrong, effects);
    }

    /// The first device steps of a map.
    pub(super) fn check_map(
        &mut self,
        task: &TimelineTask,
        step: SpanId,
        id: BufferId,
        effects: &mut Vec<StepEffect>,
    ) -> StepName {
        let Some(buffer) = self.buffers.get(id.index()).copied() else {
            return StepName::Only;
        };
        let lost = self.loss_condition(task.called);
        let refusal = match (buffer.creation, lost, buffer.accepts()) {
            // Made on a lost device: invalid for no fault of its own.
            (creation, Some(lost), _) if creation != Condition::Fine => Some(lost),
            (Condition::Fine, _, true) => None,
            (Condition::Fine, Some(_), false) => Some(Condition::InvalidOnLost),
            (Condition::Fine, None, false) => Some(Condition::Invalid),
            _ => Some(Condition::InvalidBuffer),
        };
        if let Some(condition) = refusal {
            let row = self.row(Api::MapAsync, condition, task.edition);
            self.dispatch(task, step, row.raises, None, effects);
            self.issue(task, step, TimelineWork::FinishMap(id, row), effects);
            return StepName::Only;
        }
        if let Some(buffer) = self.buffers.get_mut(id.index()) {
            buffer.internal = BufferAvailability::Unavailable;
        }
        let ready = TimelineTask {
            cause: step,
            work: TimelineWork::MapReady(id),
            ..*task
        };
        self.await_queue(ready, effects);
        StepName::Initial
    }

    /// The second device steps of a map: the queue has done what uses the buffer, or the device is lost.
    pub(super) fn decide_map(
        &mut self,
        task: &TimelineTask,
        step: SpanId,
        id: BufferId,
        effects: &mut Vec<StepEffect>,
    ) {
        let condition = self.loss_condition(task.called).unwrap_or(Condition::Fine);
        let row = self.row(Api::MapAsync, condition, task.edition);
        self.issue(task, step, TimelineWork::FinishMap(id, row), effects);
    }

    /// The last content steps of a map, unless `unmap()` was quicker.
    pub(super) fn finish_map(
        &mut self,
        task: &TimelineTask,
        id: BufferId,
        row: &'static OutcomeRow,
        effects: &mut Vec<StepEffect>,
    ) -> StepName {
        let buffer = self.buffers.get_mut(id.index());
        let Some(buffer) = buffer.filter(|buffer| buffer.pending == task.promise) else {
            return StepName::Late;
        };
        buffer.pending = None;
        buffer.is_mapped |= row.conditions.contains(&Condition::Fine);
        self.settle_for(task, (row, row.outcome), None, effects)
    }

    pub(super) fn free_buffer(&mut self, id: BufferId) {
        if let Some(buffer) = self.buffers.get_mut(id.index())
            && buffer.internal == BufferAvailability::Unavailable
        {
            buffer.internal = BufferAvailability::Available;
        }
    }

    pub(super) fn end_buffer(&mut self, id: BufferId) {
        if let Some(buffer) = self.buffers.get_mut(id.index()) {
            buffer.internal = BufferAvailability::Destroyed;
        }
    }
}

impl BufferModel {
    /// Whether the map that was asked for keeps the rules.
    fn accepts(&self) -> bool {
        let MapRange {
            writes,
            is_wrong,
            offset,
            size,
        } = self.asked;
        let size = size.unwrap_or_else(|| self.shape.size.saturating_sub(offset));
        let allows = if writes {
            self.shape.writes
        } else {
            self.shape.reads
        };
        self.internal == BufferAvailability::Available
            && allows
            && !is_wrong
            && offset.is_multiple_of(8)
            && size.is_multiple_of(4)
            && offset
                .checked_add(size)
                .is_some_and(|end| end <= self.shape.size)
    }
}

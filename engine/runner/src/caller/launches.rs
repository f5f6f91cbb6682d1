//! Calls of recorded launches: what is recorded and set is reported, and a launch submits what the device keeps ready.

use std::sync::Arc;

use super::{Caller, CurrentCall};
use crate::launches::{LaunchEntry, recorded_id, step};
use backend::{BackendError, Operation, PreparedLaunch};
use device::{LaunchError, RecordedLaunch};
use record::{EventIndex, LaunchChange, LaunchInstance, LaunchStep, Record, Severity, StreamIndex};
use workload::{ArgumentName, ErrorKind, KernelArguments, LaunchCall, RecordedIndex};

impl Caller {
    /// A call of a recorded launch or of a graph.
    pub(super) fn launch_call(
        &mut self,
        current: &CurrentCall,
        call: &LaunchCall,
    ) -> Result<(), BackendError> {
        match call {
            LaunchCall::Relaunch { launch, stream } => self.relaunch(current, *launch, *stream),
            LaunchCall::Record { launch, kernel } => self.record_launch(current, *launch, kernel),
            LaunchCall::Set {
                launch,
                argument,
                value,
            } => {
                let value = self.shared.launches.argument(*value);
                self.change(current, *launch, |it| match argument {
                    ArgumentName::Named(name) => it.set(name, value),
                    ArgumentName::At(place) => it.set_at(*place, value),
                })
            }
            LaunchCall::SetAll { launch, values } => {
                let values = values.iter().map(|it| self.shared.launches.argument(*it));
                let values: Vec<_> = values.collect();
                self.change(current, *launch, |it| it.set_all(&values))
            }
            LaunchCall::SetDimensions { launch, elements } => {
                let count = elements.max(0.0) as usize;
                if count as f64 != *elements {
                    let reason = format!("{elements} is no count of elements: set a whole number");
                    return Err(BackendError::call(ErrorKind::InvalidArgument, reason));
                }
                self.change(current, *launch, |it| it.set_elements(count))
            }
            LaunchCall::BeginCapture { stream, mode } => {
                self.begin_capture(current, *stream, *mode)
            }
            LaunchCall::EndCapture { stream, graph } => self.end_capture(current, *stream, *graph),
            LaunchCall::Instantiate { graph } => self.instantiate(current, *graph),
            LaunchCall::Update { graph } => self.update(current, *graph),
            LaunchCall::Replay { graph, stream } => self.replay(current, *graph, *stream),
        }
    }

    /// Rule D1: nothing runs.
    fn record_launch(
        &self,
        current: &CurrentCall,
        launch: RecordedIndex,
        kernel: &KernelArguments,
    ) -> Result<(), BackendError> {
        let launches = &self.shared.launches;
        let handles = |all: &[_]| -> Vec<_> { all.iter().map(|it| launches.handle(*it)).collect() };
        let (reads, writes) = (handles(&kernel.reads), handles(&kernel.writes));
        let recorded =
            RecordedLaunch::new(kernel.kernel.name, &reads, &writes, &kernel.parameters)?;
        let Some(mut slot) = launches.recorded(launch) else {
            return Err(unknown(launch));
        };
        let before = slot.launch.as_ref().map(RecordedLaunch::revision);
        let recorded = recorded.after(before);
        self.report_step(current, launch, LaunchChange::Recorded, &recorded);
        *slot = LaunchEntry {
            launch: Some(recorded),
            ready: None,
        };
        Ok(())
    }

    /// Rules D3 and D4: what is wrong in itself is refused at once.
    fn change(
        &self,
        current: &CurrentCall,
        index: RecordedIndex,
        change: impl FnOnce(&mut RecordedLaunch) -> Result<(), LaunchError>,
    ) -> Result<(), BackendError> {
        let Some(mut slot) = self.shared.launches.recorded(index) else {
            return Err(unknown(index));
        };
        let Some(launch) = &mut slot.launch else {
            return Err(self.never_recorded(index));
        };
        change(launch)?;
        self.report_step(current, index, LaunchChange::Set, launch);
        slot.ready = None;
        Ok(())
    }

    /// Rule D7: on whichever stream is named now; no event, no wait.
    fn relaunch(
        &mut self,
        current: &CurrentCall,
        index: RecordedIndex,
        stream: StreamIndex,
    ) -> Result<(), BackendError> {
        let (packed, revision) = match self.prepared(index) {
            Err(BackendError::Call {
                kind: ErrorKind::StaleArgument,
                reason,
            }) => {
                let text = format!("line {}: STALE_LAUNCH_ARG: {reason}", current.place.line);
                let none = EventIndex(u32::MAX);
                self.report_problem(
                    Severity::Error,
                    "stale-launch-arg",
                    text,
                    current.span,
                    none,
                );
                return Err(BackendError::call(ErrorKind::StaleArgument, reason));
            }
            other => other?,
        };
        let operation = self.submit(current, stream, Operation::Packed(packed))?;
        if operation.is_some() {
            self.reporter.send(Record::Relaunch(LaunchInstance {
                operation,
                call: current.span,
                launch: recorded_id(index),
                revision,
            }));
        }
        Ok(())
    }

    /// What the device keeps ready of a launch, looked at by it the first time after a change (rule D6).
    fn prepared(&self, index: RecordedIndex) -> Result<(Arc<PreparedLaunch>, u32), BackendError> {
        let shared = &self.shared;
        let Some(mut slot) = shared.launches.recorded(index) else {
            return Err(unknown(index));
        };
        let epoch = shared.launches.epoch();
        let slot = &mut *slot;
        let Some(launch) = &slot.launch else {
            return Err(self.never_recorded(index));
        };
        if let Some((packed, of)) = &slot.ready
            && *of == epoch
        {
            return Ok((Arc::clone(packed), launch.revision()));
        }
        let len = |buffer: record::BufferIndex| {
            let found = shared.plan.buffers.get(buffer.index());
            found.map_or(0, |found| found.len)
        };
        let whole = launch.packed(&|buffer| shared.launches.making(buffer), &len)?;
        let packed = shared.device.pack(whole, launch.elements())?;
        slot.ready = Some((Arc::clone(&packed), epoch));
        Ok((packed, launch.revision()))
    }

    fn report_step(
        &self,
        current: &CurrentCall,
        index: RecordedIndex,
        change: LaunchChange,
        launch: &RecordedLaunch,
    ) {
        let plan = &self.shared.plan;
        let step = step(
            plan,
            recorded_id(index),
            launch,
            current.start,
            current.span,
        );
        let step = LaunchStep { change, ..step };
        self.reporter.send(Record::LaunchStep(Box::new(step)));
    }

    fn never_recorded(&self, index: RecordedIndex) -> BackendError {
        let name = self.shared.plan.recorded.get(index.index());
        let name = name.map_or("?", |plan| &plan.name);
        let reason = format!(
            "the launch “{name}” was never recorded: put record-launch \"{name}\" before this call, or declare it with \
             kernel="
        );
        BackendError::call(ErrorKind::NotMade, reason)
    }
}

fn unknown(index: RecordedIndex) -> BackendError {
    BackendError::Unknown(format!("launch {}", index.0))
}

//! Executes a case's program on the model: the host's statements one after the other, the other timelines as the
//! schedule says.

use std::collections::{BTreeMap, BTreeSet};

use engine::device::webgpu::{
    AdapterModel, BufferId, BufferShape, CallResult, GpuErrorKind, LossReason, MapState,
    ModelPipelineId, ModelPromiseId, ModelTimeline, ModuleId, OutcomeRow, PipelineDefect,
    PipelineShape, PromiseResult, SpecAuthority, StepEffect, StepName, StepResult, WebGpuModel,
};
use engine::record::SpanId;

use super::case::Case;
use super::schedule::Schedule;
use super::statement;

/// The content timeline of the programs.
pub const HOST: ModelTimeline = ModelTimeline::Content(0);

/// Why a program was given up.
#[derive(Debug)]
pub enum Stop {
    /// A statement that is not known.
    Unknown(String),
    /// Something that is waited for, and that nothing brings about.
    Stuck(String),
}

/// A program under way, and what was seen of it.
pub struct Machine<'a> {
    pub case: &'a Case,
    pub schedule: Schedule,
    pub model: WebGpuModel,
    pub adapter: AdapterModel,
    /// The requests for a device, in order; none where one was not made.
    pub requests: Vec<Option<usize>>,
    pub promises: BTreeMap<String, ModelPromiseId>,
    /// Promises without names, in order.
    pub all: Vec<ModelPromiseId>,
    /// What was popped without a name.
    pub popped: Vec<ModelPromiseId>,
    pub buffers: BTreeMap<String, BufferId>,
    pub modules: BTreeMap<String, (ModuleId, String)>,
    /// What the last asynchronous creation was asked for, and how its compile goes.
    pub descriptor: (PipelineShape, Option<PipelineDefect>),
    /// Whether maps ask for what the buffer's usage forbids.
    pub is_mode_wrong: bool,
    pub filters: Vec<GpuErrorKind>,
    /// The rows by which `getMappedRange` answered, by the name of the view.
    pub ranges: Vec<(String, &'static OutcomeRow)>,
    pub states: Vec<(String, MapState)>,
    pub captured: usize,
    pub uncaptured: Vec<GpuErrorKind>,
    /// Promises that settled inside `destroy()`.
    pub in_destroy: BTreeSet<ModelPromiseId>,
    /// Promises that settled before any work of the queue had ended.
    pub before_work: BTreeSet<ModelPromiseId>,
    pub losses: Vec<LossReason>,
    compiles: Vec<(ModelPipelineId, Option<PipelineDefect>)>,
    unmade: Vec<ModuleId>,
    last: Option<StepResult>,
    has_worked: bool,
}

impl<'a> Machine<'a> {
    /// Runs a case to its end, and gives what was seen.
    pub fn run(case: &'a Case, edition: SpecAuthority, schedule: Schedule) -> Result<Self, Stop> {
        let mut machine = Self {
            case,
            schedule,
            model: WebGpuModel::with_editions(&[edition]),
            adapter: AdapterModel::new(edition),
            requests: Vec::new(),
            promises: BTreeMap::new(),
            all: Vec::new(),
            popped: Vec::new(),
            buffers: BTreeMap::new(),
            modules: BTreeMap::new(),
            descriptor: (PipelineShape::default(), None),
            is_mode_wrong: false,
            filters: Vec::new(),
            ranges: Vec::new(),
            states: Vec::new(),
            captured: 0,
            uncaptured: Vec::new(),
            in_destroy: BTreeSet::new(),
            before_work: BTreeSet::new(),
            losses: Vec::new(),
            compiles: Vec::new(),
            unmade: Vec::new(),
            last: None,
            has_worked: false,
        };
        machine.execute()?;
        Ok(machine)
    }

    fn execute(&mut self) -> Result<(), Stop> {
        let lost = self.model.lost(HOST, SpanId(0));
        self.name("lost", &lost);
        let is_enclosed = self.case.expect.contains_key("enclosing_validation_scope");
        if is_enclosed {
            let made = self
                .model
                .push_error_scope(HOST, SpanId(0), GpuErrorKind::Validation);
            self.note(&made.effects);
        }
        self.make_what_is_meant();
        let case = self.case;
        for step in &case.program {
            statement::execute(self, step)?;
            if case.is_suite_alone() && step.contains("mapAsync") {
                self.finish();
            }
            self.look(step);
            self.drift();
        }
        if is_enclosed {
            let made = self.model.pop_error_scope(HOST, SpanId(0));
            self.name("enclosing_validation_scope", &made);
        }
        self.finish();
        self.look("end");
        Ok(())
    }

    /// A buffer that the program uses and does not make was made before it, and so was the one that a loss comes
    /// before.
    fn make_what_is_meant(&mut self) {
        let makes = |step: &String| step.starts_with("b = ") || step.starts_with("b(");
        let makes = |step: &String| {
            makes(step) || step.starts_with("b mapped") || step.starts_with("b in state")
        };
        let uses = self
            .case
            .program
            .iter()
            .any(|step| step.contains("b.") || step.contains(" b"));
        if uses && !self.case.program.iter().any(makes) {
            self.make_buffer("b", BufferShape::default());
            self.finish();
        }
    }

    /// Makes a buffer under a name.
    pub fn make_buffer(&mut self, name: &str, shape: BufferShape) -> BufferId {
        let (buffer, made) = self.model.create_buffer(HOST, SpanId(1), shape);
        self.buffers.insert(name.to_owned(), buffer);
        self.note(&made.effects);
        buffer
    }

    /// Remembers the promise of a call under a name, and what the call brought about.
    pub fn name(&mut self, name: &str, made: &CallResult) {
        if let Some(promise) = made.promise {
            self.promises.insert(name.to_owned(), promise);
        }
        self.note(&made.effects);
    }

    /// Remembers what a call or a step brought about.
    pub fn note(&mut self, effects: &[StepEffect]) {
        for effect in effects {
            match effect {
                StepEffect::Compile(id) | StepEffect::CompileInline(id) => {
                    let is_last = self.descriptor.1;
                    self.compiles.push((*id, is_last));
                }
                StepEffect::Refused(id) => self.compiles.push((*id, None)),
                StepEffect::CompileModule(id) => self.unmade.push(*id),
                StepEffect::Captured(_) => self.captured += 1,
                StepEffect::Uncaptured(raised) => self.uncaptured.push(raised.kind),
                StepEffect::Lost(kind) => self.losses.push(*kind),
                StepEffect::Settled(settlement) if !self.has_worked => {
                    self.before_work.insert(settlement.promise);
                }
                _ => {}
            }
        }
    }

    /// `device.destroy()`.
    pub fn destroy(&mut self) {
        let made = self.model.destroy_device(HOST, SpanId(2));
        for effect in &made.effects {
            if let StepEffect::Settled(settlement) = effect {
                self.in_destroy.insert(settlement.promise);
            }
        }
        self.note(&made.effects);
    }

    /// Notes the map states of all buffers, after `step`.
    fn look(&mut self, step: &str) {
        for (name, buffer) in &self.buffers {
            let state = self.model.map_state(*buffer);
            self.states.push((format!("{name} after {step}"), state));
        }
    }

    /// The other timelines move as far as the schedule has it. Programs that place a loss exactly move them by
    /// themselves.
    fn drift(&mut self) {
        if self.case.says("inject loss") || self.case.says("before completion") {
            return;
        }
        let mut steps = self.schedule.steps();
        while steps > 0 && self.step_device() {
            steps -= 1;
        }
        if self.schedule.choose() {
            self.complete_one();
        }
    }

    /// Executes one step of the device timeline.
    pub fn step_device(&mut self) -> bool {
        self.last = self.model.step_device(SpanId(3));
        let Some(step) = self.last.clone() else {
            return false;
        };
        self.note(&step.effects);
        true
    }

    fn step_content(&mut self) -> bool {
        let Some(step) = self.model.step_content(HOST, SpanId(4)) else {
            return false;
        };
        self.note(&step.effects);
        true
    }

    /// Ends one compile, or the creation of one module.
    fn complete_one(&mut self) -> bool {
        if let Some((pipeline, defect)) = self.compiles.pop() {
            let effects = self.model.compiled(pipeline, SpanId(5), defect);
            self.note(&effects);
            return true;
        }
        let Some(module) = self.unmade.pop() else {
            return false;
        };
        let effects = self.model.module_completed(module, SpanId(5));
        self.note(&effects);
        true
    }

    fn complete_work(&mut self) -> bool {
        let is_busy = self.model.is_queue_busy();
        if is_busy {
            self.has_worked = true;
            let effects = self.model.work_completed(self.model.submitted(), SpanId(6));
            self.note(&effects);
        }
        is_busy
    }

    /// Executes device steps until the one of this name for this promise was executed; compiles end meanwhile.
    pub fn run_until(&mut self, promise: ModelPromiseId, name: StepName) -> Result<(), Stop> {
        loop {
            while self.step_device() {
                let found = self.last.as_ref();
                if found.is_some_and(|it| it.promise == Some(promise) && it.name == name) {
                    return Ok(());
                }
            }
            if !self.complete_one() {
                return Err(Stop::Stuck(name.label().to_owned()));
            }
        }
    }

    /// The device timeline takes its steps until there are none left.
    pub fn run_device(&mut self) {
        while self.step_device() {}
    }

    /// The host waits until a promise has settled.
    pub fn wait(&mut self, name: &str) -> Result<PromiseResult, Stop> {
        let promise = self.promises.get(name).copied();
        let promise = promise.ok_or_else(|| Stop::Unknown(format!("promise {name}")))?;
        loop {
            if let Some(settlement) = self.model.settlement(promise) {
                return Ok(settlement);
            }
            let is_first = self.schedule.choose();
            let moved =
                (is_first && self.step_content()) || self.step_device() || self.step_content();
            if !moved && !self.complete_one() && !self.complete_work() {
                return Err(Stop::Stuck(format!("await {name}")));
            }
        }
    }

    /// Everything comes to its end; the queue's work last.
    pub fn finish(&mut self) {
        loop {
            let is_first = self.schedule.choose();
            let moved =
                (is_first && self.step_content()) || self.step_device() || self.step_content();
            if !moved && !self.complete_one() && !self.complete_work() {
                while self.adapter.step() {}
                return;
            }
        }
    }
}

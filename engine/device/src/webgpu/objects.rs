//! Shader modules, and every other object that a call makes.

use super::ids::{ModelTimeline, ModuleId};
use super::model::{CallResult, WebGpuModel};
use super::outcome::GpuErrorKind;
use super::step::{StepEffect, StepName, TimelineTask, TimelineWork};
use super::table::{Api, Condition};
use super::watch::AwaitedEvent;
use record::SpanId;

/// A shader module.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModuleModel {
    /// Whether its text breaks a rule.
    is_wrong: bool,
    is_made: bool,
    /// The creation, for the error that its completion raises.
    task: Option<TimelineTask>,
}

impl WebGpuModel {
    /// `createShaderModule`, of a text that breaks a rule or does not.
    pub fn create_shader_module(
        &mut self,
        host: ModelTimeline,
        call: SpanId,
        is_wrong: bool,
    ) -> (ModuleId, CallResult) {
        self.tick();
        let id = ModuleId(self.modules.len() as u32);
        self.modules.push(ModuleModel {
            is_wrong,
            is_made: false,
            task: None,
        });
        (
            id,
            self.made(host, call, None, TimelineWork::CreateModule(id)),
        )
    }

    /// `getCompilationInfo`.
    pub fn get_compilation_info(
        &mut self,
        host: ModelTimeline,
        call: SpanId,
        module: ModuleId,
    ) -> CallResult {
        self.tick();
        let promise = self.promise(Api::GetCompilationInfo, host);
        self.made(host, call, Some(promise), TimelineWork::AskModule(module))
    }

    /// Making any other object, or encoding a command; with an error where it breaks a rule.
    pub fn create(
        &mut self,
        host: ModelTimeline,
        call: SpanId,
        wrong: Option<GpuErrorKind>,
    ) -> CallResult {
        self.tick();
        self.made(host, call, None, TimelineWork::Create(wrong))
    }

    /// A module's compilation has ended, as `cause` shows. Says what that brought about.
    pub fn module_completed(&mut self, module: ModuleId, cause: SpanId) -> Vec<StepEffect> {
        self.tick();
        let mut effects = Vec::new();
        let Some(found) = self.modules.get_mut(module.index()) else {
            return effects;
        };
        let is_news = !std::mem::replace(&mut found.is_made, true);
        if let (true, true, Some(task)) = (is_news, found.is_wrong, found.task) {
            self.dispatch(
                &task,
                cause,
                Some(GpuErrorKind::Validation),
                None,
                &mut effects,
            );
        }
        self.inform(cause, &mut effects);
        effects
    }

    pub(super) fn is_made(&self, module: ModuleId) -> bool {
        self.modules
            .get(module.index())
            .is_none_or(|module| module.is_made)
    }

    pub(super) fn make_module(
        &mut self,
        task: &TimelineTask,
        id: ModuleId,
        effects: &mut Vec<StepEffect>,
    ) {
        let is_lost = self.loss.is_some();
        if let Some(module) = self.modules.get_mut(id.index()) {
            module.task = Some(*task);
            module.is_made = is_lost;
            if !is_lost {
                effects.push(StepEffect::CompileModule(id));
            }
        }
    }

    pub(super) fn ask_module(
        &mut self,
        task: &TimelineTask,
        step: SpanId,
        module: ModuleId,
        effects: &mut Vec<StepEffect>,
    ) {
        let known = TimelineTask {
            cause: step,
            work: TimelineWork::ModuleKnown,
            ..*task
        };
        let hears_loss = self.hears_loss(Api::GetCompilationInfo, task.edition);
        self.listen(AwaitedEvent::ModuleMade(module), hears_loss, known, effects);
    }

    /// On the content timeline, where the text tests for the loss although it is the device timeline's to know.
    pub(super) fn finish_messages(
        &mut self,
        task: &TimelineTask,
        effects: &mut Vec<StepEffect>,
    ) -> StepName {
        let api = Api::GetCompilationInfo;
        let condition = self.loss_condition(task.called).unwrap_or(Condition::Fine);
        let decision = self.decision(api, condition, Condition::Fine, task.edition);
        self.settle_for(task, decision, None, effects)
    }

    pub(super) fn make_object(
        &mut self,
        task: &TimelineTask,
        step: SpanId,
        wrong: Option<GpuErrorKind>,
        effects: &mut Vec<StepEffect>,
    ) {
        let row = self.row(
            Api::Create,
            self.creation_condition(task.called, wrong),
            task.edition,
        );
        self.dispatch(task, step, row.raises, None, effects);
    }

    pub(super) fn creation_condition(&self, called: u64, wrong: Option<GpuErrorKind>) -> Condition {
        if let Some(lost) = self.loss_condition(called) {
            return lost;
        }
        match wrong {
            None => Condition::Fine,
            Some(GpuErrorKind::OutOfMemory) => Condition::OutOfMemory,
            Some(_) => Condition::Invalid,
        }
    }
}
